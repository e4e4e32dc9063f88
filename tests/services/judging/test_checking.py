"""Whether judgments hold what was submitted, and those that do not are mended from it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import Judgment, JudgmentRevision, SideAnswer
from annotation.services.judging.checking import answers_check
from annotation.services.judging.judgments import judgment_submit
from tests.factories import make_assignment, make_pair, make_study, said, save
from tests.services.items.test_frjudge import bring

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged() -> Judgment:
    assignment = make_assignment()
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(comment="Le délai ?", doubt=True),
    )
    return Judgment.objects.get()


def told(*options: str) -> str:
    out = StringIO()
    call_command("check_answers", *options, stdout=out)
    return out.getvalue()


def test_what_was_submitted_is_there(judged):
    assert told() == "1 judgments compared, 0 differ.\n"
    make_study("another")
    assert told("--study", "another") == "0 judgments compared, 0 differ.\n"


def test_what_was_lost_is_found_and_written_anew(judged):
    """As a former version leaves it that stored a judgment after the migration."""
    SideAnswer.objects.filter(field="comment").delete()
    submitted_at = judged.submitted_at
    Judgment.objects.update(submitted_at=submitted_at)
    with pytest.raises(CommandError, match="1 judgments compared, 1 differ"):
        told()
    key = judged.assignment.annotator.study.key
    assert told("--rebuild").splitlines() == [
        f"{key}, judgment {judged.pk}: comment",
        "1 judgments compared, 1 differ; 1 written anew.",
    ]
    judged.refresh_from_db()
    assert (said(judged, "comment"), judged.submitted_at) == ("Le délai ?", submitted_at)
    assert answers_check().differing == []


def test_words_that_a_former_version_wrote_where_nobody_looks_are_taken_out(judged):
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, "annotation_judgment")
        assert "comment" in {column.name for column in described}
        cursor.execute("UPDATE annotation_judgment SET comment = 'Le délai ?'")
    with pytest.raises(CommandError, match="1 have words in columns of a former version"):
        told()
    told("--rebuild")
    assert told() == "1 judgments compared, 0 differ.\n"
    assert said(Judgment.objects.get(), "comment") == "Le délai ?"


def test_where_those_columns_are_gone_there_is_nothing_to_take_out(judged, monkeypatch):
    monkeypatch.setattr(type(connection.introspection), "get_table_description", lambda *_args: [])
    assert told() == "1 judgments compared, 0 differ.\n"


def test_what_is_being_corrected_meanwhile_is_left_alone(judged, monkeypatch):
    from annotation.services.judging import checking

    SideAnswer.objects.filter(field="doubt").delete()
    Judgment.objects.update(submitted_at=judged.submitted_at)
    original = checking._differing

    def corrected(judgment, revision):
        differing = original(judgment, revision)
        Judgment.objects.update(submitted_at=None)
        return differing

    monkeypatch.setattr(checking, "_differing", corrected)
    answers_check(rebuild=True)
    assert said(judged, "doubt") == ""


def test_one_without_a_submission_is_passed_over(judged):
    JudgmentRevision.objects.all().delete()
    assert answers_check().checked == 0


def test_a_published_judgment_has_no_submission_to_compare_with(judged):
    study = judged.assignment.annotator.study
    make_pair(study)
    bring(study, "a", "b")
    assert answers_check(study=study.key).checked == 1
