"""The ordinal model with thresholds of each annotator's own, beside the one that only moves the
common ones (``ordinal``).

logit P(answer of annotator j to an output of system s ≤ k) = θ_jk − β_s: no annotator's thresholds
are tied to another's, so that one may use the ends of the scale and another its middle (Christensen
2018, *Cumulative Link Models for Ordinal Regression with the R Package ordinal*, nominal effects).
β and θ are fixed effects, by ``cumulative``; variances are robust over source texts.

A threshold takes at least ``FEWEST_ANSWERS`` answers of that annotator between it and the next, and
beyond the last (ten for each effect: Peduzzi et al. 1996, Journal of Clinical Epidemiology 49).
Neighbouring values below that count as one, for this annotator alone: a cumulative logit is the
same model after that, with the same β. Who has fewer than twice as many answers, or next to all on
one value, has no such threshold and is left out by name.

To say which of both models describes the answers better, the one with a shift is fitted to the very
same answers, values counted together in the same way. Akaike's criterion (1974, IEEE Transactions
on Automatic Control 19) tells them apart where it differs by ``CLEAR`` or more (Burnham and
Anderson 2002, *Model Selection and Multimodel Inference*, section 2.6): it takes answers to one
text as independent, which they are not.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from importlib.metadata import version as version_of
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.mixed import wording
from annotation.agreement.mixed.cumulative import Between, Highest, highest, robust
from annotation.agreement.mixed.odds import Estimates, OddsDifference
from annotation.agreement.mixed.ordinal import FLAT, INFINITE, Design, only
from annotation.agreement.systems.figure import (
    Counts,
    Drawn,
    Figure,
    counts_of,
    rounded,
    wording_facts,
)
from annotation.agreement.systems.table import SystemRatings
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

FEWEST_ANSWERS = 10
CLEAR = 10.0
"""AIC by which a model with more thresholds has to be better."""
MOST_WORK = 5e9
"""Ratings × coefficients²; at that a fit takes minutes (`python -m bench.mixed --sizes`)."""


@dataclass(frozen=True)
class Threshold:
    """Of one ``annotator``: how probable an answer up to ``value`` is against one above, in log
    odds, of an output of the average system; and where the common threshold ``moved`` by a shift
    would be. Higher asks more for a higher answer."""

    annotator: Hashable
    value: float
    own: Figure
    moved: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "annotator": str(self.annotator),
            "value": self.value,
            "own": self.own.as_dict(),
            "moved": rounded(self.moved),
        }


@dataclass(frozen=True)
class Fit:
    """How well a model describes the answers: ``coefficients`` are systems and thresholds."""

    log_likelihood: float
    coefficients: int
    signature: str

    @property
    def aic(self) -> float:
        """Akaike's criterion: lower is better."""
        return 2 * self.coefficients - 2 * self.log_likelihood

    def as_dict(self) -> dict[str, Any]:
        return {
            "log_likelihood": rounded(self.log_likelihood),
            "coefficients": self.coefficients,
            "aic": rounded(self.aic),
            "signature": self.signature,
        }


@dataclass(frozen=True)
class OwnThresholds:
    """What the model says. ``undefined``: why it says nothing. ``fit`` beside that of the common
    thresholds ``moved`` by a shift, on the same answers."""

    counts: Counts
    differences: tuple[OddsDifference, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    fit: Fit | None = None
    moved: Fit | None = None
    notes: tuple[Wording, ...] = ()
    undefined: Wording | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "undefined": wording_facts(self.undefined),
            "differences": [difference.as_dict() for difference in self.differences],
            "thresholds": [threshold.as_dict() for threshold in self.thresholds],
            "n": self.counts.as_dict(),
            "fit": self.fit.as_dict() if self.fit else None,
            "fit_of_shift": self.moved.as_dict() if self.moved else None,
            "notes": [wording_facts(note) for note in self.notes],
            "signature": self.fit.signature if self.fit else None,
        }


def own_thresholds(table: SystemRatings, drawn: Drawn) -> OwnThresholds:
    """Fit the model. Nothing is drawn: of ``drawn`` only the confidence and the seed of the
    signature are used. Where there is no model nobody is said to be left out of it."""
    borders = _borders(table)
    left_out = [code for code, own in borders.items() if not own]
    kept = only(table, ~np.isin(table.rater, left_out))
    counts = counts_of(kept.unit, kept.source, kept.rater)
    if counts.people < 2:
        reason = wording.FEW_OWN_THRESHOLDS.format(fewest=FEWEST_ANSWERS, people=counts.people)
        return OwnThresholds(counts, undefined=reason)
    design = Design.of(kept)
    if (refused := design.refusal(kept, counts)) is not None:
        return OwnThresholds(counts, undefined=refused)
    rows = _Rows.of(kept, design, {code: own for code, own in borders.items() if own})
    if counts.ratings * rows.coefficients**2 > MOST_WORK:
        levels = counts.people + counts.sources + counts.outputs
        reason = wording.TOO_LARGE.format(ratings=counts.ratings, levels=levels)
        return OwnThresholds(counts, undefined=reason)
    own_top, moved = rows.fitted()
    if (failed := _failed(own_top, len(design.systems)) or _failed(moved, 0)) is not None:
        return OwnThresholds(counts, undefined=failed)
    notes = _left_out(table, left_out)
    return _threshold_figures(rows, own_top, moved, counts, replace(drawn, draws=0), notes)


def _borders(table: SystemRatings) -> dict[int, tuple[int, ...]]:
    """By annotator the places on the scale after which a threshold of theirs is, from the lowest
    value on."""
    return {
        code: _parted(np.bincount(table.place[table.rater == code], minlength=len(table.scale)))
        for code in np.unique(table.rater).tolist()
    }


def _parted(answers: IntArray) -> tuple[int, ...]:
    places, here, left = [], 0, int(answers.sum())
    for place, number in enumerate(answers.tolist()):
        here, left = here + number, left - number
        if here >= FEWEST_ANSWERS and left >= FEWEST_ANSWERS:
            places.append(place)
            here = 0
    return tuple(places)


def _left_out(table: SystemRatings, codes: list[int]) -> tuple[Wording, ...]:
    if not codes:
        return ()
    people = ", ".join(str(table.raters[code]) for code in codes)
    return (wording.WITHOUT_OWN_THRESHOLDS.format(fewest=FEWEST_ANSWERS, people=people),)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The answers of ``table`` as rows over two sets of coefficients: systems but the first, then
    each annotator's thresholds (``own``); systems, common thresholds, and shifts of annotators
    (``moved``), of which only ``basis`` can be told. ``starts``: coefficients in order for both.
    ``keys``: (annotator, place on the scale) of each own threshold, with its row in ``moved``."""

    table: SystemRatings
    design: Design
    keys: tuple[tuple[int, int], ...]
    own: Between
    moved: Between
    basis: FloatArray
    starts: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, table: SystemRatings, design: Design, borders: dict[int, tuple[int, ...]]) -> _Rows:
        keys = tuple((code, place) for code, own in borders.items() for place in own)
        column = {key: at for at, key in enumerate(keys)}
        above = np.full(len(table.place), -1)
        below = np.full(len(table.place), -1)
        for code, own in borders.items():
            at = np.flatnonzero(table.rater == code)
            columns = np.array([column[code, place] for place in own])
            band = np.searchsorted(np.array(own), table.place[at])
            above[at] = np.append(columns, -1)[band]
            below[at] = np.insert(columns, 0, -1)[band]
        systems = -1.0 * (table.system[:, None] == np.array(design.systems)[1:])
        free = np.eye(len(keys))
        shared = _shared(keys, design)
        moved = _between(systems, shared, above, below)
        k = len(design.systems) - 1
        starts = (
            np.concatenate([np.zeros(k), _logits(table, keys)]),
            _pooled(table, keys, k + shared.shape[1], k),
        )
        return cls(
            table,
            design,
            keys,
            _between(systems, free, above, below),
            moved,
            moved.basis(),
            starts,
        )

    @property
    def coefficients(self) -> int:
        return int(self.own.upper.shape[1])

    def fitted(self) -> tuple[Highest, Highest]:
        """With thresholds of everybody's own, and with the common ones moved."""
        within = self.moved.within(self.basis)
        return highest(self.own, self.starts[0]), highest(within, self.basis.T @ self.starts[1])

    def moved_thresholds(self, top: Highest) -> FloatArray:
        """Where the common thresholds, moved, are for each of ``keys``, at the average system."""
        k = len(self.design.systems) - 1
        at = self.basis @ top.coefficients
        centre = at[:k].sum() / (k + 1)
        return np.asarray(_shared(self.keys, self.design) @ at[k:] - centre)


def _between(
    systems: FloatArray, thresholds: FloatArray, above: IntArray, below: IntArray
) -> Between:
    """Rows of answers whose thresholds above and below are rows of ``thresholds``; −1: none."""
    is_top, is_bottom = above < 0, below < 0
    upper = np.concatenate([systems, thresholds[above]], axis=1)
    lower = np.concatenate([systems, thresholds[below]], axis=1)
    upper[is_top] = 0.0
    lower[is_bottom] = 0.0
    return Between(upper, lower, is_top, is_bottom)


def _shared(keys: tuple[tuple[int, int], ...], design: Design) -> FloatArray:
    """Each own threshold as a common one and the shift of its annotator but the first."""
    raters = np.array([code for code, _place in keys])
    places = np.array([place for _code, place in keys])
    return np.concatenate(
        [places[:, None] == np.unique(places), raters[:, None] == np.array(design.raters)[1:]],
        axis=1,
        dtype=np.float64,
    )


def _logits(table: SystemRatings, keys: tuple[tuple[int, int], ...]) -> FloatArray:
    """The log odds of each annotator's answers up to a place, whatever the system."""
    return np.array([_logit(table.place[table.rater == code] <= place) for code, place in keys])


def _pooled(
    table: SystemRatings, keys: tuple[tuple[int, int], ...], size: int, first: int
) -> FloatArray:
    """Common thresholds where the answers of all put them, from ``first`` on; nothing else."""
    start = np.zeros(size)
    for at, place in enumerate(sorted({place for _code, place in keys})):
        start[first + at] = _logit(table.place <= place)
    return start


def _logit(is_up_to: Any) -> float:
    share = float(np.mean(is_up_to))
    return float(np.log(share / (1 - share)))


def _failed(top: Highest, systems: int) -> Wording | None:
    effects = np.abs(top.coefficients[: max(systems - 1, 0)])
    if effects.size and not effects.max() <= INFINITE:
        return wording.SEPARATED
    return wording.NOT_CONVERGED if top.left > FLAT else None


def _threshold_figures(
    rows: _Rows,
    own_top: Highest,
    moved: Highest,
    counts: Counts,
    drawn: Drawn,
    notes: tuple[Wording, ...],
) -> OwnThresholds:
    """Both fitted models as figures."""
    design, k = rows.design, len(rows.design.systems)
    made = {
        "model": "cumulative_logit",
        "thresholds": "own",
        "fewest": FEWEST_ANSWERS,
        "package": f"scipy:{version_of('scipy')}",
    }
    covariance = robust(rows.own, own_top.coefficients, design.cluster)
    estimates = Estimates(rows.table, own_top.coefficients, covariance, counts, drawn, made)
    systems = np.eye(k, rows.coefficients, -1)
    own = Fit(own_top.log_likelihood, rows.coefficients, "")
    shift = Fit(moved.log_likelihood, rows.basis.shape[1], "")
    own_figure = estimates.figure("mixed_own_thresholds", own.log_likelihood, None, counts)
    alone = replace(estimates, made=made | {"thresholds": "common+annotator"})
    shift_figure = alone.figure("mixed_moved_thresholds", shift.log_likelihood, None, counts)
    return OwnThresholds(
        counts,
        differences=tuple(
            estimates.difference(
                systems[first] - systems[second], design.systems[first], design.systems[second]
            )
            for first, second in combinations(range(k), 2)
        ),
        thresholds=_thresholds(rows, estimates, moved, systems.mean(axis=0)),
        fit=replace(own, signature=own_figure.signature),
        moved=replace(shift, signature=shift_figure.signature),
        notes=(*notes, *_merged(rows), _better(own, shift)),
    )


def _thresholds(
    rows: _Rows, estimates: Estimates, moved: Highest, average: FloatArray
) -> tuple[Threshold, ...]:
    k = len(rows.design.systems) - 1
    places = rows.moved_thresholds(moved)
    thresholds = []
    for at, (code, place) in enumerate(rows.keys):
        contrast = -average
        contrast[k + at] += 1.0
        value = float(rows.table.scale[place])
        own = estimates.of_annotator("own_threshold", contrast, code, up_to=value)
        thresholds.append(Threshold(rows.table.raters[code], value, own, float(places[at])))
    return tuple(thresholds)


def _merged(rows: _Rows) -> tuple[Wording, ...]:
    """Whose values count together, and which: of the values that were given at all."""
    scale, given = rows.table.scale, np.unique(rows.table.place)
    people = []
    for code in rows.design.raters:
        own = np.array([place for who, place in rows.keys if who == code])
        bands = np.split(given, np.searchsorted(given, own, side="right"))
        together = [f"{scale[b[0]]:g}–{scale[b[-1]]:g}" for b in bands if len(b) > 1]
        if together:
            people.append(f"{rows.table.raters[code]} ({', '.join(together)})")
    if not people:
        return ()
    names = ", ".join(people)
    return (wording.VALUES_TOGETHER.format(fewest=FEWEST_ANSWERS, people=names),)


def _better(own: Fit, moved: Fit) -> Wording:
    """Which of both models Akaike's criterion prefers, if any."""
    more = own.coefficients - moved.coefficients
    if not more:
        return wording.NO_MORE_THRESHOLDS
    said = wording.SHIFT_FITS
    if own.aic < moved.aic:
        clear = moved.aic - own.aic >= CLEAR
        said = wording.OWN_FITS if clear else wording.NEITHER_FITS_CLEARLY
    numbers = {"own": f"{own.aic:.1f}", "moved": f"{moved.aic:.1f}", "more": more}
    french = {key: str(value).replace(".", ",") for key, value in numbers.items()}
    return Wording(said.fr.format(**french), said.en.format(**numbers))
