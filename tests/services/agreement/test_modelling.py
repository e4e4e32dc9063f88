"""Annotators and systems modelled as a job: asked for once, kept as the last of a study, refused in
words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotation.agreement.mixed import wording
from annotation.agreement.modelled import crowd
from annotation.errors import RuleError
from annotation.models import Event, Job, Judgment, Study
from annotation.selectors.agreement import modelled as selected
from annotation.selectors.agreement.modelled import models_running, models_state, posteriors_known
from annotation.services.agreement import modelling
from annotation.services.agreement.modelling import (
    models_compute,
    models_request,
    models_resend,
)
from annotation.services.platform.leases import LeaseLost
from tests.agreement.mixed.needs import needs_statsmodels
from tests.agreement.modelled.needs import needs_crowdkit
from tests.factories import make_study, make_user
from tests.systems_study import fill_systems

pytestmark = pytest.mark.django_db(transaction=True)

TIED = {"a": [[2, 2, 3], [3, 3, 2], [2, 3, 4], [5, 5, 5]], "b": [[3, 3, 3], [2, 2, 2]]}


@pytest.fixture
def lead():
    return make_user("lead")


@pytest.fixture
def study(lead) -> Study:
    study = make_study("etude", lead=lead, state="closed")
    fill_systems(study, TIED)
    return study


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """Few steps, which say as much; and messages go nowhere."""
    monkeypatch.setattr(crowd, "MACE_ITERATIONS", 2)
    monkeypatch.setattr(crowd, "ITERATIONS", 3)
    monkeypatch.setattr(modelling, "RESTARTS", 1)
    messages = []
    monkeypatch.setattr(
        "annotation.jobs._send", lambda *message, queue: messages.append((*message, queue))
    )
    return messages


@pytest.fixture
def pretended(monkeypatch):
    """crowd-kit counts as installed; a job that is asked for is not carried out."""
    monkeypatch.setattr(modelling, "package_version", lambda: "1.4.2")


@needs_crowdkit
@needs_statsmodels
def test_from_asking_to_the_posteriors(study, lead, sent):
    job = models_request(actor=lead, study=study)
    assert models_running(study) == job
    assert models_compute(job.public_id)
    assert not models_compute(job.public_id), "a message that comes twice does nothing"
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", 12, 12)
    state = models_state(study)
    assert state.is_current
    assert list(state.dimensions) == list(study.protocol.dimensions)
    simplicity = state.dimensions["simplicity"]
    assert simplicity["undefined"] is None
    assert {model["package"] for model in simplicity["models"].values()} == {
        crowd.package_version()
    }
    assert simplicity["models"]["mace"]["seed"] == 42
    assert simplicity["people"]["A"]["ratings"] == 6
    known = posteriors_known(study)["simplicity"]["dawid_skene"]
    assert len(known) == 6
    assert all(sum(shares.values()) == pytest.approx(1, abs=1e-4) for shares in known.values())
    assert [message[0] for message in sent] == ["workers.tasks.models_compute"]
    written = set(Event.objects.values_list("verb", flat=True))
    assert {"models_requested", "models_computed"} <= written


@needs_crowdkit
@needs_statsmodels
def test_systems_are_modelled_with_the_annotators(study, lead):
    models_compute(models_request(actor=lead, study=study).public_id)
    dimensions = models_state(study).dimensions
    scores = dimensions["legal_meaning"]["mixed"]
    assert [system["system"] for system in scores["linear"]["systems"]] == ["a", "b"]
    assert scores["linear"]["differences"][0]["n"] == {
        "outputs": 6,
        "sources": 4,
        "annotators": 3,
        "ratings": 18,
    }
    assert scores["ordinal"]["undefined"]["en"].startswith("No interval: it takes at least 8")
    assert dimensions["characterization"]["mixed"]["undefined"]["en"] == wording.NO_ORDER.en


@needs_crowdkit
def test_a_worker_without_statsmodels_computes_the_rest(study, lead, monkeypatch):
    monkeypatch.setattr(selected, "statsmodels_version", lambda: None)
    job = models_request(actor=lead, study=study)
    assert models_compute(job.public_id)
    job.refresh_from_db()
    assert (job.done, job.total) == (9, 9)
    legal_meaning = models_state(study).dimensions["legal_meaning"]
    assert legal_meaning["mixed"]["undefined"]["en"] == wording.ABSENT.en
    assert legal_meaning["models"]["mace"]["seed"] == 42


@needs_statsmodels
def test_what_only_mixed_models_can_say_is_asked_for(study, lead, pretended, monkeypatch):
    """As of sliders, whose values crowd-kit's models would take for classes."""
    ratings, _reasons = modelling.modelled_ratings(study)
    refused = dict.fromkeys(ratings.tables, crowd.NOT_CLASSES)
    monkeypatch.setattr(modelling, "modelled_ratings", lambda _study: (ratings, refused))
    assert models_request(actor=lead, study=study).state == "queued"


@needs_crowdkit
def test_the_last_one_is_kept_and_what_is_answered_since_is_noticed(study, lead):
    first = models_request(actor=lead, study=study)
    models_compute(first.public_id)
    second = models_request(actor=lead, study=study)
    assert second != first
    models_compute(second.public_id)
    assert list(Job.objects.all()) == [second]
    assert Job.objects.get().result == models_state(study).last.result
    # Taken out from under the page: as an erasure does.
    Judgment.objects.filter(pk=Judgment.objects.first().pk).update(submitted_at=timezone.now())
    assert not models_state(study).is_current
    assert posteriors_known(study) == {}


@needs_crowdkit
def test_a_dimension_that_says_nothing_is_told_beside_the_others(lead):
    study = make_study("egale", lead=lead, state="closed")
    # Simplicity and the class follow the score here, and 2, 17 and 32 leave the same class.
    fill_systems(study, {"a": [[2, 7, 2], [7, 2, 7]]})
    job = models_request(actor=lead, study=study)
    assert models_compute(job.public_id)
    dimensions = models_state(study).dimensions
    assert dimensions["characterization"]["undefined"] == {
        "fr": crowd.ONE_ANSWER.fr,
        "en": crowd.ONE_ANSWER.en,
    }
    assert dimensions["characterization"]["models"] == {}


def test_a_double_click_is_one_job(study, lead, pretended):
    assert models_request(actor=lead, study=study) == models_request(actor=lead, study=study)


def test_what_cannot_be_computed_is_refused_at_once(study, lead, monkeypatch, pretended):
    empty = make_study("vide", lead=lead, state="main")
    with pytest.raises(RuleError) as refused:
        models_request(actor=lead, study=empty)
    assert {problem.field for problem in refused.value.problems} == set(empty.protocol.dimensions)
    monkeypatch.setattr(modelling, "package_version", lambda: None)
    with pytest.raises(RuleError, match="make crowd"):
        models_request(actor=lead, study=study)
    assert not Job.objects.exists()


def failing(error):
    def fail(*_args, **_named):
        raise error

    return fail


def test_a_worker_without_crowd_kit_says_so(study, lead, pretended, monkeypatch):
    job = models_request(actor=lead, study=study)
    monkeypatch.setattr(selected, "modelled", failing(crowd.CrowdKitMissing()))
    assert not models_compute(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "absent")
    state = models_state(study)
    assert state.failed == job
    assert state.last is None
    assert Event.objects.filter(verb="models_failed").count() == 1


def test_a_defect_is_told_and_not_hidden(study, lead, pretended, monkeypatch):
    job = models_request(actor=lead, study=study)
    monkeypatch.setattr(selected, "modelled", failing(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        models_compute(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "defect")


def test_a_database_that_is_away_leaves_the_job_to_the_sweep(study, lead, pretended, monkeypatch):
    job = models_request(actor=lead, study=study)
    monkeypatch.setattr(selected, "modelled", failing(OperationalError()))
    with pytest.raises(OperationalError):
        models_compute(job.public_id)
    job.refresh_from_db()
    assert job.state == "running"


def test_a_worker_that_counted_as_dead_changes_nothing(study, lead, pretended, monkeypatch):
    job = models_request(actor=lead, study=study)
    monkeypatch.setattr(selected, "modelled", failing(LeaseLost()))
    assert not models_compute(job.public_id)
    job.refresh_from_db()
    assert job.result == {}
    monkeypatch.setattr(modelling.MODELS.__class__, "end", lambda *_args, **_named: False)
    modelling._fail(job, "late")
    assert not Event.objects.filter(verb="models_failed").exists()


def test_what_was_lost_is_asked_for_again_and_at_last_given_up(study, lead, pretended, sent):
    job = models_request(actor=lead, study=study)
    assert models_resend() == 0
    past = timezone.now() - timedelta(seconds=1)
    Job.objects.update(lease_until=past)
    assert models_resend() == 1
    assert len(sent) == 2
    Job.objects.update(state="running", attempt=3, lease_until=past)
    assert models_resend() == 0
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "worker_lost")
