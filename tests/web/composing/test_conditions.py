"""Conditions on numbers: a line from 0 to 100 has more values than anybody types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils.translation import override

from annotation.protocols.files import protocol_read
from annotation.protocols.validity import composed_faults
from annotation.web.composing.presenters import outline
from annotation.web.composing.structure import structure
from annotation.web.composing.taking import restructured
from tests import composing
from tests.composing import leaves, sent

WORDS = {"fr": "Mot", "en": "Word"}
WHY = "steps.0.fields.2.shown_when"


def given(**line: Any) -> dict[str, Any]:
    slider = {"kind": "slider", "name": "ease", "label": WORDS, "required": True, **line}
    why = {"kind": "text", "name": "why", "label": WORDS, "required": True}
    whole: dict[str, Any] = json.loads(composing.composed(fields=[slider, why]))
    return whole


def saved(whole: dict[str, Any], **said: str) -> Any:
    text = json.dumps(whole)
    return json.loads(restructured(text, sent(structure(text), **said)).text)


@pytest.mark.parametrize(
    ("line", "typed", "meant", "shown"),
    [
        ({}, "0-50", [*range(51)], "0-50"),
        ({}, "0 – 3, 100", [0, 1, 2, 3, 100], "0-3, 100"),
        ({}, "1, 2, 5", [1, 2, 5], "1, 2, 5"),
        ({"step": 5}, "0…20", [0, 5, 10, 15, 20], "0-20"),
        ({"lowest": -4, "highest": 4}, "-4--2", [-4, -3, -2], "-4--2"),
        ({}, "50-0", ["50-0"], '"50-0"'),
        ({"step": 5}, "1-12", [5, 10], "5, 10"),
        ({"step": 5, "lowest": 2, "highest": 22}, "3-99", [7, 12, 17, 22], "7-22"),
        ({"step": 0}, "0-50", ["0-50"], "0-50"),
        ({"highest": 10**30}, "0-3", ["0-3"], "0-3"),
        ({"highest": 1_000_000}, "0-600", ["0-600"], '"0-600"'),
        ({"highest": "x"}, "0-50", ["0-50"], "0-50"),
    ],
)
def test_numbers_that_follow_one_another_are_typed_and_shown_as_a_range(
    line: dict[str, Any], typed: str, meant: list[Any], shown: str
) -> None:
    whole = saved(given(**line), **{f"{WHY}.field": "ease", f"{WHY}.values": typed})
    assert whole["steps"][0]["fields"][2]["shown_when"] == {"field": "ease", "values": meant}
    part = next(part for part in leaves(structure(json.dumps(whole))) if part.way == WHY)
    assert part.value == {"field": "ease", "values": shown}
    assert saved(whole) == whole


def test_a_range_that_was_typed_before_there_was_a_line_is_one_once_typed_again() -> None:
    whole = given()
    whole["steps"][0]["fields"][2]["shown_when"] = {"field": "ease", "values": ["0-3", 9]}
    assert saved(whole) == whole
    meant = saved(whole, **{f"{WHY}.values": "0-3, 9"})
    assert meant["steps"][0]["fields"][2]["shown_when"]["values"] == [0, 1, 2, 3, 9]


def test_in_words_they_are_a_range_too() -> None:
    whole = saved(given(), **{f"{WHY}.field": "ease", f"{WHY}.values": "0-50, 100"})
    protocol = protocol_read(json.dumps(whole))
    assert composed_faults(protocol) == []
    with override("en"):
        said = outline(protocol)["steps"][0]["fields"][2]["said"]
    assert "asked where “Word” is: 0 to 50 or 100" in said


def test_of_a_word_it_is_a_word() -> None:
    whole = given()
    keyword = {"kind": "keyword", "name": "age", "label": WORDS, "allowed": ["0-3", "4-9"]}
    whole["steps"][0]["fields"][1] = keyword
    whole = saved(whole, **{f"{WHY}.field": "age", f"{WHY}.values": "0-3"})
    assert whole["steps"][0]["fields"][2]["shown_when"]["values"] == ["0-3"]
