"""How many it takes, by program: the page's rules and figures."""

from __future__ import annotations

import pytest

from annotation.models import Study
from tests.factories import make_study
from tests.systems_study import fill_systems
from tests.web.agreement.test_systems import planted

pytestmark = pytest.mark.django_db

URL = "/api/v1/studies/alpha/plan/precision/"
OWN = "mean=7&sources=1&outputs=0.8&people=1&rest=1.4&lowest=1&highest=10"


@pytest.fixture
def pilot(cast) -> Study:
    study = make_study("pilot", lead=cast.lead, state="closed")
    fill_systems(study, planted())
    return study


def test_from_assumptions(program):
    precision = program("lead").get(f"{URL}?{OWN}&texts=100&annotators=5&seed=3").json()
    assert precision["undefined"] is None
    assert precision["assumed"]["variances"] == {
        "sources": 1.0,
        "outputs": 0.64,
        "annotators": 1.0,
        "rest": 1.96,
    }
    assert [choice["per_pair"] for choice in precision["choices"]] == [1, 2, 3, 5]
    everybody = precision["choices"][-1]
    assert (everybody["judgments"], everybody["hours"]) == (1000, 50.0)
    # Of 3,000 teams on 400 texts each: a deviation of 1.409 and 1.436 for one text.
    assert everybody["mean"] == pytest.approx(1.984 * 1.409 / 10, rel=0.01)
    assert everybody["difference"] == pytest.approx(1.984 * 1.436 / 10, rel=0.01)
    assert everybody["mean"] < everybody["mean_with_other_annotators"]
    assert precision["settings"]["seed"] == 3
    again = program("lead").get(f"{URL}?{OWN}&texts=100&annotators=5&seed=3").json()
    assert again == precision


def test_from_a_study_until_it_hides_its_answers(program, pilot):
    query = f"{URL}?learn_from=pilot:legal_meaning&texts=50&annotators=4"
    assert program("lead").get(query).json()["assumed"]["scale"][-1] == 10
    Study.objects.filter(pk=pilot.pk).update(state="main", is_blind=True)
    assert program("lead").get(query).status_code == 400


def test_a_study_of_others_or_a_scale_that_is_none(program, pilot):
    query = f"{URL}?texts=50&annotators=4&learn_from=pilot:"
    assert program("lead").get(f"{query}qualification").status_code == 400
    pilot.leads.all().delete()
    assert program("lead").get(f"{query}legal_meaning").status_code == 400


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("texts=50&annotators=4", "mean"),
        (f"{OWN}&annotators=4", "texts"),
        (f"{OWN}&texts=3&annotators=4", "texts"),
        (f"{OWN.replace('sources=1', 'sources=nan')}&texts=50&annotators=4", "sources"),
        (f"{OWN}&texts=50&annotators=4&half_width=inf", "half_width"),
        (f"{OWN.replace('mean=7', 'mean=12')}&texts=50&annotators=4", "mean"),
        (
            "mean=7&sources=0&outputs=0&people=0&rest=0&lowest=1&highest=10&texts=9&annotators=4",
            "rest",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_named(program, query, named):
    answer = program("lead").get(f"{URL}?{query}")
    assert answer.status_code == 400
    assert f'"{named}"' in answer.content.decode()


def test_what_no_scale_can_give_is_said(program):
    precision = (
        program("lead")
        .get(f"{URL}?{OWN.replace('mean=7', 'mean=9.9')}&texts=50&annotators=4")
        .json()
    )
    assert "do not fit" in precision["undefined"]["en"]
    assert precision["choices"] == []
