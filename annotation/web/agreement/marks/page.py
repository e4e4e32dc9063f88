"""The page on marks as its templates draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.agreement.marks.confused import matrix_of
from annotation.agreement.marks.matching import CoupleEdits
from annotation.corpus.edit_files import ENDINGS
from annotation.models import Study
from annotation.selectors.agreement.marked import MarksFigures
from annotation.web.agreement.marks.form import MarksForm
from annotation.web.agreement.marks.tables import MERGED, OF_AGREEMENT, sheet

FOLDED = ("operations", "couples")
DIVIDER = "|"


@dataclass(frozen=True)
class Cell:
    """Which matrix is shown and which of its cells is open: of a ``couple`` ("" for all), as marked
    or merged, what the two call it."""

    couple: str = ""
    is_merged: bool = False
    first: str | None = None
    second: str | None = None

    @classmethod
    def of(cls, query: QueryDict) -> Cell:
        """As an address has it."""
        return cls(
            query.get("couple", ""),
            query.get("matrix") == "merged",
            query.get("first"),
            query.get("second"),
        )


def marks_context(
    study: Study, form: MarksForm, figures: MarksFigures, cell: Cell
) -> dict[str, Any]:
    """Everything below the form."""
    report = figures.report
    drawn = report.drawn
    return {
        "study": study,
        "report": report,
        "counts": _sheet(study, form, figures, "counts"),
        "again": _sheet(study, form, figures, "again"),
        "agreement": [
            {
                "is_merged": bool(place),
                "sheets": [
                    _sheet(study, form, figures, f"{key}{MERGED}" if place else key)
                    for key in OF_AGREEMENT
                ],
            }
            for place, _agreement in enumerate(report.agreement)
        ],
        "groups": [
            {"name": name, "kinds": ", ".join(kinds)} for name, kinds in form.marks_request.groups
        ],
        "matrix": _matrix(study, form, figures, cell) if report.agreement else None,
        "draws": drawn.draws,
        "seed": drawn.seed,
        "signatures": [
            figure.signature
            for agreement in report.agreement
            for side in agreement.sides.values()
            for figure in side.coefficients.values()
        ],
        "files": [(name, _file(study, form, name)) for name in ENDINGS],
        "ruled": [(name, f"{_file(study, form, name)}&ruled=1") for name in ENDINGS]
        if form.question.counted
        else [],
        "counted": form.question.counted,
        "are_errors": form.question.are_errors,
        "tables": [
            (label, _file(study, form, name))
            for name, label in (
                ("counts", _("Counts of each pair")),
                ("consensus", _("Consensus on each word")),
                ("confusions", _("What is called otherwise")),
                ("report", _("All figures (JSON)")),
            )
        ],
    }


def _file(study: Study, form: MarksForm, name: str) -> str:
    return f"{reverse('study_marks_file', args=[study.key, name])}?{form.query()}"


def _sheet(study: Study, form: MarksForm, figures: MarksFigures, key: str) -> dict[str, Any] | None:
    table = sheet(key, figures.report, figures.again, form.called)
    if table is None:
        return None
    address = reverse("study_marks_table", args=[study.key, key])
    return table.context() | {
        "id": key,
        "url": f"{address}?{form.query(format='')}",
        "folded": key.removesuffix(MERGED) in FOLDED,
    }


def _matrix(study: Study, form: MarksForm, figures: MarksFigures, cell: Cell) -> dict[str, Any]:
    place = 1 if cell.is_merged and len(figures.report.agreement) > 1 else 0
    agreement = figures.report.agreement[place]
    couples = {couple_name(couple): couple for couple in agreement.edits.couples}
    chosen = cell.couple if cell.couple in couples else ""
    shown: Sequence[CoupleEdits] = [couples[chosen]] if chosen else [*couples.values()]
    matrix = matrix_of(shown)
    more = {"couple": chosen, "matrix": "merged" if place else ""}
    axis = [*matrix.kinds, ""]

    def link(first: str, second: str) -> str:
        return f"?{form.query(**more, first=first, second=second)}#cell"

    most = max((n for (a, b), n in matrix.edits.items() if a != b), default=0)
    opened = None if cell.first is None or cell.second is None else (cell.first, cell.second)
    return {
        "couples": [
            {"value": name, "label": f"{couple.first} – {couple.second}", "chosen": name == chosen}
            for name, couple in couples.items()
        ],
        "is_merged": bool(place),
        "can_merge": len(figures.report.agreement) > 1,
        "first": couples[chosen].first if chosen else "",
        "second": couples[chosen].second if chosen else "",
        "columns": [_axis_label(kind, form) for kind in axis],
        "rows": [
            {
                "label": _axis_label(first, form),
                "cells": [
                    {
                        "edits": matrix.edits.get((first, second), 0),
                        "url": link(first, second),
                        "same": first == second,
                        "often": first != second
                        and most > 0
                        and 2 * matrix.edits.get((first, second), 0) >= most,
                        "title": f"{_axis_label(first, form)['label']} × "
                        f"{_axis_label(second, form)['label']}",
                    }
                    for second in axis
                ],
            }
            for first in axis
        ],
        "hidden": [
            (name, value)
            for name, values in form.chosen.items()
            for value in (values if isinstance(values, list) else [values])
        ],
        "open": _opened(study, figures, form, matrix.pairs.get(opened, ()), opened)
        if opened
        else None,
    }


def _opened(
    study: Study,
    figures: MarksFigures,
    form: MarksForm,
    pairs: Sequence[str],
    opened: tuple[str, str],
) -> dict[str, Any]:
    """The pairs behind a cell."""
    return {
        "first": _axis_label(opened[0], form)["label"],
        "second": _axis_label(opened[1], form)["label"],
        "pairs": [
            (pair, reverse("study_agreement_item", args=[study.key, figures.item_of[pair]]))
            for pair in pairs
            if pair in figures.item_of
        ],
    }


def couple_name(couple: CoupleEdits) -> str:
    """A couple as an address has it."""
    return f"{couple.first}{DIVIDER}{couple.second}"


def _axis_label(kind: str, form: MarksForm) -> dict[str, str]:
    return {
        "key": kind or "–",
        "label": form.called.kind(kind) if kind else _("not marked"),
    }
