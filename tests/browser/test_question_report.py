"""The report on questions in a real browser: from the run to a study for people, and its answers
beside the model; accessible, narrow."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment, GenerationRun, Question, QuestionAnswer, Study
from annotation.models.questions import QuestionGrade
from annotation.services.planning.assignments import assignments_fill
from tests.browser.test_agreement import violations
from tests.factories import make_annotator, make_study, make_user
from tests.protocols.judged import answer as judge
from tests.services.generation.questioning import TEXTS, make_texts, prepared

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(live_server: Any, log_in: Any) -> GenerationRun:
    """Six items, two systems, three questions each; grades of every kind."""
    lead = make_user("responsable", is_admin=True)
    study = make_study("droit", lead=lead, state="main", is_blind=False)
    make_texts(study, items=6)
    log_in(lead)
    return run_of(study)


def run_of(study: Study) -> GenerationRun:
    """A chain that has ended, put straight into the database."""
    asking = prepared(study, "question", names=("asks",))
    answering = prepared(study, "answer", names=("answers",), after=_ended(asking))
    asks, answers = asking.systems.get(), answering.systems.get()
    number = 0
    for item in study.items.order_by("position"):
        generation = asking.generations.create(system=asks, item=item, state="done")
        for place in range(3):
            question = Question.objects.create(
                generation=generation, number=place + 1, type=("amount", "deadline")[place % 2],
                text=f"Combien ? {place}", expected="Dix.", quotation="dix",
            )  # fmt: skip
            for pair in item.simplifications.all():
                number += 1
                made = answering.generations.create(
                    system=answers, item=item, simplification=pair, question=question, state="done"
                )
                QuestionAnswer.objects.create(
                    generation=made,
                    question=question,
                    simplification=pair,
                    is_said=number % 7 > 0,
                    text="Soixante jours." if number % 7 else "",
                    quotation=TEXTS[pair.system][:10] if number % 7 else "",
                    is_beyond=number % 5 == 0 and number % 7 > 0,
                )
    grading = prepared(study, "grade", names=("grades",), after=_ended(answering))
    grades = grading.systems.get()
    for place, said in enumerate(QuestionAnswer.objects.filter(is_said=True).order_by("pk")):
        graded = grading.generations.create(
            system=grades,
            item=said.generation.item,
            simplification=said.simplification,
            question=said.question,
            answer=said,
            state="done",
        )
        QuestionGrade.objects.create(
            generation=graded, answer=said, score=place % 11, reason="Oui."
        )
    return _ended(grading)


def _judged() -> None:
    """Two people, who agree on most."""
    study = Study.objects.get(key="personnes")
    for name in "AB":
        make_annotator(study, pseudonym=name)
    Study.objects.filter(pk=study.pk).update(state="main")
    study.refresh_from_db()
    assignments_fill(actor=None, study=study)
    for row in Assignment.objects.filter(annotator__study=study).order_by("pk"):
        judge(row, {"answered": int(row.simplification_id % 3 > 0 or row.pk % 5 == 0)})
    Study.objects.filter(pk=study.pk).update(state="closed")


def _ended(run: GenerationRun) -> GenerationRun:
    GenerationRun.objects.filter(pk=run.pk).update(state="finished")
    run.refresh_from_db()
    return run


def test_from_the_run_to_people_and_back(
    page: Page, live_server: Any, run: GenerationRun, screenshot: Any
) -> None:
    page.goto(f"{live_server.url}/studies/droit/generation/{run.number}/")
    page.locator(f'a[href="/studies/droit/generation/{run.number}/people/"]').click()
    page.locator('input[name="title"]').fill("Personnes")
    page.locator('input[name="key"]').fill("personnes")
    page.locator('select[name="protocol"]').select_option("qa_answers")
    assert violations(page) == []
    screenshot("questions-people")
    page.locator("form.card button").click()
    page.wait_for_url("**/studies/personnes/")
    _judged()
    page.goto(f"{live_server.url}/studies/droit/generation/{run.number}/report/")
    page.locator('.notice a[href*="judged=personnes"]').click()
    page.wait_for_url("**judged=personnes**")
    expect(page.locator("#sheet-people")).to_be_visible()
    expect(page.locator("svg.chart__drawing")).to_be_visible()
    screenshot("questions-report", full_page=True)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    screenshot("questions-report-phone", full_page=True)
