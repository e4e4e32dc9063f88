"""The datasheet in the published form's own file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.release.card import guidance
from annotation.release.heds_form import (
    BY_NUMBER,
    CRITERION,
    QUESTIONS,
    Filled,
    form_file,
)


class TestTheForm:
    """As nlp-heds.github.io has it (version 3.0, read in November 2026): 62 numbered questions."""

    def test_its_questions(self):
        assert len(QUESTIONS) == 62 == len(BY_NUMBER)
        assert sum(question.is_of_criterion for question in QUESTIONS) == 21
        by_section = [
            sum(question.number[0] == section for question in QUESTIONS) for section in "12345"
        ]
        assert by_section == [9, 5, 23, 21, 4]

    def test_every_key_of_an_empty_form(self):
        file = form_file({}, ["a"])
        boxes = sum(question.boxes for question in QUESTIONS)
        groups = sum(bool(question.boxes) for question in QUESTIONS)
        assert len(file) == 1 + (62 - groups) + boxes + groups
        assert "heds-system-output_languages-185" in file
        assert "heds-criteria-criterion-response_elicitation-size_of_scale" in file
        assert file["heds-ethics-review_body"] == {
            "data": {"": ""},
            "control": {},
            "number": "5.1",
        }

    def test_each_criterion_answers_for_itself_and_one_is_shown(self):
        filled = {
            ("4.3.3", "a"): Filled("10"),
            ("4.3.3", "b"): Filled("4"),
            ("4.1.1", "b"): Filled("", (1,)),
            ("3.3.5", ""): Filled("Free.", (5,)),
        }
        file = form_file(filled, ["a", "b"])
        assert file[CRITERION]["control"] == {"a": True, "b": False}
        scale = file["heds-criteria-criterion-response_elicitation-size_of_scale"]
        assert scale["data"] == {"a": "10", "b": "4"}
        box = file["heds-criteria-criterion-criteria-quality_type-1"]
        assert (box["data"], box["text"]) == (
            {"a": False, "b": True},
            {"a": "", "b": "1. Correctness"},
        )
        free = "heds-sample_evaluators_design-experimental_design-evaluator_freedom"
        assert file[f"{free}-5"]["data"] == {"": True}
        assert file[f"{free}-other_text"]["data"] == {"": "Free."}

    def test_a_box_without_a_label_is_none_of_ours(self):
        with pytest.raises(KeyError):
            form_file({("5.2", ""): Filled("", (1,))}, [])


@pytest.mark.django_db
class TestOfAStudy:
    def test_what_the_study_holds_and_nothing_else(self, tmp_path: Path):
        from annotation.release.frozen import Frozen
        from annotation.release.heds import heds, heds_file
        from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
        from tests.services.publishing.test_snapshots import judged_study

        study = judged_study()
        frozen = Frozen(snapshot_folder(study_freeze(actor=None, study=study)))
        file = heds_file(frozen)
        people = "heds-sample_evaluators_design-evaluators"
        assert file[f"{people}-number_of_evaluators"]["data"] == {"": "3"}
        assert file["heds-paper_and_resources-paper-experiment_identification"]["data"] == {"": ""}
        assert not any(file[f"{people}-evaluators-payment-{at}"]["data"][""] for at in range(1, 5))
        response = "heds-criteria-criterion-response_elicitation"
        verbatim = file[f"{response}-verbatim_question"]["data"]
        assert "précision légale" in verbatim["legal_meaning"]
        intra = f"{response}-intra_annotator-intra_annotator_agreement"
        assert file[intra]["data"]["legal_meaning"] == "IntraAA not assessed"
        defined = file[f"{response}-participant_criterion_definiiton"]["data"]
        assert defined["simplicity"].startswith("“")
        json.dumps(file, allow_nan=False)
        sheet = heds(frozen)
        assert len(sheet["answers"]) == 41 + 21 * 3
        assert "5.1" in sheet["to_be_completed"]
        assert "4.1.1 simplicity" in sheet["to_be_completed"]
        assert "4.1.1 legal_meaning" not in sheet["to_be_completed"]
        shown = {row["number"] for row in sheet["answers"]}
        assert shown == set(BY_NUMBER)

    def test_a_quality_that_the_form_does_not_know_is_left_to_be_completed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a protocol that somebody had installed with one: its release was not written."""
        from annotation.protocols.protocol import About
        from annotation.release.frozen import Frozen
        from annotation.release.heds import heds
        from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
        from tests.services.publishing.test_snapshots import judged_study

        about = About(quality={"legal_meaning": ("great", "content")})
        monkeypatch.setattr(Frozen, "about", about)
        sheet = heds(Frozen(snapshot_folder(study_freeze(actor=None, study=judged_study()))))
        assert "4.1.1 legal_meaning" in sheet["to_be_completed"]
        assert "4.1.2 legal_meaning" not in sheet["to_be_completed"]

    def answers(self, study) -> dict[str, dict]:
        from annotation.release.frozen import Frozen
        from annotation.release.heds import heds, heds_file
        from annotation.services.publishing.snapshots import snapshot_folder, study_freeze

        frozen = Frozen(snapshot_folder(study_freeze(actor=None, study=study)))
        json.dumps(heds_file(frozen), allow_nan=False)
        return {row["number"]: row for row in heds(frozen)["answers"]}

    def test_sample_size_and_pay_stay_blank_where_nobody_said(self):
        from annotation.models import Study
        from tests.services.publishing.test_snapshots import judged_study

        study = judged_study()
        questions = ("3.1.3.1", "3.1.3.2", "3.1.3.3", "3.2.2.2")
        answers = self.answers(study)
        assert {answers[number]["status"] for number in questions} == {"to be completed"}
        # Nothing by the hour says nothing of credits or of a sum.
        Study.objects.update(hourly_rate=0)
        answers = self.answers(Study.objects.get(pk=study.pk))
        assert answers["3.2.2.2"]["status"] == "to be completed"

    def test_sample_size_is_said_as_it_was_computed(self):
        from annotation.models import Event, Study
        from tests.services.publishing.test_snapshots import judged_study

        study = judged_study()
        design = {
            "method": "bareme-precision/1",
            "target": "difference",
            "half_width": 0.5,
            "confidence": 0.95,
            "texts": 60,
            "systems": 2,
            "annotators": 5,
            "widths": {"these": 0.4123, "others": 0.5871},
            "assumed": {"mean": 7, "variances": {"sources": 1, "rest": 1.96}, "scale": [1, 10]},
            "learned": {"dimension": "legal_meaning", "ratings": 90, "items": 30, "annotators": 3},
            "teams": 1000,
            "sets": 4,
            "seed": 9,
            "judged": 0,
        }
        event = Event.objects.create(
            study=study, verb="precision_chosen", details={"per_item": 3, "design": design}
        )
        Study.objects.update(hourly_rate="25.50", pay_currency="CAD")
        answers = self.answers(Study.objects.get(pk=study.pk))
        method, value = answers["3.1.3.1"]["answer"], answers["3.1.3.2"]["answer"]
        assert method.startswith("Precision, not power: the half-width that the study's own 95% ")
        assert "variances in points² (sources 1, rest 1.96), on a scale from 1 to 10." in method
        assert "degrees of freedom after Satterthwaite 1946); bareme-precision/1, 1000" in method
        assert "Learned from 90 ratings of 30 outputs by 3 annotators (legal_meaning)." in method
        assert method.endswith(f"Chosen on {event.created_at.date()}, before any judgment.")
        assert value == (
            "No statistical power was computed. Expected half-width, in points, of the interval of "
            "the difference between two systems' means: ± 0.41 for these annotators, ± 0.59 for "
            "other annotators too; wanted was at most ± 0.5. With 60 texts, an output of each of 2 "
            "system(s), 3 of 5 annotators judging each output. The plan carried out asks everybody "
            "to judge each output."
        )
        assert "bareme-precision/1" in answers["3.1.3.3"]["answer"]
        assert answers["3.2.2.2"]["answer"] == (
            "Paid (monetary compensation); 25.50 CAD an active hour."
        )

    def test_a_choice_after_the_fact_and_one_without_an_interval_say_so(self):
        from annotation.models import Event, StudyPlan
        from tests.services.publishing.test_snapshots import judged_study

        study = judged_study()
        design = {
            "method": "bareme-precision/4",
            "half_width": 0.5,
            "confidence": 0.95,
            **dict.fromkeys(("texts", "systems", "annotators", "teams", "sets", "seed"), 3),
            "assumed": {"mean": 7, "variances": {"rest": 2}, "scale": []},
            "learned": None,
            "judged": 6,
        }
        StudyPlan.objects.create(study=study, per_item=3)
        for target, widths, sentence in (
            ("mean", {"these": None, "others": None}, "a system's mean: no interval can be given "),
            ("pair", {"these": 1.5, "others": 1.5}, "one output: ± 1.50 for other annotators of"),
        ):
            full = {**design, "target": target, "widths": widths}
            Event.objects.create(
                study=study, verb="precision_chosen", details={"per_item": 2, "design": full}
            )
            answers = self.answers(study)
            assert sentence in answers["3.1.3.2"]["answer"]
            assert "asks for 3 judgments of each output." in answers["3.1.3.2"]["answer"]
            assert (
                "variances in points² (rest 2). These are the lead's own assumptions."
                in (answers["3.1.3.1"]["answer"])
            )
            assert answers["3.1.3.1"]["answer"].endswith(", with 6 judgments in.")
            assert "weighed after Cochran 1964); bareme-" in answers["3.1.3.1"]["answer"]


@pytest.mark.parametrize(
    ("seconds", "hours", "lengths"),
    [
        (300, 30, ["300 seconds per pair", "30 hours in all"]),
        (300, 0, ["300 seconds per pair"]),
        (0, 30, ["30 hours in all"]),
        (1, 1, ["1 second per pair", "1 hour in all"]),
        (0, 0, []),
    ],
)
def test_what_was_not_planned_is_not_told_as_zero(seconds, hours, lengths):
    assert guidance({"guidance_seconds": seconds, "hours_budget": hours}) == lengths
