"""A study, or a document, that is deleted while somebody asks something else of it: to whoever
comes second it is not there any more."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from django.test import Client

from annotation.models import Study, User
from annotation.services.documents.documents import document_discard
from annotation.services.studies.ending import study_delete
from tests.api.conftest import bearer
from tests.documents import make_document
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.overlapping import overlapping

pytestmark = pytest.mark.django_db(transaction=True)

REASON = {"reason": "Un essai."}
THRESHOLDS = {"majority_share": 0.6, "score_range": 4, "fewest_ratings": 2}
ASKED: dict[str, tuple[str, str, Any]] = {
    "deletion": ("delete", "", {"key": "seule"}),
    "settings": ("patch", "", {"title": "Autre"}),
    "state": ("post", "state/", {"to": "main", **REASON}),
    "archive": ("put", "archive/", REASON),
    "plan": ("patch", "plan/", {"per_item": 1}),
    "part": ("put", "plan/part/", {"passages": 1}),
    "guide": ("post", "guides/", {"body_fr": "Lisez."}),
    "glossary": ("put", "glossary/", {"terms": [{"term": "prime", "definition": "Un prix."}]}),
    "annotator": ("post", "annotators/", {"email": "anne@example.org"}),
    "lead": ("post", "leads/", {"email": "anne@example.org"}),
    "invitation": ("post", "invitations/", {"email": "b@example.org", "role": "lead"}),
    "pairs": ("post", "pairs/", {"pairs": [{"original": "Un.", "simplification": "Deux."}]}),
    "export": ("post", "exports/", {"layout": "codebook", "format": "csv"}),
    "run": ("post", "generation-runs/", {}),
    "thresholds": ("put", "adjudication/rules/", THRESHOLDS),
    "withdrawal": ("put", "annotators/A/withdrawal/", REASON),
    "item": ("delete", "items/clause/removal/", None),
}


@pytest.fixture
def lead() -> User:
    return make_user("lead")


@pytest.fixture
def study(lead) -> Study:
    new_study = make_study("seule", lead=lead)
    make_pair(new_study, key="clause")
    make_annotator(new_study)
    make_user("anne", email="anne@example.org")
    return new_study


def ask(program: Client, method: str, address: str, body: Any) -> int:
    url = f"/api/v1/studies/seule/{address}"
    sent = json.dumps(body) if body is not None else ""
    return getattr(program, method)(url, sent, content_type="application/json").status_code


@pytest.mark.parametrize("what", ASKED)
def test_whoever_comes_while_a_study_is_deleted_finds_none(study, lead, what):
    program = bearer(lead)
    delete = partial(study_delete, actor=lead, study=study, key=study.key)
    assert overlapping(delete, lambda: ask(program, *ASKED[what])) == 404
    assert not Study.objects.exists()


def test_whoever_draws_while_a_document_is_thrown_away_finds_none(study, lead):
    document, program = make_document(study, lead), bearer(lead)
    address = f"documents/{document.pk}/draw/"
    discard = partial(document_discard, actor=lead, document=document)
    assert (
        overlapping(discard, lambda: ask(program, "post", address, {"practice": 1, "seed": "1"}))
        == 404
    )
