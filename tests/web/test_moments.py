"""Blindness at each moment of a study's life: what may be read is asked before and after every
step, everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotator, Assignment, Judgment, Lead, Simplification, Study, User
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.repeats import repeats_offer
from annotation.services.practice.practice import meeting_open
from annotation.services.studies.studies import study_change_state
from tests.api.test_access import PATTERNS, PUBLIC
from tests.factories import make_annotator, make_pair, make_study, make_user, save
from tests.planning import annotators, days_pass, planned_study, rows, submit
from tests.protocols.answered import answered, typed
from tests.protocols.judged import answer
from tests.web.machines_planted import (
    OF_MODELS,
    addresses,
    everywhere,
    files_of,
    found,
    make_machine,
    of_machines,
    plant_judgments,
    plant_machines,
)
from tests.web.test_access_matrix import URLS, _redis_is_there, whole  # noqa: F401  (a fixture)

# What may be read when is decided before any database is asked.
pytestmark = [pytest.mark.django_db, pytest.mark.walk, pytest.mark.once]
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
        assignments = Assignment.objects.filter(annotator=who, simplification__item__round=round_)
        for assignment in assignments.select_related(
            "annotator__study", "annotator__user", "simplification__item"
        ):
            given = save(characterization=18, explanation=WORDS, comment=WORDS)
            judgment_submit(actor=who.user, assignment=assignment, save=given)

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
        urls = set(self.addresses())
        # These show the main round unless they are asked for another.
        urls |= {
            f"{url}?round={other}"
            for url in urls
            if "agreement" in url or "systems" in url
            for other in ("practice", "all")
        }
        urls.add(f"/studies/{self.study.key}/remarks.csv")
        return {url for url in sorted(urls) if WORDS.encode() in whole(self.client.get(url))}

    def files(self) -> dict[tuple[str, str], tuple[int, int]]:
        """What a request for each file is answered, by layout and round."""
        statuses = {}
        for layout in ("long", "wide", "errors", "frjudge"):
            for round_ in ("practice", "main", "all"):
                posted = {"layout": layout, "round": round_}
                page = self.client.post(f"/studies/{self.study.key}/exports/", posted).status_code
                body = self.client.post(
                    f"/api/v1/studies/{self.study.key}/exports/",
                    posted,
                    content_type="application/json",
                ).status_code
                statuses[layout, round_] = min(page, body), max(page, body)
        return statuses


def test_a_lead_reads_nobody_s_answers_before_their_time():
    stage = Stage()
    first, second = stage.people
    stage.judge(first, "practice")
    assert stage.told() == set(), "one of two is done"
    assert {file for file, status in stage.files().items() if status != (422, 422)} == {
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
    assert {url for url in stage.told() if any(key in url for key in of_main)} == set(), (
        "it is blind"
    )
    stage.step("closed")
    assert {url for url in stage.told() if any(key in url for key in of_main)}


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
    """Neither the first offer nor the next one."""
    study = planned_study(2, 10, repeat_percent=25, repeat_after_days=7, seed=3)
    annotator = annotators(study)[0]
    offered = 0
    for some in (rows(study)[::2], rows(study)[1::2]):
        for row in some:
            submit(row)
        days_pass(study, 8)
        before = look(annotator.user, study)
        number = repeats_offer(study=study)
        assert number, "some are due"
        offered += number
        assert look(annotator.user, study) == before
        for row in rows(study, annotator=annotator, simplification__item__round="repeat"):
            if not Judgment.objects.filter(assignment=row).exists():
                submit(row)
        assert look(annotator.user, study) == before
    assert offered == 6


@pytest.fixture
def _asked_at_will(settings, monkeypatch):
    """Nobody is put off; files are written at once."""
    settings.API_REQUESTS_PER_MINUTE = 100_000
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


class Moments:
    """A study at whose moments everybody is asked for the same addresses."""

    def __init__(self, study: Study, lead: User, *others: User) -> None:
        self.study, self.lead, self.others = study, lead, others

    def are_safe(self, name: str, *, hidden: set[str]) -> None:
        """Nobody else is told anything at this moment. ``hidden``: what the lead must not find
        either."""
        urls = addresses(self.study)
        for person in self.others:
            assert found(person, urls) == {}, f"{name}: {person.email}"
            assert not files_of(person, self.study), f"{name}: {person.email}"
        if hidden:
            seen = found(self.lead, urls)
            assert not hidden & set(seen), f"{name}: {seen}"

    def are_told(self, name: str, words: set[str], *, hidden: set[str] | None = None) -> None:
        """The lead finds this, in pages that are linked and in files too; and nobody else does
        where they are asked for the same: so that the others were asked for what is there."""
        urls = everywhere(self.lead, self.study)
        seen = found(self.lead, urls)
        assert words <= set(seen), f"{name}: nobody found {words - set(seen)}"
        assert not (hidden or set()) & set(seen), f"{name}: {seen}"
        for person in self.others:
            assert found(person, urls) == {}, f"{name}: {person.email}"
            assert not files_of(person, self.study), f"{name}: {person.email}"


@pytest.mark.usefixtures("_asked_at_will")
def test_what_machines_say_reaches_nobody_who_judges_at_any_moment():
    """Questions, expected answers, grades, metrics with their notes and reports, machines'
    judgments and the notes at what they mark: planted anew at each moment, looked for at each."""
    lead, outsider = make_user("lead"), make_user("outsider")
    study = planned_study(2, 4, repeat_percent=50, repeat_after_days=7, seed=4)
    Lead.objects.create(study=study, user=lead)
    annotator = annotators(study)[0]
    moments = Moments(study, lead, annotator.user, outsider)

    plant_machines(study, lead, 1)
    moments.are_told("at the start", of_machines("main") | OF_MODELS)
    everything = list(rows(study))
    # Half of the pairs are offered again, judged, and then some of the other half.
    for number, some in enumerate((everything[::2], everything[1::2]), 1):
        for row in some:
            submit(row)
        moments.are_safe(f"judged, {number}", hidden=set())
        days_pass(study, 8)
        assert repeats_offer(study=study), f"the {number}. offer is of some"
        plant_machines(study, lead, 1 + number)
        moments.are_safe(f"repeats are offered, {number}", hidden=set())
        repeated = rows(study, annotator=annotator, simplification__item__round="repeat")
        fresh = [row for row in repeated if not Judgment.objects.filter(assignment=row).exists()]
        assert fresh, "some of this annotator's too"
        for row in fresh:
            submit(row)
        moments.are_safe(f"repeats are judged, {number}", hidden=set())
    study_change_state(actor=lead, study=study, to="closed", reason="finie")
    moments.are_safe("closed", hidden=set())


@pytest.mark.usefixtures("_asked_at_will")
def test_what_machines_say_reaches_nobody_around_a_meeting_nor_a_lead_who_is_blind():
    stage = Stage()
    moments = Moments(stage.study, stage.lead, stage.people[0].user, make_user("outsider"))
    practice, main = of_machines("practice"), of_machines("main")

    plant_machines(stage.study, stage.lead, 1)
    moments.are_safe("before practice", hidden=practice | main)
    stage.judge(stage.people[0], "practice")
    moments.are_safe("one of two is done", hidden=practice | main)
    meeting_open(actor=stage.lead, study=stage.study, reason="il faut en parler")
    moments.are_safe("the meeting", hidden=set())
    stage.judge(stage.people[1], "practice")
    stage.step("main")
    stage.judge(stage.people[0], "main")
    moments.are_safe("blind", hidden=main)
    stage.step("closed")
    moments.are_safe("closed", hidden=set())


@pytest.mark.usefixtures("_asked_at_will")
def test_notes_at_edits_reach_nobody_else():
    """Of a protocol in which words are marked and suggested: a peer's notes and a machine's."""
    lead = make_user("lead")
    study = make_study(
        "edits",
        lead=lead,
        state="main",
        is_blind=True,
        protocol_key="assetann",
        protocol_version="1",
    )
    make_pair(study, system="s-one")
    first, second = (make_annotator(study, pseudonym=name) for name in ("A", "B"))
    assignments_fill(actor=None, study=study)
    plant_judgments(study, make_machine(study, 1), lambda _round: answered(study.protocol, "C"))
    moments = Moments(study, lead, second.user, make_user("outsider"))
    machine, peer = {typed("note", "C")}, {typed("note", "A"), typed("comment", "A")}

    moments.are_safe("at the start", hidden=machine)
    for row in rows(study, annotator=first):
        answer(row, answered(study.protocol, "A"))
    moments.are_told("one of two is done", set(), hidden=machine | peer)
    study_change_state(actor=lead, study=study, to="closed", reason="finie")
    moments.are_told("closed", machine | peer)
