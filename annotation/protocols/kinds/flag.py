"""Yes or no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import NO, YES, Answers, PairFacts, Parts, Rulings
from annotation.protocols.columns import IMPORTED, ORIGIN, Column, ColumnGroup, Slot, Value, said
from annotation.protocols.kinds.field import Context, Evidence, Field, Say, Schema, shape_error

SET, UNSET = "1", "0"
"""What is stored of a flag. That it is not set is stored only where a file says so: of whoever
judges here it follows from there being nothing."""
ANY = "on"
_YES_NO = (Value(1, YES, "true"), Value(0, NO, "false"))


@dataclass(frozen=True)
class Flag(Field):
    """Yes or no, beside the dimensions. ``is_doubt``: the annotator says that they are not sure of
    this judgment; leads find it by that. ``confirms``: the choice that it upholds against what
    ``Protocol.finding`` says; the page shows it only then."""

    kind: ClassVar[str] = "flag"
    control: ClassVar[str] = "box"

    is_doubt: bool = field(default=False, kw_only=True)
    confirms: str = field(default="", kw_only=True)

    @property
    def in_foot(self) -> bool:
        return self.is_doubt

    @property
    def qualifies(self) -> str:
        """A confirmation is of one answer, and upholds no other."""
        return self.confirms or super().qualifies

    def context(self, value: Any, say: Say) -> Context:
        return {"confirms": self.confirms, "is_doubt": self.is_doubt}

    @property
    def empty(self) -> bool:
        return False

    def clean(self, received: object) -> bool:
        if received in (None, "", False, "false", "0", "off"):
            return False
        if received in (True, "true", "1", "on"):
            return True
        raise shape_error(self.name, received, "oui ou non", "yes or no")

    def posted(self, values: Sequence[str], post: Mapping[str, Sequence[str]]) -> Any:
        # The page's box carries the choice that it was shown for. Without a script that may
        # have been changed in the same form.
        if self.confirms and values and values[-1] != ANY:
            return list(values[-1:]) == list(post.get(self.confirms, ()))
        return bool(values)

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answers[self.name]:
            parts.sides[self.name] = SET

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        if self.name in cells:
            parts.sides[self.name] = SET if self.clean(cells[self.name]) else UNSET

    def restore(self, parts: Parts) -> Answers:
        return {self.name: parts.sides.get(self.name) == SET}

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None and value is not True:
            raise ValueError(f"{self.name} is set or not: a condition can ask that it is")
        return Evidence("side", self.name, SET)

    @property
    def allowed_sides(self) -> tuple[str, ...]:
        return (SET, UNSET)

    def schema(self) -> Schema:
        return {"type": "boolean"}

    def model_schema(self) -> Schema:
        return {"type": "boolean"}

    def lines(self, value: Any, say: Say) -> list[str]:
        return [say(YES)] if value else []

    def slots(self) -> tuple[Slot, ...]:
        return (Slot(self.name, self.label, _YES_NO),)

    def export(self) -> ColumnGroup:
        return ColumnGroup(
            (Column(self.name, "boolean", said(self.label)),),
            cells=_flag_cells,
            reads=(self.name, ORIGIN),
            shared=True,
        )


def _flag_cells(read: tuple[str | None, str]) -> list[bool | None]:
    stored, origin = read
    # Whether the judges of a published file were asked is not known, unless the file says so.
    return [None if origin == IMPORTED and not stored else stored == SET]
