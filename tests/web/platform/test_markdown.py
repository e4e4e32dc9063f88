"""Guides as HTML: which heading explains which step of judging."""

from __future__ import annotations

import re

import pytest

from annotation.web.platform.markdown import render_guide
from annotation.web.platform.typography import hold_signs


def headings(source: str) -> dict[str, str]:
    """Step to the words of its heading."""
    html = render_guide(source)
    return dict(re.findall(r'<h\d data-guide-step="(\d)">(.*?)</h\d>', html))


@pytest.mark.parametrize(
    "heading",
    ["## Étape 2. La qualification", "# étape 2 : la qualification", "### Step 2", "## etape 2"],
)
def test_a_heading_names_its_step_in_words(heading: str) -> None:
    assert list(headings(heading)) == ["2"]


@pytest.mark.parametrize("mark", ["{#step-3}", "{#étape-3}", "{#etape-3}"])
def test_or_by_a_mark_that_nobody_is_shown(mark: str) -> None:
    assert headings(f"## La *précision* légale {mark}") == {"3": "La <em>précision</em> légale"}


def test_french_signs_stay_with_their_words() -> None:
    html = render_guide("Est-ce « Autres » ? Voici : `a : b`; un mot: rien, **« gras », dit-on**")
    held = "Est-ce «~Autres~»~? Voici~: <code>a : b</code>; un mot: rien, <strong>«~gras~», dit-on"
    assert html == f"<p>{held}</strong></p>\n".replace("~", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("typed", "held"),
    [
        ("(pourquoi ?)", "(pourquoi~?)"),
        ("Vraiment ?!", "Vraiment~?!"),
        ("Qui ?»", "Qui~?»"),
        ("Quoi  ?", "Quoi~?"),
        ("à 12 :30", "à 12 :30"),
    ],
)
def test_signs_are_held_whatever_follows_them(typed: str, held: str) -> None:
    assert hold_signs(typed) == held.replace("~", "\N{NO-BREAK SPACE}")


def test_the_mark_outweighs_the_words_and_the_first_heading_counts() -> None:
    source = "## Étape 1. Un rappel {#step-2}\n\ntexte\n\n## Étape 2\n\n## Étape 1"
    assert headings(source) == {"2": "Étape 1. Un rappel", "1": "Étape 1"}


@pytest.mark.parametrize(
    "source",
    ["## Cas particuliers", "Étape 2. Un paragraphe", "## Étape 12", "## Deuxième étape 2"],
)
def test_other_lines_name_none(source: str) -> None:
    assert headings(source) == {}


def test_a_mark_in_the_middle_or_of_another_kind_is_text() -> None:
    assert "{#step-2} suite" in render_guide("## Voir {#step-2} suite")
    assert "{#onclick}" in render_guide("## Voir {#onclick}")
