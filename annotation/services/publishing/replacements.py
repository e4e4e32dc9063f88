"""What was replaced in the free text of a snapshot, for who publishes it to read first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.models import DatasetSnapshot
from annotation.protocols.columns import NOTE
from annotation.release.frozen import PROTOCOL
from annotation.selectors.base.redaction import MARK
from annotation.services.publishing.snapshots import snapshot_folder

ANSWERS = ("judgments.jsonl", "practice.jsonl")


def snapshot_replacements(frozen: DatasetSnapshot, most: int = 200) -> dict[str, list[str]]:
    """The texts of this snapshot in which something was replaced, at most so many of each part: of
    "answers" (comments, explanations, notes; practice too), "rulings" (reasons, notes), "guides"
    (lines, each once), "glossary", "protocol" (its words), "deviations" (reasons, settings) and
    "metrics" (what was typed of those that were brought, each once). No part without any."""
    folder = snapshot_folder(frozen)
    typed = [column.name for column in frozen.study.protocol.free_columns]
    parts: dict[str, Iterable[str]] = {
        "answers": (
            text
            for name in ANSWERS
            for row in _rows(folder / name)
            for text in _marked([row.get(column) for column in typed])
        ),
        "rulings": (
            text
            for row in _rows(folder / "rulings.jsonl")
            for text in _marked(
                [row["reasons"], *(mark.get(NOTE) for mark in row.get("marks") or ())]
            )
        ),
        "guides": dict.fromkeys(
            line
            for path in sorted(folder.glob("guide-v*.md"))
            for line in _marked(path.read_text("utf-8").split("\n"))
        ),
        "glossary": (text for row in _rows(folder / "glossary.jsonl") for text in _marked(row)),
        "protocol": _marked(_document(folder / PROTOCOL)),
        "deviations": _marked(_document(folder / "study.json").get("deviations")),
        "metrics": dict.fromkeys(
            text
            for report in _document(folder / "metrics.json").get("reports", ())
            for line in report["lines"]
            for text in _marked([line["name"], line["signature"]])
        ),
    }
    held = {part: list(islice(texts, most)) for part, texts in parts.items()}
    return {part: texts for part, texts in held.items() if texts}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Those rows of a file that hold the mark anywhere; none of a file that is not there."""
    try:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if MARK in line)
    except FileNotFoundError:
        return


def _document(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return content


def _marked(value: Any) -> Iterator[str]:
    """The texts in a value in which something was replaced."""
    if isinstance(value, str):
        if MARK in value:
            yield value
        return
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for inner in inside:
        yield from _marked(inner)
