"""The last answer that counts, submitted by several people at the same moment; and what the
database refuses."""

from __future__ import annotations

import threading

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.models import Judgment
from annotation.selectors.guides.rejudging import sendable
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.planning.plans import plan_set
from annotation.services.platform.events import event_record
from tests.factories import make_user
from tests.planning import planned_study, rows, submit
from tests.services.judging.test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def counted(study):
    return Judgment.objects.filter(
        assignment__annotator__study=study, submitted_at__isnull=False, surplus=False
    ).count()


@pytest.mark.parametrize("per_item", [1, 2])
def test_two_who_submit_the_last_answer_at_once(per_item):
    study = planned_study(4, 1)
    plan_set(actor=None, study=study, per_item=per_item)
    outcomes = at_once([lambda row=row: submit(row).surplus for row in rows(study)])
    assert sorted(outcomes) == [False] * per_item + [True] * (4 - per_item)
    assert counted(study) == per_item


def test_a_plan_that_asks_for_less_while_people_submit():
    study = planned_study(4, 1)
    submissions = [lambda row=row: submit(row).surplus for row in rows(study)]
    *answers, outcome = at_once(
        [*submissions, lambda: plan_set(actor=None, study=study, per_item=2)]
    )
    assert [answer for answer in answers if not isinstance(answer, bool)] == [], (
        "nobody's answer is lost"
    )
    refused = isinstance(outcome, Exception)
    assert counted(study) == (4 if refused else 2) or (refused and counted(study) > 2)


def test_the_database_refuses_one_counted_answer_too_many():
    study = planned_study(3, 1)
    plan_set(actor=None, study=study, per_item=2)
    for row in rows(study):
        submit(row)
    with pytest.raises(IntegrityError, match="judgment_surplus"), transaction.atomic():
        Judgment.objects.filter(surplus=True).update(surplus=False)
    assert connection.vendor in ("sqlite", "postgresql")
    assert counted(study) == 2


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer: neither could hold its row"
)
def test_a_correction_while_its_judgment_is_sent_back(monkeypatch):
    """Each holds what the other asks for: the correction its assignment, the request its study."""
    study = planned_study(1, 1)
    [row] = rows(study)
    submit(row)
    lead = make_user("lead")
    corrected, locked = threading.Event(), threading.Event()

    def recorded(**event):
        corrected.set()
        assert locked.wait(5)
        return event_record(**event)

    def chosen(study):
        locked.set()
        return sendable(study)

    def sent_back():
        assert corrected.wait(5)
        return rejudge_request(
            actor=lead, study=study, keys=[row.simplification.item.key], reason="guide"
        )

    monkeypatch.setattr("annotation.services.judging.judgments.event_record_held", recorded)
    monkeypatch.setattr("annotation.services.guides.rejudging.sendable", chosen)
    correction, number = at_once([lambda: submit(row, comment="relu").revision, sent_back])
    assert (correction, number) == (2, 1)
