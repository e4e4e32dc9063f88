"""Blindness at each moment of a study's life: what may be read is asked before and after every
step, everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotator, Assignment, Simplification, Study, User
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.repeats import repeats_offer
from annotation.services.practice.practice import meeting_open
from annotation.services.studies.studies import study_change_state
from tests.api.test_access import PATTERNS, PUBLIC
from tests.factories import make_annotator, make_pair, make_study, make_user, save
from tests.planning import annotators, days_pass, planned_study, rows, submit
from tests.web.test_access_matrix import URLS, _redis_is_there, whole  # noqa: F401  (a fixture)# noqa: F401  (a fixture)

pytestmark = [pytest.mark.django_db, pytest.mark.walk]
WORDS = "Mot-que-seule-une-reponse-contient"


class Stage:
    """Two annotators, a practice pair, a main one; answers that hold a word found nowhere else."""

    def __init__(self) -> None:
        self.lead: User = make_user("lead")
        self.study: Study = make_study("moments", lead=self.lead, state="practice", is_blind=True)
        for round_ in ("practice", "main"):
            make_pair(self.study, round=round_)
        self.people: list[Annotator] = [make_annotator(self.study) for _ in range(2)]
        assignments_fill(actor=None, study=self.study)
        self.client = Client()
        self.client.force_login(self.lead)

    def judge(self, who: Annotator, round_: str) -> None:
        found = Assignment.objects.filter(annotator=who, simplification__item__round=round_)
        for one in found.select_related(
            "annotator__study", "annotator__user", "simplification__item"
        ):
            given = save(characterization=18, explanation=WORDS, comment=WORDS)
            judgment_submit(actor=who.user, assignment=one, save=given)

    def step(self, to: str) -> None:
        study_change_state(
            actor=self.lead, study=Study.objects.get(pk=self.study.pk), to=to, reason="au suivant"
        )

    def addresses(self) -> Iterator[str]:
        """Every page and operation that can be made of this study's own rows."""
        for known in self._values():
            for name, pattern in URLS.items():
                wanted = pattern.pattern.converters
                if name != "logout" and "study" in wanted and set(wanted) <= set(known):
                    yield reverse(name, kwargs={part: known[part] for part in wanted})
            for name, pattern in PATTERNS.items():
                wanted = pattern.pattern.converters
                if name not in PUBLIC and "study" in wanted and set(wanted) <= set(known):
                    yield reverse(f"api:{name}", kwargs={part: known[part] for part in wanted})

    def _values(self) -> Iterator[dict[str, Any]]:
        for pair in Simplification.objects.filter(item__study=self.study).select_related("item"):
            yield {
                "study": self.study.key,
                "item": pair.item.key,
                "pair": pair.pk,
                "simplification": pair.pk,
                "dimension": "legal_meaning",
                "chart": "overview",
                "drawing": "shares",
                "picture": "scatter",
                "table": "means",
                "pseudonym": "A",
            }

    def told(self) -> set[str]:
        """The addresses whose answer holds the word, by any filter of rounds; no file with answers
        is to be had."""
        asked = set(self.addresses())
        # These show the main round unless they are asked for another.
        asked |= {
            f"{one}?round={other}"
            for one in asked
            if "agreement" in one or "systems" in one
            for other in ("practice", "all")
        }
        asked.add(f"/studies/{self.study.key}/remarks.csv")
        return {one for one in sorted(asked) if WORDS.encode() in whole(self.client.get(one))}

    def files(self) -> dict[tuple[str, str], tuple[int, int]]:
        """What a request for each file is answered, by layout and round."""
        found = {}
        for layout in ("long", "wide", "errors", "frjudge"):
            for round_ in ("practice", "main", "all"):
                posted = {"layout": layout, "round": round_}
                page = self.client.post(f"/studies/{self.study.key}/exports/", posted).status_code
                body = self.client.post(
                    f"/api/v1/studies/{self.study.key}/exports/",
                    posted,
                    content_type="application/json",
                ).status_code
                found[layout, round_] = min(page, body), max(page, body)
        return found


def test_a_lead_reads_nobody_s_answers_before_their_time():
    stage = Stage()
    first, second = stage.people
    stage.judge(first, "practice")
    assert stage.told() == set(), "one of two is done"
    assert {asked for asked, status in stage.files().items() if status != (422, 422)} == {
        (layout, "main") for layout in ("long", "wide", "errors", "frjudge")
    }
    stage.judge(second, "practice")
    assert stage.told(), "everybody has submitted"

    stage.step("main")
    stage.judge(first, "main")
    of_main = {
        pair.item.key
        for pair in Simplification.objects.filter(item__round="main").select_related("item")
    }
    assert {one for one in stage.told() if any(key in one for key in of_main)} == set(), (
        "it is blind"
    )
    stage.step("closed")
    assert {one for one in stage.told() if any(key in one for key in of_main)}


def test_a_meeting_opens_practice_answers_early():
    stage = Stage()
    stage.judge(stage.people[0], "practice")
    assert stage.told() == set()
    meeting_open(actor=stage.lead, study=stage.study, reason="il faut en parler")
    assert stage.told()
    assert stage.files()["long", "practice"] != (422, 422)


def look(person: User, study: Study) -> dict[str, Any]:
    """What a person's browser and programs can count and address in a study."""
    client = Client()
    client.force_login(person)
    key = study.key
    pages = {n: client.get(f"/annotate/{key}/{n}/").status_code for n in range(1, 16)}
    histories = {n: client.get(f"/annotate/{key}/{n}/history/").status_code for n in range(1, 16)}
    own = client.get(f"/annotate/{key}/mine/")
    listed = client.get(f"/api/v1/my/studies/{key}/assignments/").json()["results"]
    facts = client.get(f"/api/v1/my/studies/{key}/").json()
    return {
        "pages": pages,
        "histories": histories,
        "rows": sorted((row["url"], str(row.get("number"))) for row in own.context["rows"]),
        "listed": sorted((row["position"], row.get("number")) for row in listed),
        "total": own.context["total"],
        "facts": facts.get("total"),
    }


def test_an_offered_repeat_changes_no_address_no_number_and_no_total():
    study = planned_study(2, 10, repeat_percent=25, repeat_after_days=7, seed=3)
    for row in rows(study):
        submit(row)
    days_pass(study, 8)
    one = annotators(study)[0]
    before = look(one.user, study)
    assert repeats_offer(study=study) == 6
    assert look(one.user, study) == before
    for row in rows(study, annotator=one, simplification__item__round="repeat"):
        submit(row)
    assert look(one.user, study) == before
