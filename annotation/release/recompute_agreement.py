"""Recompute what this data set publishes from its ratings, with public packages only.

    pip install pandas numpy scipy krippendorff
    python recompute_agreement.py

From data/ratings.csv: every coefficient of agreement.json, every interval (over items, over source
texts, for other annotators too), the variance components with what means are worth, the kappa of
every two annotators, and the severities; and every final label of data/labels.jsonl with its soft
label, the rulings, the table of final labels (data/aggregated.jsonl) and the labels that were drawn
(data/drawn.jsonl). Alpha is Krippendorff's, by the `krippendorff` package (GPL 3 or later; this
program is not part of it, and is under the MIT licence as Barème is); everything else is written
out here. Intervals draw the same items again: NumPy's PCG64 of the published seed.
Systems side by side, metrics against people and agreement on marks are checked by
recompute_systems.py, recompute_metrics.py and recompute_marks.py, which go with this program. At
the end stands what figures of which documents none of them recomputes.

Where the recipe lets a model of the annotators (Dawid-Skene, MACE) settle ties, every posterior
adds up to 1 and the labels follow from it and from the ratings; the posteriors themselves are
recomputed where the version of `crowd-kit` that they are from is installed, and else it is said
that they were not.

Ends with an error where a number differs from the published one by more than 0.0000001, or one of
a model, published with six digits, by more than 0.000001.
"""

from __future__ import annotations

import hashlib
import json
import math
import runpy
import sys
import warnings
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from pathlib import Path
from statistics import NormalDist, median
from typing import Any

import krippendorff
import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
LEVELS = ("nominal", "ordinal", "interval")
AC2_WEIGHTS = {"nominal": "identity", "ordinal": "ordinal", "interval": "quadratic"}
TOLERANCE = 1e-7
ALPHA_OF_ONE_ITEM = ("bareme-agreement/1", "bareme-agreement/2")
"""The methods of before, by which it was 0."""
INTERVALS_AS_DRAWN = (*ALPHA_OF_ONE_ITEM, "bareme-agreement/3")
"""The methods of before: an interval over items could have no width, or leave out its value."""
UNDEFINED_SHARE = 0.05
JACKKNIFE = "infinitesimal jackknife over items (normal)"
REPEATED = {
    *("provenance", "adjudication", "ratings", "distribution", "shares", "posteriors"),
    *("mean", "median", "sd", "severity_adjusted_mean", "zscore"),
}
"""What the table of final labels has of each beside its value."""
SETTLED_ABOVE, SURE_ABOVE = 0.5, 0.9
ROUNDED = 1e-6
"""Posteriors are published with six digits."""
ITERATIONS, STOPS_AT = 100, 1e-5
"""Of Dawid-Skene."""
FEWEST_TEXTS, FEWEST_PEOPLE = 12, 4
MOST_JACKKNIFED, MOST_LEFT_OUT = 500, 30
"""Source texts, and annotators, that are left out in turn."""
ROUNDS, SAME = 30, 1e-9
MACE_SEEDS = 2**32 - 100
"""By which the recipe's seed is taken modulo, so that MACE can begin by it."""


def ratio(numerator: Any, denominator: Any) -> Any:
    """The quotient, NaN where the denominator is zero."""
    quotient = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    return np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)


def agreement_weights(scale: Any, name: str) -> Any:
    """Gwet's (2014, chapter 3) weights between the values of a scale."""
    k = len(scale)
    if name == "identity" or k < 2:
        return np.eye(k)
    if name == "ordinal":
        steps = np.abs(np.arange(k)[:, None] - np.arange(k))
        return 1 - steps * (steps + 1) / (k * (k - 1))
    return 1 - ((scale[:, None] - scale) / (scale[-1] - scale[0])) ** 2


# --- Coefficients that do not ask who rated, of counts (items, values) and how often each is drawn.


def anonymous(counts: Any, scale: Any, level: str, *, open_ended: bool) -> Any:
    """By name a function of weights (draws, items) that gives the coefficient of each draw. Of an
    open-ended count AC2, which rests on the whole scale, is not defined."""
    sizes = counts.sum(axis=1)
    pairs = sizes * (sizes - 1) / 2
    coefficients = {}
    for name, tolerance in (("percent_agreement", 0), ("within_one", 1)):
        near = np.abs(scale[:, None] - scale) <= tolerance
        agreeing = (counts * (counts @ near - 1)).sum(axis=1) / 2
        if level != "nominal" or not tolerance:
            coefficients[name] = _ratio_of_sums(agreeing, pairs)
    weights = agreement_weights(scale, AC2_WEIGHTS[level])
    coefficients["ac2"] = _ac2(counts, weights, is_defined=not open_ended)
    for alpha_level in LEVELS if level != "nominal" else LEVELS[:1]:
        coefficients[f"alpha.{alpha_level}"] = _alpha(counts, scale, alpha_level)
    if level == "interval":
        coefficients["icc.single"] = _icc(counts, scale, of_mean=False)
        coefficients["icc.mean"] = _icc(counts, scale, of_mean=True)
    return coefficients


def _ratio_of_sums(part: Any, whole: Any) -> Any:
    return lambda weights: ratio(weights @ part, weights @ whole)


def _ac2(counts: Any, matrix: Any, *, is_defined: bool) -> Any:
    sizes = counts.sum(axis=1)
    paired, q = sizes >= 2, counts.shape[1]
    agreeing = (counts * (counts @ matrix - 1)).sum(axis=1)
    observed = np.where(paired, agreeing / np.where(paired, sizes * (sizes - 1), 1), 0.0)
    shares = counts / np.maximum(sizes, 1)[:, None]

    def evaluate(weights: Any) -> Any:
        if q < 2 or not is_defined:
            return np.full(len(weights), np.nan)
        seen = ratio(weights @ observed, weights @ paired)
        values = weights @ shares
        share = values / np.maximum(values.sum(axis=1), 1)[:, None]
        chance = matrix.sum() / (q * (q - 1)) * (share * (1 - share)).sum(axis=1)
        return ratio(seen - chance, 1 - chance)

    return evaluate


def _alpha(counts: Any, scale: Any, level: str) -> Any:
    """Of the coincidence matrix: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability,
    section E."""
    sizes, k = counts.sum(axis=1), counts.shape[1]
    counts = counts * (sizes >= 2)[:, None]
    both = counts[:, :, None] * counts[:, None, :]
    both[:, np.arange(k), np.arange(k)] -= counts
    both /= np.maximum(sizes - 1, 1)[:, None, None]
    flat = both.reshape(len(counts), k * k)

    def alpha(matrix: Any) -> float:
        per_value = matrix.sum(axis=1)
        n = per_value.sum()
        rank = {
            "nominal": None,
            "ordinal": np.cumsum(per_value) - per_value / 2,
            "interval": scale,
        }[level]
        gaps = 1.0 - np.eye(k) if rank is None else (rank[:, None] - rank) ** 2
        expected = float(per_value @ gaps @ per_value)
        if n < 2 or expected <= 1e-12:
            return math.nan
        return float(1 - (n - 1) * (matrix * gaps).sum() / expected)

    return lambda weights: np.array([alpha(row.reshape(k, k)) for row in weights @ flat])


def _icc(counts: Any, scale: Any, *, of_mean: bool) -> Any:
    """One-way, of one rating or of the mean of an item's (Shrout and Fleiss 1979, p. 422)."""
    counts = counts * (counts.sum(axis=1) >= 2)[:, None]
    sizes, centred = counts.sum(axis=1), scale - (scale[0] + scale[-1]) / 2
    totals = counts @ centred
    columns = [sizes >= 2, sizes, sizes**2, totals, counts @ centred**2]
    features = np.column_stack([*columns, totals**2 / np.maximum(sizes, 1)])

    def evaluate(weights: Any) -> Any:
        units, n, squared, total, squares, of_units = (weights @ features).T
        between = ratio(of_units - ratio(total**2, n), units - 1)
        within = ratio(squares - of_units, n - units)
        typical = ratio(n - ratio(squared, n), units - 1)
        spread = between + (0 if of_mean else (typical - 1) * within)
        return ratio(between - within, np.where(spread > 1e-12 * np.abs(squares), spread, 0))

    return evaluate


# --- Kappa, which asks who rated.


def kappas(matrix: Any, scale: Any, weights: str) -> tuple[list[tuple[int, int]], Any]:
    """Every two annotators with a common item, and a function of weights (draws, items) that gives
    the kappa of each two (draws, pairs) and its mean (draws,)."""
    k, known = len(scale), ~np.isnan(matrix)
    places = np.searchsorted(scale, np.where(known, matrix, scale[0]))
    apart = 1 - agreement_weights(scale, weights)
    pairs = [
        (a, b)
        for a, b in combinations(range(matrix.shape[1]), 2)
        if (known[:, a] & known[:, b]).any()
    ]

    def evaluate(drawn: Any) -> tuple[Any, Any]:
        values, sizes = (
            np.full((len(drawn), len(pairs)), np.nan),
            np.zeros((len(drawn), len(pairs))),
        )
        for at, (a, b) in enumerate(pairs):
            common = np.flatnonzero(known[:, a] & known[:, b])
            cells = np.zeros((len(common), k * k))
            cells[np.arange(len(common)), places[common, a] * k + places[common, b]] = 1
            joint = (drawn[:, common] @ cells).reshape(-1, k, k)
            left, right = joint.sum(axis=2), joint.sum(axis=1)
            sizes[:, at] = joint.sum(axis=(1, 2))
            chance = ((left @ apart) * right).sum(axis=1)
            values[:, at] = 1 - ratio(sizes[:, at] * (joint * apart).sum(axis=(1, 2)), chance)
        known_sizes = np.where(np.isnan(values), 0.0, sizes)
        return values, ratio(
            (known_sizes * np.nan_to_num(values)).sum(axis=1), known_sizes.sum(axis=1)
        )

    return pairs, evaluate


def jackknifed(matrix: Any, scale: Any, weights: str, settings: Any) -> list[float] | None:
    """The mean kappa's interval in large tables: value ± z · s, s² = Σ (influence of an item)²;
    None where no item has any."""
    apart = 1 - agreement_weights(scale, weights)
    known = ~np.isnan(matrix)
    total, size, added = 0.0, 0, np.zeros(len(matrix))
    parts = []
    for a, b in combinations(range(matrix.shape[1]), 2):
        common = np.flatnonzero(known[:, a] & known[:, b])
        if not len(common):
            continue
        left, right = (np.searchsorted(scale, matrix[common, rater]) for rater in (a, b))
        shares = [
            np.bincount(places, minlength=len(scale)) / len(common) for places in (left, right)
        ]
        mean, chance = apart[left, right].mean(), shares[0] @ apart @ shares[1]
        if chance == 0:
            continue
        d_chance = (apart @ shares[1])[left] + (shares[0] @ apart)[right] - 2 * chance
        influence = (mean * d_chance - (apart[left, right] - mean) * chance) / chance**2
        value = 1 - mean / chance
        parts.append((common, influence + value))
        total, size = total + len(common) * value, size + len(common)
    average = total / size
    for common, moved in parts:
        np.add.at(added, common, moved - average)
    z = NormalDist().inv_cdf((1 + settings["confidence"]) / 2)
    half = z * float(np.sqrt((added**2).sum())) / size
    if 2 * half < SAME and settings["method"] not in INTERVALS_AS_DRAWN:
        return None
    return [max(-1.0, average - half), min(1.0, average + half)]


# --- Draws, as they were made.


def drawn_items(frequency: Any, draws: int, seed: int) -> Any:
    """How often each kind of item occurs in each draw, (draws, kinds): Poisson counts whose total
    stays below the number of items, and the rest item by item. Of a dimension that nobody answered
    there is nothing to draw."""
    rng = np.random.Generator(np.random.PCG64(seed))
    n, k = int(frequency.sum()), len(frequency)
    if n == 0:
        return np.zeros((draws, k))
    in_counts = max(0.0, n - 4.0 * n**0.5) if n > 4 * k else 0.0
    kinds, blocks = np.repeat(np.arange(k), frequency), []
    block = max(1, 1_000_000 // k)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        means = frequency * (in_counts / n)
        counts = (
            rng.poisson(means, size=(size, k)) if in_counts else np.zeros((size, k), dtype=np.int64)
        )
        missing = n - counts.sum(axis=1)
        while len(over := np.flatnonzero(missing < 0)):
            counts[over] = rng.poisson(means, size=(len(over), k))
            missing[over] = n - counts[over].sum(axis=1)
        rows = np.repeat(np.arange(size) * k, missing)
        picked = rows + kinds[rng.integers(n, size=len(rows))]
        more = np.bincount(picked, minlength=size * k).reshape(size, k)
        blocks.append((counts + more).astype(float))
    return np.concatenate(blocks) if blocks else np.zeros((0, k))


def kinds_of(matrix: Any, scale: Any) -> tuple[Any, Any]:
    """The distinct multisets of values among the items: counts (kinds, values), frequency."""
    places = np.where(np.isnan(matrix), 0, np.searchsorted(scale, np.nan_to_num(matrix)) + 1)
    rows = -np.sort(-places[(places > 0).any(axis=1)], axis=1)
    kinds, frequency = np.unique(rows, axis=0, return_counts=True)
    counts = np.zeros((len(kinds), len(scale) + 1))
    for column in kinds.T:
        counts[np.arange(len(kinds)), column] += 1
    return counts[:, 1:], frequency


def in_order(matrix: Any) -> Any:
    """The rated items in an order that depends on their ratings alone."""
    rows = np.nan_to_num(matrix, nan=-np.inf)
    kind = np.unique(np.sort(rows, axis=1), axis=0, return_inverse=True)[1].reshape(-1).tolist()
    raters = sorted(
        range(matrix.shape[1]),
        key=lambda rater: sorted(zip(kind, rows[:, rater].tolist(), strict=True)),
        reverse=True,
    )
    rated = np.flatnonzero(~np.isnan(matrix).all(axis=1))
    return rated[np.lexsort(tuple(rows[rated][:, rater] for rater in raters))]


def percentiles(values: Any, settings: Any, pairable: int, value: float) -> list[float] | None:
    """The interval of the drawn values, or None where none is given: it reaches its own value, and
    has some width."""
    known = np.sort(values[~np.isnan(values)])
    too_many = len(values) - len(known) > UNDEFINED_SHARE * len(values)
    if math.isnan(value) or pairable < 2 or not len(values) or too_many:
        return None
    tail = (1 - settings["confidence"]) / 2
    low, high = (float(end) for end in np.quantile(known, [tail, 1 - tail]))
    if settings["method"] in INTERVALS_AS_DRAWN:
        return [low, high]
    return None if high - low < SAME else [min(low, value), max(high, value)]


# --- A dimension.


class Checked:
    """Compares numbers with the published ones and remembers those that differ."""

    def __init__(self) -> None:
        self.differing: list[str] = []
        self.number = 0

    def same(self, name: str, value: Any, published: Any, tolerance: float = TOLERANCE) -> None:
        """None there and NaN here both say undefined."""
        self.number += 1
        if _differs(value, published, tolerance):
            self.differing.append(f"{name}: {value} here, {published} published")

    def holds(self, name: str, it_does: bool, otherwise: str) -> None:
        """What must be so, and what is said where it is not."""
        self.number += 1
        if not it_does:
            self.differing.append(f"{name}: {otherwise}")


def _differs(value: Any, published: Any, tolerance: float = TOLERANCE) -> bool:
    if isinstance(value, list | tuple) and isinstance(published, list):
        return len(value) != len(published) or any(
            _differs(*both, tolerance) for both in zip(value, published, strict=True)
        )
    undefined = value is None or (isinstance(value, float) and math.isnan(value))
    if undefined or published is None or isinstance(published, str | dict | list):
        return undefined != (published is None) or (not undefined and value != published)
    return bool(abs(float(value) - published) > tolerance)


def check_dimension(name: str, matrix: Any, report: Any, checked: Checked) -> dict[str, float]:
    """Every coefficient with its interval, and kappa of every two annotators."""
    settings, level = report["settings"], report["fitting"]
    scale = np.asarray(settings["scale"], dtype=float)
    counts, frequency = kinds_of(matrix, scale)
    drawn = drawn_items(frequency, settings["draws"], settings["seed"])
    pairable = int((np.count_nonzero(~np.isnan(matrix), axis=1) >= 2).sum())
    coefficients = {}
    # Bundles of before gave AC2 of open-ended counts too.
    open_ended = settings.get("open_ended", False)
    for key, evaluate in anonymous(counts, scale, level, open_ended=open_ended).items():
        value = float(evaluate(frequency[None, :].astype(float))[0])
        if key.startswith("alpha."):
            value = _public_alpha(matrix, key.removeprefix("alpha."), settings)
        bounds = percentiles(evaluate(drawn), settings, pairable, value)
        checked.same(f"{name} {key}", value, _at(report, key))
        checked.same(f"{name} {key}, interval", bounds, _at(report["intervals"], key))
        coefficients[key] = value
    for key in ("unweighted", "quadratic") if level != "nominal" else ("unweighted",):
        coefficients[f"kappa.{key}"] = _check_kappa(name, key, matrix, scale, report, checked)
    return coefficients


def _check_kappa(
    name: str, key: str, matrix: Any, scale: Any, report: Any, checked: Checked
) -> float:
    settings, dotted = report["settings"], f"kappa.{key}"
    weights = "identity" if key == "unweighted" else key
    pairs, evaluate = kappas(matrix, scale, weights)
    per_pair, averages = evaluate(np.ones((1, len(matrix))))
    value = float(averages[0]) if pairs else math.nan
    checked.same(f"{name} {dotted}", value, _at(report, dotted))
    suffix = "" if key == "unweighted" else "_quadratic"
    stated = report["pairs"]
    checked.same(
        f"{name} {dotted}, pairs",
        [float(kappa) for kappa in per_pair[0]],
        [pair[f"kappa{suffix}"] for pair in stated],
    )
    published = _at(report["intervals"], dotted)
    if report["interval_method"].get(dotted) == JACKKNIFE:
        bounds = None if math.isnan(value) else jackknifed(matrix, scale, weights, settings)
        checked.same(f"{name} {dotted}, interval", bounds, published)
        return value
    order = in_order(matrix)
    drawn = np.zeros((settings["draws"], len(matrix)))
    if len(order):
        drawn[:, order] = drawn_items(np.ones(len(order), int), settings["draws"], settings["seed"])
    drawn_pairs, drawn_averages = evaluate(drawn)
    pairable = int((np.count_nonzero(~np.isnan(matrix), axis=1) >= 2).sum())
    bounds = percentiles(drawn_averages, settings, pairable, value)
    checked.same(f"{name} {dotted}, interval", bounds, published)
    for at, pair in enumerate(stated):
        kappa, items = float(per_pair[0, at]), pair["items"]
        own = percentiles(drawn_pairs[:, at], settings, items, kappa)
        checked.same(
            f"{name} {dotted}, {pair['first']}–{pair['second']}", own, pair[f"interval{suffix}"]
        )
    return value


def _public_alpha(matrix: Any, level: Any, settings: Any) -> float:
    """Krippendorff's alpha by the public package, NaN where it is undefined: of one item it is 0
    whatever was answered, which bundles of before published."""
    pairable = int((np.count_nonzero(~np.isnan(matrix), axis=1) >= 2).sum())
    if pairable == 1 and settings["method"] not in ALPHA_OF_ONE_ITEM:
        return math.nan
    try:
        return float(krippendorff.alpha(reliability_data=matrix.T, level_of_measurement=level))
    except ValueError:
        return math.nan


def _at(nested: Any, dotted: str) -> Any:
    for key in dotted.split("."):
        nested = nested[key]
    return nested


# --- The fitting alpha for other source texts, and for other annotators too.


def check_wider(name: str, matrix: Any, source_of: Any, report: Any, checked: Checked) -> None:
    """Both intervals; snapshots of before have none."""
    if "other_annotators" not in report:
        return
    level, settings = report["fitting"], report["settings"]
    value = _public_alpha(matrix, level, settings)
    here, error, number = over_sources(matrix, source_of, value, level, settings)
    published = report["other_sources"]
    checked.same(f"{name} source texts", number, published["sources"])
    checked.same(f"{name} alpha.{level}, other source texts", here, published["interval"])
    others = report["other_annotators"]
    if math.isnan(value):
        checked.same(f"{name} alpha.{level}, other annotators", None, others)
        return
    bounds = over_annotators(matrix, value, level, (here, error, number), settings)
    checked.same(f"{name} alpha.{level}, other annotators", bounds, others["interval"])


def over_sources(
    matrix: Any, source_of: Any, value: float, level: str, settings: Any
) -> tuple[list[float] | None, float, int]:
    """The interval, its standard error and the number of source texts: the expanded percentiles
    (Hesterberg 2015), with Student's interval around the jackknife's estimate in up to 500."""
    from scipy import stats  # type: ignore[import-untyped]

    scale = np.asarray(settings["scale"], dtype=float)
    paired = (~np.isnan(matrix)).sum(axis=1) >= 2
    names = sorted(set(source_of[paired].tolist()))
    number, draws, seed = len(names), settings["draws"], settings["seed"]
    if number < paired.sum():
        units = matrix[paired]
        counts = np.stack([(units == rating).sum(axis=1) for rating in scale], axis=1).astype(float)
        member = (np.array(names)[:, None] == source_of[paired]).astype(float)
        evaluate, times = _alpha(counts, scale, level), np.ones(number)
        drawn = evaluate(drawn_items(np.ones(number, int), draws, seed) @ member)
        left = evaluate(1 - member) if number <= MOST_JACKKNIFED else None
    else:
        counts, frequency = kinds_of(matrix, scale)
        evaluate = _alpha(counts, scale, level)
        drawn = evaluate(drawn_items(frequency, draws, seed)) if number else np.zeros(0)
        kept = counts.sum(axis=1) >= 2
        times = frequency[kept].astype(float)
        left = (
            evaluate((frequency - np.eye(len(counts)))[kept]) if number <= MOST_JACKKNIFED else None
        )
    known = drawn[~np.isnan(drawn)]
    too_many = len(drawn) - len(known) > UNDEFINED_SHARE * len(drawn)
    if math.isnan(value) or number < FEWEST_TEXTS or not len(drawn) or too_many:
        return None, math.nan, number
    if np.ptp(known) < SAME:
        return None, math.nan, number
    student = stats.t.ppf((1 + settings["confidence"]) / 2, number - 1)
    tail = stats.norm.cdf(-student * math.sqrt(number / (number - 1)))
    low, high = (float(end) for end in np.quantile(known, [tail, 1 - tail]))
    if left is None or np.isnan(left).any():
        return [low, high], float(known.std()) * math.sqrt(number / (number - 1)), number
    mean = float(times @ left) / number
    error = math.sqrt((number - 1) / number * float(times @ (left - mean) ** 2))
    middle = number * value - (number - 1) * mean
    ends = [min(low, middle - student * error), max(high, middle + student * error)]
    return [max(ends[0], -1.0), min(ends[1], 1.0)], error, number


def over_annotators(
    matrix: Any, value: float, level: str, here: Any, settings: Any
) -> list[float] | None:
    """For other annotators too: the error over source texts and the jackknife's over annotators,
    less what neither items nor annotators explain, with Satterthwaite's degrees of freedom."""
    from scipy import stats

    bounds, error, number = here
    kept = ~np.isnan(matrix) & ((~np.isnan(matrix)).sum(axis=1, keepdims=True) >= 2)
    people = np.flatnonzero(kept.any(axis=0))
    if bounds is None or len(people) < FEWEST_PEOPLE:
        return None
    moves = slopes(np.where(kept, matrix, np.nan), level)
    if len(people) > MOST_LEFT_OUT:
        left = value - moves[:, people].sum(axis=0) * len(people) / (len(people) - 1)
    else:
        left = np.array(
            [_public_alpha(np.delete(matrix, person, axis=1), level, settings) for person in people]
        )
    if np.isnan(left).any():
        return None
    of_items, k = error**2, len(people)
    of_people = (k - 1) / k * float(((left - left.mean()) ** 2).sum())
    total = of_items + of_people
    if total < SAME**2:
        return None
    unit, rater = np.nonzero(kept)
    cells = moves[kept]
    free = len(cells) - len(set(unit.tolist())) - k + 1
    of_both = 0.0
    if free > 0:
        rest = cells - cells.mean()
        for _ in range(ROUNDS):
            for code in (unit, rater):
                size = np.maximum(np.bincount(code), 1)
                rest = rest - (np.bincount(code, weights=rest) / size)[code]
        of_both = float((rest**2).sum()) / free * len(cells)
    variance = max(total - of_both, of_items, of_people)
    freedom = total**2 / (of_items**2 / (number - 1) + of_people**2 / (k - 1))
    half = float(stats.t.ppf((1 + settings["confidence"]) / 2, freedom)) * math.sqrt(variance)
    ends = [min(value - half, bounds[0]), max(value + half, bounds[1])]
    return [max(ends[0], -1.0), min(ends[1], 1.0)]


def slopes(matrix: Any, level: str) -> Any:
    """How alpha moves with the weight of each rating (items, annotators), 0 in the holes; mid-ranks
    are kept."""
    known = ~np.isnan(matrix)
    flat = matrix[known]
    values, place, times = np.unique(flat, return_inverse=True, return_counts=True)
    if level == "nominal":
        columns = (flat[:, None] == values).astype(float)
    elif level == "ordinal":
        ranks = np.cumsum(times) - times / 2 - len(flat) / 2
        columns = ranks[place][:, None]
    else:
        columns = (flat - flat.mean())[:, None]
    # Squared distances of these columns, summed: of classes twice 1 where two differ.
    halved = 0.5 if level == "nominal" else 1.0
    unit, n = np.nonzero(known)[0], len(flat)
    sizes = known.sum(axis=1).astype(float)
    sums = np.stack(
        [np.bincount(unit, weights=column, minlength=len(matrix)) for column in columns.T], axis=1
    )
    squares = np.bincount(unit, weights=(columns**2).sum(axis=1), minlength=len(matrix))
    apart = 2 * (sizes * squares - (sums**2).sum(axis=1)) * halved
    total, every = columns.sum(axis=0), float((columns**2).sum())
    expected = 2 * (n * every - float(total @ total)) * halved
    moves = np.zeros(matrix.shape)
    if expected <= 0:
        return moves
    own = (columns**2).sum(axis=1)
    d_apart = squares[unit] + sizes[unit] * own - 2 * (columns * sums[unit]).sum(axis=1)
    d_expected = 2 * (every + n * own - 2 * columns @ total) * halved
    rest = np.maximum(sizes - 1, 1)
    observed = float((apart / rest)[sizes > 1].sum())
    d_observed = 2 * d_apart * halved / rest[unit] - apart[unit] / rest[unit] ** 2
    slope = (observed + (n - 1) * d_observed) / expected
    moves[known] = (n - 1) * observed * d_expected / expected**2 - slope
    return moves


# --- Where the variance is, and what means are worth.


def check_variance(name: str, matrix: Any, source_of: Any, report: Any, checked: Checked) -> None:
    """The components of the variance with their intervals; G and Phi."""
    published, settings = report["variance"], report["settings"]
    if published is None or "undefined" in published:
        return
    left_out = "|below_zero:left_out|" in published["signature"]
    here, drawn = variances_of(matrix, source_of, settings, left_out=left_out)
    ends = _quantiles(settings, left_out=left_out)
    whole, all_drawn = sum(here.values()), np.maximum(sum(drawn.values()), 1e-12)
    for component in published["components"]:
        key = component["name"]
        title = f"{name} variance of {key}"
        checked.same(title, here[key], component["variance"])
        checked.same(f"{title}, interval", ends(drawn[key]), component["variance_interval"])
        checked.same(f"{title}, share", here[key] / whole, component["share"])
        checked.same(
            f"{title}, share's interval", ends(drawn[key] / all_drawn), component["interval"]
        )
    checked.same(
        f"{name} components",
        sorted(here),
        sorted(component["name"] for component in published["components"]),
    )
    for mean in published["dependability"]:
        k, title = mean["annotators"], f"{name} mean of {mean['annotators']}"
        for key, with_severity in (("relative", False), ("absolute", True)):
            checked.same(f"{title} {key}", worth(here, k, with_severity), mean[key])
            bounds = ends(worth(drawn, k, with_severity))
            checked.same(f"{title} {key}, interval", bounds, mean[f"{key}_interval"])
        half = NormalDist().inv_cdf(0.975) * math.sqrt((here["annotators"] + here["rest"]) / k)
        checked.same(f"{title}, points", half, mean["half_width"])


def variances_of(
    matrix: Any, source_of: Any, settings: Any, *, left_out: bool
) -> tuple[dict[str, float], dict[str, Any]]:
    """Components by Henderson's method 1, and what they are in draws of their generalized
    confidence intervals. ``left_out``: source texts whose component is below 0 are left out of the
    model, in the estimate and in each draw; snapshots of before, whose signature does not say so,
    set it to 0."""
    unit, rater = np.nonzero(~np.isnan(matrix))
    values = matrix[unit, rater]
    values = values - math.fsum(values) / len(values)
    _, unit_of = np.unique(unit, return_inverse=True)
    _, rater = np.unique(rater, return_inverse=True)
    _, source = np.unique(source_of[unit], return_inverse=True)
    n_units, n_raters, n_sources = (int(codes.max()) + 1 for codes in (unit_of, rater, source))
    places = {"items": unit_of, "annotators": rater}
    free = {"items": n_units - 1, "annotators": n_raters - 1}
    _, first = np.unique(unit_of, return_index=True)
    sizes = {"items": typical(unit_of), "annotators": typical(rater)}
    absent = {}
    if n_sources > 1 and n_units >= 1.5 * n_sources:
        places = {"sources": source} | places
    variances = components(values, places)
    if left_out and variances.get("sources", 0.0) < 0:
        absent = {"sources": variances["sources"]}
        del places["sources"]
        variances = components(values, places)
    if "sources" in variances:
        free |= {"sources": n_sources - 1, "items": n_units - n_sources}
        sizes["sources"] = sizes["items"] * typical(source[first])
    free["rest"] = len(values) - n_units - n_raters + connected(unit_of, rater)
    squares, rng = {}, np.random.default_rng(settings["seed"])
    for key in variances:
        square = variances["rest"] + (sizes[key] * variances[key] if key != "rest" else 0.0)
        square += sizes["items"] * variances["items"] if key == "sources" else 0.0
        squares[key] = max(square, 0.0) * free[key] / rng.chisquare(free[key], settings["draws"])
    if left_out and "sources" in variances:
        within, between = squares["items"], squares["sources"]
        whole = free["sources"] + free["items"]
        pooled = (free["sources"] * between + free["items"] * within) / whole
        squares["items"] = np.where(between < within, pooled, within)
        squares["sources"] = np.where(between < within, pooled, between)
    below = {"items": "rest", "annotators": "rest", "sources": "items"}
    drawn = {
        key: np.maximum(
            squares[key] if key == "rest" else (squares[key] - squares[below[key]]) / sizes[key],
            0.0,
        )
        for key in variances
    }
    drawn |= {key: np.zeros(settings["draws"]) for key in absent}
    variances |= absent
    return {key: max(value, 0.0) for key, value in variances.items()}, drawn


def _quantiles(settings: Any, *, left_out: bool) -> Any:
    """The interval of drawn values; none where all are 0, which snapshots of before gave."""
    tail = (1 - settings["confidence"]) / 2
    if not settings["draws"]:
        return lambda _values: None

    def ends(values: Any) -> list[float] | None:
        low, high = (float(end) for end in np.quantile(values, [tail, 1 - tail]))
        return [low, high] if high > 0 or not left_out else None

    return ends


def worth(parts: Any, k: int, with_severity: bool) -> Any:
    """G, or Phi with the annotators' severity in it, of the mean of k annotators."""
    measured = parts["items"] + parts.get("sources", 0.0)
    error = parts["rest"] / k + (parts["annotators"] / k if with_severity else 0.0)
    return measured / np.maximum(measured + error, 1e-12)


def typical(place: Any) -> float:
    """n0 of the unbalanced one-way analysis of variance."""
    counts = np.bincount(place).astype(float)
    return float((counts.sum() - (counts**2).sum() / counts.sum()) / max(len(counts) - 1, 1))


def connected(unit: Any, rater: Any) -> int:
    """Into how many parts items and annotators fall that no rating connects."""
    part = np.arange(int(rater.max()) + 1)
    for own in (rater[unit == code] for code in range(int(unit.max()) + 1)):
        part[np.isin(part, part[own])] = part[own].min()
    return len(set(part.tolist()))


def components(values: Any, places: Any) -> dict[str, float]:
    """Uncorrected sums of squares set equal to what they are expected to be (Searle, Casella and
    McCulloch 1992, section 5.3)."""
    groups = {"mean": np.zeros(len(values), int), **places, "rest": np.arange(len(values))}
    left, right = [], []
    for place in groups.values():
        counts = np.bincount(place)
        right.append(float((np.bincount(place, weights=values) ** 2 / counts).sum()))
        row = [float(len(values))]
        for other in places.values():
            cells, numbers = np.unique(np.stack([place, other]), axis=1, return_counts=True)
            row.append(float((numbers**2 / counts[cells[0]]).sum()))
        left.append([*row, float(len(counts))])
    solved = np.linalg.solve(np.array(left), np.array(right))[1:]
    clean = np.where(np.abs(solved) < 1e-12 * np.abs(solved).max(), 0.0, solved)
    return dict(zip([*places, "rest"], (float(variance) for variance in clean), strict=True))


# --- Final labels.


def severities(matrix: Any) -> Any:
    """The annotators' effects of the additive model, by least squares, centred within each group
    that common items connect (the least-norm solution)."""
    known = ~np.isnan(matrix)
    per_item = np.maximum(known.sum(axis=1), 1)
    filled = np.where(known, matrix, 0.0)
    gaps = np.where(known, filled - (filled.sum(axis=1) / per_item)[:, None], 0.0).sum(axis=0)
    rated = known.astype(float)
    normal = np.diag(rated.sum(axis=0)) - rated.T @ (rated / per_item[:, None])
    return np.round(np.linalg.lstsq(normal, gaps, rcond=1e-10)[0], 12)


def drawn_by(recipe: Any, name: str) -> str:
    """What stands before an item's key in what a tie on a dimension is drawn by. By recipes of
    version 1 the dimension is no part of it: ties of one item on several dimensions, among as many
    values, all fall on the same place."""
    return str(recipe["seed"]) if recipe["version"] == "1" else f"{recipe['seed']}:{name}"


def label(
    unit: str, row: Any, rule: str, drawn: str, adjusted: Any, probable: dict[float, float]
) -> tuple[Any, str, list[float]]:
    """The value that a rule gives an item, where it comes from, and the values that were tied.
    ``drawn``: what ties are drawn by; ``probable``: the posterior of each value, empty where the
    lot alone decides ties."""
    values = row[~np.isnan(row)].tolist()
    if not values:
        return None, "none", []
    times = Counter(values)
    alone = "single" if len(values) == 1 else "unanimous" if len(times) == 1 else ""
    if rule == "majority":
        tied = sorted(value for value, count in times.items() if count == max(times.values()))
        if len(tied) == 1:
            return tied[0], alone or "majority", []
        for value in tied:
            if probable.get(value, 0.0) > SETTLED_ABOVE:
                return value, "posterior", tied
        digest = hashlib.sha256(f"{drawn}:{unit}".encode()).digest()
        return tied[int.from_bytes(digest, "big") % len(tied)], "drawn", tied
    if rule == "median":
        return median(values), alone or "computed", []
    terms = adjusted[~np.isnan(adjusted)].tolist() if rule == "severity_adjusted_mean" else values
    return math.fsum(terms) / len(terms), alone or "computed", []


def check_labels(
    name: str, units: list[str], matrix: Any, rows: Any, recipe: Any, checked: Checked
) -> None:
    """Every final label of a dimension, and what stands beside it."""
    adjusted = matrix - severities(matrix)
    deviations = [
        np.nanstd(column, ddof=1) if (~np.isnan(column)).sum() > 1 else 0 for column in matrix.T
    ]
    spread = np.array([deviation if deviation > 0 else np.nan for deviation in deviations])
    scores = (
        matrix - np.nanmean(np.where(np.isnan(matrix).all(axis=0), 0.0, matrix), axis=0)
    ) / spread
    for at, unit in enumerate(units):
        row, title = rows[unit], f"{name} {unit}"
        probable = {float(rating): share for rating, share in (row.get("posteriors") or {}).items()}
        value, source, tied = label(
            unit, matrix[at], recipe["rules"][name], drawn_by(recipe, name), adjusted[at], probable
        )
        checked.same(f"{title} label", value, row["computed_value"])
        checked.same(f"{title} provenance", source, row["computed_provenance"])
        checked.same(f"{title} tied", tied, row["tied"])
        if row["adjudication"] is None:
            checked.same(f"{title} final label", value, row["value"])
        ruled = source if row["adjudication"] is None else "adjudicated"
        checked.same(f"{title} final provenance", ruled, row["provenance"])
        known = matrix[at][~np.isnan(matrix[at])].tolist()
        times = {f"{rating:g}": count for rating, count in sorted(Counter(known).items())}
        checked.same(f"{title} distribution", times, row["distribution"])
        checked.same(f"{title} ratings", len(known), row["ratings"])
        check_soft_label(title, times, row.get("shares"), checked)
        if row["level"] == "nominal" or not known:
            continue
        own = scores[at][~np.isnan(scores[at])]
        for key, other in (
            ("mean", math.fsum(known) / len(known)),
            ("median", median(known)),
            ("sd", float(np.std(known, ddof=1)) if len(known) > 1 else None),
            ("severity_adjusted_mean", float(np.nanmean(adjusted[at]))),
            ("zscore", float(own.mean()) if len(own) else None),
        ):
            checked.same(f"{title} {key}", other, row[key])


def check_soft_label(title: str, times: Any, published: Any, checked: Checked) -> None:
    """The share of each value, of the ratings that there are; snapshots of before have none."""
    if published is None:
        return
    checked.same(f"{title} shares, values", sorted(times), sorted(published))
    for value in sorted(set(times) & set(published)):
        share = times[value] / sum(times.values())
        checked.same(f"{title} share of {value}", share, published[value])


def check_tables(labels: list[Any], checked: Checked) -> None:
    """The tables that repeat final labels, and the rulings that some of these come from."""
    by_unit: dict[str, list[Any]] = {}
    for row in labels:
        by_unit.setdefault(row["simplification_key"], []).append(row)
    for row in lines("aggregated"):
        for final_label in by_unit.get(row["simplification_key"], []):
            dimension = final_label["dimension"]
            title = f"aggregated {row['simplification_key']} {dimension}"
            checked.same(title, final_label["value"], row[dimension])
            for part in REPEATED & set(final_label):
                if f"{dimension}_{part}" in row:
                    checked.same(f"{title} {part}", final_label[part], row[f"{dimension}_{part}"])
    drawn = [row for row in labels if row["provenance"] == "drawn"]
    checked.same("labels drawn", [_drawn(row) for row in drawn], [*map(_drawn, lines("drawn"))])
    if (HERE / "data" / "rulings.jsonl").exists():
        ruled = {(row["simplification_key"], row["dimension"]): row for row in lines("rulings")}
        for row in labels:
            if row["adjudication"] is not None:
                title = f"{row['dimension']} {row['simplification_key']}"
                ruling = ruled.get((row["simplification_key"], row["dimension"]), {})
                checked.same(f"{title} ruling", ruling.get("outcome"), row["adjudication"])
                checked.same(f"{title} ruled label", ruling.get("value"), row["value"])


def _drawn(row: Any) -> list[Any]:
    return [row["simplification_key"], row["dimension"], row["computed_value"], row["tied"]]


# --- Annotators modelled: the posteriors that stand with the labels.


def can_be_modelled(matrix: Any, level: str) -> bool:
    """Of classes or levels, by two annotators at least who share an item, with two values."""
    known = ~np.isnan(matrix)
    values = np.unique(matrix[known])
    return level != "interval" and bool((known.sum(axis=1) >= 2).any()) and len(values) > 1


def check_posteriors(
    name: str, units: list[str], matrix: Any, rows: Any, model: Any, checked: Checked
) -> None:
    """Every posterior of a dimension is one: of values that occur, none below 0, adding up to 1;
    and what was counted of them is so. Without a model there are none."""
    known = ~np.isnan(matrix)
    values = {f"{value:g}" for value in np.unique(matrix[known])}
    posteriors = []
    for at, unit in enumerate(units):
        title, shares = f"{name} {unit} posteriors", rows[unit].get("posteriors")
        if model is None or not known[at].any():
            checked.same(title, None, shares)
            continue
        shares = shares or {}
        checked.holds(title, set(shares) <= values, "a value that nobody gave")
        total = math.fsum(shares.values())
        # Each was rounded, and those that round to 0 were left out.
        adds_up = abs(total - 1) <= ROUNDED * len(values) and min(shares.values(), default=0) >= 0
        checked.holds(title, adds_up, f"they add up to {total:.6f}, not to 1")
        posteriors.append(
            (matrix[at][known[at]].tolist(), {float(v): p for v, p in shares.items()})
        )
    if model is None:
        return
    checked.same(f"{name} model, pairs", len(posteriors), model["units"])
    checked.same(f"{name} model, ratings", int(known.sum()), model["ratings"])
    checked.same(f"{name} model, annotators", int(known.any(axis=0).sum()), model["annotators"])
    for key, (fewest, most) in settled(posteriors).items():
        bounds = f"between {fewest} and {most}" if fewest < most else str(most)
        is_so = fewest <= model[key] <= most
        checked.holds(f"{name} model, {key}", is_so, f"{bounds} here, {model[key]} published")


def settled(posteriors: list[tuple[list[float], dict[float, float]]]) -> dict[str, tuple[int, int]]:
    """How many labels the model gives otherwise than most, how many ties there are, how many of
    them it settles and how many beyond nine in ten; of ratings and posteriors. Fewest and most:
    six digits leave open some."""
    counts = {"otherwise": [0, 0], "ties": [0, 0], "settled": [0, 0], "sure": [0, 0]}
    for ratings, shares in posteriors:
        times = Counter(ratings)
        most = [value for value in times if times[value] == max(times.values())]
        top = max(shares.values(), default=0.0)
        best = {value for value, share in shares.items() if top - share <= ROUNDED}
        if len(most) == 1:
            bounds = {"otherwise": (best.isdisjoint(most), best != set(most))}
        else:
            bounds = {"ties": (True, True)}
            for key, above in (("settled", SETTLED_ABOVE), ("sure", SURE_ABOVE)):
                surely = top > above + ROUNDED and best <= set(most)
                bounds[key] = (surely, top >= above - ROUNDED and not best.isdisjoint(most))
        for key, (at_least, at_most) in bounds.items():
            counts[key][0] += at_least
            counts[key][1] += at_most
    return {key: (ends[0], ends[1]) for key, ends in counts.items()}


def crowd_kit() -> str | None:
    """The version of crowd-kit that can be used; None where there is none."""
    try:
        import crowdkit.aggregation  # noqa: F401

        return version("crowd-kit")
    except (ImportError, PackageNotFoundError):
        return None


class Answers:
    """Ratings as crowd-kit reads them, ordered by value, so that whatever it numbers by first
    appearance it numbers as it sorts: MACE 1.4.2 mixes the two orders. ``raters``: the columns of
    the matrix in that order."""

    def __init__(self, matrix: Any) -> None:
        unit, rater = np.nonzero(~np.isnan(matrix))
        self.values, value = np.unique(matrix[unit, rater], return_inverse=True)
        units, unit = np.unique(unit, return_inverse=True)
        self.units = len(units)
        order = np.lexsort((unit, rater, value))
        raters, first = np.unique(rater[order], return_index=True)
        self.raters = raters[np.argsort(first)]
        place = np.zeros(matrix.shape[1], dtype=np.int64)
        place[self.raters] = np.arange(len(self.raters))
        self.unit, self.rater, self.value = unit[order], place[rater[order]], value[order]
        self.frame = pd.DataFrame({"task": self.unit, "worker": self.rater, "label": self.value})

    def filled(self, cells: Any) -> Any:
        """Posteriors (units, values); rows add up to 1 again after crowd-kit's clipping."""
        shape = {"index": range(self.units), "columns": range(len(self.values))}
        array = cells.reindex(**shape, fill_value=0.0).to_numpy(dtype=float)
        return array / array.sum(axis=1, keepdims=True)


def dawid_skene(answers: Answers) -> tuple[Any, Any, dict[str, Any]]:
    """Posteriors, the share in which each annotator gives the label that holds, and what else was
    published (Dawid and Skene 1979)."""
    from crowdkit.aggregation import DawidSkene

    fitted = DawidSkene(n_iter=ITERATIONS, tol=STOPS_AT).fit(answers.frame)
    further = DawidSkene(n_iter=ITERATIONS, tol=-np.inf).fit(answers.frame)
    n = len(answers.values)
    posteriors, after = answers.filled(fitted.probas_), answers.filled(further.probas_)
    matrices = fitted.errors_.reindex(columns=range(n), fill_value=0.0)
    hits = np.zeros((len(answers.raters), n))
    for (rater, value), row in zip(matrices.index.tolist(), matrices.to_numpy(), strict=True):
        hits[rater, value] = row[value]
    shares = fitted.priors_.reindex(range(n), fill_value=0.0).to_numpy()
    moved = np.count_nonzero(posteriors.argmax(axis=1) != after.argmax(axis=1))
    facts = {"iterations": len(fitted.loss_history_), "unsteady": int(moved)}
    return posteriors, hits @ shares, facts | {"log_likelihood": None}


def mace(answers: Answers, seed: int, model: Any) -> tuple[Any, Any, dict[str, Any]]:
    """The same of MACE (Hovy et al. 2013): of several restarts, each by a seed of its own, the one
    under which the ratings are most likely."""
    from crowdkit.aggregation import MACE

    runs, restarts = [], model["restarts"]
    for at in range(restarts):
        restart = MACE(n_restarts=1, n_iter=model["iterations"], random_state=seed + at)
        fitted = restart.fit(answers.frame)
        runs.append((*likely(answers, fitted.spamming_, fitted.thetas_), fitted.spamming_[:, 1]))
    best = max(range(restarts), key=lambda at: (round(runs[at][0], 6), -at))
    likelihood, posteriors, knowing = runs[best]
    labels = posteriors.argmax(axis=1)
    moved = np.any([other.argmax(axis=1) != labels for _, other, _ in runs], axis=0)
    unsteady = int(np.count_nonzero(moved))
    return posteriors, knowing, {"unsteady": unsteady, "log_likelihood": likelihood}


def likely(answers: Answers, spamming: Any, strategies: Any) -> tuple[float, Any]:
    """The log likelihood of the ratings under a fitted MACE, and the posteriors (Hovy et al. 2013,
    equation 1)."""
    n, rows = len(answers.values), np.arange(len(answers.value))
    guessed = spamming[answers.rater, 0] * strategies[answers.rater, answers.value]
    logs = np.repeat(np.log(guessed)[:, None], n, axis=1)
    logs[rows, answers.value] = np.log(guessed + spamming[answers.rater, 1])
    joint = np.full((answers.units, n), -np.log(n))
    np.add.at(joint, answers.unit, logs)
    highest = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - highest)
    total = shares.sum(axis=1, keepdims=True)
    return float((highest + np.log(total)).sum()), shares / total


def check_model(
    name: str, tables: Any, rows: Any, model: Any, recipe: Any, checked: Checked
) -> None:
    """The model fitted again by crowd-kit. ``tables``: units, annotators, and their matrix."""
    units, raters, matrix = tables
    answers = Answers(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if recipe["ties"] == "mace":
            seed = recipe["seed"] % MACE_SEEDS
            checked.same(f"{name} model, seed", seed, model["seed"])
            fitted = mace(answers, seed, model)
        else:
            fitted = dawid_skene(answers)
    posteriors, reliable, facts = fitted
    for key, value in facts.items():
        checked.same(f"{name} model, {key}", value, model[key], ROUNDED)
    shares = {raters[at]: float(share) for at, share in zip(answers.raters, reliable, strict=True)}
    checked.same(f"{name} reliability", sorted(shares), sorted(model["reliability"]))
    for rater in sorted(set(shares) & set(model["reliability"])):
        title = f"{name} reliability of {rater}"
        checked.same(title, shares[rater], model["reliability"][rater], ROUNDED)
    rated = [unit for unit, row in zip(units, matrix, strict=True) if not np.isnan(row).all()]
    for unit, own in zip(rated, posteriors, strict=True):
        published = rows[unit].get("posteriors") or {}
        for value, share in zip(answers.values, own, strict=True):
            title = f"{name} {unit} posterior of {value:g}"
            checked.same(title, float(share), published.get(f"{value:g}", 0.0), ROUNDED)


def models_said(recipe: Any, models: Any) -> str:
    """Whether the posteriors were recomputed, and if not, why; empty without any."""
    if not models:
        return ""
    needed, here = next(iter(models.values()))["package"], crowd_kit()
    if here == needed:
        return f"The posteriors of {recipe['ties']} were recomputed by crowd-kit {here}.\n"
    state = "crowd-kit is not installed" if here is None else f"crowd-kit {here} is installed"
    return (
        f"The posteriors of {recipe['ties']} were NOT recomputed: {state}, and they are of version "
        f"{needed} (pip install crowd-kit=={needed}). Checked of them: that they add up to 1, and "
        "that every label follows from them and from the ratings.\n"
    )


def further_said(name: str, what: str, checked: Checked) -> str:
    """Check systems side by side, metrics against people or agreement on marks, by the program that
    goes with this one."""
    if not (HERE / f"{name}.json").exists():
        return ""
    try:
        program = runpy.run_path(str(HERE / f"recompute_{name}.py"))
    except ImportError as error:
        return f"{what}: NOT recomputed, {error} (pip install scipy).\n"
    return str(program["check"](checked, drawn_items))


def left_out(agreement: Any) -> list[str]:
    """What figures of the bundle nothing here recomputes, document by document."""
    repeats, systems, metrics = agreement.get("repeats"), document("systems"), document("metrics")
    given = (
        (
            agreement.get("controls") or (repeats and repeats["offered"]),
            "agreement.json: control pairs and silent repeats",
        ),
        (
            systems.get("dimensions"),
            "systems.json: any mixed models; of its tables, all but systems, system_shares and "
            "system_pairs",
        ),
        (
            metrics.get("reports"),
            "metrics.json: intervals, parts of the outputs, control pairs, errors on the human "
            "scale, systems; of its tables, all but metrics",
        ),
        (
            document("marks"),
            "marks.json: intervals, alpha by MASI's distance, of units and of their coding, "
            "agreement on edits, numbers of words and of identical texts",
        ),
        (document("questions"), "questions.json: all of it"),
        (
            True,
            "README.md, METHODS.md, croissant.json, heds.md, heds*.json: figures they repeat, "
            "statistics of texts",
        ),
        (True, "study.json: counts of judgments and hours"),
        (True, "data/: of each table, the formats that were not read"),
    )
    return [said for is_there, said in given if is_there]


def document(name: str) -> Any:
    """A report of the bundle; empty where there is none."""
    path = HERE / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def lines(name: str) -> list[Any]:
    """A table of the data set."""
    text = (HERE / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def written(coefficients: dict[str, float]) -> str:
    """The coefficients as the card shows them."""
    shown = []
    for name, value in coefficients.items():
        percent = name in ("percent_agreement", "within_one")
        words = (
            "undefined"
            if math.isnan(value)
            else f"{100 * value:.2f} %"
            if percent
            # A value that rounds to nothing has no sign.
            else f"{round(value, 4) + 0.0:.4f}"
        )
        shown.append(f"{name} {words}")
    return ", ".join(shown)


def sources(keys: Any) -> Any:
    """The source text of each of these items, as its name: texts that differ in case, spacing or
    punctuation alone are one. Bundles of before told them apart by items' keys."""
    table = pd.DataFrame(lines("items")).set_index("item_key")
    known = table["source_sha256"] if "source_sha256" in table else table.index.to_series()
    return known.reindex(keys).to_numpy(dtype=object)


def main() -> None:
    ratings = pd.read_csv(
        HERE / "data" / "ratings.csv",
        dtype={"simplification_key": str, "annotator": str, "item_key": str},
        keep_default_na=False,  # an item may be called "NA"
    )
    units = sorted(ratings["simplification_key"].unique())
    raters = sorted(ratings["annotator"].unique())
    items = ratings.drop_duplicates("simplification_key").set_index("simplification_key")
    source_of = sources(items["item_key"].reindex(units).to_numpy(dtype=object))
    agreement = json.loads((HERE / "agreement.json").read_text(encoding="utf-8"))
    manifest = json.loads((HERE / "manifest.json").read_text(encoding="utf-8"))
    recipe = {"ties": "lot"} | manifest["recipe"]["labels"]
    labels, checked, models = lines("labels"), Checked(), agreement.get("models", {})
    fittable = []
    for dimension, report in agreement["dimensions"].items():
        own = ratings[ratings["dimension"] == dimension]
        table = own.pivot(index="simplification_key", columns="annotator", values="value")
        matrix = table.reindex(index=units, columns=raters).to_numpy(dtype=float)
        coefficients = check_dimension(dimension, matrix, report, checked)
        check_wider(dimension, matrix, source_of, report, checked)
        check_variance(dimension, matrix, source_of, report, checked)
        for rater, points in agreement["severities"].get(dimension, {}).items():
            here = float(severities(matrix)[raters.index(rater)])
            checked.same(f"{dimension} severity of {rater}", here, points)
        of_dimension = {r["simplification_key"]: r for r in labels if r["dimension"] == dimension}
        check_labels(dimension, units, matrix, of_dimension, recipe, checked)
        model = models.get(dimension)
        check_posteriors(dimension, units, matrix, of_dimension, model, checked)
        if recipe["ties"] != "lot" and can_be_modelled(matrix, report["fitting"]):
            fittable.append(dimension)
        if model is not None and crowd_kit() == model["package"]:
            tables = (units, raters, matrix)
            check_model(dimension, tables, of_dimension, model, recipe, checked)
        shape = f"{table.shape[0]} items, {table.shape[1]} annotators, {len(own)} ratings"
        sys.stdout.write(f"{dimension}: {written(coefficients)} ({shape})\n")
    checked.same("dimensions modelled", sorted(fittable), sorted(models))
    sys.stdout.write(models_said(recipe, models))
    check_tables(labels, checked)
    sys.stdout.write(further_said("systems", "Systems side by side", checked))
    sys.stdout.write(further_said("metrics", "Metrics against people", checked))
    sys.stdout.write(further_said("marks", "Agreement on marks", checked))
    sys.stdout.write("NOT recomputed; `sha256sum --check SHA256SUMS` alone tells of a change:\n")
    sys.stdout.writelines(f"- {figures}\n" for figures in left_out(agreement))
    if checked.differing:
        sys.exit("These numbers differ from the published ones:\n" + "\n".join(checked.differing))
    sys.stdout.write(f"All {checked.number} recomputed numbers are as published.\n")


if __name__ == "__main__":
    main()
