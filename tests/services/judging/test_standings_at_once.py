"""What is kept of an annotator's order, changed from several sides at the same moment."""

from __future__ import annotations

import pytest

from annotation.models import Assignment, RejudgeRequest, Study, Tally
from annotation.services.base.standings import positions_check
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.judging.own_pairs import pair_set_aside
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.plans import plan_set
from tests.factories import make_pair, make_user
from tests.planning import planned_study, rows, submit
from tests.services.judging.test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def failed(outcomes: list[object]) -> list[object]:
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]


def test_one_person_s_submissions_while_pairs_are_given_out():
    study = planned_study(1, 6)
    make_pair(study)
    mine = rows(study)
    outcomes = at_once(
        [
            *[lambda row=row: submit(row) for row in mine],
            lambda: assignments_fill(actor=None, study=study),
        ]
    )
    assert failed(outcomes) == []
    assert list(positions_check()) == []
    assert Tally.objects.filter(in_practice=False).values_list("done", "total").get() == (6, 7)


def test_submissions_while_pairs_are_taken_back_and_counted_anew():
    study = planned_study(3, 4)
    mine = rows(study)
    outcomes = at_once(
        [
            *[lambda row=row: submit(row) for row in mine[::3]],
            *[lambda row=row: pair_set_aside(assignment=row) for row in mine[1::3]],
            lambda: plan_set(
                actor=None, study=Study.objects.get(pk=study.pk), per_item=2, redistribute=True
            ),
            lambda: list(positions_check(rebuild=True)),
        ]
    )
    assert failed(outcomes[:-2]) == [], "nobody's answer is lost"
    assert list(positions_check()) == []


def test_sent_back_while_others_submit():
    study = planned_study(2, 3)
    mine = rows(study)
    for row in mine[:3]:
        submit(row)
    keys = [row.simplification.item.key for row in mine[:3]]
    outcomes = at_once(
        [
            *[lambda row=row: submit(row) for row in mine[3:]],
            lambda: rejudge_request(actor=make_user(), study=study, keys=keys, reason="guide"),
        ]
    )
    assert failed(outcomes) == []
    assert list(positions_check()) == []
    # Whoever came last: what was sent back is to be judged again, and all the rest is done.
    waiting = RejudgeRequest.objects.filter(resolved_at__isnull=True).count()
    done = Assignment.objects.filter(standing=Assignment.Standing.DONE).count()
    assert done + waiting == len(mine)
