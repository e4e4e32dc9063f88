"""Scorers asked by a report: the same scores as a scoring job gives, and why there are none."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import pytest

from annotation.metrics.metric import MetricUnavailable, pair
from annotation.models import Job
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_request
from annotation.services.platform.stored_files import folder_store
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study
from tests.scorers.rows import make_scorer
from tests.scorers.tiny import judged_pairs
from workers.metrics.tools import TOOLS
from workers.scorers.base import Pair
from workers.scorers.lexical import LexicalScorer
from workers.scoring.scores import score_pairs
from workers.tasks import metrics_write

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_loaded(monkeypatch) -> None:
    """Rows of other tests had the same numbers."""
    monkeypatch.setattr("workers.scoring.scores._loaded", OrderedDict())


@pytest.fixture
def scorer(tmp_path):
    """A row whose files are those of a lexical scorer."""
    fitted = LexicalScorer().fit(*judged_pairs(40), seed=42)
    fitted.save(tmp_path / "v1")
    digest = hashlib.sha256(str(tmp_path).encode()).hexdigest()[:8]
    return make_scorer(files=folder_store(f"scorers/{digest}", tmp_path / "v1"))


def test_a_scorer_says_what_a_scoring_job_says(scorer):
    judged, _ = judged_pairs(5)
    pairs = [pair(judged_pair.original, judged_pair.simplification) for judged_pair in judged]
    expected = [score["score"] for score in score_pairs(scorer, judged)]
    assert TOOLS.scores(scorer, pairs) == pytest.approx(expected)
    assert len(set(expected)) > 1
    (same,) = TOOLS.scores(scorer, [pair(judged[0].original, judged[0].original)])
    assert same == score_pairs(scorer, [Pair(judged[0].original, judged[0].original)])[0]["score"]


def test_a_scorer_whose_files_are_gone():
    with pytest.raises(MetricUnavailable) as error:
        TOOLS.scores(make_scorer(), [pair("Une clause.", "Une phrase.")])
    assert "manifest.json" in error.value.why.fr


def test_the_task_writes_a_report_with_the_scorer_in_it(cast: Cast, scorer, monkeypatch):
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    type(scorer).objects.update(promoted_at="2026-01-01T00:00Z", promoted_reason="the first one")
    study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(study, pairs=8, annotators=2)
    job = report_request(
        actor=cast.lead, study=study, request=ReportRequest("legal_meaning", draws=100)
    )
    metrics_write(str(job.public_id))
    job.refresh_from_db()
    assert job.state == Job.State.DONE
    (line,) = [line for line in job.result["lines"] if line["kind"] == "scorer"]
    assert line["n"] == 8
    assert line["figures"]["identical_strict"]["value"] == 1
