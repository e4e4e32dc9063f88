"""The 18 classes of legal characterization. Labels are the protocol's; help and examples are
ours."""

from __future__ import annotations

from annotation.protocols.base import Option, Wording
from annotation.protocols.legal_meaning.class_help import CLASS_HELP


def _class(value: int, key: str, label: Wording, example: Wording) -> Option:
    return Option(value=value, key=key, label=label, help=CLASS_HELP[key], example=example)


CLASSES: tuple[Option, ...] = (
    _class(
        1,
        "endorsement",
        Wording("Description de l'avenant", "Description of endorsement"),
        Wording(
            (
                "Le présent avenant ajoute au contrat une protection pour les vélos électriques de "
                "l'assuré."
            ),
            "This endorsement adds to the contract a cover for the insured's electric bicycles.",
        ),
    ),
    _class(
        2,
        "conditions",
        Wording("Conditions d'application", "Conditions of application"),
        Wording(
            "La garantie ne s'applique que si le bateau est amarré dans une marina surveillée.",
            "The cover applies only if the boat is moored in a supervised marina.",
        ),
    ),
    _class(
        3,
        "exclusions",
        Wording("Exclusions ou restrictions", "Exclusions or restrictions"),
        Wording(
            "Ne sont pas couverts les bijoux laissés dans un véhicule non verrouillé.",
            "Jewellery left in an unlocked vehicle is not covered.",
        ),
    ),
    _class(
        4,
        "damage",
        Wording(
            "Dommages (valeur, calcul, description)", "Damage (value, calculation, description)"
        ),
        Wording(
            (
                "La valeur du tapis endommagé s'établit en retranchant huit pour cent par année "
                "d'usage."
            ),
            (
                "The value of the damaged carpet is found by taking off eight per cent per year of "
                "use."
            ),
        ),
    ),
    _class(
        5,
        "indemnities",
        Wording(
            (
                "Indemnités (payables, par remplacement, calcul de la valeur, montant d'assurance, "
                "processus)"
            ),
            (
                "Indemnities (payable, by replacement, calculation of value, amount of insurance, "
                "process)"
            ),
        ),
        Wording(
            "L'assureur verse au bénéficiaire un capital de 20 000 $ dans les quarante jours.",
            "The insurer pays the beneficiary a capital sum of $20,000 within forty days.",
        ),
    ),
    _class(
        6,
        "definition",
        Wording("Définition", "Definition"),
        Wording(
            (
                "Le mot « visiteur » désigne toute personne admise sur les lieux avec la "
                "permission de l'assuré."
            ),
            "The word “visitor” means any person on the premises with the insured's permission.",
        ),
    ),
    _class(
        7,
        "expenses",
        Wording(
            "Frais (remboursement et prise en charge)", "Expenses (reimbursement and coverage)"
        ),
        Wording(
            "Les frais d'entreposage des meubles sont remboursés sur présentation des reçus.",
            "The cost of storing the furniture is refunded on presentation of receipts.",
        ),
    ),
    _class(
        8,
        "premium",
        Wording("Prime (paiement et remboursement)", "Premium (payment and refund)"),
        Wording(
            "La prime annuelle est payable en quatre versements égaux, sans intérêt.",
            "The annual premium is payable in four equal instalments, without interest.",
        ),
    ),
    _class(
        9,
        "insured_obligations",
        Wording(
            "Obligations de l'assuré (obligation et engagement formel)",
            "Obligations of the insured (obligation and warranty)",
        ),
        Wording(
            "L'assuré doit faire ramoner la cheminée avant le premier novembre de chaque année.",
            "The insured must have the chimney swept before the first of November each year.",
        ),
    ),
    _class(
        10,
        "non_compliance",
        Wording("Conséquences du non-respect des obligations", "Consequences of non-compliance"),
        Wording(
            "À défaut de déclarer le déménagement, l'assuré voit la garantie suspendue.",
            "Should the insured fail to report the move, the cover is suspended.",
        ),
    ),
    _class(
        11,
        "insurer_obligations",
        Wording("Obligations de l'assureur", "Insurer's obligations"),
        Wording(
            "L'assureur doit remettre une copie de la proposition à l'assuré qui la demande.",
            "The insurer must give a copy of the application to the insured who asks for it.",
        ),
    ),
    _class(
        12,
        "insured_rights",
        Wording("Droits de l'assuré (et renonciation)", "Insured's rights (and waiver)"),
        Wording(
            "L'assuré peut changer de bénéficiaire en tout temps par un simple écrit.",
            "The insured may change the beneficiary at any time by a simple writing.",
        ),
    ),
    _class(
        13,
        "insurer_rights",
        Wording("Droits de l'assureur (et renonciation)", "Insurer's rights (and waiver)"),
        Wording(
            "L'assureur peut faire examiner l'assuré par le médecin de son choix.",
            "The insurer may have the insured examined by the physician of its choice.",
        ),
    ),
    _class(
        14,
        "subrogation",
        Wording("Subrogation (et exceptions)", "Subrogation (and exceptions)"),
        Wording(
            "Après paiement, l'assureur peut poursuivre le responsable à la place de l'assuré.",
            "After payment, the insurer may sue the party at fault in the insured's place.",
        ),
    ),
    _class(
        15,
        "effective_date",
        Wording("Prise d'effet et renouvellement", "Effective date and renewal"),
        Wording(
            "L'assurance entre en vigueur à midi le jour de la signature de la proposition.",
            "The insurance comes into force at noon on the day the application is signed.",
        ),
    ),
    _class(
        16,
        "termination",
        Wording("Fin du contrat et résiliation", "End of contract and termination"),
        Wording(
            "L'une ou l'autre des parties peut résilier le contrat par un avis d'un mois.",
            "Either party may terminate the contract by giving one month's notice.",
        ),
    ),
    _class(
        17,
        "recourse",
        Wording(
            "Recours (règlement de différend, action, mandat de représentation, arbitrage…)",
            "Legal recourse (dispute settlement, action, mandate of representation, arbitration…)",
        ),
        Wording(
            "L'assuré insatisfait peut demander que le différend soit soumis à un arbitre.",
            "A dissatisfied insured may ask that the dispute be submitted to an arbitrator.",
        ),
    ),
    _class(
        18,
        "others",
        Wording("Autres", "Others"),
        Wording(
            "Les titres des chapitres ne servent pas à interpréter le contrat.",
            "Chapter headings are not used to interpret the contract.",
        ),
    ),
)
