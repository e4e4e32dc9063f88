"""Two requests under one key at the same moment: one writes, both get its answer."""

from __future__ import annotations

import threading

import pytest
from django.db import IntegrityError, connection

from annotation.models import Event, IdempotencyRecord
from annotation.services.platform.events import event_record
from annotation.services.platform.idempotency import Answer, answered_once
from tests.factories import make_user
from tests.processes import PATIENCE


@pytest.mark.django_db(transaction=True)
def test_two_at_once_write_once():
    actor, answers = make_user(), []
    looked = threading.Barrier(4)

    def all_have_looked(execute, sql, *rest):
        """Nobody writes before all have found that nothing was written yet."""
        outcome = execute(sql, *rest)
        if sql.startswith("SELECT") and threading.current_thread() in looking:
            looking.remove(threading.current_thread())
            looked.wait(PATIENCE)
        return outcome

    def write() -> Answer:
        event_record(actor=actor, verb="study_created")
        return Answer(201, {"made": True})

    def ask() -> None:
        try:
            with connection.execute_wrapper(all_have_looked):
                answers.append(
                    answered_once(
                        actor=actor, key="k", request_digest="d", write=write, may_read=int
                    )
                )
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    looking = set(threads)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(answer.status, answer.body) for answer in answers] == [(201, {"made": True})] * 4
    assert sorted(answer.replayed for answer in answers) == [False, True, True, True]
    assert Event.objects.count() == IdempotencyRecord.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_write_that_breaks_leaves_nothing():
    actor = make_user()

    def write() -> Answer:
        event_record(actor=actor, verb="study_created")
        raise ValueError("cut off")

    with pytest.raises(ValueError, match="cut off"):
        answered_once(actor=actor, key="k", request_digest="d", write=write, may_read=int)
    assert not Event.objects.exists()
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.django_db
def test_a_write_that_breaks_a_rule_of_the_database_is_no_repetition():
    def write() -> Answer:
        raise IntegrityError("its own")

    with pytest.raises(IntegrityError, match="its own"):
        answered_once(actor=make_user(), key="k", request_digest="d", write=write, may_read=int)
    assert not IdempotencyRecord.objects.exists()
