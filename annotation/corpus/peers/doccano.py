"""doccano: JSONL, an example a line; an archive with a file for each annotator, or one file where
they annotated together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.corpus.peers.peer import ANNOTATOR, COMMENT, FILE, Peer, PeerRecord, single, span

_ANSWERS = ("label", "entities", "cats", "relations", "Comments")
_OF_A_SPAN = 3


def knows(record: PeerRecord) -> bool:
    lists = [isinstance(record.get(name), list) for name in ("label", "entities", "cats")]
    return "id" in record and "text" in record and any(lists) and "_input_hash" not in record


def rows(record: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One; none of an example that nobody has labelled. Its annotator is who its file is called
    after."""
    row = {name: value for name, value in record.items() if name not in (*_ANSWERS, FILE)}
    label, entities = record.get("label"), record.get("entities")
    if not any(record.get(name) for name in _ANSWERS):
        yield None
        return
    if isinstance(label, list) and label:
        row["label"] = _spans(label) if _are_spans(label) else single(label)
    if isinstance(entities, list) and entities:
        row["entities"] = _spans(entities)
    if record.get("cats"):
        row["cats"] = single(record["cats"])
    if isinstance(comments := record.get("Comments"), list):
        row[COMMENT] = "\n".join(str(comment) for comment in comments)
    yield row | {ANNOTATOR: record.get(FILE)}


def _are_spans(labels: list[Any]) -> bool:
    return all(isinstance(label, list) and len(label) == _OF_A_SPAN for label in labels)


def _spans(passages: list[Any]) -> list[dict[str, Any]]:
    spans = []
    for passage in passages:
        if isinstance(passage, list) and len(passage) == _OF_A_SPAN:
            start, end, label = passage
            spans.append(span(label, start, end, within="text"))
        elif isinstance(passage, Mapping):
            start, end = passage.get("start_offset"), passage.get("end_offset")
            spans.append(span(passage.get("label"), start, end, within="text"))
    return spans


PEER = Peer("doccano", "doccano", knows, rows)
