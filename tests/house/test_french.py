"""French as a lawyer writes it: one word for one thing, and nothing that begins a line with its
punctuation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.conf import settings

from annotation.management.messages import french_spaces, po_path
from annotation.protocols.legal_meaning.classes import CLASSES
from annotation.protocols.legal_meaning.definition import BRACKETS
from annotation.protocols.legal_meaning.wording import ERROR_TYPES, SIMPLICITY

# A simplification is nothing else, and 18 qualifications are not classes elsewhere. The protocol's
# questions and the labels of its brackets are fixed, and are not looked at.
BANNED = {
    r"réécri\w+": "simplification",
    r"textes? (générés?|simplifiés?)": "simplification",
    r"\bclasses?\b": "qualification",
    r"\btouches\b": "raccourcis",
    r"#\d": "nº",
    r"\bquelque chose est à corriger\b": "à corriger",
    r"\bavec une réponse\b": "réponse reçue",
    r"\bouvrir comme page\b": "ouvrir dans une page",
}
PAGES = ("annotation/demo/guide_fr.md",)


def catalog() -> Iterator[str]:
    with po_path(settings.BASE_DIR, "fr").open("rb") as file:
        for message in read_po(file, locale="fr"):
            if message.id:
                yield from (
                    message.string if isinstance(message.string, tuple | list) else [message.string]
                )


def protocol_words() -> Iterator[str]:
    for option in (*SIMPLICITY, *ERROR_TYPES, *CLASSES):
        yield option.label.fr
        yield from (words.fr for words in (option.help, option.example) if words)
    yield from (bracket.short.fr for bracket in BRACKETS)


def test_one_word_stands_for_one_thing() -> None:
    texts = [
        *catalog(),
        *protocol_words(),
        *(Path(settings.BASE_DIR, page).read_text("utf-8") for page in PAGES),
    ]
    places = [
        (banned, word, text)
        for text in texts
        for banned, word in BANNED.items()
        if re.search(banned, text, re.IGNORECASE)
    ]
    assert places == [], "say the second word instead"


def test_punctuation_is_spaced_as_in_quebec() -> None:
    """A no-break space before a colon and within guillemets, none before ; ! and ?."""
    odd = re.compile(r"[ \u202f][:»]|«[ \u202f]|[ \u00a0\u202f][;!?]|\w»|«\w|[ \u202f]%%")
    assert [text for text in catalog() if odd.search(text)] == [], "run `manage.py update_messages`"


def refusals() -> Iterator[str]:
    """What stands in the code itself in French, beside its English: the pieces between the
    placeholders of each ``Wording`` and of each refusal of one problem."""
    for path in (
        path
        for room in ("annotation", "api", "workers")
        for path in (settings.BASE_DIR / room).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            place = {"Wording": 0, "single": 2}.get(name)
            if place is None or len(node.args) <= place:
                continue
            for part in ast.walk(node.args[place]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def test_refusals_have_no_space_before_a_semicolon_or_a_question_mark() -> None:
    texts = list(refusals())
    assert len(texts) > 300
    odd = re.compile(r"\w»?[ \u00a0\u202f][;!?](?:\s|$)")
    assert [text for text in texts if odd.search(text)] == []


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Vide : aucune", "Vide\u00a0: aucune"),
        ("Vide\u202f: aucune", "Vide\u00a0: aucune"),
        ("« a »\u202f;", "«\u00a0a\u00a0»;"),
        ("Partir ? Oui\u00a0; ou non !", "Partir? Oui; ou non!"),
        ("à 95 %% de %(n)s", "à 95\u00a0%% de %(n)s"),
        ("{a} %(b)s", "{a} %(b)s"),
    ],
)
def test_the_catalog_is_spaced_when_it_is_brought_up_to_date(typed: str, kept: str) -> None:
    assert french_spaces(typed) == kept
