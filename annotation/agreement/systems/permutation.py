"""Whether a difference between two systems could be chance: signs of source texts exchanged.

Had the two systems changed places on a source, its difference would have the opposite sign. If they
are alike, both are as likely, for each source by itself (Fisher 1935, The Design of Experiments,
section 21; for systems: Yeh 2000, COLING). Sources whose difference is zero say nothing and change
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.bootstrap import generator
from annotation.agreement.systems.figure import rounded
from annotation.agreement.table import FloatArray

FLIPS = 9_999
"""Random exchanges where there are too many to try each."""
EXACT_UP_TO = 14
"""Sources that differ: all 2¹⁴ exchanges are tried."""
_SAME = 1e-9
_BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class SignFlip:
    """A two-sided p. ``sources`` were compared and ``differing`` of them differ; ``exchanges``
    tried, all there are where ``exact``. ``smallest`` is the least p that so few sources can
    give."""

    p: float
    sources: int
    differing: int
    exact: bool
    exchanges: int
    seed: int
    smallest: float

    def signature(self, of: str, family: int) -> str:
        """``of``: what was compared; ``family``: tests over which Holm's correction is."""
        kind = "exact" if self.exact else f"exchanges:{self.exchanges}"
        return (
            f"sign_flip|{of}|two_sided|{kind}|sources:{self.sources}|differing:{self.differing}|"
            f"holm:{family}|seed:{self.seed}|version:1"
        )

    def as_dict(self, adjusted: float | None, family: int, signature: str) -> dict[str, Any]:
        """JSON-safe, with its p after Holm's correction."""
        return {
            "method": "sign flips of source texts, two-sided",
            "p": rounded(self.p),
            "p_holm": rounded(adjusted),
            "family": family,
            "exact": self.exact,
            "exchanges": self.exchanges,
            "sources": self.sources,
            "differing": self.differing,
            "seed": self.seed,
            "signature": signature,
        }


def sign_flip_test(differences: FloatArray, *, seed: int, flips: int = FLIPS) -> SignFlip | None:
    """The test of ``differences`` of shape (sources,), one number each, or (sources, values), the
    differences of shares; None where no source differs.

    The statistic is the sum's square (of shares: the sum of their squares). Random exchanges count
    the observed one among them (Phipson and Smyth 2010), so that p is never 0 and never too small.
    """
    table = differences.reshape(len(differences), -1)
    table = table[(np.abs(table) > _SAME).any(axis=1)]
    differing = len(table)
    if not differing:
        return None
    observed = float((table.sum(axis=0) ** 2).sum())
    exact = differing <= EXACT_UP_TO
    if exact:
        signs = 1 - 2 * ((np.arange(2**differing)[:, None] >> np.arange(differing)) & 1)
        extreme = _extreme(((signs @ table) ** 2).sum(axis=1), observed)
        p, tried = extreme / 2**differing, 2**differing
    else:
        p, tried = (1 + _flipped(table, observed, seed, flips)) / (1 + flips), flips
    smallest = 2.0 ** (1 - differing) if exact else 1 / (1 + flips)
    return SignFlip(p, len(differences), differing, exact, tried, seed, smallest)


def _extreme(statistics: FloatArray, observed: float) -> int:
    return int(np.count_nonzero(statistics >= observed - _SAME * max(1.0, observed)))


def _flipped(table: FloatArray, observed: float, seed: int, flips: int) -> int:
    """How many random exchanges are as extreme. Sources with equal differences, up to the sign, are
    exchanged together: how many of them keep their sign is binomial."""
    rng = generator(seed)
    leading = table[np.arange(len(table)), (np.abs(table) > _SAME).argmax(axis=1)]
    unsigned = np.round(table * np.sign(leading)[:, None], 12)
    distinct, counts = np.unique(unsigned, axis=0, return_counts=True)
    block = max(1, _BLOCK_CELLS // len(distinct))
    extreme = 0
    for start in range(0, flips, block):
        size = min(block, flips - start)
        kept = rng.binomial(counts, 0.5, size=(size, len(distinct)))
        sums = (2.0 * kept - counts) @ distinct
        extreme += _extreme((sums**2).sum(axis=1), observed)
    return extreme


def holm(p_values: list[float]) -> list[float]:
    """Each p after Holm's step-down correction over all of them (Holm 1979, Scandinavian Journal of
    Statistics 6), in the order given."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
