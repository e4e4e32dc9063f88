"""Scorers and machine judges as lines of the report: what they stand for, and what they may not be
compared on."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.errors import RuleError
from annotation.metrics.encoders import SENTENCES, Encoded, encoder_family, encoder_metrics
from annotation.metrics.metric import MetricUnavailable
from annotation.models import KeptReadings, ScoringJob, Study
from annotation.protocols.base import Wording
from annotation.scoring.splits import source_key
from annotation.selectors.metrics.material import material, pair_names
from annotation.services.metrics.brought import ScoresNote, scores_bring_file
from annotation.services.metrics.machines import Tools, absent_encoder, scorer_family
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_request, report_write
from tests.bulk import fill_study, pair_texts
from tests.cast import Cast
from tests.factories import make_study
from tests.scorers.rows import make_scorer
from tests.services.generation.generating import broker
from tests.services.metrics.judging import answers, judging_run

__all__ = ["broker"]
pytestmark = pytest.mark.django_db
ASKED = ReportRequest("legal_meaning", draws=100)


@pytest.fixture(autouse=True)
def _alone(monkeypatch) -> None:
    """No broker."""
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture
def study(cast: Cast) -> Study:
    new_study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(new_study, pairs=12, annotators=3)
    return new_study


def by_length(_scorer, pairs):
    """A score of 1 to 10 that follows the length; 10 for identical texts."""
    return [
        10.0 if pair.original == pair.simplification else 1.0 + len(pair.simplification) % 9
        for pair in pairs
    ]


def unavailable(_scorer, _pairs):
    raise MetricUnavailable(Wording("Il manque un fichier.", "A file is missing."))


def written(cast, study, request=ASKED, scores=by_length) -> dict:
    job = report_request(actor=cast.lead, study=study, request=request)
    assert report_write(job.public_id, Tools(scores=scores))
    job.refresh_from_db()
    return job.result


def line(report, name):
    return next(
        (report_line for report_line in report["lines"] if report_line["name"] == name), None
    )


def has_scored(study, scorer, *, score=4.0) -> ScoringJob:
    """A finished job of every pair, each a little higher than the one before."""
    pairs = [
        {
            "unit": name,
            "original": pair_texts(number)[0],
            "simplification": pair_texts(number)[1],
        }
        for number, name in enumerate(pair_names(study), 1)
    ]
    results = [
        {"score": score + number / 10, "learned": 1, "rule": ""} for number in range(len(pairs))
    ]
    return ScoringJob.objects.create(
        scorer=scorer, study=study, pairs=pairs, results=results, state="done", total=len(pairs)
    )


def put_into_service(scorer):
    type(scorer).objects.filter(pk=scorer.pk).update(
        promoted_at="2026-01-01T00:00Z", promoted_reason="the first one"
    )
    return scorer


def test_the_scorer_in_service_has_a_line_like_any_metric(cast: Cast, study):
    scorer = put_into_service(make_scorer())
    report = written(cast, study)
    report_line = line(report, "scorer-v1")
    assert (report_line["kind"], report_line["n"], report_line["is_baseline"]) == (
        "scorer",
        12,
        False,
    )
    values = [1.0 + len(pair_texts(number)[1]) % 9 for number in range(1, 13)]
    expected = np.corrcoef(values, material(study, "legal_meaning").people.means)[0, 1]
    assert report_line["figures"]["pearson"]["value"] == pytest.approx(expected, abs=1e-9)
    assert report_line["figures"]["rmse"]["value"] is not None
    assert report_line["figures"]["identical_strict"]["value"] == 1
    assert report_line["versus"] is not None or report["best"] == "scorer-v1"
    assert report_line["signature"].startswith(
        "scorer-v1|kind:lexical|target:legal_meaning/legal_meaning|seed:42|trained-on:sha256:"
    )
    assert scorer.training_run.data_sha256[:12] in report_line["signature"]
    assert report["notes"] == []


def test_what_a_scorer_has_learned_from_is_left_out_and_counted(cast: Cast, study):
    seen = [source_key(pair_texts(number)[0]) for number in (1, 2, 3)]
    put_into_service(make_scorer(seen_sources=seen))
    report_line = line(written(cast, study), "scorer-v1")
    assert report_line["n"] == 9
    assert [(missing["code"], missing["n"]) for missing in report_line["missing"]] == [
        ("learned", 3)
    ]
    # A control pair of an original that it has learned from is in-sample as well.
    assert report_line["figures"]["identical_strict"]["n"] == 9


def test_a_scorer_that_has_learned_from_all_has_no_figure(cast: Cast, study):
    put_into_service(
        make_scorer(seen_sources=[source_key(pair_texts(number)[0]) for number in range(1, 13)])
    )
    report = written(cast, study)
    report_line = line(report, "scorer-v1")
    assert report_line["n"] == 0
    assert report_line["figures"]["pearson"]["value"] is None
    assert report_line["missing"][0]["reason"]["en"].startswith("The scorer has learned from")
    assert report["best"] != "scorer-v1"


def test_which_scorers_have_a_line(cast: Cast, study):
    put_into_service(make_scorer())
    has_scored(study, make_scorer())
    make_scorer()
    make_scorer(target="jades/meaning")
    report = written(cast, study)
    assert [
        report_line["name"] for report_line in report["lines"] if report_line["kind"] == "scorer"
    ] == [
        "scorer-v1",
        "scorer-v2",
    ]
    every = written(cast, study, ReportRequest("legal_meaning", every_scorer=True, draws=100))
    assert (
        len([report_line for report_line in every["lines"] if report_line["kind"] == "scorer"]) == 4
    )


def test_none_before_the_study_is_closed(cast: Cast, study):
    """A score could reach somebody who still judges."""
    put_into_service(make_scorer())
    Study.objects.filter(pk=study.pk).update(state="main")
    report = written(cast, study, scores=unavailable)
    assert line(report, "scorer-v1") is None
    assert "once the study is closed" in report["notes"][0]["en"]


def test_a_scorer_is_asked_once_for_all_reports(cast: Cast, study):
    put_into_service(make_scorer())
    first = written(cast, study)
    kept = KeptReadings.objects.count()
    assert written(cast, study, scores=unavailable)["lines"] == first["lines"]
    assert KeptReadings.objects.count() == kept


def test_a_scorer_that_cannot_be_loaded_says_why(cast: Cast, study):
    put_into_service(make_scorer())
    report = written(cast, study, scores=unavailable)
    report_line = line(report, "scorer-v1")
    assert report_line["n"] == 0
    assert report_line["missing"] == [
        {
            "code": "unavailable",
            "n": 12,
            "reason": {"fr": "Il manque un fichier.", "en": "A file is missing."},
        }
    ]
    assert line(report, "chrf2")["n"] == 12, "the rest goes on"


def test_what_it_said_before_stands_where_it_cannot_be_loaded_any_more(cast: Cast, study):
    seen = [source_key(pair_texts(1)[0])]
    scorer = make_scorer(seen_sources=seen)
    job = has_scored(study, scorer)
    job.pairs[1]["simplification"] = "Un autre texte."
    job.save()
    report_line = line(written(cast, study, scores=unavailable), "scorer-v1")
    assert report_line["n"] == 10
    assert {missing["code"]: missing["n"] for missing in report_line["missing"]} == {
        "learned": 1,
        "unavailable": 1,
    }
    values = [4.0 + number / 10 for number in range(2, 12)]
    means = material(study, "legal_meaning").people.means[2:]
    assert report_line["figures"]["pearson"]["value"] == pytest.approx(
        np.corrcoef(values, means)[0, 1], abs=1e-9
    )
    assert report_line["figures"]["identical_strict"]["value"] is None


def test_pages_load_no_scorer(cast: Cast, study):
    family = scorer_family(make_scorer(), Tools())
    with pytest.raises(MetricUnavailable, match="Only a worker"):
        family.measure(material(study, "legal_meaning").pairs[0])


def test_a_text_in_another_language_than_the_scorer_s(cast: Cast, study):
    scorer = make_scorer()
    scorer.training_run.source["language"] = "en"
    scorer.training_run.save()
    put_into_service(scorer)
    report_line = line(written(cast, study), "scorer-v1")
    assert report_line["missing"][0]["code"] == "language"


def test_a_machine_judge_stands_beside_with_its_cost(cast: Cast, study):
    Study.objects.filter(pk=study.pk).update(state="main")
    run = judging_run(Study.objects.get(pk=study.pk))
    tops = (3, 2, 3, 1, 3, 2, 3, 1, 2, 3)
    answers(run, *tops)
    Study.objects.filter(pk=study.pk).update(state="closed")
    report = written(cast, study)
    report_line = line(report, "judge-M1")
    assert (report_line["kind"], report_line["n"]) == ("judge", 10)
    assert [(missing["code"], missing["n"]) for missing in report_line["missing"]] == [
        ("not_judged", 2)
    ]
    # The top of each bracket.
    values = [{1: 1.0, 2: 6.0, 3: 10.0}[top] for top in tops]
    means = material(study, "legal_meaning").people.means[:10]
    assert report_line["figures"]["pearson"]["value"] == pytest.approx(
        np.corrcoef(values, means)[0, 1], abs=1e-9
    )
    assert report_line["figures"]["rmse"]["value"] == pytest.approx(
        float(np.sqrt(np.mean((np.array(values) - means) ** 2))), abs=1e-6
    )
    assert report_line["cost"] == {"pairs": 10, "usd_per_pair": 0.0016, "tokens_per_pair": 120.0}
    # printf 'Juge.' | sha256sum; printf '{"max_tokens": 900, "temperature": 0.0}' | sha256sum
    assert report_line["signature"] == (
        "judge-M1|model:gpt-4.1|prompt:sha256:5d8b13650475|parameters:sha256:4391c2ff4452"
        "|service:openai|protocol:legal_meaning/1"
    )
    assert (
        "each answer is paid for" in report_line["figures"]["identical_strict"]["undefined"]["en"]
    )
    assert line(report, "chrf2")["cost"] is None
    assert report["people"] == 3, "a machine is none of the people"


class Vectors:
    """An encoder of two numbers, that counts what it is asked."""

    def __init__(self):
        self.asked = 0
        metrics = encoder_metrics("petit", (("encoder", "sha256:abc"),), matches=False)
        self.family = encoder_family("petit", metrics, self.encode)

    def encode(self, texts):
        self.asked += len(texts)
        return [Encoded(np.array([1.0, len(text) % 7])) for text in texts]

    def __call__(self, name):
        assert name == "petit"
        return self.family


def with_encoder(cast, study, encoder) -> dict:
    request = ReportRequest("legal_meaning", encoders=("petit", "petit"), draws=100)
    job = report_request(actor=cast.lead, study=study, request=request)
    assert report_request(actor=cast.lead, study=study, request=request) == job, "a double click"
    assert report_write(job.public_id, Tools(encoder=encoder))
    job.refresh_from_db()
    assert (job.done, job.parameters["encoders"]) == (job.total, ["petit", "petit"])
    return job.result


def test_an_encoder_is_measured_once_for_all_reports(cast: Cast, study, settings):
    settings.ENCODERS = {"petit": "/srv/petit"}
    vectors = Vectors()
    report = with_encoder(cast, study, vectors)
    (report_line,) = [
        report_line
        for report_line in report["lines"]
        if report_line["name"] == "encoder-petit-cosine"
    ]
    assert (report_line["kind"], report_line["n"]) == ("metric", 12)
    assert report_line["figures"]["identical_strict"]["value"] == 1
    assert report_line["signature"] == (
        "encoder-petit-cosine|encoder:sha256:abc|pooling:mean|definition:1|refs:original"
    )
    count_before = vectors.asked
    assert with_encoder(cast, study, vectors)["lines"] == report["lines"]
    assert vectors.asked == count_before


def test_an_encoder_that_cannot_be_loaded_says_why_and_the_rest_goes_on(
    cast: Cast, study, settings
):
    settings.ENCODERS = {"petit": "/srv/petit"}

    def absent(_name):
        raise MetricUnavailable(Wording("Pas de dossier.", "No folder."))

    report = with_encoder(cast, study, absent)
    absent_lines = [
        report_line
        for report_line in report["lines"]
        if report_line["name"].startswith("encoder-petit-")
    ]
    assert len(absent_lines) == 4
    for report_line in absent_lines:
        assert report_line["n"] == 0
        assert report_line["missing"][0]["reason"]["en"] == "No folder."
    assert line(report, "chrf2")["n"] == 12
    # Nothing is kept of what could not be measured.
    assert line(with_encoder(cast, study, Vectors()), "encoder-petit-cosine")["n"] == 12


def test_pages_load_no_encoder():
    with pytest.raises(MetricUnavailable, match="Only a worker"):
        Tools().encoder("petit")


def test_the_library_s_encoder_gives_no_bertscore():
    assert len(absent_encoder(SENTENCES).metrics) == 1
    assert len(absent_encoder("petit").metrics) == 4


def test_an_encoder_that_nobody_named_is_refused(cast: Cast, study, settings):
    settings.ENCODERS = {"petit": "/srv/petit"}
    with pytest.raises(RuleError) as error:
        report_request(
            actor=cast.lead,
            study=study,
            request=ReportRequest("legal_meaning", encoders=("grand",)),
        )
    (problem,) = error.value.problems
    assert (problem.field, problem.code) == ("encoders", "unknown")
    assert "use-multilingual, minilm-english, petit" in problem.message.fr


def test_a_name_that_a_line_of_here_has_is_no_name_for_scores_from_elsewhere(cast: Cast, study):
    name = next(iter(pair_names(study)))
    for own in ("scorer-v1", "Judge-M1", "encoder-petit-cosine"):
        with pytest.raises(RuleError) as error:
            scores_bring_file(
                actor=cast.lead,
                study=study,
                content=f"pair,metric,score\n{name},{own},1\n".encode(),
                note=ScoresNote(),
            )
        assert error.value.problems[0].code == "own_name"
