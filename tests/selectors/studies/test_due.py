"""What waits in a study: in each of its states, from what is kept, in one query."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from annotation.models import (
    Annotator,
    GenerationRun,
    GuideVersion,
    PracticeMeeting,
    StudyPlan,
    Tally,
)
from annotation.selectors.studies.due import study_due
from annotation.selectors.studies.due_words import words_of
from annotation.services.people.invitations import invitation_create
from annotation.services.planning.assignments import assignments_fill
from tests.factories import kept_anew, make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db


def waits(study) -> dict[str, int]:
    study.refresh_from_db()
    return {due.key: due.number for due in study_due(study)}


def test_a_new_study_lacks_everything_the_items_first():
    study = make_study()
    assert [due.key for due in study_due(study)] == ["items", "annotators", "plan", "guide"]


def test_what_is_there_waits_no_longer():
    study = make_study()
    make_pair(study)
    make_annotator(study)
    StudyPlan.objects.create(study=study)
    GuideVersion.objects.create(study=study, number=1, body_fr="Guide")
    assert waits(study) == {}


def test_models_and_invitations():
    study, lead = make_study(), make_user()
    make_pair(study)
    GenerationRun.objects.create(study=study, number=1, ceiling=1, state="running", undecided=12)
    GenerationRun.objects.create(study=study, number=2, ceiling=1, state="finished", undecided=3)
    invitation_create(actor=lead, study=study, email="x@example.org", role="annotator")
    numbers = waits(study)
    assert (numbers["outputs"], numbers["runs"], numbers["invitations"]) == (15, 1, 1)


def test_a_run_that_stands_still_is_not_under_way():
    study = make_study(state="main")
    for number, state in enumerate(("paused", "paused", "draft", "cancelled"), 1):
        GenerationRun.objects.create(study=study, number=number, ceiling=1, state=state)
    assert waits(study) == {"paused": 2}
    with override("fr"):
        assert [words_of(due) for due in study_due(study)] == ["2 passes suspendues"]
    GenerationRun.objects.filter(number=1).update(state="running")
    assert waits(study) == {"paused": 1, "runs": 1}


def test_the_practice_round_is_judged_then_met_about():
    study = make_study(state="practice")
    make_pair(study, round="practice")
    judge = make_annotator(study)
    assignments_fill(actor=None, study=study)
    assert waits(study)["practice_left"] == 1
    Tally.objects.filter(annotator=judge, in_practice=True).update(awaited=0, judged=1)
    numbers = waits(study)
    assert numbers["meeting"] == 1
    assert "practice_left" not in numbers
    PracticeMeeting.objects.create(study=study)
    assert "meeting" not in waits(study)


def test_the_main_round_counts_what_is_left_of_those_who_are_here():
    study = make_study(state="main")
    make_pair(study)
    here, gone = make_annotator(study), make_annotator(study)
    assignments_fill(actor=None, study=study)
    gone.withdrawn_at = timezone.now()
    gone.save()
    kept_anew()
    Tally.objects.filter(annotator=here, in_practice=False).update(remarks=2, again=1)
    assert waits(study) == {"remarks": 2, "again": 1, "main_left": 1}
    Annotator.objects.filter(pk=here.pk).update(kind="imported", user=None)
    assert waits(study) == {}


def test_a_closed_study_waits_to_be_frozen_and_an_archived_one_for_nothing():
    study = make_study(state="closed")
    assert waits(study) == {"snapshot": 1}
    study.archived_at = timezone.now()
    assert study_due(study) == []


def test_it_is_one_query():
    study = make_study(state="main")
    with CaptureQueriesContext(connection) as queries:
        study_due(study)
    assert len(queries) == 1
