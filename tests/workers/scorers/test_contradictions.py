"""Changes of law in unchanged text are found; rewordings that keep the law are left alone."""

from __future__ import annotations

import pytest

from workers.scorers.contradictions import Kind, contradictions
from workers.scorers.text import Text


def kinds(original, simplification, language="fr"):
    return {
        contradiction.kind
        for contradiction in contradictions(
            Text(original, language), Text(simplification, language)
        )
    }


@pytest.mark.parametrize(
    ("original", "simplification", "kind"),
    [
        (
            "Il avise l'assureur dans les 30 jours.",
            "Il avise l'assureur dans les 60 jours.",
            Kind.NUMBER,
        ),
        (
            "Il avise l'assureur dans un an au plus.",
            "Il avise l'assureur dans deux ans au plus.",
            Kind.NUMBER,
        ),
        (
            "Il avise l'assureur dans les 30 jours.",
            "Il avise l'assureur dans les 30 mois.",
            Kind.DEADLINE,
        ),
        (
            "L'assureur ne couvre pas les bris de vitre.",
            "L'assureur couvre les bris de vitre.",
            Kind.NEGATION,
        ),
        (
            "L'assureur couvre les bris de vitre.",
            "L'assureur ne couvre pas les bris de vitre.",
            Kind.NEGATION,
        ),
        (
            "Aucune indemnité n'est payable au conjoint.",
            "Une indemnité est payable au conjoint.",
            Kind.NEGATION,
        ),
        (
            "L'assuré doit avertir la police du vol.",
            "L'assuré peut avertir la police du vol.",
            Kind.MODALITY,
        ),
        (
            "La prime payée revient à l'assuré désigné.",
            "La prime payée revient à l'assureur désigné.",
            Kind.PARTY,
        ),
        ("Le vol est couvert, sauf la nuit.", "Le vol est couvert.", Kind.EXCEPTION),
        ("Il paie avant la fin du contrat.", "Il paie après la fin du contrat.", Kind.OPPOSITE),
    ],
)
def test_a_change_of_law_is_found(original, simplification, kind):
    assert kind in kinds(original, simplification)


@pytest.mark.parametrize(
    ("original", "simplification"),
    [
        ("Il doit payer douze mois de prime.", "Il doit payer 12 mois de prime."),
        ("Il ne peut céder ce droit à un tiers.", "Il ne doit céder ce droit à un tiers."),
        (
            "Il est remboursé uniquement pour ce qu'il a payé.",
            "Il n'est remboursé que pour ce qu'il a payé.",
        ),
        ("Il paie 1 000,50 $ par sinistre couvert.", "Il paie 1000,50 $ par sinistre couvert."),
        ("Le vol est couvert, sauf la nuit.", "Le vol est couvert. Exception : la nuit."),
        (
            "Il est couvert mais non sur les rails du port.",
            "Il est couvert mais pas sur les rails du port.",
        ),
        ("", ""),
    ],
)
def test_a_rewording_is_left_alone(original, simplification):
    assert kinds(original, simplification) == set()


def test_english_too():
    assert Kind.NEGATION in kinds(
        "The insurer shall not pay the costs.", "The insurer shall pay the costs.", "en"
    )
    rare = "The mediators think that the agreement helps, yet others doubt it."
    assert (
        kinds(rare, "The mediators think the deal helps, others do not agree with it.", "en")
        == set()
    )


@pytest.mark.parametrize(
    ("original", "simplification", "kind"),
    [
        ("Il doit appeler la police et le courtier.", "Il doit appeler la police ou le courtier.",
         Kind.JOINER),
        ("Il paie les frais de votre maison louée.", "Il paie les frais de notre maison louée.",
         Kind.PARTY),
        ("Il paie seulement les frais de la maison.", "Il paie les frais de la maison.",
         Kind.RESTRICTION),
        ("Il gare le bateau dans la cour arrière.", "Il gare le camion dans la cour arrière.",
         Kind.OBJECT),
        ("Le contrat prend fin après 12 mois.", "Cela se termine 12 jours plus tard.",
         Kind.DEADLINE),
    ],
)  # fmt: skip
def test_a_small_word_or_another_thing(original, simplification, kind):
    assert kind in kinds(original, simplification)


def test_the_same_duration_in_another_unit_and_a_synonym_change_nothing():
    assert kinds("Cela prend fin après un an.", "Le contrat cesse après 12 mois.") == set()
    for before, after in (
        ("12 mois", "un an"),
        ("un an", "12 mois"),
        ("deux ans", "24 mois"),
        ("un an", "un délai de 12 mois"),
        ("deux semaines", "14 jours"),
    ):
        assert kinds(f"Il avise l'assureur dans {before} au plus.",
                     f"Il avise l'assureur dans {after} au plus.") == set()  # fmt: skip
    assert kinds("Un an après le vol, il paie.", "Douze mois après le vol, il paie.") == set()
    same = "Toutefois il paie les frais de la maison.", "Cependant il paie les frais de la maison."
    assert kinds(*same) == set()


@pytest.mark.parametrize(
    ("original", "simplification", "kind"),
    [
        ("Le bail dure un an. Le dépôt de garantie est de 5 dollars au plus.",
         "Le contrat est valable douze mois. Vous payez une garantie de 12 dollars.", Kind.NUMBER),
        ("Le bail dure douze mois. Le dépôt de garantie est de 5 dollars au plus.",
         "Le contrat est valable un an. Vous payez une garantie de 12 dollars.", Kind.NUMBER),
        ("Cette garantie prend fin un an et 5 jours après le vol du bateau.",
         "Cette garantie prend fin 12 mois et 7 jours après le vol du bateau.", Kind.NUMBER),
        ("Après la vente, pendant un an l'assureur paie les frais de la maison.",
         "Après la vente, pendant 12 mois l'assuré paie les frais de la maison.", Kind.PARTY),
    ],
)  # fmt: skip
def test_the_same_duration_hides_no_other_change(original, simplification, kind):
    assert kind in kinds(original, simplification)


def test_a_duration_said_twice_is_no_new_number():
    assert (
        kinds(
            "Le bail dure un an et coûte 900 dollars.",
            "Vous louez pour 12 mois. Après ces 12 mois, vous partez.",
        )
        == set()
    )
