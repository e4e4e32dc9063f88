"""Somebody withdraws, or comes back, while others submit the last answer: as many count as the plan
asks for."""

from __future__ import annotations

import threading

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.models import Judgment, WorkedDay
from annotation.services.judging.drafts import draft_save
from annotation.services.people import people
from annotation.services.platform.events import event_record
from tests.factories import save
from tests.planning import planned_study, rows, submit
from tests.services.judging.test_concurrency import at_once
from tests.services.people.test_withdrawals import come_back, counting, judge, shared_pair, withdraw

pytestmark = pytest.mark.django_db(transaction=True)
ONE_WRITER = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer: nobody waits for a row"
)


def test_a_withdrawal_while_others_submit():
    study = shared_pair(5)
    judge(study, "AB")
    late = [row for row in rows(study) if row.annotator.pseudonym in "CDE"]
    outcomes = at_once(
        [lambda: withdraw(study, "A"), *(lambda row=row: submit(row) for row in late)]
    )
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert len(counting(study)) == 2
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 5, (
        "nobody's answer is lost"
    )


def test_a_return_while_others_submit():
    study = shared_pair(4)
    judge(study, "AB")
    withdraw(study, "A")
    late = [row for row in rows(study) if row.annotator.pseudonym in "CD"]
    outcomes = at_once(
        [lambda: come_back(study, "A"), *(lambda row=row: submit(row) for row in late)]
    )
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert len(counting(study)) == 2


def test_two_who_withdraw_at_once():
    study = shared_pair(4)
    judge(study, "ABCD")
    outcomes = at_once([lambda: withdraw(study, "A"), lambda: withdraw(study, "B")])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert counting(study) == "CD"


@ONE_WRITER
@pytest.mark.parametrize("returns", [False, True])
def test_it_waits_for_an_answer_that_has_been_weighed_already(monkeypatch, returns):
    """The submission holds its pair and has decided whether it counts; the other one holds the
    study."""
    study = shared_pair(3)
    judge(study, "AB")
    if returns:
        withdraw(study, "A")
    [late] = rows(study, annotator__pseudonym="C")
    weighed, asking = threading.Event(), threading.Event()
    hold = people.pairs_hold

    def recorded(**event):
        weighed.set()
        assert asking.wait(5)
        return event_record(**event)

    def held(pairs):
        asking.set()
        hold(pairs)

    def changed():
        assert weighed.wait(5)
        return (come_back if returns else withdraw)(study, "A")

    monkeypatch.setattr("annotation.services.judging.judgments.event_record_held", recorded)
    monkeypatch.setattr("annotation.services.people.people.pairs_hold", held)
    outcomes = at_once([lambda: submit(late), changed])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert counting(study) == "BC"


def test_the_database_counts_no_withdrawn_answer_and_no_further_one():
    study = shared_pair(4)
    judge(study, "ABCD")
    withdraw(study, "A")
    assert counting(study) == "BC"
    with pytest.raises(IntegrityError, match="judgment_surplus"), transaction.atomic():
        Judgment.objects.filter(surplus=True).update(surplus=False)
    assert (
        Judgment.objects.filter(assignment__annotator__pseudonym="A").update(active_seconds=7) == 1
    )


def test_the_first_time_of_a_day_saved_on_several_pairs_at_once():
    study = planned_study(1, 4)
    saves = [
        lambda row=row: draft_save(
            actor=row.annotator.user, assignment=row, save=save(active_seconds=10)
        )
        for row in rows(study)
    ]
    outcomes = at_once(saves)
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert sum(row.seconds for row in WorkedDay.objects.all()) == 40
