"""Who is named in a line that says whom to ask."""

from __future__ import annotations

import pytest

from annotation.privacy.named import people_named


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Prof. Roy, roy@uni.example", [("Roy", "roy@uni.example")]),
        ("Anne", [("Anne", "")]),
        ("Agnès Le Bec <lebec@uni.example>", [("Agnès Le Bec", "lebec@uni.example")]),
        (
            "Odile Persillier, 514 555-0134, odile@uni.example",
            [("Odile Persillier", "odile@uni.example")],
        ),
        (
            "Odile Persillier et Jean de la Tour",
            [("Odile Persillier", ""), ("Jean de la Tour", "")],
        ),
        (
            "Écrivez à Odile Persillier (odile@uni.example)",
            [("Odile Persillier", "odile@uni.example")],
        ),
        ("Questions : Mme Lavoie, poste 4512", [("Lavoie", "")]),
        ("Jean ROY - labo@uni.example", [("Jean ROY", "")]),
        ("Luc Roy du Laboratoire", []),
        ("", []),
        ("Laboratoire de cyberjustice, labo@uni.example", []),
        ("Université de Montréal", []),
        ("Écrivez à l'équipe", []),
        ("LexUM, UQAM, 3101 chemin de la Tour", [("LexUM", "")]),
        ("l'équipe du projet", []),
    ],
)
def test_who(line, names):
    assert [(person.name, person.email) for person in people_named(line)] == names
