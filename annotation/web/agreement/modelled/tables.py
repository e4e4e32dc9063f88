"""The tables of one dimension: both models in figures, each annotator, each label that they would
have otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.agreement.consensus import SETTLED_ABOVE
from annotation.agreement.modelled.crowd import DAWID_SKENE, MACE, METHODS
from annotation.models import Study
from annotation.protocols.protocol import Protocol
from annotation.web.agreement.sheets import Column, FigureSheet, SheetCell
from annotation.web.base.numbers import percent
from annotation.web.base.presenters import dimension_label, value_labels

ModelFigures = Mapping[str, Any]
Rows = list[tuple[SheetCell, ...]]
NAMES = {DAWID_SKENE: "Dawid–Skene", MACE: "MACE"}


def models(study: Study, name: str, figures: ModelFigures, _result: ModelFigures) -> FigureSheet:
    """What each model found, with everything that it was computed from."""
    rows: Rows = [
        (
            NAMES[method],
            model["units"],
            model["annotators"],
            model["ratings"],
            model["otherwise"],
            model["ties"],
            model["settled"],
            model["sure"],
            model["unsteady"],
            model["log_likelihood"],
            model["signature"],
        )
        for method, model in figures["models"].items()
    ]
    return FigureSheet(
        "models",
        _("Modelled labels beside the majority: %(dimension)s") % _named(study, name),
        (
            Column(_("Model")),
            Column(_("Pairs"), "count"),
            Column(_("Annotators"), "count"),
            Column(_("Answers"), "count"),
            Column(_("Another label than the majority"), "count"),
            Column(_("Ties"), "count"),
            Column(_("Ties settled"), "count"),
            Column(_("of them beyond nine in ten"), "count"),
            Column(_("Unsteady labels"), "count"),
            Column(_("Log likelihood"), "points", shown=False),
            Column(_("Signature"), shown=False),
        ),
        tuple(rows),
    )


def annotators(
    study: Study, name: str, figures: ModelFigures, _result: ModelFigures
) -> FigureSheet:
    """Each annotator: how many answers, mean, severity, how reliable each model finds them."""
    rows: Rows = [
        (
            rater,
            person["ratings"],
            person["mean"],
            person["severity"],
            *(figures["models"][method]["reliability"].get(rater) for method in METHODS),
        )
        for rater, person in figures["people"].items()
    ]
    return FigureSheet(
        "annotators",
        _("Annotators: %(dimension)s") % _named(study, name),
        (
            Column(_("Annotator")),
            Column(_("Answers"), "count"),
            Column(_("Mean"), "points"),
            Column(_("Severity, in points"), "points"),
            Column(_("Dawid–Skene: gives the label that holds"), "share"),
            Column(_("MACE: knows, does not guess"), "share"),
        ),
        tuple(rows),
    )


def labels(study: Study, name: str, figures: ModelFigures, result: ModelFigures) -> FigureSheet:
    """Each pair that is a tie, or that a model labels otherwise than most people."""
    words = _Words(study.protocol, name)
    compared = {
        method: {pair["unit"]: pair for pair in report["compared"]}
        for method, report in figures["models"].items()
    }
    units: dict[str, ModelFigures] = {}
    for of_method in compared.values():
        units |= of_method
    rows: Rows = []
    links = []
    for unit, pair in sorted(units.items()):
        cells: list[SheetCell] = [unit, words.distribution(pair), words.majority(pair)]
        for method in METHODS:
            report = compared[method].get(unit)
            if report is None:  # the majority's label is the model's as well
                value = pair["majority"]
                share = figures["models"][method]["posteriors"][unit].get(f"{value:g}")
            else:
                value, share = report["label"], report["posterior"]
            cells += [words.value(value), share]
        rows.append(tuple(cells))
        item = result["items"].get(unit, "")
        links.append(reverse("study_agreement_item", args=[study.key, item]) if item else "")
    return FigureSheet(
        "labels",
        _("Ties, and labels that a model would give otherwise: %(dimension)s")
        % _named(study, name),
        (
            Column(_("Pair")),
            Column(_("Answers")),
            Column(_("Most people")),
            Column("Dawid–Skene"),
            Column(_("Probability by Dawid–Skene"), "share"),
            Column("MACE"),
            Column(_("Probability by MACE"), "share"),
        ),
        tuple(rows),
        tuple(links),
        _(
            "A tie goes to a model's label, where a snapshot's recipe says so, if it is one of the "
            "tied answers and its probability is above %(above)s; to the lot otherwise."
        )
        % {"above": percent(SETTLED_ABOVE, 0)},
    )


class _Words:
    """Values of a dimension as they are read."""

    def __init__(self, protocol: Protocol, name: str) -> None:
        self._labels = value_labels(protocol, name)

    def value(self, value: float | None) -> str:
        if value is None:
            return ""
        known = int(value) in self._labels
        return f"{value:g} · {self._labels[int(value)]}" if known else f"{value:g}"

    def distribution(self, pair: ModelFigures) -> str:
        return "; ".join(f"{value} × {count}" for value, count in pair["distribution"].items())

    def majority(self, pair: ModelFigures) -> str:
        if not pair["tied"]:
            return self.value(pair["majority"])
        return _("tie: %(values)s") % {"values": ", ".join(f"{value:g}" for value in pair["tied"])}


def _named(study: Study, name: str) -> dict[str, str]:
    return {"dimension": dimension_label(study.protocol, name)}


BUILDERS: dict[str, Callable[[Study, str, ModelFigures, ModelFigures], FigureSheet]] = {
    "models": models,
    "annotators": annotators,
    "labels": labels,
}
