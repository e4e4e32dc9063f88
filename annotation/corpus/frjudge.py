"""FrJUDGE as it was released: one line per pair and judge, in no order that could be told, judges
unnamed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from annotation.corpus.encodings import decode
from annotation.corpus.jsonl import objects
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError, and_more, shown
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing
from annotation.protocols.legal_meaning.definition import CLASSES, SIMPLICITY, legal_meaning

KEYS = (
    "original",
    "simplification",
    "simplicity",
    "qualification",
    "legal_meaning",
    "justifications",
)

_LABELS = {option.label.fr: option.value for option in SIMPLICITY}
SIMPLICITY_LABELS = {option.value: option.label for option in SIMPLICITY}
"""What each value of the first question says."""
_LABEL_OF = {value: label for label, value in _LABELS.items()}
_CLASSES = {str(option.value): option.value for option in CLASSES}
_SCORES = {str(score): score for score in range(legal_meaning.lowest, legal_meaning.highest + 1)}
# Unlike pairs of our own, control characters and lengths are taken as released; these two no
# database takes.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FrjudgeRow:
    """One judge's answers to one pair. ``row`` counts the judgments of the file from 1."""

    row: int
    original: str
    simplification: str
    simplicity: int
    qualification: int
    legal_meaning: int
    justifications: str = ""


@dataclass(frozen=True)
class FrjudgeFile:
    """What a file holds, and what is wrong with its other lines."""

    rows: list[FrjudgeRow] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)

    @property
    def protocol(self) -> str:
        """Of the protocol by which they were judged, its key."""
        return "legal_meaning"

    @property
    def judges_per_pair(self) -> dict[int, int]:
        """How many pairs have how many judges. The released file has one entry: 297 pairs with
        five."""
        per_pair = Counter((row.original, row.simplification) for row in self.rows)
        return dict(sorted(Counter(per_pair.values()).items()))


def is_frjudge(columns: Collection[str]) -> bool:
    """Whether a table's columns are those of the released file."""
    return set(columns) == set(KEYS)


def read_frjudge(content: bytes) -> FrjudgeFile:
    """The judgments of a file. Raises ``TableError`` where it is not UTF-8, no JSON lines, or
    empty."""
    file = FrjudgeFile()
    for number, line in objects(decode(content, "utf-8")):
        if isinstance(line, RowProblem):
            file.problems.append(line)
        elif problems := _line_problems(number, line):
            file.problems.extend(problems)
        else:
            file.rows.append(_row(len(file.rows) + 1, line))
        if len(file.problems) > MAX_PROBLEMS:
            file.problems.append(and_more(number))
            break
    if not file.rows and not file.problems:
        raise TableError(
            "no_rows",
            Wording("Le fichier est vide.", "The file is empty."),
            Wording("Choisissez le fichier FrJUDGE publié.", "Choose the released FrJUDGE file."),
        )
    return file


def format_row(
    *,
    original: str,
    simplification: str,
    simplicity: int,
    qualification: int,
    legal_meaning: int,
    justifications: str = "",
) -> str:
    """One line of the released layout, its end included, byte for byte as ``json.dumps`` wrote it
    there."""
    values = (
        original,
        simplification,
        _LABEL_OF[simplicity],
        str(qualification),
        str(legal_meaning),
        justifications,
    )
    return json.dumps(dict(zip(KEYS, values, strict=True)), ensure_ascii=False) + "\n"


def _row(number: int, line: dict[str, Any]) -> FrjudgeRow:
    return FrjudgeRow(
        row=number,
        original=line["original"],
        simplification=line["simplification"],
        simplicity=_LABELS[line["simplicity"]],
        qualification=_CLASSES[line["qualification"]],
        legal_meaning=_SCORES[line["legal_meaning"]],
        justifications=line["justifications"],
    )


def _line_problems(number: int, line: dict[str, Any]) -> list[RowProblem]:
    if problem := _key_problem(number, line):
        return [problem]
    problems = []
    for key in KEYS:
        value = line[key]
        if not isinstance(value, str):
            problems.append(_not_a_text(number, key, value))
        elif _UNSTORABLE.search(value):
            problems.append(_unstorable(number, key))
        elif key in ("original", "simplification") and shows_nothing(value):
            problems.append(_empty(number, key))
        elif key in _ALLOWED and value not in _ALLOWED[key]:
            problems.append(_not_allowed(number, key, value))
    return problems


_ALLOWED: dict[str, dict[str, int]] = {
    "simplicity": _LABELS,
    "qualification": _CLASSES,
    "legal_meaning": _SCORES,
}
_EXPECTED = {
    "simplicity": Wording(" · ".join(_LABELS), " · ".join(_LABELS)),
    "qualification": Wording("de 1 à 18", "1 to 18"),
    "legal_meaning": Wording("de 1 à 10", "1 to 10"),
}


def _key_problem(number: int, line: dict[str, Any]) -> RowProblem | None:
    listed = ", ".join(KEYS)
    remedy = Wording(f"Les clés sont exactement : {listed}.", f"The keys are exactly: {listed}.")
    for key in KEYS:
        if key not in line:
            message = Wording(f"La clé « {key} » manque.", f"The key “{key}” is missing.")
            return RowProblem(key, "missing_key", message, row=number, remedy=remedy)
    for key in line:
        if key not in KEYS:
            name = shown(key)
            message = Wording(
                f"La clé « {name} » est de trop.", f"The key “{name}” is one too many."
            )
            return RowProblem(name, "unknown_key", message, row=number, remedy=remedy)
    return None


def _not_a_text(number: int, key: str, value: object) -> RowProblem:
    # Not its content: a list may be nested deeper than it can be written.
    written = (
        "[…]"
        if isinstance(value, list)
        else "{…}"
        if isinstance(value, dict)
        else json.dumps(value)[:40]
    )
    return RowProblem(
        key,
        "not_a_text",
        Wording(
            f"« {key} » vaut {written}, qui n'est pas un texte.",
            f"“{key}” is {written}, which is no text.",
        ),
        row=number,
        remedy=Wording("Mettez la valeur entre guillemets.", "Put the value in quotation marks."),
    )


def _unstorable(number: int, key: str) -> RowProblem:
    return RowProblem(
        key,
        "forbidden_character",
        Wording(
            f"« {key} » contient un caractère nul ou une moitié de caractère.",
            f"“{key}” holds a null character or half a character.",
        ),
        row=number,
        remedy=Wording("Supprimez ce caractère.", "Delete this character."),
    )


def _empty(number: int, key: str) -> RowProblem:
    return RowProblem(
        key,
        "empty",
        Wording(f"« {key} » est vide.", f"“{key}” is empty."),
        row=number,
        remedy=Wording(
            "Écrivez le texte, ou supprimez la ligne.", "Write the text, or delete the line."
        ),
    )


def _not_allowed(number: int, key: str, value: str) -> RowProblem:
    expected = _EXPECTED[key]
    value = shown(value[:40])
    return RowProblem(
        key,
        "not_on_the_scale",
        Wording(
            f"« {value} » n'est pas une valeur de « {key} ».", f"“{value}” is no value of “{key}”."
        ),
        row=number,
        remedy=Wording(f"Valeurs permises : {expected.fr}.", f"Allowed values: {expected.en}."),
    )
