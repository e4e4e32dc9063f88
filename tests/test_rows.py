"""A row stored by a statement that is worded once is what the ORM would have stored, and one that
is changed differs in what was named alone."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.forms.models import model_to_dict
from django.utils import timezone

from annotation.models import (
    Assignment,
    Draft,
    ErrorDeduction,
    Event,
    Item,
    Judgment,
    JudgmentRevision,
    Rating,
    SaveReceipt,
    SideAnswer,
    Study,
)
from annotation.rows import columns_insert, row_update, rows_insert
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study

pytestmark = pytest.mark.django_db

# What nobody would word by hand: quotes, signs of percent, other scripts, a number of 64 bits.
HOSTILE = "l'«été» 100 % %s \\ \" 😀 \n"


@pytest.fixture
def assignments():
    study = make_study()
    for _ in range(2):
        make_pair(study)
    make_annotator(study)
    assignments_fill(actor=None, study=study)
    return list(Assignment.objects.order_by("pk"))


def rows_of(assignment: Assignment, judgment: Judgment) -> list:
    """A new row of everything that a submission stores."""
    moment = timezone.now() - timedelta(days=1, microseconds=7)
    marked = {"type": "omission", "note": HOSTILE, "original_start": 0, "original_end": 2}
    return [
        Draft(
            assignment=assignment,
            annotator=assignment.annotator,
            answers={"explanation": HOSTILE, "errors": [None, 1.5, {"deep": [True]}]},
            revision=3,
            saved_at=moment,
        ),
        SaveReceipt(key=uuid4(), assignment=assignment, revision=3, submitted=True),
        JudgmentRevision(assignment=assignment, number=1, answers={"a": HOSTILE}),
        Event(study=assignment.annotator.study, verb="tried", details={"at": moment, "n": 2**40}),
        ErrorDeduction(judgment=judgment, field="errors", ordinal=1, **marked),
        SideAnswer(judgment=judgment, field="explanation", value=HOSTILE),
        Rating(judgment=judgment, dimension="simplicity", value=1, derivation="stated"),
    ]


def stored(row) -> dict:
    """Every column as the database gives it back."""
    [values] = type(row).objects.filter(pk=row.pk).values()
    return values


class TestInsert:
    def test_every_row_of_a_submission_is_what_the_orm_stores(self, assignments):
        judgments = [
            Judgment(assignment=assignment, protocol="legal_meaning 1")
            for assignment in assignments
        ]
        judgments[0].save()
        rows_insert(judgments[1])
        of_each = [
            rows_of(assignment, its) for assignment, its in zip(assignments, judgments, strict=True)
        ]
        for saved, inserted in zip(*of_each, strict=True):
            saved.save()
            rows_insert(inserted)
            assert not inserted._state.adding
            rows = stored(saved), stored(inserted)
            assert rows[0].keys() == rows[1].keys()
            own = {"id", "key", "assignment_id", "judgment_id", "saved_at", "submitted_at"}
            own |= {"created_at", "details"}
            for name in rows[0].keys() - own:
                assert rows[0][name] == rows[1][name], (type(saved), name)
        # Moments to the microsecond, and what JSON makes of them.
        assert stored(of_each[1][0])["saved_at"] == of_each[1][0].saved_at
        assert stored(of_each[1][3])["details"]["n"] == 2**40

    def test_several_with_one_statement_each_knows_its_own_key(
        self, assignments, django_assert_num_queries
    ):
        judgment = Judgment.objects.create(assignment=assignments[0])
        names = ("simplicity", "characterization", "legal_meaning")
        new = [
            Rating(judgment=judgment, dimension=name, value=number, derivation="stated")
            for number, name in enumerate(names, start=1)
        ]
        with django_assert_num_queries(1):
            rows_insert(*new)
        assert [Rating.objects.get(pk=rating.pk).dimension for rating in new] == list(names)

    def test_more_than_a_statement_may_hold(self, assignments, django_assert_num_queries):
        marks = [
            ErrorDeduction(
                judgment=Judgment.objects.get_or_create(assignment=assignments[0])[0],
                field="errors",
                ordinal=ordinal,
                type="omission",
            )
            for ordinal in range(1, 2602)
        ]
        with django_assert_num_queries(27):
            rows_insert(*marks)
        assert len({mark.pk for mark in marks}) == 2601
        assert ErrorDeduction.objects.get(pk=marks[-1].pk).ordinal == 2601

    def test_rows_that_share_values_and_have_a_computed_column_are_what_the_orm_stores(self):
        study = Study.objects.create(key="shared", title="Partagée")
        now = timezone.now()

        def items(prefix: str) -> list[Item]:
            return [
                Item(
                    study=study,
                    key=f"{prefix}-{place}",
                    position=place if prefix == "orm" else 300 + place,
                    round="practice" if place % 3 == 1 else "main",
                    original="Pareil." if place % 2 else f"Texte {place}.",
                    created_at=now,
                )
                for place in range(1, 251)
            ]

        saved, inserted = items("orm"), items("own")
        Item.objects.bulk_create(saved)
        rows_insert(*inserted)
        for by_orm, by_us in zip(saved, inserted, strict=True):
            rows = stored(by_orm), stored(by_us)
            assert rows[1]["key"] == by_us.key
            shared = rows[0].keys() - {"id", "key", "position"}
            assert {name: rows[0][name] for name in shared} == {
                name: rows[1][name] for name in shared
            }
        assert Item.objects.filter(in_practice=True).count() == 2 * 84

    def test_none_asks_nothing(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            rows_insert()

    def test_a_refusal_is_the_orm_s(self, assignments):
        key = uuid4()
        rows_insert(SaveReceipt(key=key, assignment=assignments[0], revision=1))
        with pytest.raises(IntegrityError), transaction.atomic():
            rows_insert(SaveReceipt(key=key, assignment=assignments[1], revision=1))
        assert SaveReceipt.objects.get(pk=key).assignment == assignments[0]


class TestColumns:
    def test_rows_that_are_no_objects_are_what_the_orm_stores(self, django_assert_num_queries):
        study, now = Study.objects.create(key="columns", title="Colonnes"), timezone.now()
        places = range(1, 251)
        texts = [f"{HOSTILE} {place}" for place in places]
        saved = Item.objects.bulk_create(
            Item(study=study, key=f"orm-{place}", position=place, original=text, created_at=now)
            for place, text in zip(places, texts, strict=True)
        )
        columns = {
            "key": [f"own-{place}" for place in places],
            "position": [300 + place for place in places],
            "original": texts,
        }
        with django_assert_num_queries(3):
            keys = columns_insert(Item, columns, study_id=study.pk, created_at=now)
        assert len(set(keys)) == 250
        own = {"id", "key", "position"}
        for by_orm, key, place in zip(saved, keys, places, strict=True):
            by_us = stored(Item(pk=key))
            assert by_us["key"] == f"own-{place}"
            assert {name: by_us[name] for name in by_us.keys() - own} == {
                name: value for name, value in stored(by_orm).items() if name not in own
            }

    def test_none_asks_nothing(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert columns_insert(Item, {"key": [], "position": []}, study_id=1) == []

    def test_columns_of_different_lengths_are_refused(self):
        with pytest.raises(ValueError, match=r"different lengths: \[1, 2\]"):
            columns_insert(Item, {"key": ["a"], "position": [1, 2]})

    @pytest.mark.parametrize("name", ["study", "in_practice", "id", "titel"])
    def test_a_name_that_is_no_column_to_fill_is_refused(self, name):
        with pytest.raises(TypeError, match=name):
            columns_insert(Item, {"key": ["a"]}, **{name: 1})


class TestUpdate:
    def test_what_is_named_and_nothing_else(self, assignments):
        draft = Draft.objects.create(assignment=assignments[0], answers={"a": 1})
        before = model_to_dict(draft)
        draft.answers, draft.revision, draft.active_seconds = {"a": HOSTILE}, 7, 40
        row_update(draft, "answers", "revision")
        assert model_to_dict(Draft.objects.get()) == before | {
            "answers": {"a": HOSTILE},
            "revision": 7,
        }

    def test_a_foreign_key_by_its_name(self, assignments):
        draft = Draft.objects.create(assignment=assignments[0])
        Draft.objects.update(annotator=None)
        row_update(draft, "annotator")
        assert Draft.objects.get().annotator_id == assignments[0].annotator_id

    def test_a_row_that_is_gone_is_said(self, assignments):
        draft = Draft.objects.create(assignment=assignments[0])
        Draft.objects.all().delete()
        draft.pk = 5
        with pytest.raises(LookupError, match=r"annotation\.Draft 5"):
            row_update(draft, "revision")

    def test_one_statement(self, assignments, django_assert_num_queries):
        with django_assert_num_queries(1):
            row_update(assignments[0], "standing", "set_aside_at")
        assert not connection.needs_rollback
