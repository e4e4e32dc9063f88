"""Numbers and names as the page says them, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.elsewhere import other_annotators
from annotation.agreement.raters import RaterSummary
from annotation.agreement.report import DimensionReport
from annotation.agreement.result import JACKKNIFE, Coefficient, Interval
from annotation.protocols.base import Level
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import text

# Below it the interval over source texts is too narrow (docs/performance.md).
FEW_SOURCES = 40


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
        "icc.single": _("Intraclass correlation of one answer, ICC(1)"),
        "icc.mean": _("Intraclass correlation of the mean of the answers, ICC(1, k)"),
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
    return " ".join([*sentences, *_these_annotators(report)])


def _these_annotators(report: DimensionReport) -> Iterator[str]:
    """The interval for these annotators: over source texts where pairs share them, beside what it
    would be if each pair were for itself."""
    over_items = _both_ends(report.fitting_alpha.interval)
    if over_items is None:
        return
    if report.other_sources is None:
        yield (
            _(
                "For these annotators on other items of the same kind, its 95%% interval is "
                "%(low)s to %(high)s."
            )
            % over_items
        )
        return
    over_sources = _both_ends(report.other_sources.interval)
    if over_sources is not None:
        yield (
            _(
                "For these annotators on other source texts of the same kind, its 95%% interval is "
                "%(low)s to %(high)s."
            )
            % over_sources
        )
        if report.other_sources.sources < FEW_SOURCES:
            yield _(
                "With as few as %(sources)d source texts it holds the truth somewhat less often "
                "than it says: 90 times of 100 at 20 of them."
            ) % {"sources": report.other_sources.sources}
    yield (
        _(
            "Each pair taken for itself, as on other pairs of these same texts, it is %(low)s to "
            "%(high)s."
        )
        % over_items
    )
    if over_sources is None and report.other_sources.interval.undefined:
        yield _("For other source texts:") + " " + text(report.other_sources.interval.undefined)


def _both_ends(interval: Interval | None) -> dict[str, str] | None:
    if interval is None or interval.low is None or interval.high is None:
        return None
    return {"low": decimal(interval.low), "high": decimal(interval.high)}


def elsewhere(report: DimensionReport, raters: Sequence[RaterSummary]) -> str:
    """The interval that readers take the other one for: other annotators too; or why there is
    none."""
    left = [one.alpha_without.value for one in raters if one.n]
    found = other_annotators(report.alpha_by_source, left)
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return text(found.undefined) if found.undefined else ""
    return _("For other annotators of the same kind as well, it is %(low)s to %(high)s.") % {
        "low": decimal(found.low),
        "high": decimal(found.high),
    }


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


def met_words(report: DimensionReport) -> str:
    """How many pairs of people a mean over pairs of people rests on; "" where it is all of them."""
    met, possible = len(report.kappa.pairs), report.annotators * (report.annotators - 1) // 2
    if met == possible:
        return ""
    return _(
        "%(met)s of the %(possible)s pairs of annotators ever judged the same pair: the means of "
        "kappa rest on these."
    ) % {"met": whole(met), "possible": whole(possible)}


def names(people: Sequence[object]) -> str:
    """«A, B et C»."""
    listed = [str(person) for person in people]
    if len(listed) < 2:
        return "".join(listed)
    return _("%(first)s and %(last)s") % {"first": ", ".join(listed[:-1]), "last": listed[-1]}
