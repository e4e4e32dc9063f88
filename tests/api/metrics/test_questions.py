"""Questions of a text beside people, by program: the page's figures, rows, a study for people, the
share as a metric."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from annotation.metrics.report.estimate import Drawn
from annotation.models import BroughtMetric, GenerationRun, Study
from annotation.selectors.publishing.questions import (
    QuestionsRequest,
    report_with_people,
    rows_with_people,
)
from tests.factories import make_study
from tests.services.generation.generating import broker
from tests.services.generation.questioning import graded, make_texts

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def run(cast, broker) -> GenerationRun:
    study = make_study("droit", lead=cast.lead, state="main", is_blind=False)
    make_texts(study)
    return graded(study)


def url(run: GenerationRun, rest: str = "report/") -> str:
    return f"/api/v1/studies/droit/generation/{run.number}/{rest}"


def test_the_report_and_its_rows(program, run):
    lead = program("lead")
    report = lead.get(url(run) + "?threshold=7&draws=0&seed=3").json()
    wanted = report_with_people(QuestionsRequest(run, threshold=7, drawn=Drawn(0, 3)))
    assert report == wanted
    rows = [asdict(row) for row in rows_with_people(QuestionsRequest(run))]
    assert lead.get(url(run, "report/rows/")).json() == {"count": 4, "rows": rows}
    some = lead.get(url(run, "report/rows/?offset=1&limit=2")).json()
    assert (some["count"], some["rows"]) == (4, rows[1:3])
    asking = run.after.after
    assert lead.get(url(asking)).status_code == 404


@pytest.mark.parametrize("query", ["judged=none", "beside=77", "threshold=11", "draws=3"])
def test_what_cannot_be_asked(program, run, query):
    assert program("lead").get(f"{url(run)}?{query}").status_code == 400


def test_a_study_for_people_and_the_metric(program, cast, run):
    lead = program("lead")
    wanted = {"key": "people", "title": "Personnes", "protocol": "qa_pairs"}
    response = lead.post(url(run, "people/"), wanted, content_type="application/json")
    assert response.status_code == 201
    assert response.json() == {
        "key": "people",
        "title": "Personnes",
        "protocol": "qa_pairs",
        "pairs": 2,
    }
    assert lead.get(f"{url(run)}?draws=0&judged=people").status_code == 200
    Study.objects.filter(key="people").update(state="main", is_blind=True)
    assert lead.get(f"{url(run)}?draws=0&judged=people").status_code == 400
    again = lead.post(url(run, "people/"), wanted, content_type="application/json")
    assert again.status_code == 422
    shares = "/api/v1/studies/droit/metrics/questions/"
    response = lead.post(shares, {"run": run.number}, content_type="application/json")
    assert response.status_code == 201
    assert [metric["number"] for metric in response.json()] == [2]
    assert BroughtMetric.objects.count() == 1
    none = lead.post(shares, {"run": run.after.number}, content_type="application/json")
    assert none.status_code == 422
