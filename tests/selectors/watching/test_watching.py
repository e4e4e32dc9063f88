"""Progress, pace and forecast: numbers that follow from what was stored, and a reason where there
is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone, translation

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Judgment,
    JudgmentRevision,
    RejudgeRequest,
    Study,
)
from annotation.selectors.watching.watching import PersonWatch, items_watch, study_watch
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.absences import absence_release
from annotation.services.planning.assignments import assignments_fill
from annotation.web.watching.presenters import (
    person_outlook,
    person_row,
    seconds_words,
    share,
    study_outlook,
)
from tests.factories import kept_anew, make_annotator, make_pair, make_study, make_user, save
from tests.planning import begin, planned_study, rows, submit

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


def study_of(people: int = 1, pairs: int = 10) -> Study:
    study = make_study(state="main")
    for _ in range(pairs):
        make_pair(study)
    for _ in range(people):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    return study


def judge(study: Study, letter: str, days_ago: list[float], seconds: int = 60) -> None:
    """The first pairs that this person has not judged yet, each so long before ``NOW``."""
    waiting = Assignment.objects.filter(
        annotator__study=study, annotator__pseudonym=letter, judgment__isnull=True
    ).select_related("annotator__study", "annotator__user", "simplification__item")
    for assignment, days in zip(
        waiting.order_by("position")[: len(days_ago)], days_ago, strict=True
    ):
        judgment_submit(
            actor=assignment.annotator.user,
            assignment=assignment,
            save=save(active_seconds=seconds),
        )
        moment = NOW - timedelta(days=days)
        JudgmentRevision.objects.filter(assignment=assignment).update(submitted_at=moment)
        Judgment.objects.filter(assignment=assignment).update(submitted_at=moment)
        Draft.objects.filter(assignment=assignment).update(saved_at=moment)


def person(study: Study, letter: str = "A") -> PersonWatch:
    return next(
        watched
        for watched in study_watch(study, NOW).people
        if watched.annotator.pseudonym == letter
    )


class TestPerson:
    def test_pace_is_of_the_last_seven_days_and_the_end_follows(self):
        study = study_of()
        judge(study, "A", [20, 6, 5, 4, 1], seconds=90)
        watched = person(study)
        assert (watched.done, watched.total, watched.left) == (5, 10, 5)
        assert (watched.recent, watched.days, watched.timed, watched.seconds) == (4, 7, 5, 90)
        assert watched.pace == pytest.approx(4 / 7)
        assert watched.end_at == NOW + timedelta(days=5 / (4 / 7))
        assert watched.active_hours == pytest.approx(5 * 90 / 3600)
        assert watched.last_at == NOW - timedelta(days=1)

    def test_who_began_lately_is_measured_over_the_time_since(self):
        study = study_of()
        judge(study, "A", [2, 2, 1, 1])
        assert (person(study).days, person(study).pace) == (2, 2)

    def test_an_hour_of_work_is_no_pace_of_a_hundred_a_day(self):
        study = study_of()
        judge(study, "A", [0.01, 0.02])
        assert (person(study).days, person(study).pace) == (1, 2)

    def test_a_correction_is_no_progress(self):
        study = study_of()
        judge(study, "A", [10])
        JudgmentRevision.objects.create(
            assignment=Assignment.objects.get(judgment__isnull=False),
            number=2,
            answers={},
            submitted_at=NOW - timedelta(days=1),
        )
        assert person(study).recent == 0

    @pytest.mark.parametrize(
        ("days_ago", "pairs", "outlook"),
        [([9], 2, "still"), ([1, 1], 2, "done"), ([], 0, "nothing")],
    )
    def test_where_there_is_no_end_it_says_why(self, days_ago, pairs, outlook):
        study = study_of(pairs=pairs)
        judge(study, "A", days_ago)
        assert (person(study).outlook, person(study).end_at) == (outlook, None)

    def test_what_was_sent_back_is_not_done(self):
        study = study_of(pairs=3)
        judge(study, "A", [1, 1, 1])
        rejudge_request(actor=make_user("l"), study=study, keys=["item-0001"], reason="guide")
        watched = person(study)
        assert (watched.done, watched.left, watched.outlook) == (2, 1, "")

    def test_judging_again_what_was_sent_back_is_progress(self):
        study = study_of(pairs=2)
        judge(study, "A", [20, 20])
        rejudge_request(
            actor=make_user("l"), study=study, keys=["item-0001", "item-0002"], reason="guide"
        )
        assert person(study).outlook == "still"
        again = Assignment.objects.select_related(
            "annotator__study", "annotator__user", "simplification__item"
        )
        submit(again.get(simplification__item__key="item-0001"), comment="relu")
        RejudgeRequest.objects.filter(resolved_at__isnull=False).update(
            resolved_at=NOW - timedelta(days=1)
        )
        watched = person(study)
        assert (watched.done, watched.recent, watched.outlook) == (1, 1, "")

    def test_who_has_left_is_shown_and_not_waited_for(self):
        study = study_of(people=2)
        judge(study, "A", [1])
        Annotator.objects.filter(pseudonym="B").update(withdrawn_at=timezone.now())
        assert person(study, "B").outlook == "left"
        assert study_watch(study, NOW).total == 10

    def test_the_median_of_all_is_of_whoever_is_here(self):
        study = study_of(people=2)
        judge(study, "A", [1], seconds=60)
        judge(study, "B", [1, 1, 1], seconds=300)
        Annotator.objects.filter(pseudonym="B").update(withdrawn_at=timezone.now())
        watch = study_watch(study, NOW)
        assert (watch.seconds, watch.timed, watch.done) == (60, 1, 1)
        assert person(study, "B").seconds == 300

    def test_a_released_pair_is_no_more_theirs_unless_judged(self):
        study = study_of()
        judge(study, "A", [1])
        Assignment.objects.update(released_at=timezone.now())
        assert (person(study).done, person(study).total) == (1, 1)


class TestStudy:
    def test_it_ends_with_the_last_person(self):
        study = study_of(people=2)
        judge(study, "A", [1, 1])
        judge(study, "B", [1])
        watch = study_watch(study, NOW)
        assert (watch.done, watch.total, watch.recent, watch.outlook) == (3, 20, 3, "")
        assert watch.end_at == max(watched.end_at for watched in watch.people if watched.end_at)

    def test_somebody_without_a_pace_leaves_it_open(self):
        study = study_of(people=2)
        judge(study, "A", [1])
        watch = study_watch(study, NOW)
        assert (watch.outlook, watch.stuck, watch.end_at) == ("still", 1, None)

    def test_done_and_nothing_to_do(self):
        assert study_watch(make_study(), NOW).outlook == "nothing"
        study = study_of(pairs=1)
        judge(study, "A", [1])
        assert study_watch(study, NOW).outlook == "done"

    def test_where_no_round_is_open_nothing_is_foretold(self):
        study = study_of(people=2, pairs=2)
        judge(study, "A", [1, 1])
        judge(study, "B", [1])
        Study.objects.filter(pk=study.pk).update(state="closed")
        study.refresh_from_db()
        watch = study_watch(study, NOW)
        assert [each.outlook for each in watch.people] == ["done", "closed"]
        assert (watch.outlook, watch.stuck, watch.end_at) == ("closed", 0, None)
        with translation.override("en"):
            assert person_outlook(watch.people[1]) == "not done: no round is open"
            assert study_outlook(watch) == "No round is open: nothing more is judged."

    def test_figures_are_of_the_open_round(self):
        study = study_of(pairs=1)
        make_pair(study, round="practice")
        assignments_fill(actor=None, study=study)
        Study.objects.filter(pk=study.pk).update(state="practice")
        study.refresh_from_db()
        assert (study_watch(study, NOW).rounds, study_watch(study, NOW).total) == (("practice",), 1)

    def test_the_queries_do_not_grow(self, django_assert_num_queries):
        small, large = study_of(people=1, pairs=2), study_of(people=4, pairs=6)
        judge(small, "A", [1])
        judge(large, "A", [1, 2, 3])
        for study in (small, large):
            with django_assert_num_queries(8):
                study_watch(study, NOW)
            with django_assert_num_queries(1):
                list(items_watch(study))


class TestItems:
    def test_fewest_answers_first_of_those_who_still_judge(self):
        study = study_of(people=3, pairs=2)
        judge(study, "A", [1, 1])
        judge(study, "B", [2])
        Annotator.objects.filter(pseudonym="C").update(withdrawn_at=timezone.now())
        kept_anew()
        rows = [
            (item.answers, item.expected)
            for item in items_watch(study).order_by("answers", "position")
        ]
        assert rows == [(1, 2), (2, 2)]
        assert [item.answers for item in items_watch(study, short_of=2)] == [1]

    def test_what_is_released_or_beyond_the_plan_does_not_count(self):
        study = study_of(people=2, pairs=1)
        judge(study, "A", [1])
        judge(study, "B", [1])
        Judgment.objects.filter(assignment__annotator__pseudonym="B").update(surplus=True)
        kept_anew()
        assert [item.answers for item in items_watch(study)] == [1]
        study = study_of(people=2, pairs=1)
        Assignment.objects.filter(annotator__study=study, annotator__pseudonym="B").update(
            released_at=timezone.now()
        )
        kept_anew()
        assert [item.expected for item in items_watch(study)] == [1]

    def test_a_surplus_answer_is_not_waited_for(self):
        study = planned_study(2, 1, per_item=1)
        [late] = rows(study)
        begin(late)
        absence_release(actor=make_user("l"), annotator=late.annotator, reason="malade")
        submit(late)
        [other] = [row for row in rows(study) if row != late]
        item = items_watch(study).get()
        assert (item.answers, item.expected) == (1, 2), "the other one still holds it"
        assert submit(other).surplus
        item = items_watch(study).get()
        assert (item.answers, item.expected) == (1, 1)

    def test_filters(self):
        study = study_of(pairs=3)
        make_pair(study, round="practice", key="essai")
        assert items_watch(study).count() == 3
        assert [item.key for item in items_watch(study, round_="practice")] == ["essai"]
        assert [item.key for item in items_watch(study, search="0002")] == ["item-0002"]
        assert items_watch(study, search="assureur rembourse").count() == 3


class TestWords:
    def test_each_outlook_has_words(self):
        study = study_of(people=2)
        judge(study, "A", [1])
        with translation.override("en"):
            assert study_outlook(study_watch(study, NOW)).startswith("Cannot be said: 1 person")
            assert person_outlook(person(study)).startswith("around March 29, 2026")
            assert "cannot be said" in person_outlook(person(study, "B"))
            judge(study, "B", [1])
            assert "around" in study_outlook(study_watch(study, NOW)).lower()
            judge(study, "A", [1] * 9)
            assert person_outlook(person(study)) == "done"
            judge(study, "B", [1] * 9)
            assert study_outlook(study_watch(study, NOW)) == "Everybody is done."
            assert (
                study_outlook(study_watch(make_study(), NOW))
                == "Nobody has a pair in this round yet."
            )

    def test_an_absurd_pace_is_no_date(self):
        study = study_of()
        judge(study, "A", [1])
        slow = person(study)
        far = PersonWatch(**{**vars(slow), "total": 10**9, "pace": 0.001})
        watch = study_watch(study, NOW)
        watch.people[:] = [far]
        with translation.override("en"):
            assert person_outlook(far) == "in more than ten years at this pace"
            assert study_outlook(watch) == "In more than ten years at this pace."

    def test_a_missing_number_is_said(self):
        with translation.override("en"):
            assert seconds_words(None, 0) == {
                "value": "not known yet",
                "source": "no submitted pair",
            }
            assert seconds_words(61.5, 2) == {
                "value": "62 s",
                "source": "median of the last 2 pairs",
            }
        assert (share(15, 30), share(1, 0)) == (50, None)

    def test_a_row_says_what_its_pace_was_computed_from(self):
        study = study_of()
        judge(study, "A", [3, 1])
        with translation.override("en"):
            row = person_row(study, person(study), None)
        assert (row["pace"], row["pace_from"]) == ("0.7 a day", "2 judgments in 3.0 days")
        assert (row["hours_share"], row["over"]) == (0, False)

    def test_nobody_is_over_a_budget_that_is_none(self):
        study = study_of()
        study.hours_budget = 0
        judge(study, "A", [3, 1])
        row = person_row(study, person(study), None)
        assert (row["hours_share"], row["over"]) == (None, False)
