"""Aids that may steer a judgment: that and when they were opened is noted, once, with a save."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, Judgment
from annotation.selectors.privacy.personal import personal_data
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.judging.aids import aids_note
from annotation.services.judging.drafts import Save, draft_save
from annotation.services.judging.judgments import judgment_submit
from tests.factories import answers, make_assignment

pytestmark = pytest.mark.django_db

COMPLETE = answers()


@pytest.fixture
def assignment() -> Assignment:
    assignment = make_assignment()
    assignment.opened_at = timezone.now() - timedelta(minutes=10)
    assignment.save()
    return assignment


def saved(assignment: Assignment, revision: int, **aids: int) -> Assignment:
    draft_save(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=Save(answers=COMPLETE, base_revision=revision, key=uuid.uuid4(), aids=aids),
    )
    return Assignment.objects.get(pk=assignment.pk)


def long_row(assignment: Assignment) -> dict[str, object]:
    chunks = export_chunks(assignment.annotator.study, export_spec("long", "jsonl"))
    return json.loads("".join(chunk.text for chunk in chunks))


def test_the_first_use_is_noted_and_stays(assignment: Assignment) -> None:
    now = timezone.now()
    noted = saved(assignment, 0, glossary=60)
    assert noted.glossary_at is not None
    assert abs(noted.glossary_at - (now - timedelta(seconds=60))) < timedelta(seconds=30)
    assert noted.renderings_at is None
    again = saved(assignment, 1, glossary=400, renderings=0)
    assert again.glossary_at == noted.glossary_at
    assert again.renderings_at is not None
    assert again.renderings_at >= now


def test_never_before_the_pair_was_opened_and_nothing_unknown(assignment: Assignment) -> None:
    noted = saved(assignment, 0, glossary=2**40, spacing=5)
    assert noted.glossary_at == assignment.opened_at


def test_an_ordinary_save_asks_no_more(assignment: Assignment) -> None:
    """What was noted before is not written again either."""
    saved(assignment, 0, glossary=1)
    known = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    ).get()
    with CaptureQueriesContext(
        connection,
    ) as plain:
        saved(known, 1)
    with CaptureQueriesContext(connection) as repeated:
        saved(known, 2, glossary=9)
    assert len(plain) == len(repeated)
    assert not any("glossary_at" in query["sql"] and "UPDATE" in query["sql"] for query in repeated)


def test_the_export_and_the_person_s_own_data_tell_it(assignment: Assignment) -> None:
    save = Save(answers=COMPLETE, base_revision=0, key=uuid.uuid4(), aids={"renderings": 5})
    judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save)
    row = long_row(assignment)
    assert str(row["renderings_used_at"]) <= str(row["submitted_at"])
    assert row["glossary_used_at"] is None
    pair = personal_data(assignment.annotator.user)["annotates"][0]["pairs"][0]
    assert pair["terms_pointed_out_at"] is not None
    assert pair["glossary_looked_into_at"] is None


def test_what_was_opened_after_the_submission_did_not_stand_by_it(assignment: Assignment) -> None:
    save = Save(answers=COMPLETE, base_revision=0, key=uuid.uuid4())
    judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save)
    Judgment.objects.update(submitted_at=timezone.now() - timedelta(minutes=5))
    Assignment.objects.update(glossary_at=timezone.now())
    assert long_row(assignment)["glossary_used_at"] is None


def posted(client: Client, assignment: Assignment, aids: object) -> int:
    body = {"key": str(uuid.uuid4()), "base_revision": 0, "answers": COMPLETE, "aids": aids}
    url = f"/annotate/{assignment.annotator.study.key}/{assignment.position}/draft/"
    return client.post(url, json.dumps(body), content_type="application/json").status_code


def test_the_page_s_save_carries_it(client: Client, assignment: Assignment) -> None:
    client.force_login(assignment.annotator.user)
    wrong: tuple[object, ...] = ([], {"glossary": "now"}, {"glossary": True}, 3)
    assert [posted(client, assignment, aids) for aids in wrong] == [400] * 4
    assert posted(client, assignment, {"glossary": 3, "renderings": -4}) == 200
    noted = Assignment.objects.get(pk=assignment.pk)
    assert noted.glossary_at is not None
    assert noted.renderings_at is not None
    assert noted.glossary_at < noted.renderings_at


def test_another_window_may_have_noted_it_a_moment_before(assignment: Assignment) -> None:
    """Two saves have read the pair before either noted the aid: the first stays."""
    read = Assignment.objects.get(pk=assignment.pk)
    first = saved(assignment, 0, glossary=60).glossary_at
    aids_note(read, {"glossary": 10}, timezone.now())
    assert Assignment.objects.get(pk=assignment.pk).glossary_at == first
    assert read.glossary_at is None
