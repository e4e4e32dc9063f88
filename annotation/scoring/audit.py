"""The data audit before every training: what is wrong with the labels, the pairs and the split, row
by row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.protocols.base import Wording
from annotation.scoring.duplicates import near_duplicates
from annotation.scoring.metrics import Metric, pearson
from annotation.scoring.splits import source_key
from annotation.scoring.strata import looks_truncated

_TOLERANCE = 0.001
_LAST_DIGITS = 1e-12
_FEWEST_RATINGS = 5
CORRELATED = frozenset({"labels_not_own_aggregate", "repeats_disagree"})
"""The findings whose value is a correlation; in reports of before, that of ``constant_annotators``
counted people."""


@dataclass(frozen=True)
class AuditRow:
    """One labelled pair as it stands in the file. ``row`` is the number a person looks up.

    ``ratings``: annotator to score, or empty where the file holds labels alone. ``side``: "train",
    … where split.
    """

    row: int
    original: str
    simplification: str
    label: float
    ratings: Mapping[str, float] = field(default_factory=dict)
    finish_reason: str = ""
    side: str = ""
    is_practice: bool = False


@dataclass(frozen=True)
class Finding:
    """What was found, in which rows; ``value`` is the correlation that goes with it, None where
    there is none."""

    code: str
    message: Wording
    rows: tuple[int, ...]
    is_serious: bool
    value: float | None = None


def audit(
    rows: Sequence[AuditRow], *, scale_range: float, aggregate: str = "mean"
) -> list[Finding]:
    """Every finding, serious ones first. ``aggregate`` "mean" or "median": how labels are made of
    ratings."""
    combine: Callable[[list[float]], float] = _median if aggregate == "median" else _mean
    findings = [
        _not_own_aggregate(rows, combine, _TOLERANCE * scale_range),
        _repeats(rows, scale_range),
        _across_sides(rows),
        _constant_annotators(rows),
        _rows_where("practice_rows", rows, lambda row: row.is_practice, is_serious=True),
        _rows_where(
            "identical_outputs",
            rows,
            lambda row: row.original.split() == row.simplification.split(),
        ),
        _rows_where(
            "truncated_outputs",
            rows,
            lambda row: looks_truncated(row.simplification, row.finish_reason),
        ),
        _near(rows),
    ]
    return sorted(
        (finding for finding in findings if finding), key=lambda finding: not finding.is_serious
    )


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


def _median(values: list[float]) -> float:
    return float(np.median(values))


def _not_own_aggregate(
    rows: Sequence[AuditRow], combine: Callable[[list[float]], float], tolerance: float
) -> Finding | None:
    rated = [row for row in rows if row.ratings]
    own = [combine(list(row.ratings.values())) for row in rated]
    wrong = [
        row for row, value in zip(rated, own, strict=True) if abs(value - row.label) > tolerance
    ]
    if not wrong:
        return None
    of = dict(zip((row.row for row in rated), own, strict=True))
    correlation = pearson(
        np.array([row.label for row in wrong]), np.array([of[row.row] for row in wrong])
    )
    return _finding("labels_not_own_aggregate", wrong, is_serious=True, value=correlation)


def _repeats(rows: Sequence[AuditRow], scale_range: float) -> Finding | None:
    """Pairs that occur twice: labels further apart than a fifth of the scale; the correlation
    between repeats."""
    repeated = [same for same in _grouped(rows, _pair_key).values() if len(same) > 1]
    # 6.4 and 4.6 are a fifth of nine points apart and no more, whatever subtracting leaves.
    most = 0.2 * scale_range + _LAST_DIGITS * scale_range
    differ = [same for same in repeated if _spread(same) > most]
    if not differ:
        return None
    correlation = repeat_correlation(rows)
    serious = correlation.value is None or correlation.value < 0.5
    return _finding(
        "repeats_disagree",
        (row for same in differ for row in same),
        is_serious=serious,
        value=correlation,
    )


def repeat_correlation(rows: Sequence[AuditRow]) -> Metric:
    """Correlation between the labels of the first two occurrences of every repeated pair; None
    where undefined."""
    repeated = [same for same in _grouped(rows, _pair_key).values() if len(same) > 1]
    first = np.array([same[0].label for same in repeated])
    return pearson(first, np.array([same[1].label for same in repeated]))


def _across_sides(rows: Sequence[AuditRow]) -> Finding | None:
    split = [row for row in rows if row.side]
    mixed = [
        same for same in _grouped(split, _source).values() if len({row.side for row in same}) > 1
    ]
    return (
        _finding("source_on_two_sides", (row for same in mixed for row in same), is_serious=True)
        if mixed
        else None
    )


def _constant_annotators(rows: Sequence[AuditRow]) -> Finding | None:
    given: dict[str, list[tuple[float, AuditRow]]] = defaultdict(list)
    for row in rows:
        for annotator, score in row.ratings.items():
            given[annotator].append((score, row))
    constant = {
        annotator: [row for _, row in scores]
        for annotator, scores in given.items()
        if len(scores) >= _FEWEST_RATINGS and len({score for score, _ in scores}) == 1
    }
    if not constant:
        return None
    finding = _finding(
        "constant_annotators", (row for same in constant.values() for row in same), is_serious=True
    )
    names = Wording(", ".join(sorted(constant)), ", ".join(sorted(constant)))
    message = Wording(f"{finding.message.fr} ({names.fr})", f"{finding.message.en} ({names.en})")
    return Finding(finding.code, message, finding.rows, finding.is_serious)


def _near(rows: Sequence[AuditRow]) -> Finding | None:
    texts = [f"{row.original} ||| {row.simplification}" for row in rows]
    places = sorted({place for pair in near_duplicates(texts) for place in pair})
    exact = {
        row.row for same in _grouped(rows, _pair_key).values() if len(same) > 1 for row in same
    }
    near = [rows[place] for place in places if rows[place].row not in exact]
    return _finding("near_duplicates", near, is_serious=False) if near else None


def _rows_where(
    code: str,
    rows: Sequence[AuditRow],
    condition: Callable[[AuditRow], bool],
    *,
    is_serious: bool = False,
) -> Finding | None:
    chosen = [row for row in rows if condition(row)]
    return _finding(code, chosen, is_serious=is_serious) if chosen else None


def _grouped(
    rows: Iterable[AuditRow], key: Callable[[AuditRow], Hashable]
) -> dict[Hashable, list[AuditRow]]:
    groups: dict[Hashable, list[AuditRow]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _pair_key(row: AuditRow) -> Hashable:
    return source_key(row.original), source_key(row.simplification)


def _source(row: AuditRow) -> Hashable:
    return source_key(row.original)


def _spread(rows: Sequence[AuditRow]) -> float:
    labels = [row.label for row in rows]
    return max(labels) - min(labels)


def _finding(
    code: str, rows: Iterable[AuditRow], *, is_serious: bool, value: Metric | None = None
) -> Finding:
    numbers = tuple(sorted({row.row for row in rows}))
    return Finding(
        code,
        _MESSAGES[code].format(n=len(numbers)),
        numbers,
        is_serious,
        value.value if value else None,
    )


_MESSAGES: dict[str, Wording] = {
    "labels_not_own_aggregate": Wording(
        "{n} notes ne sont pas celles que donnent les jugements de leur propre ligne.",
        "{n} labels are not what the ratings of their own row give.",
    ),
    "repeats_disagree": Wording(
        "{n} lignes répètent une paire avec une note très différente.",
        "{n} rows repeat a pair with a very different label.",
    ),
    "source_on_two_sides": Wording(
        "{n} lignes partagent leur texte source avec un autre côté du partage.",
        "{n} rows share their source text with another side of the split.",
    ),
    "constant_annotators": Wording(
        "{n} lignes jugées par quelqu'un qui a toujours donné la même note",
        "{n} rows judged by someone who always gave the same score",
    ),
    "practice_rows": Wording(
        "{n} lignes viennent de l'entraînement des annotateurs.", "{n} rows are practice rows."
    ),
    "identical_outputs": Wording(
        "{n} simplifications répètent l'original.", "{n} simplifications repeat the original."
    ),
    "truncated_outputs": Wording(
        "{n} simplifications semblent coupées.", "{n} simplifications seem cut off."
    ),
    "near_duplicates": Wording(
        "{n} lignes sont presque les mêmes qu'une autre.",
        "{n} rows are nearly the same as another one.",
    ),
}
