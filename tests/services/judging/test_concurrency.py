"""What happens at the same moment: two tabs, a double click, a study that closes, a round that
fills."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection

from annotation.errors import StaleDraft
from annotation.models import Assignment, Draft, Judgment, JudgmentRevision, SaveReceipt
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_assignment, make_pair, make_study, save

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Each call in a thread with a connection of its own, started together; what each gave or
    raised."""
    barrier = threading.Barrier(len(calls))
    outcomes: list[Any] = [None] * len(calls)

    def run(index: int, call: Callable[[], Any]) -> None:
        try:
            barrier.wait()
            outcomes[index] = call()
        except Exception as error:  # noqa: BLE001  (the test looks at it)
            outcomes[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index, call)) for index, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


# Who waits for a row cannot come to the barrier; the other goes on then.
ENOUGH_SECONDS = 2.0


def both_there(monkeypatch, *places: tuple[Any, str]) -> None:
    """Whoever comes to one of these functions waits for the other, if the other can come."""
    barrier = threading.Barrier(2)

    def paused(real: Callable[..., Any]) -> Callable[..., Any]:
        def wait(*args: Any, **kwargs: Any) -> Any:
            with suppress(threading.BrokenBarrierError):
                barrier.wait(ENOUGH_SECONDS)
            return real(*args, **kwargs)

        return wait

    for module, name in places:
        monkeypatch.setattr(module, name, paused(getattr(module, name)))


def test_ten_clicks_on_submit_are_one_judgment():
    assignment = make_assignment()
    request = save()
    user = assignment.annotator.user
    outcomes = at_once(
        [lambda: judgment_submit(actor=user, assignment=assignment, save=request)] * 10
    )
    assert [o for o in outcomes if isinstance(o, Exception)] == []
    assert sum(not outcome.replayed for outcome in outcomes) == 1
    assert (
        Judgment.objects.count(),
        JudgmentRevision.objects.count(),
        SaveReceipt.objects.count(),
    ) == (1, 1, 1)


def test_two_tabs_that_save_at_once_do_not_overwrite_each_other():
    assignment = make_assignment()
    user = assignment.annotator.user
    outcomes = at_once(
        [
            lambda: draft_save(actor=user, assignment=assignment, save=save(comment="un")),
            lambda: draft_save(actor=user, assignment=assignment, save=save(comment="deux")),
        ]
    )
    refused = [o for o in outcomes if isinstance(o, StaleDraft)]
    kept = [o for o in outcomes if not isinstance(o, Exception)]
    assert (len(refused), len(kept)) == (1, 1)
    assert Draft.objects.get().answers == kept[0].answers


def test_five_annotators_submit_at_once():
    study = make_study(state="main")
    make_pair(study)
    for _ in range(5):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    mine = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    outcomes = at_once(
        [
            lambda a=assignment: judgment_submit(actor=a.annotator.user, assignment=a, save=save())
            for assignment in mine
        ]
    )
    assert [o for o in outcomes if isinstance(o, Exception)] == []
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 5


def test_a_round_that_is_filled_twice_at_once_gives_each_pair_once():
    study = make_study(state="main")
    for _ in range(20):
        make_pair(study)
    make_annotator(study)
    make_annotator(study)
    outcomes = at_once([lambda: assignments_fill(actor=None, study=study)] * 4)
    assert sorted(outcomes) == [0, 0, 0, 40]
    assert Assignment.objects.count() == 40
