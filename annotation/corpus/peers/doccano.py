"""doccano: JSONL, an example a line; an archive with a file for each annotator, or one file where
they annotated together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.corpus.peers.peer import ANNOTATOR, COMMENT, FILE, Peer, PeerRecord, single, span

_ANSWERS = ("label", "entities", "cats", "relations", "Comments")
_OF_A_SPAN = 3


def knows(told: PeerRecord) -> bool:
    lists = [isinstance(told.get(name), list) for name in ("label", "entities", "cats")]
    return "id" in told and "text" in told and any(lists) and "_input_hash" not in told


def rows(told: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One; none of an example that nobody has labelled. Its annotator is who its file is called
    after."""
    row = {name: value for name, value in told.items() if name not in (*_ANSWERS, FILE)}
    label, entities = told.get("label"), told.get("entities")
    if not any(told.get(name) for name in _ANSWERS):
        yield None
        return
    if isinstance(label, list) and label:
        row["label"] = _spans(label) if _are_spans(label) else single(label)
    if isinstance(entities, list) and entities:
        row["entities"] = _spans(entities)
    if told.get("cats"):
        row["cats"] = single(told["cats"])
    if isinstance(comments := told.get("Comments"), list):
        row[COMMENT] = "\n".join(str(one) for one in comments)
    yield row | {ANNOTATOR: told.get(FILE)}


def _are_spans(labels: list[Any]) -> bool:
    return all(isinstance(one, list) and len(one) == _OF_A_SPAN for one in labels)


def _spans(told: list[Any]) -> list[dict[str, Any]]:
    found = []
    for one in told:
        if isinstance(one, list) and len(one) == _OF_A_SPAN:
            start, end, label = one
            found.append(span(label, start, end, within="text"))
        elif isinstance(one, Mapping):
            start, end = one.get("start_offset"), one.get("end_offset")
            found.append(span(one.get("label"), start, end, within="text"))
    return found


PEER = Peer("doccano", "doccano", knows, rows)
