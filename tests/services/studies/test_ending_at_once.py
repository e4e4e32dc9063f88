"""A study that is archived or deleted, or loses an item, while somebody begins something in it: one
of the two finds the other. On SQLite, with its one writer, nobody can come between."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import Http404

from annotation.errors import RuleError, StudyArchived
from annotation.models import Assignment, Event, Generation, GenerationRun, Item, Study
from annotation.services.generation import runs
from annotation.services.generation.runs import run_create, run_resume, run_start
from annotation.services.items import removal
from annotation.services.items.removal import item_remove
from annotation.services.judging import drafts, judgments, own_pairs
from annotation.services.platform.events import event_record
from annotation.services.studies import ending
from annotation.services.studies.ending import study_archive, study_delete
from tests.factories import make_pair, make_study, make_user
from tests.planning import begin, planned_study, rows, submit
from tests.processes import PATIENCE
from tests.services.judging.test_concurrency import ENOUGH_SECONDS, at_once, both_there

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has one writer: nobody waits for a row"
    ),
]
GONE = (RuleError, StudyArchived, Http404)


def refused(outcomes: list[Any], *allowed: type[Exception]) -> list[Any]:
    """What was refused; anything else that was raised is a failure."""
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert all(isinstance(refusal, allowed or GONE) for refusal in refusals), refusals
    return refusals


@pytest.fixture
def run() -> GenerationRun:
    study = make_study()
    make_pair(study)
    new_run = run_create(actor=None, study=study)
    new_run.systems.create(
        name="s", model="m", prompt="{input}", price_prompt=0, price_completion=0
    )
    return new_run


def archive(study: Study) -> Any:
    return study_archive(actor=make_user("archives"), study=study, reason="Un essai.")


def opened(pair: Assignment) -> None:
    # One statement, and a transaction of its own: held here, so that somebody can come in between.
    with transaction.atomic():
        drafts.assignment_open(assignment=pair)


def noted(pair: Assignment) -> None:
    own_pairs.note_save(assignment=pair, text="n", base_revision=0)


def aside(pair: Assignment) -> None:
    own_pairs.pair_set_aside(assignment=pair)


def test_a_run_goes_on_or_its_study_is_archived(run, monkeypatch):
    GenerationRun.objects.update(state="paused")
    both_there(monkeypatch, (ending, "_at_rest"), (runs, "event_record"))
    outcomes = at_once([lambda: archive(run.study), lambda: run_resume(actor=None, run=run)])
    assert len(refused(outcomes)) == 1
    run.refresh_from_db()
    is_archived = Study.objects.get().archived_at is not None
    assert is_archived == (run.state == "paused")


def test_a_run_begins_or_its_study_is_deleted(run, monkeypatch):
    both_there(monkeypatch, (ending, "_at_rest"), (runs, "generations_make"))
    outcomes = at_once(
        [
            lambda: study_delete(actor=make_user(), study=run.study, key=run.study.key),
            lambda: run_start(actor=None, run=run),
        ]
    )
    assert len(refused(outcomes)) == 1
    assert Study.objects.count() == Generation.objects.count()


def test_a_run_begins_or_its_item_is_removed(run, monkeypatch):
    both_there(monkeypatch, (removal, "_take"), (runs, "generations_make"))
    item = Item.objects.get()
    outcomes = at_once(
        [
            lambda: item_remove(actor=None, item=item),
            lambda: run_start(actor=None, run=run),
        ]
    )
    refused(outcomes)
    assert Item.objects.count() == Generation.objects.count()


def test_whoever_comes_while_it_is_archived_waits_and_is_refused(monkeypatch):
    study = make_study()
    both_there(monkeypatch, (ending, "_at_rest"))
    outcomes = at_once(
        [
            lambda: archive(study),
            lambda: event_record(actor=None, study=study, verb="study_updated"),
        ]
    )
    refused(outcomes, StudyArchived)
    verbs = list(Event.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs in (["study_archived"], ["study_updated", "study_archived"])


WRITES: dict[str, Any] = {
    "draft": (drafts, "assignment_hold", begin, lambda pair: pair.draft.saved_at),
    "look": (drafts, "_opened", opened, lambda pair: pair.opened_at),
    "note": (own_pairs, "study_row_require", noted, lambda pair: pair.private_note.updated_at),
    "aside": (own_pairs, "study_row_require", aside, lambda pair: pair.set_aside_at),
}


@pytest.mark.parametrize("what", WRITES)
def test_what_is_being_written_to_a_pair_is_waited_for(what, monkeypatch):
    """Whoever writes has found the study open: it is archived after that, not in between."""
    study = planned_study(1, 1)
    module, name, write, moment = WRITES[what]
    real = getattr(module, name)
    has_looked, is_archived = threading.Event(), threading.Event()
    was_archived: list[bool] = []

    def looked(*args: Any, **kwargs: Any) -> Any:
        returned = real(*args, **kwargs)
        has_looked.set()
        was_archived.append(is_archived.wait(ENOUGH_SECONDS))
        return returned

    def put_away() -> None:
        assert has_looked.wait(PATIENCE)
        archive(study)
        is_archived.set()

    monkeypatch.setattr(module, name, looked)
    assert at_once([put_away, lambda: write(rows(study)[0])]) == [None, None]
    assert was_archived == [False]
    [pair] = rows(study)
    assert moment(pair) < Study.objects.get().archived_at


def test_a_look_that_comes_while_it_is_archived_waits_and_is_not_noted(monkeypatch):
    study = planned_study(1, 1)
    is_being_archived = threading.Event()
    real = drafts._opened

    def come(*args: Any) -> bool:
        assert is_being_archived.wait(PATIENCE)
        return real(*args)

    def put_away() -> None:
        with transaction.atomic():
            archive(study)
            is_being_archived.set()
            has_come.wait(ENOUGH_SECONDS)

    has_come = threading.Event()

    def look() -> None:
        try:
            drafts.assignment_open(assignment=rows(study)[0])
        finally:
            has_come.set()

    monkeypatch.setattr(drafts, "_opened", come)
    refused_then = refused(at_once([put_away, look]), StudyArchived)
    assert len(refused_then) == 1
    [pair] = rows(study)
    assert pair.opened_at is None


def test_submissions_do_not_wait_for_each_other(monkeypatch):
    """Both have written their event before either is done."""
    study = planned_study(2, 2)
    first, second = (rows(study, annotator=annotator)[0] for annotator in study.annotators.all())
    met: list[str] = []
    real = judgments.event_record_held

    def told(**details: Any) -> Any:
        event = real(**details)
        # Nobody holds the study in a way that keeps a third from writing, too.
        at_once([lambda: elsewhere(met, study)])
        return event

    monkeypatch.setattr(judgments, "event_record_held", told)
    assert refused([submit(first), submit(second)]) == []
    assert met == ["written", "written"]


def elsewhere(met: list[str], study: Study) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '30s'")
        event_record(actor=None, study=study, verb="study_updated")
        met.append("written")
