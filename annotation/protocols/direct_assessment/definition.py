"""Direct assessment: meaning, fluency and simplicity, each a whole number from 0 to 100.

Beauchemin, Saggion and Khoury (2023), *MeaningBERT: assessing meaning preservation between
sentences*, collect ratings made so (section 3.1) and hold a metric to two checks (section 3.3): an
identical pair is at 95 or above, an unrelated one at 5 or below. The words are ours. Published as
version 1: an edit to anything below is a new version.
"""

from __future__ import annotations

from annotation.protocols.asides import COMMENT, DOUBT
from annotation.protocols.base import Wording
from annotation.protocols.kinds import Slider
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

LOWEST, HIGHEST = 0, 100
PRESERVED, UNRELATED = 95, 5
"""Thresholds of the two checks, included."""
STRICTLY_PRESERVED, STRICTLY_UNRELATED = 99, 1
"""The stricter ones of the paper, counted beside them."""

ASKS = Wording("Donnez un nombre de 0 à 100.", "Give a number from 0 to 100.")

meaning = Slider(
    "meaning",
    label=Wording("Préservation du sens", "Meaning preservation"),
    help=Wording(
        "Comptez ce qui manque, ce qui est ajouté et ce qui est faussé. Une simplification "
        "maladroite peut garder tout le sens.",
        "Count what is missing, what is added and what is distorted. A clumsy simplification can "
        "keep all of the meaning.",
    ),
    lowest=LOWEST,
    highest=HIGHEST,
    low=Wording("rien du sens", "none of the meaning"),
    high=Wording("tout le sens", "all of the meaning"),
    required=True,
    asks=ASKS,
)
fluency = Slider(
    "fluency",
    label=Wording("Fluidité", "Fluency"),
    help=Wording(
        "Jugez la langue seulement : grammaire, mots, enchaînement. Ce qui est faux peut être "
        "bien écrit.",
        "Judge the language only: grammar, words, flow. What is wrong can be well written.",
    ),
    lowest=LOWEST,
    highest=HIGHEST,
    low=Wording("illisible", "unreadable"),
    high=Wording("impeccable", "flawless"),
    required=True,
    asks=ASKS,
)
simplicity = Slider(
    "simplicity",
    label=Wording("Simplicité", "Simplicity"),
    help=Wording(
        "50 : aussi simple que l'original. Au-dessus, la simplification est plus simple; "
        "au-dessous, elle est plus difficile.",
        "50: as simple as the original. Above it the simplification is simpler; below it, more "
        "difficult.",
    ),
    lowest=LOWEST,
    highest=HIGHEST,
    low=Wording("bien plus difficile", "far more difficult"),
    high=Wording("bien plus simple", "far simpler"),
    required=True,
    asks=ASKS,
)

STEPS = (
    Step(
        "meaning",
        Wording(
            "Dans quelle mesure la simplification dit-elle ce que dit l'original?",
            "To what extent does the simplification say what the original says?",
        ),
        (meaning,),
    ),
    Step(
        "fluency",
        Wording(
            "Dans quelle mesure la simplification est-elle bien écrite?",
            "To what extent is the simplification well written?",
        ),
        (fluency,),
        sides=(SIMPLIFICATION,),
    ),
    Step(
        "simplicity",
        Wording(
            "Dans quelle mesure la simplification est-elle plus simple que l'original?",
            "To what extent is the simplification simpler than the original?",
        ),
        (simplicity, COMMENT, DOUBT),
    ),
)

ABOUT = About(
    source=(
        "Beauchemin, D., Saggion, H. and Khoury, R. (2023). MeaningBERT: assessing meaning "
        "preservation between sentences. Frontiers in Artificial Intelligence 6:1223924."
    ),
    summary=Wording(
        "Chaque simplification reçoit trois nombres de 0 à 100 : ce qu'elle garde du sens, sa "
        "fluidité et sa simplicité.",
        "Each simplification gets three numbers from 0 to 100: what it keeps of the meaning, its "
        "fluency and its simplicity.",
    ),
    score=Wording(
        "La préservation du sens va de 0 (rien du sens) à 100 (tout le sens). Les curseurs n'ont "
        "pas de position de départ. Les personnes se servent de l'échelle chacune à sa façon : "
        "lisez les moyennes brutes avec les scores centrés et réduits par personne.",
        "Meaning preservation goes from 0 (none of the meaning) to 100 (all of it). The sliders "
        "have no position to begin with. People use the scale each in their own way: read raw "
        "means beside scores standardized by person.",
    ),
    limits=(
        Wording(
            "Deux nombres voisins ne se distinguent pas : 71 et 74 disent la même chose.",
            "Two neighbouring numbers are not told apart: 71 and 74 say the same.",
        ),
        Wording(
            "Un seul nombre dit combien de sens est perdu, et non ce qui l'est.",
            "A single number says how much of the meaning is lost, not what.",
        ),
    ),
)

PROTOCOL = Protocol(
    key="direct_assessment",
    version="1",
    title=Wording(
        "Évaluation directe de 0 à 100 (MeaningBERT)", "Direct assessment 0–100 (MeaningBERT)"
    ),
    steps=STEPS,
    panels=(
        Panel(ORIGINAL, Wording("Original", "Original"), language=""),
        Panel(SIMPLIFICATION, Wording("Simplification", "Simplification"), language=""),
    ),
    predicted="meaning",
    controls={
        "identical": (Expectation("meaning", PRESERVED, HIGHEST, (STRICTLY_PRESERVED, HIGHEST)),),
        "unrelated": (Expectation("meaning", LOWEST, UNRELATED, (LOWEST, STRICTLY_UNRELATED)),),
    },
    imported=(("meaning", "fluency", "simplicity"),),
    layouts=("csmd",),
    judge=JudgeWords(
        "Tu juges la simplification d'un texte par trois nombres entiers de 0 à 100. Pour la "
        "fluidité, ne regarde que la simplification. Réponds aux étapes ci-dessous, dans l'ordre, "
        "et seulement par l'objet JSON demandé."
    ),
    about=ABOUT,
)
