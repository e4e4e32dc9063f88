"""Several calibration rounds, as ASSETann had three (50, 25 and 25 pairs, then 50 for agreement):
portions of the practice round, a meeting after each."""

from __future__ import annotations

import pytest

from annotation.corpus.pairs import pairs_of_rows
from annotation.errors import RuleError
from annotation.models import Assignment, Item, Study
from annotation.selectors.practice.practice import everybody_submitted
from annotation.services.items.items import pairs_import
from annotation.services.planning.assignments import assignments_fill
from annotation.services.practice.practice import meeting_close, meeting_open
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_study, make_user
from tests.protocols.judged import answer

pytestmark = pytest.mark.django_db

PORTIONS = (5, 3, 3)
MAIN = 5


@pytest.fixture
def lead():
    return make_user("lead")


def brought(lead, study: Study, name: str, number: int, round: str = "practice") -> None:
    rows = [
        {
            "id": f"{name}-{n}",
            "original": f"Le bail {name} {n} prend fin.",
            "simplification": "Fini.",
        }
        for n in range(number)
    ]
    pairs_import(
        actor=lead, study=study, pairs=pairs_of_rows(rows), name=f"{name}.csv", round=round
    )


def judge_what_is_there(study: Study, round: str = "practice") -> int:
    rows = Assignment.objects.filter(
        annotator__study=study, judgment__isnull=True, simplification__item__round=round
    )
    assignments = list(rows.select_related("annotator__user", "simplification__item"))
    for row in assignments:
        answer(row, {"edits": [{"type": "delmod", "original": [[0, 2]]}]})
    return len(assignments)


def test_each_portion_is_judged_hidden_and_talked_about(lead):
    study = make_study("etalon", lead=lead, protocol_key="assetann", protocol_version="1")
    brought(lead, study, "un", PORTIONS[0])
    brought(lead, study, "accord", MAIN, round="main")
    for name in "AB":
        make_annotator(study, pseudonym=name)
    study = study_change_state(actor=lead, study=study, to="practice", reason="essai")
    assignments_fill(actor=None, study=study)
    for name, number in zip(("un", "deux", "trois"), PORTIONS, strict=True):
        if name != "un":
            brought(lead, study, name, number)
            # Hidden again: whoever opens the meeting before everybody is done says why.
            assert not everybody_submitted(study)
            with pytest.raises(RuleError, match="Not everybody"):
                meeting_open(actor=lead, study=study)
        assert judge_what_is_there(study) == 2 * number
        assert everybody_submitted(study)
        meeting_open(actor=lead, study=study)
        meeting_close(actor=lead, study=study)
    assert study.meetings.count() == 3
    study = study_change_state(actor=lead, study=study, to="main", reason="accord")
    assignments_fill(actor=None, study=study)
    assert judge_what_is_there(study, "main") == 2 * MAIN
    assert Item.objects.filter(study=study, round="practice").count() == sum(PORTIONS)
