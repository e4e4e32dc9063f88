"""The pages about scorers, from a training to a score with its reasons."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict, replace
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Scorer, ScoringJob, TrainingRun
from annotation.scoring.ceiling import NO_RATINGS
from annotation.scoring.metrics import CONSTANT_IN_FOLDS
from annotation.services.publishing.snapshots import study_freeze
from annotation.services.scoring.training import TrainingSpec, training_request
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study
from tests.scorers.judged import judged_set, quick_trainings
from tests.scorers.rows import make_scorer
from workers.scoring.scores import pairs_score
from workers.scoring.training import training_run

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    quick_trainings(monkeypatch)


@pytest.fixture(autouse=True)
def _few_items(monkeypatch) -> None:
    """The made-up data are small, so that training them is quick."""
    monkeypatch.setattr("annotation.scoring.promotion.FEWEST_ITEMS", 10)


@pytest.fixture
def scorer(db) -> Scorer:
    spec = TrainingSpec("lexical", (42, 43))
    run = training_request(actor=None, data=judged_set(), spec=spec)
    assert training_run(run.public_id)
    return Scorer.objects.get(training_run=run)


def page(client, name: str, *arguments, **query) -> str:
    answer = client.get(reverse(name, args=arguments), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_training_is_started_from_a_snapshot(cast: Cast):
    study = make_study("etude", lead=cast.lead, state="main")
    fill_study(study, pairs=3, annotators=2)
    snapshot = study_freeze(
        actor=cast.lead, study=study, reason="for the test", recipe={"draws": 100}
    )
    client = cast.client("admin")
    form = {"snapshot": snapshot.pk, "backend": "lexical", "seeds": "42-44", "augment": "on"}
    answer = client.post(reverse("scorers"), form)
    run = TrainingRun.objects.get()
    assert answer["Location"] == reverse("training_run", args=[run.public_id])
    assert (run.seeds, run.augment, run.snapshot, run.source["pairs"]) == (
        [42, 43, 44],
        True,
        snapshot,
        3,
    )
    assert 'hx-trigger="every 2s"' in page(client, "training_run", run.public_id)
    client.post(reverse("training_run", args=[run.public_id]), {"action": "stop"})
    run.refresh_from_db()
    assert run.state == "stopped"
    client.post(reverse("training_run", args=[run.public_id]), {"action": "resume"})
    run.refresh_from_db()
    assert run.state == "queued"


@pytest.mark.parametrize("seeds", ["", "51-42", "a", "42,42", "1-99999"])
def test_seeds_that_are_none_are_refused(cast: Cast, seeds):
    answer = cast.client("admin").post(reverse("scorers"), {"seeds": seeds, "backend": "lexical"})
    assert answer.status_code == 422
    assert not TrainingRun.objects.exists()


def test_an_encoder_is_not_dropped_with_the_lexical_kind(cast: Cast):
    study = make_study("essai", lead=cast.lead, state="closed")
    fill_study(study, pairs=3, annotators=3)
    snapshot = study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    form = {"snapshot": snapshot.pk, "backend": "lexical", "seeds": "42", "encoder": "camembert"}
    answer = cast.client("admin").post(reverse("scorers"), form)
    assert answer.status_code == 422
    shown = answer.content.decode()
    assert "type transformer" in shown
    assert 'value="camembert"' in shown
    assert not TrainingRun.objects.exists()


def test_a_failure_is_said_on_the_page(cast: Cast):
    made_up = TrainingSpec("lexical", augment=True)
    run = training_request(actor=None, data=judged_set(4), spec=made_up)
    training_run(run.public_id)
    shown = page(cast.client("admin"), "training_run", run.public_id)
    assert "textes sources" in shown
    assert "notice--bad" in shown


def test_the_log_is_read_in_the_time_and_the_numbers_of_its_reader(cast: Cast, scorer):
    run = scorer.training_run
    lines = [line | {"at": "2026-12-01T12:09:32+00:00"} for line in run.log]
    TrainingRun.objects.filter(pk=run.pk).update(log=lines)
    error = f"{run.report['seeds'][0]['validation_rmse']:.3f}"
    html = page(cast.client("admin"), "training_run", run.public_id)
    assert "Où en est le fichier" not in html, "a training is no file"
    assert ">2026-12-01 7 h 09</time>" in html.replace("\xa0", " ")
    assert {line["fr"] for line in run.log} >= {
        f"Graine 42 : RMSE de validation {error.replace('.', ',')}."
    }


def test_losses_are_drawn_without_inline_style(cast: Cast):
    losses = {"42": {"training": [0.3, 0.2], "validation": [0.4, 0.25]}}
    row = make_scorer().training_run
    TrainingRun.objects.filter(pk=row.pk).update(losses=losses)
    shown = page(cast.client("admin"), "training_run", row.public_id)
    assert "<svg" in shown
    assert "style=" not in shown


@pytest.mark.slow
def test_the_report_in_all_its_forms(cast: Cast, scorer):
    client = cast.client("admin")
    run = scorer.training_run
    shown = page(client, "training_report", run.public_id)
    assert (
        shown.index("<table")
        < shown.index('id="sanity"')
        < shown.index('id="probe"')
        < shown.index('id="audit"')
    )
    stored = json.loads(page(client, "training_report", run.public_id, format="json"))
    assert stored["scorer"] == scorer.version
    assert shown.index('id="interval"') < shown.index('id="sanity"')
    assert f"± {run.report['interval']['half_width']:.2f}".replace(".", ",") in shown
    card = page(client, "training_report", run.public_id, format="card")
    assert f"± {run.report['interval']['half_width']:.2f}".replace(".", ",") in card
    assert card.startswith(f"# Barème v{scorer.version}")
    assert "| --- |" not in card
    bins = run.report["calibration"]
    assert f"| {bins[0]['low']:g} – {bins[0]['high']:g} | {bins[0]['items']} |" in card
    assert sum(bin_["items"] for bin_ in bins) == sum(
        seed["sizes"]["test"] for seed in run.report["seeds"]
    )
    drawn = page(client, "training_report", run.public_id, chart="calibration", format="svg")
    assert drawn.startswith("<?xml")
    assert run.data_sha256 in drawn
    assert 'id="chart-calibration"' in shown
    lines = page(
        client, "training_report", run.public_id, chart="calibration", format="csv"
    ).splitlines()
    assert len(lines) == 1 + len(bins)
    assert float(lines[1].split(",")[-1]) == bins[0]["human"]
    predictions = page(client, "training_file", run.public_id, "predictions.csv")
    assert predictions.startswith("seed,kind,row,key,source")
    assert (
        client.get(reverse("training_file", args=[run.public_id, "other.csv"])).status_code == 404
    )


@pytest.mark.slow
def test_into_service_and_back(cast: Cast, scorer):
    client = cast.client("admin")
    url = reverse("scorer_promotion", args=[scorer.version])
    first = client.get(url).content.decode()
    assert "le premier est promu" in first
    assert client.post(url, {"action": "promote", "reason": ""}).status_code == 422
    assert client.post(url, {"action": "promote", "reason": "the first one"}).status_code == 302
    scorer.refresh_from_db()
    assert (scorer.is_in_service, scorer.promoted_by, scorer.promoted_reason) == (
        True,
        cast.admin,
        "the first one",
    )
    assert "le premier est promu" not in client.get(url).content.decode()
    assert client.post(url, {"action": "promote", "reason": "again"}).status_code == 422
    assert client.post(url, {"action": "revert", "reason": "it was not"}).status_code == 302
    scorer.refresh_from_db()
    assert not scorer.is_in_service
    assert "it was not" in page(client, "scorers")


@pytest.mark.slow
def test_a_pair_is_scored_with_its_reasons(cast: Cast, scorer):
    client = cast.client("admin")
    pair = {
        "original": "L'assureur doit payer les frais.",
        "simplification": "L'assureur peut payer les frais.",
    }
    answer = client.post(reverse("scorer_score", args=[scorer.version]), pair)
    job = ScoringJob.objects.get()
    assert answer["Location"] == reverse("scoring_job", args=[job.public_id])
    assert 'hx-trigger="every 1s"' in page(client, "scoring_job", job.public_id)
    assert pairs_score(job.public_id)
    assert not pairs_score(job.public_id)
    shown = page(client, "scoring_job", job.public_id)
    assert pair["simplification"].replace("'", "&#x27;") in shown
    assert "<details open>" in shown
    low, high = (f"{job_result:.1f}".replace(".", ",") for job_result in _ends(job))
    assert low in shown
    assert high in shown
    # A scorer of before has none, and says so; a score of before says nothing.
    Scorer.objects.update(interval={})
    client.post(reverse("scorer_score", args=[scorer.version]), pair)
    job = ScoringJob.objects.order_by("-pk")[0]
    assert pairs_score(job.public_id)
    job.refresh_from_db()
    assert job.results[0]["low"] is None
    assert "avant que des intervalles" in page(client, "scoring_job", job.public_id)
    assert (
        b",,,"
        in client.get(reverse("scoring_job", args=[job.public_id]), {"format": "csv"}).content
    )
    old = [{name: value for name, value in job.results[0].items() if "low" not in name}]
    ScoringJob.objects.filter(pk=job.pk).update(results=old)
    assert "avant que des intervalles" not in page(client, "scoring_job", job.public_id)


def _ends(job: ScoringJob) -> tuple[float, float]:
    job.refresh_from_db()
    result, width = job.results[0], job.scorer.interval["half_width"]
    assert result["low"] == pytest.approx(max(1, result["score"] - width))
    assert result["high"] == pytest.approx(min(10, result["score"] + width))
    return result["low"], result["high"]


@pytest.mark.slow
def test_a_corpus_left_out_stands_beside_what_learns_nothing(cast: Cast):
    data = judged_set()
    pairs = [
        replace(pair, corpus="Police A" if number % 2 else "Police <B>")
        for number, pair in enumerate(data.pairs)
    ]
    run = training_request(
        actor=None, data=replace(data, pairs=tuple(pairs)), spec=TrainingSpec("lexical", (42,))
    )
    assert training_run(run.public_id)
    run.refresh_from_db()
    client = cast.client("admin")
    shown = page(client, "training_report", run.public_id)
    card = page(client, "training_report", run.public_id, format="card")
    assert 'id="elsewhere"' in shown
    assert "Police &lt;B&gt;" in shown
    for corpus in run.report["off_corpus"]["corpora"]:
        value = f"{corpus['beside'][0]['pearson']['value']:.3f}".replace(".", ",")
        assert value in shown
        assert f"| {corpus['name']} | {corpus['items']} |" in card


def test_a_report_of_before_still_reads(cast: Cast, scorer):
    run = scorer.training_run
    report = {
        name: value
        for name, value in run.report.items()
        if name not in ("cross_validation", "interval", "off_corpus")
    }
    TrainingRun.objects.filter(pk=run.pk).update(report=report)
    shown = page(cast.client("admin"), "training_report", run.public_id)
    assert "notice" in shown
    report["interval"] = {"half_width": None, "undefined": {"fr": "Trop peu.", "en": "Too few."}}
    TrainingRun.objects.filter(pk=run.pk).update(report=report)
    assert "Trop peu." in page(cast.client("admin"), "training_report", run.public_id)
    # One number in each fold, which has no correlation, was held against the scorer's.
    against = report["against_mean"]
    against["pearson"]["value"] = {"value": 0.4567, "undefined": None}
    against["pearson"]["interval"] |= {"low": 0.1234, "high": 0.5678, "undefined": None}
    TrainingRun.objects.filter(pk=run.pk).update(report=report)
    shown = page(cast.client("admin"), "training_report", run.public_id)
    assert CONSTANT_IN_FOLDS.fr in unescape(shown)
    assert "0,457" not in shown
    assert "0,123" not in shown


def test_an_interval_from_few_sources_is_said_to_be_too_narrow(cast: Cast, scorer):
    """Those at 95 % covered 88 of 100 with 3 sources, 84 with 5 and 93 with 8, by simulation."""
    run, client = scorer.training_run, cast.client("admin")
    rows = csv.DictReader(
        io.StringIO(page(client, "training_file", run.public_id, "predictions.csv"))
    )
    chosen = run.report["chosen"]
    tested = {
        row["source"]
        for row in rows
        if row["seed"] == str(chosen["seed"]) and row["kind"] == "human"
    }
    assert chosen["sources"] == len(tested) > 0
    few = "Ces éléments viennent de {} textes sources : un intervalle à 95 % tiré de moins de huit"

    def shown(**options: str) -> str:
        TrainingRun.objects.filter(pk=run.pk).update(report=run.report)
        read = unescape(page(client, "training_report", run.public_id, **options))
        return re.sub(r"\s+", " ", read)

    run.report["chosen"]["sources"], run.report["cross_validation"]["sources"] = 8, 40
    assert "tiré de moins de huit" not in shown()
    run.report["chosen"]["sources"] = 7
    assert few.format(7) in shown()
    run.report["cross_validation"]["sources"] = 6
    assert few.format(6) in shown()
    assert few.format(6) in shown(format="card")


def test_of_labels_alone_nobody_is_counted(cast: Cast, scorer):
    """How many items two people judged is said of a reliability alone."""
    run, client = scorer.training_run, cast.client("admin")

    def shown() -> str:
        return unescape(page(client, "training_report", run.public_id))

    assert run.report["ceiling"]["reliability"]["value"] is not None
    assert "jugés par deux personnes ou plus" in shown()
    without = {"value": None, "undefined": asdict(NO_RATINGS)}
    ceiling = {"leave_one_out": without, "reliability": without, "raters": 0.0}
    run.report["ceiling"] |= ceiling | {"by_annotator": [], "reliability_items": 0}
    TrainingRun.objects.filter(pk=run.pk).update(report=run.report)
    assert "jugés par deux personnes ou plus" not in shown()
    assert NO_RATINGS.fr in shown()


def test_a_card_says_what_its_reader_must_not_miss(cast: Cast, scorer):
    """Seeds as a list of numbers, why a figure is lacking, what a rule decided, and that the rows
    of a paper's recipe were split at random."""
    run, client = scorer.training_run, cast.client("admin")
    run.report["ceiling"]["leave_one_out"] = {"value": None, "undefined": asdict(NO_RATINGS)}
    run.report["summary"]["pearson"] = {
        "mean": None, "sd": None, "seeds": 0, "undefined": asdict(CONSTANT_IN_FOLDS),
    }  # fmt: skip
    run.report["preset"] = {
        "name": "judgebert", "source": "section 4", "open": both("Reste ouvert."),
        "hold_out": None,
    }  # fmt: skip
    TrainingRun.objects.filter(pk=run.pk).update(report=run.report)
    card = page(client, "training_report", run.public_id, format="card")
    assert " 42, 43; " in card
    assert f"r = – ({NO_RATINGS.fr})" in card
    assert CONSTANT_IN_FOLDS.fr in card.partition("Éléments mis de côté")[2]
    assert "Paires identiques en haut (appris seul" in card
    before = card.partition("Éléments mis de côté")[0]
    assert "Reste ouvert." in before.rpartition("Par validation croisée")[2]
    shown = unescape(page(client, "training_report", run.public_id))
    assert f"{CONSTANT_IN_FOLDS.fr}</p>" in shown, "not to screen readers alone"


def test_only_a_correlation_is_shown_as_one(cast: Cast, scorer):
    run = scorer.training_run
    findings = [
        {"code": code, "value": value, "rows": [1], "is_serious": True, "message": both(code)}
        for code, value in (("constant_annotators", 1.0), ("repeats_disagree", 0.25))
    ]
    report = run.report | {"audit": findings}
    TrainingRun.objects.filter(pk=run.pk).update(report=report)
    shown = page(cast.client("admin"), "training_report", run.public_id)
    assert "repeats_disagree (r = 0,250)" in shown
    assert shown.count("(r = ") == 1


def both(said: str) -> dict[str, str]:
    return {"fr": said, "en": said}


@pytest.mark.slow
def test_a_file_of_pairs(cast: Cast, scorer):
    client = cast.client("admin")
    content = b"original,simplification\nUne clause.,Une clause.\n=1+1,Rien.\n"
    url = reverse("scorer_score", args=[scorer.version])
    client.post(url, {"file": SimpleUploadedFile("pairs.csv", content)})
    job = ScoringJob.objects.get()
    assert pairs_score(job.public_id)
    lines = page(client, "scoring_job", job.public_id, format="csv").splitlines()
    assert lines[0] == "original,simplification,score,learned,rule,scorer,low,high,level"
    assert lines[1].startswith("Une clause.,Une clause.,10.0,")
    assert lines[2].startswith("'=1+1,")
    bad = client.post(url, {"file": SimpleUploadedFile("pairs.csv", b"a,b\n1,2\n")})
    assert bad.status_code == 422


def test_a_scorer_whose_files_are_gone_is_said_so(cast: Cast):
    scorer = make_scorer(files={"model.json": {"path": "gone", "sha256": "0", "bytes": 1}})
    client = cast.client("admin")
    client.post(
        reverse("scorer_score", args=[scorer.version]),
        {"original": "Une clause.", "simplification": "Une."},
    )
    job = ScoringJob.objects.get()
    assert not pairs_score(job.public_id)
    assert "notice--bad" in page(client, "scoring_job", job.public_id)
