"""Drafts, submissions and corrections: nothing lost, nothing twice, nothing wrong in force."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.answers import restore
from annotation.errors import RuleError, StaleDraft, StudyClosed
from annotation.models import Assignment, Draft, Event, Judgment, JudgmentRevision, SaveReceipt
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.judging.drafts import Save, assignment_open, draft_save, receipts_expire
from annotation.services.judging.judgments import Refused, judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import guide_publish
from tests.factories import answers, make_assignment, make_pair, make_study, said, save

pytestmark = pytest.mark.django_db


def actor(assignment: Assignment):
    return assignment.annotator.user


def drafted(assignment: Assignment, request: Save):
    return draft_save(actor=actor(assignment), assignment=assignment, save=request)


def submitted(assignment: Assignment, request: Save):
    return judgment_submit(actor=actor(assignment), assignment=assignment, save=request)


class TestDraft:
    def test_an_incomplete_draft_is_kept_as_it_is(self):
        assignment = make_assignment()
        saved = drafted(
            assignment, Save(answers={"comment": "à revoir"}, base_revision=0, key=uuid.uuid4())
        )
        assert (saved.revision, saved.replayed) == (1, False)
        assert Draft.objects.get(assignment=assignment).answers["comment"] == "à revoir"
        assert not Judgment.objects.exists()

    def test_a_replayed_save_changes_nothing_and_gets_the_same_answer(self):
        assignment = make_assignment()
        first = save(comment="une fois")
        answer = drafted(assignment, first)
        drafted(assignment, save(1, comment="deux fois"))
        again = drafted(assignment, first)
        assert again.replayed
        assert (again.revision, again.saved_at) == (answer.revision, answer.saved_at)
        draft = Draft.objects.get(assignment=assignment)
        assert (draft.revision, draft.answers["comment"]) == (2, "deux fois")

    @pytest.mark.parametrize("write", [draft_save, judgment_submit])
    def test_a_key_with_other_answers_is_refused_by_name(self, write):
        assignment = make_assignment()
        first = save(comment="une fois")
        write(actor=actor(assignment), assignment=assignment, save=first)
        other = replace(first, answers={**first.answers, "comment": "autre chose"}, base_revision=1)
        with pytest.raises(RuleError) as refused:
            write(actor=actor(assignment), assignment=assignment, save=other)
        assert (refused.value.problems[0].field, refused.value.problems[0].code) == (
            "key",
            "reused",
        )
        assert Draft.objects.get(assignment=assignment).answers["comment"] == "une fois"
        again = replace(other, key=uuid.uuid4())
        assert write(actor=actor(assignment), assignment=assignment, save=again).revision == 2

    def test_a_receipt_of_before_digests_answers_as_it_did(self):
        assignment = make_assignment()
        first = save(comment="une fois")
        drafted(assignment, first)
        SaveReceipt.objects.update(answers_digest="")
        assert drafted(assignment, replace(first, answers={"comment": "autre"})).replayed

    def test_a_stale_window_overwrites_nothing(self):
        assignment = make_assignment()
        drafted(assignment, save(comment="fenêtre un"))
        with pytest.raises(StaleDraft) as refused:
            drafted(assignment, save(0, comment="fenêtre deux"))
        assert refused.value.current.answers["comment"] == "fenêtre un"
        assert Draft.objects.get(assignment=assignment).revision == 1

    def test_a_stale_window_with_the_same_answers_is_no_conflict(self):
        assignment = make_assignment()
        drafted(assignment, save(comment="pareil"))
        assert drafted(assignment, save(0, comment="pareil")).revision == 2

    def test_a_key_is_good_for_one_pair_only(self):
        first = make_assignment()
        make_pair(first.annotator.study)
        assignments_fill(actor=None, study=first.annotator.study)
        second = Assignment.objects.exclude(pk=first.pk).get(annotator=first.annotator)
        request = save()
        drafted(first, request)
        with pytest.raises(RuleError) as refused:
            drafted(second, request)
        assert refused.value.problems[0].code == "reused"

    @pytest.mark.parametrize("is_former", [False, True])
    def test_the_same_key_of_somebody_else_neither_tells_nor_blocks(self, is_former):
        """Keys of programs may be guessed. ``is_former``: kept by a version before, as it came."""
        study = make_study(state="main")
        first, second = make_assignment(study), make_assignment(study)
        request = save()
        drafted(first, request)
        if is_former:
            SaveReceipt.objects.update(key=request.key)
        theirs = submitted(second, replace(request, answers={**request.answers, "comment": "b"}))
        assert (theirs.revision, theirs.replayed, theirs.number) == (1, False, 1)
        assert drafted(first, request).replayed
        for _ in range(2):
            mine = submitted(first, request)
            assert (mine.revision, mine.replayed) == (1, True)
        assert set(Judgment.objects.values_list("assignment", "revision")) == {
            (first.pk, 1),
            (second.pk, 1),
        }

    @pytest.mark.parametrize(
        ("wrong", "field"),
        [
            ({"simplicity": 9}, "simplicity"),
            ({"characterization": 19}, "characterization"),
            ({"characterization": True}, "characterization"),
            ({"bracket": "2-6"}, "bracket"),
            ({"errors": [{"type": "lie"}]}, "errors.0.type"),
            ({"errors": "many"}, "errors"),
            ({"score": 10}, "score"),
            ({"comment": "x" * 5001}, "comment"),
            ({"comment": "a\x00b"}, "comment"),
            ([], "answers"),
        ],
    )
    def test_an_answer_of_the_wrong_shape_is_named_and_not_stored(self, wrong, field):
        assignment = make_assignment()
        with pytest.raises(RuleError) as refused:
            drafted(assignment, Save(answers=wrong, base_revision=0, key=uuid.uuid4()))
        assert refused.value.problems[0].field == field
        assert not Draft.objects.exists()
        assert not SaveReceipt.objects.exists()

    @pytest.mark.parametrize(
        ("state", "round_"), [("closed", "main"), ("practice", "main"), ("main", "practice")]
    )
    def test_a_round_that_is_not_open_takes_nothing(self, state, round_):
        study = make_study(state=state)
        assignment = make_assignment(study, round=round_)
        with pytest.raises(StudyClosed):
            drafted(assignment, save())
        with pytest.raises(StudyClosed):
            submitted(assignment, save())
        assert not Draft.objects.exists()

    def test_the_study_is_read_afresh(self):
        """A page that was opened before the study closed holds an old copy of its state."""
        assignment = make_assignment()
        study = assignment.annotator.study
        type(study).objects.filter(pk=study.pk).update(state="closed")
        with pytest.raises(StudyClosed):
            drafted(assignment, save())


class TestActiveTime:
    def test_the_longest_report_counts(self):
        assignment = make_assignment()
        drafted(assignment, save(active_seconds=40))
        assert drafted(assignment, save(1, active_seconds=12)).active_seconds == 40

    def test_it_never_exceeds_the_time_since_the_pair_was_opened(self):
        assignment = make_assignment()
        assignment_open(assignment=assignment)
        first_opened = assignment.opened_at
        assignment_open(assignment=assignment)
        assert assignment.opened_at == first_opened
        Assignment.objects.filter(pk=assignment.pk).update(
            opened_at=timezone.now() - timedelta(minutes=2)
        )
        assignment.refresh_from_db()
        # Two minutes, and ten for clocks that are off.
        assert 719 <= drafted(assignment, save(active_seconds=50_000)).active_seconds <= 722

    @pytest.mark.parametrize("write", [drafted, submitted])
    def test_a_pair_that_was_never_opened_counts_as_opened_by_its_first_save(self, write):
        assignment = make_assignment()
        assert write(assignment, save(active_seconds=2**31 - 1)).active_seconds == 600
        assignment = Assignment.objects.get(pk=assignment.pk)
        assert assignment.opened_at == assignment.draft.saved_at
        Assignment.objects.update(opened_at=timezone.now() - timedelta(hours=1))
        again = write(assignment, save(1, active_seconds=2**31 - 1, comment="x"))
        assert 4_199 <= again.active_seconds <= 4_202, "an hour, and ten minutes"

    def test_one_that_was_opened_meanwhile_was_opened_then(self):
        """The page was on its way while a save had read the pair."""
        assignment = make_assignment()
        opened = timezone.now() - timedelta(minutes=2)
        Assignment.objects.filter(pk=assignment.pk).update(opened_at=opened)
        assert assignment.opened_at is None
        assert 719 <= drafted(assignment, save(active_seconds=50_000)).active_seconds <= 722
        assert Assignment.objects.get().opened_at == opened


class TestSubmission:
    def test_a_complete_judgment_is_in_force_with_its_rows(self):
        assignment = make_assignment()
        guide = guide_publish(actor=None, study=assignment.annotator.study, body_fr="Lisez bien.")
        guide_acknowledge(annotator=assignment.annotator, number=guide.number)
        assignment_open(assignment=assignment)
        submitted(assignment, save(active_seconds=30, doubt=True, comment="c"))
        judgment = Judgment.objects.get(assignment=assignment)
        assert judgment.submitted_at is not None
        assert judgment.started_at == assignment.opened_at
        assert (judgment.guide, judgment.revision, judgment.active_seconds) == (guide, 1, 30)
        assert (said(judgment, "doubt"), said(judgment, "comment")) == ("1", "c")
        assert dict(judgment.ratings.values_list("dimension", "value")) == {
            "simplicity": 1,
            "characterization": 7,
            "legal_meaning": 9,
        }
        score = judgment.ratings.get(dimension="legal_meaning")
        assert (score.bracket, score.deductions, score.crossing_policy) == (3, 1, "ask")
        error = judgment.errors.get()
        assert (error.ordinal, error.type, error.original_start, error.original_end) == (
            1,
            "omission",
            0,
            10,
        )

    def test_what_is_stored_gives_the_answers_back(self):
        assignment = make_assignment()
        given = answers(
            characterization=18,
            explanation="aucune",
            crossing_answer="moved",
            moved_from=3,
            bracket=2,
            errors=[
                {
                    "type": "confusion",
                    "note": "é",
                    "simplification_start": 1,
                    "simplification_end": 4,
                },
                {"type": "hallucination"},
            ],
            comment="c",
            doubt=True,
        )
        submitted(assignment, Save(answers=given, base_revision=0, key=uuid.uuid4()))
        protocol = assignment.annotator.study.protocol
        assert restore(Judgment.objects.get(), protocol) == protocol.clean(given)

    def test_a_refused_submission_costs_no_draft(self):
        assignment = make_assignment()
        with pytest.raises(Refused) as refused:
            submitted(assignment, save(characterization=18, comment="gardez-moi"))
        assert [p.field for p in refused.value.problems] == ["explanation"]
        draft = Draft.objects.get(assignment=assignment)
        assert draft.answers["comment"] == "gardez-moi"
        assert refused.value.saved.revision == draft.revision == 1
        assert not Judgment.objects.exists()

    def test_a_double_click_is_one_judgment(self):
        assignment = make_assignment()
        request = save()
        first, second = submitted(assignment, request), submitted(assignment, request)
        assert second.replayed
        assert second.submitted
        assert (first.revision, second.revision) == (1, 1)
        assert JudgmentRevision.objects.count() == 1
        assert Event.objects.filter(verb="judgment_submitted").count() == 1

    def test_a_submission_whose_draft_alone_was_kept_is_judged_when_it_comes_again(self):
        """Refused once (a required answer was missing by the rules then in force), sent again as it
        was."""
        assignment = make_assignment()
        request = save(characterization=18)
        with pytest.raises(Refused):
            submitted(assignment, request)
        with pytest.raises(Refused):
            submitted(assignment, request)
        assert Draft.objects.get().revision == 1

    def test_once_accepted_it_is_acknowledged_from_then_on(self):
        """Refused for the guide, which is read then; the page sends the same save again, and
        again."""
        assignment = make_assignment()
        study = assignment.annotator.study
        guide_publish(actor=None, study=study, body_fr="# Guide")
        request = save()
        with pytest.raises(Refused):
            submitted(assignment, request)
        guide_acknowledge(annotator=assignment.annotator, number=1)
        accepted, repeated = submitted(assignment, request), submitted(assignment, request)
        assert repeated.submitted
        assert (accepted.revision, repeated.revision) == (1, 1)
        assert JudgmentRevision.objects.count() == 1
        assert Event.objects.filter(verb__startswith="judgment_").count() == 1

    def test_an_old_submission_does_not_come_back_over_a_newer_draft(self):
        assignment = make_assignment()
        request = save(characterization=18)
        with pytest.raises(Refused):
            submitted(assignment, request)
        drafted(assignment, save(1, comment="plus récent"))
        with pytest.raises(StaleDraft):
            submitted(assignment, request)

    def test_a_correction_replaces_and_the_former_answers_stay(self):
        assignment = make_assignment()
        submitted(assignment, save())
        submitted(assignment, save(1, bracket=2, errors=[], comment="corrigé"))
        judgment = Judgment.objects.get()
        assert (judgment.revision, said(judgment, "comment")) == (2, "corrigé")
        assert judgment.ratings.get(dimension="legal_meaning").value == 6
        assert not judgment.errors.exists()
        numbers = JudgmentRevision.objects.values_list("number", "answers__bracket")
        assert list(numbers) == [(1, 3), (2, 2)]
        assert Event.objects.filter(verb="judgment_corrected").count() == 1

    def test_a_draft_over_a_judgment_leaves_it_in_force(self):
        assignment = make_assignment()
        submitted(assignment, save())
        drafted(assignment, save(1, bracket=1))
        assert Judgment.objects.get().ratings.get(dimension="legal_meaning").value == 9

    def test_five_errors_under_accurate_ask_and_then_give_five(self):
        assignment = make_assignment()
        five = [{"type": "omission"}] * 5
        with pytest.raises(Refused) as refused:
            submitted(assignment, save(errors=five))
        assert refused.value.problems[0].field == "crossing_answer"
        submitted(assignment, save(1, errors=five, crossing_answer="kept"))
        score = Judgment.objects.get().ratings.get(dimension="legal_meaning")
        assert (score.value, score.bracket, score.crossing_answer) == (5, 3, "kept")

    @pytest.mark.parametrize(("policy", "value"), [("fall_through", 5), ("clamp", 7)])
    def test_a_study_may_decide_the_crossing_beforehand(self, policy, value):
        assignment = make_assignment(make_study(state="main", rulings={"crossing_policy": policy}))
        submitted(assignment, save(errors=[{"type": "omission"}] * 5))
        assert Judgment.objects.get().ratings.get(dimension="legal_meaning").value == value

    def test_a_span_outside_the_text_is_refused_and_kept(self):
        assignment = make_assignment()
        outside = {"type": "omission", "original_start": 3, "original_end": 9999}
        with pytest.raises(Refused) as refused:
            submitted(assignment, save(errors=[outside]))
        assert refused.value.problems[0].code == "span"
        assert Draft.objects.get().answers["errors"][0]["original_end"] == 9999


def test_receipts_go_when_no_browser_can_come_back_for_them():
    assignment = make_assignment()
    drafted(assignment, save())
    drafted(assignment, save(1))
    SaveReceipt.objects.filter(revision=1).update(saved_at=timezone.now() - timedelta(days=91))
    assert receipts_expire() == 1
    assert SaveReceipt.objects.get().revision == 2
