"""Annotators modelled, by program."""

from __future__ import annotations

import pytest

from annotation.models import Job, Study
from annotation.services.agreement import modelling
from tests.factories import make_study
from tests.systems_study import fill_systems

pytestmark = pytest.mark.django_db

URL = "/api/v1/studies/deux/agreement/models/"


@pytest.fixture
def study(cast, monkeypatch) -> Study:
    monkeypatch.setattr(modelling, "package_version", lambda: "1.4.2")
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    study = make_study("deux", lead=cast.lead, state="closed")
    fill_systems(study, {"a": [[2, 2, 3], [3, 3, 2]]})
    return study


def test_asked_for_and_looked_at(program, study):
    lead = program("lead")
    nothing = lead.get(URL).json()
    assert nothing == {
        "running": None,
        "failed": None,
        "computed_at": None,
        "is_current": False,
        "judgments": None,
        "of_withdrawn": None,
        "dimensions": {},
    }
    response = lead.post(URL)
    assert response.status_code == 202
    job = Job.objects.get()
    assert response.json()["id"] == str(job.public_id)
    assert lead.get(URL).json()["running"]["state"] == "queued"
    nothing_yet: dict[str, object] = {}
    dimensions = {"simplicity": {"undefined": None, "people": nothing_yet, "models": nothing_yet}}
    result = {"digest": "another", "judgments": 6, "items": {}, "dimensions": dimensions}
    Job.objects.update(state="done", result=result)
    read = lead.get(URL).json()
    assert (read["judgments"], read["is_current"], read["dimensions"]) == (6, False, dimensions)


def test_not_in_a_blind_phase_and_for_nobody_else(program, study):
    assert program("annotator").get(URL).status_code == 404
    Study.objects.filter(pk=study.pk).update(state="main", is_blind=True)
    assert program("lead").get(URL).status_code == 403
    assert program("lead").post(URL).status_code == 403
    assert not Job.objects.exists()
