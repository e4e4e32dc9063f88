"""What people marked on the texts of a study's pairs, as agreement on marks is computed from it."""

from __future__ import annotations

from collections import defaultdict

from annotation.models import ErrorDeduction, Simplification, Study
from annotation.protocols.edits import Edit, MarkedPair
from annotation.protocols.kinds.edit_spans import stored_spans
from annotation.protocols.tokens import Cut, Span
from annotation.selectors.agreement.facts import judgment_facts
from annotation.selectors.agreement.reliability import PEOPLE, raters_of, units_of
from annotation.selectors.base.rounds import judgments_in


def marking_fields(study: Study) -> list[str]:
    """The questions of its protocol by which passages are marked, in their order."""
    return [field.name for field in study.protocol.fields if field.marks]


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
        one
        for one in judgment_facts(study, round=round, kinds=PEOPLE)
        if one.simplification in units and one.annotator in raters
    ]
    judged.sort(key=lambda one: (place[one.simplification], order[one.annotator]))
    return [
        MarkedPair(
            units[one.simplification].key,
            raters[one.annotator].pseudonym,
            *texts[one.simplification],
            Cut.WORDS,
            tuple(edits[one.pk]),
        )
        for one in judged
    ]


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
            judgment__assignment__annotator__study=study,
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
        )
    )
    found: dict[int, list[Edit]] = defaultdict(list)
    for judgment, kind, its_spans, start, end, other_spans, other_start, other_end in rows:
        original = _spans(its_spans, start, end)
        found[judgment].append(Edit(kind, original, _spans(other_spans, other_start, other_end)))
    return found


def _spans(spans: str, start: int | None, end: int | None) -> tuple[Span, ...]:
    return tuple(Span(*one) for one in stored_spans(spans, start, end))
