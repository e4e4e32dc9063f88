"""Where the differences between answers come from, and what means of several answers are worth, in
the reader's language."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.generalizability import (
    ANNOTATORS,
    ITEMS,
    NOT_TOLD_FROM_NONE,
    REST,
    SOURCES,
    Dependability,
    Variance,
)
from annotation.agreement.result import Interval
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import text


def variance_context(variance: Variance | None, filters: str) -> dict[str, Any] | None:
    """What the card of a dimension shows of it; None for classes."""
    if variance is None:
        return None
    if variance.undefined is not None:
        return {"undefined": text(variance.undefined)}
    has_sources = any(component.name == SOURCES for component in variance.components)
    return {
        "reading": _reading(variance),
        "components": [
            {
                "label": component_label(component.name, has_sources=has_sources),
                "share": percent(component.share),
                "interval": _ends(component.interval, is_share=True),
                "is_told": component.interval.undefined != NOT_TOLD_FROM_NONE,
                "variance": decimal(component.variance, 3),
                "variance_interval": _ends(component.variance_interval),
            }
            for component in variance.components
        ],
        "means": [
            {
                "annotators": whole(dependability.annotators),
                "here": dependability.annotators == variance.typical,
                "relative": decimal(dependability.relative),
                "relative_interval": _ends(dependability.relative_interval),
                "absolute": decimal(dependability.absolute),
                "absolute_interval": _ends(dependability.absolute_interval),
                "half_width": decimal(dependability.half_width),
            }
            for dependability in variance.dependability
        ],
        "negative": _negative(variance, has_sources=has_sources),
        "signature": f"{variance.signature}|{filters}",
    }


def component_label(name: str, *, has_sources: bool) -> str:
    """A component as the table calls it."""
    return {
        SOURCES: _("Source texts"),
        ITEMS: _("Pairs of the same source text") if has_sources else _("Pairs"),
        ANNOTATORS: _("Annotators: one is stricter than another"),
        REST: _("The rest: who judged which pair, and chance"),
    }[name]


def _reading(variance: Variance) -> str:
    share = {component.name: component.share for component in variance.components}
    here = next(
        dependability
        for dependability in variance.dependability
        if dependability.annotators == variance.typical
    )
    words = _(
        "Of the variance of single answers, %(measured)s lies between the pairs, %(severity)s "
        "between annotators (one is stricter than another) and %(rest)s in the rest."
    ) % {
        "measured": percent(share[ITEMS] + share.get(SOURCES, 0.0), 0),
        "severity": percent(share[ANNOTATORS], 0),
        "rest": percent(share[REST], 0),
    }
    return f"{words} {_worth(here)}"


def _worth(dependability: Dependability) -> str:
    return ngettext(
        "One answer, as here, puts the pairs in order with a reliability of %(relative)s (G) and "
        "tells a pair's value with %(absolute)s (Φ), ± %(half_width)s points.",
        "The mean of %(number)s annotators, as here, puts the pairs in order with a reliability "
        "of %(relative)s (G) and tells a pair's value with %(absolute)s (Φ), ± %(half_width)s "
        "points.",
        dependability.annotators,
    ) % {
        "number": whole(dependability.annotators),
        "relative": decimal(dependability.relative),
        "absolute": decimal(dependability.absolute),
        "half_width": decimal(dependability.half_width, 1),
    }


def _negative(variance: Variance, *, has_sources: bool) -> str:
    names = [
        component_label(name, has_sources=has_sources)
        for name in variance.negative
        if name != SOURCES
    ]
    words = []
    if SOURCES in variance.negative:
        words.append(
            _(
                "Source texts were estimated below zero and left out: pairs of one text have no "
                "more in common than others. Where systems differ, that hides what texts differ by."
            )
        )
    if names:
        words.append(
            _("Estimated below zero, and given as 0: %(names)s.") % {"names": "; ".join(names)}
        )
    return " ".join(words)


def _ends(interval: Interval, *, is_share: bool = False) -> str:
    if interval.low is None or interval.high is None:
        return "–"
    low, high = (
        percent(bound) if is_share else decimal(bound) for bound in (interval.low, interval.high)
    )
    return _("%(low)s to %(high)s") % {"low": low, "high": high}
