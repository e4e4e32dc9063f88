"""Prodigy: ``db-out``, a task a line, as its annotator answered it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.corpus.peers.peer import ANNOTATOR, Peer, PeerRecord, are_objects, single, span

# What draws a task and says nothing of it.
_DRAWING = frozenset(("options", "tokens", "html", "config", "style", "label_style", "spans"))
_PASSED_OVER = "ignore"


def knows(told: PeerRecord) -> bool:
    return "_input_hash" in told and "_task_hash" in told and "answer" in told


def rows(told: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One; none of a task that was ignored. Who answered is in ``_annotator_id``; older versions
    have the session alone."""
    if told["answer"] == _PASSED_OVER:
        yield None
        return
    row = {
        name: value
        for name, value in told.items()
        if name not in _DRAWING and not name.startswith("_")
    }
    if "accept" in told:
        row["accept"] = single(told["accept"])
    if are_objects(told.get("spans")):
        row["spans"] = [_span(one) for one in told["spans"]]
    row[ANNOTATOR] = told.get("_annotator_id") or told.get("_session_id")
    yield row


def _span(one: Mapping[str, Any]) -> dict[str, Any]:
    return span(
        one.get("label"), one.get("start"), one.get("end"), within="text", quote=one.get("text")
    )


PEER = Peer("prodigy", "Prodigy", knows, rows, refusal=("answer", "reject"))
