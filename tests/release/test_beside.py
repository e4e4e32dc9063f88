"""What a bundle holds beside judgments: agreement on marks with the consensus on words, and
questions of the texts with what people said."""

from __future__ import annotations

import json
import re

import pytest

from annotation.agreement.marks.figure import Drawn
from annotation.models import Assignment, Study
from annotation.protocols.registry import protocol
from annotation.release.frozen import Frozen
from annotation.release.marks import marks_methods, marks_section
from annotation.selectors.agreement.marked import MarksRequest, marks_figures
from annotation.services.judging.judgments import judgment_submit
from annotation.services.metrics.questions import people_study
from annotation.services.planning.assignments import assignments_fill
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from tests.factories import make_annotator, make_study, make_user, save
from tests.protocols.judged import judged
from tests.release.test_systems import bundled, rows
from tests.services.generation.generating import broker
from tests.services.generation.questioning import graded, make_texts
from tests.web.judging.test_edits_called import called_errors
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
    # The protocol's main figure: on words, each side on its own, as marked and merged.
    assert "\n`marks.json`: agreement on what people marked, as marked and with all of" in card
    part = card.split("## Agreement on marks")[1].split("\n## ")[0]
    assert "(complex, deletions, insertions, substitutions)" in part
    for at, operations in enumerate(("as marked", "merged")):
        for side in ("original", "simplification"):
            own = marks["agreement"][at]["tokens"][side]["label_sets"]["davies_fleiss"]
            row = f"| edits | {operations} | {side} | {own['tokens']} | davies_fleiss | "
            assert f"{row}{own['value']:.4f} | – |" in part
    assert "marked, which is given apart." in card
    assert "on the edits as they are exported" not in card
    methods = (bundle / "METHODS.md").read_text("utf-8")
    assert (
        "On the words of each text, agreement is given as Davies and Fleiss's kappa (a combination "
        "of operations is a class, and so is none): 0.82 on originals and 1.00 on simplifications; "
        "with the operations of a group (insertions, deletions, substitutions, complex operations) "
        "counted as one, 0.82 on originals and 1.00 on "
        "simplifications."
    ) in methods
    assert "aussi)\u00a0: 0,82 sur les originaux et 1,00 sur les simplifications; les op" in methods
    assert "marks with spans" in (bundle / "croissant.json").read_text("utf-8")


def test_agreement_on_marks_that_people_call_errors(monkeypatch):
    files = files_of(judged(protocol("assetann", "1")).study)
    monkeypatch.setitem(vars(files), "protocol", called_errors())
    (wording,) = marks_methods(files)
    assert "(une combinaison d'erreurs est une classe, " in wording.fr
    assert "(a combination of errors is a class, " in wording.en
    card = "\n".join(marks_section(files))
    assert "| question | errors | side | words |" in card
    for words in (wording.fr, wording.en, card):
        assert not re.search(r"op[ée]ration|\bedits\b(?! \|)", words)


def test_not_of_a_protocol_that_counts_no_marks(tmp_path):
    bundle = bundled(judged(protocol("jades", "1")).study, tmp_path / "bundle")
    assert not (bundle / "marks.json").exists()
    assert "Agreement on marks" not in (bundle / "README.md").read_text("utf-8")


def files_of(study: Study) -> Frozen:
    made = study_freeze(actor=None, study=study, recipe={"draws": 100})
    return Frozen(snapshot_folder(made))


def test_agreement_on_marks_of_which_there_is_little_or_nothing():
    files = files_of(judged(protocol("assetann", "1")).study)
    report = files.marks["edits"]
    own = report["agreement"][0]["tokens"]
    own["original"]["label_sets"]["davies_fleiss"]["interval"] = [0.7, 0.9]
    own["simplification"]["label_sets"]["davies_fleiss"]["value"] = None
    [wording] = marks_methods(files)
    assert "; in brackets its 95% interval from a bootstrap over original texts, 100" in wording.en
    assert "0.82 [0.70; 0.90] on originals and undefined on simplifications" in wording.en
    assert "0,82 [0,70; 0,90] sur les originaux et indéfini sur" in wording.fr
    assert any("| 0.7000 to 0.9000 |" in line for line in marks_section(files))
    files.marks["comment"] = report
    first, second = marks_methods(files)
    assert first.en.startswith("On the words of each text (“Edits”), agreement")
    assert second.fr.startswith("Sur les mots de chaque texte («\u00a0Remarque")
    del files.marks["comment"]
    report["agreement"] = []
    assert [*marks_methods(files)] == []
    assert [*marks_section(files)][-1].startswith("No pair was marked by two people or more")
    # A snapshot of before.
    files = Frozen(files.folder)
    del files.manifest["files"]["marks.json"]
    assert [*marks_section(files)][-1].startswith("This snapshot was made before agreement on m")
    assert [*marks_methods(files)] == []


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


def test_nor_of_one_that_a_lead_of_this_study_cannot_reach(asked_study, tmp_path):
    """Whoever leads a study reads its snapshots."""
    another = make_user("codirection")
    asked_study.leads.create(user=another)
    bundle = bundled(asked_study, tmp_path / "one of two")
    assert {row["people"] for row in rows(bundle, "questions")} == {"{}"}
    Study.objects.get(key="people").leads.create(user=another)
    bundle = bundled(asked_study, tmp_path / "both")
    assert json.loads(rows(bundle, "questions")[0]["people"]) == {"A": True, "B": False}


def test_without_systems_the_pair_is_named(asked_study, tmp_path):
    bundle = bundled(asked_study, tmp_path / "bundle", systems=False)
    names = {row["system"] for row in rows(bundle, "questions")}
    assert names == {f"item-0001/{place}" for place in (0, 1)}
