"""What a model is asked for questions, answers and grades: presets in both languages, versioned.

A preset's text is what a lead may rewrite, run beside others, and compare. What a reply must hold
(types, numbers, the shape, the right to say that the text does not say) is told after it, by rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.protocols.base import Wording
from annotation.questions.values import HIGHEST, LOWEST, TYPES


class Task(StrEnum):
    """The three kinds of calls."""

    QUESTIONS = "questions"
    ANSWERS = "answers"
    GRADES = "grades"


@dataclass(frozen=True)
class Prompt:
    """A preset. Never edited once published: a change is a new ``version``."""

    key: str
    version: str
    task: Task
    language: str
    text: str


PRESETS: tuple[Prompt, ...] = (
    Prompt(
        "questions-fr",
        "1",
        Task.QUESTIONS,
        "fr",
        "Tu prépares un questionnaire de lecture sur un texte juridique. Écris des questions dont "
        "la réponse se trouve dans le texte et qui, ensemble, en couvrent l'essentiel. Chaque "
        "question se comprend seule, porte sur un seul point et ne contient pas sa réponse. La "
        "réponse est brève, complète, et ne dit rien de plus que le texte.",
    ),
    Prompt(
        "questions-en",
        "1",
        Task.QUESTIONS,
        "en",
        "You prepare a reading quiz on a legal text. Write questions whose answers are in the text "
        "and that together cover its main points. Each question can be understood by itself, asks "
        "about one point only and does not contain its answer. The answer is short, complete, and "
        "says nothing more than the text.",
    ),
    Prompt(
        "answers-fr",
        "1",
        Task.ANSWERS,
        "fr",
        "Tu réponds à une question d'après un seul texte. Ne te sers de rien d'autre : ni de tes "
        "connaissances du droit, ni de ce qui serait vraisemblable. Que le texte ne le dise pas "
        "est une bonne réponse quand c'est le cas.",
    ),
    Prompt(
        "answers-en",
        "1",
        Task.ANSWERS,
        "en",
        "You answer a question from one text alone. Use nothing else: neither what you know of the "
        "law nor what would be likely. That the text does not say is a good answer where it does "
        "not.",
    ),
    Prompt(
        "grades-fr",
        "1",
        Task.GRADES,
        "fr",
        "Tu notes une réponse en la comparant à la réponse attendue. Seul compte ce qu'elle dit, "
        "non sa formulation. Ce qui manque, ce qui est faux et ce qui contredit la réponse "
        "attendue baisse la note; une précision de plus qui ne la contredit pas ne la change pas.",
    ),
    Prompt(
        "grades-en",
        "1",
        Task.GRADES,
        "en",
        "You grade an answer by comparing it with the expected answer. Only what it says counts, "
        "not how it is put. What is missing, what is wrong and what contradicts the expected "
        "answer lowers the grade; a further detail that does not contradict it leaves it as it is.",
    ),
)


def preset(task: Task, language: str) -> Prompt:
    """The newest preset of a task in a language ("fr" or "en"). Raises ``KeyError``."""
    presets = [prompt for prompt in PRESETS if prompt.task == task and prompt.language == language]
    if not presets:
        raise KeyError((task, language))
    return presets[-1]


_QUESTIONS = Wording(
    "Écris de {least} à {most} questions en français, chacune d'un de ces types :",
    "Write {least} to {most} questions in English, each of one of these types:",
)
_QUESTIONS_SHAPE = Wording(
    "Réponds seulement par l'objet JSON demandé : pour chaque question, « type », « question », "
    "« answer » (la réponse attendue) et « quotation » (les mots du texte qui portent la réponse, "
    "recopiés sans rien changer).",
    "Reply with the requested JSON object only: for each question “type”, “question”, “answer” "
    "(the expected answer) and “quotation” (the words of the text that bear the answer, copied "
    "without any change).",
)
_ANSWER_SHAPE = Wording(
    "Réponds en français, et seulement par l'objet JSON demandé. Si le texte ne donne pas la "
    "réponse, « in_text » vaut false, « answer » et « quotation » sont vides. Sinon, « in_text » "
    "vaut true, « answer » est la réponse et « quotation » les mots du texte qui la portent, "
    "recopiés sans rien changer.",
    "Answer in English, and with the requested JSON object only. If the text does not give the "
    "answer, “in_text” is false, “answer” and “quotation” are empty. Otherwise “in_text” is true, "
    "“answer” is the answer and “quotation” the words of the text that bear it, copied without any "
    "change.",
)
_GRADE_SHAPE = Wording(
    "Réponds seulement par l'objet JSON demandé : « reason », en une phrase, puis « grade », un "
    f"nombre entier de {LOWEST} (rien de ce qui était attendu) à {HIGHEST} (tout ce qui était "
    "attendu, sans rien de faux).",
    "Reply with the requested JSON object only: “reason”, in one sentence, then “grade”, a whole "
    f"number from {LOWEST} (nothing of what was expected) to {HIGHEST} (all of what was expected, "
    "with nothing wrong).",
)
_TEXT = Wording("Texte :", "Text:")
_STRUCTURE = Wording("Ce que des gens y ont marqué :", "What people marked in it:")
_QUESTION = Wording("Question :", "Question:")
_EXPECTED = Wording("Réponse attendue :", "Expected answer:")
_GIVEN = Wording("Réponse à noter :", "Answer to grade:")
_REFUSED = Wording("Ta réponse précédente a été refusée :", "Your previous reply was refused:")

Messages = tuple[str, str]
"""The system message and the user message."""


def questions_messages(
    prompt: str,
    reference: str,
    *,
    types: Sequence[str],
    least: int,
    most: int,
    language: str,
    structure: str = "",
    problems: Sequence[str] = (),
) -> Messages:
    """Asks for questions about a reference. ``structure``: what people marked in it, where they
    did; ``problems``: what was wrong with a refused reply."""
    type_lines = [f"- {key} : {TYPES[key].description.get(language)}" for key in types]
    instruction = _QUESTIONS.get(language).format(least=least, most=most)
    system = [prompt.strip(), "", instruction, *type_lines, "", _QUESTIONS_SHAPE.get(language)]
    parts = [(_TEXT, reference), *([(_STRUCTURE, structure)] if structure else [])]
    return "\n".join(system), _user(parts, language, problems)


def answer_messages(
    prompt: str, question: str, text: str, *, language: str, problems: Sequence[str] = ()
) -> Messages:
    """Asks a question about a text. The expected answer is never told."""
    system = f"{prompt.strip()}\n\n{_ANSWER_SHAPE.get(language)}"
    return system, _user([(_TEXT, text), (_QUESTION, question)], language, problems)


def grade_messages(
    prompt: str,
    question: str,
    expected: str,
    answer: str,
    *,
    language: str,
    problems: Sequence[str] = (),
) -> Messages:
    """Asks how far an answer says what was expected. The texts are not told."""
    system = f"{prompt.strip()}\n\n{_GRADE_SHAPE.get(language)}"
    parts = [(_QUESTION, question), (_EXPECTED, expected), (_GIVEN, answer)]
    return system, _user(parts, language, problems)


def response_format(task: Task, types: Sequence[str] = ()) -> dict[str, Any]:
    """The API's parameter of that name: a strict JSON schema. ``types`` of questions."""
    schema = {
        Task.QUESTIONS: lambda: _object(
            questions={"type": "array", "items": _question_schema(types)}
        ),
        Task.ANSWERS: lambda: _object(
            in_text={"type": "boolean"}, answer=_STRING, quotation=_STRING
        ),
        Task.GRADES: lambda: _object(
            reason=_STRING,
            grade={"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))},
        ),
    }[task]()
    return {
        "type": "json_schema",
        "json_schema": {"name": str(task), "strict": True, "schema": schema},
    }


_STRING = {"type": "string"}


def _question_schema(types: Sequence[str]) -> dict[str, Any]:
    kinds = {"type": "string", "enum": list(types)}
    return _object(type=kinds, question=_STRING, answer=_STRING, quotation=_STRING)


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _user(parts: Sequence[tuple[Wording, str]], language: str, problems: Sequence[str]) -> str:
    said = [f"{heading.get(language)}\n{text}" for heading, text in parts]
    if problems:
        said.append("\n".join([_REFUSED.get(language), *(f"- {problem}" for problem in problems)]))
    return "\n\n".join(said)
