"""What an operation is, and what is wrong with edits: each problem names the edit by its number and
says what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.protocols.base import Answers, Option, PairFacts, Problem, Wording
from annotation.protocols.characters import is_inside
from annotation.protocols.edits import SIDES

SIDES_OF_OPERATIONS: dict[str, Wording] = {
    "original": Wording("dans l'original", "in the original"),
    "simplification": Wording("dans la simplification", "in the simplification"),
    "both": Wording("dans les deux textes", "in both texts"),
    "either": Wording("dans l'un des textes au moins", "in one of the texts at least"),
    "pair": Wording("la paire entière, passage ou non", "the whole pair, passage or not"),
}
"""Where an operation is marked: ``both`` needs a passage in each text, ``either`` one in any,
``pair`` none at all."""
LONGEST_TEXT = 20_000
"""Characters of a text on which edits can be marked."""
TEXTS = {
    "original": Wording("l'original", "the original"),
    "simplification": Wording("la simplification", "the simplification"),
}

EDIT, ERROR = Wording("opération", "edit"), Wording("erreur", "error")
"""What people call an edit: both words are feminine in French and begin with a vowel."""


@dataclass(frozen=True)
class Operation(Option):
    """What an edit may be; ``side`` is one of ``SIDES_OF_OPERATIONS``."""

    side: str = "both"


@dataclass(frozen=True)
class OperationGroup:
    """Operations that are offered under one heading."""

    key: str
    label: Wording
    operations: tuple[Operation, ...]


def whole_problems(
    name: str, edits: Sequence[Answers], most: int, facts: PairFacts, called: Wording = EDIT
) -> Iterator[Problem]:
    """What is wrong with the edits of the field ``name`` taken together: too many, or on texts that
    are too long."""
    if len(edits) > most:
        message = Wording(
            f"{len(edits)} {called.fr}s sont marquées, et {most} au plus peuvent l'être : "
            "retirez-en, ou réunissez celles qui n'en font qu'une.",
            f"{len(edits)} {called.en}s are marked, and {most} at most can be: remove some, or "
            "join those that are one.",
        )
        yield Problem(name, "too_many", message)
    for side in SIDES:
        length, text = facts.length(side), TEXTS[side]
        if edits and length > LONGEST_TEXT:
            message = Wording(
                f"{text.fr.capitalize()} a {length} caractères : des {called.fr}s se marquent sur "
                f"{LONGEST_TEXT} au plus. Demandez à qui dirige l'étude de diviser la paire.",
                f"{text.en.capitalize()} has {length} characters: {called.en}s are marked on "
                f"{LONGEST_TEXT} at most. Ask whoever runs the study to divide the pair.",
            )
            yield Problem(name, "text_too_long", message)


def span_fault(
    spans: Sequence[Sequence[int]], side: str, facts: PairFacts
) -> tuple[str, int, int] | None:
    """The first span that is not made of whole characters of its text: "span" where it is outside,
    "character" where it cuts one, with its start and its end."""
    text, length = facts.text(side), facts.length(side)
    for start, end in spans:
        if not 0 <= start < end <= length:
            return "span", start, end
        if is_inside(text, start) or is_inside(text, end):
            return "character", start, end
    return None


def spans_problem(
    number: int,
    side: str,
    spans: Sequence[Sequence[int]],
    facts: PairFacts,
    called: Wording = EDIT,
) -> tuple[str, Wording] | None:
    """The code and the words of what is wrong with the spans of an edit on one side."""
    text, length = TEXTS[side], facts.length(side)
    if fault := span_fault(spans, side, facts):
        code, start, end = fault
        if code == "span":
            return code, Wording(
                f"Le passage {start}–{end} de l'{called.fr} {number} sort de {text.fr} "
                f"(0–{length}) : marquez-le de nouveau.",
                f"The span {start}–{end} of {called.en} {number} is outside {text.en} "
                f"(0–{length}): mark it again.",
            )
        return code, Wording(
            f"Le passage {start}–{end} de l'{called.fr} {number} coupe un caractère de "
            f"{text.fr} en deux : marquez-le de nouveau, par mots entiers.",
            f"The span {start}–{end} of {called.en} {number} cuts a character of {text.en} in two: "
            "mark it again, by whole words.",
        )
    ordered = sorted(map(tuple, spans))
    for (_start, end), (start, other_end) in pairwise(ordered):
        if start < end:
            return "overlap", Wording(
                f"Deux passages de l'{called.fr} {number} se chevauchent dans {text.fr} "
                f"({start}–{min(end, other_end)}) : réunissez-les en un.",
                f"Two spans of {called.en} {number} overlap in {text.en} "
                f"({start}–{min(end, other_end)}): join them into one.",
            )
    return None


def side_problems(
    name: str, number: int, operation: Operation, edit: Answers, called: Wording = EDIT
) -> list[Problem]:
    """Passages on a side that the operation does not have, and those that it lacks."""
    problems = []
    label, side = operation.label, operation.side
    if side in SIDES:
        other = SIDES[1 - SIDES.index(side)]
        if edit[other]:
            message = Wording(
                f"L'{called.fr} {number} (« {label.fr} ») ne se marque pas dans "
                f"{TEXTS[other].fr} : retirez-y son passage, ou changez son type.",
                f"{called.en.capitalize()} {number} (“{label.en}”) is not marked in "
                f"{TEXTS[other].en}: remove its passage there, or change its type.",
            )
            problems.append(Problem(f"{name}.{other}", "side", message))
    needed = [side] if side in SIDES else [*SIDES] if side == "both" else []
    for text in needed:
        if not edit[text]:
            message = Wording(
                f"Marquez dans {TEXTS[text].fr} le passage de l'{called.fr} {number} "
                f"(« {label.fr} »), ou changez son type.",
                f"Mark the passage of {called.en} {number} (“{label.en}”) in {TEXTS[text].en}, or "
                "change its type.",
            )
            problems.append(Problem(f"{name}.{text}", "span_required", message))
    if side == "either" and not any(edit[text] for text in SIDES):
        message = Wording(
            f"Marquez dans l'un des textes le passage de l'{called.fr} {number} (« {label.fr} »), "
            "ou retirez-la.",
            f"Mark the passage of {called.en} {number} (“{label.en}”) in one of the texts, or "
            "remove it.",
        )
        problems.append(Problem(name, "span_required", message))
    return problems
