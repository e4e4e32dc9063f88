"""What is read of judgments by any protocol: answers that were not given, classes, controls."""

from __future__ import annotations

import csv
import json
import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone
from django.utils.translation import override

from annotation.errors import RuleError
from annotation.models import Assignment, Item, Judgment, Study
from annotation.protocols.columns import RESERVED
from annotation.protocols.protocol import Expectation
from annotation.protocols.registry import protocol
from annotation.release.bundle import write_bundle
from annotation.selectors.agreement.consistency import passes, study_controls
from annotation.selectors.agreement.figures import study_figures
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.guides.rejudging import candidate_items, candidates
from annotation.selectors.publishing.exports import (
    check_layout,
    export_chunks,
    export_spec,
    layouts_of,
)
from annotation.selectors.publishing.exports.long import Long
from annotation.selectors.publishing.exports.options import ExportOptions
from annotation.selectors.publishing.exports.source import Source
from annotation.selectors.publishing.exports.wide import Wide
from annotation.services.base.sealing import judgment_seal
from annotation.services.judging.drafts import Save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.studies.studies import study_change_state
from annotation.web.agreement.consistency_presenters import expectations
from annotation.web.agreement.dashboard.people_charts import distributions
from annotation.web.agreement.forms import AgreementForm
from tests.factories import make_annotator, make_pair, make_study
from tests.protocols.answered import answered
from tests.protocols.judged import Judged, judged

EVERYTHING, PLAIN = protocol("everything", "1"), protocol("plain", "2.0")
OPERATIONS, DIRECT = protocol("operations", "1"), protocol("direct_assessment", "1")
LEAST = {"reader": 1, "ease": 2, "share": 40, "tier": 2, "flaws": []}

pytestmark = pytest.mark.django_db


def rows(study: Study, layout: str) -> list[dict[str, Any]]:
    chunks = export_chunks(study, export_spec(layout, "jsonl"))
    return [json.loads(line) for line in "".join(chunk.text for chunk in chunks).splitlines()]


def once_more(judged_study: Judged, who: str, **changed: Any) -> None:
    """This judge's judgment of the first pair, made again."""
    row = Assignment.objects.get(simplification=judged_study.pair, annotator__pseudonym=who)
    answers = LEAST | changed
    judgment_submit(
        actor=row.annotator.user,
        assignment=row,
        save=Save(
            answers=answers,
            base_revision=1,
            key=uuid.uuid4(),
            active_seconds=10,
        ),
    )


@pytest.fixture
def sparse() -> Judged:
    """A has answered only what must be answered, of one pair."""
    judged_study = judged(EVERYTHING, closed=False)
    once_more(judged_study, "A")
    return judged_study


class TestAnswersThatWereNotGiven:
    def test_their_cells_are_empty_in_every_layout(self, sparse):
        (row,) = [
            row
            for row in rows(sparse.study, "long")
            if row["annotator"] == "A" and row["item_key"] == sparse.pair.item.key
        ]
        given = {
            name: row[name] for name in ("reader", "reader_key", "ease", "share", "tier", "worth")
        }
        assert given == {
            "reader": 1,
            "reader_key": "anybody",
            "ease": 2,
            "share": 40,
            "tier": 2,
            "worth": 20,
        }
        empty = ("changes_shorter", "changes_softer", "changes", "warmth", "decided_by", "readings")
        assert {row[name] for name in empty if name != "changes"} | {row["tier_before"]} == {None}
        assert row["changes"] is None
        assert (row["reason"], row["message"], row["tired"], row["unsure"]) == (
            "",
            "",
            False,
            False,
        )
        assert (row["flaws"], row["flaws_typo"]) == ([], 0)
        wide = next(r for r in rows(sparse.study, "wide") if r["item_key"] == row["item_key"])
        assert (wide["warmth_A"], wide["warmth_B"], wide["share_A"]) == (None, -15, 40)
        assert (wide["changes_softer_A"], wide["changes_softer_C"]) == (None, 1)

    def test_none_of_these_is_an_empty_list(self, sparse):
        of_b = next(row for row in rows(sparse.study, "long") if row["annotator"] == "B")
        assert of_b["changes"] == []
        assert (of_b["changes_shorter"], of_b["changes_softer"]) == (0, 0)
        of_c = next(row for row in rows(sparse.study, "long") if row["annotator"] == "C")
        assert of_c["changes"] == ["shorter", "softer"]
        assert (of_c["decided_by"], of_c["readings"]) == ("second_reading", 2)

    def test_agreement_leaves_a_hole(self, sparse):
        study_tables = study_ratings(sparse.study)
        ratings = {name: table.n_ratings for name, table in study_tables.tables.items()}
        assert ratings["share"] == 6
        assert ratings["warmth"] == ratings["changes_shorter"] == 5
        assert study_tables.judgments == 6
        assert study_tables.report("warmth", draws=20).ratings == 5

    def test_snapshot_and_release_say_so(self, sparse, tmp_path):
        study = study_change_state(
            actor=sparse.lead, study=sparse.study, to="closed", reason="essai"
        )
        snapshot = study_freeze(actor=sparse.lead, study=study, recipe={"draws": 100})
        labels = [
            json.loads(line)
            for line in (snapshot_folder(snapshot) / "labels.jsonl").read_text().splitlines()
        ]
        (warmth,) = [
            label
            for label in labels
            if label["dimension"] == "warmth"
            and label["simplification_key"].startswith(sparse.pair.item.key)
        ]
        assert warmth["ratings"] == 2
        target = tmp_path / "bundle"
        target.mkdir()
        write_bundle(snapshot_folder(snapshot), target)
        card = (target / "README.md").read_text()
        assert "The score of worth is never typed: a bracket is picked (Poor (0–4), Good" in card
        with (target / "data" / "aggregated.csv").open(newline="", encoding="utf-8") as file:
            row = next(csv.DictReader(file))
        assert float(row["ease"]) == pytest.approx(5 / 3), "the mean of 2, 1 and 2"
        assert (row["ease_key"], row["ease_median"]) == ("", "2.0")
        assert "`ask`" in card
        assert "- It serves no purpose." in card
        sheet = {
            (answer["number"], answer["criterion"]): answer["answer"]
            for answer in json.loads((target / "heds_answers.json").read_text())["answers"]
        }
        assert "A line from 0 to 100 without a starting" in sheet["4.3.5", "share"]
        assert "Multiple-choice options, any number" in sheet["4.3.5", "changes_softer"]
        assert sheet["4.1.3", "reader"] == "Quality of output in its own right"
        assert sheet["4.1.3", "share"].startswith("Quality of output relative to the input")
        assert sheet["4.3.1.1", "warmth"] == "Chaleur / Warmth"


class TestLayouts:
    def test_each_protocol_has_its_own(self):
        assert "frjudge" not in layouts_of(EVERYTHING)
        assert "errors" in layouts_of(EVERYTHING)
        assert "errors" not in layouts_of(PLAIN)
        assert "frjudge" in layouts_of(protocol("legal_meaning", "1"))

    def test_one_has_no_place_for_a_question_without_an_answer(self):
        """Of a protocol that was begun from JADES's, with a question that may be left out: freezing
        broke off at the first judgment without an answer to it."""
        jades = protocol("jades", "1")
        assert "jades" in layouts_of(jades)
        *before, last = jades.steps
        fields = tuple(
            replace(field, required=False) if field.name == "simplicity" else field
            for field in last.fields
        )
        own = replace(jades, key="jades_own", steps=(*before, replace(last, fields=fields)))
        assert own.layouts == ("jades",)
        assert "jades" not in layouts_of(own)

    def test_another_is_refused_with_what_there_is(self):
        study = Study(protocol_key="plain", protocol_version="2.0")
        with pytest.raises(RuleError) as refused:
            check_layout(study, export_spec("errors", "csv"))
        (problem,) = refused.value.problems
        assert problem.code == "not_for_protocol"
        assert "long, wide" in problem.message.en

    def test_no_answer_can_hide_a_column_of_every_table(self):
        study = judged(PLAIN).study
        source = Source(study, ExportOptions())
        own = {c.name for field in PLAIN.fields for c in field.export().columns}
        assert {c.name for c in Long().columns(source)} - own == RESERVED - {"judgments"}
        fixed = {c.name for c in Wide().columns(source) if not c.name.endswith(("_A", "_B", "_C"))}
        assert fixed <= RESERVED


class TestClasses:
    def test_pairs_are_filtered_by_any_nominal_dimension(self):
        judged_study = judged(OPERATIONS)
        once = study_figures(judged_study.study, Filters(majority="operations_replace:1"))
        assert once.judgments == 6
        assert (
            study_figures(judged_study.study, Filters(majority="operations_replace:0")).judgments
            == 0
        )
        classes = {
            (class_row.classes, class_row.value)
            for class_row in once.details["operations_add"].classes
        }
        assert len(classes) == 7
        with override("en"):
            choices = dict(AgreementForm(judged_study.study, {}).fields["majority"].choices)  # type: ignore[attr-defined]
        assert choices["operations_add:1"] == "Add: yes"

    def test_no_filter_where_nothing_is_nominal(self):
        assert "majority" not in AgreementForm(judged(PLAIN).study, {}).fields

    def test_what_was_given_and_doubted_is_found_to_be_judged_again(self):
        study = judged(EVERYTHING, closed=False).study
        everything = candidates(study)
        assert {row.given["reader"] for row in everything} == {(3,)}
        assert {row.given["changes_softer"] for row in everything} == {(0, 1)}
        assert {row.doubts for row in everything} == {3}
        items = candidate_items(study, given=("changes_softer", 1), doubt=True)
        assert candidates(study, items) == everything
        assert candidate_items(study, given=("reader", 1)) == []


class TestControls:
    def test_every_expectation_must_be_met(self):
        expected = EVERYTHING.controls["unrelated"]
        assert expected == (Expectation("share", 0, 0), Expectation("worth", 0, 4))
        assert passes(expected, {"share": 0, "worth": 3})
        assert not passes(expected, {"share": 0, "worth": 5})
        assert not passes(expected, {"share": 0}), "what was not rated does not pass"

    def test_the_page_says_what_is_expected_and_where_nothing_is(self):
        with override("en"):
            assert expectations(DIRECT) == [
                "A control pair that is identical passes with: Meaning preservation 95 to 100. "
                "Strictly: Meaning preservation 99 to 100.",
                "A control pair that is unrelated passes with: Meaning preservation 0 to 5. "
                "Strictly: Meaning preservation 0 to 1.",
            ]
            assert expectations(PLAIN)[0].startswith("Nothing is expected of a control pair")

    def test_the_paper_s_two_thresholds_are_counted_apart(self):
        """Beauchemin et al. (2023), MeaningBERT, section 3.3: identical pairs at 95 and at 99."""
        study = make_study(protocol_key=DIRECT.key, protocol_version=DIRECT.version, state="main")
        annotator = make_annotator(study)
        for number, meaning in enumerate((94, 95, 98, 99, 100), start=1):
            pair = make_pair(study, key=f"control-{number}")
            Item.objects.filter(pk=pair.item_id).update(round="control", control="identical")
            assignment = Assignment.objects.create(
                annotator=annotator, simplification=pair, position=number
            )
            given = DIRECT.clean({"meaning": meaning, "fluency": 50, "simplicity": 50})
            judgment_seal(Judgment(assignment=assignment), study, given, timezone.now())
        (controls,) = study_controls(study)
        assert (controls.judged, controls.passed, controls.passed_strictly) == (5, 4, 2)


def test_a_long_scale_is_drawn_in_about_ten_bars():
    study = judged(DIRECT).study
    chart = distributions(DIRECT, "meaning", study_figures(study, Filters()))
    assert chart is not None
    assert chart.table.columns[1:11] == (
        *("0–10", "11–21", "22–32", "33–43", "44–54", "55–65", "66–76", "77–87", "88–98"),
        "99–100",
    )
    counts = {row[0]: row[1:11] for row in chart.table.rows}
    assert counts["B"] == (0, 0, 0, 2, 0, 0, 0, 0, 0, 0), "37 twice"
    assert answered(DIRECT, "B")["meaning"] == 37
