"""Silent repeats and control pairs in words and tables."""

from __future__ import annotations

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
            "annotator": one.annotator,
            "kind": KINDS[Item.Control(one.kind)],
            "given": one.given,
            "judged": one.judged,
            "passed": "–" if one.passed is None else one.passed,
            "strictly": one.passed_strictly,
            "failed": None if one.passed is None else one.judged - one.passed,
        }
        for one in results
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
    asked = ", ".join(
        f"{dimension_label(protocol, one.dimension)} {_values(one.lowest, one.highest)}"
        for one in expected
    )
    told = _("A control pair that is %(kind)s passes with: %(expected)s.") % {
        "kind": label,
        "expected": asked,
    }
    strictly = ", ".join(
        f"{dimension_label(protocol, one.dimension)} {_values(*one.strictly)}"
        for one in expected
        if one.strictly is not None
    )
    if strictly:
        told += " " + _("Strictly: %(expected)s.") % {"expected": strictly}
    return told


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
                "annotator": one.annotator,
                "dimension": label[one.dimension],
                "pairs": one.pairs,
                "same": percent(one.same),
                "shift": "" if one.shift is None else decimal(one.shift),
            }
            for one in repeats.by_person
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
                "interval": interval_words(report.fitting_alpha),
            }
            for name, report in repeats.reports.items()
            if report.ratings
        ],
    }


def _alpha(report: DimensionReport) -> str:
    found = report.fitting_alpha
    if found.value is not None:
        return decimal(found.value)
    return text(found.undefined) if found.undefined is not None else ""
