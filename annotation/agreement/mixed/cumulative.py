"""A cumulative logit whose thresholds are any linear functions of its coefficients, by maximum
likelihood.

An answer lies between two thresholds, u = U γ and l = L γ, one row of U and L for each answer:
P = F(u) − F(l), with F the logistic function. The log likelihood is concave in γ (Pratt 1981,
Journal of the American Statistical Association 76), so that a maximum is the only one; scipy's
trust region finds it from exact slopes and curvature. Variances are robust over clusters (Liang and
Zeger 1986, Biometrika 73) with statsmodels's factor for few of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.table import FloatArray, IntArray

_STEPS = 200
_SLOPE = 1e-6


@dataclass(frozen=True, eq=False)
class Between:
    """``upper`` and ``lower`` (n, p): each answer's thresholds as rows over the coefficients.
    ``is_top`` and ``is_bottom`` (n,): answers that have none above, none below."""

    upper: FloatArray
    lower: FloatArray
    is_top: Any
    is_bottom: Any

    def within(self, basis: FloatArray) -> Between:
        """The same over the coefficients of ``basis`` (p, q)."""
        return Between(self.upper @ basis, self.lower @ basis, self.is_top, self.is_bottom)

    def basis(self) -> FloatArray:
        """Orthonormal columns (p, rank) of the coefficients that the answers tell of at all."""
        crossed = self.upper.T @ self.upper + self.lower.T @ self.lower
        sizes, vectors = np.linalg.eigh(crossed)
        return np.asarray(vectors[:, sizes > 1e-9 * sizes[-1]])

    def _ends(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        above = np.where(self.is_top, np.inf, self.upper @ at)
        below = np.where(self.is_bottom, -np.inf, self.lower @ at)
        return above, below

    def log_likelihood(self, at: FloatArray) -> float:
        """log(F(u) − F(l)) added up, without cancellation; −∞ where thresholds are out of order."""
        from scipy.special import log_expit  # type: ignore[import-untyped]

        above, below = self._ends(at)
        if not (above > below).all():
            return -np.inf
        each = log_expit(above) + log_expit(-below) + np.log1p(-np.exp(below - above))
        return float(each.sum())

    def slopes(self, at: FloatArray) -> FloatArray:
        """Of each answer's part, shape (n, p)."""
        from scipy.special import expit

        above, below = self._ends(at)
        apart = 1 / np.expm1(above - below)
        of_upper, of_lower = expit(-above) + apart, -expit(below) - apart
        return np.asarray(of_upper[:, None] * self.upper + of_lower[:, None] * self.lower)

    def curvature(self, at: FloatArray) -> FloatArray:
        """Second derivatives of the log likelihood, shape (p, p)."""
        from scipy.special import expit

        above, below = self._ends(at)
        apart = 1 / np.expm1(above - below)
        both = apart * (1 + apart)
        uppers = -expit(above) * expit(-above) - both
        lowers = -expit(below) * expit(-below) - both
        across = self.upper.T @ (both[:, None] * self.lower)
        return np.asarray(
            self.upper.T @ (uppers[:, None] * self.upper)
            + self.lower.T @ (lowers[:, None] * self.lower)
            + across
            + across.T
        )


@dataclass(frozen=True, eq=False)
class Highest:
    """The coefficients at the top, with the log likelihood there. ``left``: the largest slope that
    is left, times its standard error; infinite where the curvature has no inverse."""

    coefficients: FloatArray
    log_likelihood: float
    left: float


def highest(answers: Between, start: FloatArray) -> Highest:
    """Climb from ``start`` (p,), where thresholds have to be in their order. Where there is no top,
    coefficients grow until the steps are used up."""
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    top = minimize(
        lambda at: -answers.log_likelihood(at),
        start,
        method="trust-exact",
        jac=lambda at: -answers.slopes(at).sum(axis=0),
        hess=lambda at: -answers.curvature(at),
        options={"gtol": _SLOPE, "maxiter": _STEPS},
    )
    at = np.asarray(top.x, dtype=np.float64)
    return Highest(at, answers.log_likelihood(at), _left(answers, at))


def _left(answers: Between, at: FloatArray) -> float:
    try:
        variances = np.diag(np.linalg.inv(-answers.curvature(at)))
    except np.linalg.LinAlgError:
        return np.inf
    if (variances < 0).any():
        return np.inf
    return float((np.abs(answers.slopes(at).sum(axis=0)) * variances**0.5).max())


def robust(answers: Between, at: FloatArray, cluster: IntArray) -> FloatArray:
    """The covariance (p, p) of coefficients at the top, answers of one ``cluster`` (codes from 0
    on) taken as going together: B⁻¹ Σ_g s_g s_gᵀ B⁻¹ × G / (G − 1) × (n − 1) / (n − p)."""
    each = answers.slopes(at)
    n, p = each.shape
    clusters = int(cluster.max()) + 1
    sums = np.zeros((clusters, p))
    np.add.at(sums, cluster, each)
    bread = np.linalg.inv(-answers.curvature(at))
    factor = clusters / (clusters - 1) * (n - 1) / (n - p)
    return np.asarray(factor * bread @ (sums.T @ sums) @ bread)
