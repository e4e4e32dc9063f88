"""Every table of two studies side by side by its key, for the page and for downloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.agreement.studies.change import Change
from annotation.agreement.studies.report import DimensionStudies
from annotation.agreement.systems.figure import Figure
from annotation.models import Study
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.studies import StudiesFigures
from annotation.web.agreement.sheets import Column, FigureSheet, SheetCell
from annotation.web.agreement.studies.words import side_names
from annotation.web.base.presenters import dimension_label, text, value_labels

Rows = list[tuple[SheetCell, ...]]
Named = Iterator[tuple[str, str, DimensionStudies]]


def _compared(protocol: Protocol, figures: StudiesFigures) -> Named:
    for name, dimension in figures.dimensions.items():
        if dimension.undefined is None:
            yield name, dimension_label(protocol, name), dimension


def _basis() -> tuple[Column, ...]:
    return (Column(_("Common outputs"), "count"), Column(_("Original texts"), "count"))


def _counted(figure: Figure) -> tuple[int, int]:
    return figure.counts.outputs, figure.counts.sources


def _ends() -> tuple[Column, ...]:
    return (
        Column(_("Remark")),
        Column(_("Interval by"), shown=False),
        Column(_("Signature"), shown=False),
    )


def _end_cells(*figures: Figure) -> tuple[str, str, str]:
    """Why something is missing, the methods of the intervals, the signatures; each once."""
    reasons, methods = [], []
    for figure in figures:
        interval = figure.interval
        reason = figure.undefined or (interval.undefined if interval else None)
        reasons += [text(reason)] if reason else []
        methods += [interval.method] if interval is not None and interval.low is not None else []
    signatures = [figure.signature for figure in figures if figure.signature]
    joined = (" ".join(dict.fromkeys(reasons)), "; ".join(dict.fromkeys(methods)))
    return (*joined, " ; ".join(signatures))


def changes(study: Study, figures: StudiesFigures) -> FigureSheet:
    """What changed on each dimension, of all outputs and of each system."""
    first, second = side_names(figures)
    rows: Rows = []
    for _name, label, dimension in _compared(study.protocol, figures):
        if dimension.change is not None:
            rows.append(_change_row(label, _("all systems"), dimension.change))
        rows += [_change_row(label, system, change) for system, change in dimension.by_system]
    return FigureSheet(
        "changes",
        _("Change from %(first)s to %(second)s") % {"first": first, "second": second},
        (
            Column(_("Dimension")),
            Column(_("System")),
            *_basis(),
            Column(_("Annotators: %(study)s") % {"study": first}, "count"),
            Column(_("Annotators: %(study)s") % {"study": second}, "count"),
            Column(_("In both"), "count"),
            Column(_("Mean: %(study)s") % {"study": first}, "points"),
            Column(_("Mean: %(study)s") % {"study": second}, "points"),
            Column(pgettext("a statistic", "Change"), "points", interval=True),
            Column(_("With other annotators"), "bounds", interval=True),
            Column(_("p"), "p"),
            Column(_("p (Holm)"), "p"),
            *_ends(),
            Column(_("Signature of the test"), shown=False),
        ),
        tuple(rows),
    )


def _change_row(label: str, system: str, change: Change) -> tuple[SheetCell, ...]:
    p = (None, None) if change.test is None else (change.test.p, change.adjusted)
    reason, method, signature = _end_cells(change.difference, change.elsewhere)
    if change.no_test is not None:
        reason = f"{reason} {text(change.no_test)}".strip()
    return (
        label,
        system,
        change.counts.outputs,
        change.counts.sources,
        *change.people,
        *change.means,
        change.difference,
        change.elsewhere,
        *p,
        reason,
        method,
        signature,
        change.signature,
    )


def _answer(value: float, words: Mapping[int, str]) -> str:
    """A value with its words, where it has any."""
    return f"{value:g} · {words[int(value)]}" if int(value) in words else f"{value:g}"


def shares(study: Study, figures: StudiesFigures) -> FigureSheet:
    """How the share of each answer changed."""
    rows: Rows = []
    for name, label, dimension in _compared(study.protocol, figures):
        words = value_labels(study.protocol, name)
        for value, share in zip(
            dimension.scale, dimension.change.shares if dimension.change else (), strict=True
        ):
            rows.append((label, _answer(value, words), *_counted(share), share, *_end_cells(share)))
    return FigureSheet(
        "shares",
        _("Change of the share of each answer"),
        (
            Column(_("Dimension")),
            Column(_("Answer")),
            *_basis(),
            Column(pgettext("a statistic", "Change"), "share", interval=True),
            *_ends(),
        ),
        tuple(rows),
    )


def same_people(study: Study, figures: StudiesFigures) -> FigureSheet:
    """What those who judged an output in both answered the second time."""
    rows: Rows = []
    for _name, label, dimension in _compared(study.protocol, figures):
        if dimension.change is not None and dimension.change.own.same.value is not None:
            own = dimension.change.own
            cells = (own.moved, own.same, own.alpha)
            basis = (*_counted(own.same), own.same.counts.people, own.judgments)
            rows.append((label, *basis, *cells, *_end_cells(*cells)))
    return FigureSheet(
        "same-people",
        _("The same people, the same outputs"),
        (
            Column(_("Dimension")),
            *_basis(),
            Column(_("Annotators"), "count"),
            Column(_("Outputs judged twice"), "count"),
            Column(_("Change of their own answers"), "points", interval=True),
            Column(_("Same answer both times"), "share", interval=True),
            Column(_("Alpha of both answers"), "points", interval=True),
            *_ends(),
        ),
        tuple(rows),
    )


def moves(study: Study, figures: StudiesFigures) -> FigureSheet:
    """What became what in the judgments that were made in both."""
    first, second = side_names(figures)
    rows: Rows = []
    for name, label, dimension in _compared(study.protocol, figures):
        words = value_labels(study.protocol, name)
        for move in dimension.change.own.moves if dimension.change else ():
            named = (_answer(value, words) for value in (move.first, move.second))
            values = (move.first, move.second, move.judgments, move.outputs)
            rows.append((label, *named, *values))
    return FigureSheet(
        "moves",
        _("What became what, of the same people on the same outputs"),
        (
            Column(_("Dimension")),
            Column(first),
            Column(second),
            Column(_("Value: %(study)s") % {"study": first}, "points", shown=False),
            Column(_("Value: %(study)s") % {"study": second}, "points", shown=False),
            Column(_("Judgments"), "count"),
            Column(_("Outputs"), "count"),
        ),
        tuple(rows),
    )


def largest(study: Study, figures: StudiesFigures) -> FigureSheet:
    """The outputs that changed most; each opens its item."""
    first, second = side_names(figures)
    rows: Rows = []
    links = []
    for _name, label, dimension in _compared(study.protocol, figures):
        for output in dimension.largest:
            item = figures.item_of[str(output.first)]
            is_scale = output.means[0] is not None
            change = (output.change, None) if is_scale else (None, output.change)
            rows.append(
                (
                    item,
                    output.system,
                    label,
                    *output.answers,
                    *output.means,
                    *change,
                    str(output.first),
                )
            )
            links.append(reverse("study_agreement_item", args=[study.key, item]))
    return FigureSheet(
        "largest",
        _("Outputs that changed most"),
        (
            Column(_("Item")),
            Column(_("System")),
            Column(_("Dimension")),
            Column(_("Answers: %(study)s") % {"study": first}, "count"),
            Column(_("Answers: %(study)s") % {"study": second}, "count"),
            Column(_("Mean: %(study)s") % {"study": first}, "points"),
            Column(_("Mean: %(study)s") % {"study": second}, "points"),
            Column(pgettext("a statistic", "Change"), "points"),
            Column(_("Answers that differ"), "share"),
            Column(_("Output"), shown=False),
        ),
        tuple(rows),
        tuple(links),
        _("Among many outputs those with few answers change most by chance."),
    )


def judgments(study: Study, figures: StudiesFigures) -> FigureSheet:
    """How far individual judgments agree within each study and between them."""
    first, second = side_names(figures)
    rows: Rows = []
    for _name, label, dimension in _compared(study.protocol, figures):
        if dimension.judgments is not None:
            agreement = dimension.judgments
            cells = (
                agreement.first,
                agreement.second,
                agreement.between,
                agreement.excess,
                *agreement.alphas,
            )
            rows.append((label, *_counted(agreement.between), *cells, *_end_cells(*cells)))
    return FigureSheet(
        "judgments",
        _("Agreement of individual judgments"),
        (
            Column(_("Dimension")),
            *_basis(),
            Column(_("Same answer, within %(study)s") % {"study": first}, "share", interval=True),
            Column(_("Same answer, within %(study)s") % {"study": second}, "share", interval=True),
            Column(_("Same answer, one of each"), "share", interval=True),
            Column(_("One of each, less within"), "share", interval=True),
            Column(_("Alpha: %(study)s") % {"study": first}, "points", interval=True),
            Column(_("Alpha: %(study)s") % {"study": second}, "points", interval=True),
            Column(_("Alpha of all together"), "points", interval=True),
            *_ends(),
        ),
        tuple(rows),
        note=_(
            "Two judgments of one output by two people. Were both studies of one kind, a judgment "
            "of each would agree as often as two of the same study."
        ),
    )


def labels(study: Study, figures: StudiesFigures) -> FigureSheet:
    """How far the final labels agree."""
    rows: Rows = []
    for _name, label, dimension in _compared(study.protocol, figures):
        if dimension.labels is not None:
            agreement = dimension.labels
            cells = (agreement.same, agreement.kappa, agreement.correlation, agreement.distance)
            drawn = sum(agreement.drawn)
            rows.append(
                (label, *_counted(agreement.same), *cells, drawn, *_end_cells(*_defined(cells)))
            )
    return FigureSheet(
        "labels",
        _("Agreement of the final labels"),
        (
            Column(_("Dimension")),
            *_basis(),
            Column(_("Same label"), "share", interval=True),
            Column(_("Kappa"), "points", interval=True),
            Column(_("Correlation"), "points", interval=True),
            Column(_("Mean distance"), "points", interval=True),
            Column(_("Labels drawn by lot"), "count"),
            *_ends(),
        ),
        tuple(rows),
        note=_(
            "On nominal dimensions the label is the majority's, ties drawn by the seed; of scales "
            "it is the mean, and the correlation is Pearson's."
        ),
    )


def orders(study: Study, figures: StudiesFigures) -> FigureSheet:
    """How far dimensions on different scales put the outputs in the same order."""
    first, second = side_names(figures)
    rows: Rows = []
    for order in figures.orders:
        named = text(figures.first.labels[order.first]), text(figures.second.labels[order.second])
        rows.append(
            (*named, *_counted(order.spearman), order.spearman, *_end_cells(order.spearman))
        )
    return FigureSheet(
        "orders",
        _("Do both put the outputs in the same order?"),
        (
            Column(_("Dimension: %(study)s") % {"study": first}),
            Column(_("Dimension: %(study)s") % {"study": second}),
            *_basis(),
            Column(_("Rank correlation"), "points", interval=True),
            *_ends(),
        ),
        tuple(rows),
        note=_(
            "Spearman's correlation of the outputs' means, of dimensions that only one of the two "
            "measures on that scale. The interval is for other texts, with these annotators."
        ),
    )


def _defined(cells: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """Without those that do not apply at the dimension's level, where others do."""
    return tuple(figure for figure in cells if figure.value is not None) or cells


OF_STUDIES: dict[str, Callable[[Study, StudiesFigures], FigureSheet]] = {
    "changes": changes,
    "same-people": same_people,
    "judgments": judgments,
    "labels": labels,
    "orders": orders,
    "largest": largest,
    "moves": moves,
    "shares": shares,
}
