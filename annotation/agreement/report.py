"""Everything that the page on agreement says of one dimension, as values and as a JSON-safe
dictionary."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.agreement.bootstrap import (
    CONFIDENCE,
    DRAWS,
    SEED,
    bootstrap_values,
    percentile_interval,
)
from annotation.agreement.elsewhere import other_annotators
from annotation.agreement.formulas import (
    Formula,
    ac2_formula,
    agreement_formula,
    alpha_formula,
    icc_formula,
)
from annotation.agreement.generalizability import Variance, variance_study
from annotation.agreement.kappa import Comparisons, KappaPairs, comparisons
from annotation.agreement.kappa_intervals import kappa_with_intervals
from annotation.agreement.patterns import Patterns, unit_patterns
from annotation.agreement.result import (
    JACKKNIFE,
    NO_ORDER,
    NO_PAIR,
    NO_SPREAD,
    ONE_CATEGORY,
    OPEN_ENDED,
    Coefficient,
    Interval,
    alpha_coefficient,
    coefficient,
)
from annotation.agreement.signature import METHOD, VERSION, Signature
from annotation.agreement.sources import OtherSources, other_sources
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.table import FloatArray, Ratings
from annotation.protocols.base import Level

_DIGITS = 12
_AC2_WEIGHTS = {Level.NOMINAL: "identity", Level.ORDINAL: "ordinal", Level.INTERVAL: "quadratic"}


@dataclass(frozen=True)
class DimensionReport:
    """Agreement on one dimension. ``fitting`` is its own level; what has no sense at it is
    undefined in words.

    ``kappa`` is unweighted; ``kappa_quadratic`` is None for classes. ``icc`` of one rating and
    ``icc_mean`` of the mean of a unit's ratings are None but at the level of intervals;
    ``variance`` is None for classes. ``other_sources``: the interval of the fitting alpha for other
    source texts (other units, where each has one of its own); ``other_annotators``: for other
    annotators too, None where alpha is undefined. ``draws``, ``seed`` and ``confidence`` hold for
    every interval. ``open_ended``: values are counts without a bound of their own, so that what
    rests on the whole scale (AC2) is undefined.
    """

    fitting: Level
    scale: tuple[float, ...]
    items: int
    pairable: int
    annotators: int
    ratings: int
    percent_agreement: Coefficient
    within_one: Coefficient
    alpha: dict[Level, Coefficient]
    ac2: Coefficient
    kappa: KappaPairs
    kappa_quadratic: KappaPairs | None
    icc: Coefficient | None
    icc_mean: Coefficient | None
    variance: Variance | None
    other_sources: OtherSources
    other_annotators: Interval | None
    draws: int
    seed: int
    confidence: float
    open_ended: bool = False

    @property
    def fitting_alpha(self) -> Coefficient:
        """Alpha at the dimension's own level: the one to quote."""
        return self.alpha[self.fitting]

    @property
    def leading(self) -> Interval:
        """Of the fitting alpha the interval to quote: for other annotators too, where there is one,
        else for these on other texts."""
        others = self.other_annotators
        return self.other_sources.interval if others is None or others.low is None else others

    def coefficients(self) -> dict[str, Coefficient]:
        """Every coefficient by its dotted name, in a fixed order."""
        named = {"percent_agreement": self.percent_agreement, "within_one": self.within_one}
        named |= {f"alpha.{level}": self.alpha[level] for level in Level}
        named |= {"ac2": self.ac2, "kappa.unweighted": self.kappa.average}
        if self.kappa_quadratic is not None:
            named["kappa.quadratic"] = self.kappa_quadratic.average
        if self.icc is not None and self.icc_mean is not None:
            named |= {"icc.single": self.icc, "icc.mean": self.icc_mean}
        return named

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-safe values without NaN, shares 0–1, rounded to 12 digits: same
        ratings, same bytes.

        What has a dotted name is nested under it (``alpha.ordinal`` in ``alpha``), in ``intervals``
        as [low, high] too.
        """
        named = self.coefficients()
        return {
            **_nested({name: _rounded(figure.value) for name, figure in named.items()}),
            "fitting": str(self.fitting),
            "intervals": _nested(
                {name: _bounds(figure.interval) for name, figure in named.items()}
            ),
            "n": {
                "items": self.items,
                "pairable_items": self.pairable,
                "annotators": self.annotators,
                "ratings": self.ratings,
            },
            "undefined": {
                name: {"fr": figure.undefined.fr, "en": figure.undefined.en}
                for name, figure in named.items()
                if figure.undefined is not None
            },
            **_interval_notes(
                {name: figure.interval for name, figure in named.items() if figure.interval}
            ),
            "signatures": {
                name: str(figure.signature) for name, figure in named.items() if figure.signature
            },
            "pairs": self._pairs(),
            "variance": None if self.variance is None else self.variance.as_dict(),
            "other_sources": self._leading(self.other_sources.interval, "sources"),
            "other_annotators": self._leading(self.other_annotators, "sources,annotators"),
            "settings": {
                "method": f"{METHOD}/{VERSION}",
                "draws": self.draws,
                "seed": self.seed,
                "confidence": self.confidence,
                "scale": [_plain(value) for value in self.scale],
                **({"open_ended": True} if self.open_ended else {}),
            },
        }

    def _leading(self, interval: Interval | None, over: str) -> dict[str, Any] | None:
        """An interval of the fitting alpha that is not over units alone."""
        if interval is None:
            return None
        number, reason = self.other_sources.sources, interval.undefined
        options = (("interval_over", over), ("sources", str(number)))
        signature = self.fitting_alpha.signature
        signed = signature and replace(signature, options=(*signature.options, *options))
        return {
            "coefficient": f"alpha.{self.fitting}",
            "sources": number,
            "shared": self.other_sources.shared,
            "interval": _bounds(interval),
            "method": interval.method,
            "undefined": None if reason is None else {"fr": reason.fr, "en": reason.en},
            "signature": None if signed is None else str(signed),
        }

    def _pairs(self) -> list[dict[str, Any]]:
        quadratic = (
            self.kappa_quadratic.pairs if self.kappa_quadratic else (None,) * len(self.kappa.pairs)
        )
        listed = []
        for pair, weighted in zip(self.kappa.pairs, quadratic, strict=True):
            row: dict[str, Any] = {
                "first": pair.first,
                "second": pair.second,
                "items": pair.items,
                "percent_agreement": _rounded(pair.agreement),
                "kappa": _rounded(pair.kappa.value),
                "interval": _bounds(pair.kappa.interval),
            }
            if weighted is not None:
                row["kappa_quadratic"] = _rounded(weighted.kappa.value)
                row["interval_quadratic"] = _bounds(weighted.kappa.interval)
            listed.append(row)
        return listed


def dimension_report(
    ratings: Ratings,
    *,
    level: Level | str,
    scale: Sequence[float] | None = None,
    sources: Mapping[Hashable, Hashable] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    open_ended: bool = False,
) -> DimensionReport:
    """The whole report of a dimension whose field is of ``level``; ``scale`` are all values that
    could be given, ``sources`` the source of each unit. ``open_ended``: they are counts, and the
    scale ends where nobody gets.

    Draws of the same seed are shared by all coefficients that do not look at who rated. Raises
    ``ValueError`` for an unknown level, a rating off the scale, or a confidence that is not between
    0 and 1.
    """
    fitting = Level(level)
    patterns = unit_patterns(ratings, scale)
    named, drawn = _anonymous(ratings, patterns, fitting, (draws, seed), confidence)
    value = named[f"alpha.{fitting}"].value
    here = other_sources(
        ratings,
        patterns,
        alpha_formula(patterns, fitting),
        value,
        sources,
        drawn=Drawn(draws, seed, confidence),
        values=drawn[f"alpha.{fitting}"],
    )
    numbers = (ratings.n_rated, ratings.n_active, ratings.n_ratings)
    not_ordered = Coefficient(None, NO_ORDER, *numbers)
    if open_ended:
        named["ac2"] = Coefficient(None, OPEN_ENDED, *numbers)
    unweighted = comparisons(ratings, "identity", scale)
    kappa = _kappa(ratings, unweighted, "identity", (draws, seed), confidence)
    quadratic = variance = None
    if fitting != Level.NOMINAL:
        variance = variance_study(
            ratings, level=fitting, sources=sources, draws=draws, seed=seed, confidence=confidence
        )
        quadratic = _kappa(
            ratings, unweighted.weighted("quadratic"), "quadratic", (draws, seed), confidence
        )
    return DimensionReport(
        fitting=fitting,
        scale=tuple(patterns.scale.tolist()),
        items=ratings.n_rated,
        pairable=ratings.n_pairable,
        annotators=ratings.n_active,
        ratings=ratings.n_ratings,
        percent_agreement=named["percent_agreement"],
        within_one=named.get("within_one", not_ordered),
        alpha={of: named.get(f"alpha.{of}", not_ordered) for of in Level},
        ac2=named["ac2"],
        kappa=kappa,
        kappa_quadratic=quadratic,
        icc=named.get("icc.single"),
        icc_mean=named.get("icc.mean"),
        variance=variance,
        other_sources=here,
        other_annotators=other_annotators(ratings, fitting, value, here),
        draws=draws,
        seed=seed,
        confidence=confidence,
        open_ended=open_ended,
    )


def _anonymous(
    ratings: Ratings, patterns: Patterns, fitting: Level, drawn: tuple[int, int], confidence: float
) -> tuple[dict[str, Coefficient], dict[str, FloatArray]]:
    """The coefficients that do not look at who rated, by dotted name, from the same draws; and what
    each was in these."""
    formulas = _formulas(patterns, fitting)
    values = bootstrap_values(patterns, formulas, draws=drawn[0], seed=drawn[1])
    named = {}
    for name, formula in formulas.items():
        estimated = _estimated(ratings, name, formula.estimate(patterns), values[name], confidence)
        named[name] = estimated.with_signature(_signature(ratings, name, fitting, patterns, *drawn))
    return named, values


def _kappa(
    ratings: Ratings, compared: Comparisons, weights: str, drawn: tuple[int, int], confidence: float
) -> KappaPairs:
    pairs = kappa_with_intervals(
        ratings, compared, draws=drawn[0], seed=drawn[1], confidence=confidence
    )
    return _signed_pairs(pairs, ratings, weights, drawn)


def _formulas(patterns: Patterns, fitting: Level) -> dict[str, Formula]:
    formulas = {
        "percent_agreement": agreement_formula(patterns),
        "ac2": ac2_formula(patterns, _AC2_WEIGHTS[fitting]),
    }
    if fitting == Level.NOMINAL:
        return formulas | {"alpha.nominal": alpha_formula(patterns, Level.NOMINAL)}
    formulas["within_one"] = agreement_formula(patterns, tolerance=1)
    if fitting == Level.INTERVAL:
        formulas["icc.single"] = icc_formula(patterns, of_mean=False)
        formulas["icc.mean"] = icc_formula(patterns, of_mean=True)
    return formulas | {f"alpha.{level}": alpha_formula(patterns, level) for level in Level}


def _estimated(
    ratings: Ratings, name: str, value: float, drawn: FloatArray, confidence: float
) -> Coefficient:
    reasons = {"ac2": ONE_CATEGORY, "icc": NO_SPREAD}
    kind = name.partition(".")[0]
    plain = (
        alpha_coefficient(ratings, value)
        if kind == "alpha"
        else coefficient(ratings, value, reasons.get(kind, NO_PAIR))
    )
    return plain.with_interval(
        percentile_interval(
            plain.value, drawn, confidence=confidence, n_pairable=ratings.n_pairable
        )
    )


def _signature(
    ratings: Ratings, name: str, fitting: Level, patterns: Patterns, draws: int, seed: int
) -> Signature:
    options: tuple[tuple[str, str], ...] = ()
    if name == "within_one":
        options = (("tolerance", "1"),)
    elif name == "ac2":
        options = (("weights", _AC2_WEIGHTS[fitting]), ("categories", str(len(patterns.scale))))
    key, _, level = name.partition(".")
    return _counted(ratings, key, level, options, (draws, seed))


def _signed_pairs(
    kappas: KappaPairs, ratings: Ratings, weights: str, drawn: tuple[int, int]
) -> KappaPairs:
    interval = kappas.average.interval
    jackknife = interval is not None and interval.method == JACKKNIFE
    # The mean is of those whose kappa is defined.
    averaged = len(kappas.pairs) - kappas.left_out
    options: tuple[tuple[str, str], ...] = (("weights", weights), ("pairs", str(averaged)))
    if kappas.left_out:
        options += (("undefined", str(kappas.left_out)),)
    if jackknife:
        options += (("interval", "jackknife"),)
    signature = _counted(ratings, "kappa", "", options, (0, drawn[1]) if jackknife else drawn)
    return KappaPairs(kappas.pairs, kappas.average.with_signature(signature), kappas.left_out)


def _counted(
    ratings: Ratings,
    key: str,
    level: str,
    options: tuple[tuple[str, str], ...],
    drawn: tuple[int, int],
) -> Signature:
    return Signature(
        coefficient=key,
        level=level,
        items=ratings.n_rated,
        pairable=ratings.n_pairable,
        annotators=ratings.n_active,
        ratings=ratings.n_ratings,
        draws=drawn[0],
        seed=drawn[1],
        options=options,
    )


def _interval_notes(intervals: dict[str, Interval]) -> dict[str, Any]:
    """Why an interval is missing, in how many draws the coefficient was undefined, and how it was
    computed."""
    return {
        "no_interval": {
            name: {"fr": interval.undefined.fr, "en": interval.undefined.en}
            for name, interval in intervals.items()
            if interval.undefined is not None
        },
        "undefined_draws": {
            name: interval.undefined_draws
            for name, interval in intervals.items()
            if interval.undefined_draws
        },
        "interval_method": {name: interval.method for name, interval in intervals.items()},
    }


def _nested(named: dict[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for name, value in named.items():
        group, _, key = name.partition(".")
        if key:
            nested.setdefault(group, {})[key] = value
        else:
            nested[group] = value
    return nested


def _rounded(value: float | None) -> float | None:
    # + 0.0 turns a negative zero into zero.
    return None if value is None else round(value, _DIGITS) + 0.0


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _bounds(interval: Interval | None) -> list[float | None] | None:
    if interval is None or interval.low is None:
        return None
    return [_rounded(interval.low), _rounded(interval.high)]
