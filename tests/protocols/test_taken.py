"""What fields take from a table that was made elsewhere, where it holds less than they ask."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.protocols.base import Option, PairFacts, Parts, Wording
from annotation.protocols.first_guide import first_guide
from annotation.protocols.kinds import Choices, Keyword, ShapeError
from annotation.protocols.kinds.field import listed
from annotation.protocols.kinds.former import Former
from annotation.protocols.registry import PROTOCOLS

FACTS = PairFacts(20, 20)
FRJUDGE = PROTOCOLS["legal_meaning", "1"]
SCALE = FRJUDGE.bracketed[0]


def taken(field, cells) -> Parts:
    parts = Parts()
    field.take(cells, FACTS, {}, parts)
    return parts


def test_a_scale_without_crossing_has_no_columns_for_it():
    assert len(SCALE.slots()) == 5
    assert len(replace(SCALE, crossing="", moved_from="").slots()) == 2


def test_a_scale_of_which_nothing_is_said():
    assert not taken(SCALE, {}).ratings


@pytest.mark.parametrize("score", ["0", "11"])
def test_a_score_off_the_scale(score):
    with pytest.raises(ShapeError):
        taken(SCALE, {SCALE.dimension_name: score})


def test_what_one_error_gives_is_no_plural():
    bracket, error = SCALE.brackets[-1], FRJUDGE.marked[0]
    parts, rulings = Parts(), {"span_required": False, SCALE.policy_ruling: "fall_through"}
    error.take({error.name: '[{"type": "omission"}]'}, FACTS, rulings, parts)
    cells = {SCALE.name: str(bracket.value), SCALE.dimension_name: str(bracket.top)}
    with pytest.raises(ShapeError) as caught:
        SCALE.take(cells, FACTS, rulings, parts)
    assert "1 erreur donne 9" in caught.value.problem.message.fr


def test_the_ruling_under_which_it_was_judged_is_the_table_s():
    policy = next(slot.name for slot in SCALE.slots()[2:3])
    bracket = SCALE.brackets[-1]
    cells = {SCALE.name: str(bracket.value), SCALE.dimension_name: str(bracket.top)}
    for word in (value.value for value in SCALE.slots()[2].options):
        parts = taken(SCALE, cells | {policy: str(word)})
        assert [rating.value for rating in parts.ratings.values()] == [bracket.top]


def test_a_bracket_kept_where_nothing_left_it_is_refused():
    bracket = SCALE.brackets[-1]
    cells = {SCALE.name: str(bracket.value), SCALE.deducts: "", SCALE.crossing: "kept"}
    with pytest.raises(ShapeError) as refused:
        SCALE.take(cells, FACTS, {SCALE.policy_ruling: "ask"}, Parts())
    assert refused.value.problem.code == "needless"


def several() -> Choices:
    options = tuple(Option(n, f"o{n}", Wording(f"o{n}", f"o{n}")) for n in (1, 2))
    return Choices("marks", label=Wording("Marques", "Marks"), options=options)


def test_several_in_a_column_each():
    field = several()
    first, second = (slot.name for slot in field.slots()[1:])
    assert not taken(field, {}).ratings
    with pytest.raises(ShapeError):
        taken(field, {first: "1"})
    both = taken(field, {first: "1", second: "0"})
    assert [rating.value for rating in both.ratings.values()] == [1, 0]


def test_what_begins_like_a_list_and_is_none():
    assert listed("[1") == "[1"
    assert listed("[1]") == [1]
    assert listed("un") == "un"


def test_an_empty_answer_is_none():
    text = next(field for field in FRJUDGE.fields if field.name == "comment")
    assert taken(text, {"comment": "   "}).sides == {}


def test_a_kind_that_is_gone_takes_nothing():
    assert Former("gone").slots() == ()


def test_a_word_that_stands_for_itself():
    words = Keyword("sure", label=Wording("Sûr", "Sure"), allowed=("yes", "no"))
    (slot,) = words.slots()
    assert [option.value for option in slot.options] == ["yes", "no"]


def test_a_list_of_marks_that_are_none():
    marks = FRJUDGE.field(SCALE.deducts)
    with pytest.raises(ShapeError):
        taken(marks, {marks.name: '["x"]'})


def test_the_guide_of_a_protocol_that_is_gone_is_empty():
    assert first_guide(replace(FRJUDGE, is_installed=False), {}, "fr") == ""


def test_a_field_with_a_label_and_no_help_is_named_in_the_guide():
    step = FRJUDGE.steps[0]
    field = replace(step.fields[0], label=Wording("Autrement", "Otherwise"), help=Wording("", ""))
    protocol = replace(FRJUDGE, steps=(replace(step, fields=(field,)),))
    assert "**Autrement**" in first_guide(protocol, {}, "fr")


def test_a_field_that_is_its_step_s_question_is_not_named_twice():
    step = FRJUDGE.steps[0]
    field = replace(step.fields[0], label=step.question)
    protocol = replace(FRJUDGE, steps=(replace(step, fields=(field,)),))
    assert f"**{step.question.fr}**" not in first_guide(protocol, {}, "fr")


def test_without_a_ruling_in_the_table_the_study_s_holds():
    bracket = SCALE.brackets[-1]
    cells = {SCALE.name: str(bracket.value), SCALE.dimension_name: str(bracket.top)}
    (ruling,) = (ruling for ruling in FRJUDGE.rulings if ruling.name == SCALE.policy_ruling)
    parts = Parts()
    SCALE.take(cells, FACTS, {ruling.name: ruling.default}, parts)
    assert [rating.value for rating in parts.ratings.values()] == [bracket.top]


def test_a_cell_that_comes_to_nothing_is_no_answer():
    class Silent(Keyword):
        def clean(self, received: object) -> str:
            return ""

    field = Silent("sure", label=Wording("Sûr", "Sure"), allowed=("yes",))
    assert taken(field, {"sure": "perhaps"}).sides == {}
