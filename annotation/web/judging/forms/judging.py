"""The judging form without JavaScript, derived from the protocol's fields.

The page sends JSON when it can; this reads the plain form that the same page posts when it cannot.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from django.http import QueryDict

from annotation.bodies import whole
from annotation.protocols.base import Answers
from annotation.protocols.fields import SPAN_NAMES, ErrorList, Flag
from annotation.protocols.protocol import Protocol
from annotation.services.judging.draft_versions import Aside
from annotation.services.judging.drafts import Save
from annotation.web.judging.comparing import mixed


def posted_answers(protocol: Protocol, posted: QueryDict) -> dict[str, Any]:
    """The raw answers of a plain form post, in the shape that ``Protocol.clean`` takes."""
    raw: dict[str, Any] = {}
    for field in protocol.fields:
        if isinstance(field, ErrorList):
            raw[field.name] = posted_errors(posted)
        elif isinstance(field, Flag):
            raw[field.name] = field.name in posted
        else:
            raw[field.name] = posted.get(field.name, field.empty)
    return raw


def posted_errors(posted: QueryDict) -> list[dict[str, Any]]:
    """The error rows in the order of their numbers; a removed number leaves no hole."""
    numbers = sorted(
        {
            number
            for name in posted
            if name.startswith("error-")
            and name.count("-") == 2
            and (number := whole(name.split("-")[1])) is not None
        }
    )
    return [
        {
            "type": posted.get(f"error-{number}-type", ""),
            "note": posted.get(f"error-{number}-note", ""),
            **{name: posted.get(f"error-{number}-{name}", "") or None for name in SPAN_NAMES},
        }
        for number in numbers
    ]


def posted_save(protocol: Protocol, posted: QueryDict) -> Save:
    """The whole post as a save. A form without its hidden fields builds on nothing (revision 0)."""
    try:
        key = uuid.UUID(posted.get("key", ""))
    except ValueError:
        key = uuid.uuid4()
    revision = posted.get("base_revision", "0")
    return Save(
        answers=posted_answers(protocol, posted),
        base_revision=whole(revision) or 0,
        key=key,
    )


def settling(
    protocol: Protocol, save: Save, *, typed: Answers, stored: Answers, posted: QueryDict
) -> Save:
    """The save of a form that showed what was typed beside what another window had stored: what is
    not chosen is put aside. The form itself is one choice, all of what is stored another, and a
    third goes question by question."""
    match posted.get("action"):
        case "take_stored":
            return replace(save, answers=stored, aside=[Aside(typed)])
        case "settle":
            picks = {
                name.removeprefix("pick-"): str(posted[name])
                for name in posted
                if name.startswith("pick-")
            }
            return replace(
                save, answers=mixed(protocol, typed, stored, picks), aside=[Aside(typed)]
            )
        case _:
            return replace(save, aside=[])


def apply_action(raw: dict[str, Any], action: str) -> dict[str, Any]:
    """Add or remove an error row, as the form's own buttons ask."""
    errors = list(raw["errors"])
    if action == "add_error":
        errors.append({"type": "", "note": "", **dict.fromkeys(SPAN_NAMES)})
    elif action.startswith("remove_error_"):
        index = whole(action.removeprefix("remove_error_"))
        errors = [error for place, error in enumerate(errors) if place != index]
    return {**raw, "errors": errors}
