"""JADES: fluency, meaning preservation and simplicity, each on four worded levels.

Hayakawa, Kajiwara, Ouchi and Watanabe (2022), *JADES: New Text Simplification Dataset in Japanese
Targeted at Non-Native Speakers*, section 4.2 and appendix B: several outputs of each source, blind,
each judged by three of six annotators. The appendix fixes what the four levels of each scale mean;
the words are ours. Published as version 1: an edit to anything below is a new version.
"""

from __future__ import annotations

from annotation.protocols.asides import COMMENT, DOUBT
from annotation.protocols.base import Option, Wording
from annotation.protocols.kinds import Scale
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

FLUENCY = (
    Option(
        1,
        "broken",
        Wording("Langue brisée", "Broken language"),
        Wording(
            "Les phrases ne tiennent pas : mots manquants, répétés ou dans un ordre impossible.",
            "The sentences do not hold: words are missing, repeated or in an impossible order.",
        ),
    ),
    Option(
        2,
        "laboured",
        Wording("Langue laborieuse", "Laboured language"),
        Wording(
            "Les fautes gênent assez pour qu'il faille deviner de quoi il est question.",
            "The faults are in the way: one has to guess what it is about.",
        ),
    ),
    Option(
        3,
        "nearly_natural",
        Wording("Presque naturelle", "Nearly natural"),
        Wording(
            "Une tournure accroche, mais on saisit de quoi il est question dès la première "
            "lecture.",
            "A turn of phrase catches, but what it is about is clear at first reading.",
        ),
    ),
    Option(
        4,
        "natural",
        Wording("Naturelle", "Natural"),
        Wording(
            "Rien n'accroche : une personne dont c'est la langue l'aurait écrit ainsi.",
            "Nothing catches: somebody whose language it is would have written it so.",
        ),
    ),
)

MEANING = (
    Option(
        1,
        "lost",
        Wording("Le sens est perdu", "The meaning is lost"),
        Wording(
            "La simplification parle d'autre chose, ou dit autre chose de la même chose.",
            "The simplification is about something else, or says something else of the same thing.",
        ),
    ),
    Option(
        2,
        "altered",
        Wording("Le sens est altéré", "The meaning is altered"),
        Wording(
            "On reconnaît le propos, mais ce que l'original affirme surtout n'est plus tout à "
            "fait cela.",
            "The subject is recognizable, but what the original chiefly states is no longer quite "
            "that.",
        ),
    ),
    Option(
        3,
        "kept_mostly",
        Wording("Le propos principal est là", "The main point is there"),
        Wording(
            "Ce que l'original affirme surtout demeure; des précisions ont disparu ou changé.",
            "What the original chiefly states remains; details have gone or changed.",
        ),
    ),
    Option(
        4,
        "kept",
        Wording("Tout le sens, ou presque", "All of the meaning, or nearly"),
        Wording(
            "Qui ne lirait que la simplification saurait ce que sait qui a lu l'original.",
            "Whoever read the simplification only would know what a reader of the original knows.",
        ),
    ),
)

SIMPLICITY = (
    Option(
        1,
        "harder",
        Wording("Plus difficile que l'original", "More difficult than the original"),
        Wording(
            "La simplification demande plus d'effort que l'original, quelle qu'en soit la raison.",
            "The simplification takes more effort than the original, for whatever reason.",
        ),
    ),
    Option(
        2,
        "same",
        Wording("Aussi difficile", "As difficult"),
        Wording(
            "Les deux demandent le même effort, même si des mots ont changé.",
            "Both take the same effort, even if words have changed.",
        ),
    ),
    Option(
        3,
        "somewhat_easier",
        Wording("Un peu plus simple", "A little simpler"),
        Wording(
            "Un mot ou une tournure de moins à déchiffrer; le reste demande le même effort.",
            "A word or a turn of phrase less to decipher; the rest takes the same effort.",
        ),
    ),
    Option(
        4,
        "easier",
        Wording("Nettement plus simple", "Clearly simpler"),
        Wording(
            "Une personne que l'original arrêterait lit la simplification sans aide.",
            "Somebody whom the original would stop reads the simplification without help.",
        ),
    ),
)

ASKS = Wording("Choisissez l'un des quatre niveaux.", "Choose one of the four levels.")

fluency = Scale(
    "fluency", label=Wording("Fluidité", "Fluency"), options=FLUENCY, required=True, asks=ASKS
)
meaning = Scale(
    "meaning",
    label=Wording("Préservation du sens", "Meaning preservation"),
    options=MEANING,
    required=True,
    asks=ASKS,
)
simplicity = Scale(
    "simplicity",
    label=Wording("Simplicité", "Simplicity"),
    options=SIMPLICITY,
    required=True,
    asks=ASKS,
)

STEPS = (
    Step(
        "fluency",
        Wording(
            "La langue de la simplification est-elle naturelle?",
            "Is the language of the simplification natural?",
        ),
        (fluency,),
        sides=(SIMPLIFICATION,),
    ),
    Step(
        "meaning",
        Wording(
            "Que garde la simplification de ce que dit l'original?",
            "What does the simplification keep of what the original says?",
        ),
        (meaning,),
    ),
    Step(
        "simplicity",
        Wording(
            "Comprend-on la simplification avec moins d'effort que l'original?",
            "Does it take less effort to understand the simplification than the original?",
        ),
        (simplicity, COMMENT, DOUBT),
    ),
)

ABOUT = About(
    source=(
        "Hayakawa, A., Kajiwara, T., Ouchi, H. and Watanabe, T. (2022). JADES: New Text "
        "Simplification Dataset in Japanese Targeted at Non-Native Speakers. TSAR-2022."
    ),
    summary=Wording(
        "Chaque sortie est jugée sur trois échelles de quatre niveaux : la fluidité, devant la "
        "simplification seule; la préservation du sens et la simplicité, face à l'original.",
        "Each output is judged on three scales of four levels: fluency, from the simplification "
        "alone; meaning preservation and simplicity, beside the original.",
    ),
    score=Wording(
        "La préservation du sens va de 1 (le sens est perdu) à 4 (tout le sens, ou presque). "
        "Chaque valeur est un niveau choisi par une personne; les niveaux ont un ordre, et rien ne "
        "dit que leurs écarts sont égaux.",
        "Meaning preservation goes from 1 (the meaning is lost) to 4 (all of the meaning, or "
        "nearly). Each value is a level that somebody chose; levels have an order, and nothing "
        "says that the distances between them are equal.",
    ),
    limits=(
        Wording(
            "Quatre niveaux distinguent mal deux bonnes sorties.",
            "Four levels tell two good outputs apart badly.",
        ),
        Wording(
            "La simplicité est celle que perçoivent les annotateur·rice·s, et non celle "
            "qu'éprouve le public visé.",
            "Simplicity is what the annotators perceive, not what the intended readers experience.",
        ),
    ),
)

PROTOCOL = Protocol(
    key="jades",
    version="1",
    title=Wording(
        "Fluidité, sens, simplicité de 1 à 4 (JADES)", "Fluency, meaning, simplicity 1–4 (JADES)"
    ),
    steps=STEPS,
    panels=(
        Panel(ORIGINAL, Wording("Original", "Original"), language=""),
        Panel(SIMPLIFICATION, Wording("Simplification", "Simplification"), language=""),
    ),
    predicted="meaning",
    controls={
        "identical": (Expectation("meaning", 4, 4), Expectation("simplicity", 2, 2)),
        "unrelated": (Expectation("meaning", 1, 1),),
    },
    layouts=("jades",),
    judge=JudgeWords(
        "Tu juges la simplification d'un texte sur trois échelles de quatre niveaux. Pour la "
        "fluidité, ne regarde que la simplification. Réponds aux étapes ci-dessous, dans l'ordre, "
        "et seulement par l'objet JSON demandé."
    ),
    about=ABOUT,
)
