"""Scores of a closed study for its lead: what is refused, what is scored, and how it stands beside
people."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from annotation.errors import RuleError
from annotation.models import Annotator, Event, Judgment, ScoringJob, Study
from annotation.scoring.splits import source_key
from annotation.selectors.agreement.reliability import study_ratings
from annotation.services.scoring.jobs import scoring_claim, scoring_fail, scoring_finish
from annotation.services.scoring.scorers import scorer_promote
from annotation.services.scoring.study_scores import (
    scored_dimension,
    scorer_for,
    study_scores,
    study_scores_csv,
    study_scores_job,
    study_scores_request,
)
from tests.bulk import fill_study, pair_texts
from tests.cast import Cast
from tests.factories import make_study
from tests.scorers.rows import beats_the_mean, make_scorer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture
def study(cast: Cast) -> Study:
    new_study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(new_study, pairs=6, annotators=3)
    return new_study


@pytest.fixture
def scorer(cast: Cast):
    seen = [source_key(pair_texts(number)[0]) for number in (1, 2)]
    made = make_scorer(report=beats_the_mean(), seen_sources=seen)
    scorer_promote(actor=cast.admin, scorer=made, reason="the first one")
    made.refresh_from_db()
    return made


def answered(job: ScoringJob, scores=None) -> ScoringJob:
    claimed = scoring_claim(job.public_id)
    values = [3.0 + place for place in range(len(job.pairs))] if scores is None else scores
    assert scoring_finish(
        job=claimed, results=[{"score": score, "learned": score, "rule": ""} for score in values]
    )
    job.refresh_from_db()
    return job


def refused(**given) -> str:
    with pytest.raises(RuleError) as error:
        study_scores_request(**given)
    (problem,) = error.value.problems
    assert problem.message.fr
    assert problem.message.en
    return problem.code


def test_every_judged_simplification_is_asked_for_once(cast: Cast, study, scorer):
    job = study_scores_request(actor=cast.lead, study=study)
    assert (job.study, job.scorer, job.total) == (study, scorer, 6)
    texts = {(pair["original"], pair["simplification"]) for pair in job.pairs}
    assert texts == {pair_texts(number) for number in range(1, 7)}
    assert [pair["unit"] for pair in job.pairs] == sorted(
        unit.key for unit in study_ratings(study).items
    )
    assert Event.objects.get(verb="scoring_requested").study == study
    assert study_scores_request(actor=cast.lead, study=study) == job, "it is under way"
    answered(job)
    assert study_scores_request(actor=cast.lead, study=study) != job


@pytest.mark.parametrize("state", ["draft", "practice", "main"])
def test_a_study_that_is_not_closed_has_no_scores(cast: Cast, study, scorer, state):
    job = study_scores_request(actor=cast.lead, study=study)
    assert study_scores_job(study) == job
    stale = Study.objects.get(pk=study.pk)
    Study.objects.filter(pk=study.pk).update(state=state)
    assert refused(actor=cast.lead, study=stale) == "not_closed", (
        "what the row says counts, not the copy in hand"
    )
    study.refresh_from_db()
    assert study_scores_job(study) is None, (
        "it was opened again: the scores are gone from its pages"
    )


def test_without_a_scorer_in_service_there_is_nothing_to_ask(cast: Cast, study):
    make_scorer()
    assert scorer_for(study) is None
    assert refused(actor=cast.lead, study=study) == "none_in_service"
    assert study_scores_job(study) is None


def test_a_protocol_that_predicts_nothing_has_no_scorer(cast: Cast, scorer):
    study = make_study("parts", lead=cast.lead, state="closed", protocol_key="operations")
    assert scored_dimension(study) == ""
    assert refused(actor=cast.lead, study=study) == "none_in_service"


def test_a_study_that_nobody_judged(cast: Cast, scorer):
    empty = make_study("empty", lead=cast.lead, state="closed")
    assert refused(actor=cast.lead, study=empty) == "nothing_judged"


def test_another_scorer_came_into_service_while_one_was_asked(
    cast: Cast, study, scorer, monkeypatch
):
    from annotation.scoring.promotion import Decision

    first = study_scores_request(actor=cast.lead, study=study)
    monkeypatch.setattr(
        "annotation.services.scoring.scorers.scorer_decision", lambda _: Decision(True, ())
    )
    newer = make_scorer()
    scorer_promote(actor=cast.admin, scorer=newer, reason="better")
    second = study_scores_request(actor=cast.lead, study=study)
    assert (second.scorer, second != first) == (newer, True)


def test_until_the_worker_has_answered_there_is_nothing_to_show(cast: Cast, study, scorer):
    job = study_scores_request(actor=cast.lead, study=study)
    figures = study_scores(study, job)
    assert (figures.items, figures.every, figures.unseen, figures.signature) == ((), None, None, "")
    scoring_fail(job=scoring_claim(job.public_id), problem={"code": "a", "fr": "a", "en": "a"})
    job.refresh_from_db()
    assert study_scores(study, job).items == ()


def test_the_scores_beside_people(cast: Cast, study, scorer):
    job = answered(study_scores_request(actor=cast.lead, study=study))
    figures = study_scores(study, job)
    assert [item.is_seen for item in figures.items] == [True, True, False, False, False, False]
    assert {item.annotators for item in figures.items} == {3}
    assert {item.system for item in figures.items} == {"essai"}
    table = study_ratings(study).tables["legal_meaning"]
    means = np.nanmean(table.matrix, axis=1)
    assert [item.human for item in figures.items] == pytest.approx(list(means))
    scores = np.array([item.score for item in figures.items])
    assert figures.every.mean.pearson.value == pytest.approx(np.corrcoef(scores, means)[0, 1])
    assert figures.unseen.mean.items == 4
    assert figures.unseen.mean.rmse.value == pytest.approx(
        np.sqrt(np.mean((scores[2:] - means[2:]) ** 2))
    )
    assert [annotator.rater for annotator in figures.every.annotators] == ["R1", "R2", "R3"]
    assert figures.unscored == 0


def test_a_machine_is_none_of_the_people(cast: Cast, study, scorer):
    people = study_scores(study, answered(study_scores_request(actor=cast.lead, study=study)))
    Annotator.objects.filter(study=study, pseudonym="R3").update(kind="machine")
    job = answered(study_scores_request(actor=cast.lead, study=study))
    figures = study_scores(study, job)
    assert [annotator.rater for annotator in figures.every.annotators] == ["R1", "R2"]
    assert figures.signature != people.signature


def test_all_seen_leaves_no_figure_on_unseen_items(cast: Cast, study, scorer):
    scorer.seen_sources = [source_key(pair_texts(number)[0]) for number in range(1, 7)]
    scorer.save()
    figures = study_scores(study, answered(study_scores_request(actor=cast.lead, study=study)))
    assert figures.unseen is None
    assert figures.every.mean.items == 6


def test_what_was_judged_or_withdrawn_later_is_counted(cast: Cast, study, scorer):
    job = answered(study_scores_request(actor=cast.lead, study=study))
    before = study_scores(study, job)
    kept = job.pairs[1:]
    ScoringJob.objects.filter(pk=job.pk).update(pairs=kept, results=job.results[1:])
    job.refresh_from_db()
    later = study_scores(study, job)
    assert (len(later.items), later.unscored) == (5, 1)
    Judgment.objects.filter(assignment__simplification__item__key="clause-000006").delete()
    assert len(study_scores(study, job).items) == 4
    assert study_scores(study, job).signature != before.signature
    Judgment.objects.filter(assignment__annotator__study=study).delete()
    nothing = study_scores(study, job)
    assert (nothing.items, nothing.every) == ((), None)
    assert "|draws:0|" in nothing.signature


def test_the_signature_names_scorer_data_and_method(cast: Cast, study, scorer):
    job = answered(study_scores_request(actor=cast.lead, study=study))
    first, again = study_scores(study, job), study_scores(study, job)
    assert first.signature == again.signature
    assert first.signature.startswith(f"scorer-beside-people/2|scorer:v{scorer.version}|files:")
    assert "|study:judged|dimension:legal_meaning|ratings:" in first.signature
    assert first.signature.endswith("|draws:2000|seed:42")


def test_the_scores_as_a_file(cast: Cast, study, scorer):
    study.items.filter(key="clause-000001").update(key="=1")
    job = answered(study_scores_request(actor=cast.lead, study=study))
    rows = list(
        csv.DictReader(io.StringIO(study_scores_csv(study_scores(study, job), job).decode()))
    )
    assert len(rows) == 6
    assert {row["scorer"] for row in rows} == {f"v{scorer.version}"}
    assert {row["unit"] for row in rows} >= {"'=1/1", "clause-000002/1"}
    assert sorted(row["source_seen"] for row in rows) == ["0", "0", "0", "0", "1", "1"]
    assert [float(row["score"]) for row in rows] == sorted(float(row["score"]) for row in rows)
