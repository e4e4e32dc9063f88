"""What a model replies: taken as it is, or refused in both languages."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.questions.prompts import (
    PRESETS,
    Task,
    answer_messages,
    grade_messages,
    preset,
    questions_messages,
    response_format,
)
from annotation.questions.reading import (
    MAX_TEXT,
    ReplyError,
    check_text,
    read_answer,
    read_grade,
    read_questions,
)
from annotation.questions.values import (
    CLAUSE_TYPES,
    SUMMARY_TYPES,
    TYPES,
    Answer,
    Grade,
    answer_text,
    pair_text,
)

TEXT = (
    "L'assureur rembourse les frais de remorquage jusqu'à 250 $, si l'assuré présente ses reçus "
    "dans les trente jours."
)
ONE = {
    "type": "amount",
    "question": "Jusqu'à quelle somme les frais de remorquage sont-ils remboursés?",
    "answer": "Jusqu'à 250 $.",
    "quotation": "jusqu’à 250 $",
}
TWO = {
    "type": "deadline",
    "question": "Dans quel délai l'assuré doit-il présenter ses reçus?",
    "answer": "Dans les trente jours.",
    "quotation": "dans les trente jours",
}


def reply(*entries: Any) -> str:
    return json.dumps({"questions": entries})


def read(text: str, least: int = 1, most: int = 3, reference: str = TEXT) -> Any:
    return read_questions(
        text, reference, types=CLAUSE_TYPES, least=least, most=most, language="fr"
    )


def code(read_reply: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(ReplyError) as caught:
        read_reply(*args, **options)
    problem = caught.value.problem
    assert problem.message.fr
    assert problem.message.en
    return str(problem.code)


def test_questions_are_numbered_in_their_order() -> None:
    questions = read(reply(ONE, TWO))
    assert [(question.number, question.type, question.expected) for question in questions] == [
        (1, "amount", "Jusqu'à 250 $."),
        (2, "deadline", "Dans les trente jours."),
    ]


ENGLISH = {
    "type": "amount",
    "question": "Up to which amount are the costs of towing reimbursed by the insurer?",
    "answer": "They are reimbursed up to the amount of 250 dollars by the insurer.",
    "quotation": "jusqu'à 250 $",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Voici les questions :", "not_json"),
        ("[" * 100_000, "not_json"),
        ('{"questions": "\\ud800"}', "not_json"),
        ("[]", "not_json"),
        ("{}", "shape"),
        ('{"questions": {}}', "shape"),
        (reply(), "too_few"),
        (reply(ONE, ONE, ONE, ONE), "too_many"),
        (reply("une question"), "shape"),
        (reply(ONE | {"type": "issue"}), "unknown_type"),
        (reply(ONE | {"question": 3}), "shape"),
        (reply(ONE | {"question": " "}), "empty"),
        (reply(ONE | {"question": "\u200b"}), "empty"),
        (reply(ONE | {"answer": "x" * (MAX_TEXT + 1)}), "too_long"),
        (reply(ONE | {"quotation": ""}), "no_quotation"),
        (reply(ONE | {"quotation": "jusqu'à 500 $"}), "quotation_not_found"),
        (reply(ONE, ONE), "duplicate"),
        (reply(ONE, TWO | {"question": ONE["question"].upper()}), "duplicate"),
        (reply(ENGLISH), "language"),
    ],
)
def test_questions_that_are_refused(text: str, expected: str) -> None:
    assert code(read, text) == expected


def test_nothing_is_asked_about_an_empty_text() -> None:
    assert code(read, reply(ONE), reference=" \n… ") == "empty_text"
    assert code(check_text, "") == "empty_text"
    assert code(read_answer, "{}", "—", question=1, language="fr") == "empty_text"


def answered(**changed: Any) -> str:
    answer = {"in_text": True, "answer": "Jusqu'à 250 $.", "quotation": "jusqu'à 250 $"}
    return json.dumps(answer | changed)


def test_an_answer_with_its_words() -> None:
    assert read_answer(answered(), TEXT, question=4, language="fr") == Answer(
        4, "Jusqu'à 250 $.", "jusqu'à 250 $", is_in_text=True, beyond_text=False
    )


@pytest.mark.parametrize("quotation", ["", "jusqu'à 500 $", "250 dollars"])
def test_an_answer_whose_words_are_not_there_is_marked(quotation: str) -> None:
    answer = read_answer(answered(quotation=quotation), TEXT, question=1, language="fr")
    assert answer.is_in_text
    assert answer.beyond_text
    assert answer.quotation == quotation


def test_that_the_text_does_not_say_is_an_answer_without_words() -> None:
    reply_text = answered(in_text=False, answer="Le texte ne le dit pas.", quotation="x")
    assert read_answer(reply_text, TEXT, question=2, language="fr") == Answer(
        2, "", "", is_in_text=False, beyond_text=False
    )


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"in_text": "yes"}, "shape"),
        ({"answer": ""}, "empty"),
        ({"answer": None}, "shape"),
        ({"quotation": None}, "shape"),
        ({"answer": ENGLISH["answer"]}, "language"),
    ],
)
def test_answers_that_are_refused(changed: dict[str, Any], expected: str) -> None:
    assert code(read_answer, answered(**changed), TEXT, question=1, language="fr") == expected


def test_words_of_the_text_itself_are_in_no_other_language() -> None:
    text = "Il parle de « the duty of the insurer to defend the insured » sans le traduire."
    reply_text = answered(
        answer="The duty of the insurer to defend the insured", quotation="the duty"
    )
    assert read_answer(reply_text, text, question=1, language="fr").text.startswith("The duty")


@pytest.mark.parametrize("score", [0, 10, 7.0])
def test_a_grade_is_a_whole_number_on_the_scale(score: float) -> None:
    reply_text = json.dumps({"grade": score, "reason": "Tout y est."})
    assert read_grade(reply_text, question=3) == Grade(3, int(score), "Tout y est.")


@pytest.mark.parametrize("score", [11, -1, 7.5, "7", None, True, [7]])
def test_no_other_grade_is_taken(score: object) -> None:
    assert code(read_grade, json.dumps({"grade": score, "reason": "x"}), question=1) == "grade"


def test_a_thought_before_a_reply_is_no_part_of_it() -> None:
    reply_text = "<think>{Tout} y est?</think>\n" + json.dumps({"grade": 9, "reason": "Tout."})
    assert read_grade(reply_text, question=3) == Grade(3, 9, "Tout.")


def test_the_fence_around_a_reply_is_no_part_of_it() -> None:
    reply_text = "```json\n" + json.dumps({"grade": 9, "reason": "Tout."}) + "\n```"
    assert read_grade(reply_text, question=3) == Grade(3, 9, "Tout.")


def test_a_grade_says_why() -> None:
    assert code(read_grade, '{"grade": 7, "reason": ""}', question=1) == "empty"
    assert code(read_grade, '{"grade": NaN, "reason": "x"}', question=1) == "grade"


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from([*ONE, "questions", "in_text", "grade", "reason"]), inner
            )
        ),
    )
)
def test_any_json_is_taken_or_refused(value: object) -> None:
    text = json.dumps(value)
    for read_it in (
        lambda: read(text),
        lambda: read_answer(text, TEXT, question=1, language="fr"),
        lambda: read_grade(text, question=1),
    ):
        with suppress(ReplyError):
            read_it()


def test_there_is_a_preset_for_each_task_and_language() -> None:
    assert {(known_preset.task, known_preset.language) for known_preset in PRESETS} == {
        (task, language) for task in Task for language in ("fr", "en")
    }
    assert len({(known_preset.key, known_preset.version) for known_preset in PRESETS}) == len(
        PRESETS
    )
    for known_preset in PRESETS:
        assert preset(known_preset.task, known_preset.language) == known_preset
        assert known_preset.text.strip()
    with pytest.raises(KeyError):
        preset(Task.GRADES, "de")


@pytest.mark.parametrize("language", ["fr", "en"])
def test_what_is_asked_holds_what_is_needed_and_no_more(language: str) -> None:
    system, user = questions_messages(
        "LEAD",
        TEXT,
        types=SUMMARY_TYPES,
        least=3,
        most=9,
        language=language,
        structure="STRUCTURE",
        problems=["PROBLEM"],
    )
    assert system.startswith("LEAD\n")
    assert all(
        key in system and TYPES[key].description.get(language) in system for key in SUMMARY_TYPES
    )
    assert "3" in system
    assert "9" in system
    assert TEXT in user
    assert "STRUCTURE" in user
    assert user.endswith("- PROBLEM")
    system, user = answer_messages("LEAD", "QUESTION", TEXT, language=language)
    assert "in_text" in system
    assert "QUESTION" in user
    assert TEXT in user
    _system, user = grade_messages("LEAD", "QUESTION", "EXPECTED", "GIVEN", language=language)
    assert [word in user for word in ("QUESTION", "EXPECTED", "GIVEN")] == [True] * 3


def test_schemas_are_strict() -> None:
    def strict(schema: Any) -> None:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False
                assert set(schema["required"]) == set(schema["properties"])
            for inner in schema.values():
                strict(inner)

    for task in Task:
        json_schema = response_format(task, SUMMARY_TYPES)["json_schema"]
        assert json_schema["strict"] is True
        strict(json_schema["schema"])
    question_schema = response_format(Task.QUESTIONS, SUMMARY_TYPES)["json_schema"]["schema"]
    assert question_schema["properties"]["questions"]["items"]["properties"]["type"]["enum"] == [
        *SUMMARY_TYPES
    ]


def test_what_people_read_of_a_question() -> None:
    assert pair_text("Q {text}?", "E", "fr") == "Question : Q {text}?\nRéponse attendue : E"
    assert answer_text("Q?", "E", "A", "en") == "Question: Q?\nExpected answer: E\nAnswer given: A"
