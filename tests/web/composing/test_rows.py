"""Rows of a protocol's form: several at once, copied, taken out and put back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ProtocolDraft
from annotation.protocols.files import protocol_read
from annotation.protocols.kinds import KINDS
from annotation.protocols.validity import faults
from annotation.web.composing.rows import skeleton
from annotation.web.composing.structure import structure, structured
from annotation.web.composing.taking import restructured
from tests.cast import Cast
from tests.composing import composed, draft_of, files, leaves, sent

WORDS = {"fr": "Mot", "en": "Word"}
FIELDS = "steps.0.fields"
OPTIONS = f"{FIELDS}.0.options"


def acted(given: dict[str, Any], action: str, **said: str) -> dict[str, Any]:
    text = json.dumps(given)
    after: dict[str, Any] = json.loads(
        restructured(text, sent(structure(text), action=action, **said)).text
    )
    return after


def question(given: dict[str, Any], number: int = 0) -> dict[str, Any]:
    field: dict[str, Any] = given["steps"][0]["fields"][number]
    return field


class TestPasted:
    def test_lines_are_options_with_keys_of_their_own(self) -> None:
        lines = "Très clair\tVery clear\tOn comprend.\r\n\r\nObscur | Obscure\r\n=1+1 <b> 😀\r\n"
        after = acted(json.loads(skeleton()), "paste", **{f"{OPTIONS}.pasted": lines})
        assert question(after)["options"] == [
            {
                "value": 1,
                "key": "very_clear",
                "label": {"fr": "Très clair", "en": "Very clear"},
                "help": {"fr": "On comprend.", "en": "On comprend."},
            },
            {"value": 2, "key": "obscure", "label": {"fr": "Obscur", "en": "Obscure"}},
            {"value": 3, "key": "option_1", "label": {"fr": "=1+1 <b> 😀", "en": "=1+1 <b> 😀"}},
        ]

    def test_what_stands_there_stays_and_keys_are_told_apart(self) -> None:
        given = json.loads(composed())
        after = acted(given, "save", **{f"{OPTIONS}.pasted": "claire|clear\nplus claire|Clear"})
        rows = [(row["value"], row["key"]) for row in question(after)["options"]]
        assert rows == [(1, "unclear"), (2, "mixed"), (3, "clear"), (4, "clear_2"), (5, "clear_3")]
        assert faults(protocol_read(json.dumps(after))) == []

    def test_another_button_forgets_no_lines(self) -> None:
        given = json.loads(skeleton())
        after = acted(given, f"remove:{OPTIONS}.0", **{f"{OPTIONS}.pasted": "un\ndeux"})
        assert [row["key"] for row in question(after)["options"]] == ["option_2", "un", "deux"]

    def test_of_everything_that_offers_it(self) -> None:
        given = json.loads(composed())
        for kind in KINDS:
            given = acted(given, "add:steps.0.fields", **{"steps.0.fields.kind": kind})
        ways = [part.way for part in leaves(structure(json.dumps(given))) if part.can_be_pasted]
        assert {way.rpartition(".")[2] for way in ways} == {
            *("options", "types", "severities", "operations")
        }
        for way in ways:
            text = json.dumps(acted(given, "paste", **{f"{way}.pasted": "alpha\nbeta"}))
            (rows,) = (part.rows for part in leaves(structure(text)) if part.way == way)
            assert [row.label for row in rows][-2:] == ["alpha", "beta"]

    def test_not_of_what_does_not(self) -> None:
        given = json.loads(composed()) | {"rulings": [{"name": "one", "label": WORDS}]}
        said = {"rulings.0.options.pasted": "a", "steps.pasted": "b", "odd.pasted": "c"}
        assert acted(given, "save", **said) == given


class TestCopied:
    def test_a_question_is_called_as_nothing_else(self) -> None:
        given = json.loads(composed())
        question(given)["is_doubt"] = True
        after = acted(given, "copy:steps.0.fields.0")
        first, second = after["steps"][0]["fields"]
        assert first["is_doubt"]
        del first["is_doubt"]
        assert second == first | {"name": "clarity_2"}
        assert acted(after, "copy:steps.0.fields.0")["steps"][0]["fields"][1]["name"] == "clarity_3"

    def test_an_option_has_its_own_number(self) -> None:
        after = acted(json.loads(composed()), f"copy:{OPTIONS}.0")
        rows = [(row["value"], row["key"]) for row in question(after)["options"]]
        assert rows == [(1, "unclear"), (4, "unclear_2"), (2, "mixed"), (3, "clear")]

    @pytest.mark.parametrize("name", sorted(files()))
    def test_a_step_of_any_protocol_can_be_judged_by_twice(self, name: str) -> None:
        """Its questions name each other, and not those that they were copied from."""
        given = json.loads(files()[name])
        for number in reversed(range(len(given["steps"]))):
            given = acted(given, f"copy:steps.{number}")
        copied = protocol_read(json.dumps(given))
        own = {field.name for step in copied.steps[::2] for field in step.fields}
        for step in copied.steps[1::2]:
            theirs = {field.name for field in step.fields}
            assert not theirs & own
            for field in step.fields:
                if field.stored_with:
                    assert field.stored_with in theirs
        wrong = [fault.en for fault in faults(copied)]
        assert not wrong, wrong

    def test_groups_of_operations(self) -> None:
        given = acted(
            json.loads(composed()), "add:steps.0.fields", **{"steps.0.fields.kind": "edits"}
        )
        after = acted(given, "copy:steps.0.fields.1.operations.0")
        groups = question(after, 1)["operations"]
        assert [group["key"] for group in groups] == ["group_1", "group_2"]
        assert [
            [(row["value"], row["key"]) for row in group["operations"]] for group in groups
        ] == [
            [(1, "operation_1")],
            [(2, "operation_2")],
        ]

    def test_what_has_no_name_is_not_copied(self) -> None:
        given = json.loads(composed()) | {"about": {"limits": [WORDS]}}
        assert acted(given, "copy:about.limits.0") == given
        assert acted(given, "copy:steps.7") == given
        parts = leaves(structure(json.dumps(given)))
        assert not any(part.can_be_copied for part in parts if part.way.startswith("about"))


class TestRemoved:
    @pytest.mark.parametrize(
        "way",
        [
            "steps.0",
            "steps.0.fields.0",
            f"{OPTIONS}.1",
            "about.limits.0",
            "rulings.0",
            "rulings.1.options.0",
        ],
    )
    def test_what_was_taken_out_is_put_back_where_it_was(self, way: str) -> None:
        given = json.loads(composed()) | {
            "about": {"limits": [WORDS]},
            "rulings": [
                {"name": "one", "label": WORDS},
                {"name": "two", "label": WORDS, "options": [["a", WORDS], ["b", WORDS]]},
            ],
        }
        text = json.dumps(given)
        after = restructured(text, sent(structure(text), action=f"remove:{way}"))
        assert after.removed is not None
        assert after.removed.way == way
        form = structured(after.text, (), removed=after.removed)
        assert [part.way for part in leaves(form.parts) if part.removed] == [way.rpartition(".")[0]]
        back = acted(json.loads(after.text), f"restore:{way}", removed=after.removed.text)
        assert back == given

    @pytest.mark.parametrize("row", ["", "{", "5", '"a"', "[" * 5000])
    def test_what_no_page_sends_is_not_put_back(self, row: str) -> None:
        given = json.loads(composed())
        assert acted(given, "restore:steps.0", removed=row) == given

    def test_the_page_that_takes_it_out_offers_it(self, cast: Cast) -> None:
        lead = Client()
        lead.force_login(cast.lead)
        draft = draft_of(cast.lead, composed())
        url = reverse("protocol_draft", args=[draft.public_id])
        form = sent(structure(draft.text), base=draft.text, builds_on="1")
        form["action"] = f"remove:{OPTIONS}.1"
        page = lead.post(url, form)
        assert page.status_code == 200
        assert f'value="restore:{OPTIONS}.1"' in page.content.decode()
        # Loaded anew, as a browser does, it takes nothing else out.
        assert lead.post(url, form).status_code == 200
        now = ProtocolDraft.objects.get()
        assert [row["key"] for row in question(json.loads(now.text))["options"]] == [
            "unclear",
            "clear",
        ]


class TestBothLanguages:
    def test_what_is_said_in_one_is_said_in_both(self) -> None:
        given = json.loads(composed(title={"fr": "Clarté", "en": " "}))
        question(given)["help"] = {"en": "As you read it."}
        assert structured(json.dumps(given), ()).is_half_said
        after = acted(given, "both:words")
        assert after["title"] == {"fr": "Clarté", "en": "Clarté"}
        assert question(after)["help"] == {"fr": "As you read it.", "en": "As you read it."}
        assert question(after)["label"] == {"fr": "Clarté", "en": "Clarity"}
        assert not structured(json.dumps(after), ()).is_half_said
        assert faults(protocol_read(json.dumps(after))) == []


def test_edits_are_asked_of_every_pair_unless_somebody_says_otherwise() -> None:
    """None is an answer then, and rated 0: else only pairs with an edit would be compared."""
    after = acted(json.loads(composed()), f"add:{FIELDS}", **{f"{FIELDS}.kind": "edits"})
    assert question(after, 1)["required"] is True
