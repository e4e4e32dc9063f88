"""The form of a protocol's file where it says something of what is rated beside its questions, and
that nothing of a file is without a form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils.translation import override

from annotation.protocols.files import protocol_read, protocol_text, without_code
from annotation.protocols.kinds.edit_rules import SIDES_OF_OPERATIONS
from annotation.protocols.registry import PROTOCOLS
from annotation.protocols.validity import composed_faults
from annotation.web.composing.parts import Part
from annotation.web.composing.structure import structure, structured
from annotation.web.composing.taking import restructured
from tests import composing
from tests.composing import leaves, sent
from tests.protocols.samples.everything import PROTOCOL as EVERYTHING

WORDS = {"fr": "Mot", "en": "Word"}
CONTROLS = {"identical": [{"dimension": "clarity", "lowest": 2, "highest": 3}]}
READER = {
    "kind": "choice",
    "name": "reader",
    "label": WORDS,
    "options": [
        {"value": 1, "key": "anybody", "label": WORDS},
        {"value": 2, "key": "jurist", "label": WORDS},
    ],
}


def given(**parts: Any) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(
        composing.composed(fields=[READER, READER | {"name": "use"}], **parts)
    )
    return whole


def saved(whole: dict[str, Any], **said: Any) -> Any:
    """The file after its form, with these fields changed; a list is what is ticked."""
    text = json.dumps(whole)
    posted = sent(structure(text), **{w: v for w, v in said.items() if isinstance(v, str)})
    for way, ticked in said.items():
        if isinstance(ticked, list):
            posted.setlist(way, ticked)
    return json.loads(restructured(text, posted).text)


def part_at(whole: dict[str, Any], way: str) -> Part:
    return next(part for part in leaves(structure(json.dumps(whole))) if part.way == way)


class TestWholeForm:
    """A lead composes by the form whatever a file can say."""

    def ways(self, value: Any, way: str = "") -> Iterator[str]:
        if not isinstance(value, dict | list) or not value:
            yield way
        for name, inner in (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, list)
            else ()
        ):
            yield from self.ways(inner, f"{way}.{name}" if way else str(name))

    @pytest.mark.parametrize("protocol", [*PROTOCOLS.values(), EVERYTHING], ids=lambda p: p.name)
    def test_every_word_of_a_file_stands_in_it(self, protocol: Any) -> None:
        text = protocol_text(without_code(protocol))
        assert restructured(text, sent(structure(text))).text == text
        controls = {
            part.way
            for part in leaves(structure(text))
            if part.control not in ("odd", "group", "rows", "row", "step", "question")
        }
        # A sentence has the way of its row.
        controls |= {
            inner.way
            for part in leaves(structure(text))
            for inner in part.parts
            if inner.control == "words"
        }
        lacking = {
            way
            for way in self.ways(json.loads(text))
            # Of operations it is drawn nowhere.
            if not {"kind", "helps"} & {*way.split(".")[-2:]}
            and not any(way == known or way.startswith(f"{known}.") for known in controls)
        }
        assert lacking == set()


class TestStrictly:
    def test_a_narrower_range_is_given_and_taken_back(self) -> None:
        at = "controls.identical.0.strictly"
        said = {f"{at}.lowest": "3", f"{at}.highest": "3"}
        whole = saved(given(controls=CONTROLS), **said)
        assert whole["controls"]["identical"][0]["strictly"] == [3, 3]
        assert composed_faults(protocol_read(json.dumps(whole))) == []
        assert saved(whole, **dict.fromkeys(said, "")) == given(controls=CONTROLS)

    def test_one_end_alone_is_kept_and_said_to_be_half(self) -> None:
        at = "controls.identical.0.strictly"
        whole = saved(given(controls=CONTROLS), **{f"{at}.lowest": "3"})
        assert whole["controls"]["identical"][0]["strictly"] == [3, ""]
        assert part_at(whole, at).value == {"lowest": "3", "highest": ""}


class TestNotesAndQuality:
    def test_they_are_said_of_whatever_is_rated(self) -> None:
        whole = saved(
            given(),
            **{
                "about.notes.clarity.fr": "Peu d'accord.",
                "about.notes.clarity.en": "Little agreement.",
                "about.quality.clarity": "goodness form",
            },
        )
        assert whole["about"] == {
            "notes": {"clarity": {"fr": "Peu d'accord.", "en": "Little agreement."}},
            "quality": {"clarity": ["goodness", "form"]},
        }
        assert composed_faults(protocol_read(json.dumps(whole))) == []
        said = dict.fromkeys(("about.notes.clarity.fr", "about.notes.clarity.en"), "")
        assert saved(whole, **said, **{"about.quality.clarity": ""}) == given()

    def test_of_what_is_rated_no_more_it_is_shown_and_can_be_taken_out(self) -> None:
        whole = given(about={"notes": {"gone": WORDS}, "quality": {"gone": ["goodness", "great"]}})
        assert saved(whole) == whole
        with override("en"):
            assert part_at(whole, "about.notes.gone").label == "gone (unknown)"
            wrong = composed_faults(protocol_read(json.dumps(whole)))
            form = structured(json.dumps(whole), wrong)
        placed = {part.way: len(part.faults) for part in leaves(form.parts) if part.faults}
        assert placed == {"about.notes.gone": 1, "about.quality.gone": 2}
        said = dict.fromkeys(("about.notes.gone.fr", "about.notes.gone.en"), "")
        assert saved(whole, **said, **{"about.quality.gone": ""}) == given()

    def test_they_follow_what_is_renamed_in_the_same_go(self) -> None:
        whole = saved(
            given(about={"notes": {"clarity": WORDS}}, classified=["reader"]),
            **{
                "steps.0.fields.0.name": "ease",
                "steps.0.fields.1.name": "public",
                "about.notes.clarity.en": "Other",
                "classified": ["reader", "use"],
            },
        )
        assert whole["about"]["notes"] == {"ease": {"fr": "Mot", "en": "Other"}}
        assert "classified" not in whole


class TestClassified:
    def test_all_is_what_a_file_need_not_say(self) -> None:
        assert part_at(given(), "classified").value == ["reader", "use"]
        some = saved(given(), classified=["use"])
        assert some["classified"] == ["use"]
        assert saved(given(), classified=[])["classified"] == []
        assert saved(some, classified=["reader", "use"]) == given()

    def test_without_classes_nothing_is_asked(self) -> None:
        whole = json.loads(composing.composed())
        assert not any(p.way == "classified" for p in leaves(structure(json.dumps(whole))))


class TestImported:
    def test_a_line_for_each_and_one_of_several(self) -> None:
        whole = saved(given(), imported="clarity\r\nreader, use\r\n\r\n")
        assert whole["imported"] == ["clarity", ["reader", "use"]]
        assert part_at(whole, "imported").value == "clarity\nreader, use"
        assert composed_faults(protocol_read(json.dumps(whole))) == []
        assert saved(whole, imported="") == given()


class TestLayouts:
    def test_those_that_are_made_of_what_is_asked_are_offered(self) -> None:
        assert not any(p.way == "layouts" for p in leaves(structure(json.dumps(given()))))
        text = protocol_text(PROTOCOLS["jades", "1"])
        whole = json.loads(text)
        assert part_at(whole, "layouts").choices == (
            ("jades", "JADES"),
            ("csmd", "CSMD"),
        )
        without = saved(whole, layouts=[])
        assert "layouts" not in without
        assert saved(without, layouts=["jades"]) == whole


def test_what_an_operation_is_marked_on_is_chosen() -> None:
    edits = json.loads(protocol_text(PROTOCOLS["assetann", "1"]))
    way = "steps.0.fields.0.operations.0.operations.0.side"
    assert [side for side, _ in part_at(edits, way).choices] == [*SIDES_OF_OPERATIONS]
    assert [side for side, _ in part_at(given(), "panels.0.side").choices] == [
        *("original", "simplification")
    ]
