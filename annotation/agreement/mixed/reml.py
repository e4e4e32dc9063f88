"""A linear mixed model with crossed and nested random intercepts, by restricted maximum likelihood.

y = Xβ + Σ Z_f u_f + e with u_f ~ N(0, σ²_f I) and e ~ N(0, σ² I). The likelihood is maximized by
statsmodels's ``MixedLM`` (all ratings one group, a variance component for each factor: the way its
documentation gives for crossed effects), from where two rounds of Rao's MINQUE lead; iterated to
its end that is REML itself (Searle, Casella and McCulloch 1992, *Variance Components*, sections 6.7
and 11.3). What MixedLM does not give is computed here from its variances: what each factor adds to
the variance of a coefficient, how far the variances are known, and whether the maximum was reached.
MixedLM searches over square roots, where 0 is never left nor quite reached: a factor with next to
no variance is taken out, and stays out if the likelihood falls from 0 on. Where that ends beside
the maximum (about one small study in ten), Fisher's scoring climbs to it from the beginning: there
a variance is held at 0 only while the likelihood falls from it, and comes back when it no longer
does (projected as in Bertsekas 1982, SIAM Journal on Control and Optimization 20).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.mixed.library import StatsmodelsMissing, statsmodels_version
from annotation.agreement.table import FloatArray, IntArray

REST = "rest"
_ROUNDS = 2
_NEXT_TO_NOTHING = 1e-4
"""Times the rest: a smaller variance is tried as 0."""
_SINGULAR = 1e8
_FLAT = 0.01
"""The largest of ``_Point.slopes`` that counts as none."""
_STEPS, _HALVINGS = 100, 20
_HELD = 1e-8
"""Times the rest: where scoring holds a variance at 0 while the likelihood falls from there."""
_LEVEL = 1e-7
_CLIMBED = 1e-3
"""The slope at which scoring ends, below the digits that are written; and what it must reach."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """``coefficients`` (p,) with their ``covariance`` (p, p). ``variances`` by factor, ``REST``
    last; those ``at_zero`` are 0. ``weights`` (n, p): the coefficients are ``weights.T @ y``.
    ``precision``: of each variance above 0 its standard error. ``is_climbed``: scoring found them
    where statsmodels's search did not."""

    coefficients: FloatArray
    covariance: FloatArray
    variances: dict[str, float]
    at_zero: tuple[str, ...]
    precision: dict[str, float]
    weights: FloatArray
    log_likelihood: float
    is_climbed: bool = False

    def parts(self, contrast: FloatArray, factors: Mapping[str, IntArray]) -> dict[str, float]:
        """What each factor and the rest add to the variance of ``contrast @ coefficients``."""
        own = self.weights @ contrast
        parts = {
            name: self.variances[name] * float((np.bincount(codes, weights=own) ** 2).sum())
            for name, codes in factors.items()
        }
        return parts | {REST: self.variances[REST] * float(own @ own)}


def crossed_fit(
    values: FloatArray, fixed: FloatArray, factors: Mapping[str, IntArray]
) -> Fitted | None:
    """Fit ``values`` (n,) on ``fixed`` (n, p), of full rank, and one random intercept for each
    level of each factor, given by codes from 0 on without holes. None where the maximum is not
    found.

    Raises ``StatsmodelsMissing``.
    """
    if statsmodels_version() is None:
        raise StatsmodelsMissing
    at = _searched_point(values, fixed, factors)
    if at is not None and at.is_top():
        return at.fitted()
    at = _climbed(values, fixed, factors)
    return None if at is None else replace(at.fitted(), is_climbed=True)


def _searched_point(
    values: FloatArray, fixed: FloatArray, factors: Mapping[str, IntArray]
) -> _Point | None:
    """Where the search ends, factors with next to no variance at 0; perhaps beside the maximum."""
    kept = dict(factors)
    while True:
        variances = _maximum(values, fixed, kept)
        if variances is None:
            return None
        at = _Point(values, fixed, factors, {**dict.fromkeys(factors, 0.0), **variances})
        # The search may end beside 0 while the likelihood still rises towards it.
        vanishing = {
            name: variances[name]
            for name in kept
            if variances[name] <= _NEXT_TO_NOTHING * variances[REST] or at.slopes[name] < -_FLAT
        }
        if not vanishing:
            return at
        del kept[min(vanishing, key=lambda name: vanishing[name])]


def _climbed(
    values: FloatArray, fixed: FloatArray, factors: Mapping[str, IntArray]
) -> _Point | None:
    """The top to which scoring leads from equal shares of what the fixed effects leave; None where
    it leads to none, or to no rest at all, of which the likelihood may rise without end."""
    at = _Point(values, fixed, factors, _equal_shares(values, fixed, factors))
    for _ in range(_STEPS):
        if at.variances[REST] * _SINGULAR < sum(at.variances.values()):
            return None
        higher = None if at.is_top(_LEVEL) else _higher(values, fixed, at)
        if higher is None:
            break
        at = higher
    nothing = _NEXT_TO_NOTHING * at.variances[REST]
    without = {
        name: 0.0 if variance <= nothing else variance for name, variance in at.variances.items()
    }
    zeroed = _Point(values, fixed, factors, without)
    return next((top for top in (zeroed, at) if top.is_top(_CLIMBED)), None)


def _higher(values: FloatArray, fixed: FloatArray, at: _Point) -> _Point | None:
    """The next point of scoring: the first on the way, halved each time, where the likelihood is
    higher. None where there is none."""
    step = at.scoring()
    for halving in range(_HALVINGS):
        variances = {
            name: max(variance + step[name] / 2**halving, 0.0)
            for name, variance in at.variances.items()
        }
        # Without any rest the likelihood of most designs is not defined.
        variances[REST] = max(variances[REST], at.variances[REST] / 10)
        next_ = _Point(values, fixed, at.factors, variances)
        if next_.log_likelihood > at.log_likelihood:
            return next_
    return None


def is_separable(fixed: FloatArray, factors: Mapping[str, IntArray]) -> bool:
    """Whether such a design tells the variances of its factors and of the rest apart."""
    alike = dict.fromkeys([*factors, REST], 1.0)
    at = _Point(np.zeros(len(fixed)), fixed, factors, alike)
    if at.traces.min() < 1 / _SINGULAR:  # the fixed effects take all of a factor
        return False
    sizes = np.sqrt(np.diag(at.information))
    return bool(np.linalg.cond(at.information / np.outer(sizes, sizes)) < _SINGULAR)


def _maximum(
    values: FloatArray, fixed: FloatArray, factors: Mapping[str, IntArray]
) -> dict[str, float] | None:
    """The variances under which the ratings are most likely; None where they are not finite."""
    spread = _spread(values, fixed)
    start = _equal_shares(values, fixed, factors)
    if not factors:
        return start
    for _ in range(_ROUNDS):
        next_ = _Point(values, fixed, factors, start).minque()
        # Below 0 the search could not begin; at 0 it could not leave.
        start = {name: max(variance, 0.05 * spread) for name, variance in next_.items()}
    variances = _searched(values, fixed, factors, start)
    return variances if variances is None or np.isfinite(list(variances.values())).all() else None


def _equal_shares(
    values: FloatArray, fixed: FloatArray, factors: Mapping[str, IntArray]
) -> dict[str, float]:
    """Of what the fixed effects leave, to begin with."""
    n, p = fixed.shape
    share = _spread(values, fixed) * n / (n - p) / (len(factors) + 1)
    return dict.fromkeys([*factors, REST], share)


def _spread(values: FloatArray, fixed: FloatArray) -> float:
    """The variance of what the fixed effects leave."""
    return float(np.var(values - fixed @ np.linalg.lstsq(fixed, values, rcond=None)[0]))


def _searched(
    values: FloatArray,
    fixed: FloatArray,
    factors: Mapping[str, IntArray],
    start: Mapping[str, float],
) -> dict[str, float] | None:
    from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams, VCSpec

    names = list(factors)
    matrices = [[_indicators(codes)] for codes in factors.values()]
    columns = [
        [[f"{name}{place}" for place in range(own[0].shape[1])]]
        for name, own in zip(names, matrices, strict=True)
    ]
    ratios = np.array([start[name] / start[REST] for name in names])
    with warnings.catch_warnings():
        # What they warn of is looked at afterwards: whether the top was reached, and zeros.
        warnings.simplefilter("ignore")
        model: Any = MixedLM(
            values, fixed, np.zeros(len(values)), exog_vc=VCSpec(names, columns, matrices)
        )
        begin = MixedLMParams.from_components(
            fe_params=np.zeros(fixed.shape[1]), cov_re=np.zeros((0, 0)), vcomp=ratios
        )
        try:
            fit = model.fit(reml=True, method=["bfgs", "lbfgs", "cg"], start_params=begin)
        except (np.linalg.LinAlgError, ValueError):
            return None
    variances = dict(zip(names, (float(variance) for variance in fit.vcomp), strict=True))
    return variances | {REST: float(fit.scale)}


def _indicators(codes: IntArray) -> FloatArray:
    """Z, shape (n, levels)."""
    return np.asarray(codes[:, None] == np.arange(codes.max() + 1), dtype=np.float64)


class _Point:
    """The likelihood at given variances: its slopes and information (Searle et al. 1992, section
    6.6). With P = V⁻¹ − V⁻¹X(XᵀV⁻¹X)⁻¹XᵀV⁻¹, ``squares`` are yᵀP V_f P y, ``traces`` tr(P V_f)
    and ``information`` tr(P V_f P V_g) for the V_f = Z_f Z_fᵀ and, last, V = I."""

    def __init__(
        self,
        values: FloatArray,
        fixed: FloatArray,
        factors: Mapping[str, IntArray],
        variances: Mapping[str, float],
    ) -> None:
        self.factors, self.variances = factors, dict(variances)
        self.n, self.p = fixed.shape
        self._rest = variances[REST]
        sizes = [int(codes.max()) + 1 for codes in factors.values()]
        self._cuts = np.cumsum([0, *sizes]).tolist()
        z = np.concatenate([np.zeros((self.n, 0)), *map(_indicators, factors.values())], axis=1)
        roots = np.repeat([variances[name] ** 0.5 for name in factors], sizes)
        self._decompose(values, fixed, z, roots)

    def _decompose(
        self, values: FloatArray, fixed: FloatArray, z: FloatArray, roots: FloatArray
    ) -> None:
        # Woodbury: V⁻¹ = (I − ZD (σ²I + DZᵀZD)⁻¹ DZᵀ) / σ², with D the roots of the variances.
        crossed = z.T @ z
        inner = roots[:, None] * crossed * roots + self._rest * np.eye(len(roots))

        def solved(right: FloatArray) -> FloatArray:
            middle = np.linalg.solve(inner, roots[:, None] * (z.T @ right))
            return np.asarray((right - z @ (roots[:, None] * middle)) / self._rest)

        inverse_fixed = solved(fixed)
        information = fixed.T @ inverse_fixed
        self.covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        self.weights = inverse_fixed @ self.covariance
        self.coefficients = np.asarray(self.weights.T @ values, dtype=np.float64)
        self.left = values - fixed @ self.coefficients
        self._projected = solved(self.left[:, None])[:, 0]
        small = z.T @ inverse_fixed
        scaled = crossed * roots
        within = (crossed - scaled @ np.linalg.solve(inner, scaled.T)) / self._rest
        self._between = within - small @ self.covariance @ small.T
        self._log_determinants = (
            np.linalg.slogdet(inner)[1]
            + (self.n - len(roots)) * np.log(self._rest)
            + np.linalg.slogdet(information)[1]
        )
        self._squares_and_traces(z)

    def _squares_and_traces(self, z: FloatArray) -> None:
        k = len(self.factors)
        own = [slice(*self._cuts[place : place + 2]) for place in range(k)]
        above = np.array([self.variances[name] for name in self.factors])
        info = np.zeros((k + 1, k + 1))
        for row in range(k):
            for column in range(k):
                info[row, column] = (self._between[own[row], own[column]] ** 2).sum()
        traces = np.array([np.trace(self._between[part, part]) for part in own])
        # P V P = P gives what I, as one of the V_f, has with the others.
        info[:k, k] = info[k, :k] = (traces - info[:k, :k] @ above) / self._rest
        of_rest = (self.n - self.p - traces @ above) / self._rest
        info[k, k] = (of_rest - info[k, :k] @ above) / self._rest
        sums = z.T @ self._projected
        squares = [float((sums[part] ** 2).sum()) for part in own]
        self.information = info
        self.traces = np.array([*traces, of_rest])
        self.squares = np.array([*squares, float(self._projected @ self._projected)])

    def minque(self) -> dict[str, float]:
        """The next variances of Rao's iterated MINQUE."""
        next_ = np.linalg.lstsq(self.information, self.squares, rcond=None)[0]
        return dict(
            zip([*self.factors, REST], (float(variance) for variance in next_), strict=True)
        )

    @property
    def slopes(self) -> dict[str, float]:
        """Of the likelihood in each variance, as a share of what the two terms of which it is the
        difference are."""
        shares = self.squares / np.maximum(self.traces, np.finfo(float).tiny) - 1
        return dict(zip([*self.factors, REST], (float(share) for share in shares), strict=True))

    def scoring(self) -> dict[str, float]:
        """Fisher's step in each variance; one at 0 from which the likelihood falls is held."""
        names = [*self.factors, REST]
        slopes = self.squares - self.traces
        free = [
            at
            for at, name in enumerate(names)
            if slopes[at] > 0 or self.variances[name] > _HELD * self.variances[REST]
        ]
        step = {name: -self.variances[name] for name in names}
        moved = np.linalg.lstsq(self.information[np.ix_(free, free)], slopes[free], rcond=None)[0]
        return step | {names[at]: float(way) for at, way in zip(free, moved, strict=True)}

    def is_top(self, flat: float = _FLAT) -> bool:
        """Whether the likelihood is flat here in each variance above 0, and falls from those at
        0."""
        return all(
            slope <= flat and (slope >= -flat or self.variances[name] == 0)
            for name, slope in self.slopes.items()
        )

    @property
    def log_likelihood(self) -> float:
        quadratic = float(self.left @ self._projected)
        constant = (self.n - self.p) * np.log(2 * np.pi)
        return float(-(constant + self._log_determinants + quadratic) / 2)

    def fitted(self) -> Fitted:
        names = [*self.factors, REST]
        at_zero = tuple(name for name in self.factors if self.variances[name] == 0)
        kept = [place for place, name in enumerate(names) if name not in at_zero]
        spread = 2 * np.linalg.pinv(self.information[np.ix_(kept, kept)])
        return Fitted(
            self.coefficients,
            self.covariance,
            self.variances,
            at_zero,
            {names[at]: float(spread[row, row]) ** 0.5 for row, at in enumerate(kept)},
            self.weights,
            self.log_likelihood,
        )
