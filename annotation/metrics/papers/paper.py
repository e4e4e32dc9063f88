"""What a published table is: its lines as printed, what of it can be computed here, and why not
where it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.agreement.systems.figure import wording_facts
from annotation.protocols.base import NO_WORDING, Wording

WEIGHTS = Wording(
    "Demande un modèle dont Barème n'a pas les poids; apportez les notes.",
    "Needs a model whose weights Barème does not have; bring the scores in.",
)
NOT_HERE = Wording(
    "N'est pas une mesure d'ici; apportez les notes.",
    "Is no metric of ours; bring the scores in.",
)
NO_SYSTEM = Wording(
    "Le rapport n'a pas de système de ce nom.", "The report has no system of this name."
)
NO_FIGURE = Wording(
    "Aucune valeur : le texte n'est pas découpé en mots par des espaces, ou la mesure n'est pas "
    "au rapport.",
    "No value: the text is not cut into words by spaces, or the metric is not in the report.",
)
EXPLAINED = "explained"
"""The figure that there is where counts were brought along (``report.explained``)."""
HALVES = {"half_low": "low", "half_high": "high"}
"""Figures that are Pearson in one half of the outputs."""


@dataclass(frozen=True)
class PaperColumn:
    """A column: ``kind`` as tables write numbers (correlation, points or share)."""

    key: str
    label: Wording
    kind: str = "correlation"


@dataclass(frozen=True)
class PaperLine:
    """A line: ``published`` in the order of the table's columns. ``ours``: names of our metric, the
    first that a report has, whether computed or brought in; ``reason``: why there may be none."""

    label: str
    published: tuple[float | None, ...]
    ours: tuple[str, ...] = ()
    reason: Wording = NO_WORDING


@dataclass(frozen=True)
class PaperTable:
    """A table. ``paper`` and ``table`` name it; ``note`` says on what it was found and what differs
    from a report of ours. ``ours``: figures of a report that stand beside. ``protocol`` and
    ``dimension``: of which reports it is shown without being asked for, "" for none.
    ``of_parts``: its lines are systems, or all outputs (""), and its figures say what these are
    (``report.parts``): ``n``, or ``people.mean`` and the like."""

    key: str
    paper: str
    table: Wording
    note: Wording
    columns: tuple[PaperColumn, ...]
    ours: tuple[PaperColumn, ...]
    lines: tuple[PaperLine, ...]
    protocol: str = ""
    dimension: str = ""
    of_parts: bool = False


def beside(table: PaperTable, report: Mapping[str, Any]) -> dict[str, Any]:
    """The published lines with the report's own figures, JSON-safe."""
    if table.of_parts:
        lines = [_part_line(line, table, report) for line in table.lines]
    else:
        own = {line["name"].casefold(): line for line in report["lines"]}
        lines = [_line(line, table, own, report) for line in table.lines]
    return {
        "key": table.key,
        "paper": table.paper,
        "table": wording_facts(table.table),
        "told": wording_facts(table.note),
        "columns": [_column_facts(column) for column in table.columns],
        "ours": [_column_facts(column) for column in table.ours],
        "lines": lines,
    }


def _column_facts(column: PaperColumn) -> dict[str, Any]:
    return {"key": column.key, "label": wording_facts(column.label), "kind": column.kind}


def _line(
    line: PaperLine,
    table: PaperTable,
    own: Mapping[str, Mapping[str, Any]],
    report: Mapping[str, Any],
) -> dict[str, Any]:
    computed = next((own[name] for name in line.ours if name in own), None)
    return {
        "label": line.label,
        "published": list(line.published),
        "metric": computed["name"] if computed else "",
        "signature": computed["signature"] if computed else "",
        "ours": [_figure(computed, column.key, report) for column in table.ours]
        if computed
        else [],
        "reason": None if computed or line.reason == NO_WORDING else wording_facts(line.reason),
    }


def _figure(line: Mapping[str, Any], key: str, report: Mapping[str, Any]) -> Any:
    if key == EXPLAINED:
        explained = report.get("explained", {}).get("metrics", {}).get(line["name"])
        return explained["r_squared"] if explained else None
    if key not in HALVES:
        return line["figures"][key]
    for part in report["strata"]:
        if (part["dimension"], part["value"]) == ("half", HALVES[key]):
            return part["pearson"][line["name"]]
    return None


def _part_line(line: PaperLine, table: PaperTable, report: Mapping[str, Any]) -> dict[str, Any]:
    own = {part["system"].casefold(): part for part in report["parts"]}
    computed = next((own[name] for name in line.ours if name in own), None)
    return {
        "label": line.label,
        "published": list(line.published),
        "metric": "",
        "signature": "",
        "ours": [_part_figure(computed, column.key) for column in table.ours] if computed else [],
        "reason": None if computed else wording_facts(line.reason),
    }


def _part_figure(part: Mapping[str, Any], key: str) -> dict[str, Any]:
    """What a part is, not an estimate: it has no interval."""
    value: Any = part
    for step in key.split("."):
        value = value.get(step)
    return {
        "value": value,
        "low": None,
        "high": None,
        "n": part["n"],
        "sources": part["sources"],
        "undefined": wording_facts(NO_FIGURE) if value is None else None,
    }
