"""What is asked of a job stands in its row: where a person typed it, an erasure has to find it."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest
from django.conf import settings

from annotation.models import Job
from annotation.selectors.agreement.marked import MarksRequest
from annotation.selectors.privacy.free_text import FREE_TEXT
from annotation.selectors.publishing.exports.options import ExportOptions
from annotation.selectors.publishing.exports.spec import ExportSpec
from annotation.services.agreement import modelling
from annotation.services.agreement.marks import marks_request
from annotation.services.agreement.modelling import models_request
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.publishing.publications import freeze_request, release_request
from annotation.services.publishing.snapshots import study_freeze
from tests.bulk import fill_study
from tests.factories import make_study, make_user

TYPED = {"freeze": {"reason"}}
"""Words of a person, by the kind of job: declared as free text under the same name."""
CHOSEN = {
    # Layouts, formats and rounds, each one of a list.
    "export": {"layout", "format", "options"} | {each.name for each in fields(ExportOptions)},
    # A recipe is numbers and words of a list.
    "freeze": {"recipe"},
    "release": {"snapshot"},
    # Choices, and names that the file or the study has. The name of a file leaves with the job's
    # end, and the job with its time (``services.intake.readings``).
    "reading": {
        *("what", "name", "names", "rows", "encoding", "asked", "choices", "judging"),
        *("as_chosen", "layout", "pairs_only"),
    },
    "models": {"seed", "restarts"},
    # Dimensions, encoders and systems of the study: their names are edited where they stand.
    "metrics": {
        *("dimension", "reference", "more_references", "slow", "every_scorer", "encoders"),
        *("snapshot", "seed", "draws"),
    },
    # Of the study's protocol; ``groups`` by keys of its operations.
    "marks": {
        *("digest", "asked", "field", "round", "groups", "without", "withdrawn", "drawn"),
    },
}


def known(kind: str) -> set[str]:
    return CHOSEN[kind] | TYPED.get(kind, set())


def asked_of_readings() -> set[str]:
    """Names in what is written for a worker that reads: each begins with what is to be read."""
    folder = Path(settings.BASE_DIR) / "annotation" / "services" / "intake"
    literals = (
        [key.value for key in node.keys if isinstance(key, ast.Constant)]
        for path in sorted(folder.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Dict)
    )
    return {str(name) for names in literals if "what" in names for name in names}


def test_every_kind_of_job_says_what_is_typed():
    """A new kind, or a new name in what is asked of one: is it typed by a person? Then it belongs
    to ``FREE_TEXT`` too."""
    assert set(CHOSEN) == set(Job.Kind.values)
    assert {field.name for field in fields(ExportSpec)} <= known("export")
    assert {field.name for field in fields(ReportRequest)} == known("metrics")
    assert {field.name for field in fields(MarksRequest)} < known("marks")
    assert asked_of_readings() <= known("reading")
    assert "what" in asked_of_readings()
    declared = {way[0] for way in FREE_TEXT["job.parameters"].members}
    assert {name for names in TYPED.values() for name in names} == declared


@pytest.mark.django_db
def test_jobs_hold_what_is_known_of_their_kind(monkeypatch):
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    monkeypatch.setattr(modelling, "package_version", lambda: "1.4.2")
    lead = make_user()
    study = make_study(lead=lead, state="closed")
    fill_study(study, pairs=3, annotators=2)
    freeze_request(actor=lead, study=study, reason="Comme convenu")
    release_request(actor=lead, snapshot=study_freeze(actor=lead, study=study))
    models_request(actor=lead, study=study)
    marks_request(actor=lead, study=study, request=MarksRequest("errors"))
    held = {job.kind: set(job.parameters) for job in Job.objects.all()}
    assert set(held) == {"freeze", "release", "models", "marks"}
    for kind, names in held.items():
        assert names <= known(kind), kind
