"""A kind of somebody's own that stores a rating and a note, in a protocol that no test publishes
unless it asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answers,
    Dimension,
    Level,
    PairFacts,
    Parts,
    RatingValue,
    Rulings,
    Wording,
)
from annotation.protocols.columns import Column, ColumnGroup, ComparedColumn, Slot, said
from annotation.protocols.kinds import Evidence, Field, as_int, shape_error
from annotation.protocols.protocol import Protocol, Step

LABEL = Wording("Effort", "Effort")


@dataclass(frozen=True)
class Effort(Field):
    """How much effort the text costs, from 1 to 5, and why."""

    kind: ClassVar[str] = "effort"

    def clean(self, received: object) -> dict[str, Any] | None:
        if received in (None, ""):
            return None
        if not isinstance(received, dict) or set(received) - {"value", "note"}:
            raise shape_error(self.name, received, "un effort", "an effort")
        value = as_int(self.name, received.get("value"))
        if not 1 <= value <= 5:
            raise shape_error(self.name, received, "1 à 5", "1 to 5")
        return {"value": value, "note": str(received.get("note") or "")}

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        return (Dimension(self.name, self.label, Level.ORDINAL, 1, 5, required=self.always),)

    @property
    def sides(self) -> tuple[str, ...]:
        return (f"{self.name}_note",)

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        return ((self.name, "note"),)

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answer := answers[self.name]:
            parts.rate(RatingValue(self.name, answer["value"]))
            if answer["note"]:
                parts.sides[f"{self.name}_note"] = answer["note"]

    def restore(self, parts: Parts) -> Answers:
        rating = parts.ratings.get(self.name)
        note = parts.sides.get(f"{self.name}_note", "")
        return {self.name: {"value": rating.value, "note": note} if rating else None}

    def evidence(self, value: int | str | bool | None) -> Evidence:
        return Evidence("rating", self.name, None if value is None else int(value))

    def schema(self) -> dict[str, Any]:
        return {
            "type": ["object", "null"],
            "properties": {
                "value": {"type": "integer", "minimum": 1, "maximum": 5},
                "note": {"type": "string"},
            },
        }

    def model_schema(self) -> dict[str, Any]:
        return self.schema()

    def export(self) -> ColumnGroup | None:
        return ColumnGroup(
            (
                Column(self.name, "integer", said(self.label)),
                Column(f"{self.name}_note", "text", said(self.label), free=self.free_members),
            ),
            cells=lambda read: [read[0], read[1] or None],
            reads=(f"{self.name}.value", f"{self.name}_note"),
        )

    def slots(self) -> tuple[Slot, ...]:
        note = f"{self.name}_note"
        return (Slot(self.name, self.label, scale=(1, 5)), Slot(note, self.label))

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        if self.name in cells:
            given = {"value": cells[self.name], "note": cells.get(f"{self.name}_note", "")}
            self.store({self.name: self.clean(given)}, rulings, parts)

    def compared(self) -> tuple[ComparedColumn, ...]:
        value = Column(self.name, "integer", said(self.label))
        return (ComparedColumn(f"{self.name}.value", value),)

    @property
    def presented(self) -> str:
        return "A number from 1 to 5, and a note."


def asking(field: Field) -> Protocol:
    """A protocol of this one field."""
    return Protocol(
        key="effort",
        version="1",
        title=Wording("Effort", "Effort"),
        steps=(Step("effort", Wording("Quel effort?", "What effort?"), (field,)),),
    )


PROTOCOL = asking(Effort("effort", label=LABEL, required=True))
