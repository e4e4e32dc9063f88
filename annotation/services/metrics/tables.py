"""The report on metrics for a table of human scores, without a study."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from annotation.corpus.human_scores import HumanScores, ScoreColumns
from annotation.errors import RuleError
from annotation.metrics.metric import Direction, pair
from annotation.metrics.registry import metrics
from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.explained import explained
from annotation.metrics.report.people import Candidate, FloatArray, Output, People
from annotation.protocols.base import Wording
from annotation.reading import human_scores_read
from annotation.selectors.metrics.material import Material
from annotation.services.metrics.brought import RESERVED
from annotation.services.metrics.reports import Asked, Watch, material_report


@dataclass(frozen=True)
class TableAsked:
    """What is said of a table. ``lower``: those of its ``columns.scores`` for which lower is
    better; ``language``: of its texts, ISO 639-1, "" where unknown."""

    columns: ScoreColumns
    lower: frozenset[str] = frozenset()
    language: str = ""


def table_report(content: bytes, told: TableAsked, asked: Asked, watch: Watch) -> dict[str, Any]:
    """The report, with ``table``: what was taken from which column. What a report needs of
    ``asked`` is slow, seed and draws.

    Raises ``RuleError`` that names rows and columns, all or none being taken; and for a human scale
    without width.
    """
    lowest, highest = told.columns.lowest, told.columns.highest
    if lowest is not None and highest is not None:
        _check_scale(lowest, highest)
    read = human_scores_read(content, told.columns)
    if read.fatal is not None:
        raise RuleError([read.fatal])
    if read.problems:
        raise RuleError(read.problems)
    _check_scale(read.lowest, read.highest)
    found = _material(read, told.language)
    counts = np.array([one.counts for one in read.rows], dtype=np.float64)
    names = told.columns.counts
    report = material_report(
        found,
        _brought(read, told),
        asked,
        watch,
        beside=partial(_explained, names, counts) if names else None,
    )
    return report | {"protocol": "", "papers": [], "table": _taken(content, told)}


def _explained(
    names: Sequence[str],
    counts: FloatArray,
    people: People,
    lines: Sequence[Candidate],
    drawn: Drawn,
) -> dict[str, Any]:
    return {"explained": explained(names, counts, people, lines, drawn)}


def _check_scale(lowest: float, highest: float) -> None:
    if not -math.inf < lowest < highest < math.inf:
        raise RuleError.single(
            "scale",
            "no_width",
            "L'échelle humaine n'a pas d'étendue : donnez ses deux bornes, la plus basse d'abord.",
            "The human scale has no width: give both of its ends, the lower one first.",
        )


def _material(read: HumanScores, language: str) -> Material:
    people = People(
        tuple(
            Output(str(one.row), one.original, one.simplification, one.system, source=one.source)
            for one in read.rows
        ),
        _numbers([one.human for one in read.rows]),
        read.lowest,
        read.highest,
    )
    pairs = tuple(
        pair(one.original, one.simplification, one.references, language) for one in read.rows
    )
    numbers = [len(one.references) for one in pairs]
    rows = tuple(one.row for one in read.rows)
    return Material(people, rows, pairs, max(numbers), min(numbers))


def _numbers(rows: Sequence[Sequence[float | None]]) -> FloatArray:
    """(n, columns), NaN for an empty cell."""
    return np.array(
        [[np.nan if value is None else value for value in row] for row in rows], dtype=np.float64
    )


def _brought(read: HumanScores, told: TableAsked) -> list[Candidate]:
    own = set(metrics()) | RESERVED
    values = _numbers([one.scores for one in read.rows])
    return [
        Candidate(
            name=_own(name, own),
            label=Wording(name, name),
            direction=Direction.LOWER if name in told.lower else Direction.HIGHER,
            bounds=None,
            signature=_signature(name, values[:, place]),
            values=values[:, place],
            is_brought=True,
        )
        for place, name in enumerate(told.columns.scores)
    ]


def _own(name: str, taken: set[str]) -> str:
    """A line's name; a column may be called as a metric that is computed here."""
    return f"{name} (table)" if name.lower() in taken else name


def _signature(name: str, values: FloatArray) -> str:
    given = [None if np.isnan(value) else float(value) for value in values]
    digest = hashlib.sha256(json.dumps(given).encode()).hexdigest()
    # The parts of a signature are divided by «|».
    return f"{name.replace('|', '/')}|brought|sha256:{digest[:12]}"


def _taken(content: bytes, told: TableAsked) -> dict[str, Any]:
    columns = told.columns
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "human": list(columns.human),
        "references": list(columns.references),
        "system": columns.system,
        "source": columns.source,
        "counts": list(columns.counts),
        "language": told.language,
        "scale_given": columns.lowest is not None,
    }
