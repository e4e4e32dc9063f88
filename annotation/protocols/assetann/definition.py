"""Which operations turned the original into the simplification, marked on the words of both texts.

The typology and its identifiers are those of Cardon et al. (2022), ASSETann, section 3.1, as the
released files write them (``pos2neg`` and ``neg2pos`` are printed otherwise in the paper). Labels,
help and examples are ours. Published as version 1: an edit to anything below is a new version.
"""

from __future__ import annotations

from annotation.protocols.asides import COMMENT, DOUBT
from annotation.protocols.assetann.operations import GROUPS
from annotation.protocols.base import Ruling, Wording
from annotation.protocols.kinds import Edits, Refusals
from annotation.protocols.protocol import (
    ORIGINAL,
    SIMPLIFICATION,
    About,
    Expectation,
    JudgeWords,
    Panel,
    Protocol,
    Step,
)

edits = Edits(
    "edits",
    label=Wording("Opérations", "Edits"),
    help=Wording(
        "Marquez dans chaque texte les mots que l'opération touche; un mot peut en porter "
        "plusieurs. Sur deux textes identiques il n'y a rien à marquer.",
        "Mark in each text the words that the edit touches; a word may carry several. On two "
        "identical texts there is nothing to mark.",
    ),
    helps=Wording("Ce que disent les opérations", "What the operations mean"),
    operations=GROUPS,
    required=True,
    suggests_ruling="suggestions",
    refused="refused",
)

refused = Refusals("refused", label=Wording("Suggestions refusées", "Suggestions refused"))

ABOUT = About(
    source=(
        "Cardon, R., Bibal, A., Wilkens, R., Alfter, D., Norré, M., Müller, A., Watrin, P. and "
        "François, T. (2022). Linguistic Corpus Annotation for Automatic Text Simplification "
        "Evaluation. EMNLP 2022."
    ),
    summary=Wording(
        "Pour chaque paire, les opérations linguistiques qui ont mené de l'original à la "
        "simplification, parmi 26, marquées sur les mots des deux textes, et les simplifications "
        "manifestement erronées.",
        "For each pair, the linguistic operations that led from the original to the "
        "simplification, among 26, marked on the words of both texts, and simplifications that are "
        "plainly wrong.",
    ),
    limits=(
        Wording(
            "Le nombre d'opérations dépend de la manière de les découper : deux personnes qui "
            "voient la même chose peuvent en compter une ou deux.",
            "How many edits there are depends on how they are cut: two people who see the same may "
            "count one or two.",
        ),
        Wording(
            "L'accord sur le nombre d'opérations ne dit rien de l'accord sur les mots marqués, "
            "qui est donné à part.",
            "Agreement on the number of edits says nothing of agreement on the words that are "
            "marked, which is given apart.",
        ),
    ),
)

PROTOCOL = Protocol(
    key="assetann",
    version="1",
    title=Wording("Opérations marquées (ASSETann)", "Marked operations (ASSETann)"),
    steps=(
        Step(
            "edits",
            Wording(
                "Quelles opérations ont mené de l'original à la simplification, et sur quels mots?",
                "Which operations led from the original to the simplification, and on which words?",
            ),
            (edits, refused, COMMENT, DOUBT),
        ),
    ),
    rulings=(
        Ruling(
            "suggestions",
            Wording(
                "Proposer ce qui diffère entre les deux textes",
                "Suggest what differs between the texts",
            ),
            default=True,
            help=Wording(
                "La page montre en pâle les mots qui diffèrent; chaque proposition est acceptée ou "
                "refusée, et l'un comme l'autre est enregistré.",
                "The page shows the words that differ, pale; each suggestion is accepted or "
                "refused, and either is recorded.",
            ),
        ),
    ),
    panels=(
        Panel(ORIGINAL, Wording("Original", "Original"), language=""),
        Panel(SIMPLIFICATION, Wording("Simplification", "Simplification"), language=""),
    ),
    controls={"identical": (Expectation(edits.counted, 0, 0),)},
    judge=JudgeWords(
        "Tu compares un texte et sa simplification, et tu marques les opérations qui ont mené de "
        "l'un à l'autre, chacune par les passages qu'elle touche. Réponds à l'étape ci-dessous, et "
        "seulement par l'objet JSON demandé."
    ),
    about=ABOUT,
)
