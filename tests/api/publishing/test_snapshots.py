"""Snapshots by program: which one follows which, and who has withdrawn since."""

from __future__ import annotations

import pytest

from annotation.models import Annotator, Study
from annotation.services.people.people import annotator_withdraw
from annotation.services.publishing.snapshots import study_freeze
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study

pytestmark = pytest.mark.django_db
URL = "/api/v1/studies/judged/snapshots/"


@pytest.fixture
def study(cast: Cast) -> Study:
    study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(study, pairs=3, annotators=3)
    return study


def test_each_says_which_one_it_follows(cast: Cast, study: Study):
    first = study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    second = study_freeze(actor=cast.lead, study=study, recipe={"draws": 100, "systems": False})
    lead = cast.client("lead")
    before = {"number": 1, "content_digest": first.content_digest}
    assert [row["follows"] for row in lead.get(URL).json()["results"]] == [before, None]
    assert lead.get(f"{URL}2/").json()["follows"] == second.manifest["follows"] == before
    assert lead.get(f"{URL}1/").json()["follows"] is first.manifest["follows"] is None


def test_each_says_who_of_its_annotators_has_withdrawn_since(cast: Cast, study: Study):
    """A program that fetched the bundle it had kept was told nothing: the page alone said it."""
    study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    lead = cast.client("lead")
    assert lead.get(f"{URL}1/").json()["withdrawn_since"] == []
    gone = Annotator.objects.filter(study=study).order_by("pseudonym").first()
    annotator_withdraw(actor=cast.lead, annotator=gone, reason="Ne juge plus.")
    study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    rows = lead.get(URL).json()["results"]
    assert [row["withdrawn_since"] for row in rows] == [[], [gone.pseudonym]]
    assert lead.get(f"{URL}1/").json()["withdrawn_since"] == [gone.pseudonym]


def test_what_each_says_costs_the_same_however_many_there_are(
    cast: Cast, study: Study, django_assert_max_num_queries
):
    lead = cast.client("lead")
    study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    with django_assert_max_num_queries(30) as few:
        lead.get(URL)
    for _ in range(3):
        study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    with django_assert_max_num_queries(len(few)):
        lead.get(URL)
