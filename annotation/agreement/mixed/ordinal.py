"""The ordinal model of several systems: a cumulative logit whose thresholds each annotator moves
(McCullagh 1980, Journal of the Royal Statistical Society B 42; annotators as in Christensen 2018,
*Cumulative Link Models for Ordinal Regression with the R Package ordinal*, section 2).

logit P(answer of annotator j to an output of system s ≤ k) = θ_k + τ_j − β_s: every annotator has
the thresholds θ_k + τ_j, which are the common ones moved by a shift (``thresholds`` ties them to
nobody's), β_s is in log odds. Nothing is said of how far values are apart. β and τ are fixed
effects, estimated by statsmodels's ``OrderedModel``. Outputs have no effect of their own in it, so
that differences are those of the average over texts; that answers to outputs of one source text go
together is in the intervals alone: robust variances over source texts (Liang and Zeger 1986,
Biometrika 73) with Student's t of their number less one. They hold for these annotators and other
texts.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.mixed import wording
from annotation.agreement.mixed.library import PACKAGE, StatsmodelsMissing, statsmodels_version
from annotation.agreement.mixed.odds import Estimates, OddsDifference
from annotation.agreement.systems.crossed import dense
from annotation.agreement.systems.figure import (
    Counts,
    Drawn,
    Figure,
    counts_of,
    rounded,
    wording_facts,
)
from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.agreement.systems.table import SystemRatings
from annotation.agreement.systems.wording import FEW_SOURCES
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

MOST_VALUES = 20
MOST_WORK = 1e8
"""Ratings × coefficients²; at that a fit takes minutes (`python -m bench.mixed`)."""
_STEPS = 300
INFINITE = 12.0
"""Log odds that no answers on a scale bear out: 1 in 160,000. An effect beyond is on its way to
infinity."""
FLAT = 1e-3
"""The largest slope of the likelihood at its top, times the standard error."""


@dataclass(frozen=True)
class Ordinal:
    """What the model says. ``undefined``: why it says nothing. ``thresholds``: (value, θ) for each
    value but the highest that was given, in log odds. ``shifts``: τ of each annotator; they add up
    to 0, and above 0 ask more for a higher answer. ``counts`` are without the annotators that were
    left out."""

    counts: Counts
    differences: tuple[OddsDifference, ...] = ()
    thresholds: tuple[tuple[float, float], ...] = ()
    shifts: tuple[tuple[Hashable, Figure], ...] = ()
    log_likelihood: float | None = None
    notes: tuple[Wording, ...] = ()
    undefined: Wording | None = None
    signature: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "undefined": wording_facts(self.undefined),
            "differences": [difference.as_dict() for difference in self.differences],
            "thresholds": [
                {"value": value, "log_odds": rounded(place)} for value, place in self.thresholds
            ],
            "annotators": [
                {"annotator": str(who), **shift.as_dict()} for who, shift in self.shifts
            ],
            "log_likelihood": rounded(self.log_likelihood),
            "notes": [wording_facts(note) for note in self.notes],
            "signature": self.signature or None,
        }


def ordinal_model(table: SystemRatings, drawn: Drawn) -> Ordinal:
    """Fit the model. Nothing is drawn: of ``drawn`` only the confidence and the seed of the
    signature are used. Raises ``StatsmodelsMissing``."""
    if statsmodels_version() is None:
        raise StatsmodelsMissing
    kept, left_out = _informative(table)
    counts = counts_of(kept.unit, kept.source, kept.rater)
    notes: tuple[Wording, ...] = ()
    if left_out:
        people = ", ".join(str(table.raters[code]) for code in left_out)
        notes = (wording.SEPARATED_ANNOTATORS.format(people=people),)
    design = Design.of(kept)
    if (reason := design.refusal(kept, counts)) is not None:
        return Ordinal(counts, notes=notes, undefined=reason)
    fitted = _fitted(design)
    if isinstance(fitted, Wording):
        return Ordinal(counts, notes=notes, undefined=fitted)
    made = {
        "model": "cumulative_logit",
        "thresholds": "common+annotator",
        "package": f"{PACKAGE}:{statsmodels_version()}",
    }
    estimates = Estimates(
        kept, fitted.effects, fitted.covariance, counts, replace(drawn, draws=0), made
    )
    return _ordinal_figures(design, fitted, estimates, notes)


def _informative(table: SystemRatings) -> tuple[SystemRatings, list[int]]:
    """Without annotators who gave nothing but the lowest or the highest of the answers that are
    left, and their codes: the likelihood is highest with their thresholds at infinity, where their
    answers add nothing to it."""
    left_out: list[int] = []
    kept = table
    while len(kept.place):
        lowest, highest = kept.place.min(), kept.place.max()
        people = np.unique(kept.rater)
        ends = [
            code
            for code in people.tolist()
            if len(own := np.unique(kept.place[kept.rater == code])) == 1
            and own[0] in (lowest, highest)
        ]
        if not ends or len(ends) == len(people):
            break
        left_out += ends
        kept = only(kept, ~np.isin(kept.rater, ends))
    return kept, sorted(left_out)


def only(table: SystemRatings, kept: Any) -> SystemRatings:
    """The ratings that are ``kept``."""
    return replace(
        table,
        unit=table.unit[kept],
        system=table.system[kept],
        source=table.source[kept],
        rater=table.rater[kept],
        place=table.place[kept],
    )


@dataclass(frozen=True)
class Design:
    """``fixed``: a column for each system but the first and each annotator but the first, those of
    annotators below 0, so that a higher τ is stricter. ``answer`` are places among ``values``."""

    answer: IntArray
    values: FloatArray
    fixed: FloatArray
    systems: tuple[int, ...]
    raters: tuple[int, ...]
    cluster: IntArray

    @classmethod
    def of(cls, table: SystemRatings) -> Design:
        systems, raters = np.unique(table.system), np.unique(table.rater)
        values, answer = np.unique(table.scale[table.place], return_inverse=True)
        columns = [
            table.system[:, None] == systems[1:],
            -1.0 * (table.rater[:, None] == raters[1:]),
        ]
        return cls(
            answer.astype(np.int64),
            values,
            np.concatenate(columns, axis=1, dtype=np.float64),
            tuple(systems.tolist()),
            tuple(raters.tolist()),
            dense(table.source)[1],
        )

    def refusal(self, table: SystemRatings, counts: Counts) -> Wording | None:
        """Why there is nothing to fit."""
        if len(self.systems) < 2:
            names = [table.systems[code] for code in self.systems]
            return wording.ONE_SYSTEM.format(system=", ".join(names))
        if counts.people < 2:
            return wording.ONE_ANNOTATOR
        if len(self.values) < 2:
            return wording.ALL_EQUAL
        if len(self.values) > MOST_VALUES:
            return wording.NOT_ORDINAL.format(values=len(self.values), most=MOST_VALUES)
        if counts.sources < FEWEST_SOURCES:
            return FEW_SOURCES.format(fewest=FEWEST_SOURCES, sources=counts.sources)
        effects = self.fixed.shape[1] + len(self.values) - 1
        if counts.ratings * effects**2 > MOST_WORK:
            levels = counts.people + counts.sources + counts.outputs
            return wording.TOO_LARGE.format(ratings=counts.ratings, levels=levels)
        with_mean = np.column_stack([np.ones(len(self.fixed)), self.fixed])
        if np.linalg.matrix_rank(with_mean) < with_mean.shape[1]:
            return wording.NO_COMMON_PERSON
        return self._separated(table)

    def _separated(self, table: SystemRatings) -> Wording | None:
        for code in self.systems:
            own = np.unique(self.answer[table.system == code])
            if len(own) == 1 and own[0] in (0, len(self.values) - 1):
                return wording.SEPARATED_SYSTEM.format(system=table.systems[code])
        return None


@dataclass(frozen=True)
class _Fitted:
    """``effects`` (p,) of the columns with their robust ``covariance`` (p, p), ``thresholds``
    (values − 1,)."""

    effects: FloatArray
    covariance: FloatArray
    thresholds: FloatArray
    log_likelihood: float


def _fitted(design: Design) -> _Fitted | Wording:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    p = design.fixed.shape[1]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # What they warn of, a top that was not reached and effects without end, is looked at below.
        warnings.simplefilter("ignore")
        model: Any = OrderedModel(design.answer, design.fixed, distr="logit")
        try:
            near = model.fit(method="bfgs", disp=False, maxiter=_STEPS, skip_hessian=True)
            if not np.abs(near.params[:p]).max() <= INFINITE:
                return wording.SEPARATED
            fit = model.fit(
                start_params=near.params,
                method="newton",
                disp=False,
                cov_type="cluster",
                cov_kwds={"groups": design.cluster},
            )
            slopes = model.score(fit.params)
            variances = np.diag(-np.linalg.inv(model.hessian(fit.params)))
        except (np.linalg.LinAlgError, ValueError):
            return wording.SEPARATED
    effects = np.asarray(fit.params[:p])
    covariance = np.asarray(fit.cov_params())[:p, :p]
    thresholds = np.asarray(model.transform_threshold_params(fit.params)[1:-1])
    everything = np.concatenate([effects, covariance.ravel(), thresholds, variances])
    if not np.isfinite(everything).all() or np.abs(effects).max() > INFINITE:
        return wording.SEPARATED
    if (variances < 0).any() or (np.abs(slopes) * variances**0.5).max() > FLAT:
        return wording.NOT_CONVERGED
    return _Fitted(effects, covariance, thresholds, float(fit.llf))


def _ordinal_figures(
    design: Design, fitted: _Fitted, estimates: Estimates, notes: tuple[Wording, ...]
) -> Ordinal:
    """A fitted model as figures."""
    k, r = len(design.systems), len(design.raters)
    # Each effect as a row over the columns, the first system's and annotator's at 0.
    systems = np.eye(k, k - 1 + r - 1, -1)
    shifts = np.eye(r, k - 1 + r - 1, k - 2)
    shifts[0] = 0.0
    centre = shifts.mean(axis=0)
    log_likelihood = round(fitted.log_likelihood, 6)
    moved = float(centre @ fitted.effects)
    likelihood = estimates.figure("mixed_ordinal", log_likelihood, None, estimates.counts)
    return Ordinal(
        estimates.counts,
        differences=tuple(
            estimates.difference(
                systems[first] - systems[second], design.systems[first], design.systems[second]
            )
            for first, second in combinations(range(k), 2)
        ),
        thresholds=tuple(
            (float(value), float(place) + moved)
            for value, place in zip(design.values, fitted.thresholds, strict=False)
        ),
        shifts=tuple(
            (
                estimates.table.raters[code],
                estimates.of_annotator("threshold_shift", shifts[place] - centre, code),
            )
            for place, code in enumerate(design.raters)
        ),
        log_likelihood=log_likelihood,
        notes=notes,
        signature=likelihood.signature,
    )
