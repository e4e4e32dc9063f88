"""One of several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answers,
    Better,
    Dimension,
    Level,
    Option,
    Parts,
    RatingValue,
    Rulings,
)
from annotation.protocols.columns import (
    ColumnGroup,
    ComparedColumn,
    Slot,
    code_column,
    labelled,
    option_values,
)
from annotation.protocols.kinds.field import (
    Context,
    Evidence,
    Field,
    Say,
    Schema,
    as_int,
    option_context,
    option_facts,
    option_line,
    option_schema,
    shape_error,
)

MANY = 9
"""More options than digits: they are shown with numbers of two digits."""


@dataclass(frozen=True)
class Choice(Field):
    """One of a few options, each an integer: a dimension of the field's name. ``better``: which
    way, where the options have an order."""

    kind: ClassVar[str] = "choice"
    control: ClassVar[str] = "select"
    scripts: ClassVar[tuple[str, ...]] = ("choice",)

    options: tuple[Option, ...] = field(default=(), kw_only=True)
    level: Level = field(default=Level.NOMINAL, kw_only=True)
    better: Better = field(default=Better.HIGHER, kw_only=True)

    def clean(self, received: object) -> int | None:
        if received is None or received == "":
            return None
        value = as_int(self.name, received)
        if value not in {option.value for option in self.options}:
            allowed = ", ".join(str(option.value) for option in self.options)
            raise shape_error(self.name, received, f"l'un de {allowed}", f"one of {allowed}")
        return value

    def option(self, value: int) -> Option:
        """The option with this value. Raises ``KeyError`` where there is none."""
        for option in self.options:
            if option.value == value:
                return option
        raise KeyError(value)

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        values = [option.value for option in self.options]
        return (
            Dimension(
                self.name,
                self.label,
                self.level,
                lowest=min(values),
                highest=max(values),
                options=self.options,
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
        if value is not None and value not in {option.value for option in self.options}:
            raise ValueError(f"{value!r} is no option of {self.name}")
        return Evidence("rating", self.name, None if value is None else int(value))

    def schema(self) -> Schema:
        return {
            "type": ["integer", "null"],
            "enum": [*(option.value for option in self.options), None],
        }

    def facts(self, say: Say) -> Context:
        return {"options": option_facts(self.options, say)}

    def model_lines(self) -> list[str]:
        return [
            f"  {option.value} : {option.label.fr}. {option.help.fr}".rstrip()
            for option in self.options
        ]

    def explained(self, say: Say) -> list[str]:
        return [option_line(option, say) for option in self.options]

    def model_schema(self) -> Schema:
        if self.always:
            return option_schema(self.options)
        return {"type": ["integer", "null"], "enum": [*(o.value for o in self.options), None]}

    def context(self, value: Any, say: Say) -> Context:
        return {
            "options": [
                option_context(option, say, checked=option.value == value)
                for option in self.options
            ]
        }

    def lines(self, value: Any, say: Say) -> list[str]:
        return [] if value is None else [f"{value} · {say(self.option(value).label)}"]

    def slots(self) -> tuple[Slot, ...]:
        values = [option.value for option in self.options]
        scale = () if self.level == Level.NOMINAL else (min(values), max(values))
        return (Slot(self.name, self.label, option_values(self.options), scale),)

    # -- published data ---------------------------------------------------------------------------

    def export(self) -> ColumnGroup:
        by_value = {option.value: option for option in self.options}

        def cells(value: int | None) -> list[Any]:
            if value is None:
                return [None] * 4
            option = by_value[value]
            return [value, option.key, option.label.fr, option.label.en]

        return ColumnGroup(
            labelled(self.name, self.label, option_values(self.options)),
            cells=cells,
            reads=(f"{self.name}.value",),
            shared=True,
        )

    def compared(self) -> tuple[ComparedColumn, ...]:
        described = code_column(self.name, self.label, option_values(self.options))
        return (ComparedColumn(f"{self.name}.value", described),)

    @property
    def presented(self) -> str:
        return "Multiple-choice options, one to be selected."

    def brief(self, value: Any, say: Say) -> str:
        """One of many by its number and first words: what stands in brackets would take lines."""
        if value is None:
            return ""
        label = say(self.option(value).label)
        return label if len(self.options) <= MANY else f"{value:02} {label.split(' (')[0]}"
