"""The lead's page of scores, from asking to a file; and the same by program."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.models import ScoringJob, Study
from annotation.services.scoring.jobs import scoring_claim, scoring_fail, scoring_finish
from annotation.services.scoring.scorers import scorer_promote
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study
from tests.scorers.rows import beats_the_mean, make_scorer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture
def study(cast: Cast) -> Study:
    study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(study, pairs=6, annotators=3)
    return study


@pytest.fixture
def scorer(cast: Cast):
    made = make_scorer(report=beats_the_mean())
    scorer_promote(actor=cast.admin, scorer=made, reason="the first one")
    return made


URL = "/studies/judged/scores/"
API = "/api/v1/studies/judged/scores/"


def page(cast: Cast, status: int = 200, **query) -> str:
    answer = cast.client("lead").get(URL, query, headers={"Accept-Language": "en"})
    assert answer.status_code == status
    return answer.content.decode()


def answered(job: ScoringJob) -> None:
    results = [
        {"score": 2.0 + place, "learned": 2.0, "rule": ""} for place in range(len(job.pairs))
    ]
    assert scoring_finish(job=scoring_claim(job.public_id), results=results)


def test_an_open_study_says_why_there_are_no_scores(cast: Cast, study, scorer):
    Study.objects.filter(pk=study.pk).update(state="main")
    shown = page(cast)
    assert "once the study is closed" in shown or "une fois l&#x27;étude fermée" in shown
    assert f'action="{URL}"' not in shown
    refused = cast.client("lead").post(URL)
    assert refused.status_code == 422
    assert not ScoringJob.objects.exists()


def test_without_a_scorer_the_page_says_who_can_help(cast: Cast, study):
    assert "admin" in page(cast)
    assert cast.client("lead").post(URL).status_code == 422


def test_from_asking_to_the_file(cast: Cast, study, scorer):
    assert "v1" in page(cast)
    assert cast.client("lead").post(URL)["Location"] == reverse("study_scores", args=["judged"])
    job = ScoringJob.objects.get()
    assert 'hx-trigger="every 1s"' in page(cast)
    claimed = scoring_claim(job.public_id)
    ScoringJob.objects.update(done=4)
    part = cast.client("lead").get(URL, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert 'max="6" value="4"' in part
    assert scoring_finish(job=claimed, results=[{"score": 2.0, "learned": 2.0, "rule": ""}] * 6)
    shown = page(cast)
    assert "hx-trigger" not in shown
    assert f'action="{URL}"' in shown, "they can be asked for again"
    assert shown.count("clause-00000") >= 6
    assert "R1" in shown
    assert "jugés par deux personnes ou plus (6 sur 6)" in shown
    assert "scorer-beside-people/2|scorer:v1" in shown
    file = cast.client("lead").get(URL, {"format": "csv"})
    assert file["Content-Disposition"] == 'attachment; filename="judged-scores-v1.csv"'
    assert file.content.decode().splitlines()[0].startswith("unit,system,score,human_mean")
    Study.objects.filter(pk=study.pk).update(state="main")
    part = cast.client("lead").get(URL, headers={"HX-Request": "true"}).content.decode()
    assert "clause-00000" not in part, (
        "opened again: the scores are gone, also from a page that is still open"
    )
    assert "notice" in part
    assert "unit,system" not in cast.client("lead").get(URL, {"format": "csv"}).content.decode()


def test_a_failure_is_said_and_can_be_asked_again(cast: Cast, study, scorer):
    cast.client("lead").post(URL)
    job = ScoringJob.objects.get()
    scoring_fail(
        job=scoring_claim(job.public_id),
        problem={"code": "x", "fr": "Fichier abîmé.", "en": "File damaged."},
    )
    assert "notice--bad" in page(cast)
    cast.client("lead").post(URL)
    assert ScoringJob.objects.count() == 2


def test_what_the_scorer_learned_from_is_marked(cast: Cast, study, scorer):
    from annotation.scoring.splits import source_key
    from tests.bulk import pair_texts

    scorer.refresh_from_db()
    scorer.seen_sources = [source_key(pair_texts(number)[0]) for number in range(1, 7)]
    scorer.save()
    cast.client("lead").post(URL)
    answered(ScoringJob.objects.get())
    shown = page(cast)
    assert shown.count("badge--warn") == 6
    assert shown.count('class="table table--close"') == 2, (
        "no table of figures on unseen items: there are none"
    )


@pytest.mark.parametrize("role", ["annotator", "outsider", "other_lead", "withdrawn"])
def test_nobody_else_finds_the_page(cast: Cast, study, scorer, role):
    cast.client("lead").post(URL)
    answered(ScoringJob.objects.get())
    for query in ({}, {"format": "csv"}):
        assert cast.client(role).get(URL, query).status_code == 404
    assert cast.client(role).post(URL).status_code == 404
    Study.objects.filter(key="alpha").update(state="closed")
    assert cast.client("annotator").get("/studies/alpha/scores/").status_code == 404, (
        "not even of their own study"
    )


def test_the_links_to_it_appear_once_the_study_is_closed(cast: Cast, study):
    client = cast.client("lead")
    for name in ("study", "study_agreement"):
        assert URL in client.get(reverse(name, args=["judged"])).content.decode()
        assert "/alpha/scores/" not in client.get(reverse(name, args=["alpha"])).content.decode()


def test_the_same_by_program(cast: Cast, study, scorer):
    client = cast.client("lead")
    assert client.get(API).json()["scoring"] is None
    response = client.post(
        API, content_type="application/json", headers={"Idempotency-Key": "a" * 20}
    )
    assert (response.status_code, response.json()["state"], response.json()["total"]) == (
        202,
        "queued",
        6,
    )
    answered(ScoringJob.objects.get())
    scores = client.get(API).json()
    assert (scores["scoring"]["state"], len(scores["items"]), scores["unscored"]) == ("done", 6, 0)
    assert [annotator["rater"] for annotator in scores["every"]["annotators"]] == ["R1", "R2", "R3"]
    assert scores["every"]["mean"]["items"] == 6
    assert scores["unseen"]["rmse_interval"]["draws"] == 2000
    assert scores["signature"].startswith("scorer-beside-people/2")
    Study.objects.filter(pk=study.pk).update(state="main")
    refused = client.get(API)
    assert (refused.status_code, refused.json()["problems"][0]["code"]) == (422, "not_closed")
