"""A submission is taken back while something else happens to it: one consistent outcome, whoever
comes first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from annotation.errors import RuleError, StaleDraft, StudyClosed
from annotation.models import (
    Assignment,
    DatasetSnapshot,
    Draft,
    Event,
    Judgment,
    JudgmentRevision,
    Study,
    standing,
)
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.people.people import annotator_withdraw
from annotation.services.planning.absences import absence_release
from annotation.services.publishing import snapshots
from annotation.services.publishing.snapshots import study_freeze
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_assignment, make_user, said, save
from tests.planning import annotators, planned_study, rows, submit
from tests.services.judging.test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def in_turns(test: Callable[[], None]) -> Callable[[], None]:
    """Either may come first; a few turns, each in a study of its own, meet both orders."""

    @wraps(test)
    def turns() -> None:
        for _turn in range(4):
            test()

    return turns


def judged(**study: Any) -> Assignment:
    assignment = make_assignment(**study)
    judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save(comment="un"))
    return assignment


def take_back(assignment: Assignment, number: int = 1) -> bool:
    return judgment_take_back(actor=assignment.annotator.user, assignment=assignment, number=number)


def consistent(assignment: Assignment) -> Judgment | None:
    """The judgment in force, once history, trail and it have been compared."""
    judgment = Judgment.objects.filter(assignment=assignment).first()
    revisions = JudgmentRevision.objects.filter(assignment=assignment)
    numbers = list(revisions.filter(standing()).values_list("number", flat=True))
    assert numbers == list(range(1, (judgment.revision if judgment else 0) + 1))
    assert judgment is None or judgment.submitted_at
    marked = revisions.filter(~standing()).count()
    told_of = Event.objects.filter(study=assignment.annotator.study, verb="judgment_taken_back")
    assert told_of.count() == marked
    return judgment


@in_turns
def test_while_the_study_is_closed():
    assignment = judged()
    study = assignment.annotator.study

    def close() -> Study:
        return study_change_state(actor=None, study=study, to="closed", reason="fini")

    taken, closed = at_once([lambda: take_back(assignment), close])
    assert closed.state == "closed"
    judgment = consistent(assignment)
    if taken is True:
        assert judgment is None
    else:
        assert isinstance(taken, StudyClosed)
        assert judgment is not None


@in_turns
def test_while_it_is_corrected():
    assignment = judged()
    user = assignment.annotator.user

    def correct() -> Any:
        return judgment_submit(actor=user, assignment=assignment, save=save(1, comment="deux"))

    taken, corrected = at_once([lambda: take_back(assignment), correct])
    judgment = consistent(assignment)
    assert judgment is not None
    assert (
        said(judgment, "comment")
        == Draft.objects.get(assignment=assignment).answers["comment"]
        == "deux"
    )
    if taken is True:
        assert (judgment.revision, corrected.number) == (1, 1)
    else:
        assert isinstance(taken, RuleError)
        assert taken.problems[0].code == "newer"
        assert (judgment.revision, corrected.number) == (2, 2)


@in_turns
def test_twice_at_once_is_once():
    assignment = judged()
    outcomes = at_once([lambda: take_back(assignment)] * 4)
    assert sorted(outcomes) == [False, False, False, True]
    assert consistent(assignment) is None


@in_turns
def test_while_the_study_is_frozen():
    assignment = judged()
    make_annotator(assignment.annotator.study)
    study = assignment.annotator.study

    def freeze() -> DatasetSnapshot:
        return study_freeze(actor=None, study=study, reason="avant la fin")

    taken, frozen = at_once([lambda: take_back(assignment), freeze])
    judgment = consistent(assignment)
    if taken is True:
        assert judgment is None
        assert isinstance(frozen, RuleError)
        assert frozen.problems[0].code in ("moved", "nothing_to_freeze")
        assert not DatasetSnapshot.objects.filter(study=study).exists()
    else:
        assert isinstance(taken, RuleError)
        assert taken.problems[0].code == "built_on"
        assert judgment is not None
        assert isinstance(frozen, DatasetSnapshot)


def test_what_is_taken_back_once_it_was_read_is_not_frozen(monkeypatch):
    """The snapshot's files are written; then, before it has its number, an answer of it is taken
    back."""
    assignment = judged()
    number = snapshots._number
    outcomes: list[Any] = []

    def numbered(*args: Any) -> DatasetSnapshot:
        thread = threading.Thread(
            target=lambda: outcomes.extend(at_once([lambda: take_back(assignment)]))
        )
        thread.start()
        thread.join()
        return number(*args)

    monkeypatch.setattr(snapshots, "_number", numbered)
    with pytest.raises(RuleError) as error:
        study_freeze(actor=None, study=assignment.annotator.study, reason="avant la fin")
    assert error.value.problems[0].code == "moved"
    assert (outcomes, DatasetSnapshot.objects.count()) == ([True], 0)
    assert not list(snapshots.snapshots_folder().glob("*"))


@in_turns
def test_while_the_person_s_pairs_go_to_others():
    study = planned_study(3, 4, per_item=1, seed=1)
    absent = annotators(study)[0]
    done, *_left = rows(study, annotator=absent)
    submit(done)
    taken, released = at_once(
        [
            lambda: take_back(done),
            lambda: absence_release(actor=make_user(), annotator=absent, reason="absente"),
        ]
    )
    assert taken is True
    assert not isinstance(released, Exception) or isinstance(released, RuleError)
    assert consistent(done) is None
    live = Assignment.objects.filter(simplification=done.simplification, released_at__isnull=True)
    assert live.count() == 1, (
        "one person has the pair: the one who took it back, or who was given it"
    )


@in_turns
def test_while_others_submit_where_one_counts():
    study = planned_study(3, 1, per_item=3, seed=1)
    first, second, third = rows(study)
    study.plan.per_item = 1
    study.plan.save()
    submit(first)
    outcomes = at_once([lambda: take_back(first), lambda: submit(second), lambda: submit(third)])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert consistent(first) is None
    left = Judgment.objects.filter(assignment__annotator__study=study)
    assert sorted(left.values_list("surplus", flat=True)) == [False, True], (
        "one counts, whoever was first"
    )


@in_turns
def test_while_it_is_sent_back():
    assignment = judged()
    study = assignment.annotator.study
    key = assignment.simplification.item.key
    taken, sent_back = at_once(
        [
            lambda: take_back(assignment),
            lambda: rejudge_request(actor=make_user(), study=study, keys=[key], reason="guide"),
        ]
    )
    judgment = consistent(assignment)
    if taken is True:
        assert judgment is None
    else:
        assert isinstance(taken, RuleError)
        assert taken.problems[0].code == "built_on"
        assert (judgment is not None, sent_back) == (True, 1)


@in_turns
def test_while_the_person_is_withdrawn():
    study = planned_study(2, 1, per_item=1, seed=1)
    (first,) = rows(study)[:1]
    submit(first)
    taken, withdrawn = at_once(
        [
            lambda: take_back(first),
            lambda: annotator_withdraw(actor=make_user(), annotator=first.annotator, reason="part"),
        ]
    )
    assert taken is True
    assert not isinstance(withdrawn, (StaleDraft, StudyClosed))
    assert consistent(first) is None
