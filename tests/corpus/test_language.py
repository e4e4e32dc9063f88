"""What a machine sees of a simplification. French is what most are, so it must not be doubted."""

from __future__ import annotations

import pytest

from annotation.corpus.language import detect_language, is_identical


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Si votre voiture est volée, vous devez aviser l'assureur sans délai.", "fr"),
        (
            (
                "La couverture du F.P.Q. No 5 complète votre assurance. Elle ne s'applique pas "
                "sans prime."
            ),
            "fr",
        ),
        ("VOUS DEVEZ PAYER LA PRIME AVANT LA DATE INDIQUÉE DANS LE CONTRAT.", "fr"),
        ("If your car is stolen, you must tell the insurer without delay.", "en"),
        ("You receive a monthly benefit equal to seventy percent of your income.", "en"),
        ("El asegurador paga los gastos de reparación del vehículo.", "es"),
        ("Der Versicherer zahlt die Kosten der Reparatur des Fahrzeugs.", "de"),
        ("保険者は支払う。", "ja"),
        ("契約書", "zh"),
        ("ผู้รับประกันภัยต้องจ่าย", "th"),
        ("Le mot 保険 veut dire assurance, dit le contrat de l'assureur.", "fr"),
        ("", ""),
        ("500 $", ""),
        ("Oui.", ""),
        ("F.A.Q. 20a, F.A.Q. 20b", ""),
    ],
)
def test_languages(text, language):
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("L'assureur paie.", "L'assureur paie."),
        ("L'assureur paie.", "L’assureur paie."),
        ("L'assureur paie.", "  l'ASSUREUR\n\npaie. "),
        ("Le terme « valeur » : le prix", 'Le terme "valeur": le prix'),
        ("Le terme «valeur»", "Le terme “ valeur ”"),
        ("non-respect – article 5", "non‑respect - article 5"),
        ("ﬁn d’année…", "fin d'année..."),
        ("é", "e\u0301"),
        ("as\u00adsureur", "assureur"),
    ],
)
def test_texts_that_are_the_same_to_a_reader(text, other):
    assert is_identical(text, other)
    assert is_identical(other, text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("L'assureur paie.", "L'assureur ne paie pas."),
        ("Le délai est de 10 jours.", "Le délai est de 15 jours."),
        ("Il paie", "Il paye"),
        ("a" * 100, "b"),
    ],
)
def test_a_single_word_makes_another_text(text, other):
    assert not is_identical(text, other)
