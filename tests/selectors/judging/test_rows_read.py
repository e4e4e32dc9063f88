"""No step of judging reads more rows because its annotator has more pairs.

SQLite says how many instructions a statement took, PostgreSQL how many rows each part of a plan
gave or threw away.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation.access import annotator_for, assignment_for
from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    GuideVersion,
    Item,
    Judgment,
    JudgmentRevision,
    Simplification,
    Study,
    Tally,
    text_digest,
)
from annotation.selectors.judging.own import RECENT, WholeList, own_recent
from annotation.selectors.judging.queue import counts_of, first_open, place, waiting_of
from annotation.selectors.watching.latest import LATEST, PACE_DAYS
from annotation.selectors.watching.own_work import own_work
from annotation.selectors.watching.progress import with_sizes
from annotation.selectors.watching.reminders import remindables
from annotation.selectors.watching.watching import study_watch
from annotation.services.base.standings import standings_recount
from annotation.services.judging.drafts import assignment_open, draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.own_pairs import pair_set_aside, pair_take_up
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.row_counts import row_counts_refresh
from tests.bulk import fill_study, judge_assignments
from tests.factories import make_annotator, make_study, make_user, save

pytestmark = pytest.mark.django_db

SMALL, LARGE = 100, 10_000
_EVERY = 50
"""SQLite tells of every so many instructions."""


def filled(key: str, pairs: int) -> Study:
    """A study in its main round, its annotator somewhere in the middle."""
    study = make_study(key, state="main")
    texts = [f"Clause numéro {number}." for number in range(1, pairs + 1)]
    items = Item.objects.bulk_create(
        Item(study=study, key=f"i{n}", position=n, original=text, original_digest=text_digest(text))
        for n, text in enumerate(texts, start=1)
    )
    Simplification.objects.bulk_create(
        Simplification(item=item, text="Simple.", language="fr") for item in items
    )
    make_annotator(study, make_user(key))
    assignments_fill(actor=None, study=study)
    return study


class Reading:
    """What the statements of a step read: rows on PostgreSQL, hundreds of instructions on
    SQLite."""

    def __init__(self) -> None:
        self.read = 0

    def explained(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        told = sql.lstrip().split(" ", 1)[0].upper() in (
            "SELECT",
            "UPDATE",
            "DELETE",
            "INSERT",
            "EXECUTE",
        )
        if told and not many:
            with connection.cursor() as cursor:
                cursor.execute("SAVEPOINT explained")
                cursor.cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
                plan = cursor.fetchone()[0]
                cursor.execute("ROLLBACK TO SAVEPOINT explained")
            plan = json.loads(plan) if isinstance(plan, str) else plan
            self.read += sum(_rows(plan[0]["Plan"]))
        return execute(sql, params, many, context)

    def stepped(self) -> int:
        self.read += 1
        return 0


def _rows(plan: dict[str, Any]) -> Iterator[int]:
    gone = sum(
        plan.get(f"Rows Removed by {name}", 0)
        for name in ("Filter", "Join Filter", "Index Recheck")
    )
    yield round((plan["Actual Rows"] + gone) * plan["Actual Loops"])
    for part in plan.get("Plans", []):
        yield from _rows(part)


@contextmanager
def reading() -> Iterator[Reading]:
    found = Reading()
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        connection.connection.set_progress_handler(found.stepped, _EVERY)
        try:
            yield found
        finally:
            connection.connection.set_progress_handler(None, 0)
        return
    with connection.execute_wrapper(found.explained):
        yield found


def assignment(study: Study, position: int) -> Assignment:
    user = study.annotators.get().user
    return assignment_for(user, study.key, position)


def resume(study: Study, _position: int) -> None:
    assert first_open(annotator_for(study.annotators.get().user, study.key)) is not None


def opening(study: Study, position: int) -> None:
    found = assignment(study, position)
    assignment_open(assignment=found)
    assert place(found).next_open


def saving(study: Study, position: int) -> None:
    found = assignment(study, position)
    draft_save(actor=found.annotator.user, assignment=found, save=save())


def submitting(study: Study, position: int) -> None:
    found = assignment(study, position)
    judgment_submit(actor=found.annotator.user, assignment=found, save=save(1))
    assert place(found).next_open


def taking_back(study: Study, position: int) -> None:
    found = assignment(study, position)
    assert judgment_take_back(actor=found.annotator.user, assignment=found, number=1)


def later(study: Study, position: int) -> None:
    found = assignment(study, position)
    pair_set_aside(assignment=found)
    pair_take_up(assignment=found)


def home(study: Study, _position: int) -> None:
    annotator = annotator_for(study.annotators.get().user, study.key)
    assert counts_of([annotator])[annotator.pk][1]
    assert waiting_of([annotator])[annotator.pk].unread == 0


def own_list(study: Study, _position: int) -> None:
    whole = WholeList(annotator_for(study.annotators.get().user, study.key))
    assert [len(part) for part in (whole[0:50], whole[whole.count() - 50 : whole.count()])] == [
        50,
        50,
    ]


def recent(study: Study, _position: int) -> None:
    assert len(own_recent(annotator_for(study.annotators.get().user, study.key))) == RECENT


def own_hours(study: Study, _position: int) -> None:
    found = own_work(annotator_for(study.annotators.get().user, study.key), timezone.now())
    assert found.timed == LATEST


def watching(study: Study, _position: int) -> None:
    now = timezone.now()
    [person] = study_watch(study, now).people
    assert (person.timed, person.days) == (LATEST, PACE_DAYS)
    assert len(remindables(study, now)) == 1


STEPS = (resume, opening, saving, submitting, taking_back, later, home, own_list)


Step = Callable[[Study, int], None]


def grown(studies: dict[int, Study], steps: tuple[Step, ...]) -> dict[str, dict[int, int]]:
    """The steps that read more in the large study, and what each read."""
    read: dict[str, dict[int, int]] = {}
    for size, study in studies.items():
        # The first run composes and plans.
        for run, step in ((run, step) for run in (1, 0) for step in steps):
            with reading() as found:
                step(study, size // 2 + run)
            read.setdefault(step.__name__, {})[size] = found.read
    # An index of a hundred times the rows is a level or two deeper.
    return {name: of for name, of in read.items() if of[LARGE] > 1.5 * of[SMALL] + 20}


def test_at_ten_thousand_pairs_as_at_a_hundred():
    studies = {size: filled(f"of-{size}", size) for size in (SMALL, LARGE)}
    row_counts_refresh(Assignment, Item, Simplification)
    assert not grown(studies, STEPS)


def judged(study: Study, number: int) -> None:
    """The first pairs of its annotator are judged, two weeks ago."""
    annotator = study.annotators.get()
    pairs = list(annotator.assignments.order_by("position")[:number])
    judge_assignments(pairs, GuideVersion.objects.create(study=study, number=1, body_fr="Guide"))
    moment = timezone.now() - 2 * timedelta(days=PACE_DAYS)
    moments = [moment + timedelta(seconds=place) for place in range(number)]
    Draft.objects.bulk_create(
        Draft(assignment=one, annotator=annotator, saved_at=at)
        for one, at in zip(pairs, moments, strict=True)
    )
    JudgmentRevision.objects.bulk_create(
        JudgmentRevision(assignment=one, number=1, answers={}, submitted_at=at)
        for one, at in zip(pairs, moments, strict=True)
    )
    standings_recount([annotator.pk])


def test_the_pace_of_who_has_judged_ten_thousand_pairs():
    studies = {size: filled(f"of-{size}", size + LATEST) for size in (SMALL, LARGE)}
    for size, study in studies.items():
        judged(study, size)
    row_counts_refresh(Assignment, Item, Simplification, Draft, Judgment, JudgmentRevision)
    assert not grown(studies, (own_hours, watching))


def leading(study: Study, _position: int) -> None:
    [found] = with_sizes(Study.objects.filter(pk=study.pk))
    assert (found.item_count, found.annotator_count) == (500, study.annotators.count())
    assert found.submitted == 500 * found.annotator_count


def test_the_sizes_of_a_study_that_more_people_have_judged():
    """Its items are counted, once; what people did is kept."""
    read = []
    for people in (2, 20):
        study = make_study(f"by-{people}", state="main")
        fill_study(study, pairs=500, annotators=people)
        row_counts_refresh(Annotator, Assignment, Item, Judgment, Tally)
        for _ in range(2):
            with reading() as found:
                leading(study, 1)
        read.append(found.read)
    assert read[1] < 2 * read[0] + 20


def test_what_was_worked_on_last_among_ten_thousand_drafts():
    studies = {size: filled(f"of-{size}", size) for size in (SMALL, LARGE)}
    for study in studies.values():
        annotator = study.annotators.get()
        Draft.objects.bulk_create(
            Draft(assignment=one, annotator=annotator) for one in annotator.assignments.all()
        )
    row_counts_refresh(Assignment, Item, Simplification, Draft)
    assert not grown(studies, (recent,))
