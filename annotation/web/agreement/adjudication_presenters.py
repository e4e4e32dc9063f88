"""Cases as their pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from annotation.models import Adjudication, Simplification, Study
from annotation.selectors.agreement.adjudication import Case
from annotation.selectors.agreement.reliability import scale_of
from annotation.selectors.agreement.voices import Voice
from annotation.selectors.base.languages import languages_of
from annotation.web.agreement.voices import voices_context, voices_legend
from annotation.web.base.presenters import (
    dimension_label,
    distribution_words,
    value_labels,
)

STATE_BADGES = {"open": "badge--warn", "ruled": "badge--ok", "due_again": "badge--bad"}


def case_row(study: Study, case: Case) -> dict[str, Any]:
    """One case in the queue."""
    labels = value_labels(study.protocol, case.dimension)
    counts = {value: case.values.count(value) for value in sorted(set(case.values))}
    return {
        "pair": case.unit.key,
        "dimension": dimension_label(study.protocol, case.dimension),
        "values": distribution_words(
            (f"{value:g} {labels.get(int(value), '')}".strip(), number)
            for value, number in counts.items()
        ),
        "state": case.state,
        "badge": STATE_BADGES[case.state],
        "ruling": ruling_words(study, case.ruling) if case.ruling else "",
        "url": reverse("adjudication_case", args=[study.key, case.unit.pk, case.dimension]),
    }


def ruling_words(study: Study, ruling: Adjudication) -> str:
    """«Tranché : 3 Exclusions» or «légitimement divisé»."""
    words = ruling.get_outcome_display()
    if ruling.value is None:
        return words
    label = value_labels(study.protocol, ruling.dimension).get(ruling.value, "")
    return f"{words} : {ruling.value} {label}".strip()


def case_context(
    study: Study, simplification: Simplification, dimension: str, heard: Sequence[Voice]
) -> dict[str, Any]:
    """The texts with everybody's errors drawn on them, and what each decided."""
    labels = value_labels(study.protocol, dimension)
    return {
        "item": simplification.item,
        "pair": simplification.pair_name,
        **voices_context(
            study.protocol,
            {"original": simplification.item.original, "simplification": simplification.text},
            heard,
            languages_of(study, simplification),
        ),
        **voices_legend(study.protocol),
        "dimension": dimension,
        "dimension_label": dimension_label(study.protocol, dimension),
        "scale": [(value, labels.get(value, "")) for value in scale_of(study.protocol, dimension)],
    }
