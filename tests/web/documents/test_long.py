"""Pages of a long document wait for the worker that finds its blocks; nothing that was sent is
lost."""

from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from tests.documents import make_document
from tests.documents_long import blocks_worker  # noqa: F401  (a fixture)
from tests.factories import make_study
from tests.web.documents.test_documents import CRITERIA, DRAW
from tests.web.items.importing import page_text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("blocks_worker")]
WAITS = "ses blocs sont cherchés"


@pytest.fixture
def lead(cast):
    return cast.client("lead")


@pytest.fixture
def document(cast):
    return make_document(make_study("gamma", lead=cast.lead), cast.lead)


def url(document, name="document"):
    return reverse(name, args=["gamma", document.pk])


@pytest.mark.parametrize("name", ["document", "document_blocks", "document_draw"])
def test_a_page_waits_and_then_shows_them(lead, document, name, blocks_worker):  # noqa: F811
    place = url(document, name)
    assert WAITS in page_text(lead.get(place))
    part = lead.get(place, headers={"HX-Request": "true"})
    assert "hx-get" in part.content.decode()
    assert "HX-Refresh" not in part.headers
    assert blocks_worker.work() == [True]
    assert lead.get(place, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    assert WAITS not in page_text(lead.get(place))


def test_what_was_sent_is_sent_again(lead, document, blocks_worker):  # noqa: F811
    place = url(document)
    form = {**CRITERIA, "action": "preview", "most_sentences": "3"}
    answer = lead.post(place, form)
    while WAITS in page_text(answer):
        assert blocks_worker.work()
        fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.content.decode())
        again = {name: html.unescape(value) for name, value in fields if name in form}
        assert again == form
        answer = lead.post(place, again)
    assert answer.status_code == 200
    assert answer.context["change"]


def test_a_draw_is_not_made_before(lead, document, blocks_worker):  # noqa: F811
    place = url(document, "document_draw")
    assert WAITS in page_text(lead.post(place, {**DRAW, "action": "draw"}))
    assert not document.study.items.exists()
    assert blocks_worker.work() == [True]
    assert lead.post(place, {**DRAW, "action": "draw"}).status_code == 302
    assert document.study.items.count() == 5


def test_a_text_that_asks_for_too_much_is_explained_and_can_go(
    lead,
    document,
    blocks_worker,  # noqa: F811
    settings,
):
    from dataclasses import replace

    settings.READING_LIMITS = replace(settings.READING_LIMITS, wall_seconds=0)
    lead.get(url(document))
    assert blocks_worker.work() == [True]
    answer = lead.get(url(document))
    assert answer.status_code == 422
    assert "demande plus de temps" in page_text(answer)
    assert lead.get(url(document), headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    assert lead.post(url(document), {"action": "discard"}).status_code == 302
    assert not document.study.documents.exists()
