"""JADES, the seven operations, direct assessment, questions and answers: what they ask, refuse and
yield."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.protocols.base import Level, PairFacts, Wording
from annotation.protocols.kinds import ShapeError
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, Protocol
from annotation.protocols.registry import PROTOCOLS, protocol

FACTS = PairFacts(original_length=80, simplification_length=60)
JADES = protocol("jades", "1")
OPERATIONS = protocol("operations", "1")
DIRECT = protocol("direct_assessment", "1")
PAIRS, ANSWERS = protocol("qa_pairs", "1"), protocol("qa_answers", "1")
OTHERS = (JADES, OPERATIONS, DIRECT, PAIRS, ANSWERS)

COMPLETE: dict[str, dict[str, Any]] = {
    "jades": {"fluency": 4, "meaning": 1, "simplicity": 2},
    "operations": {"operations": [1, 7]},
    "direct_assessment": {"meaning": 0, "fluency": 100, "simplicity": 50},
    "qa_pairs": {"captured": 1, "correct": 0},
    "qa_answers": {"answered": 0},
}


def problems(found: Protocol, **answers: object) -> list[tuple[str, str]]:
    cleaned = found.clean(answers)
    return [(one.field, one.code) for one in found.problems(cleaned, FACTS, {})]


def wordings(value: object) -> list[Wording]:
    if isinstance(value, Wording):
        return [value]
    if isinstance(value, tuple | list):
        return [one for part in value for one in wordings(part)]
    if hasattr(value, "__dataclass_fields__"):
        return [
            one for name in value.__dataclass_fields__ for one in wordings(getattr(value, name))
        ]
    return []


@pytest.mark.parametrize("found", OTHERS, ids=lambda one: one.key)
def test_nothing_is_complete_without_its_dimensions(found: Protocol) -> None:
    rated = [f.name for f in found.fields if f.dimensions]
    assert problems(found) == [(name, "required") for name in rated]
    assert problems(found, **COMPLETE[found.key]) == []


@pytest.mark.parametrize("found", OTHERS, ids=lambda one: one.key)
def test_what_was_answered_comes_back_as_it_was_typed(found: Protocol) -> None:
    answers = found.clean(COMPLETE[found.key] | {"comment": "à revoir", "doubt": True})
    assert found.restore(found.parts(answers, {})) == answers
    assert {r.dimension for r in found.ratings(answers, {})} == set(found.dimensions)


@pytest.mark.parametrize("found", OTHERS, ids=lambda one: one.key)
def test_every_word_stands_in_both_languages(found: Protocol) -> None:
    for wording in wordings(found):
        assert bool(wording.fr) == bool(wording.en)
    assert found.about.source
    assert found.about.summary.fr


def test_jades_has_three_ordered_scales_of_four_worded_levels() -> None:
    assert JADES.dimensions == ("fluency", "meaning", "simplicity")
    assert {one.level for one in JADES.scales} == {Level.ORDINAL}
    assert {one.scale for one in JADES.scales} == {(1, 2, 3, 4)}
    labels = [option.label.fr for one in JADES.scales for option in one.options]
    assert len(set(labels)) == 12
    assert all(option.help.fr for one in JADES.scales for option in one.options)


@pytest.mark.parametrize("found", [JADES, DIRECT], ids=lambda one: one.key)
def test_fluency_is_judged_from_the_simplification_alone(found: Protocol) -> None:
    assert {step.key: step.sides for step in found.steps} == {
        "fluency": (SIMPLIFICATION,),
        "meaning": (ORIGINAL, SIMPLIFICATION),
        "simplicity": (ORIGINAL, SIMPLIFICATION),
    }


def test_each_of_the_seven_operations_is_a_yes_or_a_no() -> None:
    names = ("replace", "simple_rewrite", "strong_rewrite", "delete", "add", "reorder", "split")
    assert OPERATIONS.dimensions == tuple(f"operations_{name}" for name in names)
    answers = OPERATIONS.clean({"operations": ["7", "1"]})
    assert [one.value for one in OPERATIONS.ratings(answers, {})] == [1, 0, 0, 0, 0, 0, 1]


def test_no_operation_at_all_is_an_answer() -> None:
    assert problems(OPERATIONS, operations=[]) == []
    answers = OPERATIONS.clean({"operations": []})
    assert {one.value for one in OPERATIONS.ratings(answers, {})} == {0}


def test_direct_assessment_takes_whole_numbers_from_0_to_100_and_0_is_an_answer() -> None:
    assert {one.scale for one in DIRECT.scales} == {tuple(range(101))}
    assert {one.level for one in DIRECT.scales} == {Level.INTERVAL}
    assert DIRECT.empty_answers()["meaning"] is None, "a slider has no position of its own"
    for refused in (-1, 101, 50.5, "half"):
        with pytest.raises(ShapeError):
            DIRECT.clean({"meaning": refused})


@pytest.mark.parametrize("found", [PAIRS, ANSWERS], ids=lambda one: one.key)
def test_questions_and_answers_are_judged_by_yes_and_no(found: Protocol) -> None:
    assert {one.level for one in found.scales} == {Level.NOMINAL}
    assert {one.scale for one in found.scales} == {(0, 1)}
    assert {one.key: one.value for one in found.scales[0].options} == {"yes": 1, "no": 0}
    for rating in found.ratings(found.clean(dict.fromkeys(found.dimensions, 0)), {}):
        assert rating.value == 0, "a no is an answer"
    headings = {panel.side: panel.heading.en for panel in found.panels}
    assert headings[SIMPLIFICATION] != "Simplification", "a question is none"
    assert found.predicted == ""


def test_controls_are_held_to_the_published_thresholds() -> None:
    """At least 95 for two identical texts, at most 5 for unrelated ones: Beauchemin, Saggion and
    Khoury (2023), MeaningBERT, section 3.3."""
    (identical,) = DIRECT.controls["identical"]
    (unrelated,) = DIRECT.controls["unrelated"]
    assert (identical.dimension, identical.lowest, identical.highest) == ("meaning", 95, 100)
    assert (unrelated.dimension, unrelated.lowest, unrelated.highest) == ("meaning", 0, 5)


def test_controls_of_jades_are_held_to_the_ends_of_its_scales() -> None:
    """A copy says the same (4 of 4) and is as simple (2, the anchor of no change); an unrelated
    text says something else (1)."""
    identical = {one.dimension: (one.lowest, one.highest) for one in JADES.controls["identical"]}
    unrelated = {one.dimension: (one.lowest, one.highest) for one in JADES.controls["unrelated"]}
    assert identical == {"meaning": (4, 4), "simplicity": (2, 2)}
    assert unrelated == {"meaning": (1, 1)}


def test_each_protocol_can_be_told_to_a_model_and_read_from_it() -> None:
    for found in PROTOCOLS.values():
        for one in found.fields:
            assert one.model_schema()
            assert one.schema()
        assert found.judge.prompt
        assert isinstance(found.judge.hints(found.clean_rulings({})), list | tuple)
