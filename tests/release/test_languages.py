"""In which languages a release says that its texts are."""

from __future__ import annotations

import pytest

from annotation.release.languages import languages_of, main_language, named


@pytest.mark.parametrize(
    ("stored", "languages"),
    [
        ([], ()),
        (["", ""], ()),
        (["fr", "fr", ""], ("fr",)),
        (["fr", "", ""], ()),
        (["en"] + ["fr"] * 9, ("fr", "en")),
        (["en"] + ["fr"] * 10, ("fr",)),
        (["it", "en"], ("en", "it")),
    ],
)
def test_the_languages_of_most(stored, languages):
    assert languages_of(stored) == languages
    assert main_language(stored) == (languages or ("fr",))[0]


def test_they_are_named_in_both_languages():
    assert named(("fr", "en", "it")) == "French, English and Italian"
    assert named(("fr", "en", "it"), "fr") == "français, anglais et italiens"
    assert named(("ja",)) == "Japanese"
    assert named(("eu",)) == "eu"
    assert named(()) == ""
