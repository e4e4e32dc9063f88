"""A study as JADES's, from plan to closed round: 3 of 6 people per output, somebody absent,
repeats, controls."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from annotation.models import Judgment
from annotation.selectors.agreement.consistency import study_controls, study_repeats
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.planning.preview import pairs_short
from annotation.selectors.studies.readiness import unmet
from annotation.selectors.watching.progress import annotators_progress, study_counts
from annotation.services.planning.absences import absence_release
from annotation.services.planning.repeats import repeats_sweep
from annotation.services.studies.studies import study_change_state
from tests.factories import make_pair, make_user
from tests.planning import annotators, days_pass, planned_study, rows, seen, submit

pytestmark = pytest.mark.django_db


def finish(study, *, without=""):
    """Everybody judges all that they can see."""
    for annotator in annotators(study):
        for row in seen(annotator):
            if (
                annotator.pseudonym != without
                and not Judgment.objects.filter(assignment=row).exists()
            ):
                identical = row.simplification.item.control == "identical"
                bracket = 1 if row.simplification.item.control == "unrelated" else 3
                submit(row, bracket=bracket, simplicity=4 if identical else 1)


def test_from_plan_to_closed_round():
    study = planned_study(
        6,
        20,
        per_item=3,
        repeat_percent=10,
        repeat_after_days=1,
        control_identical=1,
        control_unrelated=1,
        seed=11,
    )
    make_pair(study, original="Une clause arrivée plus tard.")
    finish(study, without="F")
    absent = annotators(study)[-1]
    outcome = absence_release(actor=make_user(), annotator=absent, reason="ne répond plus")
    assert (outcome.offered, outcome.kept) == (10, 0)
    finish(study, without="F")
    days_pass(study, 2)
    assert repeats_sweep() > 0
    finish(study, without="F")

    ratings = study_ratings(study)
    table = ratings.tables["legal_meaning"]
    assert ratings.judgments == 63, (
        "21 pairs × 3: the late one was given out with the absent person's"
    )
    assert set(Counter(table.unit_index.tolist()).values()) == {3}
    loads = Counter(str(table.rater_ids[rater]) for rater in table.rater_index.tolist())
    assert (set(loads), sorted(loads.values())) == (set("ABCDE"), [12, 12, 13, 13, 13])
    teams: dict[int, set[int]] = {}
    for unit, rater in zip(table.unit_index.tolist(), table.rater_index.tolist(), strict=True):
        teams.setdefault(unit, set()).add(rater)
    met = Counter(pair for team in teams.values() for pair in combinations(sorted(team), 2))
    assert len(met) == 10
    assert max(met.values()) - min(met.values()) <= 3, "nothing begun was moved to even it out"

    repeats = study_repeats(study)
    assert repeats.offered == len(repeats.twice) == 10
    assert repeats.reports["legal_meaning"].percent_agreement.value == 1.0
    assert [control.passed for control in study_controls(study) if control.annotator != "F"] == [
        1
    ] * 10
    assert unmet(study, "closed") == ["main_done"], "who is absent has control pairs left"
    assert pairs_short(study) == 0

    closed = study_change_state(actor=None, study=study, to="closed", reason="F ne revient pas")
    # 63 answers to pairs and 20 to what stands beside them; two of those were never given.
    counts = study_counts(closed)
    assert (counts.judgments, counts.expected) == (83, 85)
    assert {person.main_done for person in annotators_progress(closed)} == {16, 17, 0}
    assert len(rows(closed, released_at__isnull=False)) == 10
