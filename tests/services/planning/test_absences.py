"""An absent person's pairs go to others; late answers are kept, and no more count than the plan
asks for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Assignment, Event, plan_of
from annotation.selectors.judging.queue import counts, first_open
from annotation.selectors.planning.absence import presences
from annotation.selectors.planning.plan import allocation
from annotation.selectors.planning.preview import plan_preview
from annotation.services.planning import absences
from annotation.services.planning.absences import absence_release, absences_sweep
from annotation.services.planning.plans import plan_set
from annotation.services.studies.studies import study_change_state
from tests.factories import make_user
from tests.planning import annotators, begin, codes, days_pass, planned_study, rows, seen, submit

pytestmark = pytest.mark.django_db


def release(annotator, reason="absente"):
    return absence_release(actor=make_user(), annotator=annotator, reason=reason)


def live(study):
    teams: dict[int, set[str]] = {}
    for row in rows(study, simplification__item__round="main", released_at=None):
        teams.setdefault(row.simplification_id, set()).add(row.annotator.pseudonym)
    return teams


def test_by_hand_unbegun_pairs_go_to_whoever_has_fewest():
    study = planned_study(4, 8, per_item=2, seed=1)
    absent = annotators(study)[0]
    done, begun, *untouched = rows(study, annotator=absent)
    submit(done)
    begin(begun)
    outcome = release(absent)
    assert (outcome.offered, outcome.kept) == (len(untouched) + 1, 0)
    teams = live(study)
    assert {len(team) for team in teams.values()} == {2}
    assert [pair for pair, team in teams.items() if "A" in team] == [done.simplification_id]
    assert [row.pk for row in seen(absent)] == [done.pk, begun.pk], "what is begun stays in sight"
    assert counts(absent) == (1, 2)
    assert first_open(absent) == begun.position
    event = Event.objects.get(study=study, verb="pairs_released")
    assert (event.target_id, event.details["offered"]) == (str(absent.pk), outcome.offered)


def test_who_is_away_gets_nothing_and_who_is_back_does():
    study = planned_study(3, 4, per_item=2, seed=1)
    absent = annotators(study)[0]
    release(absent)
    assert [presence.annotator.pseudonym for presence in presences(study) if presence.away] == ["A"]
    plan = plan_of(study)
    assert allocation(study, plan).away == ["A"]
    row = rows(study, annotator=absent)[0]
    Assignment.objects.filter(pk=row.pk).update(opened_at=row.annotator.created_at)
    assert "A" in plan_preview(study, plan).allocation.away, "that was before"
    begin(row)
    assert allocation(study, plan).away == []


def test_a_late_answer_is_kept_and_apart_where_enough_count_already():
    study = planned_study(3, 1, per_item=2, seed=1)
    holders = rows(study)
    late = holders[0]
    begin(late)
    release(late.annotator)
    for row in rows(study, released_at=None):
        assert not submit(row).surplus
    assert submit(late).surplus


def test_a_late_answer_counts_where_it_comes_first():
    study = planned_study(3, 1, per_item=2, seed=1)
    late = rows(study)[0]
    begin(late)
    release(late.annotator)
    assert not submit(late).surplus
    assert [submit(row).surplus for row in rows(study, released_at=None, judgment=None)] == [
        False,
        True,
    ]


class TestRefusals:
    def test_why_nothing_can_be_released(self):
        study = planned_study(3, 3, per_item=3)
        annotator = annotators(study)[0]
        for reason, wanted in (
            (" ", ("reason", "required")),
            ("absente", ("annotator", "nobody_left")),
        ):
            with pytest.raises(RuleError) as error:
                release(annotator, reason)
            assert codes(error) == [wanted]
        assert rows(study, released_at__isnull=False) == []
        for row in rows(study, annotator=annotator):
            submit(row)
        with pytest.raises(RuleError) as error:
            release(annotator)
        assert codes(error) == [("annotator", "nothing")]

    def test_where_everybody_judges_everything(self):
        study = planned_study(2, 2)
        with pytest.raises(RuleError) as error:
            release(annotators(study)[0])
        assert codes(error) == [("annotator", "nobody_else")]
        study_change_state(actor=None, study=study, to="closed", reason="fin")
        with pytest.raises(RuleError) as error:
            release(annotators(study)[0])
        assert codes(error) == [("annotator", "round_closed")]


class TestLimit:
    def test_nothing_happens_without_one(self):
        study = planned_study(3, 3, per_item=1)
        days_pass(study, 400)
        assert absences_sweep() == 0

    def test_after_so_many_days_without_a_sign_of_life(self):
        planned_study(3, 6, per_item=1, seed=1, release_after_days=5)
        assert absences_sweep() == 0, "the round was opened today"

    def test_the_clock_runs_from_the_last_sign_of_life(self, monkeypatch):
        study = planned_study(3, 6, per_item=1, seed=1, release_after_days=5)
        now = timezone.now()
        active = annotators(study)[:2]
        monkeypatch.setattr(
            "annotation.selectors.planning.absence.timezone.now", lambda: now + timedelta(days=6)
        )
        for annotator in active:
            Assignment.objects.filter(pk=seen(annotator)[0].pk).update(
                opened_at=now + timedelta(days=4)
            )
        assert absences_sweep() == 2
        assert not seen(annotators(study)[2])
        assert absences_sweep() == 0, "nothing is left to release"
        assert {len(team) for team in live(study).values()} == {1}

    def test_who_comes_back_after_the_look_keeps_their_pairs(self, monkeypatch):
        study = planned_study(3, 6, per_item=1, seed=1, release_after_days=5)
        later = timezone.now() + timedelta(days=6)
        monkeypatch.setattr("annotation.selectors.planning.absence.timezone.now", lambda: later)
        *active, back = annotators(study)
        for annotator in active:
            Assignment.objects.filter(pk=seen(annotator)[0].pk).update(opened_at=later)
        counted = absences._waiting

        def comes_back(annotator):
            Assignment.objects.filter(pk=seen(back)[0].pk).update(opened_at=later)
            return counted(annotator)

        monkeypatch.setattr(absences, "_waiting", comes_back)
        assert absences_sweep() == 0
        assert rows(study, released_at__isnull=False) == []

    def test_what_nobody_can_take_stays(self, monkeypatch):
        study = planned_study(2, 3, per_item=2, seed=1, release_after_days=1)
        now = timezone.now()
        monkeypatch.setattr(
            "annotation.selectors.planning.absence.timezone.now", lambda: now + timedelta(days=2)
        )
        assert absences_sweep() == 0
        assert rows(study, released_at__isnull=False) == []


def test_a_partly_takeable_load_is_partly_released():
    study = planned_study(3, 4, per_item=2, seed=1)
    first, second, _third = annotators(study)
    release(first)
    plan_set(actor=None, study=study, release_after_days=9)
    with pytest.raises(RuleError):
        release(second)
