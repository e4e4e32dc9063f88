"""Many blocks decided on in the page: without scripts, and where one was."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.selectors.documents.documents import document_funnel
from annotation.web.documents.views import blocks as views
from tests.documents import HARD, make_document
from tests.factories import make_study
from tests.web.items.importing import page_text

pytestmark = pytest.mark.django_db

FORMS = "\n".join(
    f"FORMULAIRE N° {n}\n\n{HARD[0]}\n{text}\n\n" for n, text in enumerate(HARD[1:], start=1)
)


@pytest.fixture
def document(cast):
    return make_document(make_study("gamma", lead=cast.lead), cast.lead, text=FORMS)


@pytest.fixture
def lead(cast):
    return cast.client("lead")


@pytest.fixture
def address(document):
    return reverse("document_blocks", args=["gamma", document.pk])


def keys(document, *texts):
    document.refresh_from_db()
    return [
        verdict.key for verdict in document_funnel(document).verdicts if verdict.block.text in texts
    ]


def kept(document):
    document.refresh_from_db()
    return [verdict.block.text for verdict in document_funnel(document).kept]


def test_a_selection_for_one_reason(lead, document, address):
    assert 'form="many"' in page_text(lead.get(address))
    chosen = keys(document, HARD[1], HARD[2])
    form = {"action": "exclude_chosen", "keys": chosen, "reason": "Trop vague"}
    answer = lead.post(address, form, follow=True)
    assert kept(document) == [HARD[0], HARD[3], HARD[4]]
    assert "2 blocs" in page_text(answer)
    shown = page_text(lead.get(address, {"show": "manual"}))
    assert "Trop vague" in shown
    assert 'value="undo_together"' in shown


def test_all_identical_at_once_and_back(lead, document, address):
    (first, *_others) = keys(document, HARD[0])
    page = page_text(lead.get(address))
    assert 'value="exclude_identical"' in page
    lead.post(address, {"action": "exclude_identical", "key": first, "reason": "Mention"})
    assert HARD[0] not in kept(document)
    assert len(document.overrides) == 4
    together = document.overrides[first]["together"]
    lead.post(address, {"action": "undo_together", "key": first, "together": together})
    assert HARD[0] in kept(document)
    assert document.overrides == {}


def test_everything_under_a_heading(lead, document, address):
    (key,) = keys(document, HARD[3])
    lead.post(address, {"action": "exclude_heading", "key": key, "depth": "0", "reason": "Non"})
    assert kept(document) == [HARD[0], HARD[1], HARD[2], HARD[4]]
    answer = lead.post(
        address, {"action": "rescue_heading", "key": key, "depth": "٣", "reason": "Non"}
    )
    assert answer.status_code == 422


def test_all_that_a_view_shows(lead, document, address):
    filtered = f"{address}?q=subrogation"
    lead.post(filtered, {"action": "exclude_shown", "reason": "Recours"})
    assert HARD[4] not in kept(document)
    chosen = keys(document, HARD[4])
    lead.post(f"{address}?show=manual", {"action": "undo_chosen", "keys": chosen})
    assert HARD[4] in kept(document)
    lead.post(f"{address}?show=duplicate", {"action": "rescue_shown", "reason": "À comparer"})
    assert kept(document).count(HARD[0]) == 4


def test_the_page_stays_where_one_was(lead, document, address, monkeypatch):
    monkeypatch.setattr(views, "PAGE_SIZE", 2)
    first, second, third, fourth, fifth = keys(document, *kept(document))[:1] + keys(
        document, *HARD[1:]
    )
    here = f"{address}?show=kept&q=&page=2"
    answer = lead.post(here, {"action": "exclude", "key": third, "reason": "Non"})
    assert answer.url == f"{address}?show=kept&q=&page=2#block-{fourth}"
    answer = lead.post(here, {"action": "exclude_chosen", "keys": [fourth, fifth], "reason": "Non"})
    assert answer.url == f"{address}?show=kept&q=&page=1#block-{second}"
    answer = lead.post(here, {"action": "exclude_chosen", "keys": [first, second], "reason": "Non"})
    assert answer.url == f"{address}?show=kept&q="


def test_a_refusal_keeps_the_reason_and_the_boxes(lead, document, address):
    chosen = keys(document, HARD[1])
    answer = lead.post(address, {"action": "rescue_chosen", "keys": chosen, "reason": "Bon cas"})
    assert answer.status_code == 422
    page = page_text(answer)
    assert 'value="Bon cas"' in page
    assert page.count(" checked") == 1


def test_what_was_skipped_is_said(lead, document, address):
    form = {"action": "exclude_chosen", "keys": keys(document, HARD[1]), "reason": "Non"}
    lead.post(address, form)
    form["keys"] += keys(document, HARD[2])
    assert "1 autre" in page_text(lead.post(address, form, follow=True))
