"""A snapshot's folder as the release reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from annotation.release.tables import read_rows


@dataclass(frozen=True)
class Frozen:
    """The files of a snapshot. Nothing here is computed: what is read was hashed when it was
    frozen."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Which snapshot this is, when it was made, by which recipe; the digest of each file."""
        return self._document("manifest.json")

    @cached_property
    def study(self) -> dict[str, Any]:
        """Settings and counts of the study."""
        return self._document("study.json")

    @cached_property
    def agreement(self) -> dict[str, Any]:
        """The agreement report of each dimension, and the severities of raters."""
        return self._document("agreement.json")

    @cached_property
    def codebook(self) -> dict[str, Any]:
        """What the columns of the exported layouts mean."""
        return self._document("codebook.json")

    @property
    def name(self) -> str:
        """The snapshot's name, KEY-N."""
        return str(self.manifest["snapshot"])

    @property
    def date(self) -> str:
        """The day on which it was frozen (UTC), YYYY-MM-DD: the only date that a release knows."""
        return str(self.manifest["created_at"])[:10]

    @property
    def dimensions(self) -> list[dict[str, Any]]:
        """Name, level, scale and options of each dimension, in the protocol's order."""
        found: list[dict[str, Any]] = self.study["protocol"]["dimensions"]
        return found

    @property
    def has_systems(self) -> bool:
        """Whether it is told which system wrote what."""
        return bool(self.manifest["recipe"]["systems"])

    @property
    def judged_here(self) -> bool:
        """Whether people judged in this installation; how imported judgments came about is not
        known to it."""
        return any(a["kind"] == "person" and a["judgments"] for a in self.study["annotators"])

    @property
    def guides(self) -> list[Path]:
        """The texts of the annotation guide, in order of version."""
        return sorted(self.folder.glob("guide-v*.md"), key=lambda path: (len(path.name), path.name))

    @property
    def glossary(self) -> Path:
        """The study's glossary; there is no such file where it had none."""
        return self.folder / "glossary.jsonl"

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a JSONL file, by its name without ending."""
        return read_rows(self.folder / f"{name}.jsonl")

    def count(self, name: str) -> int:
        """How many rows a JSONL file has."""
        return int(self.manifest["files"][f"{name}.jsonl"]["rows"])

    def labels(self) -> dict[str, dict[str, Mapping[str, Any]]]:
        """The final labels by simplification and dimension."""
        found: dict[str, dict[str, Mapping[str, Any]]] = {}
        for row in self.rows("labels"):
            found.setdefault(row["simplification_key"], {})[row["dimension"]] = row
        return found

    def _document(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / name).read_text("utf-8"))
        return found
