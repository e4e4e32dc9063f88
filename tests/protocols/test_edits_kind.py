"""Edits as a kind of field: what it reads, refuses, stores, exports and takes back."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.protocols.base import PairFacts, Parts, Passages, Wording
from annotation.protocols.characters import is_inside
from annotation.protocols.columns import OF_A_MARK
from annotation.protocols.kinds import Edits, Evidence, Former, ShapeError
from annotation.protocols.kinds.edit_rules import LONGEST_TEXT
from tests.protocols.samples.everything import GRAVITY, OPERATIONS

ORIGINAL = "L'assuré avise sans délai l'assureur de tout sinistre."
SIMPLIFIED = "Vous devez vite nous dire ce qui arrive."
FACTS = PairFacts(len(ORIGINAL), len(SIMPLIFIED), original=ORIGINAL, simplification=SIMPLIFIED)
TEXTS = {"original": ORIGINAL, "simplification": SIMPLIFIED}
LABEL = Wording("Opérations :", "Edits:")
FIELD = Edits("edits", label=LABEL, operations=OPERATIONS, severities=GRAVITY)
NEEDED = replace(FIELD, required=True)
BARE = replace(FIELD, severities=(), notes=False)


def edit(kind: str = "swapped", **given_parts: Any) -> dict[str, Any]:
    whole = {"original": [[0, 2]], "simplification": [[0, 4]]}
    return FIELD.blank_mark() | {"type": kind} | whole | given_parts


def problems(*edits: dict[str, Any], facts: PairFacts = FACTS) -> list[tuple[str, str]]:
    all_problems = FIELD.problems({"edits": FIELD.clean([*edits])}, facts, {})
    assert all(problem.message.fr and problem.message.en for problem in all_problems)
    return [(problem.field, problem.code) for problem in all_problems]


def exported(parts: Parts, field: Edits = FIELD) -> dict[str, Any]:
    """The cells of its columns, by name."""
    group = field.export()
    rows = [tuple(getattr(mark, name) for name in OF_A_MARK) for mark in parts.marks]
    return dict(zip((column.name for column in group.columns), group.cells(rows), strict=True))


def spans(length: int, least: int) -> st.SearchStrategy[list[list[int]]]:
    """Spans without overlaps, in any order."""
    ends = st.lists(st.integers(0, length), unique=True, min_size=2 * least, max_size=8).map(sorted)
    return ends.map(
        lambda places: [[*span] for span in zip(places[::2], places[1::2], strict=False)]
    ).flatmap(st.permutations)


LEAST = {
    "wordGone": (1, 0),
    "added": (0, 1),
    "swapped": (1, 1),
    "turned": (1, 0),
    "spoiled": (0, 0),
}
"""The spans that each operation needs of either side."""


@st.composite
def sound(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from([*LEAST]))
    least, other = LEAST[kind]
    return {
        "type": kind,
        "original": draw(spans(len(ORIGINAL), least)) if kind != "added" else [],
        "simplification": draw(spans(len(SIMPLIFIED), other)) if kind != "wordGone" else [],
        "note": draw(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9)).strip(),
        "severity": draw(st.sampled_from([None, "slight", "heavy"])),
        "source": draw(st.sampled_from(["hand", "suggested"])),
    }


class TestSound:
    @given(st.lists(sound(), max_size=5))
    def test_what_is_stored_exported_and_taken_again_is_the_same(self, edits):
        assert problems(*edits) == []
        answers, parts, again = {"edits": FIELD.clean(edits)}, Parts(), Parts()
        NEEDED.store(answers, {}, parts)
        assert NEEDED.restore(parts) == answers
        cells = exported(parts, NEEDED)
        assert cells["edits_number"] == len(edits)
        kinds = [kept_edit["type"] for kept_edit in edits]
        assert all(cells[f"edits_{kind}"] == kinds.count(kind) for kind in LEAST)
        NEEDED.take({"edits": cells["edits"]}, FACTS, {}, again)
        assert again == parts

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["type", "original", "note", "severity", "source", "x"]), inner
                )
            ),
        )
    )
    def test_whatever_comes_is_read_or_refused(self, received):
        with suppress(ShapeError):
            cleaned = FIELD.clean(received)
            assert FIELD.clean(cleaned) == cleaned

    def test_several_spans_are_stored_beside_the_stretch_that_they_lie_in(self):
        parts = Parts()
        FIELD.store({"edits": [edit(original=[[5, 7], [0, 2]])]}, {}, parts)
        (mark,) = parts.marks
        assert (mark.original_start, mark.original_end) == (0, 7)
        assert (mark.original_spans, mark.simplification_spans) == ("[[5,7],[0,2]]", "")

    def test_none_is_an_answer_where_one_is_required(self):
        readings = []
        for field in (FIELD, NEEDED):
            parts = Parts()
            field.store({"edits": []}, {}, parts)
            readings.append((field.is_answered([]), field.brief([], str), [*parts.ratings]))
        assert readings == [(False, "", []), (True, "0", ["edits_number"])]
        assert NEEDED.problems({"edits": []}, FACTS, {}) == []
        assert NEEDED.dimensions[0].label == Wording("Opérations : nombre", "Edits: number")

    def test_nothing_sent_is_no_edit(self):
        assert FIELD.clean(None) == FIELD.clean("") == FIELD.posted([], {}) == []
        assert FIELD.posted(['[{"type": "spoiled"}]'], {}) == [{"type": "spoiled"}]


@pytest.mark.parametrize(
    "received",
    [
        "x",
        {},
        [3],
        [{"kind": "swapped"}],
        [{"type": "gone"}],
        [{"type": ["swapped"]}],
        [{"original": 3}],
        [{"original": [3]}],
        [{"original": [[1, 2, 3]]}],
        [{"original": [[1, "x"]]}],
        [{"severity": "grave"}],
        [{"source": "machine"}],
        [{"note": 3}],
        [{}] * 5001,
    ],
)
def test_what_no_page_could_have_sent(received):
    with pytest.raises(ShapeError):
        FIELD.clean(received)


@pytest.mark.parametrize("given_part", [{"note": "x"}, {"severity": "slight"}])
def test_what_a_field_does_not_ask_for_is_not_read(given_part):
    with pytest.raises(ShapeError):
        BARE.clean([given_part])


@pytest.mark.parametrize(
    ("wrong", "where", "code"),
    [
        (edit(""), ".type", "required"),
        (edit(original=[[0, 99]]), ".original", "span"),
        (edit(original=[[-1, 2]]), ".original", "span"),
        (edit(simplification=[[4, 4]]), ".simplification", "span"),
        (edit(original=[[0, 5], [4, 9]]), ".original", "overlap"),
        (edit("wordGone"), ".simplification", "side"),
        (edit("added"), ".original", "side"),
        (edit("wordGone", original=[], simplification=[]), ".original", "span_required"),
        (edit("added", original=[], simplification=[]), ".simplification", "span_required"),
        (edit(original=[]), ".original", "span_required"),
        (edit("turned", original=[], simplification=[]), "", "span_required"),
    ],
)
def test_what_is_wrong_is_named_by_the_number_of_the_edit(wrong, where, code):
    assert problems(edit(), wrong) == [(f"edits.1{where}", code)]
    all_problems = FIELD.problems({"edits": [edit(), wrong]}, FACTS, {})
    assert "2" in all_problems[0].message.fr
    assert "edit 2" in all_problems[0].message.en.lower()
    with pytest.raises(ShapeError):
        FIELD.take({"edits": json.dumps([wrong])}, FACTS, {}, Parts())


def test_what_is_marked_on_the_whole_pair_needs_no_passage():
    assert problems(edit("spoiled", original=[], simplification=[]), edit("spoiled")) == []


def test_too_many_edits_and_too_long_a_text_are_kept_and_refused():
    few = replace(FIELD, max_edits=1)
    edits = few.clean([edit(), edit()])
    assert [problem.code for problem in few.problems({"edits": edits}, FACTS, {})] == ["too_many"]
    long = PairFacts(LONGEST_TEXT + 1, 30)
    assert problems(edit(), facts=long) == [("edits", "text_too_long")]
    assert problems(facts=long) == []
    with pytest.raises(ShapeError):
        few.take({"edits": json.dumps(edits)}, FACTS, {}, Parts())
    assert few.united([edit()], [edit()]) == [edit()]
    assert few.united([edit()], [edit("spoiled")]) is None


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("cafe\u0301s", {4}),
        ("a👍🏽b", {2}),
        ("a👩\u200d⚖\ufe0fb", {2, 3, 4}),
        ("né", set()),
        ("", set()),
    ],
)
def test_no_offset_parts_what_is_seen_as_one_character(text, inside):
    assert {at for at in range(len(text) + 1) if is_inside(text, at)} == inside
    facts = PairFacts(len(text), 9, original=text)
    for start in range(len(text)):
        cut = ({start} | {len(text)}) & inside
        all_problems = problems(edit(original=[[start, len(text)]]), facts=facts)
        assert all_problems == ([("edits.0.original", "character")] if cut else [])


class TestModels:
    def test_it_quotes_and_the_words_are_found(self):
        reply = {
            "type": "swapped",
            "original_quotes": ["assuré", "a"],
            "simplification_quotes": ["dire"],
        }
        (read_edit,) = FIELD.from_model([reply | {"note": "n"}], TEXTS)
        assert [ORIGINAL[slice(*span)] for span in read_edit["original"]] == ["assuré", "a"]
        assert read_edit["simplification"] == [[21, 25]]
        assert FIELD.clean([read_edit])[0]["note"] == "n"

    def test_whole_words_come_before_parts_of_words_and_no_place_is_taken_twice(self):
        texts = {"original": "elle et le le", "simplification": "x"}
        reply = {"type": "wordGone", "original_quotes": ["le", "le", "le"]}
        (read_edit,) = FIELD.from_model([reply], texts)
        assert read_edit["original"] == [[8, 10], [11, 13], [2, 4]]

    @pytest.mark.parametrize("quotes", [["absent"], [""], "absent", ["avise", "avise"]])
    def test_a_quotation_that_is_not_there_is_refused(self, quotes):
        with pytest.raises(ShapeError) as refused:
            FIELD.from_model([{"type": "wordGone", "original_quotes": quotes}], TEXTS)
        assert refused.value.problem.field == "edits.0.original"
        assert "edit 1 quotes" in refused.value.problem.message.en.lower()

    def test_what_is_no_list_of_edits_is_left_to_clean(self):
        assert FIELD.from_model("x", TEXTS) == "x"
        assert FIELD.from_model([3], TEXTS) == [3]

    def test_it_is_asked_for_what_the_field_asks(self):
        schema = FIELD.model_schema()["items"]["properties"]
        assert [*schema] == [
            *("type", "original_quotes", "simplification_quotes", "note", "severity")
        ]
        assert {"note", "severity"}.isdisjoint(BARE.model_schema()["items"]["properties"])
        assert not any("gravité" in line for line in BARE.model_lines())


class TestWords:
    def test_the_page_gets_numbered_operations_in_their_groups(self):
        shown = FIELD.context([edit()], lambda wording: wording.en)
        assert [group["key"] for group in shown["groups"]] == ["gone", "changed"]
        first = shown["groups"][0]["operations"][0]
        assert (first["key"], first["side"], first["digits"]) == ("wordGone", "original", "1")
        assert first["where"] == "in the original"
        assert json.loads(shown["written"]) == [edit()]
        assert [severity["key"] for severity in shown["severities"]] == ["slight", "heavy"]

    def test_a_study_decides_whether_anything_is_suggested(self):
        ruled = replace(FIELD, suggests_ruling="pale")
        assert FIELD.ruled({}) == {"suggests": True}
        assert [ruled.ruled({"pale": is_pale})["suggests"] for is_pale in (True, False)] == [
            True,
            False,
        ]

    def test_what_it_marks(self):
        assert FIELD.passages(None) == []
        assert FIELD.passages([edit(note="n")]) == [
            Passages("swapped", "n", ((0, 2),), ((0, 4),)),
        ]
        assert FIELD.evidence("swapped") == Evidence("mark", "edits", "swapped")
        assert FIELD.evidence(None) == Evidence("mark", "edits")
        with pytest.raises(ValueError, match="no operation"):
            FIELD.evidence("gone")

    def test_a_row_for_a_single_edit_has_its_words(self):
        parts = Parts()
        FIELD.store({"edits": [edit(original=[[9, 14], [0, 2]], severity="heavy")]}, {}, parts)
        row = tuple(getattr(parts.marks[0], name) for name in OF_A_MARK)
        cells = dict(
            zip((c.name for c in FIELD.mark_columns), FIELD.mark_cells(row, TEXTS), strict=True)
        )
        assert cells == {
            "edit_severity": "heavy",
            "edit_source": "hand",
            "original_spans": "[[9,14],[0,2]]",
            "original_tokens": "[2,0]",
            "simplification_spans": "[[0,4]]",
            "simplification_tokens": "[0]",
        }

    def test_none_is_a_number_only_where_it_is_rated(self):
        """Else a mean of the column would be another than that of the ratings."""
        for field, number in ((FIELD, None), (NEEDED, 0)):
            parts = Parts()
            field.store({"edits": []}, {}, parts)
            assert [rating.value for rating in parts.ratings.values()] == (
                [] if number is None else [number]
            )
            assert exported(parts, field)["edits_number"] == number

    def test_errors_are_called_so(self):
        told = {c.name: c.description for c in replace(FIELD, are_errors=True).export().columns}
        assert told["edits_number"].en.endswith("number of errors marked.")
        assert told["edits"].fr.startswith("Les erreurs dans l'ordre")

    def test_marks_that_are_not_known_leave_their_columns_empty(self):
        group = FIELD.export()
        assert group.cells(None) == [None] * len(group.columns)
        assert BARE.export().columns[-1].free == BARE.free_members == ()


class TestTaken:
    def test_what_is_not_there_is_not_taken(self):
        parts = Parts()
        NEEDED.take({}, FACTS, {}, parts)
        assert parts == Parts()

    @pytest.mark.parametrize("cell", ["x", "[3]", '{"type": 3}'])
    def test_a_cell_that_is_no_list_of_edits(self, cell):
        with pytest.raises(ShapeError):
            FIELD.take({"edits": cell}, FACTS, {}, Parts())


def test_a_study_whose_kind_is_gone_shows_its_edits():
    former = Former("edits", label=LABEL, has_marks=True, types=FIELD.marks)
    parts = Parts()
    FIELD.store({"edits": [edit(original=[[5, 7], [0, 2]]), edit(original=[])]}, {}, parts)
    edits = former.restore(parts)["edits"]
    assert edits[0]["original_spans"] == "[[5,7],[0,2]]"
    assert "original_spans" not in edits[1]
    assert [passage.original for passage in former.passages(edits)] == [((5, 7), (0, 2)), ()]
    assert Former("x", was="Gone").passages([{"type": "a"}]) == []
