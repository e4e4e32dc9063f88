"""A whole number that only qualifies another answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import Answers, Parts, Rulings, Wording
from annotation.protocols.columns import Column, ColumnGroup
from annotation.protocols.kinds.field import (
    Context,
    Evidence,
    Field,
    Say,
    Schema,
    as_int,
    bounds_line,
    shape_error,
)


@dataclass(frozen=True)
class Whole(Field):
    """A whole number between two bounds, or nothing; it qualifies other answers and is no dimension
    of its own (one that is: ``Slider``)."""

    kind: ClassVar[str] = "whole"
    control: ClassVar[str] = "number"
    styles: ClassVar[tuple[str, ...]] = ("slider",)

    lowest: int = field(default=0, kw_only=True)
    highest: int = field(default=0, kw_only=True)

    def clean(self, received: object) -> int | None:
        if received is None or received == "":
            return None
        value = as_int(self.name, received)
        if not self.lowest <= value <= self.highest:
            bounds = f"{self.lowest}–{self.highest}"
            raise shape_error(
                self.name, received, f"un nombre de {bounds}", f"a number in {bounds}"
            )
        return value

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answers[self.name] is not None and not self.stored_with:
            parts.sides[self.name] = str(answers[self.name])

    def restore(self, parts: Parts) -> Answers:
        if self.stored_with:
            return {}
        written = parts.sides.get(self.name)
        return {self.name: None if written is None else int(written)}

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None and not self.lowest <= int(value) <= self.highest:
            raise ValueError(f"{value!r} is out of the bounds of {self.name}")
        return Evidence("side", self.name, None if value is None else str(value))

    @property
    def allowed_sides(self) -> tuple[str, ...]:
        return tuple(str(value) for value in range(self.lowest, self.highest + 1))

    def schema(self) -> Schema:
        return {"type": ["integer", "null"], "minimum": self.lowest, "maximum": self.highest}

    def model_lines(self) -> list[str]:
        return [f"  un nombre entier de {self.lowest} à {self.highest}, ou null"]

    def explained(self, say: Say) -> list[str]:
        return [bounds_line(self.lowest, self.highest, 1, say)]

    def model_schema(self) -> Schema:
        return {"type": ["integer", "null"]}

    def context(self, value: Any, say: Say) -> Context:
        return {"bounds": (self.lowest, self.highest)}

    def export(self) -> ColumnGroup | None:
        if self.stored_with:
            return None
        bounds = f"{self.lowest}–{self.highest}"
        described = Wording(
            f"{self.label.fr} : nombre entier, {bounds}. Vide : aucune réponse.",
            f"{self.label.en}: whole number, {bounds}. Empty: no answer.",
        )
        return ColumnGroup(
            (Column(self.name, "integer", described),),
            cells=lambda written: (int(written) if written else None,),
            reads=(self.name,),
            shared=True,
        )
