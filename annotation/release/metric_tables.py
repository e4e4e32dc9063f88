"""Reports on metrics as released tables: what ``metrics.json`` of a snapshot says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from annotation.release.tables import Field, Row, Table

Facts = Mapping[str, Any]
FIGURES = (
    *("pearson", "spearman", "kendall", "rmse", "r_squared", "share_above", "pairwise"),
    *("pearson_augmented", "rmse_augmented", "pearson_references", "rmse_references"),
    *("system_pearson", "system_accuracy"),
    *("identical_strict", "identical_lenient", "unrelated_strict", "unrelated_lenient"),
)
"""Of each line, in this order: a database may keep another."""


class MetricTable(NamedTuple):
    """A table and what gives its rows, of ``metrics.json``."""

    table: Table
    rows: Callable[[Facts], Iterable[Row]]


_REPORT = (
    Field("dimension", "text", "Dimension humaine.", "Human dimension."),
    Field(
        "human_better",
        "text",
        "Ce qui est mieux sur l'échelle humaine\u00a0: higher, lower (corrélations, différences et "
        "ordres sont alors de −moyenne humaine) ou neither (aucune mesure n'est la meilleure).",
        "What is better on the human scale: higher, lower (correlations, differences and orders "
        "are then of −human mean) or neither (no metric is the best).",
    ),
    Field("references", "text", "Systèmes de référence.", "Systems that served as references."),
    Field("metric", "text", "Mesure.", "Metric; human: one person against the others."),
    Field(
        "turned",
        "boolean",
        "Vrai si plus bas est mieux\u00a0: corrélations, différences et ordres sont alors de "
        "−valeur.",
        "True where lower is better: correlations, differences and orders are then of −value.",
    ),
)
_VALUE = (
    Field("value", "number", "Valeur.", "Value."),
    Field("low", "number", "Bas de l'intervalle.", "Lower end of the interval."),
    Field("high", "number", "Haut de l'intervalle.", "Upper end of the interval."),
    Field("n", "integer", "Nombre de sorties (ou de systèmes).", "Outputs (or systems) counted."),
    Field("sources", "integer", "Nombre de textes originaux.", "Original texts."),
)
_REMARKS = (
    Field("remark_fr", "text", "Ce qui manque et pourquoi.", "What is missing and why, in French."),
    Field("remark_en", "text", "De même, en anglais.", "What is missing and why, in English."),
)
METRICS = Table(
    "metrics",
    "One row per report, metric and figure: how far the metric says what people say",
    (
        *_REPORT,
        Field("label_fr", "text", "Nom en français.", "Name in French."),
        Field("label_en", "text", "Nom en anglais.", "Name in English."),
        Field("kind", "text", "metric, scorer ou judge.", "metric, scorer or judge."),
        Field(
            "direction",
            "integer",
            "1\u00a0: plus haut est mieux; −1\u00a0: plus bas est mieux, le signe est retourné "
            "(turned); 0\u00a0: ni l'un ni l'autre.",
            "1: higher is better; −1: lower is better, the sign is turned (turned); 0: neither.",
        ),
        Field("is_baseline", "boolean", "Point de comparaison seul.", "A baseline alone."),
        Field(
            "competes",
            "boolean",
            "Peut être la meilleure\u00a0: un sens est meilleur, au moins la moitié des sorties "
            "ont une valeur, et ce n'est pas un point de comparaison.",
            "May be the best: one side is better, at least half of the outputs have a value, and "
            "it is no baseline.",
        ),
        Field("is_brought", "boolean", "Notes venues d'un fichier.", "Scores came from a file."),
        Field(
            "figure",
            "text",
            "Corrélation (de −valeur si turned), erreur, part, contrôle ou niveau des systèmes.",
            "Correlation (of −value where turned), error, share, control, or at the level of "
            "systems.",
        ),
        *_VALUE,
        Field("signature", "text", "Signature de la mesure.", "The metric's signature."),
        *_REMARKS,
    ),
)
DIFFERENCES = Table(
    "metric_differences",
    "One row per report and metric: the best metric's Pearson less its own (of −value where "
    "turned), with both tests",
    (
        *_REPORT,
        Field(
            "best",
            "text",
            "La meilleure des mesures dont un sens est meilleur et que la moitié des sorties au "
            "moins ont.",
            "The best of the metrics that have a better side and that at least half of the outputs "
            "have.",
        ),
        *_VALUE,
        Field("williams_t", "number", "t de Williams.", "Williams's t."),
        Field("degrees", "integer", "Degrés de liberté.", "Degrees of freedom."),
        Field("p", "number", "p unilatéral de Williams.", "Williams's one-sided p."),
        Field("p_holm", "number", "De même, après Holm.", "The same after Holm's correction."),
        Field("p_bootstrap", "number", "p unilatéral par tirages.", "One-sided p by bootstrap."),
        Field("p_bootstrap_holm", "number", "De même, après Holm.", "The same after Holm's."),
        *_REMARKS,
    ),
)
STRATA = Table(
    "metric_strata",
    "One row per report, part of the outputs and metric: Pearson within that part, of −value where "
    "turned",
    (
        *_REPORT,
        Field("stratum", "text", "D'après quoi les sorties sont réparties.", "What divides."),
        Field("part", "text", "La partie.", "The part."),
        *_VALUE,
        *_REMARKS,
    ),
)
VALUES = Table(
    "metric_values",
    "One row per report, metric and simplification: the metric's value as it is, to twelve digits; "
    "none of models that judged",
    (
        *_REPORT,
        Field("simplification_key", "text", "Clé de la simplification.", "Key of the output."),
        Field(
            "value",
            "number",
            "Valeur de la mesure, le signe comme elle le donne\u00a0: les corrélations publiées "
            "sont de −value là où turned est vrai.",
            "The metric's value, its sign as it gives it: published correlations are of −value "
            "where turned is true.",
        ),
    ),
)


def metric_tables(facts: Facts) -> list[MetricTable]:
    """The tables that have a row, in order; none where there is no report."""
    if not facts or not facts["reports"]:
        return []
    return [table for table in _ALL if next(iter(table.rows(facts)), None) is not None]


def is_turned(line: Facts) -> bool:
    """Whether lower is better, so that correlations are of the value with its sign turned."""
    return bool(line["direction"] < 0)


def _of(report: Facts, line: Facts | None = None) -> dict[str, Any]:
    """What a row of one report and line begins with; without a line, that of people."""
    row = {
        "dimension": report["dimension"],
        # Snapshots of before took higher for better on every human scale.
        "human_better": report.get("better", "higher"),
        "references": report["reference"],
    }
    if line is None:
        return row | {"metric": "human", "turned": False}
    return row | {"metric": line["name"], "turned": is_turned(line)}


def _figure(figure: Facts, *more: Facts | None) -> dict[str, Any]:
    """``more``: further reasons why something is missing."""
    reasons = [reason for reason in (*more, figure["undefined"]) if reason]
    row = {name: figure[name] for name in ("value", "low", "high", "n", "sources")}
    for language in ("fr", "en"):
        said = dict.fromkeys(reason[language] for reason in reasons)
        row[f"remark_{language}"] = " ".join(said)
    return row


def _metrics(facts: Facts) -> Iterator[Row]:
    for report in facts["reports"]:
        yield _of(report) | {"figure": "ceiling", **_figure(report["ceiling"])}
        for line in report["lines"]:
            named = {f"label_{code}": words for code, words in line["label"].items()}
            kept = ("kind", "direction", "is_baseline", "is_brought", "signature")
            own = named | {name: line[name] for name in kept}
            own["competes"] = line.get("competes")  # snapshots of before do not say
            missing = [gap["reason"] for gap in line["missing"]]
            for name in FIGURES:
                cells = _figure(line["figures"][name], *missing)
                yield _of(report, line) | own | {"figure": name} | cells


def _differences(facts: Facts) -> Iterator[Row]:
    for report in facts["reports"]:
        for line in report["lines"]:
            versus = line["versus"]
            if versus is None:
                continue
            tests = {name: value for name, value in versus.items() if name != "difference"}
            difference = _figure(versus["difference"])
            yield _of(report, line) | {"best": report["best"]} | difference | tests


def _strata(facts: Facts) -> Iterator[Row]:
    for report in facts["reports"]:
        for part in report["strata"]:
            own = {"stratum": part["dimension"], "part": str(part["value"])}
            yield _of(report) | own | _figure(part["ceiling"])
            for line in report["lines"]:
                yield _of(report, line) | own | _figure(part["pearson"][line["name"]])


def _values(facts: Facts) -> Iterator[Row]:
    for report in facts["reports"]:
        if report["units"] is None:
            continue
        for line in report["lines"]:
            # Snapshots of before have a model's answers as values.
            values = () if line["kind"] == "judge" else line["values"] or ()
            for unit, value in zip(report["units"], values, strict=False):
                if value is not None:
                    row = {"simplification_key": unit, "value": value}
                    yield _of(report, line) | row


_ALL = (
    MetricTable(METRICS, _metrics),
    MetricTable(DIFFERENCES, _differences),
    MetricTable(STRATA, _strata),
    MetricTable(VALUES, _values),
)
