"""Questions, answers and grades of models: each there once, refused with a reason, changed by leads
before they are asked."""

from __future__ import annotations

import json

import pytest
from django.db import IntegrityError, transaction

from annotation.errors import RuleError
from annotation.models import (
    Event,
    Generation,
    GenerationCall,
    GenerationRun,
    Output,
    Question,
    QuestionAnswer,
    QuestionGrade,
)
from annotation.selectors.generation.orders import order_of
from annotation.selectors.generation.runs import run_estimate, run_preset
from annotation.services.generation.calls import MOST_UNREAD, generation_claim, generation_store
from annotation.services.generation.questions import (
    answer_store,
    grade_store,
    question_drop,
    question_edit,
    question_restore,
)
from annotation.services.generation.runs import run_create, run_retry_failed, run_start, run_update
from annotation.services.generation.sending import generations_resend
from tests.factories import make_study
from tests.services.generation.generating import broker, fresh, reply
from tests.services.generation.questioning import (
    NOT_SAID,
    QUESTIONS,
    TEXTS,
    all_replied,
    answer,
    begun,
    grade,
    graded,
    make_texts,
    prepared,
    questions,
    replied,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(broker):
    study = make_study(state="main")
    make_texts(study)
    return study


@pytest.fixture
def asked(study):
    """A run of questions that has ended."""
    return all_replied(begun(study), questions())


class TestTheWholeWay:
    def test_each_question_answer_and_grade_is_there_once(self, study):
        run = graded(study)
        assert run.state == "finished"
        assert list(Question.objects.values_list("number", "type", "expected")) == [
            (n, question["type"], question["answer"])
            for n, question in enumerate(QUESTIONS, start=1)
        ]
        answers = QuestionAnswer.objects.order_by("pk")
        assert [(row.question.number, row.simplification.system) for row in answers] == [
            (1, "a"),
            (1, "b"),
            (2, "a"),
            (2, "b"),
        ]
        assert [(row.is_said, row.is_beyond) for row in answers] == [
            (True, False),
            (False, False),
            (True, False),
            (True, True),
        ]
        # That a text does not say is asked of no model.
        assert list(QuestionGrade.objects.values_list("answer__question__number", "score")) == [
            (1, 9),
            (2, 6),
            (2, 2),
        ]
        assert Output.objects.count() == 1 + 4 + 3
        assert not Output.objects.exclude(text="").exists()

    def test_what_a_model_is_told(self, study):
        run = begun(study)
        order = order_of(run.generations.get())
        system, user = (message["content"] for message in order.messages)
        assert system.startswith(run.systems.get().prompt)
        assert "condition" in system
        assert "soixante jours" in user
        assert order.parameters["response_format"]["json_schema"]["strict"] is True
        all_replied(run, questions())
        run = begun(study, "answer", after=run)
        user = order_of(run.generations.first()).messages[1]["content"]
        assert QUESTIONS[0]["question"] in user
        assert TEXTS["a"] in user
        assert QUESTIONS[0]["answer"] not in user, "the expected answer is never told"
        all_replied(run, answer("Sous soixante jours.", "soixante jours"))
        run = begun(study, "grade", after=run)
        user = order_of(run.generations.first()).messages[1]["content"]
        assert QUESTIONS[0]["answer"] in user
        assert "Sous soixante jours." in user
        assert TEXTS["a"] not in user

    def test_what_is_marked_in_a_text_is_told_with_it(self, study):
        study.items.update(structure="ISSUE; REASON")
        run = begun(study, questioning={"types": ["deadline", "exception", "condition"]})
        assert "ISSUE; REASON" in order_of(run.generations.get()).messages[1]["content"]
        run = begun(study, "answer", after=all_replied(run, questions()))
        assert "ISSUE" not in str(order_of(run.generations.first()).messages)

    def test_what_is_asked_about_fits_what_was_brought_in(self, study):
        assert "deadline" in prepared(study).questioning["types"]
        study.items.update(structure="issue; conclusion")
        assert prepared(study).questioning["types"] == ["issue", "reason", "conclusion"]
        assert "deadline" in prepared(study, round="practice").questioning["types"]
        wanted = {"types": ["amount"]}
        assert prepared(study, questioning=wanted).questioning["types"] == ["amount"]

    def test_a_text_beyond_the_window_of_a_run_of_grades_is_nothing_to_it(self, study, asked):
        study.items.get().simplifications.update(text="Vous avez soixante jours. " * 60)
        answering = all_replied(begun(study, "answer", after=asked), answer())
        run = prepared(study, "grade", after=answering, questioning={"window": 100})
        run_start(actor=None, run=run)
        assert len(order_of(run.generations.first()).messages) == 2

    def test_it_costs_what_was_estimated_for_as_many_calls(self, study, asked):
        run = prepared(study, "answer", after=asked)
        _by_system, whole = run_estimate(run)
        assert whole.calls == 4
        assert whole.expected > 0
        run = all_replied(run_start(actor=None, run=run), NOT_SAID)
        assert run.generations.count() == GenerationCall.objects.filter(generation__run=run).count()
        grading = prepared(study, "grade", after=run)
        assert run_estimate(grading)[1].calls == 0

    def test_prompts_stand_side_by_side(self, study):
        run = all_replied(begun(study, names=("courte", "longue")), questions())
        assert Question.objects.count() == 4
        assert begun(study, "answer", after=run).generations.count() == 8

    def test_a_system_is_not_asked_twice(self, study, asked):
        with pytest.raises(RuleError, match="nothing to do"):
            begun(study)
        answered = all_replied(begun(study, "answer", after=asked), answer())
        with pytest.raises(RuleError, match="nothing to do"):
            begun(study, "answer", after=asked)
        all_replied(begun(study, "grade", after=answered), grade())
        with pytest.raises(RuleError, match="nothing to do"):
            begun(study, "grade", after=answered)
        # Another is.
        assert begun(study, "grade", after=answered, names=("autre",)).generations.count() == 4

    def test_a_name_stands_for_one_setting(self, study, asked):
        with pytest.raises(RuleError) as caught:
            prepared(study, questioning={"most": 3})
        assert caught.value.problems[0].field == "name"

    def test_repeats_and_controls_are_asked_nothing(self, study, asked):
        first = study.items.get().simplifications.first()
        first.item.simplifications.create(text="x", system="", repeat_of=first, position=9)
        assert begun(study, "answer", after=asked).generations.count() == 4

    def test_the_database_holds_each_once(self, asked):
        generation = asked.generations.get()
        with pytest.raises(IntegrityError), transaction.atomic():
            Question.objects.create(
                generation=generation, number=1, type="x", text="x", expected="x", quotation="x"
            )


class TestRefused:
    @pytest.mark.parametrize(
        ("raw", "words"),
        [
            ("Je suis désolé.", "JSON"),
            (json.dumps({"questions": []}), "Trop peu"),
            (questions(QUESTIONS[0], QUESTIONS[0]), "répète"),
            (questions(QUESTIONS[0] | {"quotation": ""}), "cite"),
            (questions(QUESTIONS[0] | {"quotation": "nulle part ici"}), "citation"),
        ],
    )
    def test_questions(self, study, raw, words):
        run = begun(study)
        assert not replied(run.generations.get(), raw)
        row = run.generations.get()
        assert (row.state, row.problem) == ("waiting", "rules")
        assert words in row.problem_detail
        assert not Question.objects.exists()
        assert not Output.objects.exists()
        user = order_of(row).messages[1]["content"]
        assert row.problem_detail in user, "it is told so when it is asked again"
        # It was answered, and is paid.
        assert [call.outcome for call in row.calls.all()] == ["rules"]
        assert fresh(run).spent == row.calls.get().cost > 0

    def test_an_answer_in_another_language(self, study, asked):
        run = begun(study, "answer", after=asked)
        english = "The insurer has to pay the money within sixty days of the notice of the claim."
        assert not replied(run.generations.first(), answer(english))
        assert "français" in run.generations.get(problem="rules").problem_detail
        assert not QuestionAnswer.objects.exists()

    def test_a_grade_of_eleven(self, study, asked):
        answered = all_replied(begun(study, "answer", after=asked), answer())
        run = begun(study, "grade", after=answered)
        first = run.generations.first()
        for _ in range(MOST_UNREAD):
            assert not replied(first, grade(11))
        first.refresh_from_db()
        assert (first.state, first.problem) == ("failed", "rules")
        assert "11" in first.problem_detail
        assert not QuestionGrade.objects.exists(), "nothing stands for a grade that never came"
        assert run_retry_failed(actor=None, run=run) == 1
        assert replied(first, grade(10))

    def test_in_english_where_the_questions_are(self, study):
        run = begun(study, questioning={"language": "en"})
        assert not replied(run.generations.get(), "no")
        assert run.generations.get().problem_detail == "reply : The reply is not JSON."
        assert run.systems.get().prompt == run_preset(run).prompt
        assert run_preset(run).prompt.startswith("You prepare")

    def test_a_text_without_words_is_listed_and_never_asked(self, study, asked):
        study.items.get().simplifications.filter(system="b").update(text=" — ")
        run = begun(study, "answer", after=asked)
        assert run.generations.filter(state="failed", problem="empty_text").count() == 2
        run = all_replied(run, answer())
        assert run.state == "finished"
        with pytest.raises(RuleError, match="nothing to ask again"):
            run_retry_failed(actor=None, run=run)
        assert QuestionAnswer.objects.count() == 2

    def test_a_text_beyond_the_window_is_listed_with_its_length(self, study):
        study.items.update(original="L'assureur verse l'indemnité. " * 100)
        with pytest.raises(RuleError, match="nothing to do"):
            begun(study, questioning={"window": 100})
        make_texts(study)
        run = begun(study, questioning={"window": 100})
        row = run.generations.get(state="failed")
        assert (row.problem, row.tries) == ("too_long", 0)
        assert "100" in row.problem_detail
        assert run.generations.filter(state="waiting").count() == 1

    def test_or_cut_where_a_lead_says_so(self, study):
        study.items.update(original="L'assureur verse l'indemnité. " * 100)
        run = begun(study, questioning={"window": 100, "border": "sentence"})
        user = order_of(run.generations.get()).messages[1]["content"]
        assert 0 < user.count("L'assureur verse l'indemnité.") < 20


class TestLate:
    """The claim was lost while the model was thinking."""

    def lost(self, run):
        order = order_of(run.generations.first())
        generation_claim(order, "m1")
        run.generations.filter(state="running").update(lease_until="2026-01-01T00:00:00Z")
        generations_resend()
        return order

    def test_questions_that_nobody_else_has_brought_count(self, study):
        run = begun(study)
        order = self.lost(run)
        assert generation_store(order, "m1", reply(questions()))
        assert not generation_store(order, "m1", reply(questions()))
        assert Question.objects.count() == 2

    def test_those_that_another_worker_is_at_are_only_noted(self, study):
        run = begun(study)
        order = self.lost(run)
        assert generation_claim(order_of(run.generations.get()), "m2")
        assert not generation_store(order, "m1", reply(questions()))
        assert not Question.objects.exists()
        assert generation_store(order_of(run.generations.get()), "m2", reply(questions()))
        assert Question.objects.count() == 2


class TestSettings:
    @pytest.mark.parametrize(
        ("wanted", "field"),
        [
            ({"types": []}, "types"),
            ({"types": ["x"]}, "types"),
            ({"types": ["amount", "amount"]}, "types"),
            ({"least": 5, "most": 4}, "most"),
            ({"least": 0}, "most"),
            ({"most": 51}, "most"),
            ({"language": "de"}, "language"),
            ({"window": 5}, "window"),
            ({"window": -1}, "window"),
            ({"border": "nowhere"}, "border"),
        ],
    )
    def test_what_is_refused(self, study, wanted, field):
        with pytest.raises(RuleError) as caught:
            run_create(actor=None, study=study, purpose="question", questioning=wanted)
        assert [problem.field for problem in caught.value.problems] == [field]

    @pytest.mark.parametrize(
        ("purpose", "wanted"),
        [("simplify", {"most": 3}), ("question", {"colour": "red"}), ("answer", {"types": []})],
    )
    def test_what_a_run_does_not_have(self, study, asked, purpose, wanted):
        after = asked if purpose == "answer" else None
        with pytest.raises(RuleError) as caught:
            run_create(actor=None, study=study, purpose=purpose, after=after, questioning=wanted)
        assert [problem.code for problem in caught.value.problems] == ["unfit"]

    def test_it_changes_in_preparation_alone(self, study):
        run = run_create(actor=None, study=study, purpose="question")
        run = run_update(actor=None, run=run, questioning={"most": 3, "types": ["amount"]})
        assert (run.questioning["most"], run.questioning["least"]) == (3, 1)
        with pytest.raises(RuleError):
            run_update(actor=None, run=run, questioning={"most": 99})
        begun_ = begun(study)
        with pytest.raises(RuleError, match="has begun"):
            run_update(actor=None, run=begun_, questioning={"most": 3})

    def test_what_a_run_follows(self, study, asked):
        other = make_study("ailleurs")
        for purpose, after, place in [
            ("answer", None, study),
            ("answer", asked, other),
            ("grade", asked, study),
            ("question", asked, study),
            ("simplify", asked, study),
        ]:
            with pytest.raises(RuleError) as caught:
                run_create(actor=None, study=place, purpose=purpose, after=after)
            assert caught.value.problems[0].field == "after"

    def test_how_it_is_asked_is_taken_over(self, study):
        run = begun(study, questioning={"language": "en", "window": 500})
        after = run_create(actor=None, study=study, purpose="answer", after=run)
        assert after.questioning == {"language": "en", "window": 500, "border": ""}
        assert run_create(actor=None, study=study).questioning == {}

    def test_what_has_not_ended_is_not_taken_up(self, study):
        run = begun(study)
        with pytest.raises(RuleError, match="has not ended"):
            begun(study, "answer", after=run)

    def test_what_was_sent_back_meanwhile_is_not_taken_up(self, study, asked):
        run = prepared(study, "answer", after=asked)
        assert run.after.state == "finished", "as it was read"
        GenerationRun.objects.filter(pk=asked.pk).update(state="running")
        with pytest.raises(RuleError) as caught:
            run_start(actor=None, run=run)
        assert caught.value.problems[0].code == "under_way"

    def test_what_asks_no_question_answers_none(self, study):
        generation = begun(study).generations.get()
        with pytest.raises(TypeError):
            answer_store(generation, answer())
        with pytest.raises(TypeError):
            grade_store(generation, grade())


class TestLeads:
    def test_a_question_is_edited_and_what_it_was_is_kept(self, asked):
        question = Question.objects.first()
        question_edit(actor=None, question=question, text=" Sous quel délai ? ", type="condition")
        question.refresh_from_db()
        assert (question.text, question.type) == ("Sous quel délai ?", "condition")
        assert question.edited_at is not None
        event = Event.objects.get(verb="question_edited")
        assert event.details["before"]["question"] == QUESTIONS[0]["question"]
        assert event.details["after"]["question"] == "Sous quel délai ?"

    def test_nothing_changed_is_no_edit(self, asked):
        question = Question.objects.first()
        question_edit(actor=None, question=question, text=question.text)
        assert fresh(question).edited_at is None
        assert not Event.objects.filter(verb="question_edited").exists()

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"text": " "}, "text"),
            ({"expected": ""}, "expected"),
            ({"quotation": ""}, "quotation"),
            ({"quotation": "nulle part ici"}, "quotation"),
            ({"type": "issue"}, "type"),
        ],
    )
    def test_what_is_refused(self, asked, changes, field):
        question = Question.objects.first()
        with pytest.raises(RuleError) as caught:
            question_edit(actor=None, question=question, **changes)
        assert [problem.field for problem in caught.value.problems] == [field]
        assert Question.objects.get(pk=question.pk).edited_at is None

    def test_one_that_was_dropped_is_not_asked(self, study, asked):
        first, second = Question.objects.all()
        for _ in range(2):
            question_drop(actor=None, question=first)
        question_drop(actor=None, question=second)
        for _ in range(2):
            question_restore(actor=None, question=second)
        assert Event.objects.filter(verb="question_dropped").count() == 2
        assert Event.objects.filter(verb="question_restored").count() == 1
        run = begun(study, "answer", after=asked)
        assert set(run.generations.values_list("question", flat=True)) == {second.pk}

    def test_one_that_was_asked_stays_as_it_is(self, study, asked):
        begun(study, "answer", after=asked)
        question = Question.objects.first()
        for change in (question_drop, question_restore, question_edit):
            with pytest.raises(RuleError, match="was asked"):
                change(actor=None, question=question)
        assert Generation.objects.filter(question=question).exists()
