"""Numbers and names as the page says them, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.report import DimensionReport
from annotation.agreement.result import JACKKNIFE, Coefficient, Interval
from annotation.agreement.sources import WIDENED
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
    for name, coefficient in report.coefficients().items():
        fitting = name == f"alpha.{report.fitting}"
        # A level that these values do not have is no news about them.
        if name.startswith("alpha.") and coefficient.signature is None:
            continue
        if name == "within_one" and report.fitting == Level.NOMINAL:
            continue
        is_share = name in ("percent_agreement", "within_one")
        rows.append(
            {
                "key": name,
                "label": coefficient_label(name),
                "fitting": fitting,
                "value": _shown(coefficient.value, is_share, more=1),
                "undefined": text(coefficient.undefined) if coefficient.undefined else "",
                "interval": interval_words(coefficient, is_share=is_share),
                "signature": f"{coefficient.signature}|{filters}" if coefficient.signature else "",
            }
        )
        if fitting and coefficient.value is not None:
            rows += _further_rows(report, filters)
    return rows


def further_intervals(report: DimensionReport) -> Iterator[tuple[str, str, Interval]]:
    """Those of the fitting alpha that are not over pairs alone: key, name, interval."""
    # Of many texts the interval is that of the draws alone.
    by_student = report.other_sources.interval.method == WIDENED
    over_texts = (
        _("the same annotators, other pairs, by Student's t too")
        if by_student and not report.other_sources.shared
        else _("the same annotators, other source texts")
    )
    yield "other_sources", over_texts, report.other_sources.interval
    if report.other_annotators is not None:
        yield "other_annotators", _("other annotators and other texts"), report.other_annotators


def _further_rows(report: DimensionReport, filters: str) -> Iterator[dict[str, Any]]:
    figures = report.as_dict()
    for key, label, interval in further_intervals(report):
        ends = interval_words(Coefficient(report.fitting_alpha.value, interval=interval))
        yield {
            "key": key,
            "label": label,
            "fitting": False,
            "further": True,
            "value": "",
            "undefined": "",
            "interval": ends,
            "signature": f"{figures[key]['signature']}|{filters}",
        }


def coefficient_label(name: str) -> str:
    return {
        "percent_agreement": _("Percent agreement"),
        "within_one": _("Agreement within one point"),
        "alpha.nominal": _("Krippendorff's alpha, nominal"),
        "alpha.ordinal": _("Krippendorff's alpha, ordinal"),
        "alpha.interval": _("Krippendorff's alpha, interval"),
        "ac2": _("Gwet's AC2"),
        "kappa.unweighted": _("Cohen's kappa, mean of the pairs, weighted by what both judged"),
        "icc.single": _("Intraclass correlation of one answer, ICC(1)"),
        "icc.mean": _("Intraclass correlation of the mean of the answers, ICC(1, k)"),
        "kappa.quadratic": _(
            "Cohen's kappa with quadratic weights, mean of the pairs, weighted by what both judged"
        ),
    }[name]


def interval_words(coefficient: Coefficient, *, is_share: bool = False) -> str:
    """«0,27 à 0,38», or why there is none."""
    interval = coefficient.interval
    if interval is None:
        return ""
    if interval.low is None or interval.high is None:
        return (
            text(interval.undefined) if interval.undefined and coefficient.value is not None else ""
        )
    bounds = {"low": _shown(interval.low, is_share), "high": _shown(interval.high, is_share)}
    words = _("%(low)s to %(high)s") % bounds
    return words + (" " + _("(jackknife)") if interval.method == JACKKNIFE else "")


def _shown(value: float | None, is_share: bool, more: int = 0) -> str:
    if value is None:
        return ""
    return percent(value, 1 + more) if is_share else decimal(value, 3 + more)


def reading(report: DimensionReport) -> str:
    """What the coefficients amount to, in sentences."""
    alpha = report.fitting_alpha
    if alpha.value is None or report.percent_agreement.value is None:
        return text(alpha.undefined) if alpha.undefined else ""
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
        % {"alpha": decimal(alpha.value), "strength": strength(alpha.value, _to_quote(report))}
    )
    return " ".join([*sentences, *_other_annotators(report), *_these_annotators(report)])


def _other_annotators(report: DimensionReport) -> Iterator[str]:
    """The interval that readers take any interval for comes first, or why there is none."""
    interval = report.other_annotators
    if (ends := _both_ends(interval)) is not None:
        yield (
            _(
                "For other annotators of the same kind on other texts, its 95%% interval is "
                "%(low)s to %(high)s: this is the one to quote."
            )
            % ends
        )
    elif (
        interval is not None
        and report.other_sources.interval.low is not None
        and interval.undefined
    ):
        yield text(interval.undefined)


def _these_annotators(report: DimensionReport) -> Iterator[str]:
    """The interval for these annotators: over source texts where pairs share them, beside what it
    would be if each pair were for itself."""
    other_sources = report.other_sources
    if (ends := _both_ends(other_sources.interval)) is not None:
        said = (
            _(
                "For these annotators on other source texts of the same kind, its 95%% interval is "
                "%(low)s to %(high)s."
            )
            if other_sources.shared
            else _(
                "For these annotators on other items of the same kind, its 95%% interval is "
                "%(low)s to %(high)s."
            )
        )
        yield said % ends
    over_items = _both_ends(report.fitting_alpha.interval)
    if over_items is None:
        return
    if other_sources.shared:
        yield (
            _(
                "Each pair taken for itself, as on other pairs of these same texts, alpha's "
                "95%% interval is %(low)s to %(high)s."
            )
            % over_items
        )
    if ends is None and other_sources.interval.undefined:
        yield _("For other source texts:") + " " + text(other_sources.interval.undefined)


def _both_ends(interval: Interval | None) -> dict[str, str] | None:
    if interval is None or interval.low is None or interval.high is None:
        return None
    return {"low": decimal(interval.low), "high": decimal(interval.high)}


def _to_quote(report: DimensionReport) -> Interval | None:
    """The leading interval; where there is none, as of few texts, the one over items."""
    return report.leading if report.leading.low is not None else report.fitting_alpha.interval


def strength(value: float, interval: Interval | None) -> str:
    """An alpha in words (Krippendorff's two thresholds, 0.667 and 0.8, with chance below), as far
    as ``interval``, the one to quote, tells it from chance at all."""
    ends = (None, None) if interval is None else (interval.low, interval.high)
    if ends[0] is not None and ends[1] is not None and ends[0] <= 0 <= ends[1]:
        return _("that it is better than chance is not shown, since its interval holds 0")
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
