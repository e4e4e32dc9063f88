"""The guide is read before anything is judged by it, and read again after an amendment."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Event,
    GuideStanding,
    Judgment,
    JudgmentRevision,
    RejudgeRequest,
    SideAnswer,
    guide_standing,
    with_guide,
)
from annotation.selectors.guides.acknowledgement import (
    guide_due,
    last_acknowledged,
    yet_to_acknowledge,
)
from annotation.selectors.guides.rejudging import candidate_items, candidates, rejudge_reason
from annotation.selectors.judging.own import own_judgments
from annotation.selectors.judging.queue import counts, first_open, place
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.guides.rejudging import rejudge_cancel, rejudge_request
from annotation.services.judging.judgments import Refused, judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import guide_publish
from tests.factories import make_annotator, make_assignment, make_pair, make_user, save
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db


def submit(assignment: Assignment, revision: int = 0, **answers) -> None:
    assignment = Assignment.objects.select_related("annotator__study", "simplification__item").get(
        pk=assignment.pk
    )
    judgment_submit(
        actor=assignment.annotator.user, assignment=assignment, save=save(revision, **answers)
    )


class TestReading:
    def test_a_submission_by_an_unread_guide_is_refused_and_its_draft_kept(self):
        assignment = make_assignment()
        annotator, study = assignment.annotator, assignment.annotator.study
        guide_publish(actor=None, study=study, body_fr="un")
        with pytest.raises(Refused) as refused:
            submit(assignment)
        assert (code(refused), refused.value.saved.revision) == ("unacknowledged", 1)
        assert Draft.objects.get().answers["characterization"] == 7
        assert not Judgment.objects.exists()
        guide_acknowledge(annotator=annotator, number=1)
        submit(assignment, 1)
        guide_publish(actor=None, study=study, body_fr="deux")
        with pytest.raises(Refused):
            submit(assignment, 2)
        guide_acknowledge(annotator=annotator, number=2)
        submit(assignment, 3)
        assert list(JudgmentRevision.objects.values_list("guide__number", flat=True)) == [1, 2]

    def test_once_is_enough_and_only_the_version_in_force(self):
        annotator = make_assignment().annotator
        with pytest.raises(RuleError) as refused:
            guide_acknowledge(annotator=annotator, number=1)
        assert code(refused) == "not_in_force"
        for body in ("un", "deux"):
            guide_publish(actor=None, study=annotator.study, body_fr=body)
        with pytest.raises(RuleError):
            guide_acknowledge(annotator=annotator, number=1)
        assert yet_to_acknowledge(annotator.study) == [annotator]
        first = guide_acknowledge(annotator=annotator, number=2)
        assert guide_acknowledge(annotator=annotator, number=2) == first
        assert Event.objects.filter(verb="guide_acknowledged").count() == 1
        assert yet_to_acknowledge(annotator.study) == []
        assert last_acknowledged(annotator).number == 2

    def test_without_a_guide_and_for_machines_nothing_is_due(self):
        study = make_assignment().annotator.study
        assert yet_to_acknowledge(study) == []
        guide = guide_publish(actor=None, study=study, body_fr="un")
        machine = Annotator.objects.create(study=study, kind="machine", pseudonym="M1")
        assert guide_due(machine, guide) is None
        assert guide_due(machine, None) is None

    @pytest.mark.parametrize("comes", [True, False])
    def test_what_a_pair_says_of_its_guide(self, comes):
        """Whether it ``comes`` with the pair or is asked for."""
        assignment = make_assignment()
        annotator, study = assignment.annotator, assignment.annotator.study
        machine = Annotator.objects.create(study=study, kind="machine", pseudonym="M1")
        Assignment.objects.create(
            annotator=machine, simplification=assignment.simplification, position=1
        )

        def standings() -> list[GuideStanding]:
            pairs = Assignment.objects.order_by("annotator")
            return [guide_standing(pair) for pair in (with_guide(pairs) if comes else pairs)]

        assert standings() == [(None, False), (None, False)]
        first = guide_publish(actor=None, study=study, body_fr="un")
        assert standings() == [(first.pk, True), (first.pk, False)]
        guide_acknowledge(annotator=annotator, number=1)
        assert standings() == [(first.pk, False), (first.pk, False)]
        second = guide_publish(actor=None, study=study, body_fr="deux")
        assert standings() == [(second.pk, True), (second.pk, False)]


class TestAgain:
    @pytest.fixture
    def judged(self) -> Assignment:
        """One person who has judged their first pair and has a second one to do."""
        first = make_assignment()
        make_pair(first.annotator.study)
        assignments_fill(actor=None, study=first.annotator.study)
        submit(first, doubt=True)
        return first

    def test_what_is_sent_back_waits_until_it_is_submitted_again(self, judged):
        annotator, study = judged.annotator, judged.annotator.study
        assert (first_open(annotator), counts(annotator)) == (2, (1, 2))
        assert (
            rejudge_request(actor=make_user(), study=study, keys=["item-0001"], reason=" Frais ")
            == 1
        )
        assert (first_open(annotator), counts(annotator)) == (1, (0, 2))
        assert place(annotator.assignments.get(position=2)).next_open == 1
        assert rejudge_reason(judged) == "Frais"
        assert [row.position for row in own_judgments(annotator, state="again")] == [1]
        assert Judgment.objects.get().submitted_at, "the former judgment stays in force"
        submit(judged, 1, characterization=5)
        assert rejudge_reason(judged) == ""
        assert RejudgeRequest.objects.get().resolved_at
        assert list(own_judgments(annotator, state="again")) == []
        assert [
            revision.answers["characterization"] for revision in JudgmentRevision.objects.all()
        ] == [7, 5]

    def test_what_is_refused(self, judged):
        study = judged.annotator.study
        for keys, reason, why in (
            (["item-0001"], " ", "required"),
            (["item-0002"], "amendé", "nothing"),
            ([], "amendé", "nothing"),
            (["item-0001", "item-9999"], "amendé", "missing"),
        ):
            with pytest.raises(RuleError) as refused:
                rejudge_request(actor=make_user(), study=study, keys=keys, reason=reason)
            assert code(refused) == why
        guide_publish(actor=None, study=study, body_fr="un")
        rejudge_request(actor=make_user(), study=study, keys=["item-0001"], reason="amendé")
        assert Event.objects.get(verb="rejudge_requested").details["guide"] == 1
        with pytest.raises(RuleError):
            rejudge_request(actor=make_user(), study=study, keys=["item-0001"], reason="encore")

    def test_it_can_be_taken_back(self, judged):
        study = judged.annotator.study
        assert rejudge_cancel(actor=make_user(), study=study) == 0
        rejudge_request(actor=make_user(), study=study, keys=["item-0001"], reason="amendé")
        assert rejudge_cancel(actor=make_user(), study=study) == 1
        assert Event.objects.filter(verb="rejudge_cancelled").count() == 1
        assert rejudge_reason(judged) == ""

    def test_items_are_found_by_class_and_doubt(self, judged):
        study = judged.annotator.study
        other = make_annotator(study)
        assignments_fill(actor=None, study=study)
        submit(
            Assignment.objects.get(annotator=other, simplification=judged.simplification),
            characterization=5,
        )
        (candidate,) = candidates(study)
        assert (
            candidate.key,
            candidate.classes,
            candidate.doubts,
            candidate.judgments,
            candidate.waiting,
        ) == (
            "item-0001",
            (5, 7),
            1,
            2,
            0,
        )
        assert candidate_items(study, given=("characterization", 5), doubt=True)
        assert candidate_items(study, given=("characterization", 3)) == []
        SideAnswer.objects.filter(field="doubt").delete()
        Judgment.objects.update(submitted_at=timezone.now())
        assert candidate_items(study, doubt=True) == []
        rejudge_request(actor=make_user(), study=study, keys=["item-0001"], reason="amendé")
        assert candidates(study)[0].waiting == 2
