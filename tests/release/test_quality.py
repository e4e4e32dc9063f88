"""Control pairs and silent repeats in a release: how many, and what came of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.models import Study
from annotation.release.bundle import write_bundle
from annotation.release.frozen import Frozen
from annotation.release.heds import heds
from annotation.release.methods import methods
from annotation.services.planning.repeats import repeats_sweep
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from tests.planning import annotators, days_pass, planned_study, rows, submit
from tests.services.publishing.test_snapshots import judged_study

pytestmark = pytest.mark.django_db


def frozen(study: Study) -> Frozen:
    study = Study.objects.get(pk=study.pk)
    return Frozen(snapshot_folder(study_freeze(actor=None, study=study, reason="a test")))


@pytest.fixture
def checked() -> Study:
    """Two people with three control pairs each, one of them not judged, and two repeats each, of
    which one has judged theirs."""
    study = planned_study(
        2,
        10,
        control_identical=2,
        control_unrelated=1,
        repeat_percent=20,
        repeat_after_days=7,
        seed=3,
    )
    for row in rows(study):
        control = row.simplification.item.control
        if control == "unrelated" and row.annotator == annotators(study)[1]:
            continue
        submit(row, **({"simplicity": 4} if control == "identical" else {}))
    days_pass(study, 8)
    assert repeats_sweep() == 4
    for row in rows(study, annotator=annotators(study)[0]):
        if row.simplification.item.round == "repeat":
            submit(row)
    return study


def test_how_many_were_given_judged_and_passed(checked: Study, tmp_path: Path):
    files = frozen(checked)
    identical, unrelated = files.agreement["controls"]
    assert (identical["kind"], identical["given"], identical["judged"]) == ("identical", 4, 4)
    assert (unrelated["given"], unrelated["judged"], unrelated["annotators"]) == (2, 1, 2)
    assert (identical["passed"], unrelated["passed"]) == (4, 0), "all got the highest bracket"
    assert (files.agreement["repeats"]["offered"], files.agreement["repeats"]["judged"]) == (4, 2)
    wording = methods(files)
    controls = (
        "Control pairs were mixed in with the others, unmarked: the original beside itself, 4 "
        "given, 4 judged, 4 of them as they must be (legal meaning from 9 to 10); another text "
        "beside the original, 2 given, 1 judged, 0 of them as they must be (legal meaning 1)."
    )
    assert controls in wording.en
    assert "l'original à côté de lui-même, 4 données, 4 jugées, dont 4 comme il se doit" in (
        wording.fr
    )
    repeats = (
        "Pairs were given a second time to the same annotator, unmarked: 4 given, 2 judged (same "
        "answer: "
    )
    assert repeats in wording.en
    assert "legal meaning, 2 of 2" in wording.en
    write_bundle(files.folder, tmp_path)
    card = (tmp_path / "README.md").read_text("utf-8")
    answers = json.loads((tmp_path / "heds_answers.json").read_text("utf-8"))["answers"]
    (quality,) = [row["answer"] for row in answers if row["number"] == "3.3.3.2"]
    for text in (card, quality):
        assert controls in text
        assert repeats in text
    assert "none of the data is left out because of them" in quality


def test_of_somebody_who_has_withdrawn_nothing_is_counted(checked: Study):
    first = annotators(checked)[0]
    type(first).objects.filter(pk=first.pk).update(withdrawn_at="2025-03-04T00:00Z")
    files = frozen(checked)
    assert [row["given"] for row in files.agreement["controls"]] == [2, 1]
    assert files.agreement["repeats"] == {"offered": 2, "judged": 0, "dimensions": {}}


def quality_of(files: Frozen) -> str:
    (said,) = [row["answer"] for row in heds(files)["answers"] if row["number"] == "3.3.3.2"]
    return str(said)


def test_where_there_were_none_and_where_it_is_not_known():
    files = frozen(judged_study())
    assert quality_of(files).endswith("There were no control pairs and no silent repeats.")
    assert "ontrol pairs" not in methods(files).en
    del files.agreement["controls"]
    assert quality_of(files).endswith("every submission is kept.")
    assert "ontrol pairs" not in methods(files).en


def test_of_a_snapshot_of_before(checked: Study):
    files = frozen(checked)
    del files.agreement["controls"], files.agreement["repeats"]["judged"]
    assert "4 given, 2 judged (same answer: " in methods(files).en
    assert "ontrol pairs" not in methods(files).en
