"""Two leads who build on the same version at the same moment: one is told, whoever comes second."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any
from urllib.parse import urljoin

import pytest

from annotation.corpus.glossary import Term
from annotation.models import Lead, Simplification, User
from annotation.services.generation.runs import run_create
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.parts import part_draw
from annotation.services.studies.studies import guide_publish
from api.agreement.views import agreement
from api.documents import views as documents
from api.generation.views import runs
from api.guides.views import glossary as glossaries
from api.people import views as people
from api.planning import views as planning
from api.practice import views as practice
from api.studies import views as studies
from tests.api.conftest import bearer
from tests.documents import make_document
from tests.factories import make_assignment, make_study, make_user, save
from tests.planning import planned_study
from tests.practising import pairs, practice_study
from tests.services.judging.test_concurrency import at_once, both_there

pytestmark = pytest.mark.django_db(transaction=True)

METHODS = {
    "plan_set": "patch",
    "run_update": "patch",
    "user_set_active": "patch",
    "guide_publish": "post",
}


def note(lead: User) -> str:
    return f"pratique/practice/pairs/{pairs(practice_study(lead))[0].pk}/note/"


def thresholds(lead: User) -> str:
    return f"{make_study('seuils', lead=lead).key}/adjudication/rules/"


def plan(lead: User) -> str:
    study = planned_study(4, 4)
    Lead.objects.create(study=study, user=lead)
    return f"{study.key}/plan/"


def criteria(lead: User) -> str:
    document = make_document(make_study("criteres", lead=lead), lead)
    return f"{document.study.key}/documents/{document.pk}/criteria/"


def glossary(lead: User) -> str:
    study = make_study("termes", lead=lead)
    glossary_replace(actor=lead, study=study, terms=[Term("prime", "Un prix.")])
    return f"{study.key}/glossary/"


def guides(lead: User) -> str:
    study = make_study("guides", lead=lead)
    guide_publish(actor=lead, study=study, body_fr="Lisez.")
    return f"{study.key}/guides/"


def part(lead: User) -> str:
    study = planned_study(2, 8, opened=False)
    Lead.objects.create(study=study, user=lead)
    part_draw(actor=lead, study=study, passages=4)
    return f"{study.key}/plan/part/"


def run(lead: User) -> str:
    study = make_study("passes", lead=lead)
    return f"{study.key}/generation-runs/{run_create(actor=lead, study=study).number}/"


def case(lead: User) -> str:
    study = make_study("cas", lead=lead, state="main")
    assignment = make_assignment(study)
    judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save())
    return f"{study.key}/adjudication/{assignment.simplification_id}/characterization/"


def account(lead: User) -> str:
    User.objects.filter(pk=lead.pk).update(is_admin=True)
    return f"../people/{make_user('anne').pk}/"


@pytest.mark.parametrize(
    ("address", "views", "service", "is_whole", "changes"),
    [
        (note, practice, "practice_note_save", False, [{"note": "un"}, {"note": "deux"}]),
        (
            thresholds,
            agreement,
            "adjudication_rules_set",
            True,
            [{"score_range": n} for n in (4, 5)],
        ),
        (criteria, documents, "criteria_set", True, [{"most_sentences": n} for n in (6, 7)]),
        (plan, planning, "plan_set", False, [{"per_item": n} for n in (2, 3)]),
        (part, planning, "part_draw", False, [{"passages": n} for n in (2, 3)]),
        (
            glossary,
            glossaries,
            "glossary_replace",
            False,
            [{"terms": [{"term": term, "definition": "Un mot."}]} for term in ("a", "b")],
        ),
        (guides, studies, "guide_publish", False, [{"body_fr": words} for words in ("Un", "Deux")]),
        (run, runs, "run_update", False, [{"ceiling": f"{n}.00"} for n in (6, 7)]),
        (
            case,
            agreement,
            "adjudicate",
            False,
            [{"outcome": "settled", "value": n, "reasons": "Art. 2"} for n in (7, 9)],
        ),
        (
            account,
            people,
            "user_set_active",
            False,
            [{"is_active": False, "reason": reason} for reason in ("un", "deux")],
        ),
    ],
)
def test_one_of_two_is_told_that_it_changed(
    monkeypatch: pytest.MonkeyPatch,
    address: Callable[[User], str],
    views: ModuleType,
    service: str,
    is_whole: bool,
    changes: list[dict[str, Any]],
) -> None:
    lead = make_user("lead")
    url, program = urljoin("/api/v1/studies/", address(lead)), bearer(lead)
    seen = program.get(url)
    headers = {"if-match": seen["ETag"]}
    write = getattr(program, METHODS.get(service, "put"))
    both_there(monkeypatch, (views, service))
    answered = at_once(
        [
            partial(
                write,
                url,
                json.dumps((seen.json() if is_whole else {}) | change),
                content_type="application/json",
                headers=headers,
            )
            for change in changes
        ]
    )
    statuses = sorted(response.status_code for response in answered)
    assert statuses == [201 if service == "guide_publish" else 200, 412], answered


def test_what_has_changed_is_not_taken_back_unseen() -> None:
    lead = make_user("lead")
    for address in (case, part):
        url, program = f"/api/v1/studies/{address(lead)}", bearer(lead)
        assert program.delete(url, headers={"if-match": '"stale"'}).status_code == 412
    ruling = {"outcome": "settled", "value": 7, "reasons": "Art. 2"}
    pair = Simplification.objects.get(item__study__key="cas")
    url = f"/api/v1/studies/cas/adjudication/{pair.pk}/characterization/?names=1"
    seen = program.get(url)["ETag"]
    made = program.put(
        url, json.dumps(ruling), content_type="application/json", headers={"if-match": seen}
    )
    assert made.status_code == 200
    assert program.delete(url, headers={"if-match": seen}).status_code == 412
    assert program.delete(url, headers={"if-match": program.get(url)["ETag"]}).status_code == 204
