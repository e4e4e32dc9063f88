"""What a bundle holds beside judgments: agreement on marks with the consensus on words, and
questions of the texts with what people said."""

from __future__ import annotations

import json

import pytest

from annotation.agreement.marks.figure import Drawn
from annotation.models import Assignment, Study
from annotation.protocols.registry import protocol
from annotation.selectors.agreement.marked import MarksRequest, marks_figures
from annotation.services.judging.judgments import judgment_submit
from annotation.services.metrics.questions import people_study
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_study, make_user, save
from tests.protocols.judged import judged
from tests.release.test_systems import bundled, rows
from tests.services.generation.generating import broker
from tests.services.generation.questioning import graded, make_texts
from tests.web.metrics.test_questions import answered

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


def test_agreement_on_marks(tmp_path):
    study = judged(protocol("assetann", "1")).study
    bundle = bundled(study, tmp_path / "bundle")
    marks = json.loads((bundle / "marks.json").read_text("utf-8"))["edits"]
    drawn = Drawn(marks["draws"], marks["seed"])
    wanted = marks_figures(study, MarksRequest("edits", drawn=drawn)).report.as_dict()
    assert marks["agreement"][0] == wanted["agreement"][0]
    assert marks["agreement"][1]["grouping"]["delmod"] == "deletions"
    table = rows(bundle, "mark_consensus")
    assert {row["outcome"] for row in table} <= {"unanimous", "majority"}
    pairs = {row["simplification_key"] for row in rows(bundle, "labels")}
    assert {row["pair"] for row in table} == pairs
    assert not (bundle / "questions.json").exists()
    # Nobody calls edits errors.
    card = (bundle / "README.md").read_text("utf-8")
    assert "avec les marques" in card
    assert "One row per mark, with its spans" in card
    assert "erreurs" not in card
    assert "marks with spans" in (bundle / "croissant.json").read_text("utf-8")


def test_not_of_a_protocol_that_counts_no_marks(tmp_path):
    bundle = bundled(judged(protocol("jades", "1")).study, tmp_path / "bundle")
    assert not (bundle / "marks.json").exists()


@pytest.fixture
def asked_study(broker):
    lead = make_user("juriste")
    study = make_study("droit", lead=lead, state="main", is_blind=False)
    make_texts(study)
    run = graded(study)
    make_annotator(study, make_user("jure"), pseudonym="J")
    assignments_fill(actor=None, study=study)
    for row in Assignment.objects.filter(annotator__study=study):
        judgment_submit(actor=row.annotator.user, assignment=row, save=save())
    people_study(actor=lead, run=run, protocol="qa_answers", key="people", title="P", language="fr")
    answered("people", {"answered": 1}, {"answered": 0})
    Study.objects.filter(pk=study.pk).update(state="closed")
    study.refresh_from_db()
    return study


def test_questions_with_what_people_said(asked_study, tmp_path):
    bundle = bundled(asked_study, tmp_path / "bundle")
    table = rows(bundle, "questions")
    assert [row["grade"] for row in table] == ["9", "0", "6", "2"]
    assert json.loads(table[0]["people"]) == {"A": True, "B": False}
    assert {row["system"] for row in table} == {"a", "b"}
    report = json.loads((bundle / "questions.json").read_text("utf-8"))
    assert (report["n"], report["people"][0]["judged"]) == (4, 3)
    assert report["published"][0]["pearson"] == 0.81


def test_people_of_a_study_that_is_open_or_somebody_else_s_are_not_in_it(asked_study, tmp_path):
    Study.objects.filter(key="people").update(state="main")
    bundle = bundled(asked_study, tmp_path / "open")
    assert {row["people"] for row in rows(bundle, "questions")} == {"{}"}
    people = Study.objects.get(key="people")
    Study.objects.filter(pk=people.pk).update(state="closed")
    people.leads.update(user=make_user("ailleurs"))
    bundle = bundled(asked_study, tmp_path / "others")
    assert {row["people"] for row in rows(bundle, "questions")} == {"{}"}


def test_without_systems_the_pair_is_named(asked_study, tmp_path):
    bundle = bundled(asked_study, tmp_path / "bundle", systems=False)
    names = {row["system"] for row in rows(bundle, "questions")}
    assert names == {f"item-0001/{place}" for place in (0, 1)}
