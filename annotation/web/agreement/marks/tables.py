"""The tables of the page on marks, each for the page and for files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from django.utils.translation import gettext as _

from annotation.agreement.marks.consensus import Outcome
from annotation.agreement.marks.figure import Figure
from annotation.agreement.marks.matching import RULES
from annotation.agreement.marks.report import Agreement, EditsReport
from annotation.agreement.systems.figure import Counts, rounded
from annotation.agreement.systems.figure import Figure as SheetFigure
from annotation.protocols.edits import SIDES
from annotation.selectors.agreement.marked import OwnMarks
from annotation.web.agreement.marks.words import (
    Called,
    coefficient_label,
    outcome_label,
    rule_label,
    side_label,
)
from annotation.web.agreement.sheets import Column, FigureSheet
from annotation.web.base.presenters import text

Row = tuple[str | int | float | SheetFigure | None, ...]
_OF_OPERATIONS = ("davies_fleiss", "alpha", "alpha_unitizing")


def counts_sheet(report: EditsReport, called: Called) -> FigureSheet:
    """How often each operation was marked, of everybody's pairs together."""
    counts = report.counts
    rows: list[Row] = [
        (
            called.kind(kind),
            operation.edits,
            operation.edits / counts.edits,
            operation.pairs,
            operation.pairs / counts.occurrences,
            operation.original_tokens,
            operation.simplification_tokens,
        )
        for kind, operation in counts.operations.items()
    ]
    columns = (
        Column(called.a_kind),
        Column(called.marks, "count"),
        Column(called.share, "share"),
        Column(_("Judged pairs that bear it"), "count"),
        Column(_("Share of occurrences"), "share"),
        Column(_("Words of the original"), "count"),
        Column(_("Words of the simplification"), "count"),
    )
    return FigureSheet("counts", _("How often"), columns, tuple(rows), note=called.how_counted)


def tokens_sheet(agreement: Agreement, called: Called) -> FigureSheet:
    """Agreement on the words of each side, each with all that stands on it."""
    names = list(agreement.sides[SIDES[0]].coefficients)
    rows: list[Row] = [
        (
            coefficient_label(name),
            *(_cell(agreement.sides[side].coefficients[name]) for side in SIDES),
        )
        for name in names
    ]
    remarks = [
        f"{coefficient_label(name)}, {side_label(side)}: {text(reason)}"
        for name in names
        for side in SIDES
        if (reason := agreement.sides[side].coefficients[name].undefined)
    ]
    without_interval = {
        text(reason)
        for side in SIDES
        for coefficient in agreement.sides[side].coefficients.values()
        if coefficient.undefined is None and (reason := coefficient.interval.undefined)
    }
    sizes = [
        _("%(side)s: %(words)s words of %(pairs)s pairs.")
        % {
            "side": side_label(side).capitalize(),
            "words": agreement.sides[side].coefficients["alpha"].basis.units,
            "pairs": agreement.sides[side].coefficients["alpha"].basis.pairs,
        }
        for side in SIDES
    ]
    return FigureSheet(
        "tokens",
        _("Agreement on words"),
        (Column(_("Coefficient")), *_per_side("")),
        tuple(rows),
        note="\n".join([called.how_classed, *sizes, *remarks, *sorted(without_interval)]),
    )


def operations_sheet(agreement: Agreement, called: Called) -> FigureSheet:
    """Agreement on each operation: who marked it where."""
    order = sorted(
        {kind for side in SIDES for kind in agreement.sides[side].operations},
        key=lambda kind: (-_marked(agreement, kind), kind),
    )
    columns = [Column(called.a_kind)]
    for side in SIDES:
        columns.append(Column(_("Words, %(side)s") % {"side": side_label(side)}, "count"))
        columns += [
            Column(f"{coefficient_label(name)}, {side_label(side)}", "correlation", interval=True)
            for name in _OF_OPERATIONS
        ]
    rows: list[Row] = []
    for kind in order:
        cells: list[int | SheetFigure | None] = []
        for side in SIDES:
            operation = agreement.sides[side].operations.get(kind)
            cells.append(operation.tokens if operation else 0)
            cells += [
                _cell(operation.coefficients[name]) if operation else None
                for name in _OF_OPERATIONS
            ]
        rows.append((called.kind(kind), *cells))
    return FigureSheet(
        "operations", called.on_each_kind, tuple(columns), tuple(rows), note=called.how_borne
    )


def edits_sheet(agreement: Agreement, called: Called) -> FigureSheet:
    """Edits of two people matched one to one, over all couples."""
    f1 = agreement.edits.f1
    rows: list[Row] = [
        (
            called.kind(kind) if kind else called.all_kinds,
            f1[RULES[0]][kind].basis.units,
            *(_cell(f1[rule][kind]) for rule in RULES),
        )
        for kind in f1[RULES[0]]
    ]
    columns = (
        Column(called.a_kind),
        Column(called.marks_of_both, "count"),
        *(Column(rule_label(rule), "correlation", interval=True) for rule in RULES),
    )
    return FigureSheet("edits", called.on_marks, columns, tuple(rows), note=called.how_matched)


def couples_sheet(agreement: Agreement, _called: Called) -> FigureSheet:
    """Every two people who have pairs in common."""
    kappas = {
        side: {
            (couple.first, couple.second): couple.kappa for couple in agreement.sides[side].couples
        }
        for side in SIDES
    }
    rows: list[Row] = [
        (
            f"{couple.first} – {couple.second}",
            couple.pairs,
            *(_cell(kappas[side][couple.first, couple.second]) for side in SIDES),
            *(_cell(couple.found[rule][""].f1) for rule in RULES),
        )
        for couple in agreement.edits.couples
    ]
    columns = (
        Column(_("Annotators")),
        Column(_("Pairs"), "count"),
        *_per_side(_("Cohen's kappa")),
        *(Column(rule_label(rule), "correlation", interval=True) for rule in RULES),
    )
    return FigureSheet("couples", _("Two by two"), columns, tuple(rows))


def consensus_sheet(agreement: Agreement, _called: Called) -> FigureSheet:
    """On how many words most put the same."""
    rows: list[Row] = [
        (outcome_label(outcome), *(agreement.consensus[side][outcome] for side in SIDES))
        for outcome in Outcome
    ]
    columns = (
        Column(_("What most put on a word")),
        *(Column(side_label(side).capitalize(), "count") for side in SIDES),
    )
    return FigureSheet("consensus", _("Consensus on words"), columns, tuple(rows))


def again_sheet(again: Sequence[OwnMarks]) -> FigureSheet:
    """Everybody beside themselves, on pairs that they were given twice."""
    rows: list[Row] = []
    for own in again:
        agreement = own.report.agreement[0] if own.report.agreement else None
        cells = (
            [None] * (len(SIDES) + len(RULES))
            if agreement is None
            else [
                *(_cell(agreement.sides[side].coefficients["cohen"]) for side in SIDES),
                *(_cell(agreement.edits.f1[rule][""]) for rule in RULES),
            ]
        )
        rows.append((own.annotator, own.pairs, *cells))
    columns = (
        Column(_("Annotator")),
        Column(_("Pairs"), "count"),
        *_per_side(_("Cohen's kappa")),
        *(Column(rule_label(rule), "correlation", interval=True) for rule in RULES),
    )
    note = _(
        "Pairs that somebody was given a second time, unknown to them: none of the study's data."
    )
    return FigureSheet("again", _("The same person twice"), columns, tuple(rows), note=note)


OF_AGREEMENT: Mapping[str, Callable[[Agreement, Called], FigureSheet]] = {
    "tokens": tokens_sheet,
    "edits": edits_sheet,
    "operations": operations_sheet,
    "couples": couples_sheet,
    "consensus": consensus_sheet,
}
"""Tables that there are as marked and once more by a grouping, by key."""
MERGED = "-merged"
"""How the key of such a table ends where operations are counted as one."""
KEYS = ("counts", "again", *OF_AGREEMENT, *(f"{key}{MERGED}" for key in OF_AGREEMENT))


def sheet(
    key: str, report: EditsReport, again: Sequence[OwnMarks], called: Called
) -> FigureSheet | None:
    """The table of that key; None where there is nothing to tell."""
    if key == "counts":
        return counts_sheet(report, called) if report.counts.edits else None
    if key == "again":
        return again_sheet(again) if again else None
    place = 1 if key.endswith(MERGED) else 0
    if len(report.agreement) <= place:
        return None
    return OF_AGREEMENT[key.removesuffix(MERGED)](report.agreement[place], called)


def _marked(agreement: Agreement, kind: str) -> int:
    return sum(
        operation.tokens
        for side in SIDES
        if (operation := agreement.sides[side].operations.get(kind)) is not None
    )


def _per_side(label: str) -> list[Column]:
    return [
        Column(
            f"{label}, {side_label(side)}" if label else side_label(side).capitalize(),
            "correlation",
            interval=True,
        )
        for side in SIDES
    ]


def _cell(figure: Figure) -> SheetFigure:
    basis = figure.basis
    return SheetFigure(
        rounded(figure.value),
        Counts(basis.units, basis.sources, basis.annotators, basis.ratings),
        figure.interval,
        str(figure.signature),
        figure.undefined,
    )
