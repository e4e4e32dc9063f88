"""Each kind of field: what it reads, what it is stored as, and what it says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.protocols.base import Level, Option, PairFacts, Parts, Ruling, Wording
from annotation.protocols.kinds import (
    KINDS,
    BracketedScale,
    Choice,
    Choices,
    Evidence,
    Field,
    Keyword,
    Marks,
    Scale,
    ShapeError,
    Slider,
    Text,
    When,
    Whole,
)
from annotation.protocols.protocol import Protocol, Step
from tests.protocols.samples.everything import (
    CHANGES,
    EASE,
    FLAWS,
    READER,
)
from tests.protocols.samples.everything import PROTOCOL as EVERYTHING

FACTS = PairFacts(original_length=40, simplification_length=30)
RULED = EVERYTHING.clean_rulings({})
BY_NAME = {field.name: field for field in EVERYTHING.fields}


def french(wording: Wording) -> str:
    return wording.fr


def english(wording: Wording) -> str:
    return wording.en


def spans(length: int) -> st.SearchStrategy[tuple[int | None, int | None]]:
    return st.none().map(lambda _: (None, None)) | st.tuples(
        st.integers(0, length - 2), st.integers(1, length)
    ).map(lambda pair: (min(pair), max(pair) if max(pair) > min(pair) else min(pair) + 1))


flaws = st.builds(
    lambda kind, note, before, after: {
        "type": kind,
        "note": note,
        "original_start": before[0],
        "original_end": before[1],
        "simplification_start": after[0],
        "simplification_end": after[1],
    },
    st.sampled_from([option.key for option in FLAWS]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    spans(40),
    spans(30),
)
answers = st.fixed_dictionaries(
    {
        "reader": st.sampled_from([option.value for option in READER]),
        "reason": st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
        "changes": st.none() | st.lists(st.sampled_from([10, 20]), unique=True).map(sorted),
        "ease": st.sampled_from([option.value for option in EASE]),
        "warmth": st.none() | st.integers(-4, 12).map(lambda steps: steps * 5),
        "share": st.integers(0, 100),
        "tier": st.sampled_from([1, 2]),
        "flaws": st.lists(flaws, max_size=4),
        "decided_by": st.sampled_from(["", "first_reading", "second_reading"]),
        "readings": st.none() | st.integers(0, 9),
        "tired": st.booleans(),
        "unsure": st.booleans(),
        "message": st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    }
)


class TestEveryKind:
    def test_the_sample_has_one_of_each(self):
        assert {field.kind for field in EVERYTHING.fields} == set(KINDS)

    @given(answers)
    def test_what_is_stored_gives_the_answers_back(self, given_answers):
        cleaned = EVERYTHING.clean(given_answers)
        assert EVERYTHING.restore(EVERYTHING.parts(cleaned, RULED)) == cleaned

    @given(answers)
    def test_only_what_was_answered_is_stored(self, given_answers):
        parts = EVERYTHING.parts(EVERYTHING.clean(given_answers), RULED)
        assert all(parts.sides.values())
        assert ("warmth" in parts.ratings) == (given_answers["warmth"] is not None)
        assert parts.ratings["share"].value == given_answers["share"]
        assert [mark.field for mark in parts.marks] == ["flaws"] * len(given_answers["flaws"])

    def test_nothing_stored_is_nothing_answered(self):
        assert EVERYTHING.restore(Parts()) == EVERYTHING.empty_answers()
        assert EVERYTHING.parts(EVERYTHING.empty_answers(), RULED) == Parts()

    def test_zero_is_an_answer(self):
        cleaned = EVERYTHING.clean({"reader": 1, "ease": 0, "share": "0", "tier": 1})
        assert EVERYTHING.problems(cleaned, FACTS, RULED) == []
        assert BY_NAME["share"].lines(0, french) == ["0"]
        assert BY_NAME["ease"].lines(0, french) == ["0 · aisance 0"]
        assert BY_NAME["share"].is_answered(0)

    def test_every_kind_says_what_it_is_in_words_and_to_programs(self):
        cleaned = EVERYTHING.clean(
            {
                "reader": 3,
                "reason": "Pour moi",
                "changes": ["10"],
                "warmth": -20,
                "tier": 2,
                "flaws": [{"type": "gap", "note": "ici"}, {}],
                "edits": [{"type": "swapped", "note": "là", "severity": "heavy"}, {}],
                "unwanted": [{"original": [[0, 3]]}],
                "decided_by": "first_reading",
                "readings": "2",
                "tired": True,
                "message": "Ça va.",
            }
        )
        said = {name: field.lines(cleaned[name], french) for name, field in BY_NAME.items()}
        assert said == {
            "reader": ["3 · quelqu'un d'autre"],
            "reason": ["Pour moi"],
            "changes": ["plus court"],
            "ease": [],
            "warmth": ["-20"],
            "share": [],
            "tier": ["2 · Bon"],
            "flaws": ["lacune · ici", ""],
            "edits": ["mot échangé · lourd · là", ""],
            "unwanted": ["1"],
            "tier_kept": [],
            "tier_before": [],
            "decided_by": ["première lecture"],
            "readings": ["2"],
            "tired": ["oui"],
            "unsure": [],
            "message": ["Ça va."],
        }
        for field in EVERYTHING.fields:
            assert field.schema()
            assert field.model_schema()
            assert bool(field.presented) == bool(field.dimensions)
            assert isinstance(field.facts(english), dict)

    def test_a_model_is_told_of_each_in_french(self):
        descriptions = {field.kind: " ".join(field.model_lines()) for field in EVERYTHING.fields}
        assert "juristes" in descriptions["choice"]
        assert "liste vide : aucune" in descriptions["choices"]
        assert "de 0 à 100" in descriptions["slider"]
        assert "gap" in descriptions["marks"]
        assert "swapped (dans les deux textes) : mot échangé" in descriptions["edits"]
        assert "gravité heavy : lourd" in descriptions["edits"]
        ends = Slider("s", low=Wording("rien", "nothing"), high=Wording("tout", "all"))
        assert ends.model_lines() == ["  un nombre entier de 0 à 100", "  0 : rien", "  100 : tout"]

    def test_a_model_is_told_all_that_an_answer_has_to_be(self):
        assert Slider("s", step=5).model_lines() == ["  un nombre entier de 0 à 100, de 5 en 5"]
        types = (Option(1, "om", Wording("Omission", "Omission")),)
        assert Marks("m", types=types).model_lines() == ["  om : Omission."]
        tier = BY_NAME["tier"]
        assert isinstance(tier, BracketedScale)
        explained = replace(tier.brackets[0], help=Wording("Tout y est.", "All of it."))
        first, *_others = replace(tier, brackets=(explained,)).model_lines()
        assert first.endswith(f"{explained.label.fr} Tout y est.")

    def test_an_answer_that_may_be_left_out_may_be_null_to_a_model(self):
        optional = Choice("c", options=READER)
        assert None in optional.model_schema()["enum"]
        assert Slider("s").model_schema()["type"] == ["integer", "null"]
        assert Slider("s", required=True).model_schema()["type"] == "integer"


def test_what_was_not_answered_leaves_its_columns_empty():
    group = BY_NAME["reader"].export()
    assert group is not None
    assert group.cells(None) == [None] * 4
    assert BY_NAME["flaws"].facts(english)["options"][0]["label"] == "typo"
    assert BY_NAME["tier"].facts(english)["brackets"][0]["top"] == 4


class TestChoices:
    FIELD = Choices("changes", options=CHANGES)

    @pytest.mark.parametrize(
        ("received", "stored"),
        [(None, None), ("", None), ([], []), (["20", 10], [10, 20]), ([10, 10], [10])],
    )
    def test_none_of_them_is_an_answer_and_nothing_is_not(self, received, stored):
        assert self.FIELD.clean(received) == stored
        assert self.FIELD.is_answered(stored) == (stored is not None)

    @pytest.mark.parametrize("received", [3, "10", [30], [True], [10, 20, 10], [[10]]])
    def test_what_is_no_list_of_its_values_is_refused(self, received):
        with pytest.raises(ShapeError) as refused:
            self.FIELD.clean(received)
        assert refused.value.problem.field == "changes"

    @pytest.mark.parametrize(
        ("posted", "raw"), [([], None), (["none"], []), (["10", "20"], ["10", "20"])]
    )
    def test_a_plain_form(self, posted, raw):
        assert self.FIELD.posted(posted, {}) == raw

    def test_each_option_is_a_dimension_of_yes_and_no(self):
        assert [(d.name, d.level, d.scale) for d in self.FIELD.dimensions] == [
            ("changes_shorter", Level.NOMINAL, (0, 1)),
            ("changes_softer", Level.NOMINAL, (0, 1)),
        ]

    def test_in_words_and_on_the_page(self):
        assert self.FIELD.lines(None, french) == []
        assert self.FIELD.lines([], french) == ["Aucune"]
        shown = self.FIELD.context([], french)
        assert shown["is_none"]
        assert not any(option["checked"] for option in shown["options"])
        assert self.FIELD.facts(english)["none"] == "None of these"

    def test_what_a_condition_asks_for(self):
        assert self.FIELD.evidence(None) == Evidence("rating", "changes_shorter")
        assert self.FIELD.evidence(20) == Evidence("rating", "changes_softer", 1)


class TestSlider:
    STEPPED = Slider("warmth", lowest=-20, highest=60, step=5)

    @pytest.mark.parametrize(("received", "stored"), [("", None), ("-20", -20), (0, 0), (60, 60)])
    def test_what_is_read(self, received, stored):
        assert self.STEPPED.clean(received) == stored

    @pytest.mark.parametrize("received", [-25, 61, 7, 1.5, True, "douze", [3]])
    def test_what_is_not_on_it_is_refused(self, received):
        with pytest.raises(ShapeError):
            self.STEPPED.clean(received)

    def test_what_it_says_to_programs(self):
        assert self.STEPPED.schema()["multipleOf"] == 5
        assert "multipleOf" not in Slider("s", lowest=1, highest=9, step=2).schema()
        assert self.STEPPED.facts(french) == {"lowest": -20, "highest": 60, "step": 5}
        assert self.STEPPED.dimensions[0].scale == tuple(range(-20, 61, 5))
        assert "in steps of 5" in self.STEPPED.presented

    def test_a_bound_is_named_where_it_is_broken(self):
        with pytest.raises(ShapeError) as refused:
            Slider("s").clean(101)
        assert "0–100" in refused.value.problem.message.en


class TestConditions:
    @pytest.mark.parametrize(
        ("when", "given_answers", "holds"),
        [
            (When("a", (3,)), {"a": 3}, True),
            (When("a", (3,)), {"a": 2}, False),
            (When("a", (3,)), {}, False),
            (When("a", (10,)), {"a": [10, 20]}, True),
            (When("a", (30,)), {"a": [10, 20]}, False),
            (When("a"), {"a": 0}, True),
            (When("a"), {"a": False}, False),
            (When("a"), {"a": ""}, False),
            (When("a"), {"a": []}, False),
            (When("a", ("gap",)), {"a": [{"type": "gap"}]}, True),
            (When("a", ("gap",)), {"a": [{"type": "typo"}]}, False),
        ],
    )
    def test_they_hold_of_one_value_of_a_list_or_of_any(self, when, given_answers, holds):
        assert when.holds(given_answers) is holds

    def test_a_question_that_is_not_shown_is_not_required(self):
        field = Text("why", required=True, shown_when=When("a", (1,)))
        assert field.is_required({"a": 1, "why": ""})
        assert not field.is_required({"a": 2, "why": ""})
        assert not field.always

    def test_what_is_missing_is_named(self):
        problems = EVERYTHING.problems(EVERYTHING.empty_answers(), FACTS, RULED)
        assert [(p.field, p.message.en) for p in problems[:2]] == [
            ("reader", "Answer the question “Reader”."),
            ("ease", "Answer the question “Ease”."),
        ]

    def test_what_is_required_only_then(self):
        cleaned = EVERYTHING.clean({"reader": 3, "reason": " ", "ease": 1, "share": 1, "tier": 2})
        assert [p.field for p in EVERYTHING.problems(cleaned, FACTS, RULED)] == ["reason"]


class TestQualifiers:
    def test_those_of_their_own_are_stored_beside_the_ratings(self):
        word, number = Keyword("w", allowed=("a",)), Whole("n", lowest=0, highest=9)
        parts = Parts()
        word.store({"w": "a"}, {}, parts)
        number.store({"n": 0}, {}, parts)
        assert parts.sides == {"w": "a", "n": "0"}
        assert (word.restore(parts), number.restore(parts)) == ({"w": "a"}, {"n": 0})
        assert word.evidence("a") == Evidence("side", "w", "a")
        assert number.evidence(0) == Evidence("side", "n", "0")

    def test_a_word_without_words_says_itself(self):
        assert BY_NAME["decided_by"].lines("second_reading", french) == ["second_reading"]

    def test_a_number_out_of_its_bounds(self):
        with pytest.raises(ShapeError):
            Whole("n", lowest=0, highest=9).clean(10)


def test_a_kind_must_say_for_itself_what_nobody_can_say_for_it():
    bare, parts = Field("f"), Parts()
    asks: list[Any] = [
        lambda: bare.store({}, {}, parts),
        lambda: bare.restore(parts),
        lambda: bare.evidence(None),
        bare.schema,
        bare.model_schema,
        bare.export,
    ]
    for ask in asks:
        with pytest.raises(NotImplementedError):
            ask()
    assert (bare.dimensions, bare.marks, bare.facts(french), bare.model_lines()) == ((), (), {}, [])
    assert (bare.context(None, french), bare.from_model(3, {}), bare.compared()) == ({}, 3, ())
    assert (bare.counted, bare.mark_columns, bare.passages(None)) == ("", (), [])
    assert (bare.blank_mark(), bare.mark_at("a", "", {}), bare.mark_cells((), {})) == ({}, {}, [])
    assert bare.mark_problems(1, {}, FACTS) == []
    assert not bare.in_foot
    assert Field("g", stored_with="f").export() is None
    assert bare.is_answered(1)
    assert bare.lines(None, french) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reader", 9),
        ("changes", 30),
        ("warmth", 7),
        ("flaws", "omission"),
        ("tired", False),
        ("decided_by", "third"),
        ("readings", 10),
    ],
)
def test_a_condition_can_only_ask_for_what_may_be_answered(name, value):
    with pytest.raises(ValueError, match=name):
        BY_NAME[name].evidence(value)


def test_a_bracket_is_nothing_that_another_field_can_depend_on():
    with pytest.raises(NotImplementedError):
        BY_NAME["tier"].evidence(1)
    assert BY_NAME["tier"].evidence(None) == Evidence("rating", "worth")
    assert BY_NAME["flaws"].evidence("gap") == Evidence("mark", "flaws", "gap")
    assert BY_NAME["tired"].evidence(True) == Evidence("side", "tired", "1")
    assert BY_NAME["reader"].evidence(3) == Evidence("rating", "reader", 3)
    assert BY_NAME["warmth"].evidence(0) == Evidence("rating", "warmth", 0)
    assert BY_NAME["message"].evidence(None) == Evidence("side", "message")


class TestProtocol:
    def test_what_is_not_there_is_said(self):
        for ask in (EVERYTHING.field, EVERYTHING.dimension, EVERYTHING.field_of):
            with pytest.raises(KeyError):
                ask("nothing")
        assert EVERYTHING.field("tier").name == "tier"
        assert EVERYTHING.field_of("worth").name == "tier"

    def test_every_free_text_is_found_in_answers_that_may_be_incomplete(self):
        given_answers = {
            "message": "un",
            "flaws": [{"note": "deux"}, {"note": ""}, 3],
            "reason": None,
        }
        assert EVERYTHING.typed(given_answers) == ["deux", "un"]
        assert EVERYTHING.typed({"flaws": "no list"}) == []
        assert EVERYTHING.free_names == {"reason", "note", "message"}

    def test_rulings_that_are_none_are_refused_by_name(self):
        with pytest.raises(ValueError, match="beauty"):
            EVERYTHING.clean_rulings({"beauty": True})
        with pytest.raises(
            ValueError, match="“below_tier” is one of these values: ask, fall_through, clamp"
        ):
            EVERYTHING.clean_rulings({"below_tier": "guess"})
        with pytest.raises(
            ValueError, match="“flaw_needs_place” is one of these values: true, false"
        ):
            EVERYTHING.clean_rulings({"flaw_needs_place": "perhaps"})
        assert Ruling("r", Wording("r", "r")).clean(True) is True

    def test_a_protocol_without_brackets_has_no_running_score(self):
        plain = Protocol(
            "p",
            "1",
            Wording("p", "p"),
            (Step("s", Wording("?", "?"), (Scale("ease", options=EASE, required=True),)),),
        )
        assert plain.running_score({"ease": 1}, {}) is None
        assert plain.finding({"ease": 1}, FACTS) is None
        assert [p.code for p in plain.problems({"ease": None}, FACTS, {})] == ["required"]

    def test_a_bracket_without_a_crossing_of_its_own_falls_through(self):
        scale = EVERYTHING.bracketed[0]
        assert scale.policy(RULED) == "fall_through"
        assert EVERYTHING.running_score({"tier": 2, "flaws": [{}] * 3}, RULED) == 17
        assert EVERYTHING.running_score({"tier": None, "flaws": []}, RULED) is None
