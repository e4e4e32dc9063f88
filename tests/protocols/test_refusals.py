"""Suggestions that were refused, as an answer: read, refused where they are of no such text, kept,
exported and given back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.generation.judging import instructions, schema
from annotation.protocols.assetann.definition import PROTOCOL
from annotation.protocols.base import PairFacts, Parts, Wording
from annotation.protocols.kinds import Evidence, Refusals, ShapeError
from annotation.protocols.kinds.refusals import MOST_REFUSED

ORIGINAL, SIMPLIFIED = "L'été e\u0301tait long.", "Il a duré."
FACTS = PairFacts(len(ORIGINAL), len(SIMPLIFIED), original=ORIGINAL, simplification=SIMPLIFIED)
FIELD = Refusals("refused", label=Wording("Suggestions refusées", "Suggestions refused"))
ONE = {"original": [[0, 5]], "simplification": [[0, 2]]}
OTHER = {"original": [], "simplification": [[3, 4]]}


def problems(*refused: dict[str, Any]) -> list[tuple[str, str]]:
    all_problems = FIELD.problems({"refused": FIELD.clean([*refused])}, FACTS, {})
    assert all("suggestion" in problem.message.fr for problem in all_problems)
    return [(problem.field, problem.code) for problem in all_problems]


def test_what_is_stored_comes_back_and_is_exported_with_its_number():
    answers = {"refused": FIELD.clean([ONE, {"simplification": [[3, 4]]}])}
    assert answers == {"refused": [ONE, OTHER]}
    assert problems(*answers["refused"]) == []
    parts = Parts()
    FIELD.store(answers, {}, parts)
    assert FIELD.restore(parts) == answers
    group = FIELD.export()
    number, each = group.cells((parts.sides["refused"], "here"))
    assert [column.name for column in group.columns] == ["refused_number", "refused"]
    assert (number, json.loads(each)) == (2, [ONE, OTHER])


def test_none_refused_is_stored_as_nothing_and_told_from_not_known():
    parts = Parts()
    FIELD.store({"refused": FIELD.empty}, {}, parts)
    assert parts.sides == {}
    assert FIELD.restore(parts) == {"refused": []}
    assert FIELD.export().cells((None, "here")) == [0, "[]"]
    assert FIELD.export().cells((None, "imported")) == [None, None]
    FIELD.take({"refused": "[]"}, FACTS, {}, parts)
    assert FIELD.export().cells((parts.sides["refused"], "imported")) == [0, "[]"]
    assert FIELD.restore(parts) == {"refused": []}
    assert FIELD.lines([], str) == []
    assert FIELD.brief([ONE], str) == "1"


@pytest.mark.parametrize(
    "received",
    [
        {"original": []},
        [{}],
        [{"original": [], "simplification": []}],
        [{"original": [[0]]}],
        [{"original": "0-1"}],
        [3],
        [ONE] * (MOST_REFUSED + 1),
    ],
)
def test_another_shape_is_refused_with_its_place(received):
    with pytest.raises(ShapeError, match="Unreadable answer"):
        FIELD.clean(received)


def test_a_member_that_nobody_knows_is_named():
    with pytest.raises(ShapeError, match="“note” is not known") as e:
        FIELD.clean([ONE, {"original": [[0, 1]], "note": "x"}])
    assert (e.value.problem.field, e.value.problem.code) == ("refused.1.note", "shape")


def test_one_that_is_sent_twice_counts_once():
    assert FIELD.clean([ONE, OTHER, ONE]) == [ONE, OTHER]
    assert FIELD.clean("") == FIELD.clean(None) == []
    assert FIELD.united([ONE], [OTHER, ONE]) == [ONE, OTHER]


def test_a_passage_outside_its_text_or_in_a_character_is_named():
    beyond = {"original": [], "simplification": [[3, 99]]}
    # Between the letter and its accent.
    inside = {"original": [[6, 7]], "simplification": []}
    assert problems(ONE, beyond) == [("refused.1.simplification", "span")]
    assert problems(inside) == [("refused.0.original", "character")]


def test_a_table_gives_back_what_an_export_wrote():
    parts = Parts()
    FIELD.take({"refused": json.dumps([ONE])}, FACTS, {}, parts)
    assert FIELD.restore(parts) == {"refused": [ONE]}
    nothing = Parts()
    FIELD.take({}, FACTS, {}, nothing)
    assert nothing.sides == {}
    with pytest.raises(ShapeError, match="is not made of whole"):
        FIELD.take({"refused": '[{"original": [[0, 99]]}]'}, FACTS, {}, Parts())


def test_a_form_without_a_script_sends_them_as_json():
    assert FIELD.clean(FIELD.posted([json.dumps([ONE])], {})) == [ONE]
    assert FIELD.posted([], {}) == []
    assert json.loads(FIELD.context([ONE], str)["written"]) == [ONE]


def test_only_what_was_refused_is_an_answer():
    assert FIELD.is_answered([ONE])
    assert not FIELD.is_answered(FIELD.empty)
    assert all(FIELD.clean(sample) == sample for sample in FIELD.samples)
    assert set(FIELD.schema()["items"]["properties"]) == {"original", "simplification"}


def test_a_condition_can_ask_that_some_were_refused():
    assert FIELD.evidence(None) == Evidence("side", "refused")
    with pytest.raises(ValueError, match="is a list"):
        FIELD.evidence("a")


def test_models_are_not_asked_what_the_page_asks():
    assert "refused" not in schema(PROTOCOL)["properties"]
    assert "refused" not in instructions(PROTOCOL, PROTOCOL.clean_rulings({}), "")
    assert FIELD.model_schema()["type"] == "array"
