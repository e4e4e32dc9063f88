"""Whose names go from what is frozen."""

from __future__ import annotations

import pytest

from annotation.models import Lead, Study, User
from annotation.selectors.base.redaction import MARK, redaction
from annotation.services.people.people import annotator_add, lead_add, lead_remove
from annotation.services.people.removal import annotator_remove
from annotation.services.platform.events import event_record
from annotation.services.studies.studies import study_create, study_update
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
NAME = "Perrine Quatrevaux"


@pytest.fixture
def study() -> Study:
    return make_study("alpha", lead=make_user("lead"))


@pytest.fixture
def perrine() -> User:
    return User.objects.create_user("perrine@univ.example", name=NAME)


def unnamed(study: Study) -> bool:
    return redaction(study).text(f"Demandez à {NAME}.") == f"Demandez à {MARK}."


def test_a_lead_who_is_none_any_more(study, perrine):
    assert not unnamed(study)
    lead_add(actor=None, study=study, user=perrine)
    lead_remove(actor=None, lead=Lead.objects.get(user=perrine))
    assert unnamed(study)
    assert not unnamed(make_study("beta"))


def test_an_annotator_who_was_removed(study, perrine):
    annotator_remove(actor=None, annotator=annotator_add(actor=None, study=study, user=perrine))
    assert unnamed(study)


def test_whoever_made_it_or_had_it_made_for_them(perrine):
    for key, people in (("own", {"actor": perrine}), ("hers", {"actor": None, "lead": perrine})):
        study = study_create(key=key, title="T", **people)
        lead_add(actor=None, study=study, user=make_user())
        lead_remove(actor=None, lead=Lead.objects.get(study=study, user=perrine))
        assert unnamed(study)


def test_an_admin_who_did_anything_in_it(study, perrine):
    event_record(actor=perrine, study=study, verb="study_updated", target=study)
    assert unnamed(study)


def test_whom_annotators_ask_and_whom_they_asked_before(study):
    study_update(actor=None, study=study, contact=f"Prof. {NAME}, quatrevaux@univ.example")
    assert unnamed(study)
    study_update(actor=None, study=study, contact="Laboratoire de cyberjustice, poste 4512")
    assert unnamed(study)
    kept = "La cyberjustice du laboratoire."
    assert redaction(study).text(kept) == kept
