"""Answers that were found in a text, judged beside it: is the question answered? YES or NO.

Xu and Ashley (2023), *Question-Answering Approach to Evaluating Legal Summaries*, hold a model's
grades against what people say so. Who judges sees neither the grade nor which system wrote the
text. The words are ours. Published as version 1: an edit to anything below is a new version.
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

answered = Choice(
    "answered",
    label=Wording("La question reçoit sa réponse", "The question is answered"),
    options=(
        Option(
            1,
            "yes",
            Wording("Oui", "Yes"),
            Wording(
                "La réponse donnée dit ce qui était attendu, et le texte le dit.",
                "The answer given says what was expected, and the text says so.",
            ),
        ),
        Option(
            0,
            "no",
            Wording("Non", "No"),
            Wording(
                "Elle dit autre chose, il y manque ce qui compte, le texte ne le dit pas, ou il "
                "n'y a pas de réponse.",
                "It says something else, what matters is missing, the text does not say so, or "
                "there is no answer.",
            ),
        ),
    ),
    required=True,
    asks=Wording("Répondez par oui ou par non.", "Answer yes or no."),
)

ABOUT = About(
    source=(
        "Xu, H. and Ashley, K. D. (2023). Question-Answering Approach to Evaluating Legal "
        "Summaries. JURIX 2023. arXiv:2309.15016."
    ),
    summary=Wording(
        "Une question, sa réponse attendue et la réponse trouvée dans un texte sont lues face à ce "
        "texte : la question y reçoit-elle sa réponse? Oui ou non.",
        "A question, its expected answer and the answer found in a text are read beside that text: "
        "is the question answered there? Yes or no.",
    ),
    limits=(
        Wording(
            "Un oui dit que la réponse est dans le texte, et non que le reste du texte est juste.",
            "A yes says that the answer is in the text, not that the rest of the text is right.",
        ),
        Wording(
            "Une réponse à moitié juste n'a pas de place entre oui et non.",
            "An answer that is half right has no place between yes and no.",
        ),
    ),
)

PROTOCOL = Protocol(
    key="qa_answers",
    version="1",
    title=Wording("Réponses trouvées dans un texte", "Answers found in a text"),
    steps=(
        Step(
            "answered",
            Wording(
                "D'après le texte, la réponse donnée dit-elle ce qui était attendu?",
                "By the text, does the answer given say what was expected?",
            ),
            (answered, COMMENT, DOUBT),
        ),
    ),
    panels=(
        Panel(ORIGINAL, Wording("Texte", "Text"), language=""),
        Panel(SIMPLIFICATION, Wording("Question et réponses", "Question and answers"), language=""),
    ),
    judge=JudgeWords(
        "Tu juges la réponse qui a été trouvée dans un texte à une question. Le texte t'est donné "
        "comme original; la question, la réponse attendue et la réponse donnée, comme texte "
        "généré. Réponds à l'étape ci-dessous, et seulement par l'objet JSON demandé."
    ),
    about=ABOUT,
)
