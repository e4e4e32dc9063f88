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
    annotator, other = annotators(study)
    assert submitted(annotator) == 0
    mine = rows(study, annotator=annotator)
    for pair in mine[:3]:
        judge(pair, 60)
    judge(rows(study, annotator=other)[0], 60)
    assert (submitted(annotator), submitted(other)) == (3, 1)
    keys = [pair.simplification.item.key for pair in mine[:2]]
    rejudge_request(actor=make_user(), study=study, keys=keys, reason="Le guide a changé")
    assert own_work(annotator, timezone.now()).done == 1
    assert submitted(annotator) == 3
    judge(mine[0], 90)
    assert submitted(annotator) == 3


def test_it_is_what_leads_see(study):
    annotator, other = annotators(study)
    mine = rows(study, annotator=annotator)
    for pair, seconds in zip(mine[:3], (60, 120, 600), strict=True):
        judge(pair, seconds)
    judge(rows(study, annotator=other)[0], 3000)
    now = timezone.now()
    work = own_work(annotator, now)
    seen = next(
        person for person in study_watch(study, now).people if person.annotator == annotator
    )
    assert (work.done, work.total, work.pair_seconds, work.timed) == (3, 4, 120, 3)
    assert (work.done, work.total, work.pair_seconds, work.recent) == (
        seen.done,
        seen.total,
        seen.seconds,
        seen.recent,
    )
    assert work.end_at == seen.end_at
    assert work.worked.whole / 3600 == pytest.approx(seen.active_hours)
    paid = next(line for line in pay_lines(study, Period()) if line.annotator == annotator)
    assert work.worked.whole == paid.seconds == 780
    assert work.forecast_seconds == 120


def test_the_time_per_pair_is_of_the_hundred_worked_on_last():
    """Somebody gets quicker: what they took for a pair in the beginning says little of what is
    left."""
    study = planned_study(people=1, pairs=LATEST + 20)
    [annotator] = annotators(study)
    mine = rows(study, annotator=annotator)
    judge_assignments(mine, GuideVersion.objects.create(study=study, number=1, body_fr="Guide"))
    now = timezone.now()
    Draft.objects.bulk_create(
        Draft(
            assignment=pair,
            annotator=annotator,
            saved_at=now - timedelta(days=40) + place * timedelta(hours=1),
        )
        for place, pair in enumerate(mine)
    )
    last = [pair.judgment.active_seconds for pair in rows(study, annotator=annotator)[20:]]
    work = own_work(annotator, now)
    assert (work.timed, work.pair_seconds) == (LATEST, median(last))
    [seen] = study_watch(study, now).people
    assert (seen.timed, seen.seconds) == (work.timed, work.pair_seconds)


def test_periods_are_days_of_the_installation(study):
    annotator = annotators(study)[0]
    now = timezone.now().replace(hour=12)
    today = timezone.localdate(now, timezone.get_default_timezone())
    monday = today - timedelta(days=today.weekday())
    days = {today: 60, monday - timedelta(days=1): 600, monday - timedelta(days=40): 6000}
    for day, seconds in days.items():
        WorkedDay.objects.create(
            annotator=annotator,
            day=day,
            is_practice=False,
            seconds=seconds,
            first_at=now,
            last_at=now,
        )
    worked = own_work(annotator, now).worked
    assert (worked.today, worked.week, worked.whole) == (60, 60, 6660)
    same_month = sum(
        seconds
        for day, seconds in days.items()
        if (day.year, day.month) == (today.year, today.month)
    )
    assert worked.month == same_month


def test_pay_follows_from_the_stated_rate(study):
    annotator = annotators(study)[0]
    assert own_work(annotator, timezone.now()).pay(3600) is None
    study.hourly_rate = Decimal("25.50")
    study.save()
    assert own_work(annotators(study)[0], timezone.now()).pay(1801) == Decimal("12.76")


def test_nobody_who_has_done_nothing_gets_a_forecast(study):
    work = own_work(annotators(study)[0], timezone.now())
    assert (work.pair_seconds, work.forecast_seconds, work.end_at, work.left) == (
        None,
        None,
        None,
        4,
    )


def test_a_closed_study_has_no_forecast(study):
    annotator = annotators(study)[0]
    judge(rows(study, annotator=annotator)[0], 60)
    Study.objects.filter(pk=study.pk).update(state="closed")
    work = own_work(annotators(study)[0], timezone.now())
    assert (work.timed, work.forecast_seconds, work.end_at) == (1, None, None)


def test_a_pair_that_is_offered_again_counts_once(study):
    """A count would tell that there are repeats."""
    annotator = annotators(study)[0]
    first = rows(study, annotator=annotator)[0]
    judge(first, 60)
    item = Item.objects.create(
        study=study, key="again", position=99, original="Encore.", round="repeat"
    )
    again = Simplification.objects.create(item=item, text="Encore.", repeat_of=first.simplification)
    Assignment.objects.create(annotator=annotator, simplification=again, position=99)
    standings_recount([annotator.pk])
    work = own_work(annotator, timezone.now())
    assert (work.timed, work.recent, work.total) == (0, 0, 4)
    assert work.worked.whole == 60


def test_ten_studies_cost_as_many_queries_as_one(study):
    many = annotators(study)
    for _ in range(3):
        many += annotators(planned_study(people=1, pairs=1))
    for annotator in many:
        judge(rows(annotator.study, annotator=annotator)[0], 60)
    with CaptureQueriesContext(connection) as once:
        own_work_of(many[:1], timezone.now())
    with CaptureQueriesContext(connection) as often:
        own_work_of(many, timezone.now())
    assert len(often) == len(once) == 5
    assert make_annotator(study).pk not in own_work_of(many, timezone.now())
