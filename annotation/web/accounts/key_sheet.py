"""What the sheet of keys says of a protocol: how its steps are answered by digits, what letters
mark, and the keys of the kinds of its fields. What a study, a browser or a pair does not have is
left out by the page (``static/js/judging/keys.js``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import published
from annotation.web.base.presenters import field_context, has_template, mark_letters, text


def keys_context(wanted: str) -> dict[str, Any]:
    """``wanted``: the protocol as the judging page names it, ``<key>-<version>``; the one that was
    published first where there is none of that name."""
    known = {f"{protocol.key}-{protocol.version}": protocol for protocol in published()}
    protocol = known.get(wanted) or next(iter(known.values()))
    fields = [field_context(field, protocol.empty_answers(), []) for field in protocol.fields]
    return {
        "digits": list(_digits(protocol)),
        "own_keys": list(_own_keys(protocol)),
        "panels": [
            {"side": panel.side, "heading": text(panel.heading)} for panel in protocol.panels
        ],
        "has_several_steps": len(protocol.steps) > 1,
        # Elsewhere arrows are a kind's own.
        "has_selection": any(
            not any(field.has_arrows for field in step.fields) for step in protocol.steps
        ),
        "has_differences": any(len(step.sides) > 1 for step in protocol.steps),
        "has_filter": any(field.get("many") for field in fields),
        "has_brackets": bool(protocol.bracketed),
        "has_confirmation": any(field.get("confirms") for field in fields),
        "has_doubt": bool(protocol.doubts),
    }


def _own_keys(protocol: Protocol) -> Iterator[dict[str, Any]]:
    """Fields whose kind has keys of its own, with the template that lists them."""
    letters = mark_letters(protocol)
    for field in protocol.fields:
        template = f"judging/kinds/_{field.kind}_keys.html"
        if has_template(template):
            yield {
                "template": template,
                "field": field_context(field, protocol.empty_answers(), []),
                "are_errors": field.are_errors,
                "letters": _lettered(field, letters.get(field.name, {})),
            }


def _lettered(field: Field, letters: dict[str, str]) -> list[dict[str, str]]:
    return [
        {
            "action": f"type_{option.key}",
            "letter": letters[option.key],
            "label": text(option.label),
        }
        for option in field.marks
        if letters[option.key]
    ]


def _digits(protocol: Protocol) -> Iterator[dict[str, Any]]:
    drawn = {name for field in protocol.fields for name in field.draws}
    for number, step in enumerate(protocol.steps, start=1):
        for field in step.fields:
            context = field_context(field, protocol.empty_answers(), [])
            typed = [option["digits"] for option in context.get("options", ())] or [
                str(bracket["value"]) for bracket in context.get("brackets", ())
            ]
            if not typed and "lowest" in context:
                # A number, digit by digit.
                typed = [str(context["lowest"]), str(context["highest"])]
            if typed and field.name not in drawn:
                yield {
                    "step": number,
                    "label": text(field.label),
                    "first": typed[0],
                    "last": typed[-1],
                }
