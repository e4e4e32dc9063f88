"""Potato: ``annotated_instances.jsonl`` in a folder for each annotator (1.x), ``annotations.jsonl``
and its CSV with who annotated in each row (2.x). Neither holds more of an item than its text as it
was displayed: an archive may bring the project's data file along, whose items are then found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.corpus.peers.peer import (
    ANNOTATOR,
    FILE,
    Peer,
    PeerRecord,
    are_objects,
    single,
    span,
)
from annotation.protocols.base import Wording

_NOT = ("", "false", "False")
_BOXES = ("text_box", "slider", "number", "")
_SHAPES = (("label_annotations", "span_annotations"), ("labels", "spans"))
_SPANS = "._spans"
_DISPLAYED = "displayed_text"


def knows(record: PeerRecord) -> bool:
    # What it notes of each click names both as well, with a number of its own.
    return _shape(record) is not None or (
        "instance_id" in record
        and "user_id" in record
        and "value" not in record
        and "action_id" not in record
    )


def rows(record: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One."""
    row: dict[str, Any] = {"id": item(record)}
    if _DISPLAYED in record:
        row[_DISPLAYED] = record[_DISPLAYED]
    shape = _shape(record)
    row |= _answers(record[shape[0]], record.get(shape[1])) if shape else _cells(record)
    yield row | {ANNOTATOR: record.get("user_id") or record.get(FILE)}


def item(record: PeerRecord) -> str:
    """By what an item is known, in annotations and in the data file."""
    return str(record.get("instance_id", record.get("id", "")))


def _shape(record: PeerRecord) -> tuple[str, str] | None:
    if "id" not in record and "instance_id" not in record:
        return None
    return next((shape for shape in _SHAPES if isinstance(record.get(shape[0]), Mapping)), None)


def _answers(labels: Mapping[str, Any], spans: Any) -> dict[str, Any]:
    answers = {name: _said(value) for name, value in labels.items()}
    for name, marked in spans.items() if isinstance(spans, Mapping) else ():
        if are_objects(marked):
            answers[str(name)] = [_span(passage) for passage in marked]
    return answers


def _said(value: Any) -> Any:
    """What was chosen or written under a schema: its labels, or the text of a box."""
    if not isinstance(value, Mapping):
        return value
    chosen = {str(name): said for name, said in value.items() if _is_said(str(name), said)}
    texts = [said for name, said in chosen.items() if _is_text(name, said)]
    return single(texts or list(chosen))


def _is_said(name: str, said: Any) -> bool:
    """Whether anything was said: in a box, 0 is an answer; of a choice, it is none."""
    if said is None or said is False or said in _NOT:
        return False
    return said != 0 or _is_box(name)


def _is_box(name: str) -> bool:
    return name in _BOXES or name.startswith("text_box")


def _is_text(name: str, said: Any) -> bool:
    """Whether a label is a box, and what stands beside it what was written or set there: of a
    choice, it is the label again, its number, or yes."""
    if _is_box(name):
        return True
    return isinstance(said, str) and len(said.split()) > 1 and said != name


def _span(passage: Mapping[str, Any]) -> dict[str, Any]:
    label = passage.get("label", passage.get("annotation"))
    within = str(passage.get("target_field") or passage.get("field") or "text")
    quote = passage.get("text", passage.get("span"))
    return span(label, passage.get("start"), passage.get("end"), within=within, quote=quote)


def _cells(record: PeerRecord) -> dict[str, Any]:
    """The columns of a CSV: ``schema.label`` for each label."""
    chosen: dict[str, dict[str, Any]] = {}
    answers: dict[str, Any] = {}
    for name, value in record.items():
        if name.endswith(_SPANS):
            answers[name.removesuffix(_SPANS)] = _listed(value)
        elif "." in name:
            schema, label = name.split(".", 1)
            chosen.setdefault(schema, {})[label] = value
        elif name not in ("instance_id", "user_id", FILE):
            answers[name] = value
    return {name: _said(labels) for name, labels in chosen.items()} | answers


def _listed(value: Any) -> Any:
    try:
        passages = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return [_span(passage) for passage in passages] if are_objects(passages) else value


PEER = Peer(
    "potato",
    "Potato",
    knows,
    rows,
    item,
    beside=Wording(
        "Potato n'écrit pas les textes : mettez son fichier de données (id, original, "
        "simplification) dans une même archive .zip que les annotations, et envoyez l'archive.",
        "Potato does not write the texts: put its data file (id, original, simplification) into "
        "one .zip archive with the annotations, and send the archive.",
    ),
)
