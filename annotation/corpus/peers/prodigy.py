"""Prodigy: ``db-out``, a task a line, as its annotator answered it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.corpus.peers.peer import ANNOTATOR, Peer, PeerRecord, are_objects, single, span

# What draws a task and says nothing of it.
_DRAWING = frozenset(("options", "tokens", "html", "config", "style", "label_style", "spans"))
_PASSED_OVER = "ignore"


def knows(record: PeerRecord) -> bool:
    return "_input_hash" in record and "_task_hash" in record and "answer" in record


def rows(record: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One; none of a task that was ignored. Who answered is in ``_annotator_id``; older versions
    have the session alone."""
    if record["answer"] == _PASSED_OVER:
        yield None
        return
    row = {
        name: value
        for name, value in record.items()
        if name not in _DRAWING and not name.startswith("_")
    }
    if "accept" in record:
        row["accept"] = single(record["accept"])
    if are_objects(record.get("spans")):
        row["spans"] = [_span(passage) for passage in record["spans"]]
    row[ANNOTATOR] = record.get("_annotator_id") or record.get("_session_id")
    yield row


def _span(passage: Mapping[str, Any]) -> dict[str, Any]:
    return span(
        passage.get("label"),
        passage.get("start"),
        passage.get("end"),
        within="text",
        quote=passage.get("text"),
    )


PEER = Peer("prodigy", "Prodigy", knows, rows, refusal=("answer", "reject"))
