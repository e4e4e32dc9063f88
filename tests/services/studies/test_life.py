"""A study's stages, the list that each step should find done, and what departs from the plan."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError
from annotation.models import DatasetSnapshot, Event, RejudgeRequest, Study, Tally
from annotation.selectors.planning.deviations import deviations
from annotation.selectors.studies.life import stage_of, stages_left_out
from annotation.selectors.studies.readiness import readiness, unmet
from annotation.services.generation.runs import run_create
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.people.invitations import invitation_create
from annotation.services.people.people import annotator_add, annotator_withdraw
from annotation.services.planning.deviations import deviation_explain
from annotation.services.practice.practice import (
    meeting_close,
    meeting_open,
    practice_feedback_publish,
    practice_note_save,
)
from annotation.services.studies.studies import guide_publish, study_change_state, study_update
from tests.factories import make_annotator, make_assignment, make_pair, make_study, make_user
from tests.practising import everybody_submits, pairs, people, practice_study, submit
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db


def missing(study: Study, to: str) -> dict[str, int]:
    return {check.key: check.missing for check in readiness(study, to) if not check.ready}


class TestList:
    def test_before_the_practice_round(self):
        study = make_study()
        assert missing(study, "practice") == {"items": 1, "guide": 1, "annotators": 1}
        assert unmet(study, "practice") == ["guide", "annotators"], (
            "what is needed cannot be passed over"
        )
        make_pair(study, round="practice")
        make_pair(study, round="practice").delete()
        invitation_create(actor=make_user(), study=study, email="new@example.org", role="annotator")
        make_annotator(study)
        guide_publish(actor=None, study=study, body_fr="g")
        assert missing(study, "practice") == {"pairs": 1, "invitations": 1}

    def test_nothing_is_said_to_be_ready_of_nobody_and_of_no_pair(self):
        study = make_study()
        listed = {check.key for check in readiness(study, "practice")}
        assert "pairs" not in listed
        make_pair(study, round="practice")
        assert "pairs" in {check.key for check in readiness(study, "practice")}
        study.state = "practice"
        listed = {check.key for check in readiness(study, "main")}
        assert not {"acknowledged", "practice_done"} & listed

    def test_nothing_is_said_to_be_done_that_never_was(self):
        assignment = make_assignment()
        study = assignment.annotator.study

        def listed(to: str) -> set[str]:
            return {check.key for check in readiness(study, to)}

        assert "again" not in listed("closed"), "nothing was sent back"
        RejudgeRequest.objects.create(assignment=assignment, reason="r", requested_by=None)
        assert "again" in listed("closed")
        study.state = "draft"
        assert "outputs" not in listed("main"), "no model was asked"
        run_create(actor=None, study=study)
        assert "outputs" in listed("main")

    def test_a_round_that_was_submitted_says_what_was_sent_back_of_it(self):
        study = make_study()
        person = make_annotator(study, make_user())
        for in_practice, again in ((False, 2), (True, 1)):
            Tally.objects.update_or_create(
                annotator=person, in_practice=in_practice, defaults={"again": again}
            )

        def apart(to: str) -> dict[str, int]:
            return {check.key: check.apart for check in readiness(study, to) if check.apart}

        study.state = "main"
        assert apart("closed") == {"main_done": 2}
        study.state = "practice"
        assert apart("main") == {"practice_done": 1}
        Tally.objects.filter(annotator=person).update(awaited=1)
        assert apart("main") == {}, "it is not submitted"

    def test_straight_to_the_main_round(self):
        study = make_study()
        make_pair(study)
        assert missing(study, "main") == {"guide": 1, "annotators": 1, "practice": 1}

    def test_before_the_main_round(self):
        study, lead = practice_study(), make_user()
        assert missing(study, "main") == {
            "guide": 1,
            "practice_done": 4,
            "meeting": 1,
            "feedback": 2,
        }
        everybody_submits(study)
        meeting_open(actor=lead, study=study)
        for pair in pairs(study):
            practice_note_save(actor=lead, study=study, pair=pair, note="n")
        practice_feedback_publish(actor=lead, study=study)
        meeting_close(actor=lead, study=study)
        guide_publish(actor=None, study=study, body_fr="g")
        assert missing(study, "main") == {"acknowledged": 2}
        for annotator in people(study):
            guide_acknowledge(annotator=annotator, number=1)
        assert missing(study, "main") == {}
        study = study_change_state(actor=lead, study=study, to="main")
        assert missing(study, "closed") == {"main_done": 2}
        assert deviations(study) == []

    def test_what_has_no_list_is_always_ready(self):
        assert readiness(make_study(state="practice"), "draft") == []


class TestSteps:
    def test_a_step_against_the_list_needs_a_reason_and_is_recorded(self):
        study = make_study()
        make_pair(study)
        with pytest.raises(RuleError) as refused:
            study_change_state(actor=None, study=study, to="main", reason=" ")
        assert code(refused) == "unready"
        study = study_change_state(actor=None, study=study, to="main", reason=" Essai ")
        (deviation,) = deviations(study)
        assert deviation.reason == "Essai"
        assert deviation.event.details["against"] == "guide, annotators, practice"

    def test_the_stages(self):
        study = practice_study()
        assert stage_of(study) == "practice"
        assert stages_left_out(study) == {"meeting"}
        assert stages_left_out(make_study()) == {"practice", "meeting"}
        meeting_open(actor=make_user(), study=study, reason="r")
        assert stage_of(study) == "meeting"
        meeting_close(actor=make_user(), study=study)
        assert stage_of(study) == "practice"
        study.state = "closed"
        assert stage_of(study) == "closed"
        DatasetSnapshot.objects.create(
            study=study,
            number=1,
            protocol_key="k",
            protocol_version="1",
            content_digest="d",
            path="p",
        )
        assert stage_of(study) == "frozen"


class TestDeviations:
    @pytest.fixture
    def opened(self) -> Study:
        study = make_study()
        make_pair(study)
        study_update(actor=make_user(), study=study, title="Avant")
        return study_change_state(actor=None, study=study, to="main", reason="sans pratique")

    def test_every_change_after_the_main_round_was_opened(self, opened):
        lead = make_user()
        study_update(actor=lead, study=opened, title="Après")
        guide_publish(actor=lead, study=opened, body_fr="g")
        annotator = annotator_add(actor=lead, study=opened, user=make_user())
        annotator_withdraw(actor=lead, annotator=annotator, reason="malade")
        study = study_change_state(actor=lead, study=opened, to="closed")
        study = study_change_state(actor=lead, study=study, to="main", reason="oubli")
        assert [(deviation.event.verb, deviation.reason) for deviation in deviations(study)] == [
            ("study_state_changed", "sans pratique"),
            ("study_updated", ""),
            ("guide_published", ""),
            ("annotator_added", ""),
            ("annotator_withdrawn", "malade"),
            ("study_state_changed", "oubli"),
        ]
        study = study_change_state(actor=lead, study=study, to="closed")
        assert missing(study, "frozen") == {"deviations": 3}

    def test_what_is_changed_once_an_opening_was_taken_back_is_none(self, opened):
        """Nobody had saved anything in it; that it was opened and taken back stays told."""
        lead = make_user()
        guide_publish(actor=lead, study=opened, body_fr="g")
        study = study_change_state(actor=lead, study=opened, to="draft", reason="trop tôt")
        study_update(actor=lead, study=study, title="Après")
        study = study_change_state(actor=lead, study=study, to="main", reason="sans pratique")
        study_update(actor=lead, study=study, title="Plus tard")
        assert [(deviation.event.verb, deviation.reason) for deviation in deviations(study)] == [
            ("study_state_changed", "sans pratique"),
            ("study_state_changed", "trop tôt"),
            ("study_state_changed", "sans pratique"),
            ("study_updated", ""),
        ]

    def test_a_reason_may_come_later_and_the_last_counts(self, opened):
        lead = make_user()
        study_update(actor=lead, study=opened, title="Après")
        event = deviations(opened)[-1].event.pk
        for reason in ("faute", " faute de frappe "):
            deviation_explain(actor=lead, study=opened, event=event, reason=reason)
        last = deviations(opened)[-1]
        assert (last.reason, last.explained_later) == ("faute de frappe", True)
        assert Event.objects.filter(verb="deviation_explained").count() == 2

    def test_what_cannot_be_explained(self, opened):
        event = deviations(opened)[0].event.pk
        for number, reason, why in ((0, "r", "unknown"), (event, " ", "required")):
            with pytest.raises(RuleError) as refused:
                deviation_explain(actor=make_user(), study=opened, event=number, reason=reason)
            assert code(refused) == why

    def test_an_early_meeting_is_one(self):
        study = practice_study()
        submit(people(study)[0], pairs(study)[0])
        meeting_open(actor=make_user(), study=study, reason="B manque")
        assert [deviation.reason for deviation in deviations(study)] == ["B manque"]
