"""What the sheet of keys says of a protocol: how its steps are answered by digits, what letters
mark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.web.base.presenters import field_context, mark_letters, text


def keys_context(wanted: str) -> dict[str, Any]:
    """``wanted``: the protocol as the judging page names it, ``<key>-<version>``; the one that was
    published first where there is none of that name."""
    known = {f"{protocol.key}-{protocol.version}": protocol for protocol in PROTOCOLS.values()}
    protocol = known.get(wanted) or next(iter(PROTOCOLS.values()))
    fields = [field_context(field, protocol.empty_answers(), []) for field in protocol.fields]
    letters = mark_letters(protocol)
    return {
        "digits": list(_digits(protocol)),
        "types": [
            {
                "action": f"type_{option.key}",
                "letter": letters[field.name][option.key],
                "label": text(option.label),
            }
            for field in protocol.marked
            for option in field.marks
            if letters[field.name][option.key]
        ],
        "has_errors": protocol.has_errors,
        "has_filter": any(field.get("many") for field in fields),
        "has_brackets": bool(protocol.bracketed),
        "has_confirmation": any(field.get("confirms") for field in fields),
        "has_doubt": bool(protocol.doubts),
    }


def _digits(protocol: Protocol) -> Iterator[dict[str, Any]]:
    drawn = {name for field in protocol.fields for name in field.draws}
    for number, step in enumerate(protocol.steps, start=1):
        for field in step.fields:
            context = field_context(field, protocol.empty_answers(), [])
            typed = [option["digits"] for option in context.get("options", ())] or [
                str(bracket["value"]) for bracket in context.get("brackets", ())
            ]
            if typed and field.name not in drawn:
                yield {
                    "step": number,
                    "label": text(field.label),
                    "first": typed[0],
                    "last": typed[-1],
                }
