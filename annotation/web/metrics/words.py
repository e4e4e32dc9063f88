"""A report on metrics in sentences that promise no more than its intervals give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.protocols.base import Better
from annotation.web.base.numbers import decimal, percent
from annotation.web.metrics import tables


def findings(report: tables.Report) -> list[str]:
    """What is to be read first."""
    best = next((line for line in report["lines"] if line["name"] == report["best"]), None)
    if tables.better_of(report) == Better.NEITHER:
        return [
            _(
                "By the protocol, higher is neither better nor worse on this human scale: none of "
                "the metrics is called the best."
            ),
            _nothing_compared(),
        ]
    if best is None:
        return [
            _(
                "Of the metrics that have a better side and a value for at least half of the "
                "outputs, none has a defined correlation with these people."
            ),
            _nothing_compared(),
        ]
    value = best["figures"]["pearson"]["value"]
    sentences = [_best_words(report, best)]
    if outside := _outside(report, value):
        sentences.append(
            _("Not among these, and no further from people: %(metrics)s.")
            % {"metrics": ", ".join(outside)}
        )
    if beaten := _baselines(report, value):
        sentences.append(
            _("No better than what reads no meaning: %(baselines)s.")
            % {"baselines": ", ".join(beaten)}
        )
    if close := _close_baselines(report, value):
        sentences.append(
            _("Not shown to agree better than what reads no meaning: %(baselines)s.")
            % {"baselines": "; ".join(close)}
        )
    ceiling = report["ceiling"]
    if ceiling["value"] is not None:
        words = (
            _("One person agrees with the others at r = %(value)s.")
            if _is_above_zero(ceiling)
            else _("One person is not shown to agree with the others: r = %(value)s.")
        )
        sentences.append(words % {"value": _with_interval(report, ceiling)})
    return sentences


def _nothing_compared() -> str:
    """Why there is no table of how far behind the others are."""
    return _("How far a metric is behind the best is therefore said of none.")


def _best_words(report: tables.Report, best: Mapping[str, Any]) -> str:
    """The highest correlation is agreement only where all of its interval is above zero."""
    own = best["figures"]["pearson"]
    words = {"metric": tables.said(best["label"]), "value": _with_interval(report, own)}
    if _is_above_zero(own):
        return (
            _(
                "Of the metrics that have a better side and a value for at least half of the "
                "outputs, %(metric)s agrees best with people: r = %(value)s."
            )
            % words
        )
    agreeing = [
        f"{tables.said(line['label'])} (r = {decimal(line['figures']['pearson']['value'], 3)})"
        for line in tables.ordered(report)
        # Reports of before do not say which compete.
        if line.get("competes") and _is_above_zero(line["figures"]["pearson"])
    ]
    if agreeing:
        return _(
            "Of the metrics that have a better side and a value for at least half of the "
            "outputs, %(metric)s has the highest correlation with people, r = %(value)s, but "
            "agreement is shown only for others, whose whole interval is above zero: "
            "%(others)s."
        ) % (words | {"others": ", ".join(agreeing)})
    return (
        _(
            "Of the metrics that have a better side and a value for at least half of the outputs, "
            "none is shown to agree with people. The highest correlation is that of %(metric)s: "
            "r = %(value)s."
        )
        % words
    )


def _is_above_zero(figure: Mapping[str, Any]) -> bool:
    """Whether the whole interval is; without one nothing tells a correlation from chance."""
    return figure["low"] is not None and bool(figure["low"] > 0)


def _with_interval(report: tables.Report, figure: Mapping[str, Any]) -> str:
    value = decimal(figure["value"], 3)
    if figure["low"] is None:
        return _("%(value)s (without interval)") % {"value": value}
    return _("%(value)s (%(confidence)s interval: %(low)s to %(high)s)") % {
        "value": value,
        "confidence": percent(report["confidence"], 0),
        "low": decimal(figure["low"], 3),
        "high": decimal(figure["high"], 3),
    }


def _baselines(report: tables.Report, value: float) -> list[str]:
    """Those with as high a correlation as the best."""
    known = {
        tables.said(line["label"]): line["figures"]["pearson"]["value"]
        for line in report["lines"]
        if line["is_baseline"]
    }
    return [name for name, own in known.items() if own is not None and own >= value]


def _close_baselines(report: tables.Report, value: float) -> list[str]:
    """Those with a lower correlation than the best, by a difference whose interval holds zero, or
    that has none."""
    close = []
    for line in report["lines"]:
        own, versus = line["figures"]["pearson"]["value"], line["versus"]
        if not line["is_baseline"] or own is None or own >= value or versus is None:
            continue
        difference = versus["difference"]
        if difference["value"] is not None and not _is_above_zero(difference):
            words = _("%(baseline)s, difference of Pearson %(difference)s")
            shown = _with_interval(report, difference)
            close.append(words % {"baseline": tables.said(line["label"]), "difference": shown})
    return close


def _outside(report: tables.Report, value: float) -> list[str]:
    """Metrics that only describe, whichever way, or that too few outputs have, with as high a
    correlation as the best; baselines have a sentence of their own."""
    outside = []
    for line in report["lines"]:
        own = line["figures"]["pearson"]["value"]
        # Reports of before do not say which compete.
        if line.get("competes", True) or line["is_baseline"] or own is None:
            continue
        if (own if line["direction"] else abs(own)) >= value:
            outside.append(f"{tables.said(line['label'])} (r = {decimal(own, 3)})")
    return outside
