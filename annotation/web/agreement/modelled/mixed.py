"""The tables of the mixed models of one dimension: each system, each pair of them, where the
variance is, each annotator's thresholds, and which thresholds describe the answers better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, SOURCES
from annotation.agreement.mixed.linear import TASTES
from annotation.agreement.mixed.reml import REST
from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import Counts, Figure
from annotation.models import Study
from annotation.protocols.base import Wording
from annotation.web.agreement.sheets import Column, FigureSheet, SheetCell
from annotation.web.base.presenters import dimension_label, text

ModelFigures = Mapping[str, Any]
Rows = list[tuple[SheetCell, ...]]


def has_mixed(figures: ModelFigures) -> bool:
    """Whether mixed models of a dimension were fitted."""
    mixed = figures.get("mixed")
    return mixed is not None and not mixed["undefined"]


def differences(
    study: Study, name: str, figures: ModelFigures, _result: ModelFigures
) -> FigureSheet:
    """Each pair of systems in points and in odds."""
    mixed = figures["mixed"]
    points, odds, own = (_pairs(mixed.get(name)) for name in ("linear", "ordinal", "own"))
    rows: Rows = []
    for first, second in points | odds | own:
        pair = first, second
        of_points, of_odds, of_own = points.get(pair), odds.get(pair), own.get(pair)
        counted = of_points or (of_odds or own[pair])["log_odds"]
        rows.append(
            (
                first,
                second,
                _figure(of_points),
                _figure(of_odds and of_odds["odds_ratio"]),
                _figure(of_own and of_own["odds_ratio"]),
                _figure(of_odds and of_odds["log_odds"]),
                _figure(of_own and of_own["log_odds"]),
                *_counts(counted),
                *_made(of_points),
                *_made(of_odds and of_odds["log_odds"]),
                *_made(of_own and of_own["log_odds"]),
            )
        )
    return FigureSheet(
        "mixed-differences",
        _("Differences between systems by mixed models: %(dimension)s") % _named(study, name),
        (
            Column(_("System")),
            Column(_("against")),
            Column(_("Difference in points (linear)"), "points", interval=True),
            Column(_("Odds ratio (ordinal)"), "points", interval=True),
            Column(_("Odds ratio (own thresholds)"), "points", interval=True),
            Column(_("Difference in log odds (ordinal)"), "points", interval=True, shown=False),
            Column(
                _("Difference in log odds (own thresholds)"), "points", interval=True, shown=False
            ),
            *_counted(),
            Column(_("Method (linear)"), shown=False),
            Column(_("Signature (linear)"), shown=False),
            Column(_("Method (ordinal)"), shown=False),
            Column(_("Signature (ordinal)"), shown=False),
            Column(_("Method (own thresholds)"), shown=False),
            Column(_("Signature (own thresholds)"), shown=False),
        ),
        tuple(rows),
        note=_(
            "95 % intervals, not corrected for the number of pairs; no test is made here. Those of "
            "the differences in points hold for other texts and other annotators; those of the odds"
            " ratios, for these annotators on other texts. An odds ratio above 1: the first system "
            "gets answers above any given one more often."
        ),
    )


def systems(study: Study, name: str, figures: ModelFigures, _result: ModelFigures) -> FigureSheet:
    """Each system's mean."""
    rows: Rows = [
        (system["system"], _figure(system), *_counts(system), *_made(system))
        for system in figures["mixed"]["linear"]["systems"]
    ]
    return FigureSheet(
        "mixed-systems",
        _("Means of systems by the linear mixed model: %(dimension)s") % _named(study, name),
        (
            Column(_("System")),
            Column(_("Modelled mean"), "points", interval=True),
            *_counted(),
            Column(_("Method"), shown=False),
            Column(_("Signature"), shown=False),
        ),
        tuple(rows),
        note=_(
            "What the model expects of a text and an annotator drawn like these: texts, outputs and"
            " severity weigh as their variances say. 95 % intervals, for other texts and other "
            "annotators."
        ),
    )


def variance(study: Study, name: str, figures: ModelFigures, _result: ModelFigures) -> FigureSheet:
    """Where the variance is that systems leave."""
    labels = {
        ANNOTATORS: _("Annotators (severity)"),
        TASTES: _("Annotators × systems (tastes)"),
        SOURCES: _("Original texts"),
        ITEMS: _("Outputs"),
        REST: _("Rest"),
    }
    components = figures["mixed"]["linear"]["components"]
    if any(component["name"] == SOURCES for component in components):
        labels[ITEMS] = _("Outputs within texts")
    rows: Rows = [
        (
            labels[component["name"]],
            component["levels"],
            _figure(component["variance"]),
            component["share"],
            _words(component["variance"]["undefined"]),
            *_made(component["variance"]),
        )
        for component in components
    ]
    return FigureSheet(
        "mixed-variance",
        _("Where the variance is beside systems: %(dimension)s") % _named(study, name),
        (
            Column(_("Part")),
            Column(_("Levels"), "count"),
            Column(_("Variance, in points squared"), "points", interval=True),
            Column(_("Share"), "share"),
            Column(_("Remark")),
            Column(_("Method"), shown=False),
            Column(_("Signature"), shown=False),
        ),
        tuple(rows),
        note=_(
            "Shares of the variance once systems are accounted for. The shares on the agreement "
            "page are of the whole and have intervals of their own."
        ),
    )


def annotators(
    study: Study, name: str, figures: ModelFigures, _result: ModelFigures
) -> FigureSheet:
    """By how much each annotator's thresholds are moved."""
    rows: Rows = [
        (
            annotator["annotator"],
            _figure(annotator),
            *_counts(annotator)[:2],
            annotator["n"]["ratings"],
            *_made(annotator),
        )
        for annotator in figures["mixed"]["ordinal"]["annotators"]
    ]
    return FigureSheet(
        "mixed-annotators",
        _("Thresholds of annotators by the ordinal model: %(dimension)s") % _named(study, name),
        (
            Column(_("Annotator")),
            Column(_("Thresholds moved by, in log odds"), "points", interval=True),
            Column(_("Outputs"), "count"),
            Column(_("Texts"), "count"),
            Column(_("Answers"), "count"),
            Column(_("Method"), shown=False),
            Column(_("Signature"), shown=False),
        ),
        tuple(rows),
        note=_(
            "Above 0 the thresholds are higher: this annotator asks more before giving a higher "
            "answer. The shifts add up to 0. 95 % intervals, for other texts."
        ),
    )


def thresholds(
    study: Study, name: str, figures: ModelFigures, _result: ModelFigures
) -> FigureSheet:
    """Each annotator's own thresholds, and where a shift alone would put them."""
    rows: Rows = [
        (
            threshold["annotator"],
            f"{threshold['value']:g}",
            _figure(threshold["own"]),
            threshold["moved"],
            *_counts(threshold["own"])[:2],
            threshold["own"]["n"]["ratings"],
            *_made(threshold["own"]),
        )
        for threshold in _own(figures).get("thresholds", ())
    ]
    return FigureSheet(
        "mixed-thresholds",
        _("Thresholds of each annotator's own: %(dimension)s") % _named(study, name),
        (
            Column(_("Annotator")),
            Column(_("Answers up to")),
            Column(_("Own threshold, in log odds"), "points", interval=True),
            Column(_("Common threshold moved, in log odds"), "points"),
            Column(_("Outputs"), "count"),
            Column(_("Texts"), "count"),
            Column(_("Answers"), "count"),
            Column(_("Method"), shown=False),
            Column(_("Signature"), shown=False),
        ),
        tuple(rows),
        note=_(
            "How probable an answer up to that value is against one above, for an output of the "
            "average system: 0 is one in two, and above 0 lower answers are likelier. Where a "
            "person's own and the moved threshold are far apart, this person uses the scale "
            "otherwise than more or less strictly. 95 % intervals, for other texts."
        ),
    )


def fits(study: Study, name: str, figures: ModelFigures, _result: ModelFigures) -> FigureSheet:
    """Which thresholds describe the same answers better."""
    own = _own(figures)
    models = (
        (_("Common thresholds, moved for each annotator"), own.get("fit_of_shift")),
        (_("Thresholds of each annotator's own"), own.get("fit")),
    )
    rows: Rows = [
        (
            label,
            fit["coefficients"],
            fit["log_likelihood"],
            fit["aic"],
            own["n"]["annotators"],
            own["n"]["ratings"],
            fit["signature"],
        )
        for label, fit in models
        if fit
    ]
    return FigureSheet(
        "mixed-fits",
        _("Which thresholds describe the answers better: %(dimension)s") % _named(study, name),
        (
            Column(_("Model")),
            Column(_("Coefficients"), "count"),
            Column(_("Log likelihood"), "points"),
            Column(_("AIC"), "points"),
            Column(_("Annotators"), "count"),
            Column(_("Answers"), "count"),
            Column(_("Signature"), shown=False),
        ),
        tuple(rows),
        note=_(
            "A lower AIC describes the answers better, clearly so where it is lower by 10 or more: "
            "AIC takes answers to one text as independent, which they are not. Both models are "
            "fitted to the same answers, with the same values counted together."
        ),
    )


MIXED: dict[str, Callable[[Study, str, ModelFigures, ModelFigures], FigureSheet]] = {
    "mixed-differences": differences,
    "mixed-systems": systems,
    "mixed-variance": variance,
    "mixed-annotators": annotators,
    "mixed-thresholds": thresholds,
    "mixed-fits": fits,
}


def _pairs(model: ModelFigures | None) -> dict[tuple[str, str], ModelFigures]:
    """Differences by their systems; none where a model was not fitted."""
    rows = model["differences"] if model else ()
    return {(row["first"], row["second"]): row for row in rows}


def _own(figures: ModelFigures) -> ModelFigures:
    """The model with own thresholds; empty in what was computed before there was one."""
    own: ModelFigures = figures["mixed"].get("own") or {}
    return own


def _figure(figure: ModelFigures | None) -> Figure | None:
    """What was kept of a figure, as a cell."""
    if figure is None or figure["value"] is None:
        return None
    low, high = figure["interval"] or (None, None)
    n = figure["n"]
    return Figure(
        figure["value"],
        Counts(n["outputs"], n["sources"], n["annotators"], n["ratings"]),
        Interval(low, high, 0.95, 0),
    )


def _counts(figure: ModelFigures) -> tuple[SheetCell, ...]:
    n = figure["n"]
    return (n["outputs"], n["sources"], n["annotators"], n["ratings"])


def _counted() -> tuple[Column, ...]:
    return (
        Column(_("Outputs"), "count"),
        Column(_("Texts"), "count"),
        Column(_("Annotators"), "count"),
        Column(_("Answers"), "count"),
    )


def _made(figure: ModelFigures | None) -> tuple[SheetCell, SheetCell]:
    """How a figure was computed: method and signature, for the files."""
    return (figure["method"] or "", figure["signature"] or "") if figure is not None else ("", "")


def _words(said: Mapping[str, str] | None) -> str:
    return text(Wording(**said)) if said else ""


def _named(study: Study, name: str) -> dict[str, str]:
    return {"dimension": dimension_label(study.protocol, name)}
