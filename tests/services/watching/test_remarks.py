"""Comments and doubts: listed, answered to one person, settled until corrected, hidden during a
blind phase."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError
from annotation.models import Assignment, Event, RemarkAnswer, Study
from annotation.selectors.watching.remarks import (
    answers_to,
    as_remarks,
    hidden_rounds,
    open_remarks,
    remarks,
)
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.practice.practice import meeting_open
from annotation.services.watching.remarks import (
    MOST_CHARACTERS,
    remark_answer,
    remark_settle,
    remarks_settle,
)
from tests.factories import make_annotator, make_pair, make_study, make_user, save
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """A wrote a comment, B has a doubt, C has nothing to say; each judged the one main pair."""
    study = make_study("remarques", state="main", lead=make_user("lead"))
    make_pair(study, key="item-x")
    for _ in range(3):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    said = {"A": {"comment": "Fourchette #2, je crois."}, "B": {"doubt": True}, "C": {}}
    for letter, answers in said.items():
        submit(study, letter, **answers)
    return study


def assignment_of(study: Study, letter: str) -> Assignment:
    assignments = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    return assignments.get(annotator__study=study, annotator__pseudonym=letter)


def submit(study: Study, letter: str, base_revision: int = 0, **answers: object) -> None:
    assignment = assignment_of(study, letter)
    judgment_submit(
        actor=assignment.annotator.user, assignment=assignment, save=save(base_revision, **answers)
    )


def people(study: Study, **wanted: str) -> str:
    return "".join(
        sorted(remark.annotator.pseudonym for remark in as_remarks(study, remarks(study, **wanted)))
    )


def test_the_list_and_its_filters(study):
    lead = make_user()
    assert people(study) == "AB"
    assert (people(study, kind="comment"), people(study, kind="doubt")) == ("A", "B")
    assert (people(study, annotator="B"), people(study, annotator="C")) == ("B", "")
    assert (people(study, search="fourchette"), people(study, search="item-x")) == ("A", "AB")
    remark_answer(actor=lead, study=study, assignment=assignment_of(study, "A").pk, text="Oui.")
    remark_settle(actor=lead, study=study, assignment=assignment_of(study, "B").pk)
    assert [people(study, state=state) for state in ("open", "answered", "settled")] == [
        "A",
        "A",
        "B",
    ]
    assert open_remarks(study) == 1
    assert people(make_study()) == ""


def test_the_list_costs_the_same_for_any_number(study, django_assert_num_queries):
    with django_assert_num_queries(4):
        assert len(as_remarks(study, remarks(study))) == 2
    submit(study, "C", 1, comment="Moi aussi.")
    with django_assert_num_queries(4):
        assert len(as_remarks(study, remarks(study))) == 3


class TestAnswer:
    def test_it_reaches_one_person_and_is_recorded_without_its_words(self, study):
        answer = remark_answer(
            actor=make_user(), study=study, assignment=assignment_of(study, "A").pk, text=" Oui. "
        )
        assert answers_to(assignment_of(study, "A")) == [answer]
        assert answers_to(assignment_of(study, "B")) == []
        event = Event.objects.get(verb="remark_answered")
        assert (event.study, event.target_id) == (study, str(answer.pk))
        assert "Oui" not in str(event.details)
        item = answer.assignment.simplification.item
        assert event.details["item"] == item.key, "no number of a row, which says nothing to a lead"

    def test_a_form_that_was_sent_twice_is_one_answer(self, study):
        fields = {"actor": make_user(), "study": study, "assignment": assignment_of(study, "A").pk}
        first = remark_answer(**fields, text="Oui.")
        assert remark_answer(**fields, text=" Oui. ") == first
        assert (
            RemarkAnswer.objects.count()
            == Event.objects.filter(verb="remark_answered").count()
            == 1
        )
        remark_answer(**fields, text="Non.")
        assert remark_answer(**fields, text="Oui.") != first, "it is not the last one any more"
        submit(study, "A", 1, comment="Encore #2 ?")
        remark_answer(**fields, text="Oui.")
        assert [answer.text for answer in answers_to(assignment_of(study, "A"))] == [
            "Oui.",
            "Non.",
            "Oui.",
            "Oui.",
        ]

    @pytest.mark.parametrize(
        ("text", "expected"), [("  ", "required"), ("x" * (MOST_CHARACTERS + 1), "too_long")]
    )
    def test_what_is_no_answer(self, study, text, expected):
        with pytest.raises(RuleError) as refused:
            remark_answer(
                actor=make_user(), study=study, assignment=assignment_of(study, "A").pk, text=text
            )
        assert code(refused) == expected
        assert not RemarkAnswer.objects.exists()

    def test_there_is_nothing_to_answer_in_silence_or_in_another_study(self, study):
        silent, foreign = assignment_of(study, "C").pk, assignment_of(study, "A").pk
        for where, assignment in ((study, silent), (make_study(), foreign), (study, 0)):
            with pytest.raises(RuleError) as refused:
                remark_answer(actor=make_user(), study=where, assignment=assignment, text="Oui.")
            assert code(refused) == "unknown"


class TestSettled:
    def test_until_it_is_opened_again(self, study):
        lead, pk = make_user(), assignment_of(study, "A").pk
        remark_settle(actor=lead, study=study, assignment=pk)
        remark_settle(actor=lead, study=study, assignment=pk)
        assert people(study, state="settled") == "A"
        remark_settle(actor=lead, study=study, assignment=pk, is_settled=False)
        assert people(study, state="open") == "AB"
        assert list(
            Event.objects.filter(verb__startswith="remark_")
            .order_by("pk")
            .values_list("verb", flat=True)
        ) == [
            *("remark_settled", "remark_settled", "remark_reopened"),
        ]

    def test_until_the_judgment_is_corrected(self, study):
        remark_settle(actor=make_user(), study=study, assignment=assignment_of(study, "A").pk)
        submit(study, "A", 1, comment="Finalement non.")
        assert people(study, state="open") == "AB"


class TestHidden:
    def test_words_of_comments_during_a_blind_phase(self, study):
        Study.objects.update(is_blind=True)
        study.refresh_from_db()
        (a,) = as_remarks(study, remarks(study, kind="comment"))
        assert (a.comment, a.has_comment, a.comment_hidden) == ("", True, True)
        assert people(study, search="fourchette") == "", "a search would tell the words one by one"
        assert people(study, kind="doubt") == "B"
        Study.objects.update(state="closed")
        study.refresh_from_db()
        assert people(study, search="fourchette") == "A"

    def test_practice_until_its_answers_are_put_side_by_side(self, study):
        make_pair(study, round="practice")
        Study.objects.update(state="practice")
        study.refresh_from_db()
        assignments_fill(actor=None, study=study)
        assert hidden_rounds(study) == ("practice",)
        meeting_open(actor=make_user(), study=study, reason="pressé")
        assert hidden_rounds(study) == ()


def test_many_are_settled_at_once_or_none(study):
    lead = study.leads.get().user
    first, second, silent = (assignment_of(study, letter).pk for letter in "ABC")
    with pytest.raises(RuleError) as refused:
        remarks_settle(actor=lead, study=study, assignments=[first, silent])
    assert code(refused) == "unknown"
    with pytest.raises(RuleError) as refused:
        remarks_settle(actor=lead, study=study, assignments=[])
    assert code(refused) == "none"
    assert people(study, state="settled") == ""
    assert remarks_settle(actor=lead, study=study, assignments=[second, first, first]) == 2
    assert people(study, state="settled") == "AB"
    assert Event.objects.filter(study=study, verb="remark_settled").count() == 2
