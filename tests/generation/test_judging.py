"""A model asked what a person is asked, and its answer as a person's answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from annotation.generation.judging import (
    UnreadableAnswer,
    answers_of,
    instructions,
    judge_preset,
    question,
    response_format,
    schema,
)
from annotation.generation.presets import system_problems
from annotation.protocols.base import NO_WORDING, Answers, Option, PairFacts, Wording
from annotation.protocols.kinds import (
    Choice,
    Choices,
    Field,
    ShapeError,
    Slider,
    Text,
    When,
    Whole,
)
from annotation.protocols.legal_meaning.definition import simplicity
from annotation.protocols.protocol import Protocol, Step
from annotation.protocols.registry import protocol

PROTOCOL = protocol("legal_meaning", "1")
RULED = PROTOCOL.clean_rulings({})
JUDGE = judge_preset(PROTOCOL)
FIELDS = {field.name: field for field in PROTOCOL.fields}
ORIGINAL = (
    "Le locataire paie le loyer d'avance, le premier jour de chaque mois. 🏠 Le loyer est dû."
)
SIMPLIFIED = "Le locataire paie le loyer chaque mois."


def answer(**changed):
    """A whole answer as the schema asks for it."""
    error = {
        "type": "omission",
        "note": "d'avance",
        "original_quote": "d'avance",
        "simplification_quote": "",
    }
    return {
        "simplicity": 1,
        "simplicity_confirmed": False,
        "characterization": 7,
        "explanation": "",
        "bracket": 3,
        "errors": [error],
        "crossing_answer": "",
        "moved_from": None,
        "comment": "",
        "doubt": False,
    } | changed


def read(received):
    raw = received if isinstance(received, str) else json.dumps(received)
    return answers_of(raw, PROTOCOL, original=ORIGINAL, simplification=SIMPLIFIED)


class TestAsked:
    def test_every_question_and_option_in_french(self):
        text = instructions(PROTOCOL, RULED, JUDGE.prompt)
        assert text.startswith(JUDGE.prompt)
        for number, step in enumerate(PROTOCOL.steps, start=1):
            assert f"## Étape {number}. {step.question.fr}" in text
        for field in PROTOCOL.fields:
            assert field.name in text
            for option in getattr(field, "options", ()):
                assert f"  {option.value} : {option.label.fr}" in text
            for bracket in getattr(field, "brackets", ()):
                assert bracket.label.fr in text
            for kind in getattr(field, "types", ()):
                assert kind.key in text

    def test_what_the_study_decides_is_told(self):
        plain = instructions(PROTOCOL, RULED | {"crossing_policy": "clamp"}, "Juge.")
        assert "exige au moins une citation" not in plain
        assert "« kept »" not in plain
        strict = instructions(PROTOCOL, RULED | {"span_required": True}, "Juge.")
        assert "exige au moins une citation" in strict
        assert "« kept »" in strict

    def test_the_pair_and_what_was_wrong(self):
        assert question("A", "B") == "Texte original :\nA\n\nTexte généré par le modèle :\nB"
        again = question("A", "B", ["bracket : répondez", "errors : trop"])
        assert again.endswith(
            "Ta réponse précédente a été refusée :\n- bracket : répondez\n- errors : trop"
        )

    def test_the_preset_can_be_asked(self):
        assert system_problems(JUDGE, needs_placeholder=False) == []


class TestSchema:
    def test_every_field_is_required_and_nothing_else_allowed(self):
        json_schema = schema(PROTOCOL)
        names = [field.name for field in PROTOCOL.fields]
        assert json_schema["required"] == list(json_schema["properties"]) == names
        assert json_schema["additionalProperties"] is False
        error = json_schema["properties"]["errors"]["items"]
        assert error["required"] == ["type", "note", "original_quote", "simplification_quote"]
        assert error["additionalProperties"] is False

    def test_values_are_those_of_the_protocol(self):
        properties = schema(PROTOCOL)["properties"]
        assert properties["bracket"] == {"type": "integer", "enum": [1, 2, 3]}
        assert properties["crossing_answer"] == {"type": "string", "enum": ["", "kept", "moved"]}
        assert properties["moved_from"] == {"type": ["integer", "null"]}
        assert properties["doubt"] == {"type": "boolean"}
        assert properties["comment"] == {"type": "string"}
        assert properties["simplicity"]["enum"] == [option.value for option in simplicity.options]

    def test_as_the_api_wants_it(self):
        json_format = response_format(PROTOCOL)
        assert json_format["type"] == "json_schema"
        assert json_format["json_schema"]["strict"] is True
        assert json_format["json_schema"]["schema"] == schema(PROTOCOL)

    def test_a_field_that_no_model_can_be_asked(self):
        odd = replace(PROTOCOL, steps=(Step("s", NO_WORDING, (Field("f"),)),))
        with pytest.raises(NotImplementedError, match="Field has no model_schema"):
            schema(odd)


class TestAnswers:
    def test_quotations_become_offsets(self):
        error = read(answer())["errors"][0]
        start = ORIGINAL.index("d'avance")
        assert (error["original_start"], error["original_end"]) == (start, start + len("d'avance"))
        assert (error["simplification_start"], error["simplification_end"]) == (None, None)
        assert error["note"] == "d'avance"

    def test_offsets_count_code_points(self):
        quoted = {
            "type": "omission",
            "note": "",
            "original_quote": " Le loyer est dû. ",
            "simplification_quote": "",
        }
        error = read(answer(errors=[quoted]))["errors"][0]
        assert ORIGINAL[error["original_start"] : error["original_end"]] == "Le loyer est dû."

    def test_both_sides(self):
        quoted = {
            "type": "omission",
            "note": None,
            "original_quote": "Le loyer",
            "simplification_quote": "le loyer",
        }
        error = read(answer(errors=[quoted]))["errors"][0]
        assert ORIGINAL[error["original_start"] : error["original_end"]] == "Le loyer"
        assert SIMPLIFIED[error["simplification_start"] : error["simplification_end"]] == "le loyer"
        assert error["note"] == ""

    def test_a_quotation_that_is_nowhere_stands_in_the_note(self):
        quoted = {
            "type": "omission",
            "note": "Manque",
            "original_quote": "le bail",
            "simplification_quote": "le toit",
        }
        error = read(answer(errors=[quoted]))["errors"][0]
        assert error["note"] == "Manque [« le bail »] [« le toit »]"
        assert error["original_start"] is error["simplification_start"] is None

    def test_a_quotation_alone(self):
        quoted = {"type": "omission", "original_quote": "le bail"}
        assert read(answer(errors=[quoted]))["errors"][0]["note"] == "[« le bail »]"

    def test_the_rules_for_people_hold(self):
        facts = PairFacts(len(ORIGINAL), len(SIMPLIFIED))
        assert PROTOCOL.problems(read(answer()), facts, RULED) == []
        missing = PROTOCOL.problems(read(answer(characterization="")), facts, RULED)
        assert [problem.field for problem in missing] == ["characterization"]
        unquoted = answer(
            errors=[
                {"type": "omission", "note": "?", "original_quote": "", "simplification_quote": ""}
            ]
        )
        strict = PROTOCOL.problems(read(unquoted), facts, RULED | {"span_required": True})
        assert [problem.code for problem in strict] == ["span_required"]

    @pytest.mark.parametrize(
        "thought",
        [
            "<think>\n{Que} dit la clause?\n</think>\n\n",
            "Voyons.</think>",
            "\n<THINKING></thinking>",
        ],
    )
    def test_a_thought_before_the_object_is_no_part_of_it(self, thought):
        assert read(thought + json.dumps(answer())) == read(answer())

    @pytest.mark.parametrize(
        "fenced",
        [
            "```json\n{}\n```",
            "```\n{}\n```\n",
            "``` JSON {}```",
            "Voici ma réponse :\n\n```json\n{}\n```\nElle suit les étapes.",
            "<think>Voyons.</think>\n```json\n{}\n```",
        ],
    )
    def test_the_fence_around_the_object_is_no_part_of_it(self, fenced):
        commented = json.dumps(answer(comment="Pas de « ``` » ici."))
        assert read(fenced.replace("{}", commented)) == read(commented)

    def test_what_an_answer_says_of_a_thought_stays(self):
        assert read(answer(comment="Finit par « </think> »."))["comment"].endswith("</think> ».")

    @pytest.mark.parametrize(
        "raw",
        [
            "",
            "Je ne peux pas.",
            '{"simplicity": 1',
            "[]",
            "3",
            "null",
            "[" * 100_000,
            '{"comment": "\\ud83d"}',
            '<think>Ou bien {"simplicity": 1}',
            "<think>Rien à redire.</think>",
            '```json\n{"simplicity": 1}\n```\nou\n```json\n{"simplicity": 2}\n```',
            '```json\n{"simplicity": 1}\n```\nou {"simplicity": 2}',
            '```json\n{"simplicity": 1',
            "``````",
        ],
    )
    def test_what_is_no_object(self, raw):
        with pytest.raises(UnreadableAnswer) as caught:
            read(raw)
        assert (caught.value.problem.field, caught.value.problem.code) == ("answers", "unreadable")

    @pytest.mark.parametrize(
        "wrong",
        [
            {"simplicity": 99},
            {"simplicity": True},
            {"bracket": "three"},
            {"errors": "none"},
            {"errors": ["omission"]},
            {"errors": [{"type": "typo"}]},
            {"errors": [{"type": "omission", "note": "a\x00b"}]},
            {"comment": ["x"]},
            {"verdict": "good"},
        ],
    )
    def test_what_has_the_wrong_shape(self, wrong):
        with pytest.raises(ShapeError):
            read(answer(**wrong))


def test_whole_numbers_may_be_left_out():
    assert schema(PROTOCOL)["properties"]["moved_from"]["type"] == ["integer", "null"]
    assert isinstance(FIELDS["moved_from"], Whole)


class TestConditions:
    """A protocol whose questions depend on each other: what nobody was asked has no rating."""

    LACKS = tuple(
        Option(value, key, Wording(key, key)) for value, key in ((1, "date"), (2, "amount"))
    )
    HARM = tuple(Option(value, f"h{value}", Wording("tort", "harm")) for value in range(3))
    ASKING = Protocol(
        key="asking",
        version="1",
        title=Wording("Questions", "Questions"),
        steps=(
            Step(
                "one",
                Wording("Quoi?", "What?"),
                (
                    Choice("harm", label=Wording("Tort", "Harm"), options=HARM, required=True),
                    Choices(
                        "lacks",
                        label=Wording("Manque", "Lacks"),
                        options=LACKS,
                        required=True,
                        shown_when=When("harm", (1, 2)),
                    ),
                    Slider(
                        "share",
                        label=Wording("Part", "Share"),
                        required=True,
                        shown_when=When("lacks"),
                    ),
                    Text(
                        "reason",
                        label=Wording("Raison", "Reason"),
                        required_when=When("harm", (2,)),
                    ),
                    Whole("readings", label=Wording("Lectures", "Readings"), highest=9),
                ),
            ),
        ),
    )

    def read(self, **received: Any) -> Answers:
        whole = {"harm": 0, "lacks": None, "share": None, "reason": "", "readings": None}
        raw = json.dumps(whole | received)
        return answers_of(raw, self.ASKING, original="a", simplification="b")

    def test_what_may_not_be_asked_may_be_null(self):
        properties = schema(self.ASKING)["properties"]
        assert properties["harm"]["type"] == "integer"
        assert properties["lacks"]["type"] == ["array", "null"]
        assert properties["share"]["type"] == ["integer", "null"]

    def test_conditions_and_bounds_are_told(self):
        prompt = instructions(self.ASKING, {}, "Juge.")
        empty = "sinon, laisse vide (null, chaîne ou liste vide)."
        assert f"Seulement si « harm » vaut ou contient 1 ou 2; {empty}" in prompt
        assert f"Seulement si « lacks » a une réponse; {empty}" in prompt
        assert "Obligatoire si « harm » vaut ou contient 2." in prompt
        assert "un nombre entier de 0 à 9, ou null" in prompt

    def test_an_answer_to_what_was_not_asked_is_none(self):
        """And what depends on it was not asked either."""
        unasked = self.read(harm=0, lacks=[], share=40, reason="dite quand même")
        assert (unasked["lacks"], unasked["share"]) == (None, None)
        assert unasked["reason"] == "dite quand même"
        answered = self.read(harm=1, lacks=[], share=None)
        assert answered["lacks"] == []
        assert self.read(harm=1, lacks=[2], share=40)["share"] == 40
