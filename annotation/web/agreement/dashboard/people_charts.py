"""Charts about the annotators: how they use the scale, whom they resemble, what agreement is
without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from django.utils.translation import gettext as _

from annotation.agreement.raters import RaterSummary
from annotation.agreement.report import DimensionReport
from annotation.protocols.base import Level
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.figures import Figures
from annotation.web.agreement.dashboard.words import level_label
from annotation.web.base.numbers import decimal
from annotation.web.base.presenters import dimension_label, value_labels
from annotation.web.charts.canvas import Cell, Chart, Table
from annotation.web.charts.grids import Join, heat, tree
from annotation.web.charts.panels import Panel, histograms
from annotation.web.charts.rows import Row, intervals


def distributions(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """How often each annotator gave each value, as in the paper's figure 2."""
    detail = figures.details[name]
    if not detail.raters:
        return None
    labels = value_labels(protocol, name)
    is_scale = detail.level != Level.NOMINAL
    panels = [_panel(one, detail.scale[0], is_scale=is_scale) for one in detail.raters]
    columns = [
        _("Annotator"),
        *(f"{value} · {labels[value]}" if labels else str(value) for value in detail.scale),
    ]
    columns += [_("Mean"), _("Standard deviation"), _("Severity")] if is_scale else []
    rows: list[tuple[Cell, ...]] = []
    for one in detail.raters:
        counts: tuple[Cell, ...] = (str(one.rater), *(count for _value, count in one.distribution))
        rows.append((*counts, one.mean, one.sd, one.severity) if is_scale else counts)
    description = _(
        "One histogram per annotator, all to the same height: how often they gave each value."
    )
    if is_scale:
        description += " " + _(
            "The diamond is the mean, the line through it one standard deviation on either side."
        )
        description += " " + _(
            "Severity, in the table: how far the scores lie above the others' on the same pairs, "
            "on average; below zero is stricter."
        )
    return Chart(
        "distributions",
        _("Answers of each annotator: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        description,
        histograms(panels, [str(value) for value in detail.scale]),
        Table(tuple(columns), tuple(rows)),
    )


def _panel(one: RaterSummary, lowest: int, *, is_scale: bool) -> Panel:
    counts = tuple(count for _value, count in one.distribution)
    if not is_scale or one.mean is None:
        return Panel(str(one.rater), counts, _("n = %(number)s") % {"number": one.n})
    words = decimal(one.mean) + (f" ± {decimal(one.sd)}" if one.sd is not None else "")
    return Panel(str(one.rater), counts, words, one.mean - lowest, one.sd)


def pairs(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """Kappa of every two annotators: a heat map with its numbers printed."""
    report = figures.reports[name]
    people = [str(one.rater) for one in figures.details[name].raters if one.n]
    if len(people) < 2:
        return None
    found = report.kappa_quadratic or report.kappa
    values: dict[tuple[str, str], float | None] = {}
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(people, 2):
        pair, plain = found.between(first, second), report.kappa.between(first, second)
        values[first, second] = values[second, first] = pair.kappa.value
        weighted: tuple[Cell, ...] = (pair.kappa.value,) if report.kappa_quadratic else ()
        rows.append(
            (f"{first} – {second}", plain.items, plain.agreement, plain.kappa.value, *weighted)
        )
    columns = [_("Pair"), _("Pairs of texts in common"), _("Agreement (share)"), _("Kappa")]
    columns += [_("Kappa, quadratic weights")] if report.kappa_quadratic else []
    return Chart(
        "pairs",
        _("Every two annotators: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        _("Cohen's kappa of every two annotators, printed in each cell; the shade grows with it.")
        if report.kappa_quadratic is None
        else _(
            "Cohen's kappa with quadratic weights of every two annotators, printed in each cell; "
            "the shade grows with it."
        ),
        heat(people, [[values.get((a, b)) for b in people] for a in people], decimal),
        Table(tuple(columns), tuple(rows)),
    )


def without_each(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """Alpha without each annotator in turn."""
    report, detail = figures.reports[name], figures.details[name]
    if report.fitting_alpha.value is None:
        return None
    everybody = Row(
        _("everybody"), report.fitting_alpha.value, decimal(report.fitting_alpha.value, 3)
    )
    rows = [everybody]
    for one in detail.raters:
        value = one.alpha_without.value
        label = _("without %(annotator)s") % {"annotator": one.rater}
        rows.append(Row(label, value, "–" if value is None else decimal(value, 3)))
    return Chart(
        "without",
        _("Alpha without each annotator: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        _(
            "Krippendorff's alpha (%(level)s) of the others when one annotator is left out; the "
            "dashed line is everybody's. Where it rises, that annotator judges unlike the rest."
        )
        % {"level": level_label(report.fitting)},
        intervals(rows, decimal, reference=report.fitting_alpha.value),
        Table((_("Whose judgments"), _("Alpha")), tuple((row.label, row.value) for row in rows)),
    )


def camps(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """Who judges like whom, as a tree."""
    detail = figures.details[name]
    found = detail.camps
    if found.undefined is not None:
        return None
    people = [str(rater) for rater in found.raters]
    order = [found.raters.index(leaf) for leaf in found.leaves]
    joins = [Join(merge.left, merge.right, merge.height) for merge in found.merges]
    unit = (
        _("the share of pairs that they answer differently")
        if detail.level == Level.NOMINAL
        else _("the mean difference of their scores, in points")
    )
    return Chart(
        "camps",
        _("Who judges like whom: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        _(
            "A tree of the annotators: the further left two branches meet, the more alike they "
            "judge. The axis is %(unit)s."
        )
        % {"unit": unit},
        tree(people, order, joins, decimal),
        Table((_("Joined"), _("Joined with"), _("Distance")), tuple(_joined(people, joins))),
    )


def _joined(people: Sequence[str], joins: Sequence[Join]) -> list[tuple[Cell, ...]]:
    members: list[list[str]] = [[person] for person in people]
    rows: list[tuple[Cell, ...]] = []
    for join in joins:
        left, right = sorted((members[join.left], members[join.right]))
        rows.append((", ".join(left), ", ".join(right), join.height))
        members.append(sorted(left + right))
    return rows


def overview(protocol: Protocol, reports: Mapping[str, DimensionReport]) -> Chart:
    """The fitting alpha of each dimension with its interval."""
    rows = []
    for name, report in reports.items():
        found = report.fitting_alpha
        bounds = (found.interval.low, found.interval.high) if found.interval else (None, None)
        words = "–" if found.value is None else decimal(found.value, 3)
        rows.append(Row(dimension_label(protocol, name), found.value, words, *bounds))
    return Chart(
        "overview",
        _("Krippendorff's alpha of each dimension"),
        _(
            "A diamond for alpha at the fitting level, a line for its 95% interval. 0 is chance, 1 "
            "perfect agreement."
        ),
        intervals(rows, decimal, reference=None),
        Table(
            (_("Dimension"), _("Alpha"), _("Lower bound"), _("Upper bound")),
            tuple((row.label, row.value, row.low, row.high) for row in rows),
        ),
    )
