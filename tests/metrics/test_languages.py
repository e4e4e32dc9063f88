"""The language of pairs that came without one."""

from __future__ import annotations

from annotation.metrics.languages import with_languages
from annotation.metrics.metric import pair

FRENCH = pair("L'assureur doit payer dans les trente jours.", "Il doit payer.", (), "fr")
ENGLISH = pair("The insurer shall pay within thirty days of the loss.", "The insurer pays soon.")
SHORT = pair("Payer.", "Oui.")


def languages(*pairs):
    return [each.language for each in with_languages(pairs)]


def test_both_texts_together_tell():
    assert languages(ENGLISH) == ["en"]


def test_one_that_is_too_short_is_as_the_others_are():
    assert languages(FRENCH, SHORT) == ["fr", "fr"]


def test_none_is_guessed_where_there_are_several_or_none():
    assert languages(FRENCH, ENGLISH, SHORT) == ["fr", "en", ""]
    assert languages(SHORT) == [""]
    assert languages() == []
