"""A reference judgment as a plain form: passages are quoted, and found again in the texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from annotation.bodies import whole
from annotation.protocols.base import Answers, Passages, Problem, Wording
from annotation.protocols.kinds import Field, ShapeError
from annotation.protocols.protocol import Protocol
from annotation.web.agreement.overlay import SIDES
from annotation.web.judging.forms.judging import posted_answers

BLANK_ROWS = 3
BETWEEN = " … "
"""Between the passages of one mark in its control."""
NOT_FOUND = Wording(
    "Ce passage n'est pas dans le texte : copiez-le tel quel.",
    "This passage is not in the text: copy it as it stands.",
)
Row = dict[str, Any]


def posted_rows(protocol: Protocol, posted: QueryDict) -> dict[str, list[Row]]:
    """The rows of marks that say anything, as they were typed, by field."""
    return {field.name: _posted_rows(field.name, posted) for field in protocol.marked}


def _posted_rows(name: str, posted: QueryDict) -> list[Row]:
    rows = []
    type_fields = [
        field for field in posted if field.startswith(f"{name}-") and field.endswith("-type")
    ]
    for number in range(len(type_fields)):
        row = {
            part: posted.get(f"{name}-{number}-{part}", "").strip()
            for part in ("type", "severity", "note", *SIDES)
        }
        row |= {f"{side}_start": posted.get(f"{name}-{number}-{side}_start", "") for side in SIDES}
        if row["type"] or row["note"] or any(row[side] for side in SIDES):
            rows.append(row)
    return rows


def posted_reference(
    protocol: Protocol, posted: QueryDict, texts: Mapping[str, str]
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The raw answers, None where nothing was answered, and what is wrong with the quoted
    passages."""
    raw, problems = posted_answers(protocol, posted), []
    for name, rows in posted_rows(protocol, posted).items():
        raw[name] = []
        for place, row in enumerate(rows):
            mark, wrong = _mark(protocol.field(name), row, texts)
            raw[name].append(mark)
            problems += [
                Problem(f"{name}.{place}.{side}", "not_found", NOT_FOUND) for side in wrong
            ]
    blank = all(raw[field.name] in (field.empty, "") for field in protocol.fields)
    return (None if blank else raw), problems


def posted_unread(protocol: Protocol, posted: QueryDict) -> dict[str, str]:
    """What was typed that no answer can be made of (a number that is none, or too large), by
    field."""
    raw, unread = posted_answers(protocol, posted), {}
    for field in protocol.fields:
        try:
            field.clean(raw[field.name])
        except ShapeError:
            unread[field.name] = posted.get(field.name, "")
    return unread


def reference_rows(
    protocol: Protocol, answers: Answers | None, texts: Mapping[str, str]
) -> dict[str, list[Row]]:
    """A stored reference's marks as rows of the form, by field."""
    return {
        field.name: [
            _row(mark, texts) for mark in field.passages((answers or {}).get(field.name, []))
        ]
        for field in protocol.marked
    }


def _row(mark: Passages, texts: Mapping[str, str]) -> Row:
    row: Row = {"type": mark.type, "severity": mark.severity, "note": mark.note}
    for side in SIDES:
        spans = mark.spans(side)
        row |= {
            side: BETWEEN.join(texts[side][start:end] for start, end in spans),
            f"{side}_start": spans[0][0] if spans else None,
        }
    return row


def with_blank_rows(rows: list[Row]) -> list[Row]:
    """The rows and a few to fill in."""
    return [*rows, *({} for _ in range(BLANK_ROWS))]


def _mark(field: Field, row: Row, texts: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The row as a mark with spans, and the sides whose passage is not in the text."""
    spans, wrong = {}, []
    for side in SIDES:
        places = _places(field, row[side], row[f"{side}_start"], texts[side]) if row[side] else []
        if None in places:
            wrong.append(side)
        spans[side] = [place for place in places if place is not None]
    mark = field.mark_at(row["type"], row["note"], spans)
    if row["severity"] and "severity" in mark:
        mark["severity"] = row["severity"]
    return mark, wrong


def _places(field: Field, quote: str, former: str, text: str) -> list[tuple[int, int] | None]:
    """Where the passage stands; each of several, where the kind has them, one behind another as
    far as they are found so."""
    whole_quote = _place(quote, former, text)
    # Not a pattern with blanks around the sign: of many blanks it takes the square of their number.
    pieces = [stripped for piece in quote.split("…") if (stripped := piece.strip())]
    if whole_quote or not field.has_several_spans or not pieces:
        return [whole_quote]
    places = [_place(pieces[0], former, text)]
    for piece in pieces[1:]:
        behind = places[-1][1] if places[-1] else 0
        places.append(_place(piece, str(behind), text, is_from=True))
    return places


def _place(quote: str, former: str, text: str, *, is_from: bool = False) -> tuple[int, int] | None:
    """Where the passage stands: where it stood before if it still does (``is_from``: or behind
    that), else its first place.

    Blanks do not count: a line of a form drops the line ends of what is copied into it.
    """
    if len(quote) > len(text):
        return None
    passage = re.compile(r"\s*".join(re.escape(letter) for letter in quote if not letter.isspace()))
    start = whole(former) or 0
    ask = passage.search if is_from else passage.match
    match = ask(text, start) if start else None
    match = match or passage.search(text)
    return match.span() if match else None
