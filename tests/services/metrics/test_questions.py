"""A study in which people judge a run's questions: what is refused before anything is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.errors import RuleError
from annotation.models import Lead, Study
from annotation.services.metrics import questions
from annotation.services.metrics.questions import people_study
from annotation.services.people.people import annotator_add, lead_add, lead_remove
from tests.factories import make_study, make_user
from tests.services.generation.generating import broker
from tests.services.generation.questioning import graded, make_texts

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def made(broker):
    """Makes one of a graded run, by this protocol."""
    lead = make_user("juriste")
    study = make_study("droit", lead=lead, state="main", is_blind=False)
    make_texts(study)
    run = graded(study)

    def make(protocol: str) -> Study:
        return people_study(
            actor=lead, run=run, protocol=protocol, key="people", title="P", language="fr"
        )

    return make


def test_a_protocol_that_judges_something_else(made):
    with pytest.raises(RuleError) as refused:
        made("jades")
    assert [problem.code for problem in refused.value.problems] == ["unknown"]
    assert not Study.objects.filter(key="people").exists()


def test_a_text_that_is_gone_is_named(made, monkeypatch):
    there = questions.texts_of
    monkeypatch.setattr(questions, "texts_of", lambda study: replace(there(study), systems={}))
    with pytest.raises(RuleError) as refused:
        made("qa_answers")
    assert [problem.code for problem in refused.value.problems] == ["no_text"]
    assert not Study.objects.filter(key="people").exists()


@pytest.mark.parametrize("protocol", ["qa_pairs", "qa_answers"])
def test_who_has_seen_whose_texts_they_are_judges_no_questions_about_them(made, protocol):
    people = made(protocol)
    source = Study.objects.get(key="droit")
    other = make_user("autre")
    former = Lead.objects.create(study=source, user=other)
    Lead.objects.create(study=source, user=make_user("encore"))
    for _ in ("now", "once"):
        with pytest.raises(RuleError) as refused:
            annotator_add(actor=None, study=people, user=other)
        assert [problem.code for problem in refused.value.problems] == ["blindness"]
        lead_remove(actor=None, lead=former)


@pytest.mark.parametrize("protocol", ["qa_pairs", "qa_answers"])
def test_who_judges_the_texts_does_not_lead_the_questions_about_them(made, protocol):
    people = made(protocol)
    judge = make_user("juge")
    annotator_add(actor=None, study=Study.objects.get(key="droit"), user=judge)
    with pytest.raises(RuleError) as refused:
        lead_add(actor=None, study=people, user=judge)
    assert [problem.code for problem in refused.value.problems] == ["blindness"]
    annotator_add(actor=None, study=people, user=judge)
