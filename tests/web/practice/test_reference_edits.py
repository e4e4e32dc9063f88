"""A reference of edits as a plain form: the passages of an edit stand in one control."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from annotation.web.practice.forms import posted_reference, reference_rows
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
    edit = {"type": "wordGone", "original": [[0, 2], [17, 20]], "simplification": [], "note": "n"}
    rows = reference_rows(EVERYTHING, {"edits": [edit]}, TEXTS)
    assert rows["edits"] == [
        {
            "type": "wordGone",
            "note": "n",
            "original": "Un … mot",
            "original_start": 0,
            "simplification": "",
            "simplification_start": None,
        }
    ]
