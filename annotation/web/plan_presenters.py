"""A plan's preview, and how steadily people judge, in words and tables."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy, ngettext_lazy

from annotation.agreement.report import DimensionReport
from annotation.models import Item, Study
from annotation.selectors.plan_preview import Obstacle, Preview
from annotation.selectors.steadiness import ControlResult, Repeats
from annotation.web.dashboard.words import decimal, dimension_label, interval_words, level_label, percent
from annotation.web.presenters import text

KINDS = {
    Item.Control.IDENTICAL: gettext_lazy("identical"),
    Item.Control.UNRELATED: gettext_lazy("unrelated"),
}
# What the plan cannot do, and the remedy.
SENTENCES = {
    "no_pairs": gettext_lazy("The main round has no pair yet. Bring in its pairs, then look again."),
    "nobody": gettext_lazy("Nobody judges in this study yet. Invite people, then look again."),
    "too_few_people": gettext_lazy(
        "%(wanted)s answers per pair, but only %(people)s can judge now: each pair gets fewer. Wait for whoever is "
        "invited or absent, invite %(missing)s more, or ask for fewer answers per pair."
    ),
    "over": gettext_lazy(
        "%(pairs)s pairs are with more people than the %(wanted)s whose answers count: what comes later than those is "
        "surplus work. Tick “Draw again what nobody has opened” to take back what was not begun."
    ),
    "everybody": gettext_lazy("There are %(people)s people: this comes to everybody judging everything."),
    "too_few_pairs": gettext_lazy(
        "%(pairs)s pairs × %(wanted)s answers do not go round: %(idle)s people get nothing. Bring in more pairs, or "
        "ask for more answers per pair."
    ),
    "idle": gettext_lazy(
        "%(people)s of the people have no pair, because every pair has its team already. Tick “Draw again what nobody "
        "has opened”, or offer an absent person's pairs to others on the page of people."
    ),
    "loads_by_one": gettext_lazy(
        "The pairs cannot be divided equally: some have %(least)s, some %(most)s. A difference of one is the least "
        "there can be."
    ),
    "loads": gettext_lazy(
        "Some have %(least)s pairs, some %(most)s: what was submitted or begun stays where it is. New pairs go to "
        "those who have fewest."
    ),
    "couples_by_one": gettext_lazy(
        "Any two people share %(least)s or %(most)s pairs. The numbers allow no smaller difference."
    ),
    "couples": gettext_lazy(
        "Any two people share between %(least)s and %(most)s pairs. Before the main round another seed may come out "
        "more even; the agreement of each two is weighted by what they share."
    ),
}
ADDED = ngettext_lazy("%(number)s assignment added.", "%(number)s assignments added.", "number")


def preview_context(preview: Preview) -> dict[str, Any]:
    """Loads, the table of shared pairs (a triangle: each two people once), and what cannot be."""
    names = [name for name, _number in preview.loads]
    met = {(one, other): number for one, other, number in preview.couples}
    return {
        "preview": preview,
        "names": names,
        "rows": [{"name": name, "cells": [met.get((other, name)) for other in names[:-1]]} for name in names[1:]],
        "obstacles": [{"text": _sentence(one), "serious": one.serious} for one in preview.obstacles],
    }


def _sentence(obstacle: Obstacle) -> str:
    return str(SENTENCES[obstacle.code]) % obstacle.numbers


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
                "same": "" if report.percent_agreement.value is None else percent(report.percent_agreement.value),
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
