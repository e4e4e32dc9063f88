"""Options of the first step and the four error types. Labels are the protocol's; help is ours."""

from __future__ import annotations

from annotation.protocols.base import Option, Wording

SIMPLICITY: tuple[Option, ...] = (
    Option(
        value=1,
        key="simpler",
        label=Wording("Plus simple à lire", "Simpler to read"),
        help=Wording(
            "Un lecteur sans formation juridique comprend plus vite : phrases plus courtes, mots "
            "courants, ordre plus direct. Jugez la lecture seulement : un texte faux peut être "
            "facile à lire.",
            "A reader without legal training understands sooner: shorter sentences, everyday "
            "words, a more direct order. Judge reading only: a wrong text can be easy to read.",
        ),
    ),
    Option(
        value=2,
        key="as_simple",
        label=Wording("Aussi simple à lire", "As simple to read"),
        help=Wording(
            "Le texte a changé, mais l'effort de lecture reste le même. Quelques mots remplacés "
            "dans une phrase demeurée longue suffisent rarement à aller plus haut.",
            "The text has changed, but it takes the same effort to read. A few words replaced in a "
            "sentence that stays long are seldom enough for more.",
        ),
    ),
    Option(
        value=3,
        key="harder",
        label=Wording("Plus difficile à lire", "Harder to read"),
        help=Wording(
            "Le texte demande plus d'effort que l'original : tournures plus lourdes, mots plus "
            "rares, renvois obscurs ou phrase bancale.",
            "The text takes more effort than the original: heavier turns of phrase, rarer words, "
            "unclear references or a broken sentence.",
        ),
    ),
    Option(
        value=4,
        key="no_simplification",
        label=Wording("Pas de simplification", "No simplification"),
        help=Wording(
            "La simplification reprend l'original mot pour mot ou est écrite dans une autre "
            "langue. Si la vérification automatique constate autre chose, vous pourrez changer "
            "votre réponse ou la confirmer.",
            "The simplification repeats the original word for word or is written in another "
            "language. If "
            "the automatic check finds otherwise, you can change your answer or confirm it.",
        ),
    ),
)

ERROR_TYPES: tuple[Option, ...] = (
    Option(
        value=1,
        key="hallucination",
        label=Wording("Hallucination", "Hallucination"),
        help=Wording(
            "La simplification ajoute un fait qui n'est nulle part dans l'original : une "
            "condition, une somme, une formalité. Marquez le passage ajouté. Si un fait de "
            "l'original a été changé, c'est une confusion.",
            "The simplification adds a fact found nowhere in the original: a condition, a sum, a "
            "formality. "
            "Mark the added passage. If a fact of the original was altered, it is a confusion.",
        ),
        example=Wording(
            "L'original ne fixe aucun délai; la simplification écrit « dans les dix jours ».",
            "The original sets no time limit; the simplification says “within ten days”.",
        ),
    ),
    Option(
        value=2,
        key="omission",
        label=Wording("Omission", "Omission"),
        help=Wording(
            "Un élément essentiel de l'original est perdu : une exception, un plafond, un délai, "
            "une personne visée. Marquez dans l'original ce qui manque. Un détail sans effet "
            "juridique n'est pas une omission.",
            "An essential element of the original is lost: an exception, a ceiling, a time limit, "
            "a person concerned. Mark in the original what is missing. A detail without legal "
            "effect is not an omission.",
        ),
        example=Wording(
            "L'original ajoute « sauf en cas de force majeure »; la simplification n'en dit rien.",
            (
                "The original adds “except in case of superior force”; the simplification does not "
                "mention it."
            ),
        ),
    ),
    Option(
        value=3,
        key="incoherence",
        label=Wording("Incohérence", "Inconsistency"),
        help=Wording(
            "Un même terme juridique est rendu par plusieurs mots, si bien qu'on ne sait plus s'il "
            "s'agit de la même chose. Comptez une erreur par terme, et non par mot employé.",
            "One legal term is rendered by several words, so that one can no longer tell whether "
            "they mean the same thing. Count one error per term, not per word used.",
        ),
        example=Wording(
            (
                "Le « preneur » devient tour à tour « le client », « le propriétaire » et « "
                "l'abonné »."
            ),
            "The “policyholder” becomes in turn “the customer”, “the owner” and “the subscriber”.",
        ),
    ),
    Option(
        value=4,
        key="confusion",
        label=Wording("Confusion", "Confusion"),
        help=Wording(
            "La simplification dit le contraire de l'original ou en change un fait : un chiffre, "
            "un sens, un débiteur, un moment. Marquez les deux passages qui s'opposent.",
            "The simplification says the opposite of the original or alters one of its facts: a "
            "figure, a direction, the party bound, a moment. Mark both opposing passages.",
        ),
        example=Wording(
            "L'original oblige l'assureur à payer l'expert; la simplification en charge l'assuré.",
            (
                "The original has the insurer pay the appraiser; the simplification puts it on the "
                "insured."
            ),
        ),
    ),
)
