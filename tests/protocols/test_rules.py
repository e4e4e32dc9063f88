"""The scoring rule and every refusal, exhaustively."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.protocols.base import PairFacts, Rulings
from annotation.protocols.kinds.bracketed import POLICIES
from annotation.protocols.legal_meaning.definition import (
    ACCURATE,
    BRACKETS,
    IMPRECISE,
    OFF_TRACK,
    legal_meaning,
)
from annotation.protocols.legal_meaning.rules import PROTOCOL, contradiction, crosses, score

FACTS = PairFacts(original_length=100, simplification_length=50)
RULED = PROTOCOL.clean_rulings({})
ASK = RULED


def error(**changed: Any) -> dict[str, Any]:
    spans = dict.fromkeys(
        ("original_start", "original_end", "simplification_start", "simplification_end")
    )
    return {"type": "omission", "note": "", **spans} | changed


def given_answers(**changed: Any) -> dict[str, Any]:
    return PROTOCOL.clean({"simplicity": 1, "characterization": 3, "bracket": ACCURATE} | changed)


def problems(
    settings: Rulings = ASK, facts: PairFacts = FACTS, **changed: Any
) -> list[tuple[str, str]]:
    return [(p.field, p.code) for p in PROTOCOL.problems(given_answers(**changed), facts, settings)]


class TestScore:
    # JUDGEBERT, section 3.2.3: each error takes one point off the bracket's maximum (10, 6, 1),
    # never below 1.
    @pytest.mark.parametrize(
        ("bracket", "expected"),
        [
            (ACCURATE, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1]),
            (IMPRECISE, [6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1]),
            (OFF_TRACK, [1] * 13),
        ],
    )
    def test_every_bracket_with_0_to_12_errors(self, bracket, expected):
        for policy in ("ask", "fall_through"):
            assert [score(bracket, errors, policy) for errors in range(13)] == expected

    @pytest.mark.parametrize(("bracket", "bottom"), [(ACCURATE, 7), (IMPRECISE, 2), (OFF_TRACK, 1)])
    def test_clamped_it_never_leaves_its_bracket(self, bracket, bottom):
        for errors in range(13):
            assert score(bracket, errors, "clamp") == max(bottom, score(bracket, errors))

    def test_five_errors_under_accurate_give_five(self):
        assert score(ACCURATE, 5) == 5
        assert crosses(ACCURATE, 5)
        assert not crosses(ACCURATE, 3)

    @given(st.sampled_from(BRACKETS), st.integers(0, 60), st.sampled_from(POLICIES))
    def test_it_is_always_on_the_scale_and_one_more_error_never_raises_it(
        self, bracket, errors, policy
    ):
        value = score(bracket.value, errors, policy)
        assert 1 <= value <= bracket.top
        assert value - score(bracket.value, errors + 1, policy) in (0, 1)

    def test_what_is_no_bracket_count_or_policy_is_refused(self):
        with pytest.raises(KeyError):
            score(4, 0)
        with pytest.raises(ValueError, match="negative"):
            score(3, -1)
        with pytest.raises(ValueError, match="guess"):
            score(3, 0, "guess")

    def test_the_brackets_cover_the_scale_once(self):
        covered = [
            value for bracket in BRACKETS for value in range(bracket.bottom, bracket.top + 1)
        ]
        assert covered == list(range(legal_meaning.lowest, legal_meaning.highest + 1))

    def test_the_running_score_waits_for_a_bracket(self):
        assert PROTOCOL.running_score(given_answers(bracket=None), ASK) is None
        assert PROTOCOL.running_score(given_answers(errors=[error()]), ASK) == 9


class TestSimplicity:
    IDENTICAL = PairFacts(10, 10, is_identical=True)
    ENGLISH = PairFacts(10, 10, is_other_language=True)

    @pytest.mark.parametrize("level", [1, 2, 3])
    def test_a_level_that_the_pair_contradicts_is_confirmed_or_changed(self, level):
        for facts in (self.IDENTICAL, self.ENGLISH):
            assert problems(facts=facts, simplicity=level) == [
                ("simplicity_confirmed", "contradiction")
            ]
            assert problems(facts=facts, simplicity=level, simplicity_confirmed=True) == []

    def test_no_simplification_fits_those_two_and_no_other(self):
        assert (
            problems(facts=self.IDENTICAL, simplicity=4)
            == problems(facts=self.ENGLISH, simplicity=4)
            == []
        )
        assert problems(simplicity=4) == [("simplicity_confirmed", "contradiction")]

    def test_nothing_contradicts_no_answer(self):
        assert contradiction(given_answers(simplicity=None), self.IDENTICAL) is None
        assert problems(simplicity=None) == [("simplicity", "required")]


class TestCharacterization:
    def test_one_is_needed(self):
        assert problems(characterization=None) == [("characterization", "required")]

    @pytest.mark.parametrize("explanation", ["", "  \n"])
    def test_class_18_is_explained(self, explanation):
        assert problems(characterization=18, explanation=explanation) == [
            ("explanation", "required")
        ]
        assert problems(characterization=18, explanation="ni l'une ni l'autre") == []


class TestCrossing:
    FIVE = [error()] * 5

    def test_a_bracket_is_needed(self):
        assert problems(bracket=None) == [("bracket", "required")]

    def test_under_ask_a_crossing_is_answered(self):
        assert problems(errors=self.FIVE) == [("crossing_answer", "required")]
        assert problems(errors=self.FIVE, crossing_answer="kept") == []
        assert (
            problems(errors=self.FIVE, bracket=IMPRECISE, crossing_answer="moved", moved_from=3)
            == []
        )

    @pytest.mark.parametrize("count", range(4, 12))
    def test_one_move_ends_the_question(self, count):
        """Also where the score is below the lower bracket as well; asked again, neither answer
        would change it."""
        errors = [error()] * count
        moved = {"crossing_answer": "moved", "moved_from": 3}
        assert problems(errors=errors, bracket=IMPRECISE, **moved) == []
        if crosses(IMPRECISE, count):
            assert score(IMPRECISE, count) == score(OFF_TRACK, count) == 1
            # Nobody was asked yet where it was chosen at once.
            question = [("crossing_answer", "required")]
            assert problems(errors=errors, bracket=IMPRECISE) == question

    def test_an_answer_to_no_question_is_refused(self):
        assert problems(crossing_answer="kept") == [("crossing_answer", "needless")]
        for policy in ("clamp", "fall_through"):
            settings = RULED | {"crossing_policy": policy}
            assert problems(settings, errors=self.FIVE) == []
            assert problems(settings, errors=self.FIVE, crossing_answer="kept") == [
                ("crossing_answer", "needless")
            ]

    @pytest.mark.parametrize(
        "answer",
        [
            {"crossing_answer": "moved"},
            {"crossing_answer": "moved", "moved_from": 2},
            {"crossing_answer": "kept", "moved_from": 3},
            {"moved_from": 3},
        ],
    )
    def test_a_move_starts_from_a_higher_bracket(self, answer):
        assert problems(bracket=IMPRECISE, errors=self.FIVE, **answer)[0] == (
            "crossing_answer",
            "inconsistent",
        )


class TestErrors:
    def test_each_has_a_type(self):
        assert problems(errors=[error(), error(type="")]) == [("errors.1.type", "required")]

    @pytest.mark.parametrize(
        ("span", "why"),
        [
            ({"original_start": 0, "original_end": 101}, "(0–101) is outside the text (0–100)"),
            ({"original_start": 5, "original_end": 5}, "(5) does not come after its start (5)"),
            ({"original_start": 9, "original_end": 5}, "(5) does not come after its start (9)"),
            ({"original_start": -1, "original_end": 3}, "(-1–3) is outside the text (0–100)"),
            ({"original_start": 2}, "a start (2) and no end"),
            ({"original_end": 2}, "an end (2) and no start"),
        ],
    )
    def test_a_span_that_marks_nothing_is_refused_for_what_is_wrong(self, span, why):
        assert problems(errors=[error(**span)]) == [("errors.0.original_start", "span")]
        (problem,) = PROTOCOL.problems(given_answers(errors=[error(**span)]), FACTS, ASK)
        assert why in problem.message.en
        assert "None" not in problem.message.fr

    def test_each_side_has_its_own_length(self):
        span = {"simplification_start": 0, "simplification_end": 51}
        assert problems(errors=[error(**span)]) == [("errors.0.simplification_start", "span")]
        assert problems(errors=[error(original_start=0, original_end=51)]) == []

    def test_a_study_may_require_a_passage_on_either_side(self):
        settings = RULED | {"span_required": True}
        assert problems(settings, errors=[error()]) == [("errors.0", "span_required")]
        for side in ("original", "simplification"):
            assert (
                problems(settings, errors=[error(**{f"{side}_start": 0, f"{side}_end": 4})]) == []
            )


class TestRatings:
    def test_there_is_one_per_dimension_and_the_score_tells_how_it_came(self):
        answers = given_answers(
            bracket=IMPRECISE, errors=[error()], crossing_answer="moved", moved_from=3
        )
        ratings = PROTOCOL.ratings(answers, ASK)
        assert tuple(r.dimension for r in ratings) == PROTOCOL.dimensions
        lmp = ratings[-1]
        assert (lmp.value, lmp.bracket, lmp.deductions, lmp.moved_from) == (5, 2, 1, 3)
        assert (lmp.derivation, lmp.crossing_policy, lmp.crossing_answer) == (
            "derived",
            "ask",
            "moved",
        )

    @given(
        st.fixed_dictionaries(
            {
                "simplicity": st.sampled_from([None, 1, 2, 3, 4]),
                "simplicity_confirmed": st.booleans(),
                "characterization": st.none() | st.integers(1, 18),
                "explanation": st.sampled_from(["", "parce que"]),
                "bracket": st.sampled_from([None, 1, 2, 3]),
                "errors": st.lists(
                    st.sampled_from(["omission", "confusion", ""]).map(lambda t: error(type=t)),
                    max_size=8,
                ),
                "crossing_answer": st.sampled_from(["", "kept", "moved"]),
                "moved_from": st.sampled_from([None, 2, 3]),
            }
        ),
        st.sampled_from(POLICIES),
        st.booleans(),
    )
    def test_whatever_has_no_problem_can_be_rated(self, raw, policy, identical):
        answers, settings = PROTOCOL.clean(raw), RULED | {"crossing_policy": policy}
        facts = PairFacts(100, 50, is_identical=identical)
        if PROTOCOL.problems(answers, facts, settings):
            return
        values = {r.dimension: r.value for r in PROTOCOL.ratings(answers, settings)}
        assert values["legal_meaning"] == score(raw["bracket"], len(raw["errors"]), policy)
        assert values["characterization"] != 18 or raw["explanation"]
