"""What FrJUDGE refuses across fields, and the protocol as it is published.

The score itself is that of a bracketed scale (``kinds/bracketed.py``); the fields refuse by
themselves what is missing or leaves its text.
"""

from __future__ import annotations

from annotation.protocols.base import Answers, PairFacts, Problem, Rulings, Wording
from annotation.protocols.legal_meaning.about import ABOUT
from annotation.protocols.legal_meaning.definition import (
    NO_SIMPLIFICATION,
    RULINGS,
    STEPS,
    legal_meaning,
)
from annotation.protocols.protocol import Expectation, JudgeWords, Protocol

score = legal_meaning.score
crosses = legal_meaning.crosses

JUDGE_PROMPT = (
    "Tu es juriste au Québec. Tu juges si la simplification d'un texte juridique dit encore le "
    "droit. Réponds aux étapes ci-dessous, dans l'ordre, et seulement par l'objet JSON demandé."
)


def contradiction(answers: Answers, facts: PairFacts) -> Wording | None:
    """What a machine sees in the pair that contradicts the answer on simplicity, if anything."""
    chosen = answers["simplicity"]
    if chosen is None:
        return None
    if chosen == NO_SIMPLIFICATION and not facts.is_identical and not facts.is_other_language:
        return Wording(
            "Les deux textes diffèrent et la simplification est en français.",
            "The two texts differ and the simplification is in French.",
        )
    if chosen != NO_SIMPLIFICATION and facts.is_identical:
        return Wording(
            "La simplification est identique à l'original.",
            "The simplification is identical to the original.",
        )
    if chosen != NO_SIMPLIFICATION and facts.is_other_language:
        return Wording(
            "La simplification semble être dans une autre langue que le français.",
            "The simplification seems to be in another language than French.",
        )
    return None


def problems(answers: Answers, facts: PairFacts, _rulings: Rulings) -> list[Problem]:
    """A finding that the annotator has neither heeded nor confirmed."""
    finding = contradiction(answers, facts)
    if finding is None or answers["simplicity_confirmed"]:
        return []
    return [
        Problem(
            "simplicity_confirmed",
            "contradiction",
            Wording(
                f"{finding.fr} Changez votre réponse ou confirmez-la.",
                f"{finding.en} Change your answer or confirm it.",
            ),
        )
    ]


def judge_hints(rulings: Rulings) -> list[str]:
    """What a model is told after the questions: what stands on people's page, in words."""
    hints = [
        "\nCitations : recopie exactement, caractère pour caractère, le passage en cause ; "
        "chaîne vide s'il n'y en a pas."
    ]
    if rulings["span_required"]:
        hints.append("Chaque erreur exige au moins une citation.")
    if rulings["crossing_policy"] == "ask":
        hints.append(
            "Si le nombre d'erreurs fait descendre le score sous le bas de la fourchette, réponds "
            "« kept » à crossing_answer pour la garder, ou choisis une fourchette plus basse. "
            "Sinon, laisse une chaîne vide."
        )
    return hints


PROTOCOL = Protocol(
    key="legal_meaning",
    version="1",
    title=Wording("Sens légal (FrJUDGE)", "Legal meaning (FrJUDGE)"),
    steps=STEPS,
    rules=problems,
    finding=contradiction,
    rulings=RULINGS,
    predicted="legal_meaning",
    controls={
        "identical": (Expectation("legal_meaning", 9, 10),),
        "unrelated": (Expectation("legal_meaning", 1, 1),),
    },
    layouts=("frjudge",),
    classified=("characterization",),
    judge=JudgeWords(JUDGE_PROMPT, judge_hints),
    about=ABOUT,
)
