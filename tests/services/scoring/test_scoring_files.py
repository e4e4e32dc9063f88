"""Files of pairs to score that may take long to read: the worker that scores them reads them, and
no page waits."""

from __future__ import annotations

import os
import time
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotation.models import ScoringJob
from annotation.reading import one_at_a_time
from annotation.services.scoring import jobs
from annotation.services.scoring.jobs import SCORINGS, scoring_files_expire, scorings_resend
from tests.cast import Cast
from tests.scorers.rows import make_scorer
from workers.scoring import scores

CSV = b"original,simplification\nUne clause.,Une phrase.\nUne autre.,Une de plus.\n"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _long(monkeypatch):
    """Whatever is sent may take long. Every pair gets the score 7."""
    monkeypatch.setattr("annotation.reading._AT_ONCE", ())
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    monkeypatch.setattr(transaction, "on_commit", lambda call, robust: call())
    result = {"score": 7.0, "learned": 7.0, "rule": ""}
    monkeypatch.setattr(scores, "score_pairs", lambda _row, pairs, **_: [result for _one in pairs])


@pytest.fixture
def job(cast: Cast) -> ScoringJob:
    """What an admin has sent by the page."""
    client, scorer = cast.client("admin"), make_scorer()
    url = reverse("scorer_score", args=[scorer.version])
    answer = client.post(url, {"file": SimpleUploadedFile("paires.csv", CSV)})
    stored = ScoringJob.objects.get()
    assert answer.status_code == 302, answer.content.decode()
    assert answer["Location"] == reverse("scoring_job", args=[stored.public_id])
    assert client.get(answer["Location"]).status_code == 200
    return stored


def test_the_worker_reads_it(job):
    assert (job.state, job.pairs, job.total, job.input_name) == ("queued", [], 0, "paires.csv")
    path = job.input_path
    assert default_storage.exists(path)
    assert scores.pairs_score(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.total, job.done, len(job.results)) == ("done", 2, 2, 2)
    assert job.pairs[1] == {"original": "Une autre.", "simplification": "Une de plus."}
    assert not default_storage.exists(path)
    assert not scores.pairs_score(job.public_id), "a message may come twice"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"a,b\n1,2\n", "pairs_unreadable"),
        (b"original,simplification\n", "count"),
        (b"original,simplification\n ,b\n", "length"),
    ],
)
def test_a_file_that_cannot_be_scored_is_explained(job, cast, content, code):
    path = job.input_path
    default_storage.delete(path)
    with default_storage.open(path, "wb") as stored:
        stored.write(content)
    assert not scores.pairs_score(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem["code"], job.input_path) == ("failed", code, "")
    assert not default_storage.exists(path)
    page = cast.client("admin").get(reverse("scoring_job", args=[job.public_id])).content.decode()
    assert "notice--bad" in page


def test_a_file_that_is_gone(job):
    default_storage.delete(job.input_path)
    assert not scores.pairs_score(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem["code"]) == ("failed", "pairs_unreadable")


def test_while_another_file_of_theirs_is_read(job, monkeypatch):
    with monkeypatch.context() as busy:
        busy.setattr(jobs, "plain_pairs_read", _busy)
        assert not scores.pairs_score(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("queued", 0)
    assert scores.pairs_score(job.public_id)


def _busy(*_arguments: object, **_options: object) -> None:
    raise one_at_a_time()


def test_a_worker_that_died_over_it_is_followed_by_another(job):
    assert jobs.scoring_claim(job.public_id)
    ScoringJob.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert scorings_resend() == 1
    assert scores.pairs_score(job.public_id)
    job.refresh_from_db()
    assert len(job.results) == 2


def test_a_worker_that_counted_as_dead_keeps_the_file_for_the_other(job):
    first = jobs.scoring_claim(job.public_id)
    ScoringJob.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    second = SCORINGS.claim(job.public_id)
    assert not jobs.scoring_read(job=first)
    assert default_storage.exists(job.input_path)
    assert jobs.scoring_read(job=second)


def test_one_that_went_on_elsewhere_is_not_failed(job):
    first = jobs.scoring_claim(job.public_id)
    ScoringJob.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert SCORINGS.claim(job.public_id)
    assert not jobs.scoring_fail(job=first, problem={"code": "x"})
    assert default_storage.exists(job.input_path)


def test_three_dead_workers_are_enough_and_the_file_goes(job):
    ScoringJob.objects.update(
        state="running", attempt=3, lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert scorings_resend() == 0
    job.refresh_from_db()
    assert job.problem["code"] == "worker_lost"
    assert not default_storage.listdir("scoring-files")[1]


def test_busy_is_said_on_the_page(cast, monkeypatch):
    monkeypatch.setattr(jobs, "plain_pairs_read", _busy)
    url = reverse("scorer_score", args=[make_scorer().version])
    answer = cast.client("admin").post(url, {"file": SimpleUploadedFile("a.csv", CSV)})
    assert answer.status_code == 422
    assert "Un autre de vos fichiers" in answer.content.decode()


def test_a_file_that_no_job_names_goes_after_a_day(job):
    left = default_storage.save("scoring-files/left", ContentFile(b"a"))
    young = default_storage.save("scoring-files/young", ContentFile(b"a"))
    before = time.time() - 2 * 86_400
    for path in (left, job.input_path):
        os.utime(default_storage.path(path), (before, before))
    assert scoring_files_expire() == 1
    assert not default_storage.exists(left)
    assert default_storage.exists(young)
    assert default_storage.exists(job.input_path)


def test_nothing_was_ever_sent():
    assert scoring_files_expire() == 0
