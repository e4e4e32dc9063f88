"""Silent repeats and control pairs in words and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.agreement.report import DimensionReport
from annotation.models import Item, Study
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.consistency import ControlResult, Repeats
from annotation.web.agreement.dashboard.words import interval_words, level_label
from annotation.web.base.numbers import decimal, percent
from annotation.web.base.presenters import dimension_label, text

KINDS = {
    Item.Control.IDENTICAL: gettext_lazy("identical"),
    Item.Control.UNRELATED: gettext_lazy("unrelated"),
}


def controls_context(results: list[ControlResult]) -> list[dict[str, Any]]:
    """A row per person and kind."""
    return [
        {
            "annotator": result.annotator,
            "kind": KINDS[Item.Control(result.kind)],
            "given": result.given,
            "judged": result.judged,
            "passed": "–" if result.passed is None else result.passed,
            "strictly": result.passed_strictly,
            "failed": None if result.passed is None else result.judged - result.passed,
        }
        for result in results
    ]


def expectations(protocol: Protocol) -> list[str]:
    """What a control pair of each kind must get, a sentence for each."""
    return [_expectation(protocol, kind, str(label)) for kind, label in KINDS.items()]


def _expectation(protocol: Protocol, kind: Item.Control, label: str) -> str:
    expected = protocol.controls.get(kind.value, ())
    if not expected:
        words = _(
            "Nothing is expected of a control pair that is %(kind)s: answers are counted only."
        )
        return words % {"kind": label}
    answers = ", ".join(
        f"{dimension_label(protocol, expectation.dimension)} "
        f"{_values(expectation.lowest, expectation.highest)}"
        for expectation in expected
    )
    sentence = _("A control pair that is %(kind)s passes with: %(expected)s.") % {
        "kind": label,
        "expected": answers,
    }
    strictly = ", ".join(
        f"{dimension_label(protocol, expectation.dimension)} {_values(*expectation.strictly)}"
        for expectation in expected
        if expectation.strictly is not None
    )
    if strictly:
        sentence += " " + _("Strictly: %(expected)s.") % {"expected": strictly}
    return sentence


def _values(lowest: int, highest: int) -> str:
    if lowest == highest:
        return str(lowest)
    return _("%(low)s to %(high)s") % {"low": lowest, "high": highest}


def repeats_context(study: Study, repeats: Repeats) -> dict[str, Any]:
    """Agreement with oneself: by person, and over everybody."""
    label = {name: dimension_label(study.protocol, name) for name in study.protocol.dimensions}
    return {
        "offered": repeats.offered,
        "answered": len(repeats.twice),
        "people": [
            {
                "annotator": own.annotator,
                "dimension": label[own.dimension],
                "pairs": own.pairs,
                "same": percent(own.same),
                "shift": "" if own.shift is None else decimal(own.shift),
            }
            for own in repeats.by_person
        ],
        "all": [
            {
                "dimension": label[name],
                "pairs": report.pairable,
                "same": ""
                if report.percent_agreement.value is None
                else percent(report.percent_agreement.value),
                "alpha": _alpha(report),
                "level": level_label(report.fitting),
                "texts": report.other_sources.sources,
                "interval": interval_words(
                    replace(report.fitting_alpha, interval=report.other_sources.interval)
                ),
            }
            for name, report in repeats.reports.items()
            if report.ratings
        ],
    }


def _alpha(report: DimensionReport) -> str:
    alpha = report.fitting_alpha
    if alpha.value is not None:
        return decimal(alpha.value)
    return text(alpha.undefined) if alpha.undefined is not None else ""
