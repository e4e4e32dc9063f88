"""The linear mixed model of several systems: a mean for each system, and random intercepts of
annotators, of each annotator towards each system, of source texts and of outputs within texts
(Baayen, Davidson and Bates 2008, Journal of Memory and Language 59, with outputs below their
texts). Without annotators' tastes for systems a difference would hold for these people alone (Barr
et al. 2013, Journal of Memory and Language 68).

Intervals of means and differences are Student's. Its degrees of freedom are those of each factor at
its level of the design (Pinheiro and Bates 2000, *Mixed-Effects Models in S and S-PLUS*, section
2.4.2), weighed by what the factor adds to the variance (Cochran 1964, Biometrics 20). The interval
of a variance is Satterthwaite's chi-squared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, SOURCES
from annotation.agreement.mixed import wording
from annotation.agreement.mixed.library import PACKAGE, statsmodels_version
from annotation.agreement.mixed.reml import REST, Fitted, crossed_fit, is_separable
from annotation.agreement.result import Interval
from annotation.agreement.systems.crossed import dense, unexplained
from annotation.agreement.systems.figure import (
    Counts,
    Drawn,
    Figure,
    counts_of,
    figure,
    rounded,
    undefined,
    wording_facts,
)
from annotation.agreement.systems.table import SystemRatings
from annotation.agreement.systems.wording import NO_RATING_OF_SYSTEM
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

TASTES = "tastes"
"""Annotators × systems: how much more severe each is towards one than towards another."""
STUDENT = "REML, Student's t weighed by Cochran's rule"
CHI_SQUARED = "REML, Satterthwaite's chi-squared"
MOST_WORK, MOST_CELLS = 2e10, 1.5e7
"""Ratings × levels², and ratings × levels, of annotators, texts and outputs together. At the first
a fit takes minutes, and at the second somewhat more than a gigabyte
(`python -m bench.mixed --sizes`)."""
_ENOUGH_PER_SOURCE = 1.5
_SAME = 1e-9


@dataclass(frozen=True)
class Component:
    """One part of the variance: in points² with its interval, its ``share`` of the whole, and how
    many ``levels`` it was estimated from (of the rest: ratings)."""

    name: str
    variance: Figure
    share: float
    levels: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "variance": self.variance.as_dict(),
            "share": rounded(self.share),
            "levels": self.levels,
        }


@dataclass(frozen=True)
class Difference:
    """``first`` less ``second``."""

    first: str
    second: str
    figure: Figure

    def as_dict(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second, **self.figure.as_dict()}


@dataclass(frozen=True)
class Linear:
    """What the model says. ``undefined``: why it says nothing. Components in the order annotators,
    tastes, sources (where several outputs share one), items (outputs), rest."""

    counts: Counts
    means: tuple[tuple[str, Figure], ...] = ()
    differences: tuple[Difference, ...] = ()
    components: tuple[Component, ...] = ()
    log_likelihood: float | None = None
    notes: tuple[Wording, ...] = ()
    undefined: Wording | None = None
    signature: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "undefined": wording_facts(self.undefined),
            "systems": [{"system": name, **mean.as_dict()} for name, mean in self.means],
            "differences": [difference.as_dict() for difference in self.differences],
            "components": [component.as_dict() for component in self.components],
            "log_likelihood": rounded(self.log_likelihood),
            "notes": [wording_facts(note) for note in self.notes],
            "signature": self.signature or None,
        }


def linear_model(table: SystemRatings, drawn: Drawn) -> Linear:
    """Fit the model. Nothing is drawn: of ``drawn`` only the confidence and the seed of the
    signature are used. Raises ``StatsmodelsMissing``."""
    design = _Design.of(table)
    counts = counts_of(table.unit, table.source, table.rater)
    if (reason := design.refusal(counts)) is not None:
        return Linear(counts, undefined=reason)
    fitted = crossed_fit(design.values, design.fixed, design.factors)
    if fitted is None:
        return Linear(counts, undefined=wording.NOT_CONVERGED)
    return _LinearFigures(table, design, fitted, counts, replace(drawn, draws=0)).linear()


@dataclass(frozen=True)
class _Design:
    """``fixed`` has a column for each of ``systems`` (codes); ``sizes``: levels of each factor;
    ``degrees``: degrees of freedom of each factor and of the rest."""

    values: FloatArray
    fixed: FloatArray
    systems: tuple[int, ...]
    factors: dict[str, IntArray]
    sizes: dict[str, int]
    degrees: dict[str, int]
    is_exact: bool
    notes: tuple[Wording, ...]

    @classmethod
    def of(cls, table: SystemRatings) -> _Design:
        values = table.scale[table.place]
        judged = np.unique(table.system)
        raters, rater = dense(table.rater)
        sources, source = dense(table.source)
        units, unit = dense(table.unit)
        n, k = len(values), len(judged)
        factors, sizes, notes = {ANNOTATORS: rater}, {ANNOTATORS: raters}, []
        degrees = {ANNOTATORS: raters - 1}
        tastes, taste = dense(table.rater * len(table.systems) + table.system)
        if tastes > raters + k - 1 and n > tastes:
            factors[TASTES], sizes[TASTES] = taste, tastes
            degrees[TASTES] = tastes - raters - k + 1
        is_nested = sources > 1 and units >= _ENOUGH_PER_SOURCE * sources
        if is_nested:
            factors[SOURCES], sizes[SOURCES], degrees[SOURCES] = source, sources, sources - 1
        else:
            notes.append(wording.NO_SOURCES)
        below = degrees.get(SOURCES, 0) + k
        if n > units:
            factors[ITEMS], sizes[ITEMS], degrees[ITEMS] = unit, units, units - below
            # Systems differ between outputs: what is left is known as well as they are.
            degrees[REST] = units - below
        else:
            notes.append(wording.NO_ITEMS)
            degrees[REST] = n - below - (raters - 1) - degrees.get(TASTES, 0)
        left = unexplained(values, unit, rater, units, raters) if n else 0.0
        return cls(
            values,
            np.asarray(table.system[:, None] == judged, dtype=np.float64),
            tuple(judged.tolist()),
            factors,
            sizes,
            degrees,
            n > units and left < _SAME,
            tuple(notes),
        )

    def refusal(self, counts: Counts) -> Wording | None:
        """Why there is nothing to fit, what is dear to look at last."""
        levels = sum(self.sizes.values())
        if counts.people < 2:
            return wording.ONE_ANNOTATOR
        if np.ptp(self.values) == 0:
            return wording.ALL_EQUAL
        if min(self.degrees.values()) < 1:
            return wording.TOO_FEW.format(
                ratings=counts.ratings,
                outputs=counts.outputs,
                annotators=counts.people,
                systems=len(self.systems),
            )
        if self.is_exact:
            return wording.NO_REST
        if counts.ratings * levels**2 > MOST_WORK or counts.ratings * levels > MOST_CELLS:
            return wording.TOO_LARGE.format(ratings=counts.ratings, levels=levels)
        return None if is_separable(self.fixed, self.factors) else wording.NOT_SEPARABLE


@dataclass(frozen=True)
class _LinearFigures:
    """A fitted model as figures."""

    table: SystemRatings
    design: _Design
    fitted: Fitted
    counts: Counts
    drawn: Drawn

    def linear(self) -> Linear:
        names = [self.table.systems[code] for code in self.design.systems]
        whole = sum(self.fitted.variances.values())
        log_likelihood = round(self.fitted.log_likelihood, 6)
        return Linear(
            self.counts,
            means=tuple(
                (name, self._mean(name, code)) for code, name in enumerate(self.table.systems)
            ),
            differences=tuple(
                self._difference(names, first, second)
                for first, second in combinations(range(len(names)), 2)
            ),
            components=tuple(
                Component(
                    name,
                    self._variance(name),
                    value / whole,
                    self.design.sizes.get(name, self.counts.ratings),
                )
                for name, value in self.fitted.variances.items()
            ),
            log_likelihood=log_likelihood,
            notes=(
                *self.design.notes,
                *(wording.AT_ZERO[name] for name in self.fitted.at_zero),
                *((wording.CLIMBED,) if self.fitted.is_climbed else ()),
            ),
            signature=self._figure("mixed_linear", log_likelihood, None, self.counts).signature,
        )

    def _mean(self, name: str, code: int) -> Figure:
        at = self.table.of(code)
        counts = counts_of(self.table.unit[at], self.table.source[at], self.table.rater[at])
        if code not in self.design.systems:
            return undefined(NO_RATING_OF_SYSTEM, counts)
        contrast = np.zeros(len(self.design.systems))
        contrast[self.design.systems.index(code)] = 1.0
        value, interval = self._estimated(contrast)
        return self._figure("mixed_mean", value, interval, counts, system=name)

    def _difference(self, names: list[str], first: int, second: int) -> Difference:
        contrast = np.zeros(len(names))
        contrast[first], contrast[second] = 1.0, -1.0
        codes = [self.design.systems[place] for place in (first, second)]
        at = np.flatnonzero(np.isin(self.table.system, codes))
        counts = counts_of(self.table.unit[at], self.table.source[at], self.table.rater[at])
        value, interval = self._estimated(contrast)
        named = {"first": names[first], "second": names[second]}
        difference = self._figure("mixed_difference", value, interval, counts, **named)
        return Difference(names[first], names[second], difference)

    def _estimated(self, contrast: FloatArray) -> tuple[float, Interval]:
        from scipy.special import stdtrit  # type: ignore[import-untyped]

        value = float(contrast @ self.fitted.coefficients)
        parts = self.fitted.parts(contrast, self.design.factors)
        whole = sum(parts.values())
        upper = 1 - (1 - self.drawn.confidence) / 2
        student = (
            sum(
                part * float(stdtrit(self.design.degrees[name], upper))
                for name, part in parts.items()
            )
            / whole
        )
        half = student * whole**0.5
        return value, Interval(value - half, value + half, self.drawn.confidence, 0, method=STUDENT)

    def _variance(self, name: str) -> Figure:
        from scipy.special import chdtri

        value = self.fitted.variances[name]
        nothing: Mapping[str, Any] = {"method": CHI_SQUARED}
        confidence = self.drawn.confidence
        if name in self.fitted.at_zero:
            reason = wording.NO_INTERVAL_AT_ZERO
            interval = Interval(None, None, confidence, 0, undefined=reason, **nothing)
        elif (degrees := 2 * (value / self.fitted.precision[name]) ** 2) < 1:
            reason = wording.NO_INTERVAL_VAGUE
            interval = Interval(None, None, confidence, 0, undefined=reason, **nothing)
        else:
            tail = (1 - confidence) / 2
            low, high = (
                float(degrees * value / chdtri(degrees, share)) for share in (tail, 1 - tail)
            )
            interval = Interval(low, high, confidence, 0, **nothing)
        return self._figure("mixed_variance", value, interval, self.counts, component=name)

    def _figure(
        self, name: str, value: float, interval: Interval | None, counts: Counts, **options: object
    ) -> Figure:
        return figure(
            name,
            value,
            interval,
            counts,
            self.drawn,
            **options,
            model="reml",
            random="+".join(self.design.factors),
            package=f"{PACKAGE}:{statsmodels_version()}",
        )
