"""Label Studio: JSON (tasks with their annotations), JSON-MIN and CSV (an annotation a row)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.corpus.peers.peer import ANNOTATOR, Peer, PeerRecord, are_objects, single, span

_OF_ANNOTATIONS = ("annotator", "annotation_id", "lead_time")
_OWN = ("annotation_id", "lead_time", "created_at", "updated_at", "agreement")
_POSITIONS = ("start", "end")
# What a span's value holds beside its labels.
_OF_SPANS = frozenset(("start", "end", "text", "globalOffsets", "startOffset", "endOffset"))


def knows_tasks(record: PeerRecord) -> bool:
    return isinstance(record.get("data"), Mapping) and are_objects(_annotations(record))


def task_rows(record: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """A row for each annotation; None for a cancelled one."""
    for annotation in _annotations(record):
        if annotation.get("was_cancelled"):
            yield None
            continue
        row = {"id": record.get("id"), **record["data"]}
        yield (
            row
            | _answers(annotation.get("result"))
            | {ANNOTATOR: _who(annotation.get("completed_by"))}
        )


def question_names(record: PeerRecord) -> Iterator[str]:
    for annotation in _annotations(record):
        results = annotation.get("result")
        for result in results if are_objects(results) else ():
            if isinstance(name := result.get("from_name"), str):
                yield name


def knows_annotations(record: PeerRecord) -> bool:
    return all(name in record for name in _OF_ANNOTATIONS)


def annotation_row(record: PeerRecord) -> Iterator[dict[str, Any] | None]:
    """The same of an export that has a row for each; in CSV what is nested stands as JSON."""
    row = {name: value for name, value in record.items() if name not in _OWN}
    yield {name: _small(value) for name, value in row.items()}


def _annotations(record: PeerRecord) -> Any:
    return record.get("annotations", record.get("completions"))


def _who(person: Any) -> Any:
    if isinstance(person, Mapping):
        return person.get("email") or person.get("id")
    return person


def _answers(results: Any) -> dict[str, Any]:
    """What was answered, by the name of the control."""
    answers: dict[str, list[Any]] = {}
    for result in results if are_objects(results) else ():
        name, value = result.get("from_name"), result.get("value")
        if isinstance(name, str) and isinstance(value, Mapping):
            answers.setdefault(name, []).extend(_said(value, str(result.get("to_name") or "")))
    return {
        name: said if any(isinstance(answer, Mapping) for answer in said) else _joined(said)
        for name, said in answers.items()
    }


def _joined(said: list[Any]) -> Any:
    return single(said)


def _said(value: Mapping[str, Any], within: str) -> list[Any]:
    """A control's value: spans, or what was chosen, rated or written."""
    if all(name in value for name in _POSITIONS):
        labels = next(
            (v for k, v in value.items() if k not in _OF_SPANS and isinstance(v, list)), []
        )
        offsets = value.get("globalOffsets")
        place = offsets if isinstance(offsets, Mapping) else value
        return [
            span(
                label, place.get("start"), place.get("end"), within=within, quote=value.get("text")
            )
            for label in labels or [""]
        ]
    if len(value) != 1:
        return [dict(value)]
    (only,) = value.values()
    return list(only) if isinstance(only, list) else [only]


def _small(value: Any) -> Any:
    """A value of JSON-MIN: one choice stands as it is, several under their kind, ratings and spans
    in a list."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, Mapping) and len(value) == 1:
        (only,) = value.values()
        return single(only) if isinstance(only, list) else value
    if isinstance(value, list) and value and are_objects(value):
        return _joined([said for answer in value for said in _said(answer, "")])
    return value


TASKS = Peer(
    "label_studio",
    "Label Studio (JSON)",
    knows_tasks,
    task_rows,
    numbers_tasks=True,
    question_names=question_names,
    fields="data",
)
ANNOTATIONS = Peer(
    "label_studio_min",
    "Label Studio (JSON-MIN, CSV)",
    knows_annotations,
    annotation_row,
    numbers_tasks=True,
)
