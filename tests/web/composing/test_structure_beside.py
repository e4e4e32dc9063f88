"""The form of a protocol's file, beyond its questions: rulings, what control pairs must get, what a
model is told, what published data say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import QueryDict
from django.utils.translation import override

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

    def test_what_is_not_changed_stays_beside_it(self) -> None:
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

    def test_what_two_are_called_is_nobodys(self) -> None:
        """Of two options of one key, and two rulings of one name, nobody knows which is meant."""
        options = [{"value": number, "key": "law", "label": WORDS} for number in (1, 2)]
        scale = {"kind": "scale", "name": "t", "label": WORDS, "options": options}
        when = {"field": "t", "values": [1]}
        why = {"kind": "text", "name": "why", "label": WORDS, "shown_when": when}
        whole = given(rulings=[{"name": "r", "label": WORDS}, {"name": "r", "label": WORDS}])
        whole["steps"][0]["fields"] += [scale, why]
        whole["steps"][0]["fields"][1]["span_ruling"] = "r"
        assert saved(whole) == whole
        after = saved(whole, **{"rulings.1.name": "s"})
        assert after["steps"][0]["fields"][1]["span_ruling"] == "r"

    def test_a_name_that_is_cleared_and_typed_again_is_followed_still(self) -> None:
        whole = given(predicted="clarity")
        cleared = saved(whole, **{"steps.0.fields.0.name": ""})
        assert cleared["predicted"] == "clarity"
        assert saved(cleared, **{"steps.0.fields.0.name": "clarity"}) == whole

    def test_nothing_is_taken_for_a_name(self) -> None:
        whole = given(predicted="")
        whole["steps"][0]["fields"][0]["name"] = ""
        assert saved(whole, **{"steps.0.fields.0.name": "ease"})["predicted"] == ""

    def test_a_scale_that_cannot_be_read_just_now_is_followed_by_its_names(self) -> None:
        controls = {"identical": [{"dimension": "score", "lowest": 9, "highest": 10}]}
        whole = given(predicted="score", controls=controls)
        field = "steps.0.fields.2"
        after = saved(whole, **{f"{field}.dimension_name": "worth", f"{field}.brackets.0.top": "x"})
        assert after["predicted"] == "worth"
        assert after["controls"]["identical"][0]["dimension"] == "worth"

    def test_a_question_that_is_called_as_anothers_scale_is_told_apart(self) -> None:
        whole = given(predicted="score")
        whole["steps"][0]["fields"][0]["name"] = "score"
        assert saved(whole, **{"steps.0.fields.0.name": "ease"})["predicted"] == "score"

    def test_a_ruling_whose_name_is_none_holds_up_no_other(self) -> None:
        whole = given(rulings=[{"name": 5, "label": WORDS}, {"name": "spans", "label": WORDS}])
        whole["steps"][0]["fields"][1]["span_ruling"] = "spans"
        after = saved(whole, **{"rulings.0.name": "a", "rulings.1.name": "b"})
        assert after["steps"][0]["fields"][1]["span_ruling"] == "b"

    def test_an_answer_that_was_no_number_for_a_while(self) -> None:
        whole = given()
        when = {"field": "clarity", "values": [2]}
        why = {"kind": "text", "name": "why", "label": WORDS, "shown_when": when}
        whole["steps"][0]["fields"].append(why)
        value = "steps.0.fields.0.options.1.value"
        after = saved(saved(whole, **{value: "ten"}), **{value: "10"})
        assert after["steps"][0]["fields"][3]["shown_when"]["values"] == [10]

    def test_the_names_of_marks_and_of_what_is_rated_are_apart(self) -> None:
        whole = given()
        whole["steps"][0]["fields"][2]["dimension_name"] = "slips"
        after = saved(whole, **{"steps.0.fields.2.dimension_name": "score"})
        assert after["steps"][0]["fields"][2]["deducts"] == "slips"
        after = saved(whole, **{"steps.0.fields.1.name": "faults"})
        assert after["steps"][0]["fields"][2]["deducts"] == "faults"

    @pytest.mark.parametrize(
        "odd",
        [
            {"rulings": [{"name": [], "options": ["b", [], 5], "default": {}}]},
            {"rulings": [{"name": "r", "label": WORDS, "default": []}]},
            {"classified": [[{}], 3], "imported": {"a": 1}},
            {"classified": {"a": 1}, "about": {"notes": [], "quality": "x"}},
            {"predicted": [], "about": "S"},
            {"controls": {"identical": [{"dimension": ["clarity"]}]}},
        ],
        ids=json.dumps,
    )
    def test_beside_what_is_odd(self, odd: dict[str, Any]) -> None:
        whole = given(**odd)
        after = saved(whole, **{"steps.0.fields.0.name": "ease"})
        whole["steps"][0]["fields"][0]["name"] = "ease"
        assert after == whole


class TestNothingLeft:
    def test_words_added_and_taken_away(self) -> None:
        whole = given(rulings=[{"name": "spans", "label": WORDS}])
        added = saved(whole, "add:rulings.0.options")
        assert saved(added, "remove:rulings.0.options.0") == whole

    def test_degrees_added_and_taken_away(self) -> None:
        whole = saved(given(), "add:steps.0.fields", **{"steps.0.fields.kind": "edits"})
        added = saved(whole, "add:steps.0.fields.3.severities")
        assert saved(added, "remove:steps.0.fields.3.severities.0") == whole

    def test_of_two_one_stays(self) -> None:
        whole = given(
            rulings=[{"name": name, "label": WORDS} for name in ("a", "b")],
            about={"limits": [WORDS, {"fr": "A", "en": "B"}]},
            controls={
                "identical": [],
                "unrelated": [{"dimension": "x", "lowest": 1, "highest": 1}],
            },
        )
        for list_ in ("rulings", "about.limits"):
            after = saved(whole, f"remove:{list_}.0")
            at = after["about"]["limits"] if "." in list_ else after["rulings"]
            assert len(at) == 1
        assert "controls" not in saved(whole, "remove:controls.unrelated.0")
        assert saved(given(), "remove:steps.0")["steps"] == []

    def test_a_limit_keeps_what_the_form_does_not_know(self) -> None:
        whole = given(about={"limits": [{"fr": "A", "en": "B", "es": "C"}]})
        after = saved(whole, **{"about.limits.0.fr": "D"})
        assert after["about"]["limits"] == [{"fr": "D", "en": "B", "es": "C"}]
        assert json.loads(restructured(json.dumps(whole), QueryDict()).text) == whole


class TestShown:
    @pytest.fixture(autouse=True)
    def _in_french(self) -> Iterator[None]:
        with override("fr"):
            yield

    @pytest.mark.parametrize(
        "bent", [{"lowest": 5, "highest": 1}, {"step": 0}, {"step": -1}], ids=json.dumps
    )
    def test_of_what_has_no_values_yet_nothing_is_expected(self, bent: dict[str, int]) -> None:
        slider = {"kind": "slider", "name": "s", "label": WORDS, "low": WORDS, "high": WORDS}
        whole = given(predicted="s")
        whole["steps"][0]["fields"].append(slider | {"required": True} | bent)
        added = saved(whole, "add:controls.identical")["controls"]["identical"]
        assert added == [{"dimension": "clarity", "lowest": 3, "highest": 3}]

    def test_a_third_expectation_names_something_too(self) -> None:
        whole = given()
        for _ in range(3):
            whole = saved(whole, "add:controls.identical")
        assert [each["dimension"] for each in whole["controls"]["identical"]][:2] == [
            "clarity",
            "score",
        ]
        assert whole["controls"]["identical"][2]["dimension"] == "clarity"

    def test_a_ruling_by_words_like_yes_and_no_is_one_by_words(self) -> None:
        options = [["true", WORDS], ["false", WORDS]]
        whole = given(
            rulings=[{"name": "r", "label": WORDS, "options": options, "default": "true"}]
        )
        assert saved(whole, **{"rulings.0.default": "false"})["rulings"][0]["default"] == "false"
        whole["rulings"][0]["default"] = "false"
        assert saved(whole, **{"rulings.0.default": "true"})["rulings"][0]["default"] == "true"

    def test_what_holds_is_offered_as_it_is(self) -> None:
        part = part_at(given(rulings=[{"name": "r", "label": WORDS}]), "rulings.0.default")
        assert (part.control, [name for name, _ in part.choices]) == ("yes_no", ["false", "true"])
        ruling = {"name": "r", "label": WORDS, "options": [ASK, FALL], "default": "ask"}
        part = part_at(given(rulings=[ruling]), "rulings.0.default")
        assert (part.control, dict(part.choices)) == (
            "list",
            {"ask": "demander (ask)", "fall_through": "descendre (fall_through)"},
        )
        whole = saved(given(rulings=[{"name": "r", "label": WORDS, "default": True}]))
        assert saved(whole, "add:rulings.0.options")["rulings"][0]["default"] == "word_1"

    def test_what_names_a_question_offers_those_of_its_kind(self) -> None:
        word = {"kind": "keyword", "name": "word", "label": WORDS, "allowed": ["kept", "moved"]}
        whole = given()
        whole["steps"][0]["fields"].append(word)
        field = "steps.0.fields.2"
        offered = {
            name: [known for known, _ in part_at(whole, f"{field}.{name}").choices]
            for name in ("deducts", "crossing", "moved_from", "stored_with")
        }
        assert offered == {
            "deducts": ["", "slips"],
            "crossing": ["", "word"],
            "moved_from": [""],
            "stored_with": ["", "clarity", "slips", "word"],
        }
        del whole["steps"][0]["fields"][2]["deducts"]
        # What it names without saying so is there, and no question is.
        assert part_at(whole, f"{field}.deducts").choices[-1][0] == "errors"
        assert saved(whole) == whole

    def test_words_of_several_lines_have_several(self) -> None:
        """A field of one line would lose its ends."""
        lines = {"fr": "a\nb", "en": "c"}
        whole = given(
            title=lines,
            rulings=[{"name": "r\ns", "label": lines, "options": [["a\nb", lines], ASK]}],
            about={"source": "A\n\nB"},
        )
        assert part_at(whole, "title").control == "words"
        assert part_at(whole, "rulings.0.name").control == "lines"
        assert part_at(whole, "about.source").control == "lines"
        assert saved(whole) == whole

    def test_rows_say_what_they_are_of(self) -> None:
        controls = {
            "identical": [
                {"dimension": "score", "lowest": 9, "highest": 10},
                {"dimension": "gone", "lowest": 1, "highest": 1},
            ]
        }
        whole = given(
            controls=controls,
            about={"limits": [{"fr": "Peu.", "en": ""}]},
            rulings=[{"name": "r", "label": WORDS, "options": [ASK]}],
        )
        shown = {
            way: (part_at(whole, way).label, part_at(whole, way).value)
            for way in ("controls.identical.0", "controls.identical.1", "rulings.0.options.0")
        }
        assert shown == {
            "controls.identical.0": ("Mot", "9 – 10"),
            "controls.identical.1": ("gone", "1"),
            "rulings.0.options.0": ("demander", None),
        }
        adding = {
            way: bool(part_at(whole, way).adding)
            for way in ("controls.identical", "rulings", "rulings.0.options", "about.limits")
        }
        assert all(adding.values())
        assert (
            part_at(whole, "rulings.0.options").adding
            != part_at(whole, "steps.0.fields.0.options").adding
        )

    def test_what_is_asked_for_stands_open(self) -> None:
        rows = [{"name": f"r{number}", "label": WORDS} for number in range(11)]
        text = json.dumps(given(rulings=rows, about={"limits": [WORDS]}))
        opened = {part.way for part in leaves(structure(text, "rulings.1")) if part.is_open}
        assert opened == {"rulings", "rulings.1"}
        opened = {part.way for part in leaves(structure(text, "about.limits.0")) if part.is_open}
        assert {"about", "about.limits", "about.limits.0"} <= opened
