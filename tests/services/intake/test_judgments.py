"""Judgments of a file brought by a program: at once, by a worker, or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotation.corpus.judging import judging_options
from annotation.errors import RuleError, StudyArchived
from annotation.models import Item, Job
from annotation.protocols.registry import PROTOCOLS
from annotation.reading import ReadLater, pairs_file_read
from annotation.services.intake import judgments
from annotation.services.items.items import pairs_import, study_for_import
from annotation.services.items.judged import judged_import
from annotation.services.studies.ending import study_archive
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
CHOICES: dict[str, Any] = {"names": None, "values": {}, "same_scale": ()}
ROWS = (
    "original;simplification;annotator;simplicity;characterization;legal_meaning\n"
    "Payez la prime.;Payez.;A;1;3;9\n"
)


def read_of(study):
    judging = judging_options(
        study.protocol,
        study.rulings,
        same_scale=("simplicity", "characterization", "legal_meaning"),
    )
    return pairs_file_read(ROWS.encode(), person=None, judging=judging).judged


def code_of(call) -> str:
    with pytest.raises(RuleError) as refused:
        call()
    return refused.value.problems[0].code


def test_what_takes_long_to_read_is_left_to_a_worker(monkeypatch):
    def later(*_given, **_named):
        raise ReadLater

    monkeypatch.setattr(judgments, "pairs_file_read", later)
    study, lead = make_study(), make_user()
    job = judgments.judgments_bring(
        actor=lead, study=study, name="a.csv", content=ROWS.encode(), choices=CHOICES
    )
    assert isinstance(job, Job)
    assert job.parameters["judging"]
    assert not Item.objects.exists()


def test_not_for_a_protocol_that_is_gone(monkeypatch):
    study = make_study()
    judged = read_of(study)
    before = dict(PROTOCOLS)
    try:
        del PROTOCOLS["legal_meaning", "1"]
        gone = type(study).objects.get(pk=study.pk)
        assert code_of(lambda: judgments.judging(gone, "a.csv", CHOICES)) == "not_installed"
        assert (
            code_of(lambda: judged_import(actor=None, study=gone, judged=judged)) == "not_installed"
        )
    finally:
        PROTOCOLS.clear()
        PROTOCOLS.update(before)


def test_what_does_not_fit_the_study_is_refused_and_nothing_is_stored():
    study = make_study()
    judged = read_of(study)
    assert judged.problems == []
    (row,) = judged.rows
    for wrong, code in (
        (replace(judged, protocol="jades 1"), "other_protocol"),
        (replace(judged, rows=[]), "no_judgments"),
        (replace(judged, rows=[replace(row, cells=row.cells | {"legal_meaning": "99"})]), None),
    ):
        problem_code = code_of(
            lambda wrong=wrong: judged_import(actor=None, study=study, judged=wrong)
        )
        assert code in (None, problem_code)
    assert not Item.objects.exists()
    assert judged_import(actor=None, study=study, judged=judged).judgments == 1


def test_not_into_an_archived_study():
    study = make_study()
    study_archive(actor=make_user(), study=study, reason="Fini.")
    with pytest.raises(StudyArchived):
        study_for_import(study)
    with pytest.raises(StudyArchived):
        pairs_import(actor=None, study=study, pairs=None)
