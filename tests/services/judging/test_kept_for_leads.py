"""What leads are told is kept as it changes, and is what counting finds, whatever happened in
whatever order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Item,
    Judgment,
    ListedRemark,
    Study,
    StudySize,
    Tally,
)
from annotation.selectors.base.remarked import remarked
from annotation.selectors.base.sizes import systems_kept
from annotation.selectors.items.listing import ItemFilter, items_listed
from annotation.selectors.judging.own import STATES, own_judgments, own_list
from annotation.selectors.watching.pay import Period, pay_lines
from annotation.selectors.watching.progress import study_counts
from annotation.selectors.watching.remarks import as_remarks, open_remarks, remarks
from annotation.services.base.sizes import sizes_check
from annotation.services.base.standings import positions_check
from annotation.services.guides.rejudging import rejudge_cancel, rejudge_request
from annotation.services.items.removal import item_remove
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.own_pairs import pair_set_aside, pair_take_up
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.people.people import annotator_add, annotator_withdraw
from annotation.services.planning.plans import plan_set
from annotation.services.watching.remarks import remark_answer, remark_settle
from tests.factories import kept_anew, make_pair, make_study, make_user, save
from tests.planning import planned_study, rows, submit

pytestmark = pytest.mark.django_db


def _again(assignment: Assignment, comment: str, *, doubt: bool = False) -> None:
    draft = Draft.objects.filter(assignment=assignment).first()
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(draft.revision if draft else 0, comment=comment, doubt=doubt),
    )


def _take_back(assignment: Assignment) -> None:
    judgment = Judgment.objects.filter(assignment=assignment).first()
    if judgment is not None:
        judgment_take_back(
            actor=assignment.annotator.user, assignment=assignment, number=judgment.revision
        )


def _come_or_go(study: Study, annotator: Annotator) -> None:
    if annotator.withdrawn_at is None:
        annotator_withdraw(actor=None, annotator=annotator, reason="malade")
    else:
        annotator_add(actor=None, study=study, user=annotator.user)


def _settle(study: Study, assignment: Assignment, is_settled: bool) -> None:
    if Judgment.objects.filter(assignment=assignment, submitted_at__isnull=False).exists():
        remark_settle(
            actor=make_user(), study=study, assignment=assignment.pk, is_settled=is_settled
        )


def _done(study: Study, what: str, number: int) -> None:
    """One thing that people or leads do; what the rules refuse changes nothing."""
    every = list(
        Assignment.objects.filter(annotator__study=study)
        .select_related("annotator__study", "annotator__user", "simplification__item")
        .order_by("pk")
    )
    assignment = every[number % len(every)]
    lead = make_user()
    acts: dict[str, Callable[[], object]] = {
        "submit": partial(_again, assignment, ""),
        "remark": partial(_again, assignment, "Le délai ?"),
        "doubt": partial(_again, assignment, "", doubt=True),
        "answer": partial(
            remark_answer, actor=lead, study=study, assignment=assignment.pk, text=f"Oui, {number}."
        ),
        "take_back": partial(_take_back, assignment),
        "aside": partial(pair_set_aside, assignment=assignment),
        "take_up": partial(pair_take_up, assignment=assignment),
        "settle": partial(_settle, study, assignment, True),
        "reopen": partial(_settle, study, assignment, False),
        "people": partial(_come_or_go, study, assignment.annotator),
        "send_back": partial(
            rejudge_request,
            actor=lead,
            study=study,
            keys=[assignment.simplification.item.key],
            reason="guide",
        ),
        "call_off": partial(rejudge_cancel, actor=lead, study=study),
        "plan": partial(
            plan_set, actor=lead, study=study, per_item=1 + number % 2, redistribute=True
        ),
    }
    with suppress(RuleError):
        acts[what]()


STEPS = st.tuples(
    st.sampled_from(
        [
            *("submit", "submit", "remark", "doubt", "take_back", "aside", "take_up", "settle"),
            *("reopen", "answer", "people", "send_back", "call_off", "plan"),
        ]
    ),
    st.integers(0, 20),
)


@pytest.mark.walk
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEPS, min_size=3, max_size=12))
def test_whatever_is_done_what_is_kept_is_what_is_counted(steps: list[tuple[str, int]]):
    with transaction.atomic():
        study = planned_study(3, 2, per_item=2)
        for what, number in steps:
            _done(Study.objects.get(pk=study.pk), what, number)
            assert list(positions_check()) == [], what
        assert open_remarks(study) == remarks(study, state="open").count()
        assert remarks(study, state="answered").count() == _answered(study)
        for annotator in study.annotators.select_related("study"):
            _lists(annotator)
        transaction.set_rollback(True)


def _answered(study: Study) -> int:
    """Remarks with an answer, counted over what was judged."""
    said = remarked(study).filter(assignment__remark_answers__isnull=False)
    return said.distinct().count()


def _lists(annotator: Annotator) -> None:
    """Each filtered list holds what its filter says, however it is found."""
    for state in STATES:
        wanted = [assignment.pk for assignment in own_judgments(annotator, state=state)]
        listing = own_list(annotator, state=state)
        assert [assignment.pk for assignment in listing.rows[0:50]] == wanted, state
        assert listing.number in (None, len(wanted))
        assert [assignment.pk for assignment in listing.rows[1:2]] == wanted[1:2]


def test_a_surplus_answer_that_counts_after_another_is_taken_back():
    study = planned_study(2, 1, per_item=2)
    mine = rows(study)
    for row in mine:
        submit(row)
    Judgment.objects.filter(assignment=mine[1]).update(surplus=True)
    plan = study.plan
    plan.per_item = 1
    plan.save()
    kept_anew()
    assert Item.objects.get().answers == 1
    judgment_take_back(actor=mine[0].annotator.user, assignment=mine[0], number=1)
    assert list(positions_check()) == []
    assert Item.objects.get().answers == 1
    assert [tally.judged for tally in Tally.objects.filter(in_practice=False)] == [0, 1]


def test_the_pay_sheet_counts_what_stands_and_the_day_stays_worked():
    study = planned_study(1, 2)
    first, second = rows(study)
    for row in (first, second):
        submit(row)
    _again(first, "encore")
    (line,) = pay_lines(study, Period())
    assert (line.judgments, line.corrections) == (2, 1)
    judgment_take_back(actor=first.annotator.user, assignment=first, number=2)
    judgment_take_back(actor=second.annotator.user, assignment=second, number=1)
    (line,) = pay_lines(study, Period())
    assert (line.judgments, line.corrections) == (1, 0)
    assert line.first_at
    assert list(positions_check()) == []


@pytest.mark.parametrize(
    ("model", "changed"),
    [
        (Tally, {"judged": 9, "awaited": 9, "beside": 9, "remarks": 9, "again": 9}),
        (Item, {"answers": 9, "expected": 9}),
        (StudySize, {"main": 9, "pairs": 9}),
        (StudySize, {"systems": ["none"]}),
    ],
)
def test_what_departs_is_found_and_rebuilt(model: Any, changed: dict[str, int]):
    study = planned_study(1, 2)
    submit(rows(study)[0])
    model.objects.update(**changed)
    assert list(positions_check())
    assert list(positions_check(rebuild=True))
    assert list(positions_check()) == []


def test_days_are_rebuilt_and_what_was_worked_stays():
    study = planned_study(1, 2)
    for row in rows(study):
        submit(row)
    annotator = study.annotators.get()
    worked = annotator.worked_days.get()
    annotator.worked_days.update(judgments=7, corrections=7, seconds=60)
    assert list(positions_check(rebuild=True))
    kept = annotator.worked_days.get()
    assert (kept.judgments, kept.corrections, kept.seconds) == (2, 0, 60)
    annotator.worked_days.all().delete()
    kept_anew()
    kept = annotator.worked_days.get()
    assert (kept.judgments, kept.day, kept.seconds) == (2, worked.day, 0)


def test_a_study_without_anything_holds_nothing():
    study = planned_study(1, 1)
    make_pair(study, is_identical=True, language="en")
    counts = study_counts(study)
    assert (counts.items, counts.pairs, counts.identical, counts.other_language) == (2, 2, 1, 1)
    Item.objects.all().delete()
    kept_anew()
    assert study_counts(study).items == 0


def test_which_systems_a_study_has_is_kept_as_pairs_come_and_go():
    study = make_study()
    gone = make_pair(study, system="b")
    make_pair(study, system="a", round="practice")
    make_pair(study, system="a")
    assert systems_kept(study.pk) == ["a", "b"]
    item_remove(actor=None, item=gone.item)
    assert systems_kept(study.pk) == ["a"]
    assert list(positions_check()) == []
    assert systems_kept(make_study().pk) == []


def test_the_systems_of_studies_from_before_are_filled_in():
    study, other = make_study(), make_study()
    for system in ("b", "a", ""):
        make_pair(study, system=system)
    make_pair(other)
    StudySize.objects.update(systems=[])
    import_module("annotation.migrations.0031_systems_kept").systems_fill(apps, None)
    assert (systems_kept(study.pk), systems_kept(other.pk)) == (["a", "b"], [])
    assert list(positions_check()) == []


def _remarked_study() -> tuple[Study, list[Assignment]]:
    """A comment that was answered, a doubt that was settled, a comment, and a pair without one."""
    study = planned_study(2, 2)
    mine = rows(study)
    lead = make_user()
    _again(mine[0], "Le délai ?")
    _again(mine[1], "", doubt=True)
    _again(mine[2], "Encore", doubt=True)
    submit(mine[3])
    remark_answer(actor=lead, study=study, assignment=mine[0].pk, text="Oui.")
    remark_settle(actor=lead, study=study, assignment=mine[1].pk)
    return study, mine


def test_the_list_of_remarks_of_studies_from_before_is_filled_in():
    study, _mine = _remarked_study()
    gone = make_study()
    Study.objects.filter(pk=gone.pk).update(protocol_key="gone")
    assert len(remarks(study)) == 3
    ListedRemark.objects.all().delete()
    fill = import_module("annotation.migrations.0040_listed_remarks").remarks_fill
    fill(apps, None)
    fill(apps, None)
    assert list(positions_check()) == []
    assert (len(remarks(study)), len(remarks(gone))) == (3, 0)


def test_a_list_of_remarks_that_departs_is_found_and_rebuilt():
    study, mine = _remarked_study()
    first, second, _third = ListedRemark.objects.order_by("pk")
    ListedRemark.objects.filter(pk=first.pk).update(is_open=False, has_doubt=True)
    ListedRemark.objects.filter(pk=second.pk).delete()
    silent = Judgment.objects.get(assignment=mine[3])
    said = dict.fromkeys(("has_comment", "has_doubt", "is_open", "is_answered"), True)
    ListedRemark.objects.create(
        judgment=silent,
        study=study,
        annotator=mine[3].annotator,
        submitted_at=silent.submitted_at,
        **said,
    )
    departures = [departure.what for departure in positions_check()]
    assert departures == [f"remark of judgment {pk}" for pk in (first.pk, second.pk, silent.pk)]
    # As a version that does not know the list takes a judgment back.
    ListedRemark.objects.create(
        judgment_id=silent.pk + 1000,
        study=study,
        annotator=mine[3].annotator,
        submitted_at=silent.submitted_at,
        **said,
    )
    assert len(remarks(study)) == 4
    assert len(as_remarks(study, remarks(study))) == 3
    assert len(list(positions_check(rebuild=True))) == 4
    assert list(positions_check()) == []
    assert len(remarks(study)) == 3


@pytest.mark.parametrize(
    ("protocol", "others"), [("legal_meaning", 1), ("everything", 1), ("jades", 0)]
)
def test_a_language_is_another_where_the_protocol_expects_one(protocol: str, others: int):
    study = make_study("languages", protocol_key=protocol, protocol_version="1")
    for language in ("fr", "en", ""):
        make_pair(study, language=language)
    assert study_counts(study).other_language == others
    assert items_listed(study, ItemFilter(flag="other_language")).count() == others
    assert not list(sizes_check())


def test_a_study_of_a_protocol_that_nobody_knows_is_counted_as_french():
    study = make_study("languages")
    make_pair(study, language="en")
    Study.objects.update(protocol_key="never")
    assert not list(sizes_check())


def test_what_was_counted_as_in_another_language_is_counted_anew():
    study = make_study("languages", protocol_key="jades", protocol_version="1")
    french = make_study("french")
    for one_of in (study, french):
        make_pair(one_of, language="en")
    StudySize.objects.update(other_language=7)
    import_module("annotation.migrations.0045_languages_expected").languages_count(apps, None)
    assert study_counts(study).other_language == 0
    assert study_counts(french).other_language == 7, "as it was"
