"""The page on modelled annotators and systems as its templates draw it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.agreement.modelled.crowd import ABSENT, package_version
from annotation.models import Study
from annotation.protocols.base import Wording
from annotation.selectors.agreement.modelled import ModelsState
from annotation.selectors.agreement.report_failures import report_failure
from annotation.web.agreement.dashboard.page import withdrawn_stored
from annotation.web.agreement.modelled.mixed import MIXED, has_mixed
from annotation.web.agreement.modelled.tables import BUILDERS, NAMES, ModelFigures
from annotation.web.agreement.sheets import FigureSheet
from annotation.web.base.presenters import dimension_label, text

SHOWN = 50
"""Rows on the page; files have all of them."""

TABLES: dict[str, tuple[Callable[[ModelFigures], bool], Callable[..., FigureSheet]]] = {
    key: (lambda figures: bool(figures["models"]), build) for key, build in BUILDERS.items()
} | {key: (has_mixed, build) for key, build in MIXED.items()}
"""By key whether a dimension has the table, and how it is built."""


def models_context(study: Study, state: ModelsState) -> dict[str, Any]:
    """Everything below the head."""
    return {
        "study": study,
        "state": state,
        "absent": text(ABSENT) if package_version() is None else "",
        "problem": text(report_failure(state.failed)),
        "withdrawn": withdrawn_stored(state.last.result) if state.last else None,
        "dimensions": [_dimension(study, state, name) for name in state.dimensions],
    }


def _dimension(study: Study, state: ModelsState, name: str) -> dict[str, Any]:
    figures = state.dimensions[name]
    reason = figures["undefined"]
    result = state.last.result if state.last else {}
    return {
        "key": name,
        "label": dimension_label(study.protocol, name),
        "reason": text(Wording(**reason)) if reason else "",
        "remarks": _remarks(figures),
        "sheets": []
        if reason
        else [
            _sheet(study, build(study, name, figures, result), name) for build in BUILDERS.values()
        ],
        "mixed": _mixed(study, figures, name, result),
        "signatures": [
            {"label": NAMES[method], "signature": model["signature"]}
            for method, model in figures["models"].items()
        ],
    }


def _mixed(study: Study, figures: ModelFigures, name: str, result: ModelFigures) -> dict[str, Any]:
    """The mixed models of a dimension; nothing of what was computed before there were any."""
    mixed = figures.get("mixed")
    if mixed is None:
        return {"missing": True}
    if mixed["undefined"]:
        return {"reason": text(Wording(**mixed["undefined"]))}
    named = {
        "linear": _("Linear mixed model"),
        "ordinal": _("Ordinal model"),
        "own": _("Ordinal model, own thresholds"),
    }
    # One that was computed before there were own thresholds has none.
    models = [mixed[key] for key in named if key in mixed]
    labels = [label for key, label in named.items() if key in mixed]
    return {
        "before_own": "own" not in mixed,
        "remarks": [
            {"label": label, "words": text(Wording(**words))}
            for label, model in zip(labels, models, strict=True)
            for words in [model["undefined"], *model["notes"]]
            if words
        ],
        "sheets": [
            _sheet(study, sheet, name)
            for build in MIXED.values()
            if (sheet := build(study, name, figures, result)).rows
        ],
        "signatures": [
            {"label": label, "signature": model["signature"]}
            for label, model in zip(labels, models, strict=True)
            if model["signature"]
        ],
        "methods": mixed["methods"],
    }


def _remarks(figures: dict[str, Any]) -> list[str]:
    """What has to be known before the figures are."""
    said = []
    for method, model in figures["models"].items():
        if model["unsteady"]:
            said.append(
                ngettext(
                    "%(model)s: %(unsteady)s of %(pairs)s labels is unsteady. It would be another"
                    " after more steps of the computation, or from another beginning.",
                    "%(model)s: %(unsteady)s of %(pairs)s labels are unsteady. They would be others"
                    " after more steps of the computation, or from another beginning.",
                    model["unsteady"],
                )
                % {
                    "model": NAMES[method],
                    "unsteady": model["unsteady"],
                    "pairs": model["units"],
                }
            )
    return said


def _sheet(study: Study, sheet: FigureSheet, name: str) -> dict[str, Any]:
    address = reverse("study_models_table", args=[study.key, sheet.key])
    rows = len(sheet.rows)
    if rows > SHOWN:
        more = _("The first %(shown)s of %(rows)s rows; the files have all of them.") % {
            "shown": SHOWN,
            "rows": rows,
        }
        sheet = replace(
            sheet, rows=sheet.rows[:SHOWN], links=sheet.links[:SHOWN], note=f"{more} {sheet.note}"
        )
    query = urlencode({"dimension": name, "format": ""})
    return sheet.context() | {"id": f"{name}-{sheet.key}", "url": f"{address}?{query}"}
