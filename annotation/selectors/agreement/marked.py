"""What people marked on the texts of a study's pairs, as agreement on marks is computed from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from django.db.models import Count

from annotation.agreement.marks.figure import Drawn
from annotation.agreement.marks.grouping import AS_MARKED, Grouping
from annotation.agreement.marks.report import EditsReport, edits_report
from annotation.corpus.edit_parts import noted_more
from annotation.models import ErrorDeduction, Item, Judgment, Simplification, Study
from annotation.protocols.edits import Edit, MarkedPair
from annotation.protocols.kinds.edit_spans import stored_spans
from annotation.protocols.tokens import Cut, Span
from annotation.scoring.splits import source_key
from annotation.selectors.agreement.facts import judgment_facts
from annotation.selectors.agreement.reliability import PEOPLE, OfWithdrawn, raters_of, units_of
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.base.rounds import judgments_in

AS_DRAWN = Drawn()
"""Source texts as pages draw them."""


def marking_fields(study: Study) -> list[str]:
    """The questions of its protocol by which passages are marked, in their order."""
    return [field.name for field in study.protocol.fields if field.marks]


@dataclass(frozen=True)
class MarksRequest:
    """Which marks are compared: by a question, of a round, with ``groups`` of operations counted
    as one, without the pairs on which their annotator marked one of ``without``; how intervals are
    ``drawn``."""

    field: str
    round: str = "main"
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    without: tuple[str, ...] = ()
    withdrawn: bool = True
    drawn: Drawn = AS_DRAWN

    @property
    def grouping(self) -> Grouping:
        """What each operation counts as."""
        return {kind: name for name, kinds in self.groups for kind in kinds}


@dataclass(frozen=True)
class OwnMarks:
    """A person's marks on pairs that they were given twice, unknown to them: the report's two
    annotators are "first" and "second"."""

    annotator: str
    pairs: int
    report: EditsReport


@dataclass(frozen=True)
class MarksFigures:
    """What a page on marks tells: the report, and of each pair the item that it is of."""

    report: EditsReport
    item_of: Mapping[str, str]
    again: tuple[OwnMarks, ...]


def marks_figures(
    study: Study,
    marks_request: MarksRequest,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> MarksFigures:
    """The report on what people marked in a study; a constant number of queries. ``progress`` is
    told how many parts are done, of how many."""
    return MarksFigures(
        edits_report(
            compared_pairs(study, marks_request),
            marks_request.grouping,
            marks_request.drawn,
            progress,
            source_of=source_key,
        ),
        {unit.key: unit.item_key for unit in units_of(study, marks_request.round)},
        tuple(_marked_again(study, marks_request.field, marks_request.drawn)),
    )


def compared_pairs(study: Study, marks_request: MarksRequest) -> list[MarkedPair]:
    """The pairs that are compared."""
    pairs = marked_pairs(
        study, marks_request.field, round=marks_request.round, withdrawn=marks_request.withdrawn
    )
    left_out = set(marks_request.without)
    return [pair for pair in pairs if left_out.isdisjoint(edit.type for edit in pair.edits)]


def _marked_again(study: Study, field: str, drawn: Drawn) -> Iterator[OwnMarks]:
    """Silent repeats beside the first time, by person in order of their pseudonyms."""
    seconds = marked_pairs(study, field, round=Item.Aside.REPEAT)
    if not seconds:
        return
    firsts = {
        (pair.annotator, pair.original, pair.simplification): pair
        for pair in marked_pairs(study, field)
    }
    both: dict[str, list[MarkedPair]] = defaultdict(list)
    for second in seconds:
        first = firsts.get((second.annotator, second.original, second.simplification))
        if first is not None:
            both[second.annotator] += [
                replace(first, annotator="first"),
                replace(second, annotator="second", pair=first.pair),
            ]
    for name, marked in sorted(both.items()):
        yield OwnMarks(
            name, len(marked) // 2, edits_report(marked, AS_MARKED, drawn, source_of=source_key)
        )


@one_moment()
def marked_pairs(
    study: Study,
    field: str,
    *,
    round: str = "main",  # noqa: A002
    withdrawn: bool = True,
) -> list[MarkedPair]:
    """What each person marked by a question on each pair of a round that they judged, in the order
    of pairs and then of people; who marked nothing on a pair has it without edits. Five queries.

    Pairs are called as in agreement tables, people by their pseudonyms. ``withdrawn``: with those
    who have left since.
    """
    units = {unit.pk: unit for unit in units_of(study, round)}
    raters = raters_of(study, PEOPLE, withdrawn=withdrawn)
    texts = dict(_texts(study))
    edits = _edits(study, field, round)
    place = {pk: number for number, pk in enumerate(units)}
    order = {pk: number for number, pk in enumerate(raters)}
    judged = [
        judgment
        for judgment in judgment_facts(study, round=round, kinds=PEOPLE)
        if judgment.simplification in units and judgment.annotator in raters
    ]
    judged.sort(key=lambda judgment: (place[judgment.simplification], order[judgment.annotator]))
    return [
        MarkedPair(
            units[judgment.simplification].key,
            raters[judgment.annotator].pseudonym,
            *texts[judgment.simplification],
            Cut.WORDS,
            tuple(edits[judgment.pk]),
        )
        for judgment in judged
    ]


def marked_of_withdrawn(study: Study, round: str) -> OfWithdrawn:  # noqa: A002
    """What ``marked_pairs`` holds of people who have withdrawn; two queries, one where nobody
    has."""
    left = list(
        study.annotators.filter(kind__in=PEOPLE, withdrawn_at__isnull=False).values_list(
            "pk", flat=True
        )
    )
    if not left:
        return OfWithdrawn(0, 0)
    judged = Judgment.objects.filter(
        judgments_in(round), submitted_at__isnull=False, assignment__annotator__in=left
    )
    counts = judged.aggregate(
        people=Count("assignment__annotator", distinct=True), judgments=Count("pk")
    )
    return OfWithdrawn(**counts)


def _texts(study: Study) -> list[tuple[int, tuple[str, str]]]:
    rows = Simplification.objects.filter(item__study=study).values_list(
        "pk", "item__original", "text"
    )
    return [(pk, (original, text)) for pk, original, text in rows]


def _edits(study: Study, field: str, round: str) -> dict[int, list[Edit]]:  # noqa: A002
    """By judgment, in the order in which they were marked."""
    rows = (
        ErrorDeduction.objects.filter(
            judgments_in(round, "judgment__"),
            field=field,
            judgment__assignment__simplification__item__study=study,
            judgment__submitted_at__isnull=False,
        )
        .order_by("judgment", "ordinal")
        .values_list(
            "judgment_id",
            "type",
            "original_spans",
            "original_start",
            "original_end",
            "simplification_spans",
            "simplification_start",
            "simplification_end",
            "note",
        )
    )
    edits: dict[int, list[Edit]] = defaultdict(list)
    for judgment, kind, its_spans, start, end, other_spans, other_start, other_end, note in rows:
        original = _spans(its_spans, start, end)
        simplification = _spans(other_spans, other_start, other_end)
        edits[judgment].append(Edit(kind, original, simplification, noted_more(note)))
    return edits


def _spans(spans: str, start: int | None, end: int | None) -> tuple[Span, ...]:
    return tuple(Span(*span) for span in stored_spans(spans, start, end))
