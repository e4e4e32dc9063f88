"""Two who would count one person's pairs anew at the same moment, each with one of the pairs in
hand: they take turns. PostgreSQL ends one of two that wait for each other, and a save would be
lost."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction

from annotation.models import PARKED, Assignment, Draft, Item, Study
from annotation.selectors.base.standings import annotators_kept, departures
from annotation.services.base.standings import standings_recount
from annotation.services.judging import drafts, judgments
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning import assignments as planning
from annotation.services.planning import plans
from annotation.services.planning.absences import absence_release
from annotation.services.planning.plans import plan_set
from annotation.services.planning.repeats import repeats_offer
from tests.factories import make_user, save
from tests.planning import annotators, days_pass, planned_study, rows, submit
from tests.services.judging.test_concurrency import at_once, both_there

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has one writer: nobody waits for a row"
    ),
]
HIDDEN = Assignment.Standing.HIDDEN


@pytest.fixture
def released() -> tuple[Study, list[Assignment], list[Assignment]]:
    """A study whose one absent person's pairs were given to others: as their browser read them
    before, and as they are now."""
    study = planned_study(3, 4, per_item=2, seed=1)
    absent = annotators(study)[0]
    before = rows(study, annotator=absent)
    absence_release(actor=make_user(), annotator=absent, reason="absente")
    now = sorted(rows(study, annotator=absent), key=lambda row: row.pk)
    before = sorted(before, key=lambda row: row.pk)
    assert {row.standing for row in now} == {HIDDEN}
    assert HIDDEN not in {row.standing for row in before}
    return study, before, now


def saved(row: Assignment) -> Any:
    return draft_save(actor=row.annotator.user, assignment=row, save=save())


@pytest.mark.parametrize("fresh", [True, False])
def test_two_windows_save_what_was_released(released, monkeypatch, fresh):
    """``fresh``: whether the pages were read after the release, or in the moment of it."""
    _study, before, now = released
    read = now if fresh else before
    both_there(monkeypatch, (drafts, "draft_store"))
    outcomes = at_once([lambda: saved(read[-1]), lambda: saved(read[0])])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert Draft.objects.count() == 2
    assert departures(annotators_kept()) == []


def test_a_submission_and_a_save(released, monkeypatch):
    _study, before, now = released
    both_there(monkeypatch, (drafts, "_begun"))
    first = now[0]
    outcomes = at_once(
        [
            lambda: saved(before[-1]),
            lambda: judgment_submit(actor=first.annotator.user, assignment=first, save=save()),
        ]
    )
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert departures(annotators_kept()) == []


def test_a_save_and_the_sweep(released, monkeypatch):
    """The sweep takes back the last pair while its person saves the first, released one."""
    study, _before, now = released
    last = now[-1]
    with transaction.atomic():
        planning._take_up([last.pk])
    both_there(monkeypatch, (drafts, "draft_store"), (planning, "standings_recount"))

    def sweep() -> None:
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            planning._release([last.pk])

    outcomes = at_once([sweep, lambda: saved(now[0])])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert departures(annotators_kept()) == []


@pytest.mark.parametrize("write", [draft_save, judgment_submit])
def test_a_correction_of_what_is_offered_again_while_the_repeat_is_submitted(monkeypatch, write):
    study = planned_study(1, 4, repeat_percent=100, repeat_after_days=7, seed=3)
    for row in rows(study):
        submit(row)
    days_pass(study, 8)
    assert repeats_offer(study=study) == 4
    first = rows(study, position=PARKED + 1)[0]
    repeat = rows(study, position=1)[0]
    both_there(monkeypatch, (drafts, "draft_store"), (judgments, "draft_store"))
    outcomes = at_once(
        [
            lambda: write(
                actor=first.annotator.user, assignment=first, save=save(1, comment="corrigée")
            ),
            lambda: submit(repeat),
        ]
    )
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert Draft.objects.get(assignment=first).answers["comment"] == "corrigée"
    assert Draft.objects.get(assignment=repeat).answers["comment"] == ""
    assert departures(annotators_kept()) == []


def test_a_save_and_a_plan_that_is_drawn_anew(monkeypatch):
    """A plan takes back main pairs; everything of their annotators is counted anew then, practice
    too, which a save of a released pair holds first."""
    study = planned_study(3, 8, seed=1)
    Item.objects.filter(pk=rows(study)[0].simplification.item_id).update(round="practice")
    annotator = annotators(study)[0]
    with transaction.atomic():
        standings_recount(annotators_kept())
        planning._release([rows(study, annotator=annotator)[-1].pk])
    released = rows(study, annotator=annotator)[-1]
    assert released.standing == HIDDEN
    both_there(monkeypatch, (plans, "allocation"), (drafts, "annotators_hold"))
    outcomes = at_once(
        [
            lambda: plan_set(
                actor=None, study=Study.objects.get(pk=study.pk), per_item=1, redistribute=True
            ),
            lambda: saved(released),
        ]
    )
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert departures(annotators_kept()) == []
