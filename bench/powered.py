"""What prediction-powered intervals promise, and what they keep: simulated parts whose truth is
known.

``python -m bench.powered`` (``--parts 10000``, seed 1). Scores of 1–10 as people give them, and a
model's that agrees more or less; the truth is the scale's own mean, worked out and not simulated.
Coverage should be 93–97 %. ``worth``: the median number of texts that people would have had to
judge for the same precision, as a multiple of those that they did.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
import numpy.typing as npt

from annotation.agreement.systems.powered import powered_mean
from bench.record import record

FloatArray = npt.NDArray[np.float64]
SEED = 1
SIZES, TIMES, AGREEMENTS = (15, 20, 30, 50, 100, 400), (1, 10), (0.0, 0.5, 0.9)
CENTRE, SPREAD = 7.0, 2.0


def scores(latent: FloatArray) -> FloatArray:
    """On the scale of 1–10, of what stands behind them (mean 0, variance 1)."""
    return np.clip(np.round(CENTRE + SPREAD * latent), 1, 10)


def truth() -> float:
    """The mean of ``scores``, exactly."""
    from scipy.stats import norm  # type: ignore[import-untyped]

    below = norm.cdf((np.arange(1, 10) + 0.5 - CENTRE) / SPREAD)
    return float(10 - below.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=int, default=10_000)
    parts = parser.parse_args().parts
    rng, mean = np.random.default_rng(SEED), truth()
    print(f"{parts} parts each, seed {SEED}; the true mean is {mean:.4f}")
    for texts, times, agreement in product(SIZES, TIMES, AGREEMENTS):
        held = alone = 0
        worth = []
        for _ in range(parts):
            latent = rng.normal(size=texts * (1 + times))
            noise = rng.normal(size=len(latent))
            people = scores(latent)
            model = scores(agreement * latent + (1 - agreement**2) ** 0.5 * noise)
            estimate = powered_mean(people[:texts], model[:texts], model[texts:])
            held += _holds(estimate.interval, mean)
            alone += _holds(estimate.classical_interval, mean)
            worth.append((estimate.worth or texts) / texts)
        design = f"{texts} texts, {texts * times} by the model alone, agreement {agreement}"
        record(f"coverage with the model: {design}", 100 * held / parts, "%")
        record(f"coverage of people alone: {design}", 100 * alone / parts, "%")
        record(f"worth of the texts by people: {design}", float(np.median(worth)), "times")


def _holds(interval: object, mean: float) -> bool:
    low, high = getattr(interval, "low", None), getattr(interval, "high", None)
    return low is not None and high is not None and low <= mean <= high


if __name__ == "__main__":
    main()
