"""Every table of the page by its key, for the page and for downloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.agreement.systems.comparison import Comparison
from annotation.agreement.systems.figure import Figure
from annotation.agreement.systems.rates import Rates
from annotation.agreement.systems.report import DimensionSystems
from annotation.agreement.systems.wording import WITHOUT_FLAGGED
from annotation.models import Study
from annotation.protocols.base import Better, Level
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.systems import SystemsFigures
from annotation.web.agreement.sheets import (
    BETWEEN_SIGNATURES,
    Column,
    FigureSheet,
    SheetCell,
)
from annotation.web.agreement.systems.words import bracket_label, flag_label, mark_label
from annotation.web.base.numbers import whole
from annotation.web.base.presenters import dimension_label, text, value_labels

Rows = list[tuple[SheetCell, ...]]


def _counts() -> tuple[Column, ...]:
    return (
        Column(_("Outputs"), "count"),
        Column(_("Original texts"), "count"),
        Column(_("Annotators"), "count"),
        Column(_("Answers"), "count"),
    )


def _ends() -> tuple[Column, ...]:
    return (
        Column(_("Remark")),
        Column(_("Interval by"), shown=False),
        Column(_("Signature"), shown=False, signed=True),
    )


def _end_cells(figure: Figure) -> tuple[str, str, str]:
    """Why something is missing, the method of the interval, the signature."""
    interval = figure.interval
    reason = figure.undefined or (interval.undefined if interval else None)
    has_bounds = interval is not None and interval.low is not None
    method = interval.method if interval is not None and has_bounds else ""
    return text(reason) if reason else "", method, figure.signature


def _second_columns() -> tuple[Column, ...]:
    return (
        Column(_("Interval with other annotators by"), shown=False),
        Column(_("Signature with other annotators"), shown=False, signed=True),
    )


def _second(figure: Figure) -> tuple[str, str]:
    _reason, method, signature = _end_cells(figure)
    return method, signature


def means(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """The mean of each system."""
    rows: Rows = []
    for profile in dimension.profiles:
        counts = profile.counts
        numbers = (counts.outputs, counts.sources, counts.people, counts.ratings)
        ends = _end_cells(profile.mean)
        adjusted = profile.adjusted
        figures = (profile.mean, profile.elsewhere, adjusted)
        more = (*_second(profile.elsewhere), *_end_cells(adjusted))
        rows.append((profile.system, *numbers, *figures, *ends, *more))
    return FigureSheet(
        "means",
        _("Mean of each system: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("System")),
            *_counts(),
            Column(_("Mean"), "points", interval=True),
            Column(_("With other annotators"), "bounds", interval=True),
            Column(_("Without severity"), "points", interval=True),
            *_ends(),
            *_second_columns(),
            Column(_("Remark on severity")),
            Column(_("Interval without severity by"), shown=False),
            Column(_("Signature without severity"), shown=False, signed=True),
        ),
        tuple(rows),
    )


def shares(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """The share of each answer."""
    answers = answer_labels(protocol, name, dimension)
    rows: Rows = []
    for profile in dimension.profiles:
        for label, share in zip(answers, profile.shares, strict=True):
            basis = (profile.counts.outputs, profile.counts.sources)
            rows.append((profile.system, label, *basis, share, *_end_cells(share)))
    return FigureSheet(
        "shares",
        _("Share of each answer: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("System")),
            Column(_("Answer")),
            Column(_("Outputs"), "count"),
            Column(_("Original texts"), "count"),
            Column(_("Share"), "share", interval=True),
            *_ends(),
        ),
        tuple(rows),
    )


def answer_labels(protocol: Protocol, name: str, dimension: DimensionSystems) -> list[str]:
    """Each value as it is read: with its words, where it has any."""
    words = value_labels(protocol, name)
    return [
        f"{value:g} · {words[int(value)]}" if int(value) in words else f"{value:g}"
        for value in dimension.scale
    ]


def pairs(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """Every two systems."""
    title = _("Every two systems: %(dimension)s") % {"dimension": dimension_label(protocol, name)}
    return _pairs("pairs", title, dimension.comparisons, dimension)


def without_flagged(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """Every two systems again, without outputs whose flag explains much."""
    title = _("Every two systems without flagged outputs: %(dimension)s") % {
        "dimension": dimension_label(protocol, name)
    }
    sheet = _pairs("without-flagged", title, dimension.whole, dimension)
    return replace(sheet, note=text(WITHOUT_FLAGGED))


def _pairs(
    key: str, title: str, compared: tuple[Comparison, ...], dimension: DimensionSystems
) -> FigureSheet:
    is_scale = dimension.level != Level.NOMINAL
    scale_columns = (
        (
            Column(_("Difference"), "points", interval=True),
            Column(_("With other annotators"), "bounds", interval=True),
        )
        if is_scale
        else ()
    )
    rows: Rows = []
    for comparison in compared:
        figures = (comparison.difference, comparison.elsewhere) if is_scale else ()
        reason, method, signature = _end_cells(comparison.difference)
        if comparison.no_test is not None:
            reason = text(comparison.no_test)
        p = (None, None) if comparison.test is None else (comparison.test.p, comparison.adjusted)
        rows.append(
            (
                comparison.first,
                comparison.second,
                comparison.counts.sources,
                comparison.counts.people,
                *figures,
                *p,
                reason if comparison.undefined or comparison.no_test or is_scale else "",
                method,
                signature,
                comparison.signature,
                *(_second(comparison.elsewhere) if is_scale else ()),
            )
        )
    columns = (
        Column(_("First")),
        Column(_("Second")),
        Column(_("Common texts"), "count"),
        Column(_("Annotators"), "count", shown=False),
        *scale_columns,
        Column(_("p"), "p"),
        Column(_("p (Holm)"), "p"),
        *_ends(),
        Column(_("Signature of the test"), shown=False, signed=True),
        *(_second_columns() if is_scale else ()),
    )
    return FigureSheet(key, title, columns, tuple(rows))


def effects(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """How large the difference of every two systems is, whatever the scale's points are worth."""
    rows: Rows = []
    for comparison in dimension.comparisons:
        if comparison.superiority.value is not None:
            reason, method, first = _end_cells(comparison.superiority)
            signatures = (first, comparison.delta.signature)
            figures = (comparison.superiority, comparison.delta)
            basis = (comparison.counts.sources, comparison.counts.people)
            rows.append(
                (comparison.first, comparison.second, *basis, *figures, reason, method, *signatures)
            )
    return FigureSheet(
        "effects",
        _("Effect sizes: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("First")),
            Column(_("Second")),
            Column(_("Common texts"), "count"),
            Column(_("Annotators"), "count"),
            Column(_("Probability of superiority"), "points", interval=True),
            Column(_("Cliff's delta"), "points", interval=True),
            *_ends(),
            Column(_("Signature of Cliff's delta"), shown=False, signed=True),
        ),
        tuple(rows),
        note=_effects_note(dimension.better),
    )


def _effects_note(better: Better) -> str:
    """Where superiority is not that of higher answers, as on most scales, or is no praise."""
    if better == Better.LOWER:
        return _(
            "Lower is better: the probability of superiority is how often the first is judged "
            "lower. Cliff's delta, as differences are, is above zero where the first is higher."
        )
    if better == Better.NEITHER:
        return _("Neither side is better: superior only means higher here.")
    return ""


def share_differences(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """The difference of each share between every two systems."""
    answers = answer_labels(protocol, name, dimension)
    rows: Rows = []
    for comparison in dimension.comparisons:
        for label, share in zip(answers, comparison.shares, strict=False):
            rows.append(
                (
                    comparison.first,
                    comparison.second,
                    label,
                    comparison.counts.sources,
                    share,
                    *_end_cells(share),
                )
            )
    return FigureSheet(
        "share-differences",
        _("Differences of shares: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("First")),
            Column(_("Second")),
            Column(_("Answer")),
            Column(_("Common texts"), "count"),
            Column(_("Difference"), "share", interval=True),
            *_ends(),
        ),
        tuple(rows),
    )


def people(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """The difference by each annotator's own answers."""
    rows: Rows = [
        (comparison.first, comparison.second, str(person.person), person.sources, person.difference)
        for comparison in dimension.comparisons
        for person in comparison.people
    ]
    return FigureSheet(
        "people",
        _("Differences by each annotator: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("First")),
            Column(_("Second")),
            Column(_("Annotator")),
            Column(_("Original texts"), "count"),
            Column(_("Difference"), "points"),
        ),
        tuple(rows),
    )


def ranks(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """The place of each system."""
    is_lower = dimension.better == Better.LOWER
    rows: Rows = [
        (
            place.system,
            _place(place.rank),
            str(place.best)
            if place.best == place.worst
            else _("%(low)s to %(high)s") % {"low": place.best, "high": place.worst},
            place.mean,
            place.sources,
        )
        for place in dimension.ranks
    ]
    return FigureSheet(
        "ranks",
        _("Ranks: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("System")),
            Column(_("Rank"), "rank"),
            Column(_("Places that the tests leave possible")),
            Column(_("Mean over the texts of all"), "points"),
            Column(_("Texts of all systems"), "count"),
        ),
        tuple(rows),
        note=" ".join(
            [
                *([_("Lower is better: rank 1 has the lowest mean.")] if is_lower else []),
                *([text(dimension.no_ranks)] if dimension.ranks and dimension.no_ranks else []),
            ]
        ),
    )


def _place(rank: float | None) -> SheetCell:
    return int(rank) if rank is not None and rank.is_integer() else rank


def flags(protocol: Protocol, name: str, dimension: DimensionSystems) -> FigureSheet:
    """What a machine flags, and what it explains."""
    rows: Rows = []
    for flag in dimension.flags:
        listed = "; ".join(
            _("%(system)s: %(flagged)s of %(outputs)s")
            % {"system": system, "flagged": whole(flagged), "outputs": whole(outputs)}
            for system, flagged, outputs in flag.by_system
        )
        row = (flag_label(flag.flag), listed, flag.explained, flag.flagged, flag.others)
        rows.append((*row, *_end_cells(flag.explained)))
    return FigureSheet(
        "flags",
        _("Flagged outputs: %(dimension)s") % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("Flag")),
            Column(_("Outputs")),
            Column(_("Variance explained"), "share", interval=True),
            Column(_("Mean with it"), "points"),
            Column(_("Mean without"), "points"),
            *_ends(),
        ),
        tuple(rows),
    )


def gaps(
    study: Study, name: str, dimension: DimensionSystems, figures: SystemsFigures
) -> FigureSheet:
    """The texts on which every two systems differ most; each opens its item."""
    is_scale = dimension.level != Level.NOMINAL
    rows: Rows = []
    links = []
    for comparison in dimension.comparisons:
        for gap in comparison.largest:
            item = figures.item_of[str(gap.source)]
            numbers = (gap.first, gap.second) if is_scale else ()
            rows.append((item, comparison.first, comparison.second, *numbers, gap.difference))
            links.append(reverse("study_agreement_item", args=[study.key, item]))
    scale_columns = (
        (Column(_("Mean of the first"), "points"), Column(_("Mean of the second"), "points"))
        if is_scale
        else ()
    )
    label = _("Difference") if is_scale else _("Answers that differ")
    return FigureSheet(
        "gaps",
        _("Texts on which two systems differ most: %(dimension)s")
        % {"dimension": dimension_label(study.protocol, name)},
        (
            Column(_("Item")),
            Column(_("First")),
            Column(_("Second")),
            *scale_columns,
            Column(label, "points" if is_scale else "share"),
        ),
        tuple(rows),
        tuple(links),
    )


def with_models(protocol: Protocol, name: str, figures: SystemsFigures) -> FigureSheet:
    """What people judged, with the help of each model that judged everything."""
    helped = figures.helped.dimensions.get(name, ()) if figures.helped is not None else ()
    rows: Rows = [
        (
            scorer.model,
            f"{row.first} − {row.second}" if row.second else row.first,
            row.texts,
            row.left,
            *(row.people, row.helped, row.bias),
            *(row.correlation, row.weight),
            None if row.worth is None else int(row.worth),
            text(row.undefined) if row.undefined else "",
            *(row.people.signature, row.helped.signature, row.bias.signature),
        )
        for scorer in helped
        for row in scorer.rows
    ]
    return FigureSheet(
        "with-models",
        _("With a model's judgments: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        (
            Column(_("Model")),
            Column(_("Systems")),
            Column(_("Texts judged by people"), "count"),
            Column(_("Texts by the model alone"), "count"),
            Column(_("People alone"), "points", interval=True),
            Column(_("People with the model"), "points", interval=True),
            Column(_("What the model is off"), "points", interval=True),
            Column(_("Correlation"), "correlation", shown=False),
            Column(_("Weight of the model"), "points"),
            Column(_("Worth as many texts by people"), "count"),
            Column(_("Remark")),
            Column(_("Signature by people alone"), shown=False, signed=True),
            Column(_("Signature with the model"), shown=False, signed=True),
            Column(_("Signature of what the model is off"), shown=False, signed=True),
        ),
        tuple(rows),
        # A scorer's name says little: what it is stands under the table, in files too.
        note="\n".join(scorer.signature for scorer in helped if scorer.signature),
    )


def brackets(protocol: Protocol, figures: SystemsFigures) -> FigureSheet:
    """How often each system's outputs were put in each bracket."""
    return _rates(
        "brackets",
        _("Brackets by system"),
        figures.brackets,
        "share",
        lambda key: bracket_label(protocol, key),
    )


def errors(protocol: Protocol, figures: SystemsFigures) -> FigureSheet:
    """How many errors of each type a judgment of each system's outputs holds."""
    return _rates(
        "errors",
        _("Errors in a judgment, by type and system"),
        figures.errors,
        "points",
        lambda key: mark_label((own for own in protocol.marked if own.are_errors), key),
    )


def marks(protocol: Protocol, name: str, figures: SystemsFigures) -> FigureSheet:
    """How many marks of each type of a list that nobody calls errors a judgment holds."""
    own = protocol.field(name)
    return _rates(
        MARKS,
        _("Marks in a judgment, by type and system: %(list)s")
        % {"list": text(own.label).rstrip("\u00a0 :")},
        figures.marks[name],
        "points",
        lambda key: mark_label([own], key),
    )


def _rates(
    key: str, title: str, rates: tuple[Rates, ...], kind: str, label: Callable[[str], str]
) -> FigureSheet:
    keys = list(rates[0].figures) if rates else []
    rows: Rows = [
        (
            of_system.system,
            of_system.counts.outputs,
            of_system.counts.sources,
            of_system.counts.people,
            of_system.counts.ratings,
            *(of_system.figures[of] for of in keys),
            BETWEEN_SIGNATURES.join(of_system.figures[of].signature for of in keys),
        )
        for of_system in rates
    ]
    columns = (
        Column(_("System")),
        *_counts()[:3],
        Column(_("Judgments"), "count"),
        *(Column(label(of), kind, interval=True) for of in keys),
        Column(_("Signature"), shown=False, signed=True),
    )
    return FigureSheet(key, title, columns, tuple(rows))


OF_DIMENSION: dict[str, Callable[[Protocol, str, DimensionSystems], FigureSheet]] = {
    "means": means,
    "pairs": pairs,
    "effects": effects,
    "ranks": ranks,
    "shares": shares,
    "share-differences": share_differences,
    "people": people,
    "flags": flags,
    "without-flagged": without_flagged,
}
OF_STUDY: dict[str, Callable[[Protocol, SystemsFigures], FigureSheet]] = {
    "brackets": brackets,
    "errors": errors,
}
MARKS = "marks"
"""The table of a list of marks that nobody calls errors."""
KEYS = (*OF_DIMENSION, "gaps", "with-models", *OF_STUDY)


def sheet(study: Study, key: str, name: str, figures: SystemsFigures, filters: str) -> FigureSheet:
    """The table of that key; ``name`` is a dimension, or a list of marks; ``filters``, of which the
    figures are, end each signature. Raises ``KeyError`` where there is none."""
    return _sheet(study, key, name, figures).signed(filters)


def _sheet(study: Study, key: str, name: str, figures: SystemsFigures) -> FigureSheet:
    if key in OF_STUDY:
        return OF_STUDY[key](study.protocol, figures)
    if key == MARKS:
        return marks(study.protocol, name, figures)
    dimension = figures.dimensions[name]
    if key == "with-models":
        return with_models(study.protocol, name, figures)
    if key == "gaps":
        return gaps(study, name, dimension, figures)
    return OF_DIMENSION[key](study.protocol, name, dimension)
