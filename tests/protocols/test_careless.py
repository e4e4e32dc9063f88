"""What nobody should publish, though people could judge by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotation.protocols.base import NO_WORDING, Ruling, Wording
from annotation.protocols.kinds import Bracket, BracketedScale, Keyword, Marks, Scale, Text, Whole
from annotation.protocols.kinds.bracketed import CROSSING_WORDS
from annotation.protocols.kinds.field import When
from annotation.protocols.protocol import ORIGINAL, About, Expectation, Panel, Protocol, Step
from annotation.protocols.registry import PROTOCOLS, PUBLISHED
from annotation.protocols.validity import faults
from annotation.protocols.validity.careless import OF_SETTINGS, careless_faults
from annotation.services.studies.studies import SETTINGS
from tests.protocols.said import english
from tests.protocols.samples.plain import PROTOCOL as PLAIN
from tests.protocols.samples.plain import levels

LABEL, BLANK = Wording("x", "y"), Wording(" ", " ")
SCALE = Scale("ease", label=LABEL, options=levels(3), required=True)
ERRORS = Marks("errors", label=LABEL, types=levels(1))
TWO = (Bracket(1, "low", 1, 5, LABEL, LABEL), Bracket(2, "high", 6, 10, LABEL, LABEL))
SCORE = BracketedScale("bracket", label=LABEL, required=True, brackets=TWO, dimension_name="score")


def asking(*fields: Any, **parts: Any) -> Protocol:
    """A protocol of these questions that people could judge by."""
    protocol = replace(PLAIN, steps=(Step("one", LABEL, fields or (SCALE,)),), **parts)
    protocol = replace(protocol, about=parts.get("about", About()))
    assert faults(protocol) == []
    return protocol


def careless(*fields: Any, **parts: Any) -> list[str]:
    return english(careless_faults(asking(*fields, **parts)))


def test_our_own_are_not() -> None:
    own = [each for each in PROTOCOLS.values() if each.key in {m.split(".")[2] for m in PUBLISHED}]
    assert len(own) >= 6
    assert {each.name: careless_faults(each) for each in own if careless_faults(each)} == {}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"rulings": (Ruling("passage", BLANK),)},
            "its ruling 'passage' says nothing under label: give the words",
        ),
        (
            {"panels": (Panel(ORIGINAL, NO_WORDING), PLAIN.panels[1])},
            "its panel 'original' says nothing under heading: give the words",
        ),
        ({"title": BLANK}, "it says nothing under title: give the words"),
        (
            {"title": Wording("Un\ndeux", "One")},
            "it says title in several lines: write it in one",
        ),
        (
            {"about": About(domain=Wording("du\ndroit", "legal"))},
            "it says domain in several lines: write it in one",
        ),
    ],
)
def test_words_that_are_lacking(changed: dict[str, Any], said: str) -> None:
    assert careless(**changed) == [said]


def test_a_bracket_without_words() -> None:
    for name in ("label", "short"):
        first = replace(TWO[0], **{name: NO_WORDING})
        scale = replace(SCORE, brackets=(first, TWO[1]))
        (said,) = careless(ERRORS, scale)
        assert f"bracket 'low' says nothing under {name}: give the words" in said


def ruled(*words: str, name: str = "policy", default: str = "", label: Wording = LABEL) -> Ruling:
    return Ruling(name, LABEL, tuple((word, label) for word in words), default or words[0])


@pytest.mark.parametrize(
    ("ruling", "said"),
    [
        (ruled("one"), ["its ruling 'policy' has one word"]),
        (ruled("one", "one"), ["its ruling 'policy' has the word 'one' 2 times"]),
        (ruled("true", "one"), ["has the word 'true', which is none"]),
        (ruled("one", "é"), ["has the word 'é', which is none"]),
        (ruled("one", "a b"), ["has the word 'a b', which is none"]),
        (
            ruled("one", "two", label=NO_WORDING),
            ["does not say what 'one' means", "does not say what 'two' means"],
        ),
        (ruled("one", "two", name="contact"), ["is called as a setting of every study"]),
        (ruled("one", "two", name="action"), ["is called as a setting of every study"]),
    ],
    ids=str,
)
def test_rulings(ruling: Ruling, said: list[str]) -> None:
    found = careless(rulings=(ruling,))
    assert len(found) == len(said)
    assert all(part in fault for part, fault in zip(said, found, strict=True))


def test_no_setting_of_a_study_may_be_called_so() -> None:
    assert {*SETTINGS} - {"title", "licence", "guidance_seconds", "hours_budget"} - {
        *("is_blind", "context_arm", "aid_renderings", "aid_glossary")
    } <= OF_SETTINGS


class TestControls:
    def test_of_what_is_not_always_asked(self) -> None:
        why = Scale(
            "why",
            label=LABEL,
            options=levels(2),
            required=True,
            shown_when=When("ease", (1,)),
        )
        voluntary = replace(SCALE, name="grace", required=False)
        for field in (why, voluntary):
            expected = {"identical": (Expectation(field.name, 1, 1),)}
            (said,) = careless(SCALE, field, controls=expected)
            assert f"a {field.name!r} that is not always asked" in said

    def test_said_twice(self) -> None:
        twice = (Expectation("ease", 1, 1), Expectation("ease", 3, 3))
        (said,) = careless(controls={"identical": twice})
        assert said == "it expects of identical pairs a 'ease' twice: say it once"
        assert careless(controls={"identical": twice[:1], "unrelated": twice[1:]}) == []


def test_who_crosses_nothing_could_not_submit() -> None:
    """What is asked about a crossing alone may be required of nobody."""
    answer = Keyword("what", label=LABEL, allowed=CROSSING_WORDS, stored_with="bracket")
    moved = Whole("from", label=LABEL, lowest=1, highest=2, stored_with="bracket")
    scale = replace(SCORE, crossing="what", moved_from="from")
    assert careless(ERRORS, scale, answer, moved) == []
    for bent in (
        (replace(answer, required=True), moved),
        (answer, replace(moved, required=True)),
        (answer, replace(moved, required_when=When("note"))),
    ):
        note = Text("note", label=LABEL)
        protocol = replace(asking(), steps=(Step("one", LABEL, (ERRORS, scale, *bent, note)),))
        (said,) = english(faults(protocol))
        assert "nobody could submit: require none" in said
