"""The report on questions as a page: what people said beside the model, their study made of a run,
the share that is still answered as a metric. Nothing of it for anybody else."""

from __future__ import annotations

import csv
import io
import json
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.corpus.question_rows import read_question_rows
from annotation.metrics.report.estimate import Drawn
from annotation.models import Assignment, BroughtMetric, Question, Study
from annotation.questions.report import questions_report
from annotation.selectors.publishing.questions import QuestionsRequest, report_with_people
from annotation.services.planning.assignments import assignments_fill
from tests.cast import ROLES
from tests.factories import make_annotator, make_study
from tests.protocols.judged import answer as judge
from tests.services.generation.generating import broker
from tests.services.generation.questioning import (
    all_replied,
    answer,
    begun,
    grade,
    graded,
    make_texts,
    prepared,
    questions,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(cast, broker):
    cast.lead.language = "en"
    cast.lead.save()
    study = make_study("droit", lead=cast.lead, state="main", is_blind=False)
    make_texts(study)
    return study


@pytest.fixture
def run(study):
    return graded(study)


def address(run, rest: str = "report/") -> str:
    return f"/studies/{run.study.key}/generation/{run.number}/{rest}"


def shown(response, status: int = 200) -> str:
    assert response.status_code == status
    return unescape(response.content.decode())


def made(cast, run, protocol: str = "qa_answers", key: str = "people", status: int = 302):
    typed = {"key": key, "title": "Personnes", "protocol": protocol, "language": "fr"}
    response = cast.client("lead").post(address(run, "people/"), typed)
    assert response.status_code == status
    return response


def answered(key: str, *said: dict[str, int]) -> Study:
    """Two people's answers in a study, the same on every pair; the study is closed then."""
    study = Study.objects.get(key=key)
    for number, _one in enumerate(said):
        make_annotator(study, pseudonym="AB"[number])
    Study.objects.filter(pk=study.pk).update(state="main")
    study.refresh_from_db()
    assignments_fill(actor=None, study=study)
    for row in Assignment.objects.filter(annotator__study=study).order_by("pk"):
        judge(row, said["AB".index(row.annotator.pseudonym)])
    Study.objects.filter(pk=study.pk).update(state="closed")
    return study


class TestWhoMay:
    @pytest.mark.parametrize(
        "rest", ["report/", "report/figures/", "report/tables/systems/", "report.csv",
                 "report.json", "people/"]
    )  # fmt: skip
    def test_leads_and_admins_only(self, cast, run, rest):
        for role in ROLES:
            expected = 200 if role in {"lead", "admin"} else 302 if role == "anonymous" else 404
            assert cast.client(role).get(address(run, rest)).status_code == expected, role

    def test_runs_that_answer_alone(self, cast, study):
        asking = all_replied(begun(study), questions())
        lead = cast.client("lead")
        assert lead.get(address(asking)).status_code == 404
        assert lead.get(address(asking, "people/")).status_code == 200
        other = prepared(study, "simplify", names=("x",))
        assert lead.get(address(other, "people/")).status_code == 404

    def test_what_people_said_is_read_where_it_may_be(self, cast, run):
        made(cast, run)
        people = answered("people", {"answered": 1}, {"answered": 0})
        lead = cast.client("lead")
        assert 'value="people"' in shown(lead.get(address(run)))
        Study.objects.filter(pk=people.pk).update(state="main", is_blind=True)
        page = shown(lead.get(address(run) + "?judged=people"))
        assert 'value="people"' not in page
        assert "The model against people" not in page


class TestReport:
    def test_without_people(self, cast, run):
        page = shown(cast.client("lead").get(address(run)))
        assert "4 rows of 1 reference texts; YES from grade 5 on." in page
        assert "By system and type" in page
        assert "Beside what was published" in page
        assert "Xu and Ashley (2023)" in page
        assert "The model against people" not in page
        assert "What it cost" in page

    def test_with_what_people_said(self, cast, run):
        made(cast, run)
        lead = cast.client("lead")
        answered("people", {"answered": 1}, {"answered": 1})
        page = shown(lead.get(address(run)))
        assert "People judge these rows" in page
        assert 'href="?threshold=5&judged=people"' in page
        query = "?judged=people"
        page = shown(lead.get(address(run) + query))
        assert "The model against people" in page
        assert "By threshold" in page
        assert "Fewer than 4 reference texts judged" in page
        content = lead.get(address(run, "report.csv") + query).content
        rows = read_question_rows(content).rows
        assert [len(row.people) for row in rows] == [2, 0, 2, 2]
        report = json.loads(lead.get(address(run, "report.json") + query).content)
        assert report == json.loads(
            json.dumps(questions_report(rows, drawn=Drawn()) | {"cost": report["cost"]})
        )
        table = lead.get(address(run, "report/tables/people/") + query + "&format=csv")
        line = next(csv.DictReader(io.StringIO(table.content.decode())))
        assert line["Judged answers"] == "3"
        chart = lead.get(address(run, "report/charts/curve/") + query)
        assert chart["Content-Type"] == "image/svg+xml"
        assert lead.get(address(run, "report/charts/curve/")).status_code == 404
        assert lead.get(address(run, "report/charts/other/")).status_code == 404

    def test_the_threshold_and_two_variants(self, cast, study, run):
        asking = run.after.after
        again = all_replied(
            begun(study, "answer", after=asking, names=("other",)), answer(), answer(), answer()
        )
        other = all_replied(begun(study, "grade", after=again, names=("strict",)), grade(3))
        lead = cast.client("lead")
        page = shown(lead.get(address(run) + f"?threshold=9&beside={other.number}"))
        assert "YES from grade 9 on" in page
        assert "Two by two, paired" in page
        assert page.count("→ other → strict") > 2
        assert "YES from grade 5 on" in shown(lead.get(address(run) + "?threshold=11&beside=99"))

    def test_a_long_report_shows_its_frame_first(self, cast, run, monkeypatch):
        monkeypatch.setattr("annotation.web.metrics.views.questions.AT_ONCE", 1)
        lead = cast.client("lead")
        page = shown(lead.get(address(run)))
        assert "The figures are being computed" in page
        assert "By system and type" in shown(lead.get(address(run, "report/figures/")))
        assert "By system and type" in shown(lead.get(address(run) + "?now=1"))

    def test_tables_that_there_are_not(self, cast, run):
        lead = cast.client("lead")
        assert lead.get(address(run, "report/tables/none/")).status_code == 404
        assert lead.get(address(run, "report/tables/systems/") + "?format=x").status_code == 404


class TestPeople:
    def test_a_study_of_the_answers(self, cast, run):
        response = made(cast, run)
        assert response["Location"] == reverse("study", args=["people"])
        study = Study.objects.get(key="people")
        assert (study.protocol_key, study.items.count()) == ("qa_answers", 3)
        texts = [item.simplifications.get().text for item in study.items.all()]
        assert all(
            "Dans les soixante jours" in text or "menti" in text or "Jamais" in text
            for text in texts
        )

    def test_a_study_of_the_questions_before_they_are_asked(self, cast, study):
        asking = all_replied(begun(study), questions())
        dropped = Question.objects.first()
        cast.client("lead").post(
            address(asking, "questions/"), {"action": "drop", "question": dropped.pk}
        )
        made(cast, asking, "qa_pairs")
        pairs = Study.objects.get(key="people")
        assert (pairs.protocol_key, pairs.items.count()) == ("qa_pairs", 1)
        assert dropped.text not in pairs.items.get().simplifications.get().text
        made(cast, asking, "qa_answers", "none", status=422)

    def test_what_people_say_of_the_questions_is_in_the_report(self, cast, run):
        made(cast, run, "qa_pairs")
        answered("people", {"captured": 1, "correct": 1}, {"captured": 0, "correct": 1})
        report = report_with_people(
            QuestionsRequest(run, judged=(Study.objects.get(key="people"),))
        )
        assert report["pairs"]["correct"]["yes"] == 2
        assert report["pairs"]["captured"]["tied"] == 2

    def test_what_cannot_be_made(self, cast, study, run):
        page = shown(made(cast, run, key="droit", status=422), 422)
        assert "This key is taken" in page
        assert "required" in shown(made(cast, run, key="", status=422), 422)
        asking = all_replied(begun(study, names=("again",)), questions())
        Question.objects.filter(generation__run=asking).update(dropped_at=timezone.now())
        assert "There is nothing to judge" in shown(
            made(cast, asking, "qa_pairs", "few", status=422), 422
        )
        assert not Study.objects.filter(key="few").exists()


class TestMetric:
    def test_the_share_that_is_still_answered(self, cast, study, run):
        lead = cast.client("lead")
        page = reverse("study_metrics", args=["droit"])
        assert "Take the shares as a metric" in shown(lead.get(page))
        typed = {"action": "shares", "run": run.number, "threshold": "5"}
        assert lead.post(page, typed).status_code == 302
        metric = BroughtMetric.objects.get(study=study)
        assert (metric.lowest, metric.highest, metric.number) == (0, 1, 2)
        assert f"run {run.number}, YES from 5" in shown(lead.get(page))
        assert lead.post(page, typed | {"threshold": "10"}).status_code == 302
        assert BroughtMetric.objects.get(study=study).note.endswith("YES from 10")

    def test_a_run_without_grades(self, cast, study):
        lead, page = cast.client("lead"), reverse("study_metrics", args=["droit"])
        assert "Take the shares as a metric" not in shown(lead.get(page))
        asking = all_replied(begun(study), questions())
        answers = all_replied(begun(study, "answer", after=asking), answer())
        grades = begun(study, "grade", after=answers)
        assert lead.post(page, {"action": "shares", "run": "77"}).status_code == 422
        typed = {"action": "shares", "run": grades.number, "threshold": "5"}
        assert "has graded no answer" in shown(lead.post(page, typed), 422)
