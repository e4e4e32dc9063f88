"""A report on metrics as tables, for the page and for files. Undefined figures have their reason in
the column of remarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import Counts, Figure
from annotation.metrics.report.between import MOST
from annotation.metrics.report.people import OUTPUTS
from annotation.models import Study
from annotation.protocols.base import Better
from annotation.web.agreement.sheets import Column, FigureSheet, SheetCell
from annotation.web.base.numbers import whole
from annotation.web.base.presenters import dimension_label, value_labels

Report = Mapping[str, Any]
Rows = list[tuple[SheetCell, ...]]
_PAPER = "paper-"
STRATA = ("completeness", "half", "length", "majority", "system")


def keys(report: Report) -> list[str]:
    """The tables that this report has, in the order of the page."""
    present = {stratum["dimension"] for stratum in report["strata"]}
    without = {
        "differences": not any(line["versus"] for line in ordered(report)),
        "undefined": not _undefined_lines(report),
        "costs": not _costly(report),
        "augmented": not _has(report, "pearson_augmented"),
        "references": not _has(report, "pearson_references"),
        "apart": chosen_line(report, "") is None,
        "between": not report.get("between", {}).get("pairs"),
    }
    own = [key for key in (*_TABLES, "apart") if not without.get(key)]
    papers = [_PAPER + paper["key"] for paper in report.get("papers", ())]
    return [*own, *(f"by-{name}" for name in STRATA if name in present), *papers]


def sheet(study: Study | None, report: Report, key: str, metric: str = "") -> FigureSheet:
    """One of them, of a study or of a table of human scores (None); ``metric``: of which the table
    of disagreements is. Raises ``KeyError``."""
    if key not in keys(report):
        raise KeyError(key)
    if key == "apart":
        return _apart(study, report, metric)
    if key.startswith(_PAPER):
        paper = next(paper for paper in report["papers"] if _PAPER + paper["key"] == key)
        return _explained(_paper(paper))
    if key in _TABLES:
        return _explained(_TABLES[key](report))
    return _explained(_by_stratum(study, report, key.removeprefix("by-")))


def _explained(table: FigureSheet) -> FigureSheet:
    """The table with its remarks under it, each once with the lines that it is about: in a column
    they would be longer than everything else, and files for papers need them as well."""
    places = [place for place, column in enumerate(table.columns) if column.label == _("Remark")]
    about: dict[str, list[str]] = {}
    for row in table.rows:
        for place in places:
            if row[place]:
                about.setdefault(str(row[place]), []).append(str(row[0]))
    remarks = [f"{reason} ({', '.join(names)})" for reason, names in about.items()]
    return replace(table, note="\n".join([*filter(None, [table.note]), *remarks]))


def said(wording: Mapping[str, str] | None) -> str:
    """A stored wording in the reader's language."""
    if not wording:
        return ""
    return wording["en"] if (get_language() or "").startswith("en") else wording["fr"]


def figure(stored: Mapping[str, Any]) -> Figure:
    """A stored figure as tables take it."""
    counts = Counts(stored["n"], stored["sources"], 0, 0)
    interval = None
    if stored["low"] is not None:
        interval = Interval(stored["low"], stored["high"], 0.95, 0)
    return Figure(stored["value"], counts, interval)


def line_name(line: Mapping[str, Any]) -> str:
    """What stands on the line, and what kind of line it is."""
    name = said(line["label"])
    if line["is_brought"]:
        return _("%(metric)s (brought in)") % {"metric": name}
    # Reports of before have no kinds.
    if line.get("kind") == "judge":
        return _("%(metric)s (machine judge)") % {"metric": name}
    if line["is_baseline"]:
        return _("%(metric)s (baseline)") % {"metric": name}
    return name if line["direction"] else _("%(metric)s (only describes)") % {"metric": name}


def _undefined_lines(report: Report) -> list[Mapping[str, Any]]:
    return [line for line in report["lines"] if not line["n"]]


def better_of(report: Report) -> Better:
    """Which way is better on the human scale; reports of before took higher for it everywhere."""
    return Better(report.get("better", Better.HIGHER))


def ordered(report: Report) -> list[Mapping[str, Any]]:
    """The lines that have a value anywhere, the best agreement first, those without at the end."""

    def rank(line: Mapping[str, Any]) -> tuple[bool, float]:
        value = line["figures"]["pearson"]["value"]
        return value is None, -(value or 0.0)

    return sorted((line for line in report["lines"] if line["n"]), key=rank)


def chosen_line(report: Report, metric: str) -> Mapping[str, Any] | None:
    """The line of a metric whose disagreements are known; the best where there is no such, else
    whichever agrees best. None where there is none at all."""
    lines = {line["name"]: line for line in ordered(report) if line.get("apart")}
    return lines.get(metric) or lines.get(report["best"]) or next(iter(lines.values()), None)


def remark(line: Mapping[str, Any], *names: str) -> str:
    """What has to be known of figures of a line: pairs without a value, values past the ends of the
    range where errors in points are told, then each reason once why one is missing."""
    missing = [
        ngettext(
            "%(number)s pair without a value: %(reason)s",
            "%(number)s pairs without a value: %(reason)s",
            gap["n"],
        )
        % {"number": whole(gap["n"]), "reason": said(gap["reason"])}
        for gap in line["missing"]
    ]
    reasons = [said(line["figures"][name]["undefined"]) for name in names]
    return " ".join([*missing, *_outside(line, names), *dict.fromkeys(filter(None, reasons))])


def _outside(line: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Reports of before do not know of it."""
    number = sum(
        past
        for of, past in line.get("outside", {}).items()
        if ("rmse" if of == OUTPUTS else f"rmse_{of}") in names
    )
    if not number:
        return []
    words = ngettext(
        "%(number)s value past the ends of the range: it counts as the end in points.",
        "%(number)s values past the ends of the range: each counts as the end in points.",
        number,
    )
    return [words % {"number": whole(number)}]


def _cells(line: Mapping[str, Any], names: Sequence[str]) -> tuple[Figure, ...]:
    return tuple(figure(line["figures"][name]) for name in names)


def _correlation(label: str) -> Column:
    return Column(label, "correlation", interval=True)


def _ends() -> tuple[Column, Column]:
    return Column(_("Remark"), shown=False), Column(_("Signature"), shown=False)


def _agreement(report: Report) -> FigureSheet:
    names = ("pearson", "spearman", "kendall", "rmse", "share_above")
    rows: Rows = [
        (line_name(line), line["n"], *_cells(line, names), remark(line, *names), line["signature"])
        for line in ordered(report)
    ]
    ceiling = report["ceiling"]
    human = (_("One person against the others"), ceiling["n"], figure(ceiling))
    rows.insert(0, (*human, None, None, None, None, said(ceiling["undefined"]), ""))
    return FigureSheet(
        "agreement",
        _("Agreement with people"),
        (
            Column(_("Metric")),
            Column(_("Outputs"), "count"),
            _correlation("Pearson"),
            _correlation("Spearman"),
            _correlation("Kendall"),
            Column(_("Root mean squared error"), "points", interval=True),
            Column(_("Above the people"), "share", interval=True),
            *_ends(),
        ),
        tuple(rows),
        note=_agreement_note(report),
    )


def _agreement_note(report: Report) -> str:
    note = _(
        "Where lower is better, the sign is turned. The error is in points of the human scale, "
        "onto which the ends of each metric's range are laid."
    )
    if better_of(report) == Better.LOWER:
        note += " " + _(
            "On the human scale lower is better: the sign of the people's means is turned too, and "
            "above the people is what the metric finds better than they do."
        )
    if better_of(report) == Better.NEITHER:
        note += " " + _(
            "On the human scale neither side is better: numbers stand as if higher were, and no "
            "metric is the best."
        )
    return note


def _differences(report: Report) -> FigureSheet:
    rows: Rows = []
    for line in ordered(report):
        versus = line["versus"]
        if versus is None:  # the best itself
            continue
        tests = [versus[name] for name in ("williams_t", "p", "p_holm")]
        again = [versus[name] for name in ("p_bootstrap", "p_bootstrap_holm")]
        difference = versus["difference"]
        outputs, reason = difference["n"], said(difference["undefined"])
        rows.append((line_name(line), outputs, figure(difference), *tests, *again, reason))
    best = next((line for line in report["lines"] if line["name"] == report["best"]), None)
    return FigureSheet(
        "differences",
        _("How far behind the best metric: %(best)s")
        % {"best": said(best["label"]) if best else "–"},
        (
            Column(_("Metric")),
            Column(_("Outputs"), "count"),
            _correlation(_("Difference of Pearson")),
            Column(_("Williams's t"), "points"),
            Column("p", "p"),
            Column(_("p after Holm"), "p"),
            Column(_("p by bootstrap"), "p"),
            Column(_("p by bootstrap after Holm"), "p"),
            Column(_("Remark"), shown=False),
        ),
        tuple(rows),
        note=_differences_note(report),
    )


def _differences_note(report: Report) -> str:
    note = _(
        "Both tests are one-sided: the best metric agrees better than this one. The best has a "
        "better side and a value for at least half of the outputs. A baseline is never the "
        "best; below zero, it does better than any metric. Metrics that only describe are "
        "behind none, since neither of their sides is better."
    )
    if report["sources"] < report["n"]:
        note += " " + _(
            "Williams's test takes each output for itself, although several are of one original: "
            "where these resemble each other, its p is too small. The bootstrap draws originals, "
            "each with all of its outputs: its p is the one to quote."
        )
    return note


def _controls(report: Report) -> FigureSheet:
    names = ("identical_strict", "identical_lenient", "unrelated_strict", "unrelated_lenient")
    rows: Rows = [
        (line_name(line), *_cells(line, names), remark(line, *names))
        for line in ordered(report)
        if not line["is_brought"] and line["name"] != "original_alone"
    ]
    return FigureSheet(
        "controls",
        _("Sanity checks"),
        (
            Column(_("Metric")),
            Column(_("Identical texts at 99% or more"), "share", interval=True),
            Column(_("at 95% or more"), "share", interval=True),
            Column(_("Unrelated texts at 1% or less"), "share", interval=True),
            Column(_("at 5% or less"), "share", interval=True),
            Column(_("Remark"), shown=False),
        ),
        tuple(rows),
        note=_(
            "Of %(number)s originals, each beside itself and beside another one that shares next "
            "to nothing with it; compared with the original, never with a reference."
        )
        % {"number": whole(report["controls"])},
    )


def _has(report: Report, name: str) -> bool:
    """Whether a line has this figure; reports of before have fewer."""
    figures = (line["figures"].get(name) for line in report["lines"])
    return any(stored is not None and stored["value"] is not None for stored in figures)


def _augmented(report: Report) -> FigureSheet:
    return _wider(
        report,
        "augmented",
        _("With and without control pairs among the outputs"),
        _("Outputs and control pairs"),
        _(
            "What papers call data augmentation: an original beside itself counts as an output "
            "that gets the best score, and beside an unrelated one as an output that gets the "
            "worst. Correlation rises for whatever tells these apart, whether or not it reads the "
            "outputs. Control pairs are compared with the original, never with a reference."
        ),
    )


def _with_references(report: Report) -> FigureSheet:
    return _wider(
        report,
        "references",
        _("With and without the references among the outputs"),
        _("Outputs and references"),
        _(
            "References that people judged count as outputs, compared with the references, "
            "themselves among them: what compares with these gives them its best score."
        ),
    )


def _wider(report: Report, name: str, title: str, counted: str, note: str) -> FigureSheet:
    names = ("pearson", f"pearson_{name}", "rmse", f"rmse_{name}")
    rows: Rows = [
        (
            line_name(line),
            line["figures"][names[1]]["n"],
            *_cells(line, names),
            remark(line, *names),
            line["signature"],
        )
        for line in ordered(report)
        if line["figures"][names[1]]["value"] is not None
    ]
    return FigureSheet(
        name,
        title,
        (
            Column(_("Metric")),
            Column(counted, "count"),
            _correlation(_("Pearson, outputs alone")),
            _correlation(_("Pearson, with them")),
            Column(_("Root mean squared error, outputs alone"), "points", interval=True),
            Column(_("Root mean squared error, with them"), "points", interval=True),
            *_ends(),
        ),
        tuple(rows),
        note=note,
    )


def _systems(report: Report) -> FigureSheet:
    names = ("system_pearson", "system_accuracy", "pairwise")
    rows: Rows = [
        (
            line_name(line),
            line["figures"]["system_pearson"]["n"],
            *_cells(line, names),
            line["figures"]["pairwise"]["n"],
            # Below zero: no difference is so small that it counts as a tie.
            max(line["epsilon"], 0.0) if line["figures"]["pairwise"]["value"] is not None else None,
            remark(line, *names),
        )
        for line in ordered(report)
    ]
    return FigureSheet(
        "systems",
        _("Systems, and outputs in pairs"),
        (
            Column(_("Metric")),
            Column(_("Systems"), "count"),
            _correlation(_("Pearson of the systems")),
            Column(_("Systems in the same order"), "share", interval=True),
            Column(_("Outputs in the same order"), "share", interval=True),
            Column(_("Pairs of outputs"), "count"),
            Column(_("A tie up to"), "points"),
            Column(_("Remark"), shown=False),
        ),
        tuple(rows),
        note=_systems_note(report),
    )


def _systems_note(report: Report) -> str:
    note = _(
        "Outputs are compared with others of the same original. What counts as a tie of the "
        "metric is chosen so that most pairs come out right."
    )
    originals = {part["sources"] for part in report.get("parts", ()) if part["system"]}
    if len(originals) > 1:
        note += " " + _(
            "Not all systems have outputs of the same originals here: the means of systems are "
            "each over its own, and may differ by what was simplified."
        )
    return note


def _apart(study: Study | None, report: Report, metric: str) -> FigureSheet:
    line = chosen_line(report, metric)
    if line is None:
        raise KeyError("apart")
    rows: Rows = []
    links = []
    for number, output in enumerate(line["apart"], 1):
        if study is not None:
            item = output["unit"].rpartition("/")[0]
            links.append(reverse("study_agreement_item", args=[study.key, item]))
        values = [output[name] for name in ("metric", "people", "place_metric", "place_people")]
        rows.append((output["unit"], number, output["system"], *values, output["difference"]))
    name = line_name(line)
    return FigureSheet(
        "apart",
        _("Where %(metric)s and people disagree most") % {"metric": name},
        (
            Column(_("Pair") if study is not None else _("Row")),
            Column(_("Number"), "count"),
            Column(_("System")),
            Column(name, "points"),
            Column(_("People's mean"), "points"),
            Column(_("Place by the metric"), "share"),
            Column(_("Place by people"), "share"),
            Column(_("Difference"), "share"),
        ),
        tuple(rows),
        links=tuple(links),
        note=_(
            "A place is the share of the %(outputs)s outputs that are worse, half of those that "
            "tie included. Above zero, the metric puts the output higher than people do."
        )
        % {"outputs": whole(line["n"])},
    )


def _between(report: Report) -> FigureSheet:
    names = {line["name"]: line_name(line) for line in report["lines"]}
    rows: Rows = [
        (
            names[pair["first"]],
            names[pair["second"]],
            pair["spearman"]["n"],
            figure(pair["spearman"]),
            said(pair["spearman"]["undefined"]),
        )
        for pair in report["between"]["pairs"]
    ]
    return FigureSheet(
        "between",
        _("Metrics against metrics"),
        (
            Column(_("Metric")),
            Column(_("and")),
            Column(_("Outputs"), "count"),
            _correlation("Spearman"),
            Column(_("Remark"), shown=False),
        ),
        tuple(rows),
        note=_(
            "Higher is better on both sides. At most %(number)s metrics: those that agree most "
            "with people, whichever way."
        )
        % {"number": MOST},
    )


def _paper(paper: Report) -> FigureSheet:
    """A published table with the report's own figures beside it."""
    rows: Rows = []
    for line in paper["lines"]:
        ours = line["ours"] or [None] * len(paper["ours"])
        values = [None if stored is None else figure(stored) for stored in ours]
        reasons = [said(stored["undefined"]) for stored in ours if stored is not None]
        remark = said(line["reason"]) or " ".join(dict.fromkeys(filter(None, reasons)))
        outputs = next((stored["n"] for stored in ours if stored is not None), None)
        numbers = (*line["published"], outputs, *values)
        rows.append((line["label"], *numbers, remark, line["signature"]))
    return FigureSheet(
        _PAPER + paper["key"],
        f"{paper['paper']}, {said(paper['table'])}",
        (
            Column(_("Metric")),
            *(
                Column(
                    _("Published: %(figure)s") % {"figure": said(column["label"])}, column["kind"]
                )
                for column in paper["columns"]
            ),
            Column(_("Outputs"), "count"),
            *(
                Column(
                    _("Here: %(figure)s") % {"figure": said(column["label"])}, column["kind"], True
                )
                for column in paper["ours"]
            ),
            *_ends(),
        ),
        tuple(rows),
        note=said(paper["told"]),
    )


def _undefined(report: Report) -> FigureSheet:
    rows: Rows = [
        (
            line_name(line),
            " ".join(said(gap["reason"]) for gap in line["missing"])
            or _("Too few originals to learn from."),
            line["signature"],
        )
        for line in _undefined_lines(report)
    ]
    return FigureSheet(
        "undefined",
        _("Metrics that have no value here"),
        (
            Column(_("Metric")),
            Column(_("Why")),
            Column(_("Signature"), shown=False),
        ),
        tuple(rows),
    )


def _signatures(report: Report) -> FigureSheet:
    directions = {1: _("higher"), -1: _("lower"), 0: _("neither")}
    rows: Rows = [
        (line_name(line), directions[line["direction"]], line["n"], line["signature"])
        for line in ordered(report)
    ]
    return FigureSheet(
        "signatures",
        _("Signatures to copy"),
        (
            Column(_("Metric")),
            Column(_("Better is")),
            Column(_("Outputs"), "count"),
            Column(_("Signature")),
        ),
        tuple(rows),
    )


def _costs(report: Report) -> FigureSheet:
    rows: Rows = [
        (
            line_name(line),
            cost["pairs"],
            cost["usd_per_pair"],
            cost["tokens_per_pair"],
            _("Nobody gave a price for this model.") if cost["usd_per_pair"] is None else "",
            line["signature"],
        )
        for line, cost in _costly(report)
    ]
    return FigureSheet(
        "costs",
        _("What machine judges cost"),
        (
            Column(_("Metric")),
            Column(_("Pairs asked about"), "count"),
            Column(_("USD per pair"), "fine"),
            Column(_("Tokens per pair"), "points"),
            *_ends(),
        ),
        tuple(rows),
        note=_(
            "Every call about the main round counts, those that came to nothing too. Metrics and "
            "scorers are computed here and cost nothing per pair."
        ),
    )


def _costly(report: Report) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    return [(line, line["cost"]) for line in ordered(report) if line.get("cost")]


def _by_stratum(study: Study | None, report: Report, name: str) -> FigureSheet:
    strata = [stratum for stratum in report["strata"] if stratum["dimension"] == name]
    human: tuple[SheetCell, ...] = tuple(figure(stratum["ceiling"]) for stratum in strata)
    rows: Rows = [(_("One person against the others"), *human, "")]
    for line in ordered(report):
        parts = [stratum["pearson"][line["name"]] for stratum in strata]
        reasons = dict.fromkeys(filter(None, (said(part["undefined"]) for part in parts)))
        rows.append((line_name(line), *map(figure, parts), " ".join(reasons)))
    return FigureSheet(
        f"by-{name}",
        _stratum_titles()[name],
        (
            Column(_("Metric")),
            *(
                _correlation(f"{_value(study, name, stratum['value'])} (n = {whole(stratum['n'])})")
                for stratum in strata
            ),
            Column(_("Remark"), shown=False),
        ),
        tuple(rows),
        note=_("Pearson with people, in each part of the outputs."),
    )


def _stratum_titles() -> dict[str, str]:
    return {
        "completeness": _("Cut off or whole"),
        "half": _("The half that people score lower, and the other"),
        "length": _("By length of the original"),
        "majority": _("By class of the majority"),
        "system": _("By system"),
    }


def _value(study: Study | None, name: str, value: str) -> str:
    words = {
        "truncated": _("cut off"),
        "whole": _("whole"),
        "low": _("lower half"),
        "high": _("upper half"),
        "short": _("short"),
        "medium": _("medium"),
        "long": _("long"),
    }
    if name == "majority" and study is not None and study.protocol.classes:
        return value_labels(study.protocol, study.protocol.classes[0].name).get(int(value), value)
    return value if name in ("majority", "system") else words[value]


def title(study: Study | None, report: Report) -> str:
    """What the metrics are held against."""
    if study is None:
        return ", ".join(report["table"]["human"])
    return dimension_label(study.protocol, report["dimension"])


_TABLES: dict[str, Callable[[Report], FigureSheet]] = {
    "agreement": _agreement,
    "differences": _differences,
    "controls": _controls,
    "augmented": _augmented,
    "references": _with_references,
    "systems": _systems,
    "between": _between,
    "undefined": _undefined,
    "costs": _costs,
    "signatures": _signatures,
}
