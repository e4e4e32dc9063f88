"""What each kind of field says of its exported columns."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from annotation.protocols.base import Option, Wording
from annotation.protocols.columns import (
    OF_MARKS,
    OWN_LAYOUTS,
    READ_BY_EXPORTS,
    aggregated_names,
    said,
)
from annotation.protocols.kinds import Bracket, BracketedScale, Choices, Keyword, Marks, Slider
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.release.layouts import _of_dimension
from annotation.selectors.publishing.exports import LAYOUTS
from annotation.selectors.publishing.exports.error_rows import _error_columns
from annotation.selectors.publishing.exports.source import _OWN, _plain

LABEL = Wording("Étiquette", "Label")
ONLY = (Option(4, "only", LABEL),)
every_protocol = pytest.mark.parametrize(
    "protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name
)


@every_protocol
def test_every_column_is_described_in_both_languages(protocol: Protocol) -> None:
    exported = [field.export() for field in protocol.fields]
    columns = [column for group in exported if group for column in group.columns]
    assert len(columns) >= len(protocol.dimensions)
    for column in columns:
        assert column.description.fr
        assert column.description.en
        assert column.kind in ("text", "integer", "boolean", "category", "json")
    for group, field in zip(exported, protocol.fields, strict=True):
        assert (group is None) == bool(field.stored_with)
        compared = {comparison.column.name for comparison in field.compared()}
        assert {dimension.name for dimension in field.dimensions} <= compared


@every_protocol
def test_datasheets_are_told_how_each_dimension_is_asked_for(protocol: Protocol) -> None:
    for field in protocol.fields:
        assert bool(field.presented) == bool(field.dimensions), field.name


def test_a_list_of_one_option():
    exported = Choices("parts", label=LABEL, options=ONLY).export()
    assert exported.reads == ("parts_only.value",)
    assert [exported.cells(read) for read in (None, 0, 1)] == [
        [None, None],
        [0, "[]"],
        [1, '["only"]'],
    ]


def test_a_bracketed_scale_that_no_crossing_answers():
    scale = BracketedScale(
        "tier",
        label=LABEL,
        brackets=(Bracket(1, "low", 1, 3, LABEL, LABEL),),
        dimension_name="worth",
        deductions_name="tier_flaws",
    )
    exported = scale.export()
    names = [column.name for column in exported.columns]
    assert names[4:] == ["tier_flaws", "worth", "worth_derivation", "worth_policy"]
    cells = exported.cells((2, "derived", 1, 1, "fall_through", "", None))
    assert cells == [1, "low", "Étiquette", "Label", 1, 2, "derived", "fall_through"]


def test_a_slider_says_its_ends_and_its_steps():
    ends = {"low": Wording("froid", "cold"), "high": Wording("chaud", "hot")}
    slider = Slider("warmth", label=LABEL, lowest=-5, highest=5, step=5, **ends)
    (column,) = slider.export().columns
    assert column.description.fr == "Étiquette : nombre entier, -5–5; -5 : froid; 5 : chaud."
    assert slider.presented == (
        "A line from -5 to 5 (-5: cold, 5: hot) without a starting position, on which a whole "
        "number in steps of 5 is set or typed."
    )


def test_marks_that_are_not_known_are_no_empty_list():
    exported = Marks("flaws", label=LABEL, types=ONLY).export()
    assert exported.cells(None) == [None, None]
    count, text = exported.cells([(7, "flaws", 1, "only", 'a "b"', None, None, 0, 2)])
    assert (count, json.loads(text)) == (
        1,
        [
            {
                "ordinal": 1,
                "type": "only",
                "note": 'a "b"',
                "original_start": None,
                "original_end": None,
                "simplification_start": 0,
                "simplification_end": 2,
            }
        ],
    )


def test_what_is_stored_with_another_field_has_no_columns_of_its_own():
    assert Keyword("kept", allowed=("kept",), stored_with="tier").export() is None


@every_protocol
def test_start_knows_the_columns_of_the_released_tables(protocol: Protocol) -> None:
    """What ``validity`` looks for collisions among is what the tables have."""
    for dimension in protocol.scales:
        options = [{"value": o.value, "key": o.key} for o in dimension.options]
        described = {"name": dimension.name, "level": dimension.level, "options": options}
        columns = [field.name for field in _of_dimension(described)]
        assert sorted(columns) == sorted(aggregated_names(dimension))


def test_start_knows_the_layouts_and_what_exports_read_of_a_judgment() -> None:
    assert set(OWN_LAYOUTS) == {key for key, layout in LAYOUTS.items() if layout.is_own}
    assert {_plain(name) for name in _OWN} == READ_BY_EXPORTS
    source = SimpleNamespace(
        protocol=SimpleNamespace(mark_types=(), marked=(), marks_are_errors=True)
    )
    assert [column.name for column in _error_columns(source)] == [*OF_MARKS]


def test_a_question_is_a_sentence_as_it_stands() -> None:
    assert said(Wording("Pourquoi\u00a0?", "Why?")) == Wording("Pourquoi\u00a0?", "Why?")
    assert said(Wording("Remarque\u00a0:", "Remark:")) == Wording("Remarque.", "Remark.")
