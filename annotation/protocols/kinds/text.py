"""Free text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import Answers, PairFacts, Parts, Rulings
from annotation.protocols.columns import Column, ColumnGroup, said
from annotation.protocols.kinds.field import Context, Evidence, Field, Say, Schema, shape_error

# What PostgreSQL does not hold, and what no encoding writes.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Text(Field):
    """Free text, at most ``max_length`` characters (code points). ``is_remark``: what an annotator
    says to the leads about a pair, who may answer it."""

    kind: ClassVar[str] = "text"
    control: ClassVar[str] = "lines"

    max_length: int = field(default=5000, kw_only=True)
    is_remark: bool = field(default=False, kw_only=True)

    @property
    def empty(self) -> str:
        return ""

    def clean(self, received: object) -> str:
        if received is None:
            return ""
        if not isinstance(received, str) or _UNSTORABLE.search(received):
            raise shape_error(self.name, received, "un texte", "a text")
        if len(received) > self.max_length:
            raise shape_error(
                self.name,
                received[:30],
                f"au plus {self.max_length} caractères ({len(received)} reçus)",
                f"at most {self.max_length} characters ({len(received)} received)",
            )
        return received.replace("\r\n", "\n")

    def is_answered(self, value: object) -> bool:
        return bool(str(value or "").strip())

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        return ((self.name,),)

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answers[self.name]:
            parts.sides[self.name] = answers[self.name]

    def restore(self, parts: Parts) -> Answers:
        return {self.name: parts.sides.get(self.name, "")}

    def evidence(self, value: int | str | bool | None) -> Evidence:
        return Evidence("side", self.name, None if value is None else str(value))

    def schema(self) -> Schema:
        return {"type": "string", "maxLength": self.max_length}

    def model_schema(self) -> Schema:
        return {"type": "string"}

    def context(self, value: Any, say: Say) -> Context:
        return {"max_length": self.max_length, "is_remark": self.is_remark}

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        """A text that reads like a list is a text."""
        if self.name in cells:
            answer = self.clean(cells[self.name])
            if self.is_answered(answer):
                self.store({self.name: answer}, rulings, parts)

    def export(self) -> ColumnGroup:
        label = said(self.label)
        return ColumnGroup(
            (Column(self.name, "text", label, free=self.free_members),),
            cells=lambda text: (text or "",),
            reads=(self.name,),
            often="",
        )
