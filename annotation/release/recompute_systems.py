"""Recompute the systems side by side from the ratings, with public packages only.

`python recompute_agreement.py` runs this too. From data/ratings.csv, data/simplifications.jsonl and
data/items.jsonl: every mean, share, difference, effect size, interval, p and rank of systems.json
and of the tables data/system*.csv, and how often brackets, errors and other marks were found.
Intervals draw the same source texts again, and tests the same signs: NumPy's PCG64 of the published
seed. Which output bears which flag, and which way is better, is taken from systems.json. The mixed
models are not recomputed: they are statsmodels' own (see their signatures).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats  # type: ignore[import-untyped]

HERE = Path(__file__).resolve().parent
FEWEST_SOURCES, FEWEST_PEOPLE, FEWEST_FLAGGED, MOST_PEOPLE = 8, 3, 5, 12
FLIPS, EXACT_UP_TO, FEWEST_FOR_TEST = 9_999, 14, 6
ALPHA, MUCH, SAME = 0.05, 0.10, 1e-9
PLACED_AGAINST_TESTS = ("bareme-systems/1", "bareme-systems/2")
"""The methods of before, which gave systems the places of their means whatever the tests said."""
CENTRED, HOLDING = "centred on the value", "as far as the value"
"""How the methods of intervals end that bundles of before have as they were drawn."""
UNDEFINED_SHARE = 0.05
BLOCK_CELLS = 4_000_000


class Systems:
    """The ratings of one dimension of outputs that bear a system's name, as codes. ``drawn``: how
    often each source is in each draw, (draws, sources)."""

    def __init__(self, ratings: Any, facts: Any, name: str, drawn_items: Any, drawn: Any) -> None:
        settings, dimension = facts["settings"], facts["dimensions"][name]
        self.names, self.scale = facts["systems"], np.asarray(dimension["scale"], dtype=float)
        self.is_scale, self.facts = dimension["level"] != "nominal", dimension
        # Bundles of before took higher for better on every scale.
        self.better = dimension.get("better", "higher" if self.is_scale else "neither")
        self.confidence, self.seed = settings["confidence"], settings["seed"]
        self.method = settings["method"]
        self.sources = sorted(facts["sources"])
        own = ratings[(ratings["dimension"] == name) & (ratings["system"] != "")]
        self.system = own["system"].map({s: at for at, s in enumerate(self.names)}).to_numpy(int)
        codes = {source: at for at, source in enumerate(self.sources)}
        self.source = own["text"].map(codes).to_numpy(int)
        self.raters = sorted(ratings["annotator"].unique())
        people = {rater: at for at, rater in enumerate(self.raters)}
        self.rater = own["annotator"].map(people).to_numpy(int)
        self.unit = pd.factorize(own["simplification_key"])[0]
        self.keys = own["simplification_key"].to_numpy(str)
        self.value = own["value"].to_numpy(float)
        self.place = np.searchsorted(self.scale, self.value)
        self.draws, self.drawn_items, self.drawn = settings["draws"], drawn_items, drawn

    def without(self, flagged: set[str]) -> Systems:
        """The same without these outputs."""
        kept, remaining = ~np.isin(self.keys, sorted(flagged)), object.__new__(Systems)
        remaining.__dict__.update(self.__dict__)
        for name in ("system", "source", "rater", "unit", "keys", "value", "place"):
            setattr(remaining, name, getattr(self, name)[kept])
        return remaining


def by(codes: Any, weights: Any, shape: tuple[int, ...]) -> Any:
    """The weight in each cell of an array of that shape."""
    size = math.prod(shape)
    return np.bincount(codes, weights=weights, minlength=size).astype(float).reshape(shape)


def over(part: Any, whole: Any) -> Any:
    """The quotient, NaN where nothing was counted."""
    quotient = np.full(np.shape(part), np.nan)
    return np.divide(part, whole, out=quotient, where=np.broadcast_to(whole, np.shape(part)) > SAME)


# --- Intervals.


def of_sources(drawn: Any, sources: int, confidence: float) -> list[float] | None:
    """The expanded percentile interval (Hesterberg 2015), or None where none is given."""
    known = drawn[~np.isnan(drawn)]
    too_many = len(drawn) - len(known) > UNDEFINED_SHARE * len(drawn)
    if sources < FEWEST_SOURCES or not len(drawn) or too_many or np.ptp(known) < SAME:
        return None
    student = stats.t.ppf(1 - (1 - confidence) / 2, sources - 1)
    tail = stats.norm.cdf(-student * math.sqrt(sources / (sources - 1)))
    return [float(end) for end in np.quantile(known, [tail, 1 - tail])]


def as_stated(here: Any, published: Any, drawn: Any) -> Any:
    """A value and its interval, as the published figure says that it was made of the draws: less
    what these lean by, or as far as the value at least."""
    value, bounds = here
    method = published.get("method") or ""
    if bounds is None or not method.endswith((CENTRED, HOLDING)):
        return here
    low, high = bounds
    if method.endswith(CENTRED):
        lean = float(np.nanmean(drawn)) - value
        low, high = max(low - lean, -1.0), min(high - lean, 1.0)
    return value, [min(low, value), max(high, value)]


def of_share(share: float, drawn: Any, sources: int, confidence: float) -> list[float] | None:
    """Wilson's, of as many answers as would vary like the draws, with Student's t; of nobody or of
    everybody the exact interval of so many sources."""
    if of_sources(drawn, sources, confidence) is not None:
        student = stats.t.ppf(1 - (1 - confidence) / 2, sources - 1)
        varies = np.nanvar(drawn) * sources / (sources - 1)
        number = share * (1 - share) / varies / student**2
        middle = (share * number + 0.5) / (number + 1)
        half = math.sqrt(share * (1 - share) * number + 0.25) / (number + 1)
        return [max(middle - half, 0.0), min(middle + half, 1.0)]
    if sources < FEWEST_SOURCES or np.ptp(drawn[~np.isnan(drawn)]) >= SAME:
        return None
    bound = ((1 - confidence) / 2) ** (1 / sources)
    if share < SAME:
        return [0.0, 1 - bound]
    return [bound, 1.0] if share > 1 - SAME else None


def of_share_gap(
    shares: tuple[float, float], drawn: tuple[Any, Any], sources: int, confidence: float
) -> list[float] | None:
    """Of a difference of shares: Newcombe's (1998) method 10 from the interval of each, with their
    correlation over the draws, continuity-corrected where it is positive."""
    first, second = (
        of_share(share, draws, sources, confidence)
        for share, draws in zip(shares, drawn, strict=True)
    )
    gap = shares[0] - shares[1]
    if first is None or second is None:
        return of_sources(drawn[0] - drawn[1], sources, confidence)
    deviations, together = [draws.std() for draws in drawn], 0.0
    if min(deviations) >= SAME:
        together = float(((drawn[0] - drawn[0].mean()) * (drawn[1] - drawn[1].mean())).mean())
        together /= deviations[0] * deviations[1]
    if together > 0:
        spread = math.sqrt(math.prod(share * (1 - share) for share in shares))
        answers = spread / math.prod(deviations) * (sources - 1) / sources
        together = max(together - 0.5 / (answers * spread), 0.0)
    halves = [
        math.sqrt(max(own**2 + other**2 - 2 * together * own * other, 0.0))
        for own, other in (
            (shares[0] - first[0], second[1] - shares[1]),
            (first[1] - shares[0], shares[1] - second[0]),
        )
    ]
    return [max(gap - halves[0], -1.0), min(gap + halves[1], 1.0)]


def crossed(
    value: float, deviations: Any, weights: Any, where: Any, here: Any, confidence: float
) -> list[float] | None:
    """Of other texts and other people (two-way random effects, Cochran's t). ``where``: codes of
    source and person of each entry; ``here``: the interval for the same people."""
    (texts, source), (people, person) = (
        (len(coded[0]), coded[1]) for coded in (np.unique(c, return_inverse=True) for c in where)
    )
    few = texts < FEWEST_SOURCES or people < FEWEST_PEOPLE
    if few or float(np.abs(deviations).max()) < SAME:
        return None
    shares = weights * deviations
    of_texts = float((by(source, shares, (texts,)) ** 2).sum()) * texts / (texts - 1)
    of_people = float((by(person, shares, (people,)) ** 2).sum()) * people / (people - 1)
    if of_texts + of_people < SAME**2:
        return None
    left, of_both = len(weights) - texts - people + 1, 0.0
    if left > 0:
        rest = deviations - deviations.mean()
        for _ in range(30):
            for codes, number in ((source, texts), (person, people)):
                means = by(codes, rest, (number,)) / by(codes, None, (number,))
                rest = rest - means[codes]
        of_both = float((rest**2).sum()) / left * float((weights**2).sum())
    variance = max(of_texts + of_people - of_both, of_texts, of_people)
    tails = [stats.t.ppf(1 - (1 - confidence) / 2, n - 1) for n in (texts, people)]
    half = (tails[0] * of_texts + tails[1] * of_people) / (of_texts + of_people)
    half *= math.sqrt(variance)
    low, high = value - half, value + half
    return [min(low, here[0]), max(high, here[1])] if here else [low, high]


# --- Each system by itself.


def profiles(of: Systems) -> dict[str, dict[str, Any]]:
    """By system its mean (with both intervals), its mean without severity, and its shares: (value,
    interval) each."""
    k, v, s = len(of.names), len(of.scale), len(of.sources)
    own = 1 / np.bincount(of.unit)[of.unit]
    sums = by((of.source * k + of.system) * v + of.place, own, (s, k * v))
    totals = (of.drawn @ sums).reshape(len(of.drawn), k, v)
    drawn = over(totals, totals.sum(axis=2, keepdims=True))
    points = sums.sum(axis=0).reshape(k, v)
    adjusted = without_severity(of, own)
    figures: dict[str, dict[str, Any]] = {}
    for code, name in enumerate(of.names):
        at = np.flatnonzero(of.system == code)
        texts = len(np.unique(of.source[at]))
        if not len(at):
            figures[name] = {"shares": [(None, None)] * v}
            continue
        shares = points[code] / points[code].sum()
        figures[name] = {
            "shares": [
                (float(share), of_share(share, drawn[:, code, place], texts, of.confidence))
                for place, share in enumerate(shares)
            ]
        }
        if not of.is_scale:
            continue
        mean = float(shares @ of.scale)
        here = of_sources(drawn[:, code] @ of.scale, texts, of.confidence)
        figures[name]["mean"] = (mean, here)
        figures[name]["elsewhere"] = (mean, _other_people(of, at, mean, here))
        figures[name]["adjusted"] = adjusted[code]
    return figures


def _other_people(of: Systems, at: Any, mean: float, here: Any) -> list[float] | None:
    r = len(of.raters)
    cells, cell = np.unique(of.source[at] * r + of.rater[at], return_inverse=True)
    own = 1 / (np.bincount(of.unit[at])[of.unit[at]] * len(np.unique(of.unit[at])))
    weights = by(cell, own, (len(cells),))
    means = by(cell, own * of.value[at], (len(cells),)) / weights
    return crossed(mean, means - mean, weights, (cells // r, cells % r), here, of.confidence)


def without_severity(of: Systems, own: Any) -> list[tuple[float | None, Any]]:
    """Each system's mean less what its judges are stricter or milder by (additive model of outputs
    and people, by least squares), estimated anew in each draw where people are few."""
    people, rater = np.unique(of.rater, return_inverse=True)
    k, r, s = len(of.names), len(people), len(of.sources)
    if not of.is_scale or r < 2 or not _connected(of.unit, rater, r):
        return [(None, None)] * k
    system = of.source * k + of.system
    means = np.bincount(of.unit, weights=of.value)[of.unit] * own
    rated = by(of.unit * r + rater, None, (of.unit.max() + 1, r))
    shared = np.einsum("ui,uj->uij", rated, rated) / rated.sum(axis=1)[:, None, None]
    parts = np.eye(r) * rated[:, None, :] - shared
    source_of = np.zeros(len(rated), dtype=int)
    source_of[of.unit] = of.source
    left = np.zeros((s, r, r))
    np.add.at(left, source_of, parts)
    columns = (
        by(system, own * of.value, (s, k)),
        by(system, own, (s, k)),
        by(system * r + rater, own, (s, k * r)),
        by(of.source * r + rater, of.value - means, (s, r)),
        left.reshape(s, r * r),
    )

    def evaluate(weights: Any) -> Any:
        sums, outputs, per_person, right, normal = (weights @ column for column in columns)
        inverse = np.linalg.pinv(normal.reshape(-1, r, r), rcond=1e-10, hermitian=True)
        severities = np.einsum("dij,dj->di", inverse, right)
        return over(
            sums - np.einsum("dkr,dr->dk", per_person.reshape(-1, k, r), severities), outputs
        )

    values = evaluate(np.ones((1, s)))[0]
    drawn = evaluate(of.drawn) if r <= MOST_PEOPLE else np.zeros((0, k))
    adjusted: list[tuple[float | None, Any]] = []
    for code in range(k):
        texts = len(np.unique(of.source[of.system == code]))
        if not texts:
            adjusted.append((None, None))
            continue
        bounds = of_sources(drawn[:, code], texts, of.confidence)
        adjusted.append((float(values[code]), bounds))
    return adjusted


def _connected(unit: Any, rater: Any, people: int) -> bool:
    """Whether common outputs connect all people."""
    group = list(range(people))
    for output in np.unique(unit):
        joined = {group[who] for who in rater[unit == output]}
        group = [min(joined) if own in joined else own for own in group]
    return len(set(group)) == 1


# --- Two systems.


def compared(of: Systems, first: int, second: int) -> dict[str, Any] | None:
    """Difference (both intervals), shares, superiority, delta, p and each person's difference; None
    where nothing can be compared."""
    r, v = len(of.raters), len(of.scale)
    sides = []
    for code in (first, second):
        at = np.flatnonzero(of.system == code)
        sides.append((of.source[at], of.source[at] * r + of.rater[at], of.place[at]))
    common = np.intersect1d(sides[0][0], sides[1][0])
    inside = np.isin(of.source, common)
    judged = [set(of.rater[inside & (of.system == code)].tolist()) for code in (first, second)]
    if not len(common) or not judged[0] & judged[1]:
        return None
    both = np.intersect1d(sides[0][1], sides[1][1])
    with_both = np.unique(both // r)
    kept = []
    for source, cell, place in sides:
        own = np.isin(cell, both) | ~np.isin(source, with_both)
        own &= np.isin(source, common)
        kept.append((source[own], cell[own], place[own]))
    shares = [_shares(of, side, common) for side in kept]
    superior, people = _by_people(of, kept, common, both)
    alone = np.flatnonzero(~np.isin(common, with_both))
    superior[alone] = _superiority(shares[0][alone], shares[1][alone])
    if of.better == "lower":
        superior = 1 - superior
    n, gaps = len(common), shares[0] - shares[1]
    # Drawn anew of these texts alone, so that there are as many in each draw.
    drawn = of.drawn_items(np.ones(n, dtype=np.int64), of.draws, of.seed)
    columns = np.column_stack([*shares, superior])
    varied, point = drawn @ columns / n, columns.mean(axis=0)

    def with_interval(value: float, values: Any) -> tuple[float, Any]:
        return float(value), of_sources(values, n, of.confidence)

    gap = varied[:, :v] - varied[:, v:-1]
    figures: dict[str, Any] = {
        "shares": [
            (
                float(gaps.mean(axis=0)[place]),
                of_share_gap(
                    (float(point[place]), float(point[v + place])),
                    (varied[:, place], varied[:, v + place]),
                    n,
                    of.confidence,
                ),
            )
            for place in range(v)
        ],
        "test": sign_flips(gaps @ of.scale if of.is_scale else gaps, of.seed),
        "people": people if of.is_scale else {},
    }
    if of.is_scale:
        value = (point[:v] - point[v:-1]) @ of.scale
        figures["difference"] = with_interval(value, gap @ of.scale)
        entries = _entries(of, kept, common)
        here = figures["difference"][1]
        figures["elsewhere"] = (float(value), crossed(float(value), *entries, here, of.confidence))
        figures["superiority"] = with_interval(point[-1], varied[:, -1])
        delta = 2 * _superiority(point[:v], point[v:-1]) - 1
        deltas = 2 * _superiority(varied[:, :v], varied[:, v:-1]) - 1
        figures["cliffs_delta"], figures["deltas"] = with_interval(delta, deltas), deltas
    return figures


def _superiority(first: Any, second: Any) -> Any:
    below = np.cumsum(second, axis=-1) - second
    return (first * (below + second / 2)).sum(axis=-1)


def _shares(of: Systems, side: Any, common: Any) -> Any:
    """The share of each answer on each text; everybody who judged it counts the same."""
    source, cell, place = side
    cells, at, times = np.unique(cell, return_inverse=True, return_counts=True)
    text = np.searchsorted(common, source)
    people = np.bincount(np.searchsorted(common, cells // len(of.raters)), minlength=len(common))
    weights = 1.0 / (times[at] * people[text])
    return by(text * len(of.scale) + place, weights, (len(common), len(of.scale)))


def _by_people(of: Systems, sides: Any, common: Any, both: Any) -> tuple[Any, dict[str, Any]]:
    """How often those who judged both judged the first higher, by text; each person's mean
    difference, and on how many texts."""
    means = []
    for _source, cell, place in sides:
        inside = np.isin(cell, both)
        at = np.searchsorted(both, cell[inside])
        sums = by(at, of.scale[place[inside]], (len(both),))
        means.append(sums / by(at, None, (len(both),)))
    gaps, r = np.round(means[0] - means[1], 12), len(of.raters)
    text, rater = np.searchsorted(common, both // r), both % r
    people = np.bincount(text, minlength=len(common))
    wins = by(text, (np.sign(gaps) + 1) / 2, (len(common),))
    superior = np.divide(wins, people, out=np.zeros(len(common)), where=people > 0)
    own = {
        of.raters[code]: (float(gaps[rater == code].mean()), int((rater == code).sum()))
        for code in np.unique(rater).tolist()
    }
    return superior, own


def _entries(of: Systems, sides: Any, common: Any) -> tuple[Any, Any, Any]:
    """Deviations, weights and codes of each text × person of the difference."""
    r, cells = len(of.raters), np.unique(np.concatenate([side[1] for side in sides]))
    deviations, weights = np.zeros(len(cells)), np.zeros(len(cells))
    for sign, (_source, cell, place) in zip((1, -1), sides, strict=True):
        own, at, times = np.unique(cell, return_inverse=True, return_counts=True)
        means = by(at, of.scale[place], (len(own),)) / times
        text = np.searchsorted(common, own // r)
        own_weights = 1 / (np.bincount(text, minlength=len(common))[text] * len(common))
        deviations[np.searchsorted(cells, own)] += sign * (means - float(own_weights @ means))
        weights[np.searchsorted(cells, own)] = own_weights
    return deviations, weights, (cells // r, cells % r)


def sign_flips(differences: Any, seed: int) -> dict[str, Any] | None:
    """The two-sided test that exchanges the signs of texts: all of them where they are few, else
    drawn; None where too few differ for any p below .05."""
    table = differences.reshape(len(differences), -1)
    table = table[(np.abs(table) > SAME).any(axis=1)]
    differing = len(table)
    if differing < FEWEST_FOR_TEST:
        return None
    observed = float((table.sum(axis=0) ** 2).sum())
    least = observed - SAME * max(1.0, observed)
    if differing <= EXACT_UP_TO:
        signs = 1 - 2 * ((np.arange(2**differing)[:, None] >> np.arange(differing)) & 1)
        extreme = int((((signs @ table) ** 2).sum(axis=1) >= least).sum())
        p, tried = extreme / 2**differing, 2**differing
    else:
        p, tried = (1 + _drawn_signs(table, least, seed)) / (1 + FLIPS), FLIPS
    return {"p": p, "differing": differing, "exchanges": tried, "exact": tried != FLIPS}


def _drawn_signs(table: Any, least: float, seed: int) -> int:
    rng, extreme = np.random.Generator(np.random.PCG64(seed)), 0
    leading = table[np.arange(len(table)), (np.abs(table) > SAME).argmax(axis=1)]
    unsigned = np.round(table * np.sign(leading)[:, None], 12)
    distinct, counts = np.unique(unsigned, axis=0, return_counts=True)
    block = max(1, BLOCK_CELLS // len(distinct))
    for start in range(0, FLIPS, block):
        size = (min(block, FLIPS - start), len(distinct))
        sums = (2.0 * rng.binomial(counts, 0.5, size=size) - counts) @ distinct
        extreme += int(((sums**2).sum(axis=1) >= least).sum())
    return extreme


def holm(p_values: list[float]) -> list[float]:
    """Each p after Holm's (1979) correction over all of them."""
    order, highest = np.argsort(p_values, kind="stable"), 0.0
    adjusted = [0.0] * len(p_values)
    for rank, place in enumerate(order.tolist()):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def ranks(of: Systems, comparisons: dict[Any, Any], adjusted: dict[Any, float]) -> dict[str, Any]:
    """By system its rank, the places that tests leave, and its mean over the texts of all."""
    k, s = len(of.names), len(of.sources)
    own = 1 / np.bincount(of.unit)[of.unit]
    cells = of.source * k + of.system
    sums, outputs = by(cells, own * of.value, (s, k)), by(cells, own, (s, k))
    common = (outputs > 0).all(axis=1)
    if (
        of.better == "neither"
        or any(comparison is None for comparison in comparisons.values())
        or not common.any()
    ):
        return {}
    means = np.round((sums[common] / outputs[common]).mean(axis=0), 12)
    sign = -1 if of.better == "lower" else 1
    better, worse = Counter[int](), Counter[int]()
    places = [
        float((sign * means > sign * mean).sum() + ((means == mean).sum() + 1) / 2)
        for mean in means
    ]
    against = False
    for (first, second), comparison in comparisons.items():
        if adjusted.get((first, second), 1.0) <= ALPHA:
            wins = sign * comparison["difference"][0] > 0
            winner, loser = (first, second) if wins else (second, first)
            better[loser] += 1
            worse[winner] += 1
            against |= places[winner] >= places[loser]
    left = [[1 + better[at], k - worse[at]] for at in range(k)]
    against |= any(
        not low <= place <= high for place, (low, high) in zip(places, left, strict=True)
    )
    undefined = against and of.method not in PLACED_AGAINST_TESTS
    return {
        name: (None if undefined else places[at], left[at], float(means[at]))
        for at, name in enumerate(of.names)
    }


# --- Flags, brackets and errors.


def explained(of: Systems, flagged: set[str]) -> tuple[float | None, Any]:
    """Eta squared: the share of the variance of outputs' means between flagged and others, with its
    interval as drawn."""
    units, first = np.unique(of.unit, return_index=True)
    is_flagged = np.isin(of.keys[first], sorted(flagged))
    if not of.is_scale or min(is_flagged.sum(), (~is_flagged).sum()) < FEWEST_FLAGGED:
        return None, None
    means = by(of.unit, of.value, (len(units),)) / by(of.unit, None, (len(units),))
    parts = [
        column * inside
        for inside in (is_flagged, ~is_flagged)
        for column in (np.ones(len(units)), means, means**2)
    ]
    s = len(of.sources)
    moments = np.column_stack([by(of.source[first], part, (s,)) for part in parts])

    def eta(totals: Any) -> Any:
        n, sums, squares = totals[:, [0, 3]], totals[:, [1, 4]], totals[:, [2, 5]]
        with np.errstate(divide="ignore", invalid="ignore"):
            grand = sums.sum(axis=1) ** 2 / n.sum(axis=1)
            whole = squares.sum(axis=1) - grand
            between = (sums**2 / n).sum(axis=1) - grand
            return np.where(whole > SAME, between / whole, np.nan)

    value = float(eta(moments.sum(axis=0)[None])[0])
    if math.isnan(value):
        return None, None
    texts = len(np.unique(of.source[first]))
    return value, of_sources(eta(of.drawn @ moments), texts, of.confidence)


def rates(rows: Any, things: list[str], facts: Any, drawn_items: Any, *, shares: bool) -> Any:
    """By system and thing: how often it was found in a judgment. ``rows``: a judgment each, with a
    column for each thing."""
    settings, names = facts["settings"], sorted(rows["system"].unique())
    sources = sorted(rows["text"].unique())
    unit = pd.factorize(rows["simplification_key"])[0]
    source = np.searchsorted(sources, rows["text"].to_numpy(str))
    system = np.searchsorted(names, rows["system"].to_numpy(str))
    own, k, s = 1 / np.bincount(unit)[unit], len(names), len(sources)
    drawn = drawn_items(np.ones(s, dtype=np.int64), settings["draws"], settings["seed"])
    outputs = by(source * k + system, own, (s, k))
    figures: dict[tuple[str, str], tuple[float, Any]] = {}
    for thing in things:
        sums = by(source * k + system, own * rows[thing].to_numpy(float), (s, k))
        varied, values = over(drawn @ sums, drawn @ outputs), sums.sum(axis=0) / outputs.sum(axis=0)
        for code, name in enumerate(names):
            texts = len(np.unique(source[system == code]))
            how = (float(values[code]), varied[:, code], texts, settings["confidence"])
            bounds = of_share(*how) if shares else of_sources(*how[1:])
            figures[name, thing] = float(values[code]), bounds
    return figures


# --- What is published.


def same_figure(checked: Any, title: str, here: Any, published: Any) -> None:
    """A value and its interval."""
    checked.same(title, here[0], published["value"])
    checked.same(f"{title}, interval", here[1], published["interval"])


def check_dimension(of: Systems, name: str, facts: Any, checked: Any) -> list[Any]:
    """Everything of one dimension but Holm's correction and ranks, which take all dimensions."""
    dimension = facts["dimensions"][name]
    by_system = profiles(of)
    nothing = (None, None)
    for system in dimension["systems"]:
        own, title = by_system[system["system"]], f"{name} {system['system']}"
        for key, published in (
            ("mean", "mean"),
            ("elsewhere", "mean_with_other_annotators"),
            ("adjusted", "severity_adjusted_mean"),
        ):
            same_figure(checked, f"{title} {published}", own.get(key, nothing), system[published])
        for value, here, share in zip(of.scale, own["shares"], system["shares"], strict=True):
            same_figure(checked, f"{title} share of {value:g}", here, share)
    bad = set()
    for flag in dimension["flags"]:
        here = explained(of, set(facts["flagged"][flag["flag"]]))
        here = as_stated(here, flag["variance_explained"], None)
        same_figure(checked, f"{name} flag {flag['flag']}", here, flag["variance_explained"])
        if here[0] is not None and here[0] >= MUCH:
            bad.add(flag["flag"])
    whole = of.without({unit for flag in bad for unit in facts["flagged"][flag]})
    return [
        check_pairs(of, f"{name}", dimension["comparisons"], checked),
        check_pairs(whole, f"{name} unflagged", dimension["without_flagged"], checked)
        if bad
        else {},
    ]


def check_pairs(of: Systems, title: str, published: Any, checked: Any) -> dict[Any, Any]:
    """Every two systems; what was found of each."""
    comparisons = {}
    pairs = list(combinations(range(len(of.names)), 2))
    checked.same(f"{title}, pairs of systems", len(pairs), len(published))
    for (first, second), pair in zip(pairs, published, strict=False):
        here = compared(of, first, second)
        comparisons[first, second] = here
        named = f"{title} {of.names[first]} – {of.names[second]}"
        checked.same(named, [of.names[first], of.names[second]], [pair["first"], pair["second"]])
        for key, other in (
            ("difference", "difference"),
            ("elsewhere", "difference_with_other_annotators"),
            ("superiority", "superiority"),
            ("cliffs_delta", "cliffs_delta"),
        ):
            own = (here or {}).get(key, (None, None))
            if key == "cliffs_delta":
                own = as_stated(own, pair[other], (here or {}).get("deltas"))
            same_figure(checked, f"{named} {other}", own, pair[other])
        shares = here["shares"] if here else []
        checked.same(f"{named} shares", len(shares), len(pair["share_differences"]))
        for share, other_share in zip(shares, pair["share_differences"], strict=False):
            same_figure(checked, f"{named} share", share, other_share)
        test, stated = here["test"] if here else None, pair["test"]
        checked.same(f"{named} test", None if test is None else 1, None if stated is None else 1)
        for key, value in test.items() if test and stated else ():
            checked.same(f"{named} {key}", value, stated[key])
        people = {p["annotator"]: (p["difference"], p["sources"]) for p in pair["annotators"]}
        own = here["people"] if here else {}
        checked.same(f"{named} annotators", sorted(own), sorted(people))
        for who in sorted(set(own) & set(people)):
            checked.same(f"{named} {who}", list(own[who]), list(people[who]))
    return comparisons


def check_holm(
    comparisons: dict[str, Any], facts: Any, key: str, tables: Any, checked: Any
) -> None:
    """The correction over all pairs on all dimensions, and the ranks that follow."""
    tested = [
        (name, pair)
        for name, pairs in comparisons.items()
        for pair, comparison in pairs.items()
        if comparison is not None and comparison["test"] is not None
    ]
    corrected = holm([comparisons[name][pair]["test"]["p"] for name, pair in tested])
    adjusted = dict(zip(tested, corrected, strict=True))
    for name, pairs in comparisons.items():
        for pair, comparison in zip(pairs, facts["dimensions"][name][key], strict=False):
            test = comparison["test"] or {"p_holm": None, "family": None}
            here = adjusted.get((name, pair))
            title = f"{name} {key} {comparison['first']} – {comparison['second']}"
            checked.same(f"{title} p_holm", here, test["p_holm"])
            checked.same(f"{title} family", None if here is None else len(tested), test["family"])
        if key == "without_flagged":
            continue
        own = {pair: p for (other, pair), p in adjusted.items() if other == name}
        placed = ranks(tables[name], pairs, own)
        stated = {rank["system"]: rank for rank in facts["dimensions"][name]["ranks"]}
        checked.same(f"{name} ranks", sorted(placed), sorted(stated))
        for system in sorted(set(placed) & set(stated)):
            rank = stated[system]
            published = [rank["rank"], rank["between"], rank["mean_on_common_sources"]]
            for here, there in zip(placed[system], published, strict=True):
                checked.same(f"{name} rank of {system}", here, there)


def check_tables(facts: Any, checked: Any) -> None:
    """The tables that repeat systems.json."""
    systems, pairs = _table("systems"), _table("system_pairs")
    for name, dimension in facts["dimensions"].items():
        for profile in dimension["systems"]:
            row = systems[name, profile["system"]]
            for key in ("mean", "severity_adjusted_mean"):
                _same_row(checked, f"systems {name} {profile['system']}", row, key, profile[key])
            elsewhere = "mean_with_other_annotators"
            _same_row(
                checked, f"systems {name}", row, elsewhere, profile[elsewhere], bounds_only=True
            )
        for comparison in dimension["comparisons"]:
            row = pairs[name, comparison["first"], comparison["second"]]
            title = f"system_pairs {name} {comparison['first']} – {comparison['second']}"
            for key in ("difference", "superiority", "cliffs_delta"):
                _same_row(checked, title, row, key, comparison[key])
            elsewhere = "difference_with_other_annotators"
            _same_row(checked, title, row, elsewhere, comparison[elsewhere], bounds_only=True)
            for key in ("p", "p_holm"):
                stated = None if comparison["test"] is None else comparison["test"][key]
                checked.same(f"{title} {key}", _cell(row[key]), stated)
    shares: dict[Any, list[Any]] = {}
    for (name, system, _value), row in _table("system_shares", "value").items():
        shares.setdefault((name, system), []).append(_cell(row["share"]))
    for (name, system), values in shares.items():
        systems_of = facts["dimensions"][name]["systems"]
        (profile,) = [profile for profile in systems_of if profile["system"] == system]
        stated = [share["value"] for share in profile["shares"]]
        for here, there in zip(values, stated, strict=True):
            checked.same(f"system_shares {name} {system}", here, there)


def _same_row(
    checked: Any, title: str, row: Any, key: str, figure: Any, *, bounds_only: bool = False
) -> None:
    low, high = figure["interval"] or (None, None)
    cells = {f"{key}_low": low, f"{key}_high": high} | (
        {} if bounds_only else {key: figure["value"]}
    )
    for name, published in cells.items():
        checked.same(f"{title} {name}", _cell(row[name]), published)


def _table(name: str, *more: str) -> dict[Any, Any]:
    texts = {"system": str, "first": str, "second": str}
    rows = pd.read_csv(HERE / "data" / f"{name}.csv", dtype=texts, keep_default_na=False)
    keys = [key for key in ("dimension", "system", "first", "second", *more) if key in rows]
    # Cells that would start a formula begin with an apostrophe.
    return {
        tuple(str(row[key]).removeprefix("'") if key != "value" else row[key] for key in keys): row
        for row in rows.to_dict("records")
    }


def _cell(value: Any) -> float | None:
    return None if value == "" else float(value)


def lines(name: str) -> Any:
    """A table of the data set."""
    text = (HERE / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
    return pd.DataFrame([json.loads(line) for line in text.split("\n") if line])


def with_systems(rows: Any) -> Any:
    """With the system and the source text of each row's output."""
    units = lines("simplifications")[["item_key", "simplification_key", "system"]]
    items = lines("items")
    # Bundles of before told texts apart that differ in case, spacing or punctuation alone.
    items["text"] = items["source_sha256" if "source_sha256" in items else "original_sha256"]
    units = units.merge(items[["item_key", "text"]], on="item_key")
    units["system"] = units["system"].fillna("")
    kept = [name for name in rows if name not in ("system", "item_key", "text")]
    return rows[kept].merge(units, on="simplification_key")


def marks_of(rows: Any, names: list[str], name: str | None, others: list[str]) -> Any:
    """The judgments with how many marks of each type they hold, and in ``any`` of all: of the list
    ``name``, or of all that are errors, which those of the ``others`` are not."""
    keys, marks = ["simplification_key", "annotator"], lines("errors")
    # Where there is one list of marks, no row says which.
    if "field" in marks:
        marks = marks[marks["field"] == name if name else ~marks["field"].isin(others)]
    marked = Counter(map(tuple, marks[[*keys, "type"]].to_numpy().tolist()))
    kinds = [kind for kind in names if kind != "any"]
    counted = [
        [marked[unit, who, kind] for kind in kinds] for unit, who in rows[keys].to_numpy().tolist()
    ]
    table = pd.DataFrame(counted, columns=kinds, index=rows.index)
    everything = rows[[*keys, "system", "text"]].join(table)
    return everything.assign(any=table.sum(axis=1))


def check_findings(facts: Any, drawn_items: Any, checked: Any) -> None:
    """Brackets, errors and other marks, where judgments hold them."""
    if not facts["bracket_rates"]:
        return
    column = facts["bracket_column"]
    rows = with_systems(lines("long"))
    rows = rows[rows[column].notna() & (rows["system"] != "")]
    things: list[tuple[str, Any, Any, bool]] = []
    values = [*facts["bracket_rates"][0]["rates"]]
    brackets = rows.assign(**{v: (rows[column].astype(int).astype(str) == v) * 1 for v in values})
    things.append(("bracket", facts["bracket_rates"], brackets, True))
    # Bundles of before counted all marks among errors.
    others = facts.get("mark_rates", {})
    lists = [("error", None, facts["error_rates"])]
    lists += [(f"mark {name}", name, published) for name, published in others.items()]
    for kind, name, published in lists:
        if published:
            counted = marks_of(rows, [*published[0]["rates"]], name, [*others])
            things.append((kind, published, counted, False))
    for kind, published, table, shares in things:
        names = [*published[0]["rates"]]
        figures = rates(table, names, facts, drawn_items, shares=shares)
        for system in published:
            for name in names:
                title = f"{kind} {name} of {system['system']}"
                same_figure(checked, title, figures[system["system"], name], system["rates"][name])


def check(checked: Any, drawn_items: Any) -> str:
    """Everything; what is to be said of it. ``drawn_items`` as in recompute_agreement.py."""
    path = HERE / "systems.json"
    facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"undefined": {}}
    if facts["undefined"] is not None:
        return ""
    columns = {"simplification_key": str, "annotator": str}
    path = HERE / "data" / "ratings.csv"
    ratings = with_systems(pd.read_csv(path, dtype=columns, keep_default_na=False))
    judged = ratings[ratings["system"] != ""]
    checked.same("systems", sorted(judged["system"].unique()), facts["systems"])
    facts["sources"] = judged["text"].unique().tolist()
    once, settings = np.ones(len(facts["sources"]), dtype=np.int64), facts["settings"]
    drawn = drawn_items(once, settings["draws"], settings["seed"])
    tables = {
        name: Systems(ratings, facts, name, drawn_items, drawn) for name in facts["dimensions"]
    }
    main, whole = {}, {}
    for name, of in tables.items():
        main[name], whole[name] = check_dimension(of, name, facts, checked)
    check_holm(main, facts, "comparisons", tables, checked)
    check_holm(whole, facts, "without_flagged", tables, checked)
    check_findings(facts, drawn_items, checked)
    check_tables(facts, checked)
    fitted = [name for name, report in facts["mixed"].items() if report["undefined"] is None]
    left = f" The mixed models ({', '.join(fitted)}) were NOT recomputed." if fitted else ""
    return f"Systems side by side: {', '.join(facts['systems'])}.{left}\n"
