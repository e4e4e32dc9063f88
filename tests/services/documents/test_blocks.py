"""The blocks of a long document: found by a worker, under limits, one text of a person at a
time."""

from __future__ import annotations

import uuid
from dataclasses import asdict, replace

import pytest

from annotation.corpus.funnel import Criteria
from annotation.reading import one_at_a_time
from annotation.selectors.documents import blocks
from annotation.selectors.documents.blocks import BlocksLater, BlocksRefused
from annotation.selectors.documents.documents import document_funnel
from annotation.services.documents.blocks import blocks_carry_out, blocks_find, blocks_request
from annotation.services.documents.decisions import block_override
from tests.documents import make_document
from tests.documents_long import blocks_worker  # noqa: F401  (a fixture)
from tests.factories import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(cast):
    return make_document(make_study("gamma", lead=cast.lead), cast.lead)


def ask(cast, document, criteria=None):
    blocks_request(actor=cast.lead, document=document, criteria=criteria or Criteria())


def test_they_are_the_same_as_those_of_a_short_one(cast, document, request):
    short = document_funnel(document)
    worker = request.getfixturevalue("blocks_worker")
    with pytest.raises(BlocksLater) as caught:
        document_funnel(document)
    ask(cast, document, caught.value.criteria)
    assert worker.work() == [True]
    assert document_funnel(document) == short
    assert document_funnel(document) == short  # what this process holds


def test_a_decision_needs_no_new_reading(cast, document, blocks_worker):  # noqa: F811
    assert blocks_find(document=document, criteria=Criteria())
    key = document_funnel(document).kept[1].key
    decided = block_override(actor=cast.lead, document=document, key=key, keep=False, reason="non")
    assert len(document_funnel(decided).kept) == 4
    with pytest.raises(BlocksLater):
        document_funnel(document, Criteria(most_sentences=3))


def test_one_text_of_a_person_at_a_time(cast, document, blocks_worker):  # noqa: F811
    ask(cast, document)
    ask(cast, document, Criteria(most_sentences=3))
    assert len(blocks_worker.messages) == 1
    assert blocks_worker.work() == [True]
    ask(cast, document, Criteria(most_sentences=3))
    assert blocks_worker.work() == [True]
    ask(cast, document)
    assert blocks_worker.work() == [False]  # it is known


def test_a_turn_that_is_not_theirs_is_asked_for_again(cast, document, blocks_worker, monkeypatch):  # noqa: F811
    def busy(*_arguments: object, **_options: object) -> None:
        raise one_at_a_time()

    with monkeypatch.context() as patched:
        patched.setattr("annotation.services.documents.blocks.blocks_read", busy)
        ask(cast, document)
        assert blocks_worker.work() == [False]
    ask(cast, document)
    assert blocks_worker.work() == [True]


def test_what_asks_for_too_much_is_said_and_tried_again_later(
    cast,
    document,
    blocks_worker,  # noqa: F811
    settings,
):
    settings.READING_LIMITS = replace(settings.READING_LIMITS, wall_seconds=0)
    ask(cast, document)
    assert blocks_worker.work() == [True]
    with pytest.raises(BlocksRefused, match="more time"):
        document_funnel(document)


def test_nothing_to_do(cast, document):
    assert not blocks_carry_out(uuid.uuid4(), asdict(Criteria()), cast.lead.pk)
    assert not blocks_find(document=document, criteria=Criteria())


def test_many_short_lines_are_long():
    assert not blocks.blocks_take_long("x" * blocks.AT_ONCE)
    assert blocks.blocks_take_long("a.\n" * (blocks.AT_ONCE // 80))
