"""Protocols that somebody composes, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.http import QueryDict

from annotation.models import ProtocolDraft, PublishedProtocol, User
from annotation.protocols.files import ProtocolIsCode, protocol_text
from annotation.protocols.registry import PROTOCOLS
from annotation.services.composing.drafts import Composed, protocol_draft_begin
from annotation.services.composing.installing import draft_install
from annotation.web.composing.parts import Part


def files() -> dict[str, str]:
    """Every protocol that a file can hold, as one, by name."""
    written = {}
    for protocol in PROTOCOLS.values():
        try:
            written[protocol.name] = protocol_text(protocol)
        except ProtocolIsCode:
            continue
    return written


def draft_of(owner: User, text: str, **pair: str) -> ProtocolDraft:
    return protocol_draft_begin(actor=owner, composed=Composed(text, **pair))


def composed(*, fields: Sequence[dict[str, Any]] = (), **parts: Any) -> str:
    """The file of a small protocol of one's own: one scale, and ``fields`` beside it."""
    clear = {
        "kind": "scale",
        "name": "clarity",
        "label": {"fr": "Clarté", "en": "Clarity"},
        "required": True,
        "options": [
            {"value": 1, "key": "unclear", "label": {"fr": "pas claire", "en": "not clear"}},
            {"value": 2, "key": "mixed", "label": {"fr": "en partie", "en": "in part"}},
            {"value": 3, "key": "clear", "label": {"fr": "claire", "en": "clear"}},
        ],
    }
    step = {
        "key": "reading",
        "question": {"fr": "Est-ce clair?", "en": "Is it clear?"},
        "fields": [clear, *fields],
    }
    whole = {
        "key": "clarity",
        "version": "1",
        "title": {"fr": "Clarté", "en": "Clarity"},
        "steps": [step],
    }
    return json.dumps(whole | parts, ensure_ascii=False)


def installed(owner: User, **parts: Any) -> PublishedProtocol:
    """Such a protocol, composed and installed by that lead."""
    return draft_install(actor=owner, draft=draft_of(owner, composed(**parts)), seen=1)


def sent(parts: Sequence[Part], **said: str) -> QueryDict:
    """What a browser sends of a form in which nothing was changed but what is ``said``, by way."""
    posted = QueryDict(mutable=True)
    for part in leaves(parts):
        match part.control:
            case "word":
                posted.update(
                    {f"{part.way}.{name}": sends_in_line(part.value[name]) for name in part.value}
                )
            case "words":
                posted.update(
                    {f"{part.way}.{name}": sends(part.value[name]) for name in part.value}
                )
            case "tick":
                posted[f"{part.way}.asked"] = "1"
                posted.update({part.way: "1"} if part.value else {})
            case "ticks":
                posted[f"{part.way}.asked"] = "1"
                posted.setlist(part.way, part.value)
            case "when" | "ends":
                assert part.control == "ends" or part.value["field"] in dict(part.choices)
                posted.update({f"{part.way}.{name}": part.value[name] for name in part.value})
            case "lines":
                posted[part.way] = sends(part.value)
            case "line" | "number" | "list" | "yes_no":
                assert not part.choices or part.value in dict(part.choices)
                posted[part.way] = sends_in_line(part.value)
    for way, value in said.items():
        posted[way] = value
    return posted


def sends(text: str) -> str:
    """As a browser sends a text of several lines."""
    return text.replace("\n", "\r\n")


def sends_in_line(text: str) -> str:
    """As a browser sends what stands in a field of one line: without its ends."""
    return text.replace("\n", "").replace("\r", "")


def leaves(parts: Sequence[Part]) -> Iterator[Part]:
    for part in parts:
        yield from leaves((*part.parts, *part.more, *part.rows))
        yield part
