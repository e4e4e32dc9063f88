"""Imports undone, items, simplifications and people removed, by program."""

from __future__ import annotations

import pytest

from annotation.models import Item, Simplification
from tests.api.conftest import bearer
from tests.api.studies.test_steering import send
from tests.planning import begin, rows

pytestmark = pytest.mark.django_db

PAIRS = [
    {"id": f"k{number}", "original": f"Clause {number} en trop.", "simplification": "Trop."}
    for number in (1, 2)
]


@pytest.fixture
def lead(cast):
    return bearer(cast.lead)


def brought(lead) -> str:
    send(lead, "post", "studies/alpha/pairs/", {"pairs": PAIRS}, 201)
    (record,) = send(lead, "get", "studies/alpha/imports/")["results"]
    assert (record["items"], record["rows"], record["undone_at"]) == (2, 2, None)
    return f"studies/alpha/imports/{record['id']}/"


def test_an_import_is_undone(lead, cast):
    url = brought(lead)
    removal = send(lead, "get", f"{url}removal/")
    assert (removal["items"], removal["people"], removal["obstacles"]) == (2, 2, [])
    assert send(lead, "delete", url) == removal
    assert send(lead, "get", url)["undone_at"]
    assert not Item.objects.filter(key__in=["k1", "k2"]).exists()
    assert send(lead, "delete", url, status=422)["problems"][0]["code"] == "undone"


def test_not_one_of_which_something_is_saved(lead, cast):
    url = brought(lead)
    begin(rows(cast.alpha, simplification__item__key="k1")[0])
    assert send(lead, "get", f"{url}removal/")["obstacles"] == ["begun"]
    assert send(lead, "delete", url, status=422)["problems"][0]["code"] == "begun"
    assert send(lead, "delete", "studies/alpha/items/k1/removal/", status=422)
    assert send(lead, "delete", "studies/alpha/items/k2/removal/")["items"] == 1


def test_a_simplification_by_its_position(lead, cast):
    brought(lead)
    pair = Simplification.objects.get(item__key="k1")
    url = f"studies/alpha/items/k1/simplifications/{pair.position}/removal/"
    assert send(lead, "get", url)["simplifications"] == 1
    send(lead, "delete", url)
    assert not Simplification.objects.filter(pk=pair.pk).exists()
    send(lead, "get", url, status=404)


def test_a_person_who_has_saved_nothing(lead, cast):
    send(lead, "delete", "studies/alpha/annotators/A/", status=204)
    assert not cast.alpha.annotators.filter(pk=cast.judge.pk).exists()
