"""Charts about the annotators: how they use the scale, whom they resemble, what agreement is
without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from django.utils.translation import gettext as _

from annotation.agreement.raters import RaterSummary
from annotation.agreement.report import DimensionReport
from annotation.protocols.base import Better, Level
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.figures import TENTHS, Figures
from annotation.web.agreement.dashboard.words import level_label
from annotation.web.base.numbers import decimal
from annotation.web.base.presenters import dimension_label, value_labels
from annotation.web.charts.canvas import Cell, Chart, Table
from annotation.web.charts.grids import Join, heat, tree
from annotation.web.charts.panels import Panel, histograms
from annotation.web.charts.rows import Row, intervals

MOST_BARS = 20
"""More values than that are drawn about ten bars together."""


def distributions(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """How often each annotator gave each value, as in the paper's figure 2."""
    detail = figures.details[name]
    if not detail.raters:
        return None
    labels = value_labels(protocol, name)
    is_scale = detail.level != Level.NOMINAL
    bins = _bins(detail.scale, has_words=bool(labels))
    names = [str(values[0]) if len(values) == 1 else f"{values[0]}–{values[-1]}" for values in bins]
    panels = [_panel(summary, bins, is_scale=is_scale) for summary in detail.raters]
    columns = [
        _("Annotator"),
        *((f"{value} · {labels[value]}" for value in detail.scale) if labels else names),
    ]
    columns += [_("Mean"), _("Standard deviation"), _("Severity")] if is_scale else []
    rows: list[tuple[Cell, ...]] = []
    for summary in detail.raters:
        counts: tuple[Cell, ...] = (str(summary.rater), *_counts(summary, bins))
        rows.append((*counts, summary.mean, summary.sd, summary.severity) if is_scale else counts)
    description = _(
        "One histogram per annotator, all to the same height: how often they gave each value."
    )
    if is_scale:
        description += " " + _(
            "The diamond is the mean, the line through it one standard deviation on either side."
        )
        description += " " + _severity(protocol.dimension(name).better)
    return Chart(
        "distributions",
        _("Answers of each annotator: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        description,
        histograms(panels, [str(values[0]) for values in bins]),
        Table(tuple(columns), tuple(rows)),
    )


def _severity(better: Better) -> str:
    """What the sign of a severity means: fewer points are strict only where more are better."""
    if better == Better.LOWER:
        return _(
            "Severity, in the table: how far the scores lie above everybody's average on the same "
            "pairs, as releases have it; above zero is stricter, since lower is better."
        )
    if better == Better.NEITHER:
        return _(
            "Severity, in the table: how far the scores lie above everybody's average on the same "
            "pairs, as releases have it; neither side is stricter, since neither is better."
        )
    return _(
        "Severity, in the table: how far the scores lie above everybody's average on the same "
        "pairs, as releases have it; below zero is stricter."
    )


def _bins(scale: Sequence[int], *, has_words: bool) -> list[Sequence[int]]:
    """The values that one bar stands for: one each where they have words (``has_words``) or are
    few, else as many as make about ten bars."""
    if has_words or len(scale) <= MOST_BARS:
        return [scale[place : place + 1] for place in range(len(scale))]
    width = -(-len(scale) // TENTHS)
    return [scale[place : place + width] for place in range(0, len(scale), width)]


def _counts(summary: RaterSummary, bins: Sequence[Sequence[int]]) -> tuple[int, ...]:
    given = dict(summary.distribution)
    return tuple(sum(given[value] for value in values) for values in bins)


def _panel(summary: RaterSummary, bins: Sequence[Sequence[int]], *, is_scale: bool) -> Panel:
    counts = _counts(summary, bins)
    if not is_scale or summary.mean is None:
        return Panel(str(summary.rater), counts, _("n = %(number)s") % {"number": summary.n})
    words = decimal(summary.mean) + (f" ± {decimal(summary.sd)}" if summary.sd is not None else "")
    lowest = bins[0][0]
    # In bars: a mean in the middle of a bar's values stands in the middle of the bar.
    width = (bins[0][-1] - lowest) / (len(bins[0]) - 1) * len(bins[0]) if len(bins[0]) > 1 else 1
    middle = (bins[0][-1] - lowest) / 2
    return Panel(
        str(summary.rater),
        counts,
        words,
        (summary.mean - lowest - middle) / width,
        None if summary.sd is None else summary.sd / width,
    )


def pairs(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """Kappa of every two annotators: a heat map with its numbers printed."""
    report = figures.reports[name]
    people = [str(summary.rater) for summary in figures.details[name].raters if summary.n]
    if len(people) < 2:
        return None
    kappas = report.kappa_quadratic or report.kappa
    values: dict[tuple[str, str], float | None] = {}
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(people, 2):
        pair, plain = kappas.between(first, second), report.kappa.between(first, second)
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
    """What becomes of alpha without each annotator in turn, with its interval."""
    report, detail = figures.reports[name], figures.details[name]
    if report.fitting_alpha.value is None or not any(
        without.difference is not None for without in detail.without
    ):
        return None
    rows = []
    cells: list[tuple[Cell, ...]] = []
    for without, summary in zip(detail.without, detail.raters, strict=True):
        value, interval = without.difference, without.interval
        label = _("without %(annotator)s") % {"annotator": without.rater}
        words = "–" if value is None else decimal(value, 3)
        rows.append(Row(label, value, words, interval.low, interval.high))
        cells.append((label, summary.alpha_without.value, value, interval.low, interval.high))
    return Chart(
        "without",
        _("Alpha without each annotator: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        _(
            "By how much Krippendorff's alpha (%(level)s) of the others differs from everybody's "
            "(%(alpha)s) when one annotator is left out, with its 95%% interval over the original "
            "texts. Only where the whole interval is above zero do the others agree better without "
            "that person; strictness and ranking both count in it."
        )
        % {
            "level": level_label(report.fitting),
            "alpha": decimal(report.fitting_alpha.value, 3),
        },
        intervals(rows, decimal, reference=0.0),
        Table(
            (
                _("Whose judgments"),
                _("Alpha"),
                _("Difference"),
                _("Lower bound"),
                _("Upper bound"),
            ),
            tuple(cells),
        ),
    )


def camps(protocol: Protocol, name: str, figures: Figures) -> Chart | None:
    """Who judges like whom, as a tree."""
    detail = figures.details[name]
    clustering = detail.camps
    if clustering.undefined is not None:
        return None
    people = [str(rater) for rater in clustering.raters]
    order = [clustering.raters.index(leaf) for leaf in clustering.leaves]
    joins = [Join(merge.left, merge.right, merge.height) for merge in clustering.merges]
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
        alpha = report.fitting_alpha
        bounds = report.leading.low, report.leading.high
        words = "–" if alpha.value is None else decimal(alpha.value, 3)
        rows.append(Row(dimension_label(protocol, name), alpha.value, words, *bounds))
    return Chart(
        "overview",
        _("Krippendorff's alpha of each dimension"),
        _(
            "A diamond for alpha at the fitting level, a line for its 95% interval: for other "
            "annotators too where there is one, else for these on other texts. 0 is chance, 1 "
            "perfect agreement."
        ),
        intervals(rows, decimal, reference=None),
        Table(
            (_("Dimension"), _("Alpha"), _("Lower bound"), _("Upper bound")),
            tuple((row.label, row.value, row.low, row.high) for row in rows),
        ),
    )
