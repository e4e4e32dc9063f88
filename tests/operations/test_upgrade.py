"""A database of the former version, with data in it, becomes one of this version."""

from __future__ import annotations

import json

import pytest

from tests.operations.test_backup import elsewhere  # noqa: F401  (a fixture)
from tests.operations.upgrading import JUDGED, PAIRS

# The last migration of the version before 1.0.0.
FORMER = "0012_user_reading"
# In one process: each would load everything for a look of a moment.
ASKED = """
import json
from django.core.management import call_command
call_command("check_positions")
call_command("check_answers")
from annotation.models import Assignment, Draft, Judgment, SideAnswer, Tally
from annotation.selectors.agreement.reliability import study_ratings
from annotation.models import Annotator, Study
from annotation.selectors.judging.queue import counts, first_open, waiting_of
study = Study.objects.get(key="former")
people = list(study.annotators.order_by("pseudonym").select_related("study"))
print("TOLD" + json.dumps({
    "counts": [counts(one) for one in people],
    "open": [first_open(one) for one in people],
    "aside": [waiting_of([one])[one.pk].aside for one in people],
    "drafts": sorted(Draft.objects.values_list("answers__simplicity", "revision")),
    "scores": sorted(Judgment.objects.filter(
        ratings__dimension="legal_meaning").values_list("ratings__value", flat=True)),
    "judgments": study_ratings(study, round="main").judgments,
    "tallies": Tally.objects.count(),
    "sides": sorted(set(SideAnswer.objects.values_list("field", "value"))),
    "rulings": study.rulings,
}))
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_database_of_the_former_version_is_brought_up_with_what_is_in_it(elsewhere):  # noqa: F811
    machine = elsewhere()
    machine("manage.py", "migrate", "--verbosity", "0", "annotation", FORMER)
    machine("-m", "tests.operations.upgrading", FORMER)
    machine("manage.py", "migrate", "--verbosity", "0")
    said = machine("manage.py", "shell", "--no-imports", "-c", ASKED).stdout
    checked, _, report = said.partition("TOLD")
    assert f"{2 * JUDGED} judgments" in checked
    report = json.loads(report)
    assert report["counts"] == [[JUDGED, PAIRS - 1]] * 2
    # Practice is over, four are judged, and one is kept for later: it comes last.
    assert report["open"] == [7, 5]
    assert report["aside"] == [1, 1]
    assert report["drafts"] == [[2, 3], [2, 3]]
    assert report["scores"] == [9] * 2 * JUDGED
    assert report["judgments"] == 2 * JUDGED
    assert report["tallies"] >= 2
    # What stood in columns of its own stands by kind.
    assert report["sides"] == [["comment", "Le délai ?"], ["doubt", "1"]]
    assert report["rulings"] == {"crossing_policy": "ask", "span_required": False}
