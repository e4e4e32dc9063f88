"""Many blocks decided on by the API, and taken back."""

from __future__ import annotations

import pytest

from tests.documents import HARD, make_document
from tests.factories import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(program):
    return program("lead")


@pytest.fixture
def place(cast):
    document = make_document(make_study("gamma", lead=cast.lead), cast.lead)
    return f"/api/v1/studies/gamma/documents/{document.pk}/"


def blocks(lead, place, show="kept"):
    return lead.get(f"{place}blocks/?show={show}").json()["results"]


def decide(lead, place, keys, **more):
    wanted = {"keys": keys, "keep": False, "reason": "Hors sujet"} | more
    return lead.post(f"{place}decisions/", wanted, content_type="application/json")


def test_excluded_together_and_taken_back(lead, place):
    keys = [block["key"] for block in blocks(lead, place)][:2]
    answer = decide(lead, place, keys)
    assert answer.status_code == 200
    assert (answer.json()["decided"], answer.json()["skipped"]) == (2, 0)
    assert len(blocks(lead, place)) == 3
    back = lead.delete(f"{place}decisions/{answer.json()['together']}/")
    assert back.json() == {"decided": 2, "skipped": 0, "together": ""}
    assert len(blocks(lead, place)) == 5


def test_everything_under_a_heading(lead, place):
    last = blocks(lead, place)[-1]
    assert last["headings"] == ["CHAPITRE PREMIER", "2. FIN"]
    assert decide(lead, place, [last["key"]], reach="heading", depth=1).json()["decided"] == 3
    left = decide(lead, place, [last["key"]], keep=None)
    assert (left.json()["decided"], len(blocks(lead, place))) == (1, 4)


def test_all_identical(lead, place):
    first = next(block for block in blocks(lead, place) if block["text"] == HARD[0])
    assert decide(lead, place, [first["key"]], reach="identical").json()["decided"] == 2


def test_what_cannot_be(lead, place):
    key = blocks(lead, place)[0]["key"]
    assert decide(lead, place, []).status_code == 400
    assert decide(lead, place, [key], reach="all").status_code == 400
    refused = decide(lead, place, [key], keep=True)
    assert refused.status_code == 422
    for keep in (False, None):
        (problem,) = decide(lead, place, [key, "0" * 12], keep=keep).json()["problems"]
        assert (problem["field"], problem["code"]) == ("keys", "missing")
        assert "0" * 12 in problem["message"]
    assert len(blocks(lead, place)) == 5


def test_clients_that_know_nothing_of_forms_leave_them_as_they_are(lead, place):
    criteria = lead.get(f"{place}criteria/").json()
    known = {
        name: value
        for name, value in criteria.items()
        if name not in ("as_form", "drop_tables", "drop_fields", "drop_verbless", "standing_from")
    }
    stored = lead.put(f"{place}criteria/", known | {"hardest_only": 40}, "application/json")
    assert stored.json()["criteria"] == criteria | {"hardest_only": 40}
