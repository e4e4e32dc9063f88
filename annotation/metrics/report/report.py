"""The whole report: every metric against people, from arrays to a JSON-safe account.

Which metric can stand in for people is asked in five ways, since each alone misleads: over all
outputs, within parts of them, on whole systems, on control pairs, and beside what one person
achieves and what lengths alone do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import rounded, wording_facts
from annotation.agreement.systems.permutation import holm
from annotation.agreement.systems.resampling import BOOTSTRAP, sources_interval
from annotation.metrics.metric import NOT_BROUGHT, UNAVAILABLE, UNDEFINED
from annotation.metrics.report.baseline import original_alone
from annotation.metrics.report.between import between
from annotation.metrics.report.correlations import Correlation, correlations, pearson
from annotation.metrics.report.estimate import Drawn, Estimate, drawn_counts
from annotation.metrics.report.levels import (
    above_human,
    human_ceiling,
    of_systems,
    sanity_checks,
)
from annotation.metrics.report.people import Candidate, FloatArray, People
from annotation.metrics.report.points import apart, line_points, people_points
from annotation.metrics.report.scale import unit
from annotation.metrics.report.strata import strata
from annotation.metrics.report.ties import pairwise_accuracy
from annotation.metrics.report.wider import widened
from annotation.metrics.report.williams import bootstrap_p, is_one_number, williams
from annotation.protocols.base import Better, Wording

METHOD = "bareme-metrics/8"
"""Of version 1, metrics without a better side were in the family of Holm's correction; of version
2, what was brought in was rounded after the point, so that values below 1e-12 tied, and a metric
that is the best but for its scale had a p by bootstrap; of version 3, higher was better on every
human scale; of version 4, an interval of systems could leave out its own value, and the human
ceiling had none where anybody's own correlation was not defined; of version 5, equal means of
people and of systems, differences of one size and equal correlations could differ by what
computing leaves, and on a very wide or narrow scale that much was above people; of version 6,
``original_alone`` held each fold's own mean; of version 7, the human ceiling counted outputs that
one person rated, and had no interval on a very narrow scale."""
SAME_NUMBER = Wording(
    "À l'échelle près, la mesure est la meilleure elle-même : il n'y a rien à tester.",
    "But for its scale, the metric is the best one itself: there is nothing to test.",
)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Versus:
    """The best metric minus this one on the outputs that both have; both tests one-sided. Of no
    line without a better side: the sign of its correlation says nothing, so none is behind."""

    difference: Estimate
    t: float | None
    degrees: int | None
    p: float | None
    p_bootstrap: float | None
    p_holm: float | None = None
    p_bootstrap_holm: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "difference": self.difference.as_dict(),
            "williams_t": rounded(self.t),
            "degrees": self.degrees,
            "p": _shortened(self.p),
            "p_holm": _shortened(self.p_holm),
            "p_bootstrap": _shortened(self.p_bootstrap),
            "p_bootstrap_holm": _shortened(self.p_bootstrap_holm),
        }


def _shortened(p: float | None) -> float | None:
    """Six digits that count: a p is never 0."""
    return None if p is None else float(f"{p:.6g}")


def metric_report(
    people: People,
    candidates: Sequence[Candidate],
    drawn: Drawn | None = None,
    progress: Progress = lambda _done, _of: None,
) -> dict[str, Any]:
    """Everything, JSON-safe: ``lines`` one for each candidate and the original alone, ``ceiling``,
    ``strata``, ``points`` to draw and metrics ``between`` each other.
    ``progress``: how many lines of how many are done."""
    drawn = drawn or Drawn()
    lines = [*candidates, original_alone(people, drawn.seed)]
    try:
        whole = [correlations(*_kept(line, people), drawn) for line in lines]
        best = _best(lines, whole, people)
        versus = _versus(lines, best, people, drawn)
        rows = []
        for number, line in enumerate(lines):
            rows.append(_line(line, whole[number], versus.get(line.name), people, drawn))
            progress(number + 1, len(lines))
        return {
            "method": METHOD,
            "n": len(people.outputs),
            "sources": int(people.groups.max()) + 1,
            "people": int((~np.isnan(people.ratings)).any(axis=0).sum()),
            "ratings": int((~np.isnan(people.ratings)).sum()),
            "scale": [people.lowest, people.highest],
            "better": str(people.better),
            "draws": drawn.draws,
            "seed": drawn.seed,
            "confidence": drawn.confidence,
            "best": best,
            "ceiling": human_ceiling(people.ratings, people.groups, drawn).as_dict(),
            "lines": rows,
            "strata": _strata(people, lines, drawn),
            "points": people_points(people),
            "between": between(lines, _agreement(lines, whole), people, drawn),
        }
    finally:
        # As large as draws times sources; the next report has other sources.
        drawn_counts.cache_clear()


def _agreement(
    lines: Sequence[Candidate], whole: Sequence[dict[str, Correlation]]
) -> dict[str, float | None]:
    """Pearson by name, as it is written: two that say the same are equal."""
    pairs = zip(lines, whole, strict=True)
    return {line.name: rounded(each["pearson"].estimate.value) for line, each in pairs}


def _kept(candidate: Candidate, people: People) -> tuple[FloatArray, FloatArray, Any]:
    kept = candidate.present
    return candidate.turned[kept], people.turned[kept], people.groups[kept]


def _best(
    lines: Sequence[Candidate], whole: Sequence[dict[str, Correlation]], people: People
) -> str:
    """The name of the metric with the highest Pearson of those that compete, as it is written; of
    equal ones the last name. "" where none is defined."""
    agreement = _agreement(lines, whole)
    known = [
        (value, line.name)
        for line in lines
        if (value := agreement[line.name]) is not None and _competes(line, people)
    ]
    return max(known)[1] if known else ""


def _competes(line: Candidate, people: People) -> bool:
    """Whether it may be the best: it has a better side and so has the human scale, at least half of
    the outputs have it, and it is no baseline. One that is known of few outputs alone has a
    correlation with others."""
    return bool(
        people.better != Better.NEITHER
        and line.direction
        and not line.is_baseline
        and 2 * line.present.sum() >= len(line.values)
    )


def _versus(
    lines: Sequence[Candidate], best: str, people: People, drawn: Drawn
) -> dict[str, Versus]:
    """By name, of every other line that has a better side; Holm's correction over all of them."""
    if not best:
        return {}
    first = next(line for line in lines if line.name == best)
    comparisons = {
        line.name: _against(first, line, people, drawn)
        for line in lines
        if line.name != best and line.direction
    }
    for p, corrected in (("p", "p_holm"), ("p_bootstrap", "p_bootstrap_holm")):
        tested = [
            name for name, comparison in comparisons.items() if getattr(comparison, p) is not None
        ]
        adjusted = holm([getattr(comparisons[name], p) for name in tested])
        for name, value in zip(tested, adjusted, strict=True):
            changed: dict[str, Any] = {corrected: value}
            comparisons[name] = replace(comparisons[name], **changed)
    return comparisons


def _against(first: Candidate, second: Candidate, people: People, drawn: Drawn) -> Versus:
    both = first.present & second.present
    human, groups = people.turned[both], people.groups[both]
    of_first, of_second = (
        pearson(candidate.turned[both], human, groups, drawn) for candidate in (first, second)
    )
    here, there = of_first.estimate, of_second.estimate
    if here.value is None or there.value is None:
        missing = here.undefined or there.undefined
        none = Estimate(None, here.n, here.sources, undefined=missing)
        return Versus(none, None, None, None, None)
    between = float(np.corrcoef(unit(first.turned[both]), unit(second.turned[both]))[0, 1])
    if is_one_number(between):
        unknown = Interval(None, None, drawn.confidence, 0, undefined=SAME_NUMBER, method=BOOTSTRAP)
        return Versus(Estimate(0.0, here.n, here.sources, unknown), None, None, None, None)
    value, again = here.value - there.value, of_first.again - of_second.again
    interval = sources_interval(value, again, sources=here.sources, confidence=drawn.confidence)
    test = williams(here.value, there.value, between, here.n)
    return Versus(
        Estimate(value, here.n, here.sources, interval),
        test.t if test else None,
        test.degrees if test else None,
        test.p if test else None,
        bootstrap_p(of_first.again, of_second.again),
    )


def _line(
    candidate: Candidate,
    whole: dict[str, Correlation],
    versus: Versus | None,
    people: People,
    drawn: Drawn,
) -> dict[str, Any]:
    kept = candidate.present
    pairwise, epsilon = pairwise_accuracy(
        candidate.turned[kept], people.turned[kept], people.groups[kept], drawn
    )
    figures = {
        **{name: correlation.estimate for name, correlation in whole.items()},
        **above_human(candidate, people, drawn),
        **sanity_checks(candidate, drawn),
        **widened(candidate, people, drawn),
        **of_systems(candidate, people, drawn),
        "pairwise": pairwise,
    }
    return {
        "name": candidate.name,
        "label": wording_facts(candidate.label),
        "signature": candidate.signature,
        "direction": int(candidate.direction),
        "is_baseline": candidate.is_baseline,
        "is_brought": candidate.is_brought,
        "competes": _competes(candidate, people),
        "kind": str(candidate.kind),
        "cost": candidate.cost.as_dict() if candidate.cost else None,
        "n": int(kept.sum()),
        "missing": [
            {"code": code, "n": number, "reason": wording_facts(_reason(candidate, code))}
            for code, number in _missing(candidate).items()
        ],
        "outside": candidate.outside(),
        "figures": {name: figure.as_dict() for name, figure in figures.items()},
        "epsilon": candidate.written(epsilon),
        "versus": versus.as_dict() if versus else None,
        "points": line_points(candidate, people),
        "apart": apart(candidate, people),
    }


def _reason(candidate: Candidate, code: str) -> Wording | None:
    own = candidate.why if code == UNAVAILABLE else None
    return own or UNDEFINED.get(code)


def _missing(candidate: Candidate) -> dict[str, int]:
    if candidate.missing or candidate.present.all() or not candidate.is_brought:
        return dict(candidate.missing)
    return {NOT_BROUGHT: int((~candidate.present).sum())}


def _strata(people: People, lines: Sequence[Candidate], drawn: Drawn) -> list[dict[str, Any]]:
    """Pearson of every line in every stratum, beside the human ceiling of the same stratum."""
    rows = []
    for dimension, value, inside in strata(people):
        figures = {}
        for line in lines:
            kept = inside & line.present
            figures[line.name] = pearson(
                line.turned[kept], people.turned[kept], people.groups[kept], drawn
            ).estimate.as_dict()
        limit = human_ceiling(people.ratings[inside], people.groups[inside], drawn)
        rows.append(
            {
                "dimension": dimension,
                "value": value,
                "n": int(inside.sum()),
                "ceiling": limit.as_dict(),
                "pearson": figures,
            }
        )
    return rows
