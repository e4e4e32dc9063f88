"""Silent repeats and control pairs in words and tables."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from annotation.agreement.report import DimensionReport
from annotation.models import Item, Study
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
            "passed": one.passed,
            "failed": one.judged - one.passed,
        }
        for one in results
    ]


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
