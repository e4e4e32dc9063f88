"""Studies of several systems whose scores are set: ``scores[system][item][annotator]``, None where
somebody did not judge."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy.typing as npt
from django.db import transaction

from annotation.models import (
    Annotator,
    Assignment,
    ErrorDeduction,
    GuideVersion,
    Item,
    Judgment,
    JudgmentRevision,
    Rating,
    RejudgeRequest,
    Scorer,
    ScoringJob,
    Simplification,
    Study,
    text_digest,
)
from annotation.protocols.legal_meaning.definition import ERROR_TYPES
from annotation.services.base.sizes import size_recount
from annotation.services.base.standings import positions_check, standings_recount
from tests.factories import answers

Scores = Mapping[str, Sequence[Sequence[int | None] | None]]
_AT = datetime(2025, 3, 3, 14, 0, tzinfo=UTC)
_ERROR = {"type": "omission", "note": "sans délai", "original_start": 0, "original_end": 5}
_KINDS = [option.key for option in ERROR_TYPES]


class Given(NamedTuple):
    """A score that somebody is to give an output, at that place of their order."""

    rater: Annotator
    pair: Simplification
    position: int
    value: int


def fill_systems(
    study: Study,
    scores: Scores,
    *,
    originals: Sequence[str] = (),
    cut: Sequence[tuple[str, int]] = (),
) -> None:
    """One item per place of ``scores``; ``originals`` are their texts where two are to be equal;
    the outputs in ``cut`` (system, item) end in mid-sentence."""
    guide = GuideVersion.objects.create(study=study, number=1, body_fr="Guide")
    people = max(len(row) for rows in scores.values() for row in rows if row)
    raters = [
        Annotator.objects.create(study=study, pseudonym=chr(ord("A") + number))
        for number in range(people)
    ]
    texts = originals or [
        f"L'assureur paie les frais de la clause {number}."
        for number in range(max(len(rows) for rows in scores.values()))
    ]
    items = Item.objects.bulk_create(
        Item(
            study=study,
            key=f"item-{number:04}",
            position=number,
            original=text,
            original_digest=text_digest(text),
        )
        for number, text in enumerate(texts, start=1)
    )
    judged = [
        (item, system, position, row)
        for item in items
        for position, (system, rows) in enumerate(scores.items())
        if (row := rows[item.position - 1] if item.position <= len(rows) else None) is not None
    ]
    pairs = Simplification.objects.bulk_create(
        Simplification(
            item=item,
            system=system,
            position=position,
            language="fr",
            text=f"L'assureur paie la clause {item.position - 1}, selon {system or 'personne'}"
            + ("" if (system, item.position - 1) in cut else "."),
        )
        for item, system, position, _row in judged
    )
    places = dict.fromkeys(raters, 0)
    given = []
    for pair, (*_of, row) in zip(pairs, judged, strict=True):
        for rater, value in zip(raters, row, strict=False):
            if value is not None:
                places[rater] += 1
                given.append(Given(rater, pair, places[rater], value))
    judge_all(given, guide)
    with transaction.atomic():
        standings_recount([rater.pk for rater in raters])
        size_recount(study)


def against_tests(texts: int = 20) -> Scores:
    """One person judged both systems and always prefers «vif»; its other judge is strict and that
    of «lent» is mild, so that the mean of «vif» is the lower one."""
    return {"vif": [[2, 7, None]] * texts, "lent": [[None, 6, 9]] * texts}


def fill_passages(study: Study, texts: int) -> None:
    """So many texts with an output of «lent» and of «vif» each, judged by nobody."""
    clauses = [
        f"L'assureur paie les frais de la clause {number}." for number in range(1, texts + 1)
    ]
    items = Item.objects.bulk_create(
        Item(
            study=study,
            key=f"item-{number:03}",
            position=number,
            original=text,
            original_digest=text_digest(text),
        )
        for number, text in enumerate(clauses, start=1)
    )
    Simplification.objects.bulk_create(
        Simplification(
            item=item, system=system, position=place, text=f"{system} paie {item.position}."
        )
        for item in items
        for place, system in enumerate(("lent", "vif"))
    )


def judge_part(study: Study, people: npt.NDArray[Any], model: npt.NDArray[Any]) -> None:
    """Two people judge what was drawn for them, the second a point higher; a model everything.
    Scores of shape (texts, 2)."""
    guide = GuideVersion.objects.create(study=study, number=1, body_fr="Guide")
    raters = [Annotator.objects.create(study=study, pseudonym=name) for name in "AB"]
    machine = Annotator.objects.create(study=study, pseudonym="M1", kind=Annotator.Kind.MACHINE)
    given = []
    for pair in Simplification.objects.filter(item__study=study).select_related("item"):
        at = int(pair.item.key[-3:]) - 1, pair.position
        place = 2 * at[0] + at[1] + 1
        given.append(Given(machine, pair, place, int(model[at])))
        if pair.item.round == "main":
            given += [
                Given(rater, pair, place, int(people[at]) + more)
                for more, rater in enumerate(raters)
            ]
    judge_all(given, guide)
    list(positions_check(rebuild=True))


def score_all(study: Study, scorer: Scorer, scores: npt.NDArray[Any]) -> ScoringJob:
    """What ``fill_passages`` made, scored by a scorer; scores of shape (texts, 2)."""
    pairs, results = [], []
    pairs_of_study = Simplification.objects.filter(item__study=study).select_related("item")
    for pair in pairs_of_study.order_by("pk"):
        pairs.append({"original": pair.item.original, "simplification": pair.text})
        value = scores[int(pair.item.key[-3:]) - 1, pair.position]
        results.append({"score": float(value), "rule": ""})
    return ScoringJob.objects.create(
        scorer=scorer, study=study, pairs=pairs, results=results, state="done"
    )


def judge(
    rater: Annotator, pair: Simplification, position: int, value: int, guide: GuideVersion
) -> None:
    """One sealed judgment of that score, past every service."""
    judge_all([Given(rater, pair, position, value)], guide)


def judge_all(given: Sequence[Given], guide: GuideVersion) -> None:
    """Sealed judgments of those scores, past every service, each table written at once."""
    assignments = Assignment.objects.bulk_create(
        Assignment(annotator=planted.rater, simplification=planted.pair, position=planted.position)
        for planted in given
    )
    judgments = Judgment.objects.bulk_create(
        Judgment(
            assignment=assignment,
            guide=guide,
            protocol="legal_meaning 1",
            started_at=_AT,
        )
        for assignment in assignments
    )
    ratings, errors = [], []
    for judgment, planted in zip(judgments, given, strict=True):
        bracket, top = (3, 10) if planted.value >= 7 else (2, 6) if planted.value >= 2 else (1, 1)
        ratings += [
            Rating(judgment=judgment, dimension="simplicity", value=1 + planted.value % 3),
            Rating(judgment=judgment, dimension="characterization", value=1 + planted.value % 5),
            Rating(
                judgment=judgment,
                dimension="legal_meaning",
                value=planted.value,
                derivation="derived",
                bracket=bracket,
                deductions=top - planted.value,
                crossing_policy="ask",
            ),
        ]
        errors += [
            ErrorDeduction(
                judgment=judgment, ordinal=ordinal, type=_KINDS[ordinal % 3], note="Le délai"
            )
            for ordinal in range(1, top - planted.value + 1)
        ]
    Rating.objects.bulk_create(ratings)
    ErrorDeduction.objects.bulk_create(errors)
    Judgment.objects.filter(pk__in=[judgment.pk for judgment in judgments]).update(submitted_at=_AT)


def send_back(study: Study, *, items: int) -> list[dict[str, Any]]:
    """Have version 2 of the guide send back what was judged of the first items, and everybody make
    it again but C of the last item. What they answered before and after, a row each: a score
    ("before", "after") and simplicity ("ease_before", "ease_after")."""
    version = GuideVersion.objects.create(study=study, number=2, body_fr="Guide 2")
    guides = {1: study.guides.get(number=1), 2: version}
    rows = Assignment.objects.filter(
        annotator__study=study, simplification__item__position__lte=items
    ).order_by("pk")
    answered, revisions, requests = [], [], []
    for number, assignment in enumerate(rows.select_related("annotator", "simplification__item")):
        errors, ease = (number % 3, number % 4 // 2), (1 + number % 2, 2)
        is_done = (assignment.annotator.pseudonym, assignment.simplification.item.position) != (
            "C",
            items,
        )
        revisions += [
            JudgmentRevision(
                assignment=assignment,
                number=revision,
                answers=answers(
                    simplicity=ease[revision - 1], errors=[_ERROR] * errors[revision - 1]
                ),
                submitted_at=_AT + timedelta(days=revision),
                guide=guides[revision],
            )
            for revision in ((1, 2) if is_done else (1,))
        ]
        requests.append(
            RejudgeRequest(
                assignment=assignment,
                guide=version,
                reason="Frais",
                requested_at=_AT + timedelta(days=1, hours=12),
                resolved_at=_AT + timedelta(days=2) if is_done else None,
            )
        )
        if is_done:
            item = assignment.simplification.item.key
            answered.append(
                {
                    "item": item,
                    "pair": f"{item}/{assignment.simplification.position}",
                    "person": assignment.annotator.pseudonym,
                    "before": 10 - errors[0],
                    "after": 10 - errors[1],
                    "ease_before": ease[0],
                    "ease_after": ease[1],
                }
            )
    JudgmentRevision.objects.bulk_create(revisions)
    RejudgeRequest.objects.bulk_create(requests)
    return answered


def fill_points(study: Study, like: Study) -> None:
    """The outputs of ``like``, judged by J and K under the protocol of points, anyhow."""
    rng = random.Random(2)
    people = [Annotator.objects.create(study=study, pseudonym=name) for name in "JK"]
    for item in like.items.order_by("position"):
        own = Item.objects.create(
            study=study,
            key=item.key,
            position=item.position,
            original=item.original,
            original_digest=item.original_digest,
        )
        for pair in item.simplifications.order_by("position"):
            its = Simplification.objects.create(
                item=own, system=pair.system, position=pair.position, text=pair.text
            )
            for person in people:
                _give_points(person, its, rng)


def _give_points(person: Annotator, pair: Simplification, rng: random.Random) -> None:
    assignment = Assignment.objects.create(annotator=person, simplification=pair, position=pair.pk)
    judgment = Judgment.objects.create(
        assignment=assignment, protocol="direct_assessment 1", started_at=_AT
    )
    Rating.objects.bulk_create(
        Rating(judgment=judgment, dimension=name, value=rng.randint(0, 100))
        for name in ("meaning", "fluency", "simplicity")
    )
    Judgment.objects.filter(pk=judgment.pk).update(submitted_at=_AT)
