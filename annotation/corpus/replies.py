"""The file of answers that a model's provider gives back for a batch: one object a line, of which
little is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_OF_BODY = ("id", "model", "system_fingerprint")
_OF_USAGE = ("prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class Replies:
    """The lines that are answers, each as JSON with the members that are kept and no other; how
    many are not."""

    lines: list[str]
    unreadable: int = 0


def read_replies(content: bytes) -> Replies:
    """The answers of a file. Lines end in a line feed alone: a text may hold any other
    character."""
    lines, unreadable = [], 0
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        try:
            lines.append(json.dumps(_kept(json.loads(line))))
        except (ValueError, TypeError, RecursionError):
            unreadable += 1
    return Replies(lines, unreadable)


def _kept(answer: Any) -> dict[str, Any]:
    """Raises ``TypeError`` for what is no object."""
    if not isinstance(answer, Mapping):
        raise TypeError(type(answer).__name__)
    response, error = answer.get("response"), answer.get("error")
    kept: dict[str, Any] = {"custom_id": _plain(answer.get("custom_id")), "error": _error(error)}
    if isinstance(response, Mapping):
        status = response.get("status_code")
        kept["response"] = _members(response, ("request_id",)) | {
            "status_code": status if type(status) is int and 100 <= status < 600 else None,
            "body": _body(response.get("body")),
        }
    return kept


def _body(body: Any) -> dict[str, Any] | None:
    """A chat completion, or a refusal, without what is not looked at."""
    if not isinstance(body, Mapping):
        return None
    kept = _members(body, _OF_BODY) | {"error": _error(body.get("error"))}
    if isinstance(usage := body.get("usage"), Mapping):
        kept["usage"] = _members(usage, _OF_USAGE)
    elif "usage" in body:
        kept["usage"] = None
    if isinstance(choices := body.get("choices"), list):
        kept["choices"] = [_choice(choice) for choice in choices[:1]]
    return kept


def _choice(choice: Any) -> dict[str, Any]:
    if not isinstance(choice, Mapping):
        return {}
    kept = _members(choice, ("finish_reason",))
    if isinstance(message := choice.get("message"), Mapping):
        kept["message"] = _members(message, ("content", "refusal"))
    return kept


def _error(error: Any) -> dict[str, Any] | None:
    return _members(error, ("code", "message")) if isinstance(error, Mapping) else None


def _members(of: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _plain(of[name]) for name in names if name in of}


def _plain(value: Any) -> Any:
    """A text, a number, a truth or nothing; an empty list stands for whatever else there was."""
    return value if value is None or isinstance(value, str | int | float) else []
