"""A whole number between two bounds, set on a line or typed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import (
    NO_WORDING,
    Answers,
    Better,
    Dimension,
    Level,
    Parts,
    RatingValue,
    Rulings,
    Wording,
)
from annotation.protocols.columns import Column, ColumnGroup, ComparedColumn, Slot, column
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
class Slider(Field):
    """A whole number from ``lowest`` to ``highest`` in steps of ``step``: a dimension of the
    field's name. It has no position before somebody gives it one. ``better``: which way."""

    kind: ClassVar[str] = "slider"
    control: ClassVar[str] = "number"
    scripts: ClassVar[tuple[str, ...]] = ("slider",)
    styles: ClassVar[tuple[str, ...]] = ("slider",)

    lowest: int = field(default=0, kw_only=True)
    highest: int = field(default=100, kw_only=True)
    step: int = field(default=1, kw_only=True)
    level: Level = field(default=Level.INTERVAL, kw_only=True)
    better: Better = field(default=Better.HIGHER, kw_only=True)
    low: Wording = field(default=NO_WORDING, kw_only=True)
    high: Wording = field(default=NO_WORDING, kw_only=True)

    def clean(self, received: object) -> int | None:
        if received is None or received == "":
            return None
        value = as_int(self.name, received)
        if not self.lowest <= value <= self.highest or (value - self.lowest) % self.step:
            bounds = f"{self.lowest}–{self.highest}"
            fr, en = f"un nombre de {bounds}", f"a number in {bounds}"
            if self.step != 1:
                fr, en = f"{fr}, par pas de {self.step}", f"{en}, in steps of {self.step}"
            raise shape_error(self.name, received, fr, en)
        return value

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        return (
            Dimension(
                self.name,
                self.label,
                self.level,
                lowest=self.lowest,
                highest=self.highest,
                step=self.step,
                required=self.always,
                better=self.better,
            ),
        )

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answers[self.name] is not None:
            parts.rate(RatingValue(self.name, answers[self.name]))

    def restore(self, parts: Parts) -> Answers:
        rating = parts.ratings.get(self.name)
        return {self.name: rating.value if rating else None}

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None and value not in self.dimensions[0].scale:
            raise ValueError(f"{value!r} is not on the line of {self.name}")
        return Evidence("rating", self.name, None if value is None else int(value))

    def schema(self) -> Schema:
        return {
            "type": ["integer", "null"],
            "minimum": self.lowest,
            "maximum": self.highest,
            **({"multipleOf": self.step} if self.step != 1 and not self.lowest % self.step else {}),
        }

    def facts(self, say: Say) -> Context:
        return {"lowest": self.lowest, "highest": self.highest, "step": self.step}

    def model_lines(self) -> list[str]:
        ends = [
            f"  {value} : {wording.fr}"
            for value, wording in ((self.lowest, self.low), (self.highest, self.high))
            if wording.fr
        ]
        steps = f", de {self.step} en {self.step}" if self.step != 1 else ""
        return [f"  un nombre entier de {self.lowest} à {self.highest}{steps}", *ends]

    def explained(self, say: Say) -> list[str]:
        ends = ((self.lowest, self.low), (self.highest, self.high))
        lines = [f"**{value}.** {say(wording)}" for value, wording in ends if wording.fr]
        if len(lines) == len(ends) and self.step == 1:
            return lines
        return [bounds_line(self.lowest, self.highest, self.step, say), *lines]

    def model_schema(self) -> Schema:
        return {"type": "integer" if self.always else ["integer", "null"]}

    def context(self, value: Any, say: Say) -> Context:
        return {
            "lowest": self.lowest,
            "highest": self.highest,
            "step": self.step,
            "low": say(self.low),
            "high": say(self.high),
        }

    def slots(self) -> tuple[Slot, ...]:
        return (Slot(self.name, self.label, scale=(self.lowest, self.highest)),)

    def export(self) -> ColumnGroup:
        return ColumnGroup(
            (self._column(),),
            cells=lambda value: (value,),
            reads=(f"{self.name}.value",),
            shared=True,
        )

    def compared(self) -> tuple[ComparedColumn, ...]:
        return (ComparedColumn(f"{self.name}.value", self._column()),)

    @property
    def presented(self) -> str:
        ends = ", ".join(
            f"{value}: {wording.en}"
            for value, wording in ((self.lowest, self.low), (self.highest, self.high))
            if wording.en
        )
        steps = f" in steps of {self.step}" if self.step != 1 else ""
        return (
            f"A line from {self.lowest} to {self.highest}{f' ({ends})' if ends else ''} without a "
            f"starting position, on which a whole number{steps} is set or typed."
        )

    def _column(self) -> Column:
        bounds = f"{self.lowest}–{self.highest}"
        ends = [
            (value, wording)
            for value, wording in ((self.lowest, self.low), (self.highest, self.high))
            if wording.fr
        ]
        fr, en = (
            "".join(f"; {value} : {wording.fr}" for value, wording in ends),
            "".join(f"; {value}: {wording.en}" for value, wording in ends),
        )
        return column(
            self.name,
            "integer",
            f"{self.label.fr} : nombre entier, {bounds}{fr}.",
            f"{self.label.en}: whole number, {bounds}{en}.",
        )
