"""An erased account in a study whose plan asks for so many people per pair: others take over what
it leaves."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError
from annotation.models import Assignment, Event, Study
from annotation.services.planning.plans import plan_set
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_request
from annotation.services.studies.studies import study_change_state
from tests.factories import make_user
from tests.planning import annotators, codes, planned_study, rows, submit

pytestmark = pytest.mark.django_db


def erased(study: Study, judgments: str) -> None:
    user = annotators(study)[0].user
    assert user is not None
    request = erasure_request(actor=user, user=user, wish=judgments)
    erasure_grant(
        actor=make_user("boss", is_admin=True), request=request, judgments=judgments, reason="essai"
    )


def given(study: Study) -> int:
    return Assignment.objects.filter(annotator__study=study, released_at__isnull=True).count()


# An answer that is left out counts no longer, so its place is given to somebody else as well.
@pytest.mark.parametrize(("judgments", "places"), [("keep", 12), ("leave_out", 13)])
def test_others_take_over_what_was_not_submitted(judgments, places):
    study = planned_study(4, 6, per_item=2)
    annotator = annotators(study)[0]
    submit(rows(study, annotator=annotator)[0])
    erased(study, judgments)
    assert given(study) == places
    assert annotator.assignments.count() == 1
    assert (
        Event.objects.filter(study=study, verb="assignments_filled")
        .latest("pk")
        .details["annotators"]
        == 3
    )


def test_nothing_is_given_out_where_no_round_is_open():
    study = planned_study(4, 6, per_item=2)
    study = study_change_state(actor=None, study=study, to="closed", reason="essai")
    left = given(study) - len(rows(study, annotator=annotators(study)[0]))
    erased(study, "keep")
    assert given(study) == left


def test_who_is_erased_is_none_of_those_a_plan_can_ask():
    study = planned_study(3, 2, per_item=2)
    erased(study, "keep")
    with pytest.raises(RuleError) as error:
        plan_set(actor=None, study=study, per_item=3)
    assert codes(error) == [("per_item", "too_many")]
