"""What is wrong with a protocol, as whoever reads French is told it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from annotation.protocols.base import Option, Ruling, Wording
from annotation.protocols.fault_words import error_words, quoted
from annotation.protocols.files import ProtocolUnreadable, file_text, protocol_read
from annotation.protocols.kinds import Scale, Text, When, shape_error
from annotation.protocols.protocol import Protocol, Step
from annotation.protocols.validity import faults
from tests.protocols.said import english
from tests.protocols.samples.plain import PROTOCOL as PLAIN
from tests.protocols.samples.plain import levels

LABEL = Wording("x", "x")
SOUND = Scale("clarity", label=LABEL, options=levels(3), required=True)


def holding(*fields: Any, **changed: Any) -> Protocol:
    return replace(PLAIN, steps=(Step("only", LABEL, fields),), **changed)


def gone(answers: Any, *_: Any) -> Any:
    return answers["ghost"]


@pytest.mark.parametrize(
    ("protocol", "french"),
    [
        (holding(SOUND, Scale("style")), "son champ «\u00a0style\u00a0» n'a rien à choisir"),
        (
            replace(PLAIN, key="Très bien"),
            "sa clé «\u00a0Très bien\u00a0» n'est pas un nom\u00a0: minuscules sans accent, "
            "chiffres et «\u00a0_\u00a0»",
        ),
        (
            replace(PLAIN, steps=(replace(PLAIN.steps[0], sides=("original", "original")),)),
            "il nomme 2 fois le texte à côté de son étape «\u00a0clarity\u00a0», "
            "«\u00a0original\u00a0»",
        ),
        (
            holding(SOUND, Text("why", label=LABEL, shown_when=When("why"))),
            "son champ «\u00a0why\u00a0» dépend de «\u00a0why\u00a0», qui n'est pas un autre champ",
        ),
        (
            holding(replace(SOUND, options=(Option(1, "a", "A"), Option(2, "b", LABEL)))),
            "son champ «\u00a0clarity\u00a0», option «\u00a0a\u00a0» a label='A'\u00a0: écrivez "
            "Wording(fr, en)",
        ),
        (
            holding(SOUND, Text("why", label=Wording("Pourquoi\u00a0: dire", " "))),
            "son champ «\u00a0why\u00a0» dit «\u00a0Pourquoi\u00a0: dire\u00a0» sans "
            "anglais\u00a0: donnez les deux",
        ),
        (
            holding(SOUND, rulings=(Ruling("strict", LABEL, (("yes", LABEL),), default="no"),)),
            "une valeur par défaut de ses décisions n'en est pas une\u00a0: « strict » est l'une "
            "de ces valeurs : yes",
        ),
        (
            replace(PLAIN, finding=gone),
            "son finding échoue sans aucune réponse\u00a0: KeyError\u00a0: 'ghost'",
        ),
    ],
)
def test_a_protocol_that_is_none_is_told_in_french(protocol: Protocol, french: str) -> None:
    found = faults(protocol)
    assert french in [fault.fr for fault in found]
    english(found)


@pytest.mark.parametrize(
    ("given", "french"),
    [
        (" ", "il est vide"),
        ("[]", "le fichier est []\u00a0: il faut un objet {…}"),
        (
            '{"key": "a", "key": "b"}',
            "a dit «\u00a0key\u00a0» deux fois\u00a0: n'en laissez qu'un",
        ),
        (json.dumps({"key": 1}), "key est 1\u00a0: il faut un texte"),
        (json.dumps({"key": "a"}), "version manque"),
        (
            json.dumps({"predicts": ""}),
            "le fichier\u00a0: «\u00a0predicts\u00a0» n'est pas connu. Vouliez-vous dire "
            "«\u00a0predicted\u00a0»?",
        ),
        (
            " " * 1_000_001,
            "il a 1\u00a0000\u00a0001 caractères\u00a0: 1\u00a0000\u00a0000 au plus sont lus",
        ),
    ],
)
def test_a_file_that_is_none_is_told_in_french(given: str, french: str) -> None:
    with pytest.raises(ProtocolUnreadable) as refused:
        protocol_read(file_text(given.encode()))
    said = [fault.fr for fault in refused.value.faults]
    assert any(fault.startswith(french) for fault in said), said
    assert str(refused.value) == "; ".join(english(refused.value.faults))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", '""'),
        ("Pourquoi\u00a0?\n", "«\u00a0Pourquoi\u00a0? \u00a0»"),
        ("\x1b[31m\u202e", "«\u00a0\ufffd[31m\ufffd\u00a0»"),
        ("é" * 61, f"«\u00a0{'é' * 60}…\u00a0»"),
        (None, "None"),
        ({"note": ""}, "{'note': ''}"),
    ],
)
def test_what_is_quoted_is_short_and_can_be_shown(value: object, shown: str) -> None:
    assert quoted(value) == shown


def test_an_error_of_ours_says_it_in_both_languages() -> None:
    assert error_words(shape_error("x", 1, "une date", "a date")) == Wording(
        "Réponse illisible : 1. Attendu : une date", "Unreadable answer: 1. Expected: a date."
    )
    assert error_words(KeyError("ghost")) == Wording("'ghost'", "'ghost'")
