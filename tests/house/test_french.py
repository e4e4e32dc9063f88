"""French as a lawyer writes it: one word for one thing, and nothing that begins a line with its
punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po
from django.conf import settings

from annotation.management.messages import po_path
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
    found = [
        (banned, word, text)
        for text in texts
        for banned, word in BANNED.items()
        if re.search(banned, text, re.IGNORECASE)
    ]
    assert found == [], "say the second word instead"


def test_punctuation_stays_with_its_word() -> None:
    breaking = re.compile(r" [:;!?»]|« ")
    assert [text for text in catalog() if breaking.search(text)] == [], (
        "run `manage.py update_messages`"
    )
