"""Released ratings as judgments: a score without bracket, errors and times, of judges nobody can
name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.corpus.frjudge import FrjudgeFile, FrjudgeRow
from annotation.corpus.problems import RowProblem
from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    ErrorDeduction,
    Event,
    Item,
    Judgment,
    Rating,
    Study,
)
from annotation.protocols.base import Wording
from annotation.protocols.legal_meaning.rules import PROTOCOL as LEGAL_MEANING
from annotation.protocols.registry import PROTOCOLS
from annotation.services.items.frjudge import frjudge_import
from annotation.services.items.items import RowsRefused
from tests.factories import make_annotator, make_pair, make_study

pytestmark = pytest.mark.django_db


def released(*judged):
    """Judgments of pairs named by a letter, in the order of a file."""
    return FrjudgeFile(
        rows=[
            FrjudgeRow(
                number,
                f"Original {pair}",
                f"Simplification {pair}",
                1 + number % 4,
                number,
                5,
                f"n{number}",
            )
            for number, pair in enumerate(judged, start=1)
        ]
    )


def bring(study, *judged, actor=None):
    return frjudge_import(actor=actor, study=study, released=released(*judged))


@pytest.fixture
def study() -> Study:
    return make_study()


def test_rows_of_a_pair_in_order_become_judges(study):
    outcome = bring(study, "a", "b", "a", "a", "b", "b")
    assert (outcome.items, outcome.simplifications, outcome.judgments, outcome.judges) == (
        2,
        2,
        6,
        3,
    )
    assert list(Item.objects.values_list("key", "position")) == [
        ("frjudge-001", 1),
        ("frjudge-002", 2),
    ]
    judgments = Judgment.objects.order_by("imported_row").values_list(
        "assignment__annotator__pseudonym",
        "assignment__simplification__item__key",
        "imported_row",
        "sides__value",
    )
    assert list(judgments) == [
        ("J1", "frjudge-001", 1, "n1"),
        ("J1", "frjudge-002", 2, "n2"),
        ("J2", "frjudge-001", 3, "n3"),
        ("J3", "frjudge-001", 4, "n4"),
        ("J2", "frjudge-002", 5, "n5"),
        ("J3", "frjudge-002", 6, "n6"),
    ]
    assert all(judge.kind == "imported" and judge.user is None for judge in Annotator.objects.all())
    assert list(
        Assignment.objects.filter(annotator__pseudonym="J1").values_list("position", flat=True)
    ) == [1, 2]


def test_a_judgment_knows_a_score_and_nothing_of_how_it_came_about(study):
    before = timezone.now()
    bring(study, "a")
    judgment = Judgment.objects.get()
    assert (judgment.origin, judgment.started_at, judgment.active_seconds) == ("imported", None, 0)
    assert judgment.submitted_at is not None
    assert judgment.submitted_at >= before
    ratings = Rating.objects.order_by("pk").values_list(
        "dimension", "value", "derivation", "bracket", "deductions"
    )
    assert list(ratings) == [
        ("simplicity", 2, "stated", None, None),
        ("characterization", 1, "stated", None, None),
        ("legal_meaning", 5, "imported", None, None),
    ]


def test_the_database_vouches_for_what_was_imported(study):
    bring(study, "a")
    judgment = Judgment.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        ErrorDeduction.objects.create(judgment=judgment, ordinal=1, type="omission")
    with pytest.raises(IntegrityError), transaction.atomic():
        Rating.objects.filter(dimension="legal_meaning").update(value=11)


def test_uneven_rows_are_judges_with_fewer_judgments(study):
    outcome = bring(study, "a", "b", "a")
    assert (outcome.judges, outcome.judgments) == (2, 3)
    assert Assignment.objects.filter(annotator__pseudonym="J2").count() == 1


def test_a_second_file_brings_other_judges(study):
    bring(study, "a", "a")
    bring(study, "b")
    assert list(Annotator.objects.values_list("pseudonym", flat=True)) == ["J1", "J2", "J3"]
    assert list(Item.objects.values_list("key", "position")) == [
        ("frjudge-001", 1),
        ("frjudge-002", 2),
    ]


def test_items_follow_those_that_are_there(study):
    make_pair(study)
    bring(study, "a")
    assert Item.objects.get(key="frjudge-001").position == 2


def test_a_pair_that_is_there_stops_all_of_it(study):
    bring(study, "a", "a", "b")
    with pytest.raises(RowsRefused) as caught:
        bring(study, "c", "b", "a", "a")
    assert [(p.row, p.code) for p in caught.value.rows] == [
        (2, "duplicate_in_study"),
        (3, "duplicate_in_study"),
    ]
    assert Judgment.objects.count() == 3


def test_bad_lines_stop_all_of_it(study):
    released_file = released("a")
    released_file.problems.append(
        RowProblem("qualification", "not_on_the_scale", Wording("19", "19"), row=2)
    )
    with pytest.raises(RowsRefused):
        frjudge_import(actor=None, study=study, released=released_file)
    assert not Item.objects.exists()


def test_a_closed_study_and_another_protocol_take_none(monkeypatch):
    for fields, code in (
        ({"state": "closed"}, "closed"),
        ({"protocol_key": "other"}, "other_protocol"),
    ):
        monkeypatch.setitem(PROTOCOLS, ("other", "1"), replace(LEGAL_MEANING, key="other"))
        with pytest.raises(RuleError) as caught:
            bring(make_study(**fields), "a")
        assert caught.value.problems[0].code == code
    assert not Item.objects.exists()


def test_in_an_open_round_people_judge_the_same_pairs():
    study = make_study(state="main")
    annotator = make_annotator(study)
    bring(study, "a", "b")
    assert annotator.assignments.count() == 2
    assert Assignment.objects.filter(annotator__kind="imported").count() == 2


def test_counts_are_recorded(study):
    bring(study, "a", "a")
    event = Event.objects.get()
    assert (event.verb, event.details) == (
        "frjudge_imported",
        {"items": 1, "judgments": 2, "judges": 2},
    )


def test_the_number_of_queries_does_not_grow_with_the_rows(study):
    with CaptureQueriesContext(connection) as few:
        bring(study, *"abc")
    with CaptureQueriesContext(connection) as many:
        bring(study, *"defghijklmnopq")
    assert len(many) == len(few)
