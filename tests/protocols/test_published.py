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


def problems(published: Protocol, **answers: object) -> list[tuple[str, str]]:
    cleaned = published.clean(answers)
    return [(problem.field, problem.code) for problem in published.problems(cleaned, FACTS, {})]


def wordings(value: object) -> list[Wording]:
    if isinstance(value, Wording):
        return [value]
    if isinstance(value, tuple | list):
        return [wording for part in value for wording in wordings(part)]
    if hasattr(value, "__dataclass_fields__"):
        return [
            wording
            for name in value.__dataclass_fields__
            for wording in wordings(getattr(value, name))
        ]
    return []


@pytest.mark.parametrize("published", OTHERS, ids=lambda published: published.key)
def test_nothing_is_complete_without_its_dimensions(published: Protocol) -> None:
    rated = [f.name for f in published.fields if f.dimensions]
    assert problems(published) == [(name, "required") for name in rated]
    assert problems(published, **COMPLETE[published.key]) == []


@pytest.mark.parametrize("published", OTHERS, ids=lambda published: published.key)
def test_what_was_answered_comes_back_as_it_was_typed(published: Protocol) -> None:
    answers = published.clean(COMPLETE[published.key] | {"comment": "à revoir", "doubt": True})
    assert published.restore(published.parts(answers, {})) == answers
    assert {r.dimension for r in published.ratings(answers, {})} == set(published.dimensions)


@pytest.mark.parametrize("published", OTHERS, ids=lambda published: published.key)
def test_every_word_stands_in_both_languages(published: Protocol) -> None:
    for wording in wordings(published):
        assert bool(wording.fr) == bool(wording.en)
    assert published.about.source
    assert published.about.summary.fr


def test_jades_has_three_ordered_scales_of_four_worded_levels() -> None:
    assert JADES.dimensions == ("fluency", "meaning", "simplicity")
    assert {scale.level for scale in JADES.scales} == {Level.ORDINAL}
    assert {scale.scale for scale in JADES.scales} == {(1, 2, 3, 4)}
    labels = [option.label.fr for scale in JADES.scales for option in scale.options]
    assert len(set(labels)) == 12
    assert all(option.help.fr for scale in JADES.scales for option in scale.options)


@pytest.mark.parametrize("published", [JADES, DIRECT], ids=lambda published: published.key)
def test_fluency_is_judged_from_the_simplification_alone(published: Protocol) -> None:
    assert {step.key: step.sides for step in published.steps} == {
        "fluency": (SIMPLIFICATION,),
        "meaning": (ORIGINAL, SIMPLIFICATION),
        "simplicity": (ORIGINAL, SIMPLIFICATION),
    }


def test_each_of_the_seven_operations_is_a_yes_or_a_no() -> None:
    names = ("replace", "simple_rewrite", "strong_rewrite", "delete", "add", "reorder", "split")
    assert OPERATIONS.dimensions == tuple(f"operations_{name}" for name in names)
    answers = OPERATIONS.clean({"operations": ["7", "1"]})
    assert [rating.value for rating in OPERATIONS.ratings(answers, {})] == [1, 0, 0, 0, 0, 0, 1]


def test_no_operation_at_all_is_an_answer() -> None:
    assert problems(OPERATIONS, operations=[]) == []
    answers = OPERATIONS.clean({"operations": []})
    assert {rating.value for rating in OPERATIONS.ratings(answers, {})} == {0}


def test_direct_assessment_takes_whole_numbers_from_0_to_100_and_0_is_an_answer() -> None:
    assert {scale.scale for scale in DIRECT.scales} == {tuple(range(101))}
    assert {scale.level for scale in DIRECT.scales} == {Level.INTERVAL}
    assert DIRECT.empty_answers()["meaning"] is None, "a slider has no position of its own"
    for refused in (-1, 101, 50.5, "half"):
        with pytest.raises(ShapeError):
            DIRECT.clean({"meaning": refused})


@pytest.mark.parametrize("published", [PAIRS, ANSWERS], ids=lambda published: published.key)
def test_questions_and_answers_are_judged_by_yes_and_no(published: Protocol) -> None:
    assert {scale.level for scale in published.scales} == {Level.NOMINAL}
    assert {scale.scale for scale in published.scales} == {(0, 1)}
    assert {option.key: option.value for option in published.scales[0].options} == {
        "yes": 1,
        "no": 0,
    }
    for rating in published.ratings(published.clean(dict.fromkeys(published.dimensions, 0)), {}):
        assert rating.value == 0, "a no is an answer"
    headings = {panel.side: panel.heading.en for panel in published.panels}
    assert headings[SIMPLIFICATION] != "Simplification", "a question is none"
    assert published.predicted == ""


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
    identical = {
        control.dimension: (control.lowest, control.highest)
        for control in JADES.controls["identical"]
    }
    unrelated = {
        control.dimension: (control.lowest, control.highest)
        for control in JADES.controls["unrelated"]
    }
    assert identical == {"meaning": (4, 4), "simplicity": (2, 2)}
    assert unrelated == {"meaning": (1, 1)}


def test_each_protocol_can_be_told_to_a_model_and_read_from_it() -> None:
    for published in PROTOCOLS.values():
        for field in published.fields:
            assert field.model_schema()
            assert field.schema()
        assert published.judge.prompt
        assert isinstance(published.judge.hints(published.clean_rulings({})), list | tuple)
