"""Layouts of what people answered hold no answer of a model, whatever is asked for."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.utils import timezone

from annotation.models import Annotator, Assignment, Judgment, Rating, Simplification, Study
from annotation.selectors.publishing.exports import (
    LAYOUTS,
    export_chunks,
    export_spec,
    layouts_of,
)
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db
_OF_PEOPLE = {"csmd", "frjudge", "jades", "standardized"}
_SOFT = "soft_labels"


def judged(study: Study, round_: str = "main", **scores: int) -> Simplification:
    """A pair that each of these annotators, by pseudonym, judged with one value everywhere."""
    pair = make_pair(study, round=round_)
    for name, score in scores.items():
        annotator = Annotator.objects.filter(study=study, pseudonym=name).first()
        if annotator is None and name == "M":
            kind = Annotator.Kind.MACHINE
            annotator = Annotator.objects.create(study=study, kind=kind, pseudonym=name)
        elif annotator is None:
            annotator = make_annotator(study, make_user(name), pseudonym=name)
        assignment = Assignment.objects.create(
            annotator=annotator, simplification=pair, position=pair.item.position
        )
        judgment = Judgment.objects.create(
            assignment=assignment,
            revision=1,
            origin=Judgment.Origin.MACHINE if name == "M" else Judgment.Origin.PERSON,
            protocol=f"{study.protocol_key} {study.protocol_version}",
        )
        bracketed = {field.dimension_name for field in study.protocol.bracketed}
        for dimension in study.protocol.dimensions:
            whole = {"value": 10, "derivation": "derived", "bracket": 3, "deductions": 0}
            value = (
                whole | {"crossing_policy": "ask"} if dimension in bracketed else {"value": score}
            )
            Rating.objects.create(judgment=judgment, dimension=dimension, **value)
        Judgment.objects.filter(pk=judgment.pk).update(submitted_at=timezone.now())
    return pair


def exported(study: Study, layout: str, **options: object) -> str:
    form = LAYOUTS[layout].formats[0]
    return "".join(chunk.text for chunk in export_chunks(study, export_spec(layout, form, options)))


def study_of(key: str) -> Study:
    study = make_study(state="main", protocol_key=key, protocol_version="1")
    judged(study, A=4, B=3, M=1)
    judged(study, A=3, B=3, M=1)
    return study


def test_these_layouts_say_so():
    assert {key for key, layout in LAYOUTS.items() if layout.of_people} == _OF_PEOPLE


def test_csmd_is_the_mean_of_people():
    study = make_study(state="main", protocol_key="direct_assessment", protocol_version="1")
    judged(study, A=80, B=70, M=0)
    rows = [line.split("\t") for line in exported(study, "csmd").splitlines()]
    assert [row[-1] for row in rows[1:]] == ["75.0"]


def test_means_and_scores_are_of_people():
    study = make_study(state="main", protocol_key="direct_assessment", protocol_version="1")
    judged(study, A=80, B=70, M=0)
    judged(study, A=60, B=50, M=0)
    rows = list(csv.DictReader(io.StringIO(exported(study, "standardized"))))
    name = next(iter(study.protocol.dimensions))
    assert [(row[f"{name}_mean"], row[f"{name}_ratings"]) for row in rows] == [
        ("75", "2"),
        ("55", "2"),
    ]
    assert not [column for column in rows[0] if column.endswith("_z_M")]


def test_jades_is_of_people():
    (first, second) = json.loads(exported(study_of("jades"), "jades"))
    for row in (first, second):
        assert len([name for name in row if name.startswith("idx_annotator")]) == 2


def test_frjudge_is_of_people():
    study = make_study(state="main")
    judged(study, A=1, B=1, M=1)
    assert len(exported(study, "frjudge").splitlines()) == 2


def test_a_pair_that_models_alone_judged_is_not_in_it():
    study = make_study(state="main", protocol_key="direct_assessment", protocol_version="1")
    judged(study, A=80)
    judged(study, M=10)
    assert len(exported(study, "csmd").splitlines()) == 2
    chunks = list(export_chunks(study, export_spec("csmd", "tsv", {})))
    assert sum(chunk.rows for chunk in chunks) == chunks[-1].total == 1


def test_where_models_alone_are_asked_for_it_is_theirs():
    study = make_study(state="main", protocol_key="direct_assessment", protocol_version="1")
    judged(study, "machine", M=10)
    rows = exported(study, "csmd", round="machine").splitlines()
    assert [row.split("\t")[-1] for row in rows[1:]] == ["10.0"]


def test_others_hold_models_unless_they_are_left_out():
    study = study_of("jades")
    assert len(exported(study, "long", machines=True).splitlines()) == 7
    assert len(exported(study, "long", machines=False).splitlines()) == 5


def test_every_layout_that_does_not_say_who_judged_is_of_people():
    """A new one is not forgotten: it says who judged in each row or column, or is of people."""
    study = study_of("jades")
    for key, layout in layouts_of(study.protocol).items():
        if layout.of_people or key in ("codebook", _SOFT):
            continue
        assert exported(study, key, machines=False) != exported(study, key), key
