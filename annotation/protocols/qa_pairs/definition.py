"""Questions with their expected answers, judged beside the reference that they were written from:
does the question ask for what is needed, and is the expected answer right? YES or NO each.

Xu and Ashley (2023), *Question-Answering Approach to Evaluating Legal Summaries*, have people say
both of 48 pairs before any is used. The words are ours. Published as version 1: an edit to anything
below is a new version.
"""

from __future__ import annotations

from annotation.protocols.asides import COMMENT, DOUBT
from annotation.protocols.base import Option, Wording
from annotation.protocols.kinds import Choice
from annotation.protocols.protocol import (
    ORIGINAL,
    SIMPLIFICATION,
    About,
    JudgeWords,
    Panel,
    Protocol,
    Step,
)

ASKS = Wording("Répondez par oui ou par non.", "Answer yes or no.")

captured = Choice(
    "captured",
    label=Wording("Demande ce qu'il faut", "Captures what is needed"),
    options=(
        Option(
            1,
            "yes",
            Wording("Oui", "Yes"),
            Wording(
                "Qui saurait répondre connaîtrait un point important du texte de référence, et la "
                "question se comprend seule.",
                "Whoever could answer would know an important point of the reference text, and the "
                "question can be understood by itself.",
            ),
        ),
        Option(
            0,
            "no",
            Wording("Non", "No"),
            Wording(
                "Elle porte sur un détail sans importance, sur rien que le texte dise, sur "
                "plusieurs choses à la fois, ou ne se comprend pas.",
                "It is about a detail of no importance, about nothing that the text says, about "
                "several things at once, or it cannot be understood.",
            ),
        ),
    ),
    required=True,
    asks=ASKS,
)
correct = Choice(
    "correct",
    label=Wording("Réponse attendue juste", "Expected answer is right"),
    options=(
        Option(
            1,
            "yes",
            Wording("Oui", "Yes"),
            Wording(
                "Elle répond à la question, et le texte de référence le dit.",
                "It answers the question, and the reference text says so.",
            ),
        ),
        Option(
            0,
            "no",
            Wording("Non", "No"),
            Wording(
                "Il y manque quelque chose de nécessaire, ou elle dit ce que le texte de référence "
                "ne dit pas.",
                "Something necessary is missing in it, or it says what the reference text does "
                "not.",
            ),
        ),
    ),
    required=True,
    asks=ASKS,
)

STEPS = (
    Step(
        "captured",
        Wording(
            "La question demande-t-elle quelque chose qu'il faut savoir du texte de référence?",
            "Does the question ask for something that one needs to know of the reference text?",
        ),
        (captured,),
    ),
    Step(
        "correct",
        Wording(
            "La réponse attendue est-elle juste d'après le texte de référence?",
            "Is the expected answer right by the reference text?",
        ),
        (correct, COMMENT, DOUBT),
    ),
)

ABOUT = About(
    source=(
        "Xu, H. and Ashley, K. D. (2023). Question-Answering Approach to Evaluating Legal "
        "Summaries. JURIX 2023. arXiv:2309.15016."
    ),
    summary=Wording(
        "Chaque question écrite d'après un texte de référence est jugée avec sa réponse attendue : "
        "demande-t-elle ce qu'il faut, et la réponse est-elle juste? Oui ou non.",
        "Each question that was written from a reference text is judged with its expected answer: "
        "does it ask for what is needed, and is the answer right? Yes or no.",
    ),
    limits=(
        Wording(
            "Chaque question est jugée seule : rien ne dit si, ensemble, elles couvrent le texte.",
            "Each question is judged by itself: nothing says whether all of them cover the text.",
        ),
    ),
)

PROTOCOL = Protocol(
    key="qa_pairs",
    version="1",
    title=Wording("Questions et réponses attendues", "Questions and expected answers"),
    steps=STEPS,
    panels=(
        Panel(ORIGINAL, Wording("Texte de référence", "Reference text"), language=""),
        Panel(
            SIMPLIFICATION,
            Wording("Question et réponse attendue", "Question and expected answer"),
            language="",
        ),
    ),
    judge=JudgeWords(
        "Tu juges une question et sa réponse attendue, écrites d'après un texte de référence. Le "
        "texte de référence t'est donné comme original; la question et sa réponse, comme texte "
        "généré. Réponds aux étapes ci-dessous, dans l'ordre, et seulement par l'objet JSON "
        "demandé."
    ),
    about=ABOUT,
)
