"""What a choice puts aside is kept, once, for a while, for its annotator alone."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.errors import RuleError, StaleDraft, StudyClosed
from annotation.models import Assignment, Draft, DraftVersion
from annotation.selectors.judging.own import own_former_answers, own_versions
from annotation.selectors.privacy.personal import personal_data
from annotation.services.judging import draft_versions
from annotation.services.judging.draft_versions import Aside, draft_versions_expire
from annotation.services.judging.drafts import Save, draft_restore, draft_save
from annotation.services.judging.judgments import judgment_submit
from tests.factories import answers, make_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment()


def save(
    assignment: Assignment, comment: str, base: int, aside: Any = None, key: uuid.UUID | None = None
) -> Save:
    return Save(
        answers=answers(comment=comment), base_revision=base, key=key or uuid.uuid4(), aside=aside
    )


def drafted(
    assignment: Assignment, comment: str, base: int, aside: Any = None, key: uuid.UUID | None = None
) -> None:
    draft_save(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(assignment, comment, base, aside, key),
    )


def kept(assignment: Assignment) -> list[tuple[str, str]]:
    """Origin and comment of each version, the newest first."""
    return [(version.origin, version.answers["comment"]) for version in own_versions(assignment)]


def test_an_ordinary_save_keeps_nothing_and_asks_nothing(assignment):
    drafted(assignment, "un", 0)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        drafted(assignment, "deux", 1)
    assert not [query for query in captured if "draftversion" in query["sql"]]
    assert kept(assignment) == []


def test_what_a_choice_replaces_and_what_it_refuses_are_both_kept(assignment):
    drafted(assignment, "ailleurs", 0)
    with pytest.raises(StaleDraft):
        drafted(assignment, "ici", 0)
    typed_at = timezone.now() - timedelta(hours=2)
    drafted(assignment, "mélange", 1, [Aside(answers(comment="ici"), typed_at=typed_at)])
    assert kept(assignment) == [("overwritten", "ailleurs"), ("refused", "ici")]
    assert own_versions(assignment)[1].saved_at == typed_at
    assert Draft.objects.get().answers["comment"] == "mélange"


def test_keeping_one_s_own_keeps_the_other(assignment):
    drafted(assignment, "ailleurs", 0)
    drafted(assignment, "ici", 1, [])
    assert kept(assignment) == [("overwritten", "ailleurs")]


def test_taking_the_other_keeps_one_s_own(assignment):
    drafted(assignment, "ailleurs", 0)
    drafted(assignment, "ailleurs", 1, [Aside(answers(comment="ici"), origin="found")])
    assert kept(assignment) == [("found", "ici")]


def test_a_submission_may_settle_a_conflict_as_well(assignment):
    drafted(assignment, "ailleurs", 0)
    judgment_submit(
        actor=assignment.annotator.user, assignment=assignment, save=save(assignment, "ici", 1, [])
    )
    assert kept(assignment) == [("overwritten", "ailleurs")]


def test_a_replay_keeps_nothing_twice(assignment):
    drafted(assignment, "ailleurs", 0)
    key = uuid.uuid4()
    for _ in range(2):
        drafted(assignment, "ici", 1, [Aside(answers(comment="copie"))], key)
    assert kept(assignment) == [("overwritten", "ailleurs"), ("refused", "copie")]


def test_a_stale_choice_keeps_nothing_yet(assignment):
    drafted(assignment, "un", 0)
    drafted(assignment, "deux", 1)
    with pytest.raises(StaleDraft):
        drafted(assignment, "ici", 1, [Aside(answers(comment="copie"))])
    assert kept(assignment) == []


def test_an_empty_form_is_not_worth_keeping(assignment):
    empty = assignment.annotator.study.protocol.empty_answers()
    drafted(assignment, "ici", 0, [Aside(empty), Aside(answers(comment="ici"))])
    assert kept(assignment) == []


def test_a_moment_to_come_is_now(assignment):
    drafted(
        assignment,
        "ici",
        0,
        [Aside(answers(comment="x"), typed_at=timezone.now() + timedelta(days=400))],
    )
    assert own_versions(assignment)[0].saved_at <= timezone.now()


def test_what_is_put_aside_again_is_the_newest_again(assignment):
    for base, comment in enumerate(("a", "b", "a", "b")):
        drafted(assignment, comment, base, [])
    assert kept(assignment) == [("overwritten", "a"), ("overwritten", "b")]


def test_so_many_are_kept_and_the_oldest_go(assignment, monkeypatch):
    monkeypatch.setattr(draft_versions, "MOST_KEPT", 3)
    for base in range(6):
        drafted(assignment, f"n{base}", base, [])
    assert [comment for _, comment in kept(assignment)] == ["n4", "n3", "n2"]
    assert [version.number for version in own_versions(assignment)] == [5, 4, 3]


@pytest.mark.parametrize(
    ("aside", "field"),
    [
        ([Aside({"simplicity": 9})], "simplicity"),
        ([Aside("none")], "answers"),
        ([Aside({})] * 21, "aside"),
    ],
)
def test_what_is_no_answer_is_refused_and_nothing_is_written(assignment, aside, field):
    with pytest.raises(RuleError) as refused:
        drafted(assignment, "ici", 0, aside)
    assert refused.value.problems[0].field == field
    assert not Draft.objects.exists()


def test_they_go_after_a_month(assignment):
    drafted(assignment, "ailleurs", 0)
    drafted(assignment, "ici", 1, [])
    assert draft_versions_expire() == 0
    DraftVersion.objects.update(kept_at=timezone.now() - timedelta(days=31))
    assert draft_versions_expire() == 1
    assert kept(assignment) == []


class TestBringingBack:
    def restored(self, assignment: Assignment, source: str, number: int) -> Any:
        former = own_former_answers(assignment, source, number)
        assert former is not None
        return draft_restore(actor=assignment.annotator.user, assignment=assignment, answers=former)

    def test_it_is_the_draft_again_and_what_it_replaces_is_kept(self, assignment):
        drafted(assignment, "ailleurs", 0)
        drafted(assignment, "ici", 1, [])
        saved = self.restored(assignment, "draft", 1)
        assert (saved.revision, saved.answers["comment"]) == (3, "ailleurs")
        assert kept(assignment) == [("replaced", "ici"), ("overwritten", "ailleurs")]
        with pytest.raises(StaleDraft):
            drafted(assignment, "une vieille page", 2)

    def test_twice_is_once(self, assignment):
        drafted(assignment, "ailleurs", 0)
        drafted(assignment, "ici", 1, [])
        assert self.restored(assignment, "draft", 1) == self.restored(assignment, "draft", 1)
        assert Draft.objects.get().revision == 3

    def test_a_submission_too(self, assignment):
        judgment_submit(
            actor=assignment.annotator.user,
            assignment=assignment,
            save=save(assignment, "soumise", 0),
        )
        drafted(assignment, "correction", 1)
        assert self.restored(assignment, "submission", 1).answers["comment"] == "soumise"
        assert kept(assignment) == [("replaced", "correction")]

    @pytest.mark.parametrize(
        ("source", "number"), [("draft", 7), ("submission", 1), ("judgment", 1), ("", 1)]
    )
    def test_what_is_not_there(self, assignment, source, number):
        drafted(assignment, "ici", 0)
        assert own_former_answers(assignment, source, number) is None

    def test_where_nothing_was_ever_saved(self, assignment):
        saved = draft_restore(
            actor=assignment.annotator.user, assignment=assignment, answers=answers(comment="x")
        )
        assert saved.revision == 1
        assert kept(assignment) == []

    def test_not_once_the_round_is_closed(self, assignment):
        drafted(assignment, "ailleurs", 0)
        drafted(assignment, "ici", 1, [])
        type(assignment.annotator.study).objects.update(state="closed")
        with pytest.raises(StudyClosed):
            self.restored(assignment, "draft", 1)


def test_they_are_told_to_their_annotator(assignment):
    drafted(assignment, "ailleurs", 0)
    drafted(assignment, "ici", 1, [])
    [pair] = personal_data(assignment.annotator.user)["annotates"][0]["pairs"]
    [version] = pair["draft_versions"]
    assert (version["number"], version["origin"], version["answers"]["comment"]) == (
        1,
        "overwritten",
        "ailleurs",
    )
