"""The report on metrics for a table of human scores, without a study."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from annotation.agreement.systems.figure import wording_facts
from annotation.corpus.human_scores import LARGEST, HumanScores, ScoreColumns
from annotation.errors import RuleError
from annotation.metrics.languages import with_languages
from annotation.metrics.metric import Direction, pair
from annotation.metrics.registry import metrics
from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.explained import explained
from annotation.metrics.report.people import Candidate, FloatArray, Output, People
from annotation.protocols.base import Wording
from annotation.reading import Pace, human_scores_read
from annotation.selectors.metrics.material import Material
from annotation.services.metrics.brought import RESERVED
from annotation.services.metrics.machines import Tools
from annotation.services.metrics.measuring import (
    ReportRequest,
    Watch,
    encoder_steps,
    material_report,
)


@dataclass(frozen=True)
class TableRequest:
    """What is said of a table. ``lower``: those of its ``columns.scores`` for which lower is
    better; ``language``: of its texts, ISO 639-1, "" where it is to be told from them."""

    columns: ScoreColumns
    lower: frozenset[str] = frozenset()
    language: str = ""


def table_read(
    content: bytes, request: TableRequest, *, person: int | None = None, pace: Pace = Pace.FULL
) -> HumanScores:
    """The rows of a table. ``person``: whose turn to read it takes; None for a terminal.

    Raises ``RuleError`` that names rows and columns, all or none being taken, or the field of
    ``ScoreColumns`` where no row is meant; and for a human scale ("scale") without width.
    ``ReadingBusy``, and ``ReadLater`` where it was to be read at once.
    """
    lowest, highest = request.columns.lowest, request.columns.highest
    if lowest is not None and highest is not None:
        _check_scale(lowest, highest)
    columns = replace(request.columns, lower=tuple(sorted(request.lower)))
    read = human_scores_read(content, columns, person=person, pace=pace)
    if read.fatal is not None:
        raise RuleError([read.fatal])
    if read.problems:
        raise RuleError(read.problems)
    _check_scale(read.lowest, read.highest)
    return read


def table_report(
    content: bytes,
    request: TableRequest,
    options: ReportRequest,
    watch: Watch,
    tools: Tools | None = None,
    *,
    person: int | None = None,
    pace: Pace = Pace.FULL,
) -> dict[str, Any]:
    """The report, with ``table``: what was taken from which column. What a report needs of
    ``options`` is slow, seed, draws and encoders. Raises what ``table_read`` raises."""
    read = table_read(content, request, person=person, pace=pace)
    judged = _material(read, request.language)
    counts = np.array([row.counts for row in read.rows], dtype=np.float64)
    names = request.columns.counts
    report = material_report(
        judged,
        _brought(read, request),
        options,
        watch,
        encoder_steps(options.encoders, tools or Tools()),
        beside=partial(_explained, names, counts) if names else None,
    )
    notes = [wording_facts(note) for note in _notes(read, request)]
    taken = _taken(content, request)
    return report | {"protocol": "", "papers": [], "notes": notes, "table": taken}


def _notes(read: HumanScores, request: TableRequest) -> list[Wording]:
    """What has to be known of the whole report."""
    notes = []
    if request.columns.lowest is None:
        notes.append(
            Wording(
                f"L'échelle n'a pas été donnée : ses bornes, {read.lowest:g} et {read.highest:g}, "
                "sont la note la plus basse et la plus haute du tableau. Les erreurs en points et "
                "les parts au-dessus des personnes en dépendent.",
                f"The scale was not given: its ends, {read.lowest:g} and {read.highest:g}, are the "
                "lowest and the highest score of the table. Errors in points and shares above "
                "people depend on them.",
            )
        )
    empty = sum(not row.references for row in read.rows)
    if request.columns.references and empty:
        notes.append(
            Wording(
                f"Lignes sans référence : {empty}. Ce qui se compare à une référence y est "
                "comparé à l'original, ou n'y est pas défini.",
                f"Rows without a reference: {empty}. What compares with one is compared with the "
                "original there, or is undefined.",
            )
        )
    return notes


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
    if max(-lowest, highest) > LARGEST:
        raise RuleError.single(
            "scale",
            "too_large",
            f"L'échelle humaine est trop grande pour être calculée : {LARGEST:g} au plus. "
            "Divisez les notes et les bornes.",
            f"The human scale is too large to be computed with: {LARGEST:g} at most. Divide the "
            "scores and the ends.",
        )


def _material(read: HumanScores, language: str) -> Material:
    people = People(
        tuple(
            Output(str(row.row), row.original, row.simplification, row.system, source=row.source)
            for row in read.rows
        ),
        _numbers([row.human for row in read.rows]),
        read.lowest,
        read.highest,
    )
    pairs = with_languages(
        [pair(row.original, row.simplification, row.references, language) for row in read.rows]
    )
    numbers = [len(metric_pair.references) for metric_pair in pairs]
    rows = tuple(row.row for row in read.rows)
    return Material(people, rows, pairs, max(numbers), min(numbers))


def _numbers(rows: Sequence[Sequence[float | None]]) -> FloatArray:
    """(n, columns), NaN for an empty cell."""
    return np.array(
        [[np.nan if value is None else value for value in row] for row in rows], dtype=np.float64
    )


def _brought(read: HumanScores, request: TableRequest) -> list[Candidate]:
    own = set(metrics()) | RESERVED
    values = _numbers([row.scores for row in read.rows])
    return [
        Candidate(
            name=_own(name, own),
            label=Wording(name, name),
            direction=Direction.LOWER if name in request.lower else Direction.HIGHER,
            bounds=None,
            signature=_signature(name, values[:, place]),
            values=values[:, place],
            is_brought=True,
        )
        for place, name in enumerate(request.columns.scores)
    ]


def _own(name: str, taken: set[str]) -> str:
    """A line's name; a column may be called as a metric that is computed here."""
    return f"{name} (table)" if name.lower() in taken else name


def _signature(name: str, values: FloatArray) -> str:
    given = [None if np.isnan(value) else float(value) for value in values]
    digest = hashlib.sha256(json.dumps(given).encode()).hexdigest()
    # The parts of a signature are divided by «|».
    return f"{name.replace('|', '/')}|brought|sha256:{digest[:12]}"


def _taken(content: bytes, request: TableRequest) -> dict[str, Any]:
    columns = request.columns
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "human": list(columns.human),
        "references": list(columns.references),
        "system": columns.system,
        "source": columns.source,
        "counts": list(columns.counts),
        "language": request.language,
        "scale_given": columns.lowest is not None,
    }
