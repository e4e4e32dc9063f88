"""A first guide for every protocol: all that it asks, in both languages, and none of its code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.protocols.base import Wording
from annotation.protocols.first_guide import first_guide
from annotation.protocols.kinds import Bracket, BracketedScale, Edits, Slider
from annotation.protocols.registry import PROTOCOLS
from annotation.web.platform.markdown import render_guide
from tests.protocols.samples.everything import PROTOCOL as EVERYTHING

EVERY = [pytest.param(protocol, id=protocol.name) for protocol in PROTOCOLS.values()]


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("protocol", EVERY)
def test_it_asks_what_the_protocol_asks(protocol, language):
    guide = first_guide(protocol, {}, language)
    for step in protocol.steps:
        assert step.question.get(language) in guide
        for field in step.fields:
            if not field.stored_with and not field.is_of_page:
                assert field.label.get(language).rstrip(" :") in guide
            for option in getattr(field, "options", ()):
                assert option.label.get(language) in guide
    for ruling in protocol.rulings:
        assert ruling.label.get(language) in guide
    assert "{" not in guide
    assert ": »" not in guide


@pytest.mark.parametrize("protocol", EVERY)
def test_each_step_is_found_from_the_judging_page(protocol):
    shown = render_guide(first_guide(protocol, {}, "fr"))
    for number in range(1, len(protocol.steps) + 1):
        assert f'data-guide-step="{number}"' in shown


def test_it_says_what_the_study_decided():
    protocol = next(
        protocol for protocol in PROTOCOLS.values() if any(r.options for r in protocol.rulings)
    )
    ruling = next(ruling for ruling in protocol.rulings if ruling.options)
    for word, label in ruling.options:
        assert label.fr in first_guide(protocol, {ruling.name: word}, "fr")


def test_the_two_languages_differ():
    for protocol in PROTOCOLS.values():
        assert first_guide(protocol, {}, "fr") != first_guide(protocol, {}, "en")


@pytest.mark.parametrize("protocol", EVERY)
def test_both_texts_are_to_be_read_only_where_each_step_shows_both(protocol):
    one_alone = any(len(step.sides) == 1 for step in protocol.steps)
    for language, both in (("fr", "Lisez les deux textes"), ("en", "Read both texts")):
        assert (both in first_guide(protocol, {}, language)) is not one_alone
    assert ("ce que l'étape montre" in first_guide(protocol, {}, "fr")) is one_alone


def test_some_protocols_show_one_text_alone_and_some_never():
    assert {
        any(len(step.sides) == 1 for step in protocol.steps) for protocol in PROTOCOLS.values()
    } == {
        True,
        False,
    }


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "fr",
            [
                "- **première lecture.**\n- **second_reading.**",
                "- Un nombre entier de 0 à 9.",
                "- Un nombre entier de -20 à 60, par pas de 5.",
                "- **plus doux.**\n- **Aucune.**",
            ],
        ),
        (
            "en",
            [
                "- **first reading.**\n- **second_reading.**",
                "- A whole number from 0 to 9.",
                "- A whole number from -20 to 60, in steps of 5.",
                "- **softer.**\n- **None of these.**",
            ],
        ),
    ],
)
def test_words_bounds_and_what_says_none_of_these_are_told(language, lines):
    guide = first_guide(EVERYTHING, {}, language)
    for line in lines:
        assert f"\n{line}" in guide


@pytest.mark.parametrize("protocol", [*EVERY, pytest.param(EVERYTHING, id="everything")])
def test_nothing_stands_in_it_of_what_the_page_alone_asks(protocol):
    for field in protocol.fields:
        if field.is_of_page:
            assert field.label.fr not in first_guide(protocol, {}, "fr")


def test_how_grave_an_edit_is_stands_below_the_operations_and_is_none_of_them():
    guide = first_guide(EVERYTHING, {}, "fr")
    assert (
        "\n- **gâché.**\n- De chaque opération vous pouvez dire la gravité :\n"
        "  - **léger.**\n  - **lourd.**\n"
    ) in guide
    assert "<li>De chaque opération vous pouvez dire la gravité" in render_guide(guide).replace(
        "<p>", ""
    )
    field = EVERYTHING.field("edits")
    assert isinstance(field, Edits)
    without = replace(field, severities=())
    assert "gravité" not in "".join(without.explained(lambda wording: wording.fr))


def test_a_bracket_says_which_scores_it_holds_unless_its_words_do():
    def told(language, *brackets):
        scale = BracketedScale("b", brackets=brackets)
        return scale.explained(lambda wording: wording.get(language))

    def bracket(value, bottom, top, fr, en):
        return Bracket(value, "k", bottom, top, Wording(fr, en), Wording(fr, en))

    wrong = bracket(1, 1, 1, "Erronée", "Wrong")
    vague = bracket(2, 2, 4, "Vague", "Vague")
    right = bracket(3, 5, 8, "Juste (5-8)", "Right (5-8)")
    assert told("fr", wrong, vague, right) == [
        "**1.** Erronée (score de 1)",
        "**2.** Vague (score de 2 à 4)",
        "**3.** Juste (5-8)",
        "Le score suit de lui-même, vous ne le tapez pas : le haut de la fourchette (1, 4 ou 8), "
        "moins un point par erreur marquée.",
    ]
    assert told("en", vague, replace(right, help=Wording("Dit tout.", "Says all.")))[:2] == [
        "**2.** Vague (score 2 to 4)",
        "**3.** Right (5-8) Says all.",
    ]
    assert "(1 ou 4)" in told("fr", wrong, vague)[-1]
    assert "(4)" in told("fr", vague)[-1]


def test_a_line_whose_ends_have_words_says_its_bounds_with_them():
    low, high = Wording("rien", "nothing"), Wording("tout", "all")

    def told(**given):
        return Slider("s", **given).explained(lambda wording: wording.en)

    assert told(low=low, high=high) == ["**0.** nothing", "**100.** all"]
    assert told(high=high) == ["A whole number from 0 to 100.", "**100.** all"]
    assert told(low=low, high=high, step=10) == [
        "A whole number from 0 to 100, in steps of 10.",
        "**0.** nothing",
        "**100.** all",
    ]
