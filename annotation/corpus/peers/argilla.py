"""Argilla: the rows of a dataset as ``to_datasets`` and ``to_list(flatten=True)`` make them, as
JSONL, JSON or Parquet. Everybody's responses to a record stand in it, question by question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from annotation.corpus.peers.peer import ANNOTATOR, Peer, PeerRecord, single, span

_RESPONSES, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"
_OWN = ("_server_id", "status", "vectors")
_TAKEN_BACK = ("discarded", "draft")


def knows(record: PeerRecord) -> bool:
    return any(name.endswith(_USERS) for name in record)


def rows(row: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One for each person that responded; None for whoever discarded the record or has not
    submitted."""
    record = {name: value for name, value in row.items() if _is_of_record(name)}
    answers: dict[str, dict[str, Any]] = {}
    undone: set[str] = set()
    for name in row:
        if not name.endswith(_USERS):
            continue
        question = name.removesuffix(_USERS)
        values, users, states = (
            _listed(row.get(question + end)) for end in (_RESPONSES, _USERS, _STATUS)
        )
        for place, (value, user) in enumerate(zip(values, users, strict=False)):
            if place < len(states) and states[place] in _TAKEN_BACK:
                undone.add(str(user))
            answers.setdefault(str(user), {})[question] = _said(value)
    for user, said in answers.items():
        yield None if user in undone else record | said | {ANNOTATOR: user}


def question_names(record: PeerRecord) -> Iterator[str]:
    for name in record:
        if name.endswith(_USERS):
            yield name.removesuffix(_USERS)


def _is_of_record(name: str) -> bool:
    return name not in _OWN and ".responses" not in name and ".suggestion" not in name


def _listed(value: Any) -> list[Any]:
    """A list, which a table has as JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return value if isinstance(value, list) else []


def _said(value: Any) -> Any:
    """A response: spans, several labels, or one."""
    if isinstance(value, list) and value and all(_is_span(passage) for passage in value):
        return [
            span(
                passage["label"],
                passage["start"],
                passage["end"],
                within=str(passage.get("field") or "text"),
            )
            for passage in value
        ]
    return single(value)


def _is_span(passage: Any) -> bool:
    return isinstance(passage, dict) and all(name in passage for name in ("start", "end", "label"))


PEER = Peer("argilla", "Argilla", knows, rows, question_names=question_names)
