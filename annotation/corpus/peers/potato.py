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


def knows(told: PeerRecord) -> bool:
    # What it notes of each click names both as well, with a number of its own.
    return _shape(told) is not None or (
        "instance_id" in told
        and "user_id" in told
        and "value" not in told
        and "action_id" not in told
    )


def rows(told: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """One."""
    row: dict[str, Any] = {"id": item(told)}
    if _DISPLAYED in told:
        row[_DISPLAYED] = told[_DISPLAYED]
    shape = _shape(told)
    row |= _answers(told[shape[0]], told.get(shape[1])) if shape else _cells(told)
    yield row | {ANNOTATOR: told.get("user_id") or told.get(FILE)}


def item(told: PeerRecord) -> str:
    """By what an item is known, in annotations and in the data file."""
    return str(told.get("instance_id", told.get("id", "")))


def _shape(told: PeerRecord) -> tuple[str, str] | None:
    if "id" not in told and "instance_id" not in told:
        return None
    return next((one for one in _SHAPES if isinstance(told.get(one[0]), Mapping)), None)


def _answers(labels: Mapping[str, Any], spans: Any) -> dict[str, Any]:
    found = {name: _said(value) for name, value in labels.items()}
    for name, marked in spans.items() if isinstance(spans, Mapping) else ():
        if are_objects(marked):
            found[str(name)] = [_span(one) for one in marked]
    return found


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


def _span(one: Mapping[str, Any]) -> dict[str, Any]:
    label = one.get("label", one.get("annotation"))
    within = str(one.get("target_field") or one.get("field") or "text")
    quote = one.get("text", one.get("span"))
    return span(label, one.get("start"), one.get("end"), within=within, quote=quote)


def _cells(told: PeerRecord) -> dict[str, Any]:
    """The columns of a CSV: ``schema.label`` for each label."""
    chosen: dict[str, dict[str, Any]] = {}
    found: dict[str, Any] = {}
    for name, value in told.items():
        if name.endswith(_SPANS):
            found[name.removesuffix(_SPANS)] = _listed(value)
        elif "." in name:
            schema, label = name.split(".", 1)
            chosen.setdefault(schema, {})[label] = value
        elif name not in ("instance_id", "user_id", FILE):
            found[name] = value
    return {name: _said(labels) for name, labels in chosen.items()} | found


def _listed(value: Any) -> Any:
    try:
        told = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return [_span(one) for one in told] if are_objects(told) else value


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
