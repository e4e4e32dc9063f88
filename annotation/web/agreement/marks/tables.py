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
from annotation.web.agreement.sheets import Column, FigureSheet
from annotation.web.base.presenters import text

Labels = Mapping[str, str]
Row = tuple[str | int | float | SheetFigure | None, ...]
_OF_OPERATIONS = ("davies_fleiss", "alpha", "alpha_unitizing")


def side_label(side: str) -> str:
    return {"original": _("original"), "simplification": _("simplification")}[side]


def coefficient_label(name: str) -> str:
    """A coefficient on tokens in words."""
    return {
        "agreement": _("Share of words that bear the same"),
        "cohen": _("Cohen's kappa, mean of the pairs"),
        "davies_fleiss": _("Davies and Fleiss"),
        "alpha": _("Krippendorff's alpha, nominal"),
        "alpha_masi": _("Krippendorff's alpha of sets, MASI"),
        "alpha_unitizing": _("Krippendorff's alpha, unitizing"),
        "alpha_coding": _("Krippendorff's alpha, coding of units"),
    }[name]


def rule_label(rule: str) -> str:
    """How edits are matched."""
    return {
        "exact": _("F1, same words"),
        "overlap": _("F1, one word in common"),
        "aligned": _("F1, best alignment"),
    }[rule]


def outcome_label(outcome: Outcome) -> str:
    """How the most frequent label of a word was found."""
    return {
        Outcome.UNANIMOUS: _("everybody the same"),
        Outcome.MAJORITY: _("more than half"),
        Outcome.PLURALITY: _("more than any other, half or fewer"),
        Outcome.TIE: _("a tie: none"),
    }[outcome]


def kind_label(kind: str, kinds: Labels) -> str:
    """An operation with its identifier; a group by its name."""
    return f"{kinds[kind]} ({kind})" if kind in kinds else kind


def kind_heading(*, are_errors: bool) -> str:
    """What the kinds of marks of a question are called."""
    return _("Type of error") if are_errors else _("Operation")


def counts_sheet(report: EditsReport, kinds: Labels, *, are_errors: bool) -> FigureSheet:
    """How often each operation was marked, of everybody's pairs together."""
    counts = report.counts
    rows: list[Row] = [
        (
            kind_label(kind, kinds),
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
        Column(kind_heading(are_errors=are_errors)),
        Column(_("Errors") if are_errors else _("Edits"), "count"),
        Column(_("Share of errors") if are_errors else _("Share of edits"), "share"),
        Column(_("Judged pairs that bear it"), "count"),
        Column(_("Share of occurrences"), "share"),
        Column(_("Words of the original"), "count"),
        Column(_("Words of the simplification"), "count"),
    )
    note = (
        _(
            "A pair counts once for each person who marked it. An occurrence is a type of error on "
            "such a pair, however often it stands there."
        )
        if are_errors
        else _(
            "A pair counts once for each person who marked it. An occurrence is an operation on "
            "such a pair, however often it stands there."
        )
    )
    return FigureSheet("counts", _("How often"), columns, tuple(rows), note=note)


def tokens_sheet(agreement: Agreement, _kinds: Labels, *, are_errors: bool) -> FigureSheet:
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
    note = (
        _(
            "All types of error on a word together are one class, and so is none. Intervals (95%) "
            "draw original texts, each with all of its pairs and words."
        )
        if are_errors
        else _(
            "All operations on a word together are one class, and so is none. Intervals (95%) draw "
            "original texts, each with all of its pairs and words."
        )
    )
    return FigureSheet(
        "tokens",
        _("Agreement on words"),
        (Column(_("Coefficient")), *_per_side("")),
        tuple(rows),
        note="\n".join([note, *sizes, *remarks, *sorted(without_interval)]),
    )


def operations_sheet(agreement: Agreement, kinds: Labels, *, are_errors: bool) -> FigureSheet:
    """Agreement on each operation: who marked it where."""
    order = sorted(
        {kind for side in SIDES for kind in agreement.sides[side].operations},
        key=lambda kind: (-_marked(agreement, kind), kind),
    )
    columns = [Column(kind_heading(are_errors=are_errors))]
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
        rows.append((kind_label(kind, kinds), *cells))
    if are_errors:
        title = _("Agreement on each type of error")
        note = _(
            "Of each type of error, whether a word bears it, whatever else stands there. A dash: "
            "nobody marked it on that side, or everybody bears the same, so that the coefficient "
            "is not defined."
        )
    else:
        title = _("Agreement on each operation")
        note = _(
            "Of each operation, whether a word bears it, whatever else stands there. A dash: "
            "nobody marked it on that side, or everybody bears the same, so that the coefficient "
            "is not defined."
        )
    return FigureSheet("operations", title, tuple(columns), tuple(rows), note=note)


def edits_sheet(agreement: Agreement, kinds: Labels, *, are_errors: bool) -> FigureSheet:
    """Edits of two people matched one to one, over all couples."""
    f1 = agreement.edits.f1
    of_all = _("all types of error") if are_errors else _("all operations")
    rows: list[Row] = [
        (
            kind_label(kind, kinds) if kind else of_all,
            f1[RULES[0]][kind].basis.units,
            *(_cell(f1[rule][kind]) for rule in RULES),
        )
        for kind in f1[RULES[0]]
    ]
    columns = (
        Column(kind_heading(are_errors=are_errors)),
        Column(_("Errors of both") if are_errors else _("Edits of both"), "count"),
        *(Column(rule_label(rule), "correlation", interval=True) for rule in RULES),
    )
    if are_errors:
        title = _("Agreement on errors")
        note = _(
            "Only errors of one type are matched, one to one: with the same words on both sides; "
            "with one word in common, or none marked by either, as of the pair as a whole; or so "
            "that all couples of errors have as much in common as can be, each counting by how "
            "alike the two are."
        )
    else:
        title = _("Agreement on edits")
        note = _(
            "Only edits of one operation are matched, one to one: with the same words on both "
            "sides; with one word in common, or none marked by either, as of the pair as a whole; "
            "or so that all couples of edits have as much in common as can be, each counting by "
            "how alike the two are."
        )
    return FigureSheet("edits", title, columns, tuple(rows), note=note)


def couples_sheet(agreement: Agreement, _kinds: Labels, **_called: bool) -> FigureSheet:
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


def consensus_sheet(agreement: Agreement, _kinds: Labels, **_called: bool) -> FigureSheet:
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


OF_AGREEMENT: Mapping[str, Callable[..., FigureSheet]] = {
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
    key: str, report: EditsReport, again: Sequence[OwnMarks], kinds: Labels, *, are_errors: bool
) -> FigureSheet | None:
    """The table of that key; None where there is nothing to tell. ``are_errors``: what people call
    the marks of this question; else edits."""
    if key == "counts":
        return counts_sheet(report, kinds, are_errors=are_errors) if report.counts.edits else None
    if key == "again":
        return again_sheet(again) if again else None
    place = 1 if key.endswith(MERGED) else 0
    if len(report.agreement) <= place:
        return None
    return OF_AGREEMENT[key.removesuffix(MERGED)](
        report.agreement[place], kinds, are_errors=are_errors
    )


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
