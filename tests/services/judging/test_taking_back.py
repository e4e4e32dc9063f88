"""A submission of a moment ago is taken back: a draft again, or the one before in force; nothing is
built on it."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.answers import restore
from annotation.errors import RuleError, StudyClosed
from annotation.models import (
    Adjudication,
    Assignment,
    DatasetSnapshot,
    Draft,
    DraftVersion,
    ErrorDeduction,
    Event,
    Judgment,
    JudgmentRevision,
    PracticeMeeting,
    PracticeNote,
    Rating,
    RejudgeRequest,
    RemarkAnswer,
    RemarkSettlement,
    Study,
    StudyPlan,
    WorkedDay,
    standing,
    submission_name,
)
from annotation.selectors.judging.own import own_former_answers, own_revisions
from annotation.selectors.judging.queue import counts
from annotation.selectors.privacy.personal import personal_data
from annotation.selectors.watching.pay import Period, pay_lines
from annotation.services.judging.drafts import Save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.assignments import assignments_fill
from tests.factories import answers, make_annotator, make_assignment, make_study, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment()


def submit(assignment: Assignment, comment: str = "", base: int = 0, **changed: Any) -> Save:
    save = Save(
        answers=answers(comment=comment, **changed),
        base_revision=base,
        key=uuid.uuid4(),
        active_seconds=30,
    )
    saved = judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save)
    assert saved.number
    return save


def take_back(assignment: Assignment, number: int = 1) -> bool:
    return judgment_take_back(actor=assignment.annotator.user, assignment=assignment, number=number)


def refused(assignment: Assignment, number: int = 1) -> str:
    with pytest.raises(RuleError) as error:
        take_back(assignment, number)
    return error.value.problems[0].code


def test_a_first_submission_is_a_draft_again(assignment):
    submit(assignment, "trop vite")
    worked = WorkedDay.objects.get().seconds
    assert take_back(assignment)
    assert not Judgment.objects.exists()
    assert not Rating.objects.exists()
    assert not ErrorDeduction.objects.exists()
    assert not JudgmentRevision.objects.filter(standing()).exists()
    kept = JudgmentRevision.objects.get()
    assert (kept.number, kept.answers["comment"]) == (1, "trop vite"), (
        "the record keeps what was submitted"
    )
    assert kept.taken_back_at
    assert Draft.objects.get().answers["comment"] == "trop vite"
    assert counts(assignment.annotator) == (0, 1)
    assert WorkedDay.objects.get().seconds == worked, "the time was worked"
    assert DraftVersion.objects.get().origin == "taken_back"
    event = Event.objects.get(verb="judgment_taken_back")
    assert (event.actor, event.details["revision"]) == (assignment.annotator.user, 1)
    submit(assignment, "mieux", 1)
    assert Judgment.objects.get().revision == 1


def test_twice_is_once(assignment):
    submit(assignment)
    assert take_back(assignment)
    assert not take_back(assignment)
    assert Event.objects.filter(verb="judgment_taken_back").count() == 1


def test_a_late_repeat_does_not_take_back_the_submission_that_has_the_number_now(assignment):
    submit(assignment, "vite")
    named = submission_name(JudgmentRevision.objects.get())
    person = assignment.annotator.user

    def taken() -> bool:
        return judgment_take_back(actor=person, assignment=assignment, number=1, submission=named)

    assert taken()
    assert not taken()
    submit(assignment, "mieux", 1)
    assert not taken()
    assert said(Judgment.objects.get(), "comment") == "mieux"
    assert Event.objects.filter(verb="judgment_taken_back").count() == 1


def test_what_was_never_submitted_is_not_said_to_be_taken_back(assignment):
    assert refused(assignment) == "unknown"
    submit(assignment)
    assert refused(assignment, 42) == "unknown"
    with pytest.raises(RuleError) as error:
        judgment_take_back(
            actor=assignment.annotator.user, assignment=assignment, number=1, submission="x" * 32
        )
    assert error.value.problems[0].code == "unknown"
    assert take_back(assignment)
    with pytest.raises(RuleError):
        judgment_take_back(
            actor=assignment.annotator.user, assignment=assignment, number=1, submission="x" * 32
        )
    assert refused(assignment, 2) == "unknown"
    assert not take_back(assignment), "this one was"


def test_the_name_of_a_submission_tells_no_row(assignment, settings):
    """Who submits knows the moment; the number of the row could be tried out."""
    submit(assignment)
    [revision] = JudgmentRevision.objects.all()
    named = submission_name(revision)
    assert named == submission_name(revision)
    settings.SECRET_KEY = "another installation's"
    assert named != submission_name(revision)


def test_a_replay_of_the_submission_does_not_submit_again(assignment):
    save = submit(assignment)
    take_back(assignment)
    again = judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save)
    assert (again.replayed, again.number) == (True, 0)
    assert not Judgment.objects.exists()


def test_a_correction_gives_way_to_the_submission_before_it(assignment):
    submit(assignment, "la première", bracket=3)
    first = Judgment.objects.get()
    RejudgeRequest.objects.create(assignment=assignment, reason="guide")
    submit(assignment, "la correction", 1, bracket=2, errors=[])
    assert take_back(assignment, 2)
    judgment = Judgment.objects.get()
    assert (judgment.revision, judgment.submitted_at, said(judgment, "comment")) == (
        1,
        first.submitted_at,
        "la première",
    )
    restored = restore(judgment, assignment.annotator.study.protocol)
    assert (restored["bracket"], len(restored["errors"])) == (3, 1)
    assert judgment.ratings.get(dimension="legal_meaning").value == 9
    assert Draft.objects.get().answers["comment"] == "la correction"
    assert RejudgeRequest.objects.get().resolved_at is None
    assert not take_back(assignment, 2)
    submit(assignment, "encore", 2)
    assert Judgment.objects.get().revision == 2
    kept = [
        (revision.number, revision.answers["comment"], revision.taken_back_at is None)
        for revision in JudgmentRevision.objects.all()
    ]
    assert kept == [(1, "la première", True), (2, "la correction", False), (2, "encore", True)]


def test_what_counts_submissions_leaves_it_out(assignment):
    study = assignment.annotator.study
    period = Period(None, None)
    submit(assignment, "un")
    take_back(assignment)
    assert [line.judgments for line in pay_lines(study, period)] == [0]
    assert own_revisions(assignment) == []
    assert own_former_answers(assignment, "submission", 1) is None
    submit(assignment, "deux", 1)
    (line,) = pay_lines(study, period)
    assert (line.judgments, line.corrections) == (1, 0)
    assert [revision.answers["comment"] for revision in own_revisions(assignment)] == ["deux"]
    submissions = personal_data(assignment.annotator.user)["annotates"][0]["pairs"][0][
        "submissions"
    ]
    assert [
        (submission["answers"]["comment"], bool(submission["taken_back_at"]))
        for submission in submissions
    ] == [
        ("un", True),
        ("deux", False),
    ]


def test_only_the_last_one_is_taken_back(assignment):
    submit(assignment)
    submit(assignment, "correction", 1)
    assert refused(assignment) == "newer"


def test_not_after_ten_minutes(assignment):
    submit(assignment)
    JudgmentRevision.objects.update(submitted_at=timezone.now() - timedelta(minutes=11))
    assert refused(assignment) == "too_late"
    assert Judgment.objects.exists()


def test_not_once_the_round_is_closed(assignment):
    submit(assignment)
    Study.objects.update(state="closed")
    with pytest.raises(StudyClosed):
        take_back(assignment)


def _frozen(assignment: Assignment) -> None:
    second = timezone.now().replace(microsecond=0)
    DatasetSnapshot.objects.create(
        study=assignment.annotator.study,
        number=1,
        created_at=second,
        recipe={},
        manifest={},
        content_digest="x",
    )


def _ruled(assignment: Assignment) -> None:
    Adjudication.objects.create(
        study=assignment.annotator.study,
        simplification=assignment.simplification,
        dimension="simplicity",
        outcome="divided",
        reasons="deux lectures",
    )


@pytest.mark.parametrize(
    "since",
    [
        _frozen,
        _ruled,
        lambda assignment: RemarkAnswer.objects.create(assignment=assignment, text="Vu."),
        lambda assignment: RemarkSettlement.objects.create(assignment=assignment, revision=1),
        lambda assignment: RejudgeRequest.objects.create(assignment=assignment, reason="guide"),
    ],
)
def test_not_where_something_builds_on_it(assignment, since):
    submit(assignment)
    since(assignment)
    assert refused(assignment) == "built_on"
    assert Judgment.objects.exists()


class TestPractice:
    @pytest.fixture
    def practised(self) -> Assignment:
        assignment = make_assignment(make_study(state="practice"), round="practice")
        submit(assignment)
        return assignment

    def test_before_the_meeting(self, practised):
        PracticeNote.objects.create(simplification=practised.simplification, note="à discuter")
        assert take_back(practised)

    def test_not_once_the_meeting_was_opened(self, practised):
        PracticeMeeting.objects.create(study=practised.annotator.study)
        assert refused(practised) == "built_on"

    def test_not_once_its_feedback_is_published(self, practised):
        PracticeNote.objects.create(
            simplification=practised.simplification, published_at=timezone.now()
        )
        assert refused(practised) == "built_on"


@pytest.mark.parametrize("counted", [True, False])
def test_where_so_many_count_the_next_one_takes_its_place(counted):
    study = make_study(state="main")
    first = make_assignment(study)
    second = make_annotator(study)
    assignments_fill(actor=None, study=study)
    StudyPlan.objects.create(study=study, per_item=1)
    other = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    ).get(annotator=second)
    submit(first)
    submit(other)
    assert Judgment.objects.get(assignment=other).surplus
    taken, left = (first, other) if counted else (other, first)
    assert take_back(taken)
    assert not Judgment.objects.get(assignment=left).surplus
    submit(taken, "de nouveau", 1)
    assert Judgment.objects.get(assignment=taken).surplus
