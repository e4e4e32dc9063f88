"""Numbers and names as the page says them, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.report import DimensionReport
from annotation.agreement.result import JACKKNIFE, Coefficient
from annotation.protocols.base import Level
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import text


def level_label(level: Level) -> str:
    return {
        Level.NOMINAL: _("nominal"),
        Level.ORDINAL: _("ordinal"),
        Level.INTERVAL: _("interval"),
    }[level]


def coefficient_rows(report: DimensionReport, filters: str) -> list[dict[str, Any]]:
    """Every coefficient with its interval, its meaning and its signature, the fitting alpha
    marked."""
    rows = []
    for name, found in report.coefficients().items():
        fitting = name == f"alpha.{report.fitting}"
        # A level that these values do not have is no news about them.
        if name.startswith("alpha.") and found.signature is None:
            continue
        if name == "within_one" and report.fitting == Level.NOMINAL:
            continue
        is_share = name in ("percent_agreement", "within_one")
        rows.append(
            {
                "key": name,
                "label": coefficient_label(name),
                "fitting": fitting,
                "value": _shown(found.value, is_share, more=1),
                "undefined": text(found.undefined) if found.undefined else "",
                "interval": interval_words(found, is_share=is_share),
                "signature": f"{found.signature}|{filters}" if found.signature else "",
            }
        )
    return rows


def coefficient_label(name: str) -> str:
    return {
        "percent_agreement": _("Percent agreement"),
        "within_one": _("Agreement within one point"),
        "alpha.nominal": _("Krippendorff's alpha, nominal"),
        "alpha.ordinal": _("Krippendorff's alpha, ordinal"),
        "alpha.interval": _("Krippendorff's alpha, interval"),
        "ac2": _("Gwet's AC2"),
        "kappa.unweighted": _("Cohen's kappa, mean of the pairs"),
        "kappa.quadratic": _("Cohen's kappa with quadratic weights, mean of the pairs"),
    }[name]


def interval_words(found: Coefficient, *, is_share: bool = False) -> str:
    """«0,27 à 0,38», or why there is none."""
    interval = found.interval
    if interval is None:
        return ""
    if interval.low is None or interval.high is None:
        return text(interval.undefined) if interval.undefined and found.value is not None else ""
    bounds = {"low": _shown(interval.low, is_share), "high": _shown(interval.high, is_share)}
    words = _("%(low)s to %(high)s") % bounds
    return words + (" " + _("(jackknife)") if interval.method == JACKKNIFE else "")


def _shown(value: float | None, is_share: bool, more: int = 0) -> str:
    if value is None:
        return ""
    return percent(value, 1 + more) if is_share else decimal(value, 3 + more)


def reading(report: DimensionReport) -> str:
    """What the coefficients amount to, in sentences."""
    found = report.fitting_alpha
    if found.value is None or report.percent_agreement.value is None:
        return text(found.undefined) if found.undefined else ""
    sentences = [
        _("Two people who judge the same pair give the same answer %(share)s of the time.")
        % {"share": percent(report.percent_agreement.value)}
    ]
    if report.fitting != Level.NOMINAL and report.within_one.value is not None:
        sentences.append(
            _("They differ by one point at most %(share)s of the time.")
            % {"share": percent(report.within_one.value)}
        )
    sentences.append(
        _("Chance set aside, alpha is %(alpha)s: %(strength)s.")
        % {"alpha": decimal(found.value), "strength": strength(found.value)}
    )
    interval = found.interval
    if interval is not None and interval.low is not None and interval.high is not None:
        sentences.append(
            _(
                "With other items of the same kind it would most likely lie between %(low)s and "
                "%(high)s."
            )
            % {"low": decimal(interval.low), "high": decimal(interval.high)}
        )
    return " ".join(sentences)


def strength(value: float) -> str:
    """An alpha in words (Krippendorff's two thresholds, 0.667 and 0.8, with chance below)."""
    if value >= 0.8:
        return _("reliable by Krippendorff's convention (0.8 or more)")
    if value >= 0.667:
        return _("enough for tentative conclusions (0.667 or more)")
    if value >= 0.2:
        return _("better than chance, but too low to treat the answers as one voice")
    if value > 0:
        return _("hardly better than chance")
    return _("no better than chance, or worse")


def counts_words(report: DimensionReport) -> str:
    """How much the figures rest on."""
    pairs = ngettext("%(number)s pair", "%(number)s pairs", report.items) % {
        "number": whole(report.items)
    }
    people = ngettext("%(number)s annotator", "%(number)s annotators", report.annotators) % {
        "number": whole(report.annotators)
    }
    ratings = ngettext("%(number)s rating", "%(number)s ratings", report.ratings) % {
        "number": whole(report.ratings)
    }
    counted = f"{pairs}, {people}, {ratings}"
    if report.pairable != report.items:
        counted += " · " + _("%(number)s of the pairs were judged by two people or more") % {
            "number": whole(report.pairable)
        }
    return counted


def names(people: Sequence[object]) -> str:
    """«A, B et C»."""
    listed = [str(person) for person in people]
    if len(listed) < 2:
        return "".join(listed)
    return _("%(first)s and %(last)s") % {"first": ", ".join(listed[:-1]), "last": listed[-1]}
