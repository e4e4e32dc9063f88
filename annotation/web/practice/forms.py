"""A reference judgment as a plain form: passages are quoted, and found again in the texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from annotation.bodies import whole
from annotation.protocols.base import Answers, Problem, Wording
from annotation.protocols.fields import ErrorList
from annotation.protocols.protocol import Protocol
from annotation.web.agreement.overlay import SIDES
from annotation.web.judging.forms.judging import posted_answers

BLANK_ROWS = 3
NOT_FOUND = Wording(
    "Ce passage n'est pas dans le texte : copiez-le tel quel.",
    "This passage is not in the text: copy it as it stands.",
)
Row = dict[str, Any]


def posted_rows(posted: QueryDict) -> list[Row]:
    """The error rows that say anything, as they were typed."""
    rows = []
    for number in range(
        len([name for name in posted if name.startswith("error-") and name.endswith("-type")])
    ):
        row = {
            name: posted.get(f"error-{number}-{name}", "").strip()
            for name in ("type", "note", *SIDES)
        }
        row |= {f"{side}_start": posted.get(f"error-{number}-{side}_start", "") for side in SIDES}
        if row["type"] or row["note"] or any(row[side] for side in SIDES):
            rows.append(row)
    return rows


def posted_reference(
    protocol: Protocol, posted: QueryDict, texts: Mapping[str, str]
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The raw answers, None where nothing was answered, and what is wrong with the quoted
    passages."""
    raw, problems = posted_answers(protocol, posted), []
    for field in protocol.fields:
        if isinstance(field, ErrorList):
            raw[field.name] = []
            for place, row in enumerate(posted_rows(posted)):
                error, wrong = _error(row, texts)
                raw[field.name].append(error)
                problems += [
                    Problem(f"{field.name}.{place}.{side}", "not_found", NOT_FOUND)
                    for side in wrong
                ]
    blank = all(raw[field.name] in (field.empty, "") for field in protocol.fields)
    return (None if blank else raw), problems


def reference_rows(answers: Answers | None, texts: Mapping[str, str]) -> list[Row]:
    """A stored reference's errors as rows of the form."""
    rows = []
    for error in (answers or {}).get("errors", []):
        row = {"type": error["type"], "note": error["note"]}
        for side in SIDES:
            start, end = error[f"{side}_start"], error[f"{side}_end"]
            row |= {
                side: texts[side][start:end] if start is not None else "",
                f"{side}_start": start,
            }
        rows.append(row)
    return rows


def with_blank_rows(rows: list[Row]) -> list[Row]:
    """The rows and a few to fill in."""
    return [*rows, *({} for _ in range(BLANK_ROWS))]


def _error(row: Row, texts: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The row as an error with spans, and the sides whose passage is not in the text."""
    error: dict[str, Any] = {"type": row["type"], "note": row["note"]}
    wrong = []
    for side in SIDES:
        place = _place(row[side], row[f"{side}_start"], texts[side]) if row[side] else None
        if row[side] and place is None:
            wrong.append(side)
        error[f"{side}_start"], error[f"{side}_end"] = place or (None, None)
    return error, wrong


def _place(quote: str, former: str, text: str) -> tuple[int, int] | None:
    """Where the passage stands: where it stood before if it still does, else its first place.

    Blanks do not count: a line of a form drops the line ends of what is copied into it.
    """
    if len(quote) > len(text):
        return None
    passage = re.compile(r"\s*".join(re.escape(letter) for letter in quote if not letter.isspace()))
    start = whole(former) or 0
    found = passage.match(text, start) if start else None
    found = found or passage.search(text)
    return found.span() if found else None
