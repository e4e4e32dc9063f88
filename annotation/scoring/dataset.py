"""What a scorer is trained and measured on: judged pairs with their labels, as one file that never
changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np

from annotation.scoring.audit import AuditRow
from annotation.scoring.errors import ScoringError
from annotation.scoring.metrics import FloatArray

FORMAT = "bareme-training/2"
FORMER = "bareme-training/1"
"""Had one dimension of classes, under the name that it has in FrJUDGE."""


@dataclass(frozen=True)
class LabelledPair:
    """A pair with its label in points of the scale. ``row`` is what a person looks up, ``key`` what
    files call it.

    ``ratings``: annotator to score; empty where the source holds labels alone. ``classes``: the
    final label on each dimension of classes, nothing where there is none. ``corpus``: the study,
    document or campaign that it is from, empty where that is not known.
    """

    row: int
    key: str
    original: str
    simplification: str
    label: float
    ratings: Mapping[str, float] = field(default_factory=dict)
    finish_reason: str = ""
    system: str = ""
    classes: Mapping[str, str] = field(default_factory=dict)
    is_practice: bool = False
    corpus: str = ""


@dataclass(frozen=True)
class TrainingSet:
    """Judged pairs of one source on one scale, in the source's order.

    ``target``: what the score means, such as "legal_meaning/1"; scorers of different targets are
    never compared. ``bracket_tops``: upper ends of the protocol's lower brackets. ``aggregate``:
    how labels are made of ratings.
    """

    name: str
    target: str
    language: str
    lowest: float
    highest: float
    pairs: tuple[LabelledPair, ...]
    bracket_tops: tuple[float, ...] = ()
    aggregate: str = "mean"

    @property
    def labels(self) -> FloatArray:
        """(n,) in points of the scale."""
        return np.array([pair.label for pair in self.pairs], dtype=np.float64)

    @property
    def originals(self) -> list[str]:
        """(n,) source texts, repeated where a source has several simplifications."""
        return [pair.original for pair in self.pairs]

    def rating_table(self) -> FloatArray:
        """(n, annotators) ratings, NaN where missing; (n, 0) where the source holds none."""
        names = sorted({name for pair in self.pairs for name in pair.ratings})
        table = [[pair.ratings.get(name, np.nan) for name in names] for pair in self.pairs]
        return np.array(table, dtype=np.float64).reshape(len(self.pairs), len(names))

    def audit_rows(self) -> list[AuditRow]:
        """The pairs as the audit reads them, before any split."""
        return [
            AuditRow(
                row=pair.row,
                original=pair.original,
                simplification=pair.simplification,
                label=pair.label,
                ratings=pair.ratings,
                finish_reason=pair.finish_reason,
                is_practice=pair.is_practice,
            )
            for pair in self.pairs
        ]

    def to_bytes(self) -> bytes:
        """JSON lines: the facts, then a line per pair. The same set gives the same bytes."""
        facts = {**asdict(self), "format": FORMAT, "pairs": len(self.pairs)}
        return b"".join(_line(entry) for entry in (facts, *(asdict(pair) for pair in self.pairs)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """The inverse. Raises ``ScoringError`` ("data_unreadable") for anything else."""
        try:
            facts, *rows = [json.loads(line) for line in content.splitlines()]
            form = facts.pop("format")
            if form not in (FORMAT, FORMER) or facts.pop("pairs") != len(rows):
                raise ValueError("another format, or lines are missing")
            if form == FORMER:
                rows = [_of_today(row) for row in rows]
            facts["bracket_tops"] = tuple(facts["bracket_tops"])
            return cls(**facts, pairs=tuple(LabelledPair(**row) for row in rows))
        except (ValueError, KeyError, TypeError) as error:
            raise ScoringError(
                "data_unreadable",
                (
                    "Le fichier des données d'entraînement est illisible : relancez l'entraînement "
                    "depuis sa source."
                ),
                (
                    "The file of training data cannot be read: start the training again from its "
                    "source."
                ),
            ) from error


def joined(sets: Sequence[TrainingSet]) -> TrainingSet:
    """Several sets as one, each a corpus of its own by its name. Raises ``ScoringError``
    ("sets_differ") where they are not labelled on one scale in one language."""
    first = sets[0]
    if len(sets) == 1:
        return first
    shared = ("target", "language", "lowest", "highest", "aggregate")
    for other in sets[1:]:
        for name in shared:
            if getattr(other, name) != getattr(first, name):
                raise ScoringError(
                    "sets_differ",
                    f"{first.name} et {other.name} ne peuvent être réunis : {name} diffère "
                    f"({getattr(first, name)}, {getattr(other, name)}).",
                    f"{first.name} and {other.name} cannot be joined: {name} differs "
                    f"({getattr(first, name)}, {getattr(other, name)}).",
                )
    pairs = [
        replace(
            pair,
            key=f"{training_set.name}:{pair.key}",
            corpus=training_set.name,
            # A pseudonym is one study's: two studies' A01 are two people.
            ratings={f"{training_set.name}:{who}": value for who, value in pair.ratings.items()},
        )
        for training_set in sets
        for pair in training_set.pairs
    ]
    numbered = tuple(replace(pair, row=number) for number, pair in enumerate(pairs, 1))
    return replace(
        first, name=" + ".join(training_set.name for training_set in sets), pairs=numbered
    )


def _of_today(row: dict[str, Any]) -> dict[str, Any]:
    """A pair of a file in the former format."""
    kind = row.pop("characterization")
    return row | {"classes": {"characterization": kind} if kind else {}}


def digest(content: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, sort_keys=True, allow_nan=False).encode() + b"\n"
