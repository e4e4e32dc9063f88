"""A reference of edits as a plain form: the passages of an edit stand in one control."""

from __future__ import annotations

import pytest
from django.http import QueryDict
from django.urls import reverse

from annotation.models import Judgment
from annotation.web.practice.forms import posted_reference, reference_rows
from tests.protocols.judged import judged
from tests.protocols.samples.everything import PROTOCOL as EVERYTHING

TEXTS = {"original": "Un mot, un autre mot.", "simplification": "Un mot."}


def posted(original: str, field: str = "edits", start: str = "") -> tuple[object, list[str]]:
    """The spans of the first mark in the original, and which controls are refused."""
    form = QueryDict(mutable=True)
    form[f"{field}-0-type"] = "wordGone" if field == "edits" else "gap"
    form[f"{field}-0-original"] = original
    form[f"{field}-0-original_start"] = start
    raw, problems = posted_reference(EVERYTHING, form, TEXTS)
    assert raw is not None
    cleaned = EVERYTHING.field(field).clean(raw[field])
    (mark,) = EVERYTHING.field(field).passages(cleaned)
    return [*mark.original], [problem.field for problem in problems]


@pytest.mark.parametrize(
    ("quoted", "spans"),
    [
        ("un autre", [(8, 16)]),
        ("Un … mot … mot", [(0, 2), (3, 6), (17, 20)]),
        ("mot … Un", [(3, 6), (0, 2)]),
        ("", []),
    ],
)
def test_each_passage_is_found_behind_the_one_before_it_or_at_its_first_place(quoted, spans):
    assert posted(quoted) == (spans, [])


def test_a_passage_stays_where_it_stood():
    assert posted("mot", start="17") == ([(17, 20)], [])


@pytest.mark.parametrize("quoted", ["absent", "mot … absent … mot", "…"])
def test_a_passage_that_is_not_there_is_named(quoted):
    _found, refused = posted(quoted)
    assert refused == ["edits.0.original"]


def test_marks_of_one_passage_have_no_more():
    assert posted("Un … autre", "flaws") == ([], ["flaws.0.original"])


def test_what_is_stored_is_shown_as_it_was_typed():
    edit = {
        "type": "wordGone",
        "original": [[0, 2], [17, 20]],
        "simplification": [],
        "note": "n",
        "severity": "heavy",
    }
    rows = reference_rows(EVERYTHING, {"edits": [edit]}, TEXTS)
    assert rows["edits"] == [
        {
            "type": "wordGone",
            "severity": "heavy",
            "note": "n",
            "original": "Un … mot",
            "original_start": 0,
            "simplification": "",
            "simplification_start": None,
        }
    ]


def test_an_edit_is_as_grave_when_its_form_comes_back():
    edit = {
        "type": "wordGone",
        "original": [[0, 2]],
        "simplification": [],
        "note": "",
        "severity": "heavy",
    }
    (row,) = reference_rows(EVERYTHING, {"edits": [edit]}, TEXTS)["edits"]
    form = QueryDict(mutable=True)
    form.update({f"edits-0-{part}": "" if value is None else value for part, value in row.items()})
    raw, problems = posted_reference(EVERYTHING, form, TEXTS)
    assert (raw and raw["edits"][0]["severity"], problems) == ("heavy", [])


def test_marks_without_degrees_take_none():
    form = QueryDict(mutable=True)
    form.update({"flaws-0-type": "gap", "flaws-0-severity": "heavy"})
    raw, _problems = posted_reference(EVERYTHING, form, TEXTS)
    assert raw is not None
    assert EVERYTHING.field("flaws").clean(raw["flaws"])


@pytest.mark.django_db
def test_the_page_offers_the_degrees_and_keeps_those_of_a_judgment_that_is_taken():
    made = judged(EVERYTHING)
    lead, address = (
        made.client(made.lead),
        reverse("practice_item", args=[made.study.key, made.practice.pk]),
    )
    judgment = Judgment.objects.filter(assignment__simplification=made.practice)[0]
    graves = [edit.severity for edit in judgment.errors.filter(field="edits")]
    assert "heavy" in graves or "slight" in graves
    # What only the lead can write is asked for: the form comes back with what was taken.
    page = lead.post(address, {"action": f"adopt_{judgment.pk}"})
    assert page.status_code == 422
    shown = page.content.decode()
    for key in ("slight", "heavy"):
        assert shown.count(f'<option value="{key}" selected>') == graves.count(key)
    words = {"slight": "(léger", "heavy": "(lourd"}
    assert all(words[key] in shown for key in set(graves) - {""})
