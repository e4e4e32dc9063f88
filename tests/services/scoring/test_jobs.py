"""Scoring jobs: asked for within limits, found again when lost, given up in the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import ScoringJob
from annotation.scoring.errors import ScoringError
from annotation.services.scoring.jobs import (
    MOST_CHARACTERS,
    SCORINGS,
    read_pairs,
    scoring_claim,
    scoring_finish,
    scoring_progress,
    scoring_request,
    scorings_resend,
)
from tests.scorers.rows import make_scorer, make_scoring

PAIR = {"original": "Une clause.", "simplification": "Une phrase."}


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "pairs",
    [[], [PAIR | {"original": " "}], [PAIR | {"simplification": "x" * MOST_CHARACTERS * 2}]],
)
def test_what_is_refused(pairs):
    with pytest.raises(RuleError):
        scoring_request(actor=None, scorer=make_scorer(), pairs=pairs)
    assert not ScoringJob.objects.exists()


@pytest.mark.django_db
def test_one_worker_has_a_job_and_a_late_one_stores_nothing():
    job = make_scoring(make_scorer())
    first = scoring_claim(job.public_id)
    assert scoring_claim(job.public_id) is None
    ScoringJob.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert scorings_resend() == 1
    second = scoring_claim(job.public_id)
    assert not scoring_finish(job=first, results=[{"score": 1.0}])
    assert scoring_finish(job=second, results=[{"score": 2.0}])
    job.refresh_from_db()
    assert (job.state, job.results) == ("done", [{"score": 2.0}])


@pytest.mark.django_db
def test_progress_is_told_while_the_job_is_held():
    job = make_scoring(make_scorer())
    first = scoring_claim(job.public_id)
    ScoringJob.objects.update(lease_until=timezone.now() + timedelta(minutes=1))
    assert scoring_progress(job=first, done=1)
    job.refresh_from_db()
    assert job.done == 1
    assert job.lease_until is not None
    assert job.lease_until > timezone.now() + timedelta(minutes=2), "who tells something lives"
    ScoringJob.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert scoring_claim(job.public_id)
    assert not scoring_progress(job=first, done=1)


@pytest.mark.django_db
def test_of_two_sweeps_at_once_one_asks_for_each(monkeypatch):
    scorer, past = make_scorer(), timezone.now() - timedelta(seconds=1)
    jobs = {make_scoring(scorer, lease_until=past).public_id for _ in range(2)}
    requests = []

    def meanwhile(public_id):
        requests.append(public_id)
        scorings_resend()  # the other sweep, in the middle of the first one

    monkeypatch.setattr("annotation.services.scoring.jobs.request_scoring", meanwhile)
    assert scorings_resend() == 1
    assert set(requests) == jobs
    assert len(requests) == 2


@pytest.mark.django_db
def test_a_job_that_kills_its_workers_is_given_up():
    job = make_scoring(
        make_scorer(),
        attempt=SCORINGS.most_attempts,
        lease_until=timezone.now() - timedelta(seconds=1),
    )
    assert scorings_resend() == 0
    job.refresh_from_db()
    assert (job.state, job.problem["code"]) == ("failed", "worker_lost")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"original,simplification\nA,B\n"),
        ("a.csv", b"\xef\xbb\xbforiginal;simplification\nA;B\n"),
        ("a.tsv", b"id\toriginal\tsimplification\n1\tA\tB\n"),
        ("a.jsonl", b'{"original": "A", "simplification": "B", "more": 1}\n'),
    ],
)
def test_files_of_pairs(name, content):
    assert read_pairs(name, content) == [{"original": "A", "simplification": "B"}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"\xff"),
        ("a.csv", b"x,y\n1,2\n"),
        ("a.jsonl", b"[]\n"),
        ("a.jsonl", b"{\n"),
        ("a.jsonl", b'{"original": "\\ud800", "simplification": "B"}\n'),
        ("a.csv", b"original,simplification\nA\x00,B\n"),
        ("a.jsonl", b'{"original": "\\u0000", "simplification": "B"}\n'),
        ("a.jsonl", b"[" * 100_000),
        ("a.jsonl", b'{"original": ' + b"9" * 5000 + b"}\n"),
    ],
)
def test_files_that_are_none(name, content):
    with pytest.raises(ScoringError):
        read_pairs(name, content)


def test_a_line_ends_in_a_line_feed_alone():
    content = '{"original": "A\u2028\x85", "simplification": "B"}\r\n'.encode()
    assert read_pairs("a.jsonl", content) == [{"original": "A\u2028\x85", "simplification": "B"}]


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("a.jsonl", b'{"original": "A", "simplification": "B"}\n\n{\n', "3 : JSON"),
        ("a.jsonl", b'\n{"original": "A"}\n', "2 : simplification"),
        ("a.csv", b"original,simplification\nA,B\nC\n", "2 : simplification"),
        (
            "a.csv",
            b"original,simplification\nA,B\n" + b"C" * 200_000 + b",D\n",
            "2 : field larger",
        ),
    ],
)
def test_the_row_that_is_none_is_named(name, content, where):
    with pytest.raises(ScoringError, match=where):
        read_pairs(name, content)


def test_a_file_that_asks_for_too_much_is_stopped(settings):
    settings.READING_LIMITS = replace(settings.READING_LIMITS, wall_seconds=0)
    with pytest.raises(ScoringError, match="temps"):
        read_pairs("a.csv", b"original,simplification\nA,B\n")
