"""What people are paid for: each second in one period, and nobody left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from importlib import import_module
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps
from django.utils import timezone

from annotation.models import Annotator, Assignment, Draft, Simplification, Study, WorkedDay
from annotation.selectors.privacy.personal import personal_data
from annotation.selectors.watching.pay import FullDay, PayLine, Period, pay_lines
from annotation.selectors.watching.progress import annotators_progress
from annotation.selectors.watching.watching import study_watch
from annotation.services.judging.drafts import assignment_open, draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_request
from tests.factories import make_annotator, make_assignment, make_pair, make_study, save

pytestmark = pytest.mark.django_db
RELATED = ("annotator__study", "annotator__user", "simplification__item")
TORONTO = ZoneInfo("America/Toronto")


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=TORONTO)


@pytest.fixture
def clock(monkeypatch):
    """Sets what time it is."""
    return lambda moment: monkeypatch.setattr("django.utils.timezone.now", lambda: moment)


@pytest.fixture
def study(clock) -> Study:
    """One pair: 100 s until submitted on the 2nd, 40 s more until corrected on the 5th, 10 s more
    typed on the 9th."""
    clock(at(1))
    assignment = make_assignment()
    user = assignment.annotator.user
    clock(at(2))
    first = judgment_submit(actor=user, assignment=assignment, save=save(active_seconds=100))
    clock(at(5))
    second = judgment_submit(
        actor=user,
        assignment=assignment,
        save=save(first.revision, active_seconds=140, simplicity=2),
    )
    clock(at(9))
    draft_save(
        actor=user,
        assignment=assignment,
        save=save(second.revision, active_seconds=150, simplicity=3),
    )
    return assignment.annotator.study


def days() -> list[tuple[int, int]]:
    return list(WorkedDay.objects.order_by("day").values_list("day__day", "seconds"))


def line(study: Study, first: int | None = None, last: int | None = None) -> PayLine:
    days = [None if day is None else date(2026, 3, day) for day in (first, last)]
    (pay_line,) = pay_lines(study, Period(*days))
    return pay_line


def test_all_of_it(study):
    pay_line = line(study)
    assert (pay_line.seconds, pay_line.judgments, pay_line.corrections) == (150, 1, 1)
    assert (pay_line.first_at, pay_line.last_at) == (at(2), at(9))
    assert pay_line.hours == pytest.approx(150 / 3600)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (None, 4, (100, 1, 0)),
        (5, 5, (40, 0, 1)),
        (6, None, (10, 0, 0)),
        (10, None, (0, 0, 0)),
        (2, 5, (140, 1, 1)),
    ],
)
def test_each_second_stands_in_one_period(study, first, last, expected):
    pay_line = line(study, first, last)
    assert (pay_line.seconds, pay_line.judgments, pay_line.corrections) == expected


def test_days_are_those_of_the_installation(study, clock):
    assignment = study.annotators.get().assignments.get()
    clock(at(11, 23))
    draft_save(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(3, active_seconds=157, simplicity=1),
    )
    assert (line(study, 11, 11).seconds, line(study, 12, 12).seconds) == (7, 0)


def test_an_old_draft_that_is_submitted_later_leaves_its_time_where_it_was(clock):
    """A sheet that was paid does not change, and nothing of it is paid again."""
    clock(at(3))
    assignment = make_assignment()
    user, study = assignment.annotator.user, assignment.annotator.study
    draft_save(actor=user, assignment=assignment, save=save(active_seconds=60))
    march = line(study, 1, 10)
    clock(at(20))
    judgment_submit(
        actor=user, assignment=assignment, save=save(1, active_seconds=75, simplicity=2)
    )
    assert (line(study, 1, 10).seconds, march.seconds, march.judgments) == (60, 60, 0)
    assert (line(study, 11, None).seconds, line(study, 11, None).judgments) == (15, 1)
    assert days() == [(3, 60), (20, 15)]


def test_a_day_adds_up_and_saves_without_time_add_nothing(clock):
    clock(at(3))
    assignment = make_assignment()
    user = assignment.annotator.user
    draft_save(actor=user, assignment=assignment, save=save())
    assert days() == []
    clock(at(3, 13))
    draft_save(actor=user, assignment=assignment, save=save(1, active_seconds=20, simplicity=2))
    clock(at(3, 14))
    again = save(2, active_seconds=50, simplicity=3)
    for _ in range(2):
        draft_save(actor=user, assignment=assignment, save=again)
    assert days() == [(3, 50)], "a replay adds nothing"
    row = WorkedDay.objects.get()
    assert (row.first_at, row.last_at, str(row)) == (
        at(3, 13),
        at(3, 14),
        f"{row.annotator_id} 2026-03-03: 50 s",
    )


def test_a_clock_that_went_back_takes_nothing_away_and_counts_nothing_twice(study, clock):
    assignment = study.annotators.get().assignments.get()
    assignment.opened_at = at(9, 13)
    assignment.save(update_fields=["opened_at"])
    for number, seconds in ((3, 10), (4, 150), (5, 9000)):
        saved = draft_save(
            actor=assignment.annotator.user,
            assignment=assignment,
            save=save(number, active_seconds=seconds, comment=str(number)),
        )
        assert saved.active_seconds == 150
    assert line(study).seconds == 150


@pytest.mark.parametrize("full", [86_400, 2**31 - 1])
def test_a_day_holds_what_a_day_has_and_a_save_never_fails_because_of_time(clock, full):
    """Kept ninety days in a browser by its own word; and a day that was full before."""
    clock(at(3))
    first = make_assignment()
    second = make_assignment(first.annotator.study)
    for there in (Annotator, Simplification):
        there.objects.update(created_at=at(3) - timedelta(days=100))
    first = Assignment.objects.select_related(*RELATED).get(pk=first.pk)
    user = first.annotator.user
    long_ago = replace(save(active_seconds=2**31 - 1), opened=2**31 - 1)
    saved = draft_save(actor=user, assignment=first, save=long_ago)
    assert saved.active_seconds == (90 * 24 * 60 + 10) * 60, "ninety days, and ten minutes"
    day = first.annotator.worked_days.get()
    assert day.seconds == 86_400
    first.annotator.worked_days.update(seconds=full)
    for assignment in (first, second):
        base = Draft.objects.filter(assignment=assignment).count()
        clock(at(3, 13))
        judgment_submit(
            actor=assignment.annotator.user,
            assignment=assignment,
            save=save(base, active_seconds=2**31 - 1),
        )
    day.refresh_from_db()
    assert (day.seconds, day.judgments) == (86_400, 1)


def test_days_and_drafts_that_hold_more_than_a_day_has_are_bounded(clock):
    clock(at(3))
    opened, never = make_assignment(), make_assignment()
    for assignment in (opened, never):
        draft_save(actor=assignment.annotator.user, assignment=assignment, save=save())
    Draft.objects.update(active_seconds=2**31 - 1)
    Assignment.objects.filter(pk=never.pk).update(opened_at=None)
    for number, seconds in ((1, 100), (2, 86_400), (3, 2**31 - 1)):
        WorkedDay.objects.create(
            annotator=opened.annotator,
            day=date(2026, 3, number),
            is_practice=False,
            seconds=seconds,
            first_at=at(number),
            last_at=at(number),
        )
    import_module("annotation.migrations.0043_days_hold_a_day").days_bound(apps, None)
    assert days() == [(1, 100), (2, 86_400), (3, 86_400)]
    held = dict(Draft.objects.values_list("assignment", "active_seconds"))
    assert held == {opened.pk: 2**31 - 1, never.pk: 86_400}


def test_practice_stands_apart_and_who_has_left_is_paid(study, clock):
    make_pair(study, round="practice")
    assignments_fill(actor=None, study=study)
    Study.objects.update(state="practice")
    practice = study.annotators.get().assignments.get(simplification__item__round="practice")
    clock(at(1))
    draft_save(actor=practice.annotator.user, assignment=practice, save=save(active_seconds=30))
    Annotator.objects.update(withdrawn_at=timezone.now())
    pay_line = line(study)
    assert (pay_line.practice_seconds, pay_line.main_seconds, pay_line.practice_hours) == (
        30,
        150,
        30 / 3600,
    )
    assert pay_line.first_at == at(1)


def test_the_watch_and_the_progress_say_the_same(study):
    make_annotator(study)
    [watched, idle] = study_watch(study, at(9)).people
    [shown, _idle] = annotators_progress(study)
    assert watched.active_hours == shown.active_hours == line_of(study, "A").hours == 150 / 3600
    assert idle.active_hours == 0


def line_of(study: Study, letter: str) -> PayLine:
    return next(
        pay_line
        for pay_line in pay_lines(study, Period())
        if pay_line.annotator.pseudonym == letter
    )


def test_people_take_their_days_along_and_an_erasure_removes_them(study):
    user = study.annotators.get().user
    [part] = personal_data(user)["annotates"]
    assert [(row["day"].day, row["seconds"]) for row in part["worked_days"]] == [
        (2, 100),
        (5, 40),
        (9, 10),
    ]
    request = erasure_request(actor=user, user=user, wish="keep")
    done = erasure_grant(actor=None, request=request, judgments="keep", reason="asked")
    assert done.statement["removed"]["worked_days"] == 3
    assert days() == []
    assert study_watch(study, at(9)).active_hours == 150 / 3600, (
        "what the submitted pairs hold is all that is known"
    )


def test_nobody_without_an_account_and_a_constant_number_of_queries(
    study, django_assert_num_queries
):
    make_annotator(study, pseudonym="Z")
    Annotator.objects.create(study=study, kind="imported", pseudonym="J1")
    with django_assert_num_queries(2):
        assert [pay_line.annotator.pseudonym for pay_line in pay_lines(study, Period())] == [
            "A",
            "Z",
        ]
    assert pay_lines(make_study(), Period()) == []


class TestFullDays:
    """Marked where a day's active time does not fit between its saves; nothing is taken off."""

    @staticmethod
    def worked(*days: tuple[int, bool, float, float, float], guidance: int = 300) -> PayLine:
        """Of (day, is practice, active hours, first save, last save)."""
        study = make_study(guidance_seconds=guidance)
        annotator = make_annotator(study)
        for day, is_practice, hours, first, last in days:
            WorkedDay.objects.create(
                annotator=annotator,
                day=date(2026, 3, day),
                is_practice=is_practice,
                seconds=round(hours * 3600),
                first_at=at(day, 0) + timedelta(hours=first),
                last_at=at(day, 0) + timedelta(hours=last),
            )
        return line(study)

    def test_more_than_the_clock_has(self):
        """Two pairs open beside each other from nine to eleven; an ordinary day is not marked."""
        pay_line = self.worked((2, False, 4, 9, 11), (3, False, 2, 9, 11), (4, False, 2.4, 9, 11))
        assert pay_line.full_days == [FullDay(date(2026, 3, 2), 14_400, 7_200)]
        assert pay_line.hours == pytest.approx(8.4)

    def test_what_was_sent_together_later(self):
        pay_line = self.worked((2, False, 3, 18, 18.01))
        assert [full.between_seconds for full in pay_line.full_days] == [36]

    def test_both_rounds_of_a_day_are_one_day(self):
        assert not self.worked((2, True, 1, 9, 10), (2, False, 1, 10, 11)).full_days
        [full] = self.worked((2, True, 1.5, 9, 10), (2, False, 1.5, 9, 11)).full_days
        assert full.seconds == 10_800

    @pytest.mark.parametrize(("hours", "is_marked"), [(0.5, False), (0.51, True)])
    def test_what_was_read_before_the_first_save_is_no_mark(self, hours, is_marked):
        assert bool(self.worked((2, False, hours, 9, 9)).full_days) == is_marked

    def test_where_a_pair_is_meant_to_take_long(self):
        assert not self.worked((2, False, 1.9, 9, 9), guidance=3600).full_days
        assert self.worked((2, False, 2.1, 9, 9), guidance=3600).full_days

    def test_pairs_judged_beside_each_other_in_earnest(self, clock):
        study = make_study(state="main")
        pairs = [make_pair(study) for _ in range(3)]
        annotator = make_annotator(study)
        clock(at(2, 9))
        assignments_fill(actor=None, study=study)
        mine = list(Assignment.objects.select_related(*RELATED).filter(annotator=annotator))
        for assignment in mine:
            assignment_open(assignment=assignment)
            draft_save(actor=annotator.user, assignment=assignment, save=save())
        clock(at(2, 11))
        for assignment in mine:
            assignment.refresh_from_db(fields=["opened_at"])
            judgment_submit(
                actor=annotator.user, assignment=assignment, save=save(1, active_seconds=7_200)
            )
        [full] = line(study).full_days
        assert full.seconds == len(pairs) * 7_200
