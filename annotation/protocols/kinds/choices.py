"""Several of several: each option is said to hold or not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import (
    NO,
    YES,
    Answers,
    Dimension,
    Level,
    Option,
    PairFacts,
    Parts,
    RatingValue,
    Rulings,
    Wording,
)
from annotation.protocols.columns import (
    NONE,
    Column,
    ColumnGroup,
    ComparedColumn,
    Slot,
    column,
    option_values,
)
from annotation.protocols.kinds.field import (
    Context,
    Evidence,
    Field,
    Say,
    Schema,
    as_int,
    listed,
    option_context,
    option_facts,
    option_line,
    option_schema,
    shape_error,
)

NO_YES = (
    Option(0, "no", NO),
    Option(1, "yes", YES),
)


@dataclass(frozen=True)
class Choices(Field):
    """Any of a few options, or none of them. Each option is a dimension of its own, 0 or 1.

    An answer is the values in the options' order; an empty list says "none of these", which is an
    answer, unlike None. A dimension is called ``<field>_<option's key>``.
    """

    kind: ClassVar[str] = "choices"
    control: ClassVar[str] = "boxes"
    scripts: ClassVar[tuple[str, ...]] = ("choices",)

    options: tuple[Option, ...] = field(default=(), kw_only=True)
    none: Wording = field(default=Wording("Aucune", "None of these"), kw_only=True)

    def clean(self, received: object) -> list[int] | None:
        if received is None or received == "":
            return None
        if not isinstance(received, list) or len(received) > len(self.options):
            raise shape_error(self.name, received, "une liste de valeurs", "a list of values")
        chosen = [as_int(self.name, choice) for choice in received]
        known = [option.value for option in self.options]
        if set(chosen) - set(known):
            allowed = ", ".join(str(value) for value in known)
            raise shape_error(self.name, received, f"certains de {allowed}", f"some of {allowed}")
        return [value for value in known if value in chosen]

    def posted(self, values: Sequence[str], post: Mapping[str, Sequence[str]]) -> Any:
        if not values:
            return None
        return [value for value in values if value != NONE]

    def dimension_of(self, option: Option) -> str:
        return f"{self.name}_{option.key}"

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        return tuple(
            Dimension(
                self.dimension_of(option),
                option.label,
                Level.NOMINAL,
                lowest=0,
                highest=1,
                options=NO_YES,
                required=self.always,
            )
            for option in self.options
        )

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        chosen = answers[self.name]
        if chosen is None:
            return
        for option in self.options:
            parts.rate(RatingValue(self.dimension_of(option), int(option.value in chosen)))

    def restore(self, parts: Parts) -> Answers:
        rated = {o.value: parts.ratings.get(self.dimension_of(o)) for o in self.options}
        if not any(rated.values()):
            return {self.name: None}
        return {self.name: [value for value, rating in rated.items() if rating and rating.value]}

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is None:
            return Evidence("rating", self.dimensions[0].name)
        option = next((option for option in self.options if option.value == value), None)
        if option is None:
            raise ValueError(f"{value!r} is no option of {self.name}")
        return Evidence("rating", self.dimension_of(option), 1)

    def schema(self) -> Schema:
        return {
            "type": ["array", "null"],
            "items": option_schema(self.options),
            "maxItems": len(self.options),
        }

    def facts(self, say: Say) -> Context:
        return {"options": option_facts(self.options, say), "none": say(self.none)}

    def model_lines(self) -> list[str]:
        lines = [
            f"  {option.value} : {option.label.fr}. {option.help.fr}".rstrip()
            for option in self.options
        ]
        unanswered = "" if self.always else "; null : sans réponse"
        wanted = "Donne la liste des valeurs qui conviennent; liste vide : aucune"
        return [*lines, f"  {wanted}{unanswered}."]

    def explained(self, say: Say) -> list[str]:
        return [*(option_line(option, say) for option in self.options), f"**{say(self.none)}.**"]

    def model_schema(self) -> Schema:
        kind = "array" if self.always else ["array", "null"]
        return {"type": kind, "items": option_schema(self.options)}

    def context(self, value: Any, say: Say) -> Context:
        return {
            "options": [
                option_context(option, say, checked=option.value in (value or ()))
                for option in self.options
            ],
            "none": say(self.none),
            "none_value": NONE,
            "is_none": value == [],
        }

    def lines(self, value: Any, say: Say) -> list[str]:
        if value is None:
            return []
        return [say(o.label) for o in self.options if o.value in value] or [say(self.none)]

    def slots(self) -> tuple[Slot, ...]:
        """The chosen ones in one column, or a column of yes and no for each."""
        chosen = Slot(
            self.name, self.label, option_values(self.options), is_list=True, none=self.none
        )
        yes_no = option_values(NO_YES)
        return (
            chosen,
            *(Slot(self.dimension_of(option), option.label, yes_no) for option in self.options),
        )

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        if self.name in cells:
            answer = self.clean(listed(cells[self.name]))
        else:
            by_option = {o.value: cells.get(self.dimension_of(o)) for o in self.options}
            if not any(by_option.values()):
                return
            if not all(by_option.values()):
                raise shape_error(self.name, None, "oui ou non de chacune", "yes or no of each")
            answer = [value for value, cell in by_option.items() if as_int(self.name, cell)]
        self.store({self.name: answer}, rulings, parts)

    # -- published data ---------------------------------------------------------------------------

    def export(self) -> ColumnGroup:
        """A column of 0 or 1 for each option, then the chosen ones as a list of their keys."""
        keys = [option.key for option in self.options]
        listed = Column(
            self.name,
            "json",
            Wording(
                f"{self.label.fr} : les clés de celles qui ont été choisies; liste vide : aucune.",
                f"{self.label.en}: the keys of those that were chosen; empty list: none.",
            ),
            option_values(self.options),
        )

        def cells(read: Any) -> list[Any]:
            values = read if isinstance(read, tuple) else (read,)
            if all(value is None for value in values):
                return [None] * (len(keys) + 1)
            chosen = [key for key, value in zip(keys, values, strict=True) if value]
            return [*values, json.dumps(chosen)]

        compared = self.compared()
        return ColumnGroup(
            (*(part.column for part in compared), listed),
            cells=cells,
            reads=tuple(part.read for part in compared),
            shared=True,
        )

    def compared(self) -> tuple[ComparedColumn, ...]:
        return tuple(
            ComparedColumn(
                f"{self.dimension_of(option)}.value",
                column(
                    self.dimension_of(option),
                    "category",
                    f"{option.label.fr} : 1 si elle a été choisie, 0 sinon ({self.label.fr}).",
                    f"{option.label.en}: 1 if it was chosen, else 0 ({self.label.en}).",
                    option_values(NO_YES),
                ),
            )
            for option in self.options
        )

    @property
    def presented(self) -> str:
        return "Multiple-choice options, any number to be selected, or none of them."
