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
from annotation.protocols.protocol import Protocol
from annotation.services.judging.draft_versions import Aside
from annotation.services.judging.drafts import Save
from annotation.web.judging.comparing import mixed


def posted_answers(protocol: Protocol, posted: QueryDict) -> dict[str, Any]:
    """The raw answers of a plain form post, in the shape that ``Protocol.clean`` takes."""
    post = dict(posted.lists())
    return {field.name: field.posted(posted.getlist(field.name), post) for field in protocol.fields}


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


def apply_action(protocol: Protocol, raw: dict[str, Any], action: str) -> dict[str, Any]:
    """Add or remove a row of marks, as the form's own buttons ask: ``add:<field>``,
    ``remove:<field>:<number>``."""
    verb, _sep, rest = action.partition(":")
    name, _sep, number = rest.partition(":")
    if name not in (field.name for field in protocol.marked):
        return raw
    rows = list(raw[name])
    if verb == "add":
        rows.append(protocol.field(name).blank_mark())
    elif verb == "remove":
        rows = [row for place, row in enumerate(rows) if place != whole(number)]
    return {**raw, name: rows}
