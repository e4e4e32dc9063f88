"""Studies of any size, written in bulk: for what must not grow with them, and for measurements."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import F

from annotation.models import (
    Annotator,
    Assignment,
    ErrorDeduction,
    GuideVersion,
    Item,
    Judgment,
    Rating,
    SideAnswer,
    Simplification,
    Study,
    text_digest,
)
from annotation.protocols.legal_meaning.definition import ERROR_TYPES
from annotation.protocols.legal_meaning.rules import crosses, score
from annotation.services.base.answered import items_recount
from annotation.services.base.sizes import size_recount
from annotation.services.base.standings import standings_recount
from annotation.services.platform.row_counts import row_counts_refresh

_CLAUSE = (
    "L'assureur rembourse, au titre de l'article {n}, les frais raisonnables que l'assuré "
    "engage, « sauf » s'il omet "
)
_REST = (
    "d'aviser par écrit dans les {n} jours; l'indemnité ne dépasse jamais le montant inscrit aux "
    "conditions particulières, déduction faite de la franchise, et elle cesse d'être due lorsque "
    "le bien est aliéné sans avis. "
)
_SIMPLE = (
    "L'assureur paie les frais normaux, selon l'article {n}. L'assuré doit aviser par écrit dans "
    "les {n} jours. "
)
_BEGUN = datetime(2025, 3, 3, 14, 0, tzinfo=UTC)
_KINDS = [option.key for option in ERROR_TYPES]
_BATCH = 5000


def pair_texts(number: int) -> tuple[str, str]:
    """An original and a simplification of the length that FrJUDGE's have."""
    return (_CLAUSE + _REST).format(n=number), (_SIMPLE * 3).format(n=number)


def fill_study(study: Study, *, pairs: int, annotators: int) -> int:
    """``pairs`` × ``annotators`` complete judgments with every kind of answer; returns how many."""
    guide = GuideVersion.objects.create(study=study, number=1, body_fr="Guide")
    simplifications = _pairs(study, pairs)
    raters = Annotator.objects.bulk_create(
        Annotator(study=study, pseudonym=f"R{number}") for number in range(1, annotators + 1)
    )
    for start in range(0, pairs, 1000):
        _judgments(simplifications[start : start + 1000], raters, guide, start)
    with transaction.atomic():
        standings_recount([rater.pk for rater in raters])
        items_recount([simplification.item_id for simplification in simplifications])
        size_recount(study)
    # As an import does.
    row_counts_refresh(
        Item, Simplification, Annotator, Assignment, Judgment, Rating, ErrorDeduction
    )
    return pairs * annotators


def _pairs(study: Study, count: int) -> list[Simplification]:
    made: list[Simplification] = []
    for start in range(1, count + 1, 1000):
        numbers = range(start, min(start + 1000, count + 1))
        items = Item.objects.bulk_create(
            Item(
                study=study,
                key=f"clause-{number:06}",
                position=number,
                source="formule",
                original=pair_texts(number)[0],
                original_digest=text_digest(pair_texts(number)[0]),
            )
            for number in numbers
        )
        made += Simplification.objects.bulk_create(
            Simplification(
                item=item, text=pair_texts(number)[1], system="essai", position=1, language="fr"
            )
            for number, item in zip(numbers, items, strict=True)
        )
    return made


def _judgments(
    chunk: list[Simplification], raters: list[Annotator], guide: GuideVersion, start: int
) -> None:
    assignments = Assignment.objects.bulk_create(
        [
            Assignment(annotator=rater, simplification=simplification, position=start + index)
            for index, simplification in enumerate(chunk, start=1)
            for rater in raters
        ],
        batch_size=_BATCH,
    )
    judge_assignments(assignments, guide, start=start * len(raters))


def judge_assignments(
    assignments: list[Assignment], guide: GuideVersion, *, start: int = 0
) -> None:
    """A submitted judgment for each, with every kind of answer in turn from the ``start``-th on."""
    judgments = Judgment.objects.bulk_create(
        [
            Judgment(
                assignment=assignment,
                guide=guide,
                protocol="legal_meaning 1",
                started_at=_BEGUN + timedelta(minutes=number),
                active_seconds=60 + number % 200,
            )
            for number, assignment in enumerate(assignments, start=start)
        ],
        batch_size=_BATCH,
    )
    ratings, errors, sides = [], [], []
    for number, judgment in enumerate(judgments, start=start):
        sides += _sides(judgment, number)
        ratings += _ratings(judgment, number)
        errors += _errors(judgment, _deductions(number))
    Rating.objects.bulk_create(ratings, batch_size=_BATCH)
    SideAnswer.objects.bulk_create(sides, batch_size=_BATCH)
    ErrorDeduction.objects.bulk_create(errors, batch_size=_BATCH)
    Judgment.objects.filter(pk__in=[judgment.pk for judgment in judgments]).update(
        submitted_at=F("started_at") + timedelta(minutes=4)
    )


def _sides(judgment: Judgment, number: int) -> list[SideAnswer]:
    said = {}
    if number % 3 == 0:
        said["comment"] = "Le plafond, lui, est perdu."
    if number % 18 == 17:
        said["explanation"] = "Aucune autre ne convient."
    return [SideAnswer(judgment=judgment, field=name, value=said[name]) for name in said]


def _deductions(number: int) -> int:
    return (0, 0, 1, 0, 2, 5)[number % 6]


def _ratings(judgment: Judgment, number: int) -> list[Rating]:
    bracket, deductions = 2 + number % 2, _deductions(number)
    return [
        Rating(judgment=judgment, dimension="simplicity", value=1 + number % 4),
        Rating(judgment=judgment, dimension="characterization", value=1 + number % 18),
        Rating(
            judgment=judgment,
            dimension="legal_meaning",
            value=score(bracket, deductions),
            derivation="derived",
            bracket=bracket,
            deductions=deductions,
            crossing_policy="ask",
            crossing_answer="kept" if crosses(bracket, deductions) else "",
        ),
    ]


def _errors(judgment: Judgment, count: int) -> list[ErrorDeduction]:
    return [
        ErrorDeduction(
            judgment=judgment,
            ordinal=ordinal,
            type=_KINDS[ordinal % len(_KINDS)],
            note="Le délai",
            original_start=2,
            original_end=10,
        )
        for ordinal in range(1, count + 1)
    ]
