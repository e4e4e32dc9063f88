"""Where the differences between answers come from, and what means of several answers are worth, in
the reader's language."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.generalizability import (
    ANNOTATORS,
    ITEMS,
    REST,
    SOURCES,
    Dependability,
    Variance,
)
from annotation.agreement.result import Interval
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import text


def variance_context(found: Variance | None, filters: str) -> dict[str, Any] | None:
    """What the card of a dimension shows of it; None for classes."""
    if found is None:
        return None
    if found.undefined is not None:
        return {"undefined": text(found.undefined)}
    has_sources = any(one.name == SOURCES for one in found.components)
    return {
        "reading": _reading(found),
        "components": [
            {
                "label": component_label(one.name, has_sources=has_sources),
                "share": percent(one.share),
                "interval": _ends(one.interval, is_share=True),
                "variance": decimal(one.variance, 3),
                "variance_interval": _ends(one.variance_interval),
            }
            for one in found.components
        ],
        "means": [
            {
                "annotators": whole(one.annotators),
                "here": one.annotators == found.typical,
                "relative": decimal(one.relative),
                "relative_interval": _ends(one.relative_interval),
                "absolute": decimal(one.absolute),
                "absolute_interval": _ends(one.absolute_interval),
                "half_width": decimal(one.half_width),
            }
            for one in found.dependability
        ],
        "negative": _negative(found, has_sources=has_sources),
        "signature": f"{found.signature}|{filters}",
    }


def component_label(name: str, *, has_sources: bool) -> str:
    """A component as the table calls it."""
    return {
        SOURCES: _("Source texts"),
        ITEMS: _("Pairs of the same source text") if has_sources else _("Pairs"),
        ANNOTATORS: _("Annotators: one is stricter than another"),
        REST: _("The rest: who judged which pair, and chance"),
    }[name]


def _reading(found: Variance) -> str:
    share = {one.name: one.share for one in found.components}
    here = next(one for one in found.dependability if one.annotators == found.typical)
    words = _(
        "Of the variance of single answers, %(measured)s lies between the pairs, %(severity)s "
        "between annotators (one is stricter than another) and %(rest)s in the rest."
    ) % {
        "measured": percent(share[ITEMS] + share.get(SOURCES, 0.0), 0),
        "severity": percent(share[ANNOTATORS], 0),
        "rest": percent(share[REST], 0),
    }
    return f"{words} {_worth(here)}"


def _worth(one: Dependability) -> str:
    return ngettext(
        "One answer, as here, puts the pairs in order with a reliability of %(relative)s (G) and "
        "tells a pair's value with %(absolute)s (Φ), ± %(half_width)s points.",
        "The mean of %(number)s annotators, as here, puts the pairs in order with a reliability "
        "of %(relative)s (G) and tells a pair's value with %(absolute)s (Φ), ± %(half_width)s "
        "points.",
        one.annotators,
    ) % {
        "number": whole(one.annotators),
        "relative": decimal(one.relative),
        "absolute": decimal(one.absolute),
        "half_width": decimal(one.half_width, 1),
    }


def _negative(found: Variance, *, has_sources: bool) -> str:
    if not found.negative:
        return ""
    names = [component_label(one, has_sources=has_sources) for one in found.negative]
    return _("Estimated below zero, and given as 0: %(names)s.") % {"names": "; ".join(names)}


def _ends(interval: Interval, *, is_share: bool = False) -> str:
    if interval.low is None or interval.high is None:
        return "–"
    low, high = (
        percent(one) if is_share else decimal(one) for one in (interval.low, interval.high)
    )
    return _("%(low)s to %(high)s") % {"low": low, "high": high}
