"""A main round that was opened too early goes back, as long as nobody has saved anything in it."""

from __future__ import annotations

import pytest
from django.http import Http404

from annotation.errors import RuleError, StudyClosed
from annotation.models import Assignment, Event, Item, Judgment, PrivateNote, Study
from annotation.selectors.studies.going_back import main_begun, round_taken
from annotation.selectors.studies.life import next_states
from annotation.selectors.watching.progress import study_counts
from annotation.services.base.standings import positions_check
from annotation.services.judging.drafts import assignment_open, draft_save
from annotation.services.judging.own_pairs import note_save
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.plans import plan_set
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_pair, make_user, save
from tests.planning import annotators, begin, open_main, planned_study, rows, submit
from tests.practising import practice_study
from tests.services.judging.test_concurrency import at_once
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db


def go_back(study: Study, to: str = "draft", reason: str = "Trop tôt.") -> Study:
    return study_change_state(actor=make_user(), study=study, to=to, reason=reason)


def positions(study: Study) -> dict[str, list[int]]:
    by_person: dict[str, list[int]] = {}
    for row in rows(study):
        by_person.setdefault(row.annotator.pseudonym, []).append(row.position)
    return by_person


class TestWhileNothingIsSaved:
    def test_to_preparation_with_everything_that_was_given_out(self):
        study = planned_study(3, 4, control_identical=1)
        assignment_open(assignment=rows(study)[0])
        taken = round_taken(study)
        assert (taken.pairs, taken.people, taken.opened, taken.controls, main_begun(study)) == (
            15,
            3,
            1,
            1,
            False,
        )
        study = go_back(study)
        assert study.state == "draft"
        assert rows(study) == []
        assert not study.items.filter(round=Item.Aside.CONTROL).exists()
        assert list(positions_check()) == []
        event = Event.objects.filter(study=study, verb="study_state_changed").first()
        assert event is not None
        assert event.details == {
            "before": "main",
            "after": "draft",
            "reason": "Trop tôt.",
            "pairs": 15,
            "people": 3,
            "opened": 1,
            "controls": 1,
        }

    def test_opened_again_it_is_drawn_the_same_way_and_no_position_means_another_pair(self):
        study = planned_study(4, 6, per_item=2, control_unrelated=1)
        before = {
            annotator.pseudonym: [
                row.simplification.item.key for row in rows(study) if row.annotator == annotator
            ]
            for annotator in annotators(study)
        }
        places = positions(study)
        study = open_main(go_back(study))
        after = {
            annotator.pseudonym: [
                row.simplification.item.key for row in rows(study) if row.annotator == annotator
            ]
            for annotator in annotators(study)
        }
        assert after == before
        again = positions(study)
        assert all(min(again[person]) > max(places[person]) for person in places)
        assert list(positions_check()) == []
        assert {row.ordinal for row in rows(study)} == set(
            range(1, max(len(of_person) for of_person in places.values()) + 1)
        )

    def test_what_came_meanwhile_is_drawn_with_it(self):
        study = planned_study(2, 3)
        study = go_back(study)
        make_pair(study)
        make_annotator(study)
        plan_set(actor=None, study=study, per_item=1)
        assert len(rows(open_main(study))) == 4

    def test_to_the_practice_round_that_it_came_from(self):
        study = practice_study()
        practice = {row.pk for row in rows(study) if row.in_practice}
        study = open_main(study)
        assert [str(state) for state in next_states(study)] == ["closed", "practice"]
        study = go_back(study, "practice")
        assert study.state == "practice"
        assert {row.pk for row in rows(study) if row.in_practice} == practice
        assert list(positions_check()) == []

    def straight_from_preparation(self) -> Study:
        study = planned_study(2, 2, opened=False)
        make_pair(study, round="practice")
        return open_main(study)

    def test_practice_pairs_that_came_with_it_go_back_with_it(self):
        study = self.straight_from_preparation()
        assert len(rows(study)) == 6
        study = go_back(study)
        assert rows(study) == []
        event = Event.objects.filter(study=study, verb="study_state_changed").first()
        assert event is not None
        assert (event.details["pairs"], event.details["practice"]) == (4, 2)
        assert study_counts(study).practice_total == 0
        assert list(positions_check()) == []
        assert len(rows(open_main(study))) == 6

    def test_practice_pairs_of_which_something_is_saved_stay(self):
        study = self.straight_from_preparation()
        row = next(row for row in rows(study) if row.in_practice)
        note_save(assignment=row, text="À revoir.", base_revision=0)
        assert {row.in_practice for row in rows(go_back(study))} == {True}

    def test_practice_pairs_of_a_round_that_was_open_before_stay(self):
        study = planned_study(2, 2, opened=False)
        make_pair(study, round="practice")
        for state in ("practice", "draft", "main"):
            study = study_change_state(actor=None, study=study, to=state, reason="essai")
        assert [row.in_practice for row in rows(go_back(study))] == [True, True]

    def test_one_that_was_closed_and_reopened_goes_where_it_first_came_from(self):
        study = open_main(practice_study())
        study = study_change_state(actor=None, study=study, to="closed", reason="essai")
        study = open_main(study)
        assert [str(state) for state in next_states(study)] == ["closed", "practice"]
        assert code_of(lambda: go_back(study, "draft")) == "no_such_step"

    def test_a_reason_is_needed(self):
        study = planned_study(2, 2)
        assert code_of(lambda: go_back(study, reason=" ")) == "required"


def code_of(call) -> str:
    with pytest.raises(RuleError) as refused:
        call()
    return code(refused)


class TestOnceSomethingIsSaved:
    def refuses(self, study: Study) -> None:
        given = len(rows(study))
        assert code_of(lambda: go_back(study)) == "begun"
        assert len(rows(study)) == given
        assert Study.objects.get(pk=study.pk).state == "main"
        assert main_begun(study)

    def test_a_draft(self):
        study = planned_study(2, 2)
        begin(rows(study)[0])
        self.refuses(study)

    def test_a_submission_also_of_who_has_withdrawn_and_one_that_was_taken_back(self):
        study = planned_study(2, 2)
        row = rows(study)[0]
        submit(row)
        self.refuses(study)
        judgment_take_back(actor=row.annotator.user, assignment=row, number=1)
        assert not Judgment.objects.exists()
        self.refuses(study)

    def test_a_private_note(self):
        study = planned_study(2, 2)
        note_save(assignment=rows(study)[0], text="À revoir.", base_revision=0)
        self.refuses(study)
        assert PrivateNote.objects.count() == 1

    def test_practice_answers_are_none_of_it(self):
        study = practice_study()
        row = next(row for row in rows(study) if row.in_practice)
        draft_save(actor=row.annotator.user, assignment=row, save=save())
        study = go_back(open_main(study), "practice")
        assert not main_begun(study)
        assert Assignment.objects.filter(pk=row.pk, draft__isnull=False).exists()


class TestWhoIsThereAtThatMoment:
    def test_a_save_that_comes_late_is_told_that_the_round_takes_nothing(self):
        study = planned_study(2, 2)
        row = rows(study)[0]
        go_back(study)
        with pytest.raises(StudyClosed):
            begin(row)
        with pytest.raises(StudyClosed):
            submit(row)

    def test_a_page_or_a_note_that_comes_late_is_not_there(self):
        study = planned_study(2, 2)
        row, other = rows(study)[:2]
        go_back(study)
        with pytest.raises(Http404):
            assignment_open(assignment=row)
        with pytest.raises(Http404):
            note_save(assignment=other, text="n", base_revision=0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("write", [begin, submit])
def test_a_save_in_this_very_moment(write):
    """Whichever comes first: the save is refused in words, or the step is. Never are both done, and
    nothing that was acknowledged is lost."""
    for _ in range(4):
        study = planned_study(2, 3)
        late = rows(study)
        outcomes = at_once(
            [lambda study=study: go_back(study), *(lambda row=row: write(row) for row in late)]
        )
        back, *saves = outcomes
        done = [outcome for outcome in saves if not isinstance(outcome, Exception)]
        if isinstance(back, Exception):
            assert isinstance(back, RuleError)
            assert len(rows(study)) == len(late)
        else:
            assert all(isinstance(outcome, StudyClosed) for outcome in saves)
            assert rows(study) == []
            assert not done
