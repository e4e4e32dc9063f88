"""A report on questions as tables, for the page and for files. Undefined figures have their reason
under the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.questions.report import AS_GRADED, WORDS_FOUND
from annotation.web.agreement.sheets import Column, FigureSheet, SheetCell
from annotation.web.generation.question_presenters import missing_words, type_label
from annotation.web.metrics.tables import figure, said

Report = Mapping[str, Any]
Row = tuple[SheetCell, ...]
_LABELLED = ("kappa", "precision", "recall")


def scoring_label(scoring: str) -> str:
    """How answers count that go beyond their text."""
    return {
        WORDS_FOUND: _("beyond the text: 0"),
        AS_GRADED: _("beyond the text: as graded"),
    }[scoring]


def _run(row: Report) -> str:
    return row["variant"] or row["model"] or "–"


def _systems(report: Report) -> FigureSheet:
    rows: list[Row] = [
        (
            _run(row),
            row["system"] or _("all systems"),
            type_label(row["type"]) if row["type"] else _("all types"),
            row["n"],
            row["answered"],
            figure(row["yes"]),
            figure(row["mean"]),
            figure(row["beyond_text"]),
            figure(row["not_in_text"]),
            figure(row["yes_as_graded"]),
            "; ".join(
                f"{missing_words(missing['reason'])}: {missing['n']}" for missing in row["missing"]
            ),
        )
        for row in report["systems"]
    ]
    columns = (
        Column(_("Asked, answered, graded by"), once=True),
        Column(_("Texts of")),
        Column(_("Type")),
        Column(_("Questions"), "count"),
        Column(_("Count"), "count"),
        Column(_("YES"), "share", interval=True),
        Column(_("Mean grade"), "points", interval=True),
        Column(_("Beyond the text"), "share", interval=True),
        Column(_("Not in the text"), "share", interval=True),
        Column(_("YES, beyond the text as graded"), "share", interval=True),
        Column(_("Missing")),
    )
    note = _(
        "YES and the mean are of the questions that count; what is missing counts neither way. "
        "That the text does not say, and an answer whose words are not in the text, have grade 0."
    )
    reasons = _reasons(report["systems"], ("yes", "mean", "beyond_text", "not_in_text"))
    return FigureSheet(
        "systems", _("By system and type"), columns, tuple(rows), note="\n".join([note, *reasons])
    )


def _people(report: Report) -> FigureSheet:
    rows: list[Row] = []
    for row in report["people"]:
        chosen = row["chosen"]
        there = chosen["there"]["kappa"] if chosen["threshold"] is not None else None
        rows.append(
            (
                _run(row),
                row["system"] or _("all systems"),
                scoring_label(row["scoring"]),
                row["judged"],
                row["judges"],
                row["tied"],
                row["missing"],
                *(figure(row[name]) for name in ("pearson", "spearman", *_LABELLED)),
                chosen["threshold"],
                figure(there) if there is not None else None,
            )
        )
    columns = (
        Column(_("Asked, answered, graded by"), once=True),
        Column(_("Texts of")),
        Column(_("How answers count")),
        Column(_("Judged answers"), "count"),
        Column(_("People"), "count"),
        Column(_("Tied"), "count"),
        Column(_("Without a grade"), "count"),
        Column(_("Pearson"), "correlation", interval=True),
        Column(_("Spearman"), "correlation", interval=True),
        Column(_("Cohen's kappa"), "correlation", interval=True),
        Column(_("Precision of YES"), "share", interval=True),
        Column(_("Recall of YES"), "share", interval=True),
        Column(_("Threshold chosen on one half"), "count"),
        Column(_("Kappa there, on the other half"), "correlation", interval=True),
    )
    note = _(
        "Correlations are of the grade with the share of people who say YES; the others of YES "
        "from grade %(threshold)s on, ties of people left out. The threshold is chosen on one half "
        "of the reference texts, drawn by the seed, and reported on the other."
    ) % {"threshold": report["threshold"]}
    reasons = _reasons(report["people"], ("pearson", "spearman", *_LABELLED))
    untold = {said(row["chosen"]["undefined"]) for row in report["people"]} - {""}
    return FigureSheet(
        "people",
        _("The model against people"),
        columns,
        tuple(rows),
        note="\n".join([note, *reasons, *sorted(untold)]),
    )


def _curve(report: Report) -> FigureSheet:
    rows: list[Row] = [
        (
            _run(row),
            scoring_label(row["scoring"]),
            line["threshold"],
            *(figure(line[name]) for name in _LABELLED),
        )
        for row in report["people"]
        if not row["system"]
        for line in row["curve"]
    ]
    columns = (
        Column(_("Asked, answered, graded by"), once=True),
        Column(_("How answers count")),
        Column(_("YES from grade"), "count"),
        Column(_("Cohen's kappa"), "correlation", interval=True),
        Column(_("Precision of YES"), "share", interval=True),
        Column(_("Recall of YES"), "share", interval=True),
    )
    return FigureSheet("curve", _("By threshold"), columns, tuple(rows))


def _variants(report: Report) -> FigureSheet:
    rows: list[Row] = [
        (
            _run(row["first"]),
            _run(row["second"]),
            row["texts"],
            figure(row["yes"]),
            figure(row["mean"]),
            figure(row["pearson"]),
        )
        for row in report["variants"]
    ]
    columns = (
        Column(_("First")),
        Column(_("Second")),
        Column(_("Texts that both have"), "count"),
        Column(_("Difference in YES"), "correlation", interval=True),
        Column(_("Difference in the mean grade"), "points", interval=True),
        Column(_("Difference in Pearson"), "correlation", interval=True),
    )
    note = "\n".join(_reasons(report["variants"], ("yes", "mean", "pearson")))
    return FigureSheet("variants", _("Two by two, paired"), columns, tuple(rows), note=note)


def _pairs(report: Report) -> FigureSheet:
    words = {
        "captured": _("captures what is needed"),
        "correct": _("the expected answer is right"),
    }
    rows: list[Row] = []
    for name, label in words.items():
        row = report["pairs"][name]
        counts = row["published"]
        published = f"{counts['yes']} / {counts['of']}"
        rows.append(
            (label, row["yes"], row["judged"], row["tied"], figure(row["share"]), published)
        )
    columns = (
        Column(_("The question")),
        Column(_("YES of most people"), "count"),
        Column(_("Judged"), "count"),
        Column(_("Tied"), "count"),
        Column(_("Share"), "share", interval=True),
        Column(_("Published")),
    )
    pairs = report["pairs"]
    note = "\n".join(_reasons([pairs[name] for name in words], ("share",)))
    return FigureSheet("questions", _("The questions"), columns, tuple(rows), note=note)


def _cost(report: Report) -> FigureSheet:
    rows: list[Row] = [
        (
            _run(row),
            row["rows"],
            row["question_calls"],
            None if row["tokens"] is None else int(row["tokens"]),
            row["usd"],
            row["usd_per_row"],
            row["usd_unknown"],
        )
        for row in report["cost"]
    ]
    columns = (
        Column(_("Asked, answered, graded by")),
        Column(_("Rows"), "count"),
        Column(_("Calls for questions"), "count"),
        Column(_("Tokens"), "count"),
        Column(_("USD"), "fine"),
        Column(_("USD a row"), "fine"),
        Column(_("Without a known price"), "count"),
    )
    return FigureSheet("cost", _("What it cost"), columns, tuple(rows))


def _published(report: Report) -> FigureSheet:
    rows: list[Row] = []
    for line in report["published"]:
        name = line["system"] or _("mean of systems")
        rows.append((name, line["source"], "", line["pearson"], line["spearman"]))
        rows += [
            (name, _run(row), scoring_label(row["scoring"]),
             figure(row["pearson"]), figure(row["spearman"]))
            for row in line["ours"]
        ]  # fmt: skip
    columns = (
        Column(_("Texts of")),
        Column(_("By")),
        Column(_("How answers count")),
        Column(_("Pearson"), "correlation", interval=True),
        Column(_("Spearman"), "correlation", interval=True),
    )
    return FigureSheet("published", _("Beside what was published"), columns, tuple(rows))


_TABLES: Mapping[str, Callable[[Report], FigureSheet]] = {
    "systems": _systems,
    "people": _people,
    "curve": _curve,
    "variants": _variants,
    "questions": _pairs,
    "cost": _cost,
    "published": _published,
}
KEYS = tuple(_TABLES)


def question_sheets(report: Report) -> Iterator[FigureSheet]:
    """Those that have a row, in the order of the page."""
    for make in _TABLES.values():
        sheet = make(report)
        if sheet.rows:
            yield sheet


def question_sheet(report: Report, key: str) -> FigureSheet:
    """One of ``KEYS``."""
    return _TABLES[key](report)


def _reasons(rows: list[Report], names: tuple[str, ...]) -> list[str]:
    """Why figures of these are not defined, each reason once."""
    reasons = {
        said(row[name]["undefined"])
        for row in rows
        for name in names
        if row[name]["undefined"] is not None
    }
    return sorted(reasons - {""})
