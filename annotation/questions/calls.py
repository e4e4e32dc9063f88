"""What a run of questions, of answers or of grades is set to, beside its systems; and the systems
that are offered for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from annotation.generation.judging import JUDGE_MODEL
from annotation.generation.presets import SystemSpec
from annotation.protocols.base import Problem, Wording
from annotation.questions.lengths import Border, fitted
from annotation.questions.prompts import Task, preset
from annotation.questions.values import CLAUSE_TYPES, TYPES

TASKS: Mapping[str, Task] = {
    "question": Task.QUESTIONS,
    "answer": Task.ANSWERS,
    "grade": Task.GRADES,
}
"""What each purpose of a run asks of a model."""
FOLLOWS: Mapping[str, str] = {"answer": "question", "grade": "answer"}
"""The purpose of the run that a run comes after."""

MOST_QUESTIONS = 50
_OF_ALL = ("language", "window", "border")
_SHORTEST_WINDOW = 100
_PARAMETERS: Mapping[Task, Mapping[str, Any]] = {
    Task.QUESTIONS: {"max_tokens": 3000, "temperature": 0.0},
    Task.ANSWERS: {"max_tokens": 600, "temperature": 0.0},
    Task.GRADES: {"max_tokens": 400, "temperature": 0.0},
}
_NAMES: Mapping[Task, str] = {
    Task.QUESTIONS: "questions-gpt-4.1",
    Task.ANSWERS: "answers-gpt-4.1",
    Task.GRADES: "grades-gpt-4.1",
}


@dataclass(frozen=True)
class Questioning:
    """``types`` of questions, how many of them at ``least`` and at ``most``; the ``language`` in
    which a model is asked and answers. ``window``: tokens of text that are sent at most, 0 for no
    limit; a longer text is cut at the last such ``border`` before it, or refused where that is
    empty."""

    types: tuple[str, ...] = CLAUSE_TYPES
    least: int = 1
    most: int = 8
    language: str = "fr"
    window: int = 0
    border: str = ""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Questioning:
        """As a run stores it; what it does not say is as it is without being said."""
        return cls(**{**stored, "types": tuple(stored.get("types", CLAUSE_TYPES))})

    def as_dict(self, purpose: str) -> dict[str, Any]:
        """As a run of this purpose stores it: how many questions, and of which types, says nothing
        of how they are answered."""
        stored = {**asdict(self), "types": list(self.types)}
        if purpose in FOLLOWS:
            return {name: stored[name] for name in _OF_ALL}
        return stored

    def shown(self, text: str) -> str:
        """The text as it is sent. Raises ``TooLong`` where it is longer than the window and is not
        to be cut."""
        if not self.window:
            return text
        return fitted(text, self.window, Border(self.border) if self.border else None)


def unfit_settings(purpose: str, wanted: Iterable[str]) -> list[Problem]:
    """What of these settings a run of this purpose does not have."""
    known = {field.name for field in fields(Questioning)} if purpose in TASKS else set()
    allowed = set(_OF_ALL) if purpose in FOLLOWS else known
    return [
        _problem(
            name,
            "unfit",
            f"Une passe de ce type ne se règle pas ainsi : « {name} ». Retirez-le.",
            f"A run of this kind has no such setting: “{name}”. Leave it out.",
        )
        for name in sorted(set(wanted) - allowed)
    ]


def questioning_problems(wanted: Questioning) -> list[Problem]:
    """Every reason why a run cannot be set so; empty when it can."""
    problems = _types_problems(wanted.types)
    if not 1 <= wanted.least <= wanted.most <= MOST_QUESTIONS:
        problems.append(
            _problem(
                "most",
                "outside",
                f"Entre 1 et {MOST_QUESTIONS} questions, le minimum d'abord.",
                f"Between 1 and {MOST_QUESTIONS} questions, the least number first.",
            )
        )
    if wanted.language not in ("fr", "en"):
        problems.append(_problem("language", "unknown", "Langues : fr, en.", "Languages: fr, en."))
    if wanted.window and wanted.window < _SHORTEST_WINDOW:
        problems.append(
            _problem(
                "window",
                "outside",
                f"Au moins {_SHORTEST_WINDOW} jetons, ou 0 pour ne rien limiter.",
                f"At least {_SHORTEST_WINDOW} tokens, or 0 for no limit.",
            )
        )
    borders = [border.value for border in Border]
    if wanted.border and wanted.border not in borders:
        known = ", ".join(borders)
        problems.append(_problem("border", "unknown", f"Coupes : {known}.", f"Borders: {known}."))
    return problems


def questioning_preset(purpose: str, language: str) -> SystemSpec:
    """The system that is offered for a run of this purpose."""
    task = TASKS[purpose]
    return SystemSpec(
        name=_NAMES[task],
        model=JUDGE_MODEL,
        prompt=preset(task, language).text,
        parameters=_PARAMETERS[task],
    )


def _types_problems(types: tuple[str, ...]) -> list[Problem]:
    if types and len(set(types)) == len(types) and all(key in TYPES for key in types):
        return []
    known = ", ".join(TYPES)
    return [
        _problem(
            "types",
            "unknown",
            f"Choisissez des types parmi : {known}.",
            f"Choose types among: {known}.",
        )
    ]


def _problem(field: str, code: str, fr: str, en: str) -> Problem:
    return Problem(field, code, Wording(fr, en))
