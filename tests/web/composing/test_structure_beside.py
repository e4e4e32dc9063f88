"""The form of a protocol's file, beyond its questions: rulings, what control pairs must get, what a
model is told, what published data say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import QueryDict

from annotation.protocols.files import ProtocolUnreadable, protocol_read
from annotation.protocols.validity import faults
from annotation.web.composing.parts import Part
from annotation.web.composing.structure import structure
from annotation.web.composing.taking import restructured
from tests import composing
from tests.composing import leaves, sent

WORDS = {"fr": "Mot", "en": "Word"}
MARKS = {
    "kind": "marks",
    "name": "slips",
    "label": WORDS,
    "types": [{"value": 1, "key": "slip", "label": WORDS}],
}
BRACKETED = {
    "kind": "bracketed",
    "name": "bracket",
    "label": WORDS,
    "required": True,
    "dimension_name": "score",
    "deducts": "slips",
    "brackets": [
        {"value": 1, "key": "low", "label": WORDS, "bottom": 1, "top": 5, "short": WORDS},
        {"value": 2, "key": "high", "label": WORDS, "bottom": 6, "top": 10, "short": WORDS},
    ],
}
ASK = ["ask", {"fr": "demander", "en": "ask"}]
FALL = ["fall_through", {"fr": "descendre", "en": "fall"}]


def given(**parts: Any) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(composing.composed(fields=[MARKS, BRACKETED]))
    return whole | parts


def saved(whole: dict[str, Any], action: str = "", **said: str) -> Any:
    """The file after its form, with these fields changed."""
    text = json.dumps(whole)
    return json.loads(restructured(text, sent(structure(text), action=action, **said)).text)


def part_at(whole: dict[str, Any], way: str) -> Part:
    return next(part for part in leaves(structure(json.dumps(whole))) if part.way == way)


def wrong(whole: dict[str, Any]) -> list[str]:
    return [fault.en for fault in faults(protocol_read(json.dumps(whole)))]


class TestControls:
    def test_of_identical_texts_the_good_end_is_expected_first(self) -> None:
        whole = saved(given(predicted="score"), "add:controls.identical")
        assert whole["controls"] == {
            "identical": [{"dimension": "score", "lowest": 10, "highest": 10}]
        }
        whole = saved(whole, "add:controls.unrelated")
        assert whole["controls"]["unrelated"] == [{"dimension": "score", "lowest": 1, "highest": 1}]
        # What something is expected of already is not offered again.
        whole = saved(whole, "add:controls.identical")
        assert whole["controls"]["identical"][1] == {
            "dimension": "clarity",
            "lowest": 3,
            "highest": 3,
        }
        assert wrong(whole) == []

    def test_where_lower_is_better_it_is_the_lowest(self) -> None:
        whole = given()
        whole["steps"][0]["fields"][0]["better"] = "lower"
        assert saved(whole, "add:controls.identical")["controls"]["identical"] == [
            {"dimension": "clarity", "lowest": 1, "highest": 1}
        ]

    def test_they_say_what_they_are_told(self) -> None:
        whole = saved(given(), "add:controls.identical")
        at = "controls.identical.0"
        said = {f"{at}.dimension": "score", f"{at}.lowest": "9", f"{at}.highest": "10"}
        whole = saved(whole, **said)
        assert whole["controls"]["identical"] == [
            {"dimension": "score", "lowest": 9, "highest": 10}
        ]
        assert [name for name, _ in part_at(whole, f"{at}.dimension").choices] == [
            "clarity",
            "score",
        ]

    def test_the_last_one_taken_away_leaves_nothing(self) -> None:
        whole = saved(given(), "add:controls.identical")
        assert saved(whole, "remove:controls.identical.0") == given()
        both = saved(whole, "add:controls.unrelated")
        assert {*saved(both, "remove:controls.identical.0")["controls"]} == {"unrelated"}

    def test_they_follow_what_is_renamed(self) -> None:
        """A bracketed scale is rated under a name of its own."""
        whole = given(
            predicted="score",
            classified=["clarity"],
            imported=["clarity", ["score", "clarity"]],
            controls={"identical": [{"dimension": "score", "lowest": 9, "highest": 10}]},
            about={"notes": {"score": WORDS}, "quality": {"clarity": ["goodness", "form"]}},
        )
        fields = "steps.0.fields"
        renamed = saved(
            whole, **{f"{fields}.2.dimension_name": "worth", f"{fields}.0.name": "ease"}
        )
        assert renamed["predicted"] == "worth"
        assert renamed["controls"]["identical"][0]["dimension"] == "worth"
        assert renamed["about"] == {
            "notes": {"worth": WORDS},
            "quality": {"ease": ["goodness", "form"]},
        }
        assert renamed["classified"] == ["ease"]
        assert renamed["imported"] == ["ease", ["worth", "ease"]]

    def test_what_two_would_be_called_is_lost_of_neither(self) -> None:
        whole = given(about={"notes": {"clarity": WORDS, "gone": {"fr": "A", "en": "B"}}})
        assert saved(whole, **{"steps.0.fields.0.name": "gone"})["about"] == whole["about"]

    def test_what_nothing_can_be_expected_of_yet_is_said_to_be_wrong(self) -> None:
        whole = given()
        whole["steps"][0]["fields"] = [{"kind": "scale", "name": "clarity"}]
        added = saved(whole, "add:controls.unrelated")["controls"]["unrelated"]
        assert added == [{"dimension": "", "lowest": 0, "highest": 0}]
        way = "controls.unrelated.0.dimension"
        whole["controls"] = {"unrelated": [{"dimension": "clarity", "lowest": 1, "highest": 1}]}
        assert part_at(whole, way).choices[-1][0] == "clarity"


class TestRulings:
    def test_one_is_composed_and_used_by_the_form_alone(self) -> None:
        whole = saved(given(), "add:rulings")
        assert [*whole["rulings"][0]] == ["name", "label"]
        whole = saved(whole, "add:rulings.0.options")
        whole = saved(whole, "add:rulings.0.options")
        assert [word for word, _ in whole["rulings"][0]["options"]] == ["word_1", "word_2"]
        assert whole["rulings"][0]["default"] == "word_1"
        at = "rulings.0"
        whole = saved(
            whole,
            **{
                f"{at}.name": "crossing",
                f"{at}.label.fr": "Traversée",
                f"{at}.label.en": "Crossing",
                f"{at}.options.0.0": ASK[0],
                f"{at}.options.1.0": FALL[0],
                f"{at}.options.0.1.fr": "demander",
                f"{at}.options.0.1.en": "ask",
                f"{at}.options.1.1.fr": "descendre",
                f"{at}.options.1.1.en": "fall",
            },
        )
        whole = saved(whole, **{f"{at}.default": "fall_through"})
        assert whole["rulings"] == [
            {
                "name": "crossing",
                "label": {"fr": "Traversée", "en": "Crossing"},
                "options": [ASK, FALL],
                "default": "fall_through",
            }
        ]
        ruled = part_at(whole, "steps.0.fields.2.policy_ruling")
        assert [name for name, _ in ruled.choices] == ["", "crossing"]
        whole = saved(whole, **{"steps.0.fields.2.policy_ruling": "crossing"})
        assert whole["steps"][0]["fields"][2]["policy_ruling"] == "crossing"

    def test_yes_and_no_are_told_apart_from_words(self) -> None:
        whole = given(rulings=[{"name": "spans", "label": WORDS}])
        assert part_at(whole, "rulings.0.default").value == "false"
        whole = saved(whole, **{"rulings.0.default": "true"})
        assert whole["rulings"][0]["default"] is True
        assert wrong(saved(whole, **{"steps.0.fields.1.span_ruling": "spans"})) == []
        assert "default" not in saved(whole, **{"rulings.0.default": "false"})["rulings"][0]

    def test_what_names_one_follows_it(self) -> None:
        ruling = {"name": "crossing", "label": WORDS, "options": [ASK, FALL], "default": "ask"}
        whole = given(rulings=[ruling])
        whole["steps"][0]["fields"][2]["policy_ruling"] = "crossing"
        whole = saved(whole, **{"rulings.0.name": "policy", "rulings.0.options.0.0": "enquire"})
        assert whole["steps"][0]["fields"][2]["policy_ruling"] == "policy"
        assert whole["rulings"][0]["default"] == "enquire"

    def test_a_word_is_moved_and_taken_away(self) -> None:
        ruling = {"name": "crossing", "label": WORDS, "options": [ASK, FALL], "default": "ask"}
        whole = saved(given(rulings=[ruling]), "down:rulings.0.options.0")
        assert whole["rulings"][0]["options"] == [FALL, ASK]
        whole = saved(whole, "remove:rulings.0.options.1")
        # What holds is gone: it is shown, and said to be unknown.
        assert part_at(whole, "rulings.0.default").choices[-1][0] == "ask"
        assert "rulings" not in saved(whole, "remove:rulings.0")


class TestAbout:
    def test_what_data_say_is_written_and_taken_back(self) -> None:
        whole = saved(given(), "add:about.limits")
        assert whole["about"] == {"limits": [{"fr": "", "en": ""}]}
        said = {
            "about.source": "Doe, J. (2026).\r\nA title.",
            "about.summary.fr": "Résumé",
            "about.summary.en": "Summary",
            "about.limits.0.fr": "Peu.",
            "about.limits.0.en": "Few.",
            "about.domain.fr": "juridiques",
            "about.domain.en": "legal",
        }
        whole = saved(whole, **said)
        assert whole["about"] == {
            "source": "Doe, J. (2026).\nA title.",
            "summary": {"fr": "Résumé", "en": "Summary"},
            "limits": [{"fr": "Peu.", "en": "Few."}],
            "domain": {"fr": "juridiques", "en": "legal"},
        }
        assert wrong(whole) == []
        whole = saved(whole, "remove:about.limits.0", **dict.fromkeys(said, ""))
        assert whole == given()

    def test_what_has_no_form_stays_beside_it(self) -> None:
        about = {"notes": {"clarity": WORDS}, "quality": {"clarity": ["goodness", "form"]}}
        controls = {
            "identical": [{"dimension": "score", "lowest": 9, "highest": 10, "strictly": [10, 10]}]
        }
        whole = saved(
            given(about=about, controls=controls),
            **{"about.source": "S", "controls.identical.0.lowest": "8"},
        )
        assert whole["about"] == about | {"source": "S"}
        assert whole["controls"]["identical"] == [
            {"dimension": "score", "lowest": 8, "highest": 10, "strictly": [10, 10]}
        ]

    def test_a_model_is_told_something_else_or_what_comes_with_it(self) -> None:
        whole = saved(given(), **{"judge.prompt": "Lis.\r\nPuis réponds."})
        assert whole["judge"] == {"prompt": "Lis.\nPuis réponds."}
        assert saved(whole, **{"judge.prompt": ""}) == given()


@pytest.mark.parametrize(
    "odd",
    [
        {"controls": []},
        {"controls": {"identical": 5, "other": [{}]}},
        {"controls": {"identical": [None, {"dimension": 3}]}},
        {"about": "S"},
        {"about": {"limits": ["a", {"fr": 1}], "source": None, "summary": "x"}},
        {"judge": {"prompts": "x"}},
        {"judge": None},
        {"rulings": {"a": 1}},
        {"rulings": [{"name": 1, "options": [["a"], "b", [1, 2], ["c", {"fr": "C"}]]}]},
        {"rulings": [{"options": "none", "default": 3}, {"default": "x"}, []]},
        {"predicted": 5},
    ],
    ids=json.dumps,
)
def test_what_is_odd_is_left_as_it_is(odd: dict[str, Any]) -> None:
    whole = given(**odd)
    assert saved(whole) == whole
    with pytest.raises(ProtocolUnreadable):
        protocol_read(json.dumps(saved(whole)))


@pytest.mark.parametrize(
    "action",
    [
        *("add:controls.other", "add:about.notes", "add:about.source", "add:judge.prompt"),
        *("remove:controls.identical", "add:rulings.0.options", "up:about.limits.1", "add:fields"),
    ],
)
def test_a_button_for_what_is_not_there_does_nothing(action: str) -> None:
    assert saved(given(), action) == given()


@pytest.mark.parametrize(
    "odd", [{"controls": {"identical": {}}}, {"controls": 1}, {"about": {"limits": "a"}}]
)
def test_nothing_is_added_to_what_is_no_list(odd: dict[str, Any]) -> None:
    whole = given(**odd)
    for way in ("controls.identical", "about.limits"):
        if way.split(".")[0] in odd:
            assert saved(whole, f"add:{way}") == whole


def test_what_a_form_does_not_send_stays() -> None:
    whole = given(about={"source": "S"}, rulings=[{"name": "spans", "label": WORDS}])
    assert json.loads(restructured(json.dumps(whole), QueryDict()).text) == whole


class TestFollowed:
    def test_what_is_chosen_in_the_save_in_which_it_is_renamed(self) -> None:
        """A form offers names as they were when it was drawn."""
        asked = {"kind": "text", "name": "why", "label": WORDS}
        ruling = {"name": "crossing", "label": WORDS, "options": [ASK, FALL], "default": "ask"}
        whole = given(rulings=[ruling, {"name": "spans", "label": WORDS}])
        whole["steps"][0]["fields"].append(asked)
        fields = "steps.0.fields"
        whole = saved(
            whole,
            **{
                f"{fields}.0.name": "ease",
                "predicted": "clarity",
                f"{fields}.3.required_when.field": "clarity",
                "rulings.1.name": "passages",
                f"{fields}.1.span_ruling": "spans",
                "rulings.0.options.1.0": "fall",
                "rulings.0.default": "fall_through",
            },
        )
        questions = whole["steps"][0]["fields"]
        assert whole["predicted"] == "ease"
        assert questions[3]["required_when"] == {"field": "ease"}
        assert questions[1]["span_ruling"] == "passages"
        assert whole["rulings"][0]["default"] == "fall"

    def test_what_is_chosen_and_is_called_so_now_is_meant(self) -> None:
        whole = given()
        fields = "steps.0.fields"
        said = {f"{fields}.0.name": "slips", f"{fields}.1.name": "clarity", "predicted": "clarity"}
        assert saved(whole, **said)["predicted"] == "clarity"

    def test_types_of_marks_and_words_that_conditions_name(self) -> None:
        word = {"kind": "keyword", "name": "word", "label": WORDS, "allowed": ["yes", "no"]}
        why = [
            {
                "kind": "text",
                "name": name,
                "label": WORDS,
                "shown_when": {"field": of, "values": [v]},
            }
            for name, of, v in (("a", "slips", "slip"), ("b", "word", "yes"))
        ]
        whole = given()
        whole["steps"][0]["fields"] += [word, *why]
        fields = "steps.0.fields"
        whole = saved(
            whole, **{f"{fields}.1.types.0.key": "lapse", f"{fields}.3.allowed": "oui, no"}
        )
        conditions = [field["shown_when"]["values"] for field in whole["steps"][0]["fields"][4:]]
        assert conditions == [["lapse"], ["oui"]]

    def test_what_a_question_names_without_saying_so(self) -> None:
        whole = given()
        whole["steps"][0]["fields"][1]["name"] = "errors"
        del whole["steps"][0]["fields"][2]["deducts"]
        assert wrong(whole) == []
        whole = saved(whole, **{"steps.0.fields.1.name": "faults"})
        assert whole["steps"][0]["fields"][2]["deducts"] == "faults"
        assert wrong(whole) == []

    def test_marks_that_a_scale_waits_for_are_called_so(self) -> None:
        whole = json.loads(composing.composed())
        for kind in ("bracketed", "marks", "marks"):
            whole = saved(whole, "add:steps.0.fields", **{"steps.0.fields.kind": kind})
        names = [field["name"] for field in whole["steps"][0]["fields"]]
        assert names == ["clarity", "bracketed_1", "errors", "marks_1"]
