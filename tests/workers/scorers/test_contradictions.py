"""Changes of law in unchanged text are found; rewordings that keep the law are left alone."""

from __future__ import annotations

import pytest

from workers.scorers.contradictions import Kind, contradictions
from workers.scorers.text import Text


def kinds(original, simplification, language="fr"):
    return {
        one.kind for one in contradictions(Text(original, language), Text(simplification, language))
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
