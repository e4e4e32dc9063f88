"""One's own hours, pace and pay: those that leads see, and nothing that one must not know."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from statistics import median

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import (
    Assignment,
    Draft,
    GuideVersion,
    Item,
    Simplification,
    Study,
    WorkedDay,
)
from annotation.selectors.watching.latest import LATEST
from annotation.selectors.watching.own_work import own_work, own_work_of, submitted
from annotation.selectors.watching.pay import Period, pay_lines
from annotation.selectors.watching.watching import study_watch
from annotation.services.base.standings import standings_recount
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.judging.judgments import judgment_submit
from tests.bulk import judge_assignments
from tests.factories import make_annotator, make_user, save
from tests.planning import annotators, planned_study, rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return planned_study(people=2, pairs=4)


def judge(assignment: Assignment, seconds: int) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(
        opened_at=timezone.now() - timedelta(hours=3)
    )
    assignment.refresh_from_db()
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(active_seconds=seconds, errors=[]),
    )


def test_what_was_submitted_counts_also_while_it_is_to_be_made_again(study):
    one, other = annotators(study)
    assert submitted(one) == 0
    mine = rows(study, annotator=one)
    for pair in mine[:3]:
        judge(pair, 60)
    judge(rows(study, annotator=other)[0], 60)
    assert (submitted(one), submitted(other)) == (3, 1)
    keys = [pair.simplification.item.key for pair in mine[:2]]
    rejudge_request(actor=make_user(), study=study, keys=keys, reason="Le guide a changé")
    assert own_work(one, timezone.now()).done == 1
    assert submitted(one) == 3
    judge(mine[0], 90)
    assert submitted(one) == 3


def test_it_is_what_leads_see(study):
    one, other = annotators(study)
    mine = rows(study, annotator=one)
    for pair, seconds in zip(mine[:3], (60, 120, 600), strict=True):
        judge(pair, seconds)
    judge(rows(study, annotator=other)[0], 3000)
    now = timezone.now()
    found = own_work(one, now)
    seen = next(person for person in study_watch(study, now).people if person.annotator == one)
    assert (found.done, found.total, found.pair_seconds, found.timed) == (3, 4, 120, 3)
    assert (found.done, found.total, found.pair_seconds, found.recent) == (
        seen.done,
        seen.total,
        seen.seconds,
        seen.recent,
    )
    assert found.end_at == seen.end_at
    assert found.worked.whole / 3600 == pytest.approx(seen.active_hours)
    paid = next(line for line in pay_lines(study, Period()) if line.annotator == one)
    assert found.worked.whole == paid.seconds == 780
    assert found.forecast_seconds == 120


def test_the_time_per_pair_is_of_the_hundred_worked_on_last():
    """Somebody gets quicker: what they took for a pair in the beginning says little of what is
    left."""
    study = planned_study(people=1, pairs=LATEST + 20)
    [one] = annotators(study)
    mine = rows(study, annotator=one)
    judge_assignments(mine, GuideVersion.objects.create(study=study, number=1, body_fr="Guide"))
    now = timezone.now()
    Draft.objects.bulk_create(
        Draft(
            assignment=pair,
            annotator=one,
            saved_at=now - timedelta(days=40) + place * timedelta(hours=1),
        )
        for place, pair in enumerate(mine)
    )
    last = [pair.judgment.active_seconds for pair in rows(study, annotator=one)[20:]]
    found = own_work(one, now)
    assert (found.timed, found.pair_seconds) == (LATEST, median(last))
    [seen] = study_watch(study, now).people
    assert (seen.timed, seen.seconds) == (found.timed, found.pair_seconds)


def test_periods_are_days_of_the_installation(study):
    one = annotators(study)[0]
    now = timezone.now().replace(hour=12)
    today = timezone.localdate(now, timezone.get_default_timezone())
    monday = today - timedelta(days=today.weekday())
    days = {today: 60, monday - timedelta(days=1): 600, monday - timedelta(days=40): 6000}
    for day, seconds in days.items():
        WorkedDay.objects.create(
            annotator=one, day=day, is_practice=False, seconds=seconds, first_at=now, last_at=now
        )
    worked = own_work(one, now).worked
    assert (worked.today, worked.week, worked.whole) == (60, 60, 6660)
    same_month = sum(
        seconds
        for day, seconds in days.items()
        if (day.year, day.month) == (today.year, today.month)
    )
    assert worked.month == same_month


def test_pay_follows_from_the_stated_rate(study):
    one = annotators(study)[0]
    assert own_work(one, timezone.now()).pay(3600) is None
    study.hourly_rate = Decimal("25.50")
    study.save()
    assert own_work(annotators(study)[0], timezone.now()).pay(1801) == Decimal("12.76")


def test_nobody_who_has_done_nothing_gets_a_forecast(study):
    found = own_work(annotators(study)[0], timezone.now())
    assert (found.pair_seconds, found.forecast_seconds, found.end_at, found.left) == (
        None,
        None,
        None,
        4,
    )


def test_a_closed_study_has_no_forecast(study):
    one = annotators(study)[0]
    judge(rows(study, annotator=one)[0], 60)
    Study.objects.filter(pk=study.pk).update(state="closed")
    found = own_work(annotators(study)[0], timezone.now())
    assert (found.timed, found.forecast_seconds, found.end_at) == (1, None, None)


def test_a_pair_that_is_offered_again_counts_once(study):
    """A count would tell that there are repeats."""
    one = annotators(study)[0]
    first = rows(study, annotator=one)[0]
    judge(first, 60)
    item = Item.objects.create(
        study=study, key="again", position=99, original="Encore.", round="repeat"
    )
    again = Simplification.objects.create(item=item, text="Encore.", repeat_of=first.simplification)
    Assignment.objects.create(annotator=one, simplification=again, position=99)
    standings_recount([one.pk])
    found = own_work(one, timezone.now())
    assert (found.timed, found.recent, found.total) == (0, 0, 4)
    assert found.worked.whole == 60


def test_ten_studies_cost_as_many_queries_as_one(study):
    many = annotators(study)
    for _ in range(3):
        many += annotators(planned_study(people=1, pairs=1))
    for one in many:
        judge(rows(one.study, annotator=one)[0], 60)
    with CaptureQueriesContext(connection) as once:
        own_work_of(many[:1], timezone.now())
    with CaptureQueriesContext(connection) as often:
        own_work_of(many, timezone.now())
    assert len(often) == len(once) == 5
    assert make_annotator(study).pk not in own_work_of(many, timezone.now())
