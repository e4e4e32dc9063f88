"""The form of a protocol's file: it says what the file says, and changes nothing else."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.utils.translation import override

from annotation.protocols.files import ProtocolUnreadable, members, protocol_read
from annotation.protocols.kinds import KINDS
from annotation.protocols.validity import composed_faults, faults
from annotation.web.composing.hints import Unstructured
from annotation.web.composing.parts import Part
from annotation.web.composing.rows import skeleton
from annotation.web.composing.structure import MOST, structure, structured
from annotation.web.composing.taking import restructured
from annotation.web.composing.words import KIND_NAMES, LABELS
from tests.composing import files, leaves, sent
from tests.protocols.said import english

WORDS = {"fr": "Mot", "en": "Word"}


def worded(value: Any) -> Any:
    """With words wherever none are said."""
    if isinstance(value, dict):
        if {*value} == {"fr", "en"} and not value["fr"]:
            return dict(WORDS)
        return {name: worded(inner) for name, inner in value.items()}
    return [worded(inner) for inner in value] if isinstance(value, list) else value


def composed() -> dict[str, Any]:
    """What a new draft holds, once everything has words and a key."""
    given: dict[str, Any] = worded(json.loads(skeleton()))
    return given | {"key": "composed"}


def acted(text: str, action: str, **said: str) -> Any:
    after = restructured(text, sent(structure(text), action=action, **said))
    return json.loads(after.text), after.shown


def part_at(text: str, way: str) -> Part:
    return next(part for part in leaves(structure(text)) if part.way == way)


@pytest.mark.parametrize("name", sorted(files()))
def test_a_form_in_which_nothing_is_changed_changes_nothing(name: str) -> None:
    text = files()[name]
    assert restructured(text, sent(structure(text))).text == text


def test_what_no_form_shows_stays() -> None:
    given = composed() | {"$schema": "a.json", "about": {"source": "S"}, "odd": [1, {"two": 2}]}
    text = json.dumps(given)
    after = restructured(text, sent(structure(text), **{"title.fr": "Autre"})).text
    assert json.loads(after) == given | {"title": {"fr": "Autre", "en": "Word"}}


def test_each_control_says_what_it_is_told() -> None:
    text = json.dumps(composed())
    field = "steps.0.fields.0"
    said = {
        f"{field}.better": "lower",
        f"{field}.options.0.value": "10",
        f"{field}.options.1.value": "ten",
        f"{field}.shown_when.field": "scale_1",
        f"{field}.shown_when.values": "1, true, word",
        "predicted": "scale_1",
        "panels.0.language": "",
    }
    posted = sent(structure(text), **said)
    posted.setlist("steps.0.sides", ["simplification"])
    posted.pop(f"{field}.required")
    after = json.loads(restructured(text, posted).text)
    question = after["steps"][0]["fields"][0]
    assert question["better"] == "lower"
    assert [option["value"] for option in question["options"]] == [10, "ten"]
    assert question["shown_when"] == {"field": "scale_1", "values": [1, True, "word"]}
    assert "required" not in question
    assert after["predicted"] == "scale_1"
    assert after["steps"][0]["sides"] == ["simplification"]
    assert [panel.get("language") for panel in after["panels"]] == ["", None]
    again = json.dumps(after)
    assert json.loads(restructured(again, sent(structure(again))).text) == after


def test_words_of_several_lines_stay_what_they_are() -> None:
    given = composed()
    given["steps"][0]["fields"][0]["help"] = {"fr": "Un.\n\nDeux.", "en": "One.\n"}
    text = json.dumps(given)
    assert json.loads(restructured(text, sent(structure(text))).text) == given
    way = "steps.0.fields.0.help.fr"
    after = json.loads(restructured(text, sent(structure(text), **{way: "Un.\r\nDeux."})).text)
    assert after["steps"][0]["fields"][0]["help"] == {"fr": "Un.\nDeux.", "en": "One.\n"}


def test_a_question_that_is_renamed_is_renamed_wherever_it_is_named() -> None:
    given = composed() | {"predicted": "scale_1"}
    given["controls"] = {"identical": [{"dimension": "scale_1", "lowest": 1, "highest": 1}]}
    given["steps"][0]["fields"] += [
        {
            "kind": "text",
            "name": "why",
            "label": WORDS,
            "shown_when": {"field": "scale_1", "values": [1]},
            "required_when": {"field": "scale_1"},
        }
    ]
    text = json.dumps(given)
    said = {"steps.0.fields.0.name": "ease"}
    after = restructured(text, sent(structure(text), **said)).text
    assert (
        after
        == json.dumps(json.loads(text.replace('"scale_1"', '"ease"')), ensure_ascii=False, indent=2)
        + "\n"
    )
    # And a condition on what is no question is said to be one, however often it is saved.
    odd = text.replace('"field": "scale_1"', '"field": "gone"')
    assert json.loads(restructured(odd, sent(structure(odd))).text) == json.loads(odd)


def test_what_others_say_of_a_question_follows_it() -> None:
    """Two names that change places, and two values; not what was changed there in the same go."""
    given = composed()
    when = {"field": "scale_1", "values": [1]}
    given["steps"][0]["fields"] += [
        {"kind": "text", "name": "why", "label": WORDS, "shown_when": when},
        {"kind": "text", "name": "how", "label": WORDS, "shown_when": {"field": "why"}},
        {"kind": "text", "name": "who", "label": WORDS, "shown_when": when},
    ]
    text = json.dumps(given)
    at = "steps.0.fields"
    said = {
        f"{at}.0.name": "why",
        f"{at}.1.name": "scale_1",
        f"{at}.0.options.0.value": "2",
        f"{at}.0.options.1.value": "1",
        f"{at}.3.shown_when.values": "option_2, option_1",
    }
    after = json.loads(restructured(text, sent(structure(text), **said)).text)
    conditions = [field.get("shown_when") for field in after["steps"][0]["fields"]]
    assert conditions[1] == {"field": "why", "values": [2]}
    assert conditions[2] == {"field": "scale_1"}
    # Typed anew: it means what was typed, with the values that these keys have now.
    assert conditions[3] == {"field": "why", "values": [1, 2]}


def test_a_condition_takes_the_keys_of_options_and_words_as_they_are() -> None:
    given = composed()
    given["steps"][0]["fields"] += [
        {"kind": "keyword", "name": "word", "label": WORDS, "allowed": ["1", "true"]},
        {"kind": "text", "name": "why", "label": WORDS},
    ]
    text = json.dumps(given)
    why = "steps.0.fields.2"
    for field, typed, meant in (
        ("scale_1", "option_2, 1", [2, 1]),
        ("word", "1, true", ["1", "true"]),
    ):
        said = {
            f"{why}.shown_when.field": field,
            f"{why}.shown_when.values": typed,
        }
        after = json.loads(restructured(text, sent(structure(text), **said)).text)
        condition = after["steps"][0]["fields"][2]["shown_when"]
        assert condition == {"field": field, "values": meant}
        again = json.dumps(after)
        assert json.loads(restructured(again, sent(structure(again))).text) == after


@pytest.mark.parametrize(
    "odd",
    [
        {"label": "Mots"},
        {"label": {"fr": "a", "en": "b", "es": "c"}},
        {"required": "yes"},
        {"better": "worse"},
        {"shown_when": {"fields": "x"}},
        {"shown_when": {"field": "why", "values": ["0042", "a, b", True]}},
        {"options": 5},
        {"options": "none"},
        {"options": [None, 1]},
    ],
    ids=json.dumps,
)
def test_what_is_wrong_or_odd_is_not_mended_unasked(odd: dict[str, Any]) -> None:
    given = composed()
    given["steps"][0]["fields"][0] |= odd
    given["steps"][0]["sides"] = ["simplification", "original"]
    text = json.dumps(given)
    assert json.loads(restructured(text, sent(structure(text))).text) == given


def test_what_says_no_more_than_silence_is_not_written() -> None:
    text = json.dumps(composed())
    posted = sent(structure(text), predicted="scale_1")
    after = restructured(text, posted).text
    back = json.loads(restructured(after, sent(structure(after), predicted="")).text)
    assert back == composed()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_question_of_each_kind_is_added(kind: str) -> None:
    """With words, those that need no other question can be judged by."""
    text = json.dumps(composed())
    after, shown = acted(text, "add:steps.0.fields", **{"steps.0.fields.kind": kind})
    assert shown == "steps.0.fields.1"
    assert after["steps"][0]["fields"][1]["kind"] == kind
    written = json.dumps(worded(after))
    try:
        wrong = faults(protocol_read(written))
    except ProtocolUnreadable as error:
        wrong = error.faults
    lacking = {
        "bracketed": "deducts 'errors'",
        "refusals": "'refusals_1'",
        "keyword": "has nothing to choose from",
        "whole": "has no scale",
    }
    assert all(lacking.get(kind, "nothing") in fault for fault in english(wrong)), wrong
    # Whatever it still lacks, the form shows what was added, and gives it back.
    assert part_at(written, "steps.0.fields.1").control == "question"
    assert json.loads(restructured(written, sent(structure(written))).text) == json.loads(written)


def test_a_crossing_is_composed_by_the_form_alone() -> None:
    text = json.dumps(composed())
    for kind in ("marks", "bracketed", "keyword", "whole"):
        after, _ = acted(text, "add:steps.0.fields", **{"steps.0.fields.kind": kind})
        text = json.dumps(worded(after))
    at = "steps.0.fields"
    said = {
        f"{at}.2.crossing": "keyword_1",
        f"{at}.2.moved_from": "whole_1",
        f"{at}.3.allowed": "kept, moved",
        f"{at}.3.stored_with": "bracketed_1",
        f"{at}.4.stored_with": "bracketed_1",
        f"{at}.4.lowest": "5",
        f"{at}.4.highest": "9",
    }
    text = restructured(text, sent(structure(text), **said)).text
    (wrong,) = english(faults(protocol_read(text)))
    # Followed to the letter, what is said brings it to its end.
    lowest, highest = re.findall(r"(?:lowest|highest)=(\d+)", wrong)
    said = {f"{at}.4.lowest": lowest, f"{at}.4.highest": highest}
    text = restructured(text, sent(structure(text), **said)).text
    assert faults(protocol_read(text)) == []


def test_words_say_what_they_are_told_to_people() -> None:
    text = json.dumps(composed())
    words = "steps.0.fields.1.words"
    after, _ = acted(text, "add:steps.0.fields", **{"steps.0.fields.kind": "keyword"})
    said = {"steps.0.fields.1.allowed": "formal, plain"}
    after, shown = acted(json.dumps(worded(after)), f"add:{words}", **said)
    assert shown == f"{words}.0"
    after, _ = acted(json.dumps(after), f"add:{words}", **{f"{words}.0.fr": "soutenu"})
    question = after["steps"][0]["fields"][1]
    assert question["words"] == [
        {"fr": "soutenu", "en": "formal"},
        {"fr": "plain", "en": "plain"},
    ]
    assert faults(protocol_read(json.dumps(after))) == []
    for _ in range(2):
        after, _ = acted(json.dumps(after), f"remove:{words}.0")
    assert "words" not in after["steps"][0]["fields"][1]


def test_a_button_that_adds_to_a_list_adds_to_it() -> None:
    """Each that a form has, whatever it lists."""
    text = json.dumps(composed() | {"rulings": [{"name": "one", "label": WORDS}]})
    for kind in KINDS:
        after, _ = acted(text, "add:steps.0.fields", **{"steps.0.fields.kind": kind})
        text = json.dumps(after)
    for part in leaves(structure(text)):
        if part.control == "rows" and part.adding:
            _, shown = acted(text, f"add:{part.way}", **{f"{part.way}.kind": "text"})
            assert shown == f"{part.way}.{len(part.rows)}"


def test_what_is_said_of_a_missing_answer_is_said_in_the_form() -> None:
    text = json.dumps(composed())
    asks = part_at(text, "steps.0.fields.0.asks")
    assert asks.value["en"] == "Answer this question."
    after = json.loads(restructured(text, sent(structure(text), **{f"{asks.way}.en": "So?"})).text)
    assert after["steps"][0]["fields"][0]["asks"]["en"] == "So?"
    text = json.dumps(after)
    cleared = {f"{asks.way}.fr": "", f"{asks.way}.en": ""}
    assert json.loads(restructured(text, sent(structure(text), **cleared)).text) == composed()


def test_rows_are_added_moved_and_removed() -> None:
    text = json.dumps(composed())
    options = "steps.0.fields.0.options"
    after, shown = acted(text, f"add:{options}")
    assert shown == f"{options}.2"
    assert after["steps"][0]["fields"][0]["options"][2] == {
        "value": 3,
        "key": "option_3",
        "label": {"fr": "", "en": ""},
    }
    after, shown = acted(json.dumps(after), f"up:{options}.2")
    keys = [option["key"] for option in after["steps"][0]["fields"][0]["options"]]
    assert (keys, shown) == (["option_1", "option_3", "option_2"], f"{options}.1")
    after, _ = acted(json.dumps(after), f"down:{options}.0")
    after, shown = acted(json.dumps(after), f"remove:{options}.0")
    keys = [option["key"] for option in after["steps"][0]["fields"][0]["options"]]
    assert (keys, shown) == (["option_1", "option_2"], options)
    after, shown = acted(json.dumps(after), "add:steps")
    assert (after["steps"][1]["key"], shown) == ("step_2", "steps.1")


def test_operations_are_numbered_in_all_groups_of_a_question() -> None:
    text = json.dumps(composed())
    after, _ = acted(text, "add:steps.0.fields", **{"steps.0.fields.kind": "edits"})
    after, _ = acted(json.dumps(after), "add:steps.0.fields.1.operations")
    after, _ = acted(json.dumps(after), "add:steps.0.fields.1.operations.0.operations")
    groups = after["steps"][0]["fields"][1]["operations"]
    assert [[row["value"] for row in group["operations"]] for group in groups] == [[1, 3], [2]]


@pytest.mark.parametrize(
    "action",
    [
        *("remove:steps.7", "remove:key", "up:steps.0", "down:steps.0", "add:title", "add:steps.x"),
        *("up:steps." + "9" * 5000, "remove:steps.1e3", "down:steps.0.fields"),
        *("add:steps.0.fields", "remove:", "other:steps", "remove:steps.0.fields.-1", "up:steps.²"),
    ],
)
def test_a_button_for_what_is_not_there_does_nothing(action: str) -> None:
    after, _ = acted(json.dumps(composed()), action)
    assert after == composed()


@pytest.mark.parametrize("keys", [{"key": []}, {"key": {}}, {"name": [1]}])
def test_rows_are_added_beside_odd_ones(keys: dict[str, Any]) -> None:
    text = json.dumps({"steps": [keys | {"fields": [keys | {"kind": "scale", "options": [keys]}]}]})
    for action in ("add:steps", "add:steps.0.fields", "add:steps.0.fields.0.options"):
        after, shown = acted(text, action, **{"steps.0.fields.kind": "scale"})
        assert after != json.loads(text)
        assert shown


@pytest.mark.parametrize(
    "text", ["", "[1]", "null", "{", '{"key": 1, "key": 2}', "[" * 5000, " " * 1_000_001 + "{}"]
)
def test_what_is_no_object_has_no_form(text: str) -> None:
    with pytest.raises(Unstructured):
        structure(text)
    with pytest.raises(Unstructured):
        restructured(text, QueryDict())


def test_a_file_with_more_fields_than_a_server_reads_has_no_form() -> None:
    given = composed()
    given["steps"][0]["fields"] = [
        {"kind": "flag", "name": f"flag_{number}", "label": WORDS} for number in range(MOST // 20)
    ]
    posted = sent(structure(json.dumps(given)))
    assert MOST / 2 < sum(len(posted.getlist(name)) for name in posted) < 1000
    given["steps"][0]["fields"] *= 2
    with pytest.raises(Unstructured):
        structure(json.dumps(given))
    given["steps"] *= MOST
    with pytest.raises(Unstructured):
        restructured(json.dumps(given), QueryDict())


@pytest.mark.parametrize(
    "odd",
    [
        {"steps": "none"},
        {"steps": [1, {"fields": {"a": 1}}, {"fields": [3, {"kind": ["scale"]}, {"kind": "no"}]}]},
        {"title": ["T"], "panels": {}, "version": None},
        {
            "steps": [
                {"fields": [{"kind": "scale", "shown_when": 1, "options": [1, {"value": {}}]}]}
            ]
        },
        {},
    ],
    ids=["no list", "odd rows", "odd members", "odd options", "nothing"],
)
def test_what_a_form_cannot_read_it_leaves(odd: dict[str, Any]) -> None:
    text = json.dumps(odd)
    after = json.loads(restructured(text, sent(structure(text))).text)
    rows = json.dumps(odd.get("steps", "")).count("{")
    assert json.dumps(after.get("steps", "")).count("{") >= rows
    with pytest.raises(ProtocolUnreadable):
        protocol_read(json.dumps(after))


def test_every_member_that_a_form_shows_has_words() -> None:
    shown = {
        part.way.rpartition(".")[2]
        for text in files().values()
        for part in leaves(structure(text))
        if part.control not in ("row", "question", "step")
        # These are the protocol's own words.
        and not part.way.startswith(("about.notes.", "about.quality."))
    }
    assert {name for name in shown if not name.isdigit()} <= {*LABELS}
    assert {*KIND_NAMES} == {*KINDS}


def test_every_kind_has_all_its_members_in_the_form_or_in_the_file() -> None:
    """Of a kind that comes tomorrow as well: what has no form is named here."""
    in_files = {"helps"}
    for kind, cls in KINDS.items():
        given = composed()
        given["steps"][0]["fields"] = [{"kind": kind, "name": "one"}]
        shown = {
            part.way.removeprefix("steps.0.fields.0.").partition(".")[0]
            for part in leaves(structure(json.dumps(given)))
            if part.way.startswith("steps.0.fields.0.")
        }
        assert {*members(cls)} - shown <= in_files, kind


class TestFaults:
    """What is wrong with a protocol stands beside what it is said of, which stands open."""

    def placed(self, given: dict[str, Any]) -> dict[str, str]:
        """The English words of each fault, by the way that they stand at."""
        try:
            wrong = faults(protocol_read(json.dumps(given)))
        except ProtocolUnreadable as error:
            wrong = error.faults
        with override("en"):
            form = structured(json.dumps(given), wrong)
        return {part.way: words for part in leaves(form.parts) for words in part.faults}

    def test_of_a_question_and_its_option(self) -> None:
        given = composed()
        option = given["steps"][0]["fields"][0]["options"][1]
        option["label"] = {"fr": "Mot", "en": ""}
        (way,) = self.placed(given)
        assert way == "steps.0.fields.0.options.1"
        option |= {"label": WORDS, "key": "Un mot"}
        assert [*self.placed(given)] == ["steps.0.fields.0.options.1"]
        option |= {"key": "two", "label": {"fr": "", "en": ""}}
        assert [*self.placed(given)] == ["steps.0.fields.0.options.1"]
        option |= {"label": WORDS, "value": "ten"}
        assert [*self.placed(given)] == ["steps.0.fields.0.options.1.value"]

    def test_of_a_name_with_any_characters(self) -> None:
        given = composed()
        field = given["steps"][0]["fields"][0]
        field["name"] = 'l\'autre "nom" \\'
        assert [*self.placed(given)] == ["steps.0.fields.0"]

    def test_of_steps_panels_rulings_and_the_head(self) -> None:
        given = composed() | {"key": "Clé", "version": ""}
        given["steps"][0]["question"] = {"fr": "", "en": ""}
        given["panels"] = [
            {"side": "original", "heading": WORDS, "language": "français"},
            {"side": "simplification", "heading": WORDS},
        ]
        assert {*self.placed(given)} == {"key", "version", "steps.0", "panels.0"}
        del given["title"]
        assert [*self.placed(given)] == ["title"]
        assert "title is missing" in self.placed(given)["title"]

    def test_what_leads_to_it_stands_open_and_no_more(self) -> None:
        given = composed()
        given["steps"][0]["fields"][0]["help"] = {"fr": "Mot", "en": ""}
        wrong = faults(protocol_read(json.dumps(given)))
        form = structured(json.dumps(given), wrong)
        opened = {part.way for part in leaves(form.parts) if part.is_open}
        assert opened == {"steps", "steps.0", "steps.0.fields", "steps.0.fields.0"}
        assert [said.control for said in form.faults] == ["steps.0.fields.0"]

    def test_what_is_said_of_the_whole_stands_nowhere(self) -> None:
        assert self.placed({}) != {}
        given = composed()
        given["steps"][0]["fields"][0]["required"] = False
        assert self.placed(given) == {}

    def test_of_what_is_rated_beside_what_names_it(self) -> None:
        expected = [{"dimension": "other", "lowest": 1, "highest": 1}]
        given = composed() | {
            "predicted": "other",
            "classified": ["other"],
            "imported": ["other"],
            "controls": {"unrelated": expected},
            "about": {"notes": {"other": WORDS}},
        }
        assert {*self.placed(given)} == {
            *("predicted", "classified", "imported", "controls.unrelated", "about.notes.other")
        }

    def test_all_that_is_wrong_is_said_at_once(self) -> None:
        """Words that one language lacks, what names nothing, and what nobody should publish."""
        given = composed() | {"predicted": "other", "title": {"fr": "Un titre", "en": ""}}
        field = given["steps"][0]["fields"][0]
        field |= {"label": {"fr": "", "en": ""}, "help": {"fr": "", "en": "Word"}}
        given["rulings"] = [{"name": "one", "label": {"fr": "", "en": ""}}]
        wrong = english(composed_faults(protocol_read(json.dumps(given))))
        assert [fault.partition(":")[0] for fault in wrong] == [
            "it says 'Un titre' without English",
            "its field 'scale_1' says 'Word' without French",
            "its field 'scale_1' has no label",
            "it predicts 'other', which is no dimension of it",
            "its ruling 'one' says nothing under label",
        ]
