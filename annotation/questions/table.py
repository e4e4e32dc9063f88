"""A table of references and systems' summaries as a model can read it: what is longer than its
window is refused by row and column, or cut, as the lead chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotation.corpus.problems import RowProblem
from annotation.corpus.summaries import SummariesFile, Summary
from annotation.protocols.base import Wording
from annotation.questions.lengths import Border, TooLong, fitted

_FIELDS = {"reference": "reference", "text": "summary"}
"""Members of a summary that are texts, and the columns that they stand in."""
_REMEDY = Wording(
    "Raccourcissez-le, permettez qu'il soit coupé, ou augmentez le nombre de jetons.",
    "Shorten it, allow it to be cut, or state a larger number of tokens.",
)


@dataclass(frozen=True)
class Within:
    """A table without texts that are too long. ``cut``: rows and columns of those that were cut."""

    file: SummariesFile
    cut: tuple[tuple[int, str], ...] = ()


def within(file: SummariesFile, most: int, border: Border | None = None) -> Within:
    """The table with texts of at most ``most`` tokens: cut at the last ``border`` before that, or
    refused without one. A row with a text that is refused is left out."""
    rows: list[Summary] = []
    problems: list[RowProblem] = []
    cut: list[tuple[int, str]] = []
    for row in file.rows:
        changed: dict[str, str] = {}
        wrong: list[RowProblem] = []
        for name, column in _FIELDS.items():
            text = getattr(row, name)
            try:
                kept = fitted(text, most, border)
            except TooLong as error:
                problem = error.problem
                wrong.append(RowProblem(column, problem.code, problem.message, row.row, _REMEDY))
                continue
            if kept != text:
                changed[name] = kept
        problems += wrong
        if not wrong:
            rows.append(replace(row, **changed))  # type: ignore[arg-type]  # texts alone
            cut += [(row.row, _FIELDS[name]) for name in changed]
    return Within(replace(file, rows=tuple(rows), problems=(*file.problems, *problems)), tuple(cut))
