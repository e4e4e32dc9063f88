"""Scores from elsewhere: stored whole, or refused by name."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError, StudyArchived
from annotation.models import BroughtMetric, BroughtScore, Event, Study
from annotation.selectors.metrics.material import brought_metrics, brought_values, pair_names
from annotation.services.metrics.brought import ScoresNote, metric_forget, scores_bring_file
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(cast: Cast) -> Study:
    new_study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(new_study, pairs=4, annotators=2)
    return new_study


def csv_of(rows):
    return ("pair,metric,score\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)).encode()


def bring(cast, study, rows, **fields):
    return scores_bring_file(
        actor=cast.lead, study=study, content=csv_of(rows), note=ScoresNote(**fields)
    )


def refused(cast, study, rows, **fields):
    with pytest.raises(RuleError) as error:
        bring(cast, study, rows, **fields)
    assert not BroughtMetric.objects.exists()
    return error.value.problems


def test_scores_are_stored_by_pair_and_metric(cast: Cast, study):
    names = pair_names(study)
    first, second, *_ = names
    brought = bring(
        cast,
        study,
        [(first, "LENS", 71.5), (second, "LENS", 3), (first, "BLEURT", 0.2)],
        lowest=0,
        highest=100,
        note="lens 1.0",
    )
    assert {metric.name: metric.number for metric in brought} == {"LENS": 2, "BLEURT": 1}
    by_name = {metric.name: metric for metric in brought_metrics(study)}
    values = brought_values(list(by_name.values()))
    assert values[by_name["LENS"].pk] == {names[first]: 71.5, names[second]: 3.0}
    event = Event.objects.filter(verb="metric_brought").first()
    assert event.details["metric"] in by_name
    assert "71.5" not in str(event.details)


def test_a_metric_that_comes_again_is_replaced(cast: Cast, study):
    first, second, *_ = pair_names(study)
    (before,) = bring(cast, study, [(first, "LENS", 1), (second, "LENS", 2)])
    (after,) = bring(cast, study, [(second, "LENS", 2.5)])
    assert before.sha256 != after.sha256
    assert BroughtMetric.objects.get() == after
    assert BroughtScore.objects.count() == 1


def test_an_unknown_pair_refuses_all_and_is_named_with_its_row(cast: Cast, study):
    first, *_ = pair_names(study)
    problems = refused(cast, study, [(first, "LENS", 1), ("nobody/9", "LENS", 2)])
    assert [(problem.row, problem.field, problem.code) for problem in problems] == [
        (3, "pair", "unknown_pair")
    ]
    assert "nobody/9" in problems[0].message.en
    assert problems[0].remedy.fr


def test_half_of_the_pairs_is_enough(cast: Cast, study):
    half = list(pair_names(study))[:2]
    (metric,) = bring(cast, study, [(name, "LENS", 1) for name in half])
    assert metric.number == 2


@pytest.mark.parametrize("name", ["bleu", "BLEU", "original_alone"])
def test_a_name_of_our_own_is_refused(cast: Cast, study, name):
    first, *_ = pair_names(study)
    (problem,) = refused(cast, study, [(first, name, 1)])
    assert problem.code == "own_name"


@pytest.mark.parametrize(
    "fields", [{"lowest": 1.0}, {"highest": 1.0}, {"lowest": 1.0, "highest": 1.0}]
)
def test_a_range_has_two_ends(cast: Cast, study, fields):
    first, *_ = pair_names(study)
    (problem,) = refused(cast, study, [(first, "LENS", 1)], **fields)
    assert problem.code == "range"


@pytest.mark.parametrize("ends", [(float("nan"), 1.0), (0.0, float("inf"))])
def test_ends_are_numbers(cast: Cast, study, ends):
    first, *_ = pair_names(study)
    (problem,) = refused(cast, study, [(first, "LENS", 1)], lowest=ends[0], highest=ends[1])
    assert problem.code == "range"


def test_scores_past_the_ends_are_refused_by_row(cast: Cast, study):
    names = list(pair_names(study))
    rows = [(names[0], "LENS", 50), (names[1], "LENS", 1), (names[2], "LENS", -0.1)]
    problems = refused(cast, study, rows, lowest=0.0, highest=1.0)
    assert [(problem.row, problem.field, problem.code) for problem in problems] == [
        (2, "score", "outside"),
        (4, "score", "outside"),
    ]
    assert problems[0].message.en == "50 is not between the ends 0 and 1."
    assert problems[0].remedy.fr


def test_the_last_digit_of_a_short_float_is_not_past_an_end(cast: Cast, study):
    first, *_ = pair_names(study)
    (metric,) = bring(cast, study, [(first, "COSINE", 1.0000001192)], lowest=-1.0, highest=1.0)
    assert metric.number == 1


def test_what_reading_found_is_refused(cast: Cast, study):
    first, *_ = pair_names(study)
    (problem,) = refused(cast, study, [(first, "LENS", "high")])
    assert problem.code == "not_a_number"
    with pytest.raises(RuleError) as error:
        scores_bring_file(actor=cast.lead, study=study, content=b"a\nb\n", note=ScoresNote())
    assert error.value.problems[0].code == "columns"
    large = csv_of([(first, "LENS", 1)]) + b"\n" * 2_000_001
    with pytest.raises(RuleError) as error:
        scores_bring_file(actor=cast.lead, study=study, content=large, note=ScoresNote())
    assert error.value.problems[0].code == "too_large"


def test_scores_are_taken_out_again(cast: Cast, study):
    first, *_ = pair_names(study)
    (metric,) = bring(cast, study, [(first, "LENS", 1)])
    metric_forget(actor=cast.lead, metric=metric)
    assert not BroughtScore.objects.exists()
    assert Event.objects.filter(verb="metric_forgotten").exists()


def test_an_archived_study_takes_none(cast: Cast, study):
    first, *_ = pair_names(study)
    study.archived_at = study.created_at
    study.save()
    with pytest.raises(StudyArchived):
        bring(cast, study, [(first, "LENS", 1)])
