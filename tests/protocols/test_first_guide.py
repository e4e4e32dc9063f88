"""A first guide for every protocol: all that it asks, in both languages, and none of its code."""

from __future__ import annotations

import pytest

from annotation.protocols.first_guide import first_guide
from annotation.protocols.registry import PROTOCOLS
from annotation.web.platform.markdown import render_guide

EVERY = [pytest.param(one, id=one.name) for one in PROTOCOLS.values()]


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("protocol", EVERY)
def test_it_asks_what_the_protocol_asks(protocol, language):
    guide = first_guide(protocol, {}, language)
    for step in protocol.steps:
        assert step.question.get(language) in guide
        for field in step.fields:
            if not field.stored_with:
                assert field.label.get(language) in guide
            for option in getattr(field, "options", ()):
                assert option.label.get(language) in guide
    for ruling in protocol.rulings:
        assert ruling.label.get(language) in guide
    assert "{" not in guide


@pytest.mark.parametrize("protocol", EVERY)
def test_each_step_is_found_from_the_judging_page(protocol):
    shown = render_guide(first_guide(protocol, {}, "fr"))
    for number in range(1, len(protocol.steps) + 1):
        assert f'data-guide-step="{number}"' in shown


def test_it_says_what_the_study_decided():
    protocol = next(one for one in PROTOCOLS.values() if any(r.options for r in one.rulings))
    ruling = next(one for one in protocol.rulings if one.options)
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
    assert {any(len(step.sides) == 1 for step in one.steps) for one in PROTOCOLS.values()} == {
        True,
        False,
    }
