"""One of a few words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import Answers, Parts, Rulings, Wording
from annotation.protocols.columns import Column, ColumnGroup, Slot, Value, said
from annotation.protocols.kinds.field import Context, Evidence, Field, Say, Schema, shape_error


@dataclass(frozen=True)
class Keyword(Field):
    """One of a few words, or nothing; it qualifies other answers and is no dimension of its own.

    ``words``: what each of ``allowed`` says to people; a word without one says itself.
    """

    kind: ClassVar[str] = "keyword"
    control: ClassVar[str] = "select"
    scripts: ClassVar[tuple[str, ...]] = ("choice",)

    allowed: tuple[str, ...] = field(default=(), kw_only=True)
    words: tuple[Wording, ...] = field(default=(), kw_only=True)

    @property
    def empty(self) -> str:
        return ""

    def clean(self, received: object) -> str:
        if received is None or received == "":
            return ""
        if received not in self.allowed:
            allowed = ", ".join(self.allowed)
            raise shape_error(self.name, received, f"l'un de {allowed}", f"one of {allowed}")
        return str(received)

    def word(self, value: str) -> Wording:
        """What a word of ``allowed`` says to people."""
        place = self.allowed.index(value)
        return self.words[place] if place < len(self.words) else Wording(value, value)

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answers[self.name] and not self.stored_with:
            parts.sides[self.name] = answers[self.name]

    def restore(self, parts: Parts) -> Answers:
        return {} if self.stored_with else {self.name: parts.sides.get(self.name, "")}

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None and value not in self.allowed:
            raise ValueError(f"{value!r} is no word of {self.name}")
        return Evidence("side", self.name, None if value is None else str(value))

    @property
    def allowed_sides(self) -> tuple[str, ...]:
        return self.allowed

    def schema(self) -> Schema:
        return {"type": "string", "enum": ["", *self.allowed]}

    def model_lines(self) -> list[str]:
        return [f"  {', '.join(self.allowed)}, ou chaîne vide"]

    def explained(self, say: Say) -> list[str]:
        return [f"**{say(self.word(word))}.**" for word in self.allowed]

    def model_schema(self) -> Schema:
        return {"type": "string", "enum": ["", *self.allowed]}

    def context(self, value: Any, say: Say) -> Context:
        return {
            "allowed": self.allowed,
            "options": [
                {"value": word, "label": say(self.word(word)), "checked": word == value}
                for word in self.allowed
            ],
        }

    def lines(self, value: Any, say: Say) -> list[str]:
        return [say(self.word(value))] if value else []

    def slots(self) -> tuple[Slot, ...]:
        if self.stored_with:
            return ()
        words = tuple(Value(word, self.word(word), word) for word in self.allowed)
        return (Slot(self.name, self.label, words),)

    def export(self) -> ColumnGroup | None:
        if self.stored_with:
            return None
        values = tuple(Value(word, self.word(word)) for word in self.allowed)
        return ColumnGroup(
            (Column(self.name, "category", said(self.label), values),),
            cells=lambda word: (word or None,),
            reads=(self.name,),
            shared=True,
        )
