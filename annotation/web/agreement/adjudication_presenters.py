"""Cases as their pages show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.agreement.disputes import OutOfReach
from annotation.models import Adjudication, Simplification, Study
from annotation.selectors.agreement.adjudication import Case, counted_field
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


def reach_words(study: Study, case: OutOfReach) -> str:
    """That a threshold lists nothing on a dimension, why, and from where on it would."""
    above = (math.floor(100 * case.lowest_share + 1e-9) + 1) / 100
    facts = {
        "question": dimension_label(study.protocol, case.dimension),
        "answers": case.answers,
        "values": case.values,
        "most": case.most,
        "share": number_format(above, 2),
    }
    said = _(
        "%(question)s: of %(answers)s answers among %(values)s possible ones, the most frequent "
        "has %(most)s at least. By this share no pair is ever listed; from %(share)s on, divided "
        "ones are."
    )
    if field := counted_field(study, case.dimension):
        said = (
            _(
                "%(question)s: of %(answers)s people, %(most)s at least have marked an error or "
                "have not. By this share no pair is ever listed; from %(share)s on, divided ones "
                "are."
            )
            if field.are_errors
            else _(
                "%(question)s: of %(answers)s people, %(most)s at least have marked an edit or "
                "have not. By this share no pair is ever listed; from %(share)s on, divided ones "
                "are."
            )
        )
    return said % facts


def ruling_words(study: Study, ruling: Adjudication) -> str:
    """«Tranché : 3 Exclusions» or «légitimement divisé»."""
    words = ruling.get_outcome_display()
    if ruling.value is None:
        return words
    label = value_labels(study.protocol, ruling.dimension).get(ruling.value, "")
    return _("%(label)s: %(value)s") % {
        "label": words,
        "value": f"{ruling.value} {label}".strip(),
    }


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
