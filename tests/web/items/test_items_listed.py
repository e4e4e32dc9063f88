"""The list of items: filtered, sorted, by page, and as a file of what is shown."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import Client

from annotation.models import Item, Simplification, Study
from annotation.selectors.items.listing import (
    MOST_CHOICES,
    ORDERS,
    ItemFilter,
    items_listed,
    sources_of,
    systems_of,
)
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study
from tests.planning import rows, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = make_study(state="main")
    make_pair(study, key="b", original="Une clause de taille moyenne.", system="un")
    make_pair(study, key="c", original="Courte.", system="deux")
    make_pair(study, key="a", original="La plus longue de toutes les clauses d'ici.", system="un")
    Simplification.objects.create(item=study.items.get(key="a"), system="deux", text="Oui.")
    Item.objects.create(study=study, key="d", position=4, original="Seule.", source="Police A")
    make_annotator(study)
    assignments_fill(actor=None, study=study)
    submit(rows(study, simplification__item__key="c")[0])
    return study


def keys(study: Study, **wanted: Any) -> list[str]:
    return [item.key for item in items_listed(study, ItemFilter(**wanted))]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, "bcad"),
        ({"order": "key"}, "abcd"),
        ({"order": "shortest"}, "dcba"),
        ({"order": "longest"}, "abcd"),
        ({"order": "most"}, "cbad"),
        ({"order": "fewest"}, "badc"),
        ({"order": "nonsense", "round": "nonsense", "flag": "nonsense"}, "bcad"),
        ({"system": "un"}, "ba"),
        ({"lacks": "deux"}, "bd"),
        ({"system": "un", "lacks": "deux"}, "b"),
        ({"flag": "no_pair"}, "d"),
        ({"source": "Police A"}, "d"),
        ({"search": "police"}, "d"),
        ({"search": "OUI"}, "a"),
        ({"fewer": 1}, "bad"),
        ({"fewer": 0}, ""),
        ({"round": "practice"}, ""),
    ],
)
def test_what_is_wanted(study, wanted, expected):
    assert "".join(keys(study, **wanted)) == expected


def test_each_order_is_of_all(study):
    assert {frozenset(keys(study, order=order)) for order in ORDERS} == {frozenset("abcd")}


def test_choices_that_are_too_many_are_none(study):
    assert (systems_of(study), sources_of(study)) == (["deux", "un"], ["Police A"])
    for number in range(MOST_CHOICES + 1):
        make_pair(study, system=f"s{number}")
    assert systems_of(study) == []


def test_the_file_holds_what_the_list_shows(study, cast):
    client = Client()
    client.force_login(cast.admin)
    page = client.get(f"/studies/{study.key}/items/?system=un&order=key").content.decode()
    assert f"/studies/{study.key}/items.csv?system=un&amp;order=key" in page
    answer = client.get(f"/studies/{study.key}/items.csv?system=un&order=key&page=7")
    table = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))
    assert [row[0] for row in table[1:]] == ["a", "b"]
    assert table[1][5:] == ["un, deux", "0"]


def test_one_goes_to_any_page_and_keeps_the_filter(study, cast):
    for _ in range(120):
        make_pair(study, system="trois")
    client = Client()
    client.force_login(cast.admin)
    page = client.get(f"/studies/{study.key}/items/?system=trois&page=3").content.decode()
    assert 'name="page" inputmode="numeric" size="4" value="3"' in page
    assert '<input type="hidden" name="system"' in page
    for wrong in ("0", "99", "x", ""):
        assert client.get(f"/studies/{study.key}/items/?page={wrong}").status_code == 200
