"""Who withdraws counts no more: others take the places, surplus answers are counted in, and never
one too many."""

from __future__ import annotations

import pytest
from django.utils import translation

from annotation.models import Annotator, Event, Judgment, Study, plan_of
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.planning.preview import pairs_short, plan_preview
from annotation.selectors.watching.watching import items_watch
from annotation.services.people.people import annotator_add, annotator_withdraw
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.plans import plan_set
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_request
from annotation.services.studies.studies import study_change_state
from annotation.web.studies.event_sentences import sentence
from tests.factories import make_pair
from tests.planning import annotators, planned_study, rows, submit

pytestmark = pytest.mark.django_db


def shared_pair(people: int = 4, per_item: int = 2):
    """One pair, which everybody got before the plan asked for fewer."""
    study = planned_study(people, 1)
    plan_set(actor=None, study=study, per_item=per_item)
    return study


def judge(study, letters: str) -> None:
    for letter in letters:
        [row] = rows(study, annotator__pseudonym=letter, simplification__item__round="main")
        submit(row)


def counting(study) -> str:
    """Whose answers count."""
    judgments = Judgment.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__withdrawn_at__isnull=True,
        submitted_at__isnull=False,
        surplus=False,
    )
    return "".join(sorted(judgments.values_list("assignment__annotator__pseudonym", flat=True)))


def person(study, letter: str) -> Annotator:
    return Annotator.objects.select_related("user", "study").get(study=study, pseudonym=letter)


def withdraw(study, letter: str) -> Annotator:
    return annotator_withdraw(actor=None, annotator=person(study, letter), reason="malade")


def come_back(study, letter: str) -> Annotator:
    return annotator_add(actor=None, study=study, user=person(study, letter).user)


def details(study, verb: str) -> dict:
    return Event.objects.filter(study=study, verb=verb).latest("pk").details


def test_the_places_go_to_others_and_the_pair_is_short_until_they_answer():
    study = planned_study(3, 1, per_item=2, seed=1)
    first, second = rows(study)
    leaver, stays = first.annotator.pseudonym, second.annotator.pseudonym
    for row in (first, second):
        submit(row)
    assert pairs_short(study) == 0
    withdraw(study, leaver)
    [item] = items_watch(study)
    assert (pairs_short(study), item.answers, item.expected) == (1, 1, 2)
    [new] = rows(study, judgment=None, released_at=None)
    assert new.annotator.pseudonym not in (leaver, stays)
    team = plan_preview(study, plan_of(study)).allocation.teams.popitem()[1]
    assert team == {new.annotator.pseudonym, stays}
    assert not submit(new).surplus
    assert pairs_short(study) == 0
    assert len(study_ratings(study, withdrawn=False).tables["simplicity"].rater_ids) == 2, (
        "as many as are released"
    )


def test_surplus_answers_count_in_their_stead_the_earliest_first():
    study = shared_pair()
    judge(study, "BADC")
    assert counting(study) == "AB"
    withdraw(study, "A")
    assert counting(study) == "BD"
    assert details(study, "annotator_withdrawn") == {"reason": "malade", "recounted": 1}
    withdraw(study, "D")
    assert counting(study) == "BC"
    assert rows(study, judgment=None, released_at=None) == [], (
        "nobody is asked for what is there already"
    )


def test_in_a_closed_study_too_for_it_is_frozen_then():
    study = shared_pair()
    judge(study, "ABC")
    study = study_change_state(actor=None, study=study, to="closed", reason="fin")
    withdraw(study, "A")
    assert counting(study) == "BC"
    come_back(study, "A")
    assert counting(study) == "BC"


def test_who_withdrew_is_counted_for_nobody():
    study = shared_pair(4)
    judge(study, "ABCD")
    withdraw(study, "C")
    withdraw(study, "A")
    assert counting(study) == "BD", "not C, whose answer was earlier"


class TestComingBack:
    def test_what_would_be_one_too_many_is_surplus(self):
        study = shared_pair()
        judge(study, "ABC")
        withdraw(study, "A")
        come_back(study, "A")
        assert counting(study) == "BC"
        assert person(study, "A").assignments.get().judgment.surplus
        assert details(study, "annotator_brought_back") == {"surplus": 1}
        event = Event.objects.get(study=study, verb="annotator_brought_back")
        assert not Event.objects.filter(study=study, verb="annotator_added").exists()
        with translation.override("fr"):
            assert sentence(event).startswith("a fait revenir un·e annotateur·rice")

    def test_what_nobody_has_replaced_counts_again(self):
        study = shared_pair()
        judge(study, "AB")
        withdraw(study, "A")
        assert counting(study) == "B"
        come_back(study, "A")
        assert (counting(study), details(study, "annotator_brought_back")) == ("AB", {})

    def test_a_surplus_answer_of_theirs_counts_where_there_is_room_by_now(self):
        study = shared_pair()
        judge(study, "ABC")
        withdraw(study, "C")
        withdraw(study, "B")
        assert counting(study) == "A"
        come_back(study, "C")
        assert (counting(study), details(study, "annotator_brought_back")) == (
            "AC",
            {"recounted": 1},
        )
        come_back(study, "B")
        assert counting(study) == "AC"

    def test_with_a_plan_that_asks_for_everybody_all_count(self):
        study = planned_study(3, 1)
        judge(study, "ABC")
        withdraw(study, "A")
        come_back(study, "A")
        assert counting(study) == "ABC"

    @pytest.mark.parametrize(
        "order", ["A-B-A+B+", "A-B-B+A+", "A-A+B-B+C-C+", "C-B-A-B+A+C+", "D-A-D+A+"]
    )
    def test_never_more_than_asked_for_whatever_the_order(self, order):
        study = shared_pair()
        judge(study, "ABCD")
        for letter, sign in zip(order[::2], order[1::2], strict=True):
            (withdraw if sign == "-" else come_back)(study, letter)
            here = annotators(study)
            assert len(counting(study)) == min(
                2, sum(annotator.withdrawn_at is None for annotator in here)
            )
        for row in rows(study):
            submit(row, comment="relu")
        assert len(counting(study)) == 2, "corrections pass the trigger"

    def test_other_rounds_have_no_surplus(self):
        study = shared_pair(3, 1)
        make_pair(study, round="practice")
        assignments_fill(actor=None, study=study)
        Study.objects.update(state="practice")
        for row in rows(study, simplification__item__round="practice"):
            submit(row)
        withdraw(study, "A")
        come_back(study, "A")
        assert not Judgment.objects.filter(surplus=True).exists()


def test_fewer_may_be_asked_for_once_somebody_has_withdrawn():
    study = shared_pair(3, 3)
    judge(study, "ABC")
    withdraw(study, "A")
    assert plan_set(actor=None, study=study, per_item=2).recounted == 0
    come_back(study, "A")
    assert counting(study) == "BC"


def test_what_a_withdrawn_person_sends_at_that_very_moment_is_kept_and_does_not_count():
    study = shared_pair()
    [late] = rows(study, annotator__pseudonym="D")
    withdraw(study, "D")
    judge(study, "AB")
    submit(late)
    assert counting(study) == "AB"
    come_back(study, "D")
    assert counting(study) == "AB"


class TestErasure:
    def erase(self, study, letter: str, judgments: str):
        user = person(study, letter).user
        request = erasure_request(actor=user, user=user, wish=judgments)
        return erasure_grant(actor=None, request=request, judgments=judgments, reason="asked")

    def test_what_is_left_out_counts_no_more(self):
        study = shared_pair()
        judge(study, "ABC")
        self.erase(study, "A", "leave_out")
        assert counting(study) == "BC"

    def test_what_is_left_out_of_a_closed_study_is_replaced_by_surplus_answers_and_nobody_is_asked(
        self,
    ):
        study = shared_pair()
        judge(study, "ABC")
        study = study_change_state(actor=None, study=study, to="closed", reason="fin")
        self.erase(study, "A", "leave_out")
        assert counting(study) == "BC"
        assert not Event.objects.filter(
            study=study, verb="assignments_filled", pk__gt=self.last(study)
        ).exists()

    def last(self, study) -> int:
        return Event.objects.filter(study=study, verb="study_state_changed").latest("pk").pk

    def test_what_is_left_out_is_given_to_others(self):
        study = planned_study(3, 1, per_item=2, seed=1)
        first, second = rows(study)
        for row in (first, second):
            submit(row)
        self.erase(study, first.annotator.pseudonym, "leave_out")
        assert len(rows(study, judgment=None, released_at=None)) == 1

    def test_what_is_kept_counts(self):
        study = shared_pair()
        judge(study, "ABC")
        self.erase(study, "A", "keep")
        assert counting(study) == "AB"
        assert pairs_short(study) == 0

    def test_a_name_is_taken_out_of_a_withdrawn_person_s_answer_that_others_have_replaced(self):
        """It is sealed again beside as many counted answers as the plan asks for."""
        study = shared_pair()
        name = person(study, "A").user.name
        [row] = rows(study, annotator__pseudonym="A")
        submit(row, comment=name, errors=[{"type": "omission", "note": name}])
        judge(study, "BC")
        withdraw(study, "A")
        assert counting(study) == "BC"
        assert self.erase(study, "A", "keep").statement["removed"]["mentions"] > 1
        judgment = Judgment.objects.get(assignment=row)
        assert (judgment.submitted_at is not None, name in judgment.errors.get().note) == (
            True,
            False,
        )
        assert counting(study) == "BC"
