"""Trainings and scores that wait end with their asker's right; what nobody asked for does not."""

from __future__ import annotations

import pytest

from annotation.models import Event, Lead, ScoringJob, Study, TrainingRun, User
from annotation.services.people.people import admin_set, lead_remove, user_set_active
from annotation.services.scoring.scorers import scorer_promote
from annotation.services.scoring.study_scores import study_scores_request
from annotation.services.scoring.training import (
    TrainingSpec,
    training_request,
    training_resume,
)
from tests.bulk import fill_study
from tests.factories import make_study, make_user
from tests.scorers.judged import judged_set
from tests.scorers.rows import beats_the_mean, make_scorer, make_scoring
from workers.scoring import scores, training

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    """Every pair gets the score 7, and whoever trains does so in the test's transaction."""
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    result = {"score": 7.0, "learned": 7.0, "rule": ""}
    monkeypatch.setattr(scores, "score_pairs", lambda _row, pairs, **_: [result for _one in pairs])


@pytest.fixture
def begun(monkeypatch) -> list[TrainingRun]:
    """Trainings that were begun; none goes further."""
    runs: list[TrainingRun] = []

    def begin(run):
        runs.append(run)
        raise training.LeaseLost

    monkeypatch.setattr(training, "work_folder", begin)
    return runs


@pytest.fixture
def other() -> User:
    return make_user("other", is_admin=True)


@pytest.fixture
def asker() -> User:
    return make_user("asker", is_admin=True)


def ask(actor: User | None) -> TrainingRun:
    return training_request(actor=actor, data=judged_set(), spec=TrainingSpec("lexical", (42,)))


def lose(how: str, asker: User, other: User) -> None:
    if how == "demoted":
        admin_set(actor=None, user=asker, is_admin=False, reason="fini")
    else:
        user_set_active(actor=None, user=asker, is_active=False, reason="parti")


@pytest.mark.parametrize("how", ["demoted", "closed"])
def test_nothing_is_trained_for_who_is_no_admin_any_more(how, asker, other, begun):
    run = ask(asker)
    lose(how, asker, other)
    assert not training.training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.problem["code"], begun) == ("failed", "asker_left", [])
    assert Event.objects.get(verb="training_failed").details["problem"] == "asker_left"


@pytest.mark.parametrize("of", ["an admin", "the installation"])
def test_others_are_trained(of, asker, begun):
    run = ask(asker if of == "an admin" else None)
    training.training_run(run.public_id)
    assert begun == [run]


@pytest.mark.parametrize("by", ["an admin", "a command"])
def test_who_lets_a_training_go_on_answers_for_it(by, asker, other, begun):
    run = ask(asker)
    lose("demoted", asker, other)
    training.training_run(run.public_id)
    run.refresh_from_db()
    assert training_resume(actor=other if by == "an admin" else None, run=run)
    training.training_run(run.public_id)
    run.refresh_from_db()
    assert (begun, run.requested_by) == ([run], other if by == "an admin" else None)


def test_a_training_stays_whose_it_is_while_they_are_an_admin(asker, other):
    run = ask(asker)
    TrainingRun.objects.update(state="failed")
    assert training_resume(actor=other, run=run)
    run.refresh_from_db()
    assert run.requested_by == asker


@pytest.mark.parametrize("how", ["demoted", "closed"])
def test_nothing_is_scored_for_who_is_no_admin_any_more(how, asker, other):
    job = make_scoring(make_scorer(), requested_by=asker)
    lose(how, asker, other)
    assert not scores.pairs_score(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem["code"], job.results) == ("failed", "asker_left", [])


class TestScoresOfAStudy:
    @pytest.fixture
    def study(self, other) -> Study:
        study = make_study("etude", lead=make_user("first"), state="closed")
        fill_study(study, pairs=4, annotators=2)
        scorer_promote(actor=other, scorer=make_scorer(report=beats_the_mean()), reason="premier")
        return study

    @pytest.fixture
    def lead(self, study) -> Lead:
        return Lead.objects.create(study=study, user=make_user("lead"))

    def test_a_lead_s_are_scored(self, study, lead):
        job = study_scores_request(actor=lead.user, study=study)
        assert scores.pairs_score(job.public_id)
        assert ScoringJob.objects.get().state == "done"

    def test_not_for_whom_the_study_was_taken_from(self, study, lead, other):
        job = study_scores_request(actor=lead.user, study=study)
        lead_remove(actor=other, lead=lead, reason="parti")
        assert not scores.pairs_score(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem["code"]) == ("failed", "asker_left")

    def test_who_asks_for_the_same_is_given_it(self, study, lead, other):
        job = study_scores_request(actor=lead.user, study=study)
        lead_remove(actor=other, lead=lead, reason="parti")
        assert study_scores_request(actor=other, study=study) == job
        assert scores.pairs_score(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.requested_by) == ("done", other)

    def test_they_stay_whose_they_are_while_they_lead(self, study, lead, other):
        job = study_scores_request(actor=lead.user, study=study)
        assert study_scores_request(actor=other, study=study) == job
        job.refresh_from_db()
        assert job.requested_by == lead.user
