"""The shape of answers: what a form or a client may send, and what is refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.protocols.base import Wording
from annotation.protocols.kinds import Field, ShapeError
from annotation.protocols.legal_meaning.definition import CLASSES, legal_meaning
from annotation.protocols.legal_meaning.rules import PROTOCOL
from annotation.protocols.registry import PROTOCOLS, protocol


def test_missing_answers_are_empty():
    assert PROTOCOL.clean({}) == PROTOCOL.empty_answers()


@pytest.mark.parametrize(
    ("name", "received", "stored"),
    [
        ("simplicity", "2", 2),
        ("simplicity", "", None),
        ("characterization", 18, 18),
        ("bracket", "", None),
        ("bracket", "3", 3),
        ("explanation", None, ""),
        ("comment", "a\r\nb", "a\nb"),
        ("doubt", "on", True),
        ("doubt", None, False),
        ("crossing_answer", "kept", "kept"),
        ("moved_from", "", None),
        ("moved_from", 3, 3),
        ("errors", None, []),
    ],
)
def test_what_a_form_sends_is_read(name, received, stored):
    assert PROTOCOL.clean({name: received})[name] == stored


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({"simplicity": 0}, "simplicity"),
        ({"simplicity": 1.5}, "simplicity"),
        ({"characterization": 19}, "characterization"),
        ({"bracket": 4}, "bracket"),
        ({"explanation": 3}, "explanation"),
        ({"comment": "x" * 5001}, "comment"),
        ({"doubt": "perhaps"}, "doubt"),
        ({"crossing_answer": "maybe"}, "crossing_answer"),
        ({"moved_from": 1}, "moved_from"),
        ({"errors": [{}] * 51}, "errors"),
        ({"errors": [3]}, "errors.0"),
        ({"errors": [{"kind": "omission"}]}, "errors.0.kind"),
        ({"errors": [{}, {"type": "lie"}]}, "errors.1.type"),
        ({"errors": [{"type": "omission", "note": 7}]}, "errors.0.note"),
        ({"errors": [{"original_start": "x"}]}, "errors.0.original_start"),
        ({"score": 10}, "score"),
        ("simplicity", "answers"),
    ],
)
def test_what_no_form_sends_is_refused_by_name(raw, field):
    with pytest.raises(ShapeError) as refused:
        PROTOCOL.clean(raw)
    assert refused.value.problem.field == field
    assert refused.value.problem.message.fr
    assert refused.value.problem.message.en


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_anything_is_either_answers_or_a_worded_refusal(received):
    refusal, cleaned = "", {}
    try:
        cleaned = PROTOCOL.clean(received)
    except ShapeError as error:
        refusal = error.problem.message.fr
    assert refusal or PROTOCOL.clean(cleaned) == cleaned


def test_the_kind_of_no_kind_is_a_mistake_of_ours():
    with pytest.raises(NotImplementedError):
        Field("x").clean(1)
    assert Field("x").empty is None


@pytest.mark.django_db
def test_what_is_not_there_is_not_found():
    with pytest.raises(KeyError):
        legal_meaning.bracket(9)
    with pytest.raises(KeyError):
        PROTOCOL.fields[2].option(19)  # type: ignore[attr-defined]  # the third field is a choice
    with pytest.raises(KeyError, match="legal_meaning 1"):
        protocol("legal_meaning", "2")


def test_a_published_protocol_is_found_by_key_and_version():
    assert protocol("legal_meaning", "1") is PROTOCOL
    assert all(
        published.key == key and published.version == version
        for (key, version), published in PROTOCOLS.items()
    )


def test_the_classes_are_18_in_order_in_both_languages():
    assert [option.value for option in CLASSES] == list(range(1, 19))
    assert len({option.key for option in CLASSES}) == 18
    assert all(
        option.label.fr and option.label.en and option.help.fr and option.help.en
        for option in CLASSES
    )


def test_a_wording_falls_back_on_french_and_takes_values():
    wording = Wording("{n} erreurs", "{n} errors").format(n=3)
    assert (wording.get("fr-ca"), wording.get("en-us"), wording.get("de")) == (
        "3 erreurs",
        "3 errors",
        "3 erreurs",
    )


def french(wording: Wording) -> str:
    return wording.fr


@pytest.mark.parametrize(
    ("field", "value", "brief"),
    [
        ("simplicity", 1, "Plus simple à lire"),
        ("simplicity", None, ""),
        # One of many by its number, without what stands in brackets.
        ("characterization", 7, "07 Frais"),
        ("bracket", 3, "Semble précise"),
        ("bracket", None, ""),
        ("comment", "", ""),
        ("comment", "à revoir", "à revoir"),
    ],
)
def test_an_answer_in_a_cell_of_a_table(field, value, brief):
    assert PROTOCOL.field(field).brief(value, french) == brief


def test_what_stands_in_a_cell_of_another_protocol():
    everything = protocol("everything", "1")
    assert everything.field("ease").brief(0, french) == "0 · aisance 0"
    assert everything.field("ease").brief(None, french) == ""
    assert everything.field("changes").brief([10, 20], french) == "plus court, plus doux"
    assert everything.field("changes").brief([], french) == "Aucune"


def test_only_lists_of_marks_can_be_kept_of_two_versions_together():
    errors = PROTOCOL.field("errors")
    omission, other = {"type": "omission"}, {"type": "confusion"}
    assert errors.united([omission], [omission, other]) == [omission, other]
    assert errors.united([omission] * 50, [other]) is None
    assert PROTOCOL.field("comment").united("a", "b") is None


def test_who_draws_what_qualifies_another_answer():
    assert legal_meaning.draws == {"crossing_answer": "_crossing", "moved_from": ""}
    assert replace(legal_meaning, crossing="", moved_from="").draws == {}
    assert PROTOCOL.field("comment").draws == {}
    assert legal_meaning.ruled({"crossing_policy": "clamp"}) == {"policy": "clamp"}
    assert PROTOCOL.field("comment").ruled({}) == {}
    assert [field.name for field in PROTOCOL.fields if field.in_foot] == ["doubt"]
