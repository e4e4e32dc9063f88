"""One thing is under way and not committed when another begins. On PostgreSQL the second waits and
sees what came of the first; SQLite has one writer at a time."""

from __future__ import annotations

import pytest
from django.http import Http404

from annotation.errors import RuleError, StudyClosed
from annotation.models import Assignment, Draft, Event, Judgment, Study
from annotation.selectors.base.standings import annotators_kept, departures
from annotation.services.judging.drafts import assignment_open, draft_restore, draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.absences import absence_release
from annotation.services.planning.plans import plan_set
from annotation.services.planning.repeats import repeats_offer
from annotation.services.studies.studies import study_change_state, study_update
from tests.factories import answers, make_annotator, make_assignment, make_study, make_user, save
from tests.overlapping import overlapping
from tests.planning import annotators, days_pass, planned_study, rows, submit

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_pair_that_is_being_submitted_is_not_released():
    study = planned_study(3, 4, per_item=2, seed=1)
    absent = annotators(study)[0]
    first, *others = rows(study, annotator=absent)
    released = overlapping(
        lambda: submit(first),
        lambda: absence_release(actor=make_user(), annotator=absent, reason="absente"),
    )
    assert released.offered == len(others)
    first.refresh_from_db()
    assert first.released_at is None
    assert Judgment.objects.get(assignment=first).submitted_at is not None


def test_a_pair_that_is_being_opened_is_not_drawn_again():
    study = planned_study(2, 6, per_item=1, seed=1)
    make_annotator(study)
    mine = rows(study)

    def open_all():
        for assignment in mine:
            assignment_open(assignment=assignment)

    overlapping(
        open_all,
        lambda: plan_set(actor=None, study=study, redistribute=True, reason="retard"),
    )
    assert rows(study, released_at__isnull=False) == []


def test_a_study_closes_after_what_is_being_submitted():
    assignment = make_assignment()
    study = assignment.annotator.study
    overlapping(
        lambda: submit(assignment),
        lambda: study_change_state(actor=None, study=study, to="closed", reason="x"),
    )
    closed = Event.objects.get(study=study, verb="study_state_changed", details__after="closed")
    submitted_at = Judgment.objects.get().submitted_at
    assert submitted_at is not None
    assert submitted_at < closed.created_at


def test_nothing_is_submitted_to_a_study_that_is_closing():
    assignment = make_assignment()
    study = assignment.annotator.study
    refused = overlapping(
        lambda: study_change_state(actor=None, study=study, to="closed", reason="x"),
        lambda: submit(assignment),
    )
    assert isinstance(refused, StudyClosed)
    assert not Judgment.objects.exists()


def test_a_rule_does_not_change_under_a_submission():
    assignment = make_assignment(make_study(state="main"))
    refused = overlapping(
        lambda: submit(assignment),
        lambda: study_update(
            actor=make_user(),
            study=assignment.annotator.study,
            rulings={"crossing_policy": "clamp"},
        ),
    )
    assert isinstance(refused, RuleError)
    assert (refused.problems[0].field, refused.problems[0].code) == ("crossing_policy", "frozen")


class TestContextArm:
    def test_it_is_fixed_by_a_pair_that_is_being_opened(self):
        assignment = make_assignment()
        refused = overlapping(
            lambda: assignment_open(assignment=assignment),
            lambda: study_update(
                actor=make_user(), study=assignment.annotator.study, context_arm="all"
            ),
        )
        assert isinstance(refused, RuleError)
        assert refused.problems[0].code == "frozen"

    def test_a_pair_is_shown_as_it_was_drawn_anew(self):
        assignment = make_assignment()
        assignment.simplification.item.context_before = "Article 4."
        assignment.simplification.item.save()
        study_update(actor=make_user(), study=assignment.annotator.study, context_arm="all")
        assert not assignment.context_shown, "read before"
        assignment_open(assignment=assignment)
        assert assignment.context_shown
        assert Assignment.objects.get().opened_at == assignment.opened_at

    def test_of_two_windows_the_first_counts(self):
        assignment = make_assignment()
        other = Assignment.objects.get()
        assignment_open(assignment=assignment)
        assignment_open(assignment=other)
        assert other.opened_at == assignment.opened_at == Assignment.objects.get().opened_at


class TestRepeats:
    @pytest.fixture
    def judged(self) -> Study:
        study = planned_study(1, 1, repeat_percent=100, repeat_after_days=7, seed=3)
        submit(rows(study)[0])
        days_pass(study, 8)
        return study

    def test_what_is_being_changed_is_not_offered_again(self, judged):
        [first] = rows(judged)
        again = save(Draft.objects.get().revision, comment="Encore une chose.")
        offered = overlapping(
            lambda: draft_save(actor=first.annotator.user, assignment=first, save=again),
            lambda: repeats_offer(study=judged),
        )
        assert offered == 0

    @pytest.mark.parametrize("write", [draft_save, judgment_submit])
    def test_what_is_being_offered_again_keeps_a_change_with_the_first(self, judged, write):
        [first] = rows(judged)
        again = save(Draft.objects.get().revision, comment="Encore une chose.")
        saved = overlapping(
            lambda: repeats_offer(study=judged),
            lambda: write(actor=first.annotator.user, assignment=first, save=again),
        )
        assert not isinstance(saved, Exception)
        draft = Draft.objects.get()
        assert draft.answers["comment"] == "Encore une chose."
        assert (draft.assignment_id, draft.assignment.is_parked) == (first.pk, True)
        judgment = Judgment.objects.get()
        assert judgment.revision == (2 if write is judgment_submit else 1)
        assert departures(annotators_kept()) == []

    @pytest.mark.parametrize("write", [draft_restore, judgment_take_back])
    def test_what_is_being_offered_again_is_not_changed_otherwise(self, judged, write):
        [first] = rows(judged)
        how = {"answers": answers(comment="avant")} if write is draft_restore else {"number": 1}
        gone = overlapping(
            lambda: repeats_offer(study=judged),
            lambda: write(actor=first.annotator.user, assignment=first, **how),
        )
        assert isinstance(gone, Http404)
        assert Draft.objects.get().answers["comment"] == ""
        assert Judgment.objects.get().revision == 1
