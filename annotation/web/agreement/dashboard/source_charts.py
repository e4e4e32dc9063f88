"""Charts about when and where people disagree."""

from __future__ import annotations

from django.utils.translation import gettext as _

from annotation.protocols.base import Level
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.figures import Figures
from annotation.web.base.numbers import percent
from annotation.web.base.presenters import class_label, dimension_label, error_type_labels
from annotation.web.charts.canvas import Cell, Chart, Table
from annotation.web.charts.lines import Series, lines
from annotation.web.charts.rows import Row, bars


def whole_percent(value: float) -> str:
    """For axes."""
    return percent(value, 0)


def over_time(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """Agreement by tenths of each annotator's own order."""
    detail = figures.details[name]
    if not any(tenth.same is not None for tenth in detail.tenths):
        return None
    is_scale = detail.level != Level.NOMINAL
    series = [Series(_("same answer"), tuple(tenth.same for tenth in detail.tenths))]
    columns = [_("Tenth"), _("Judgments"), _("Same answer (share)")]
    if is_scale:
        series.insert(
            0, Series(_("within one point"), tuple(tenth.near for tenth in detail.tenths))
        )
        columns.append(_("Within one point (share)"))
    rows: list[tuple[Cell, ...]] = []
    for tenth in detail.tenths:
        row: tuple[Cell, ...] = (tenth.number, tenth.judgments, tenth.same)
        rows.append((*row, tenth.near) if is_scale else row)
    return Chart(
        "time",
        _("Agreement over time: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        _(
            "Each annotator's judgments in the order in which they submitted them, in ten equal "
            "parts. Each judgment "
            "is compared with those of the others on the same pair, whenever these were made."
        ),
        lines(series, [str(tenth.number) for tenth in detail.tenths], whole_percent),
        Table(tuple(columns), tuple(rows)),
    )


def sources(protocol: Protocol, figures: Figures) -> Chart | None:
    """What the disagreement on the bracketed score comes from."""
    shares = figures.sources
    if shares is None or shares.bracket is None or shares.errors is None or shares.rest is None:
        return None
    labels = error_type_labels(protocol)
    parts: list[tuple[str, float | None]] = [
        (_("Choice of the bracket"), shares.bracket),
        (_("Number of errors"), shares.errors),
    ]
    parts += [
        (f"– {labels.get(key, key or _('without type'))}", share) for key, share in shares.by_type
    ]
    parts.append((_("Floor and crossing"), shares.rest))
    rows = [Row(label, share, "–" if share is None else percent(share)) for label, share in parts]
    return Chart(
        "sources",
        _("Where disagreement on the score comes from"),
        _(
            "Shares of the disagreement among people who judged the same pair. Bracket, number of "
            "errors, and floor and crossing add up to 100%; the types of error add up to the "
            "number of errors. Below zero: this part makes up for the others."
        ),
        bars(rows, whole_percent, high=1.0),
        Table(
            (_("Component"), _("Share of the disagreement")),
            tuple((label, share) for label, share in parts),
        ),
    )


def classes(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """Agreement by the class that most people gave."""
    by_class = figures.details[name].classes
    if not any(agreement.same.value is not None for agreement in by_class):
        return None
    is_scale = figures.details[name].level != Level.NOMINAL
    shown = [(agreement, agreement.near if is_scale else agreement.same) for agreement in by_class]
    rows = []
    for agreement, share in shown:
        words = "–" if share.value is None else percent(share.value, 0)
        counted = f"{words} ({agreement.pairs})"
        rows.append(
            Row(class_label(protocol, agreement.classes, agreement.value), share.value, counted)
        )
    columns = [_("Class of the majority"), _("Pairs"), _("Same answer (share)")]
    columns += [_("Within one point (share)")] if is_scale else []
    table: list[tuple[Cell, ...]] = []
    for (agreement, _share), row in zip(shown, rows, strict=True):
        cells: tuple[Cell, ...] = (row.label, agreement.pairs, agreement.same.value)
        table.append((*cells, agreement.near.value) if is_scale else cells)
    return Chart(
        "classes",
        _("Agreement by class: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        _(
            "How often two people agree within one point, by the class that most people gave; "
            "pairs in parentheses."
        )
        if is_scale
        else _(
            "How often two people give the same answer, by the class that most people gave; "
            "pairs in parentheses."
        ),
        bars(rows, whole_percent, high=1.0),
        Table(tuple(columns), tuple(table)),
    )
