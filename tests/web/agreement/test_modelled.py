"""The page on modelled annotators and systems: asked for and waited for, shown as it was computed,
never in a blind phase, and downloads that hold all of it."""

from __future__ import annotations

import csv
import io
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from annotation.agreement.modelled import crowd
from annotation.models import Job, Judgment, Study
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.agreement import modelling
from annotation.services.agreement.modelling import models_compute
from annotation.web.agreement.modelled import page
from tests.agreement.mixed.needs import needs_statsmodels
from tests.agreement.modelled.needs import needs_crowdkit
from tests.factories import make_study
from tests.systems_study import fill_systems

pytestmark = pytest.mark.django_db

URL = "/studies/deux/agreement/models/"
ENDS = ("lower", "upper")
MANY = {
    "a": [[3 + n % 3, 4 + (n + 1) % 4, 9] for n in range(12)],
    "b": [[2 + n % 4, 3 + (n * 5) % 3, 9] for n in range(12)],
}
TIED = {"a": [[2, 2, 3], [3, 3, 2], [2, 3, 4], [5, 5, 5]], "b": [[3, 3, 3], [2, 2, 2]]}


@pytest.fixture
def study(cast, monkeypatch) -> Study:
    """Closed, with ties on every dimension; models take few steps, and no worker is there."""
    monkeypatch.setattr(crowd, "MACE_ITERATIONS", 2)
    monkeypatch.setattr(crowd, "ITERATIONS", 3)
    monkeypatch.setattr(modelling, "RESTARTS", 1)
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    for person in (cast.lead, cast.admin):
        person.language = "en"
        person.save()
    study = make_study("deux", lead=cast.lead, state="closed")
    fill_systems(study, TIED)
    return study


@pytest.fixture
def lead(cast, study):
    return cast.client("lead")


def shown(client) -> str:
    answer = client.get(URL)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def compute(client) -> None:
    assert client.post(URL).status_code == 302
    assert models_compute(Job.objects.get(state="queued").public_id)


@needs_crowdkit
def test_from_asking_to_the_tables(lead, study):
    assert "Nothing was computed yet" in shown(lead)
    table = reverse("study_models_table", args=["deux", "labels"])
    assert lead.get(table).status_code == 404
    assert lead.post(URL).status_code == 302
    assert "The models wait for a worker" in shown(lead)
    Job.objects.update(done=1, total=9)
    assert "The models are being computed: 1 of 9 runs" in shown(lead)
    polled = lead.get(URL, headers={"HX-Request": "true"})
    assert "hx-get" in polled.content.decode()
    assert models_compute(Job.objects.get().public_id)
    assert lead.get(URL, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    words = shown(lead)
    assert "from 18 judgments by people" in words
    assert f"dawid_skene|crowd-kit:{crowd.package_version()}|items:6|annotators:3" in words
    assert "restarts:1|seed:42" in words
    rows = list(
        csv.reader(io.StringIO(lead.get(table + "?dimension=legal_meaning").content.decode()))
    )
    # Three answers that differ are the one tie of the scores.
    assert [row[2] for row in rows[1:] if row[2].startswith("tie")] == ["tie: 2, 3, 4"]
    for form in ("tex", "md"):
        assert lead.get(f"{table}?format={form}").status_code == 200
    assert lead.get(table + "?format=pdf").status_code == 404
    assert lead.get(reverse("study_models_table", args=["deux", "none"])).status_code == 404
    people = lead.get(reverse("study_models_table", args=["deux", "annotators"]))
    assert [row[:2] for row in csv.reader(io.StringIO(people.content.decode()))][1:] == [
        [who, "6"] for who in "ABC"
    ]


@needs_crowdkit
def test_who_has_withdrawn_is_counted_and_said(lead, study):
    compute(lead)
    assert "who has withdrawn:" not in shown(lead)
    study.annotators.filter(pseudonym="B").update(withdrawn_at=timezone.now())
    assert "or somebody has withdrawn or come back" in shown(lead)
    compute(lead)
    words = shown(lead)
    assert "those of 1 person who has withdrawn: 6." in words
    assert "or somebody has withdrawn or come back" not in words
    url = "/api/v1/studies/deux/agreement/models/"
    answer = lead.get(url).json()
    assert (answer["judgments"], answer["of_withdrawn"]) == (18, {"people": 1, "judgments": 6})
    job = Job.objects.get(kind="models")
    del job.result["of_withdrawn"]
    job.save()
    assert lead.get(url).json()["of_withdrawn"] is None, "of before"
    assert "who has withdrawn:" not in shown(lead)


def rows_of(lead, table: str, dimension: str) -> list[dict[str, str]]:
    address = reverse("study_models_table", args=["deux", table])
    answer = lead.get(f"{address}?dimension={dimension}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


@needs_crowdkit
@needs_statsmodels
def test_systems_by_mixed_models(lead, study, cast):
    other = make_study("trois", lead=cast.lead, state="closed")
    Study.objects.filter(pk=study.pk).update(key="un")
    Study.objects.filter(pk=other.pk).update(key="deux")
    fill_systems(other, MANY)
    compute(lead)
    words = shown(lead)
    assert "Differences between systems by mixed models" in words
    assert "Ordinal model – Gave only the lowest or the highest answer: C." in words
    assert "The variance between annotators is estimated as 0" not in words
    assert "mixed_ordinal|model:cumulative_logit" in words
    assert 'lang="fr">Les systèmes ont été comparés par un modèle linéaire mixte' in words
    assert "a mixed model of points or thresholds takes one" in words, "of the class"
    (pair,) = rows_of(lead, "mixed-differences", "legal_meaning")
    assert (pair["System"], pair["against"], pair["Answers"]) == ("a", "b", "72")
    low, high = (float(pair[f"Difference in points (linear), {end} bound"]) for end in ENDS)
    assert low < float(pair["Difference in points (linear)"]) < high
    assert float(pair["Odds ratio (ordinal), lower bound"]) > 0
    assert pair["Method (linear)"].startswith("REML")
    assert pair["Signature (ordinal)"].startswith("log_odds_difference|first:a|second:b|")
    means = rows_of(lead, "mixed-systems", "legal_meaning")
    assert float(means[0]["Modelled mean"]) - float(means[1]["Modelled mean"]) == pytest.approx(
        float(pair["Difference in points (linear)"])
    )
    parts = rows_of(lead, "mixed-variance", "legal_meaning")
    assert [row["Part"] for row in parts] == [
        "Annotators (severity)",
        "Annotators × systems (tastes)",
        "Original texts",
        "Outputs within texts",
        "Rest",
    ]
    assert sum(float(row["Share"]) for row in parts) == pytest.approx(1)
    people = rows_of(lead, "mixed-annotators", "legal_meaning")
    assert [row["Annotator"] for row in people] == ["A", "B"]
    assert float(pair["Odds ratio (own thresholds), upper bound"]) > 0
    assert "|thresholds:own|" in pair["Signature (own thresholds)"]
    own = rows_of(lead, "mixed-thresholds", "legal_meaning")
    # A gives 3, 4 and 5 eight times each, B 3 to 6 six times each.
    assert {row["Annotator"] for row in own} == {"A", "B"}
    assert "Ordinal model, own thresholds – Do not have 10 answers on both sides" in words
    fits = rows_of(lead, "mixed-fits", "legal_meaning")
    assert [row["Model"] for row in fits] == [
        "Common thresholds, moved for each annotator",
        "Thresholds of each annotator's own",
    ]
    assert "the same model has an AIC (Akaike, 1974) of" in words
    for table in ("mixed-differences", "mixed-thresholds", "mixed-fits"):
        address = reverse("study_models_table", args=["deux", table])
        for form in ("tex", "md"):
            assert lead.get(f"{address}?format={form}").status_code == 200
    # Of a dimension without: that of the first which has it.
    assert rows_of(lead, "mixed-differences", "characterization")


@needs_crowdkit
@needs_statsmodels
def test_mixed_models_that_say_little_and_none(lead, study):
    compute(lead)
    words = shown(lead)
    assert "Ordinal model – No interval: it takes at least 8 original texts" in words
    (pair,) = rows_of(lead, "mixed-differences", "legal_meaning")
    assert pair["Odds ratio (ordinal)"] == ""
    assert "thresholds of each annotator's own: compute again" not in " ".join(words.split())
    job = Job.objects.get()
    job.result["dimensions"]["legal_meaning"]["mixed"].pop("own")
    job.save()
    assert "thresholds of each annotator's own: compute again" in " ".join(shown(lead).split())
    for dimension in job.result["dimensions"].values():
        del dimension["mixed"]
    job.save()
    assert "computed before there were mixed models" in shown(lead)
    address = reverse("study_models_table", args=["deux", "mixed-differences"])
    assert lead.get(address).status_code == 404


@needs_crowdkit
def test_what_is_answered_since_is_said_and_exports_hold_posteriors_only_of_the_same(lead, study):
    def exported() -> list[dict[str, str]]:
        spec = export_spec("soft_labels", "csv", {})
        text = "".join(chunk.text for chunk in export_chunks(study, spec))
        return list(csv.DictReader(io.StringIO(text)))

    before = exported()
    assert before[0]["legal_meaning_shares"] == '{"2": 0.666667, "3": 0.333333}'
    assert before[0]["legal_meaning_ratings"] == "3"
    assert {row["legal_meaning_mace"] for row in before} == {""}
    compute(lead)
    after = exported()
    assert len(after) == 6
    assert all(row["legal_meaning_mace"].startswith("{") for row in after)
    assert "Something was answered since" not in shown(lead)
    Judgment.objects.filter(pk=Judgment.objects.first().pk).update(revision=7)
    assert "Something was answered since" in shown(lead)
    lead.post(URL)
    # While the next ones are awaited, those that are shown are no newer.
    waiting = shown(lead)
    assert "The models wait for a worker" in waiting
    assert "Something was answered since" in waiting
    # Its stylesheet would be written into the page, which no page allows.
    assert '"includeIndicatorStyles": false' in waiting
    assert exported() == before


@pytest.mark.parametrize(("unsteady", "words"), [(1, "1 étiquette sur"), (2, "étiquettes sur")])
def test_one_unsteady_label_is_said_of_one(unsteady, words):
    figures = {"models": {"mace": {"unsteady": unsteady, "units": 45}}}
    with override("fr"):
        assert words in page._remarks(figures)[0]


@needs_crowdkit
def test_long_tables_are_cut_on_the_page_alone(lead, study, monkeypatch):
    compute(lead)
    monkeypatch.setattr(page, "SHOWN", 1)
    assert "The first 1 of 3 rows; the files have all of them." in shown(lead)


def test_why_there_is_nothing_is_said(lead, study, monkeypatch):
    monkeypatch.setattr(page, "package_version", lambda: None)
    monkeypatch.setattr(modelling, "package_version", lambda: None)
    assert "crowd-kit is not installed here" in shown(lead)
    refused = lead.post(URL)
    assert refused.status_code == 422
    assert "make crowd" in unescape(refused.content.decode())
    for problem, words in (
        ("absent", "The worker has no crowd-kit"),
        ("worker_lost", "Its worker died three times"),
        ("defect", "An error of ours"),
    ):
        Job.objects.all().delete()
        Job.objects.create(study=study, kind="models", state="failed", problem=problem)
        assert words in shown(lead)


def test_not_while_the_study_hides_its_answers(lead, study):
    Study.objects.filter(pk=study.pk).update(state="main", is_blind=True)
    assert lead.get(URL).status_code == 403
    assert lead.post(URL).status_code == 403
    assert lead.get(reverse("study_models_table", args=["deux", "models"])).status_code == 403
    assert lead.get(reverse("study_agreement", args=["deux"])).status_code == 403
    assert not Job.objects.exists()
