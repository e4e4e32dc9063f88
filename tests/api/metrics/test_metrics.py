"""Metrics by program: ordering, looking again, bringing scores in."""

from __future__ import annotations

import pytest

from annotation.models import BroughtMetric, Job, Study
from annotation.selectors.metrics.material import pair_names
from annotation.services.metrics.reports import report_write
from annotation.services.publishing.snapshots import study_freeze
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study

pytestmark = pytest.mark.django_db
URL = "/api/v1/studies/judged/metrics/"
JSON = {"content_type": "application/json"}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture
def study(cast: Cast) -> Study:
    study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(study, pairs=12, annotators=3)
    return study


def test_from_the_order_to_the_report(cast: Cast, study):
    lead = cast.client("lead")
    assert lead.get(URL).status_code == 404
    answer = lead.post(URL, {"dimension": "legal_meaning", "draws": 100}, **JSON)
    assert answer.status_code == 202
    assert answer.json()["state"] == "queued"
    assert report_write(Job.objects.get(kind="metrics").public_id)
    order = lead.get(URL).json()
    assert order["state"] == "done"
    assert order["asked"]["seed"] == 42
    assert order["asked"]["encoders"] == []
    lines = {line["name"]: line for line in order["report"]["lines"]}
    assert lines["chrf2"]["signature"].startswith("chrf2|")
    assert lines["sari"]["figures"]["pearson"]["value"] is None
    assert lines["sari"]["missing"][0]["reason"]["fr"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"dimension": "none"}, 422),
        ({"dimension": "legal_meaning", "reference": "none"}, 422),
        ({"dimension": "legal_meaning", "more_references": ["none"]}, 422),
        ({"dimension": "legal_meaning", "draws": 1}, 400),
        ({"dimension": "legal_meaning", "draws": -1}, 400),
        ({"dimension": "legal_meaning", "encoders": ["none"]}, 422),
        ({"dimension": "legal_meaning", "encoders": "use-multilingual"}, 400),
        ([], 400),
    ],
)
def test_an_order_that_cannot_be(cast: Cast, study, body, status):
    assert cast.client("lead").post(URL, body, **JSON).status_code == status


def test_of_a_snapshot(cast: Cast, study):
    lead = cast.client("lead")
    assert lead.post(URL, {"dimension": "legal_meaning", "snapshot": 1}, **JSON).status_code == 422
    frozen = study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    order = {"dimension": "legal_meaning", "snapshot": frozen.number, "draws": 100}
    assert lead.post(URL, order, **JSON).status_code == 202
    assert report_write(Job.objects.get(kind="metrics").public_id)
    assert lead.get(URL).json()["report"]["snapshot"] == frozen.name


def test_without_draws_there_are_figures_and_no_intervals(cast: Cast, study):
    lead = cast.client("lead")
    assert lead.post(URL, {"dimension": "legal_meaning", "draws": 0}, **JSON).status_code == 202
    assert report_write(Job.objects.get(kind="metrics").public_id)
    report = lead.get(URL).json()["report"]
    figure = next(line for line in report["lines"] if line["name"] == "chrf2")["figures"]["pearson"]
    assert figure["value"] is not None
    assert (figure["low"], figure["undefined"]["en"]) == (None, "No draw was asked for.")


def test_a_blind_phase_has_none(cast: Cast, study):
    Study.objects.filter(pk=study.pk).update(state="main", is_blind=True)
    lead = cast.client("lead")
    assert lead.get(URL).status_code == 403
    assert lead.post(URL, {"dimension": "legal_meaning"}, **JSON).status_code == 403
    assert lead.get(f"{URL}scores/").status_code == 403


def test_scores_are_brought_in(cast: Cast, study):
    rows = [
        {"pair": pair, "metric": "LENS", "score": number / 7}
        for number, pair in enumerate(pair_names(study))
    ]
    lead = cast.client("lead")
    body = {"scores": rows, "direction": -1, "lowest": 0, "highest": 2, "note": "lens 1.0"}
    answer = lead.post(f"{URL}scores/", body, **JSON)
    assert answer.status_code == 201
    (metric,) = lead.get(f"{URL}scores/").json()
    assert (metric["name"], metric["number"], metric["direction"]) == ("LENS", 12, -1)
    stored = BroughtMetric.objects.get().scores.order_by("value")
    assert [score.value for score in stored] == [row["score"] for row in rows]


def test_scores_past_their_ends_are_refused_by_row_and_field(cast: Cast, study):
    rows = [
        {"pair": pair, "metric": "LENS", "score": 50 + number if number else 0.5}
        for number, pair in enumerate(pair_names(study))
    ]
    body = {"scores": rows, "lowest": 0, "highest": 1}
    answer = cast.client("lead").post(f"{URL}scores/", body, **JSON)
    assert answer.status_code == 422
    problems = answer.json()["problems"]
    assert (problems[0]["row"], problems[0]["field"], problems[0]["code"]) == (
        2,
        "score",
        "outside",
    )
    assert len(problems) == len(rows) - 1
    assert not BroughtMetric.objects.exists()


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([{"pair": "nobody/9", "metric": "LENS", "score": 1}], 422),
        ([{"pair": " ", "metric": "LENS", "score": 1}], 400),
        ([{"pair": "clause-000001/1", "metric": "\u200b", "score": 1}], 422),
        ([{"pair": "clause-000001/1", "metric": "bleu", "score": 1}], 422),
        ([{"pair": "clause-000001/1", "metric": "LENS", "score": "high"}], 400),
        ([], 400),
    ],
)
def test_scores_that_are_wrong(cast: Cast, study, rows, status):
    answer = cast.client("lead").post(f"{URL}scores/", {"scores": rows}, **JSON)
    assert answer.status_code == status
    assert not BroughtMetric.objects.exists()
