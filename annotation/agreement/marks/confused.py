"""Which operations are called otherwise: the cells of the matrix, of one couple or of all."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.agreement.marks.matching import CoupleEdits
from annotation.agreement.marks.report import EditsReport

Row = tuple[str | int, ...]
COLUMNS = ("merged", "first", "second", "first_operation", "second_operation", "edits", "pairs")


@dataclass(frozen=True)
class Matrix:
    """Edits by what both call them ("" for what one has not marked), with the pairs behind each
    cell. Over several couples it is symmetric: who is first is nobody's, so that each edit that two
    call otherwise stands in both of its cells. ``kinds``: rows and columns, without ""."""

    kinds: tuple[str, ...]
    edits: Mapping[tuple[str, str], int]
    pairs: Mapping[tuple[str, str], tuple[str, ...]]


def matrix_of(couples: Sequence[CoupleEdits]) -> Matrix:
    """That of these couples."""
    edits: Counter[tuple[str, str]] = Counter()
    pairs: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for couple in couples:
        for cell in couple.confused:
            place = (cell.first, cell.second)
            both = {place, place[::-1]} if len(couples) > 1 else {place}
            for key in sorted(both):
                edits[key] += cell.edits
                pairs[key].update(dict.fromkeys(cell.pairs))
    kinds = sorted({kind for place in edits for kind in place if kind})
    return Matrix(
        tuple(kinds), edits, {place: tuple(sorted(names)) for place, names in pairs.items()}
    )


def confusion_rows(report: EditsReport) -> Iterator[Row]:
    """A row for each cell of each couple's matrix, the diagonal included, with ``COLUMNS``; the
    pairs are a list of JSON."""
    for agreement in report.agreement:
        merged = "yes" if agreement.grouping else "no"
        for couple in agreement.edits.couples:
            for cell in couple.confused:
                pairs = json.dumps(cell.pairs, ensure_ascii=False)
                named = (cell.first, cell.second, cell.edits, pairs)
                yield (merged, couple.first, couple.second, *named)
