"""Changes of law in reworded passages. The sentences are invented."""

from __future__ import annotations

import pytest

from workers.scorers.anchored import anchored
from workers.scorers.base import Pair, Scale
from workers.scorers.contradictions import Kind
from workers.scorers.features import read_pair
from workers.scorers.passages import named, negators
from workers.scorers.rules import Rule, ruled_scores
from workers.scorers.text import Text

LOSS = (
    "En cas de perte de son vélo, l'assuré doit transmettre à l'assureur, par écrit et dans les "
    "trente jours qui suivent, une déclaration accompagnée du reçu d'achat ou d'une photographie."
)
CUT = (
    "NOUS NE COUVRONS PAS : Les dommages aux murs de votre chalet, ni ceux qui touchent ses "
    "fenêtres, SAUF EN CAS DE TEMPÊTE."
)
LEASE = (
    "Le locateur peut visiter le logement loué, pourvu qu'il en avise le locataire au moins 24 "
    "heures avant la visite. Seul le locataire a le droit de sous-louer le logement."
)
CASES = [
    (Kind.OBJECT, LOSS, "L'assuré qui perd son {vélo|bijou} déclare la perte par écrit."),
    (Kind.PARTY, LOSS, "Après une perte, {l'assuré|l'assureur} doit transmettre une déclaration."),
    (Kind.PARTY, LOSS, "L'assuré envoie sa déclaration {à l'assureur|au notaire} par écrit."),
    (
        Kind.NEGATION,
        LOSS,
        "L'assuré qui perd son vélo {doit transmettre|ne doit pas transmettre} une déclaration.",
    ),
    (
        Kind.MODALITY,
        LOSS,
        "L'assuré qui perd son vélo {doit|peut} transmettre une déclaration écrite à l'assureur.",
    ),
    (
        Kind.JOINER,
        LOSS,
        "L'assuré doit joindre le reçu d'achat {ou|et} une photographie à sa déclaration écrite.",
    ),
    (
        Kind.NEGATION,
        CUT,
        "Nous {ne couvrons pas|couvrons} les dommages aux murs et aux fenêtres du chalet.",
    ),
    (Kind.PARTY, CUT, "Les dommages aux murs de {votre|notre} chalet ne sont pas couverts."),
    (
        Kind.NUMBER,
        LEASE,
        "Le locateur peut visiter s'il le dit {au moins|au plus} 24 heures à l'avance.",
    ),
    (
        Kind.NUMBER,
        LEASE,
        "Le locateur peut visiter s'il le dit au locataire 24 heures {avant|après} la visite.",
    ),
    (
        Kind.NUMBER,
        "Le rabais vaut pour les enfants de 12 ans ou moins.",
        "Les enfants de 12 ans {ou moins|ou plus} ont droit au rabais.",
    ),
    (
        Kind.NUMBER,
        "L'achat est annulé dans les 10 jours de la livraison si le bien est brisé.",
        "On annule l'achat d'un bien brisé dans les 10 jours {suivant|avant} la livraison.",
    ),
    (
        Kind.RESTRICTION,
        LEASE,
        "Le locateur peut visiter le logement. {Seul le|Le} locataire peut sous-louer le logement.",
    ),
    (
        Kind.NEGATION,
        "La clause qui écarte cette garantie est inopposable au consommateur.",
        "La clause qui écarte cette garantie {ne peut pas être|peut être} opposée au consommateur.",
    ),
    (
        Kind.OPPOSITE,
        "L'avenant étend la garantie aux biens entreposés pendant le chantier.",
        "Cet avenant {étend|réduit} la garantie des biens pendant un chantier.",
    ),
    (
        Kind.OPPOSITE,
        "La garantie est suspendue avant la livraison du bien par le vendeur.",
        "Le bien n'a plus de garantie. C'est ainsi {avant|après} la livraison du bien.",
    ),
    (
        Kind.NEGATION,
        "Le contrat exclut les frais de remorquage engagés hors de la province.",
        "Les frais de remorquage engagés ailleurs que dans la province "
        "{sont exclus|sont payés} par le contrat.",
    ),
]


def kinds(original: str, simplification: str) -> set[Kind]:
    return {
        contradiction.kind
        for contradiction in anchored(Text(original, "fr"), Text(simplification, "fr"))
    }


def both(text: str) -> tuple[str, str]:
    start, _, rest = text.partition("{")
    choice, _, end = rest.partition("}")
    right, wrong = choice.split("|")
    return f"{start}{right}{end}", f"{start}{wrong}{end}"


@pytest.mark.parametrize(("kind", "original", "text"), CASES)
def test_a_change_is_found_and_the_same_words_without_it_are_left_alone(kind, original, text):
    right, wrong = both(text)
    assert kinds(original, right) == set()
    assert kind in kinds(original, wrong)


@pytest.mark.parametrize(
    ("original", "simplification"),
    [
        # A heading denies what the list under it holds.
        (CUT, "Les murs de votre chalet ne sont pas couverts, sauf après une tempête."),
        # What is excluded is not covered.
        ("Sont exclus les frais de garde.", "Nous ne payons pas les frais de garde."),
        # A limit is a denial of what exceeds it.
        (
            "L'indemnité est versée à concurrence de 500 $ par séance.",
            "L'indemnité versée ne dépasse pas 500 $ par séance.",
        ),
        # "Peut" and "a le droit" allow alike, "doit" and "est tenu" bind alike.
        (LEASE, "Le locateur a le droit de visiter le logement."),
        ("Le vendeur est tenu de livrer le bien.", "Le vendeur doit livrer le bien."),
        # A denied duty and a denied permission forbid alike.
        ("Le vendeur ne doit pas céder le bail.", "Le vendeur ne peut pas céder le bail."),
        # In a list of what is covered, "et" and "ou" say the same.
        ("Sont couverts la table ou la lampe.", "La table et la lampe sont couvertes."),
        # Other words for one thing, and a wider one.
        ("La motocyclette est assurée.", "Le véhicule est assuré."),
        ("La résidence est assurée.", "La maison est assurée."),
        # "Sans délai" denies nothing, "N° 2" neither, nor does "ou non".
        ("L'assuré avise immédiatement le notaire.", "L'assuré avise sans délai le notaire."),
        ("L'avenant F.A.Q. N° 2 est joint.", "On joint l'avenant F.A.Q. N 2."),
        ("Toute perte, volontaire ou non, est payée.", "On paie toute perte, volontaire ou non."),
        # One of several may be told in a sentence of its own.
        (
            "L'indemnité est due seulement si l'assuré remplace le bien perdu.",
            "L'indemnité est due. L'assuré doit remplacer le bien perdu pour l'avoir.",
        ),
        # Said of something else.
        (LOSS, "Le présent article ne traite pas des bagages."),
        # Nothing to compare.
        ("", "L'assuré ne paie pas."),
        (LOSS, ""),
    ],
)
def test_what_says_the_same_in_other_words(original, simplification):
    assert kinds(original, simplification) == set()


def test_two_parties_that_both_texts_name():
    original = (
        "L'emprunteur rembourse la somme due au prêteur chaque trimestre. Le prêteur a le droit de "
        "résilier le prêt si un versement manque."
    )
    right = "Le prêteur peut résilier le prêt. L'emprunteur rembourse la somme chaque trimestre."
    wrong = "L'emprunteur peut résilier le prêt. Le prêteur rembourse la somme chaque trimestre."
    assert kinds(original, right) == set()
    assert kinds(original, wrong) == {Kind.PARTY}


def test_other_languages_are_left_alone():
    english = (
        "The tenant must not sublet the flat.",
        "The tenant can sublet the flat.",
    )
    assert anchored(Text(english[0], "en"), Text(english[1], "en")) == []


def test_what_is_insured_is_no_party():
    words = ("le", "véhicule", "assuré", "et", "l", "assuré")
    assert [sense for _, sense in named(words)] == ["véhicule", "assuré"]


def test_only_is_no_negation():
    assert negators(("il", "ne", "paie", "que", "ceci")) == []
    assert negators(("il", "ne", "paie", "pas")) == [1, 3]


def test_the_score_stays_under_the_highest_bracket():
    """7 begins it on 1–10, and two thirds of a scale without brackets."""
    pair = Pair(LOSS, "L'assuré qui perd son vélo ne doit pas transmettre de déclaration écrite.")
    for scale, most in ((Scale(1, 10), 7.0), (Scale(0, 100), 200 / 3)):
        ruled = ruled_scores([pair], [read_pair(pair)], [scale.at(0.9)], scale)[0]
        assert ruled.rule is Rule.REWORDED
        assert ruled.score < most
        assert ruled.contradictions[0].kind is Kind.NEGATION
        low = ruled_scores([pair], [read_pair(pair)], [scale.at(0.2)], scale)[0]
        assert (low.rule, low.score) == (None, scale.at(0.2))
