"""What a protocol says of its answers holds in the database, whatever writes there: generated from
the published protocols, so tried on one that has a field of every kind."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.answers import restore
from annotation.models import ErrorDeduction, Judgment, Rating, SideAnswer, Study
from annotation.services.base.sealing import judgment_seal
from tests.factories import make_assignment, make_study
from tests.protocols.samples.everything import PROTOCOL as EVERYTHING

pytestmark = pytest.mark.django_db

ANSWERS: dict[str, Any] = {
    "reader": 3,
    "reason": "Pour moi.",
    "changes": [20],
    "ease": 0,
    "warmth": -20,
    "share": 0,
    "tier": 2,
    "flaws": [{"type": "gap"}, {"type": "typo", "original_start": 0, "original_end": 3}],
    "edits": [
        {"type": "wordGone", "original": [[5, 7], [0, 2]], "severity": "heavy"},
        {"type": "added", "simplification": [[0, 2]], "source": "suggested", "note": "ici"},
    ],
    "decided_by": "first_reading",
    "readings": 0,
    "tired": True,
    "message": "Ça va.",
}


def sealed(**changed: Any) -> Judgment:
    study = make_study(protocol_key="everything", protocol_version="1", state="main")
    judgment = Judgment(assignment=make_assignment(study))
    answers = EVERYTHING.clean(ANSWERS | changed)
    with transaction.atomic():
        judgment_seal(judgment, study, answers, timezone.now())
    return judgment


def broken(judgment: Judgment, write: Any) -> str:
    """The refusal of the seal after this write into the opened judgment."""
    rows = Judgment.objects.filter(pk=judgment.pk)
    rows.update(submitted_at=None)

    @transaction.atomic
    def write_and_seal() -> None:
        write()
        rows.update(submitted_at=timezone.now())

    with pytest.raises(IntegrityError) as refused:
        write_and_seal()
    return str(refused.value)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"changes": None, "warmth": None, "readings": None, "decided_by": "", "message": ""},
        {"changes": [], "warmth": 60, "share": 100, "flaws": []},
        {"reader": 1, "reason": "", "tired": False, "unsure": True},
        {"reader": 1, "reason": "Kept all the same."},
        {"tier": 1, "flaws": [{"type": "gap"}] * 9},
        {"edits": []},
    ],
)
def test_what_the_protocol_takes_is_sealed_and_read_back(changed):
    judgment = Judgment.objects.get(pk=sealed(**changed).pk)
    assert judgment.submitted_at is not None
    assert restore(judgment, EVERYTHING) == EVERYTHING.clean(ANSWERS | changed)


@pytest.mark.parametrize(
    ("dimension", "value", "refusal"),
    [
        ("warmth", -18, "scale"),
        ("warmth", 65, "scale"),
        ("share", 101, "scale"),
        ("ease", 5, "scale"),
        ("changes_softer", 2, "scale"),
        ("worth", 17, "bracket_minus_deductions"),
        ("reader", 1, ""),
    ],
)
def test_a_value_is_on_the_scale_of_its_own_dimension(dimension, value, refusal):
    judgment = sealed()
    rows = Rating.objects.filter(judgment=judgment, dimension=dimension)
    if refusal:
        assert refusal in broken(judgment, lambda: rows.update(value=value))
    else:
        Judgment.objects.filter(pk=judgment.pk).update(submitted_at=None)
        rows.update(value=value)
        assert Judgment.objects.filter(pk=judgment.pk).update(submitted_at=timezone.now()) == 1


def test_what_is_always_rated_is_there_and_what_is_not_may_be_missing():
    judgment = sealed()
    rows = judgment.ratings
    assert "incomplete" in broken(judgment, lambda: rows.filter(dimension="share").delete())
    rows.filter(dimension="warmth").delete()
    assert Judgment.objects.filter(pk=judgment.pk).update(submitted_at=timezone.now()) == 1


def test_several_of_several_are_rated_all_or_not_at_all():
    judgment = sealed()
    rows = judgment.ratings.filter(dimension="changes_softer")
    assert "incomplete" in broken(judgment, rows.delete)
    judgment.ratings.filter(dimension__startswith="changes_").delete()
    assert Judgment.objects.filter(pk=judgment.pk).update(submitted_at=timezone.now()) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [("readings", "abc"), ("readings", "10"), ("decided_by", "x"), ("tired", "no")],
)
def test_what_stands_beside_is_what_its_field_may_hold(field, value):
    judgment = sealed()
    rows = judgment.sides.filter(field=field)
    assert "judgment_answers" in broken(judgment, lambda: rows.update(value=value))


def test_what_an_answer_asks_for_is_there():
    judgment = sealed()
    assert "judgment_explanation" in broken(
        judgment, lambda: judgment.sides.filter(field="reason").delete()
    )


def test_as_many_edits_are_there_as_the_judgment_counts():
    judgment = sealed()
    for write in (
        lambda: judgment.errors.filter(field="edits", ordinal=1).delete(),
        lambda: judgment.ratings.filter(dimension="edits_number").update(value=3),
    ):
        assert "judgment_marks" in broken(judgment, write)


@pytest.mark.parametrize(
    "changed", [{"original_end": 9999}, {"simplification_spans": "[[0,1],[2,3]]"}]
)
def test_the_spans_of_an_edit_lie_in_a_stretch_of_their_text(changed):
    judgment = sealed()
    edits = judgment.errors.filter(field="edits", ordinal=1)
    assert broken(judgment, lambda: edits.update(**changed))


def test_a_mark_and_an_answer_have_a_field_and_a_type_of_the_protocol():
    judgment = sealed()
    for write in (
        lambda: judgment.errors.update(type="omission"),
        lambda: SideAnswer.objects.create(judgment=judgment, field="comment", value="x"),
    ):
        assert "judgment_answers" in broken(judgment, write)
    stranger = ErrorDeduction(judgment=judgment, field="errors", ordinal=9, type="gap")
    assert "judgment_answers" in broken(judgment, stranger.save)


def test_a_score_is_its_bracket_minus_what_its_own_marks_take():
    judgment = sealed()
    score = judgment.ratings.filter(dimension="worth")
    assert "deductions" in broken(judgment, lambda: score.update(deductions=1, value=19))
    assert "deductions" in broken(judgment, lambda: judgment.errors.filter(ordinal=2).delete())
    assert "derived" in broken(
        judgment,
        lambda: score.update(
            derivation="stated", bracket=None, deductions=None, crossing_policy=""
        ),
    )


def test_a_study_that_a_former_version_made_has_every_ruling():
    study = make_study()
    Study.objects.filter(pk=study.pk).update(rulings={})
    assert Study.objects.get(pk=study.pk).rulings == {
        "crossing_policy": "ask",
        "span_required": False,
    }
    assert Study.objects.only("title").get(pk=study.pk).title == study.title


def test_answers_of_another_protocol_fit_no_study_of_this_one():
    judgment = sealed()
    rows = Judgment.objects.filter(pk=judgment.pk)
    assert "judgment_protocol" in broken(judgment, lambda: rows.update(protocol="plain 1"))
