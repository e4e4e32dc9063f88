"""Pairs that come into an open round: who judges meanwhile does not wait until all of them are
stored, and everybody's numbers are as if they had waited. On SQLite, with its one writer, nobody
can come between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Assignment, Judgment, Study, Tally
from annotation.services.base.answered import items_recount
from annotation.services.base.standings import positions_check, standings_recount
from annotation.services.planning import assignments
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_pair
from tests.planning import planned_study, rows, submit
from tests.services.judging.test_concurrency import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has one writer: nobody comes between"
    ),
]


def patient_little(call: Callable[[], Any]) -> Callable[[], Any]:
    """Refused where it would have to wait."""

    def within() -> Any:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '2s'")
            return call()

    return within


def meanwhile(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> list[Any]:
    """What this gives or raises when it comes once new pairs are stored, before they are there for
    everybody."""
    outcomes: list[Any] = []
    real = assignments._references_check

    def then() -> None:
        real()
        outcomes.extend(at_once([patient_little(call)]))

    monkeypatch.setattr(assignments, "_references_check", then)
    return outcomes


def fill(study: Study, pairs: int) -> None:
    for _ in range(pairs):
        make_pair(study)
    assignments_fill(actor=None, study=study)


def totals(annotator: int) -> list[int]:
    mine = Tally.objects.filter(annotator=annotator, in_practice=False)
    return list(mine.values_list("total", flat=True))


def test_a_submission_does_not_wait_for_pairs_that_are_given_out(monkeypatch) -> None:
    """It waited for its annotator's numbers, and took one of the site's few threads: 7 s beside an
    import of 12,000 pairs."""
    study = planned_study(2, 2)
    first = rows(study)[0]
    outcomes = meanwhile(monkeypatch, lambda: submit(first))
    fill(study, 3)
    assert len(outcomes) == 1
    assert not isinstance(outcomes[0], Exception), outcomes
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1
    assert list(positions_check()) == []
    assert totals(first.annotator_id) == [5]


def test_what_goes_out_of_sight_meanwhile_moves_the_numbers_of_what_is_new(monkeypatch) -> None:
    study = planned_study(2, 2)
    first = rows(study)[0]

    def release() -> None:
        Assignment.objects.filter(pk=first.pk).update(released_at=timezone.now())
        standings_recount([first.annotator_id])
        items_recount([first.simplification.item_id])

    outcomes = meanwhile(monkeypatch, release)
    # Given out whatever the plan says of the one that goes.
    fill(study, 3)
    assert outcomes == [None]
    assert list(positions_check()) == []
    assert totals(first.annotator_id) == [4]
    mine = Assignment.objects.filter(annotator=first.annotator_id).order_by("position")
    assert list(mine.values_list("ordinal", flat=True)) == [0, 1, 2, 3, 4]
