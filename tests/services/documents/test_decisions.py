"""Many blocks decided on for one reason, and taken back."""

from __future__ import annotations

from functools import partial

import pytest

from annotation.corpus.choosing import Reach
from annotation.corpus.funnel import BEFORE_FORMS, Criteria
from annotation.errors import RuleError
from annotation.models import Event
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import criteria_of, document_funnel
from annotation.services.documents.decisions import (
    Decided,
    block_override,
    blocks_decide,
    blocks_leave,
    blocks_take_back,
)
from annotation.services.documents.documents import criteria_set
from annotation.services.documents.draws import items_draw
from tests.documents import HARD, make_document
from tests.factories import make_study

pytestmark = pytest.mark.django_db

FORMS = f"""\
FORMULAIRE N° 1

{HARD[0]}
{HARD[1]}

FORMULAIRE N° 2

{HARD[0]}
{HARD[2]}
Le feu est vif. Le vent est fort.

FORMULAIRE N° 3

{HARD[0]}
{HARD[3]}
"""


@pytest.fixture
def document(cast):
    return make_document(make_study("gamma", lead=cast.lead), cast.lead, text=FORMS)


def kept(document: SourceDocument) -> list[str]:
    document.refresh_from_db()
    return [verdict.block.text for verdict in document_funnel(document).kept]


def keys_of(document: SourceDocument, *texts: str) -> list[str]:
    return [
        verdict.key for verdict in document_funnel(document).verdicts if verdict.block.text in texts
    ]


@pytest.fixture
def decide(cast, document):
    def decided(keys, keep=False, reason="Hors sujet", **more) -> Decided:
        return blocks_decide(
            actor=cast.lead, document=document, keys=keys, keep=keep, reason=reason, **more
        )

    return decided


def refused(call, *arguments, **more) -> str:
    with pytest.raises(RuleError) as caught:
        call(*arguments, **more)
    return caught.value.problems[0].code


class TestOne:
    def test_what_is_excluded_brings_up_no_copy(self, cast, document):
        first, *_ = keys_of(document, HARD[0])
        block_override(actor=cast.lead, document=document, key=first, keep=False, reason="Non")
        assert kept(document) == [HARD[1], HARD[2], HARD[3]]
        reasons = [
            [reason.code for reason in verdict.reasons]
            for verdict in document_funnel(document).verdicts
            if verdict.block.text == HARD[0]
        ]
        assert reasons == [[], ["duplicate"], ["duplicate"]]


class TestMany:
    def test_those_that_are_chosen(self, document, decide):
        outcome = decide(keys_of(document, HARD[1], HARD[3]))
        assert (outcome.decided, outcome.skipped) == (2, 0)
        assert kept(document) == [HARD[0], HARD[2]]

    def test_all_identical(self, document, decide):
        assert decide(keys_of(document, HARD[0])[:1], reach=Reach.IDENTICAL).decided == 3
        assert HARD[0] not in kept(document)
        assert len(document.overrides) == 3

    def test_everything_under_a_heading_of_one_form(self, document, decide):
        outcome = decide(keys_of(document, HARD[2]), reach=Reach.HEADING, depth=0)
        assert (outcome.decided, outcome.skipped) == (2, 1)  # the easy one is dropped already
        assert kept(document) == [HARD[0], HARD[1], HARD[3]]

    def test_rescued_under_a_heading_but_for_titles(self, document, decide):
        outcome = decide(keys_of(document, HARD[2]), keep=True, reach=Reach.HEADING)
        assert outcome.decided == 2  # the copy, and the easy one
        assert len(kept(document)) == 6

    def test_what_a_person_decided_stays(self, cast, document, decide):
        (easy,) = keys_of(document, "Le feu est vif. Le vent est fort.")
        block_override(actor=cast.lead, document=document, key=easy, keep=True, reason="Bon cas")
        assert decide([easy, *keys_of(document, HARD[1])]).skipped == 1
        assert document.overrides[easy]["reason"] == "Bon cas" if easy in document.overrides else 1
        assert "Le feu est vif. Le vent est fort." in kept(document)

    def test_it_is_in_the_audit_trail(self, document, decide):
        outcome = decide(
            keys_of(document, HARD[0])[:1], reach=Reach.IDENTICAL, reason=" Deux  mots "
        )
        event = Event.objects.get(verb="blocks_excluded")
        assert event.details == {"blocks": 3, "reason": "Deux mots", "together": outcome.together}

    def test_what_cannot_be(self, cast, document, decide):
        keys = keys_of(document, HARD[1])
        assert refused(decide, keys, reason=" ") == "required"
        assert refused(decide, keys, reason="x" * 501) == "too_long"
        assert refused(decide, ["gone"]) == "missing"
        for call in (decide, partial(blocks_leave, actor=cast.lead, document=document)):
            with pytest.raises(RuleError, match="These blocks are not there") as caught:
                call(keys=[*keys, "gone", "gone", "never"])
            assert "gone, never." in caught.value.problems[0].message.en
        with pytest.raises(RuleError, match=", k9 and 2 more"):
            decide([*keys, *(f"k{number}" for number in range(12))])
        document.refresh_from_db()
        assert not document.overrides
        assert refused(decide, keys, reach=Reach.HEADING, depth=7) == "missing"
        assert refused(decide, keys, keep=True) == "nothing"
        assert refused(decide, keys, keep=True, reach=Reach.IDENTICAL) == "identical_kept"
        items_draw(actor=cast.lead, document=document, practice=1, main=None, seed="7")
        assert refused(decide, keys) == "drawn"


class TestBack:
    def test_a_decision_is_taken_back_whole(self, cast, document, decide):
        before = kept(document)
        outcome = decide(keys_of(document, HARD[0])[:1], reach=Reach.IDENTICAL)
        decide(keys_of(document, HARD[1]))
        document.refresh_from_db()
        back = blocks_take_back(actor=cast.lead, document=document, together=outcome.together)
        assert back.decided == 3
        assert kept(document) == [text for text in before if text != HARD[1]]
        assert Event.objects.get(verb="blocks_left_to_criteria").details == {"blocks": 3}

    def test_some_are_left_to_the_criteria(self, cast, document, decide):
        keys = keys_of(document, HARD[1], HARD[2], HARD[3])
        decide(keys[:2])
        assert blocks_leave(actor=cast.lead, document=document, keys=keys) == Decided(2, 1)
        assert len(kept(document)) == 4

    def test_nothing_to_take_back(self, cast, document):
        for together in ("", "0" * 16):
            assert (
                refused(blocks_take_back, actor=cast.lead, document=document, together=together)
                == "nothing"
            )


class TestOfBefore:
    """Documents that were brought in before forms were known."""

    @pytest.mark.parametrize("stored", [{}, {"most_sentences": 4, "hardest_only": None}])
    def test_their_blocks_stay_as_they_were(self, document, stored):
        document.criteria = stored
        criteria = criteria_of(document.criteria)
        assert {name: vars(criteria)[name] for name in BEFORE_FORMS} == BEFORE_FORMS
        assert document_funnel(document).criteria == criteria

    def test_a_lead_may_have_them_read_as_forms(self, cast, document):
        SourceDocument.objects.update(criteria={})
        document.refresh_from_db()
        document = criteria_set(actor=cast.lead, document=document, criteria=Criteria())
        assert criteria_of(document.criteria) == Criteria()
        details = Event.objects.get(verb="document_criteria_set").details
        assert details["as_form"] == "False → True"

    def test_new_ones_write_their_settings_down(self, document):
        document.refresh_from_db()
        assert document.criteria["as_form"] is True
