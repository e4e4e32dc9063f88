"""A field whose kind is not there any more: what it was is data now (see ``description.py``).

It stands in for the kind where a study is read and exported, and takes nothing new: what people
answered is shown as it is stored, and no rule of the kind is known. No protocol may have one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answers,
    Dimension,
    Option,
    PairFacts,
    Parts,
    Passages,
    Problem,
    Rulings,
    Wording,
)
from annotation.protocols.columns import (
    NOTE,
    OF_A_MARK,
    Column,
    ColumnGroup,
    ComparedColumn,
    Slot,
    option_values,
    said,
)
from annotation.protocols.kinds.field import Context, Field, Say, Schema

ANY = "**"
"""In a way of ``free_members``: everything under it."""
_MARK = ("type", "note", "original_start", "original_end", "simplification_start")
_MARKED = ("ordinal", *_MARK, "simplification_end")
_OF_SOME = OF_A_MARK[:4]


@dataclass(frozen=True)
class Former(Field):
    """``was``: the class that it was of. ``scales``: the dimensions that it was rated on. ``types``
    and ``has_marks``: of the passages that it marked. ``free``: where people wrote freely; None
    where that was not kept, and any text may be theirs. ``texts``: what stood beside its ratings;
    None where that was not kept. ``columns`` and ``reads``: what exported
    tables said of its answers, and which stored values they read. ``blank``: its empty answer.
    ``said``: how it was put to people.
    """

    kind: ClassVar[str] = "former"
    control: ClassVar[str] = "lines"
    scripts: ClassVar[tuple[str, ...]] = ("former",)
    is_known: ClassVar[bool] = False

    was: str = field(default="", kw_only=True)
    scales: tuple[Dimension, ...] = field(default=(), kw_only=True)
    types: tuple[Option, ...] = field(default=(), kw_only=True)
    has_marks: bool = field(default=False, kw_only=True)
    free: tuple[tuple[str, ...], ...] | None = field(default=None, kw_only=True)
    texts: tuple[str, ...] | None = field(default=None, kw_only=True)
    columns: tuple[Column, ...] = field(default=(), kw_only=True)
    reads: tuple[str, ...] = field(default=(), kw_only=True)
    blank: Any = field(default=None, kw_only=True)
    said: str = field(default="", kw_only=True)

    @property
    def empty(self) -> Any:
        # Of its own each time: it may be a list.
        return list(self.blank) if isinstance(self.blank, tuple) else self.blank

    def clean(self, received: object) -> Any:
        """As it came: what it must look like is not known, and nothing typed is lost."""
        return self.empty if received is None else received

    def is_answered(self, value: object) -> bool:
        return value != self.empty and value not in (None, "", False, [], {})

    def problems(self, answers: Answers, facts: PairFacts, rulings: Rulings) -> list[Problem]:
        return []

    # -- what it yielded and where it is stored ---------------------------------------------------

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        return self.scales

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        return ((self.name, ANY),) if self.free is None else self.free

    @property
    def free_names(self) -> frozenset[str]:
        if self.free is None:
            return frozenset((self.name, NOTE, *self.sides))
        return super().free_names | ({NOTE} if self.has_marks else set())

    @property
    def sides(self) -> tuple[str, ...]:
        if self.texts is not None:
            return self.texts
        return () if self.has_marks else super().sides

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        """Nothing: how an answer was stored is not known. What is stored already stays, see
        ``services/base/sealing.py``."""

    def restore(self, parts: Parts) -> Answers:
        """What is stored, as it is stored."""
        if self.stored_with:
            return {}
        rated = {
            scale.name: parts.ratings[scale.name].value
            for scale in self.scales
            if scale.name in parts.ratings
        }
        if rated:
            said = {name: parts.sides[name] for name in self.sides if name in parts.sides}
            is_one = len(self.scales) == 1 and not said
            return {self.name: next(iter(rated.values())) if is_one else rated | said}
        if marks := [asdict(mark) for mark in parts.marks_of(self.name)]:
            return {self.name: [_as_told(mark, _MARKED[1:]) for mark in marks]}
        if len(self.sides) > 1:
            return {
                self.name: {name: parts.sides[name] for name in self.sides if name in parts.sides}
            }
        return {self.name: parts.sides.get(next(iter(self.sides), self.name), self.empty)}

    def passages(self, value: Any) -> list[Passages]:
        """What its stored marks say; of answers that were not stored as marks nothing is known."""
        marks = (
            [mark for mark in value or () if isinstance(mark, Mapping)] if self.has_marks else []
        )
        return [
            Passages(
                str(mark.get("type", "")),
                str(mark.get("note", "")),
                _spans(mark, "original"),
                _spans(mark, "simplification"),
            )
            for mark in marks
        ]

    # -- programs ---------------------------------------------------------------------------------

    def schema(self) -> Schema:
        return {"description": f"{self.was}: a kind that is not there any more."}

    def model_schema(self) -> Schema:
        return self.schema()

    def facts(self, say: Say) -> Context:
        return {"was": self.was}

    # -- pages ------------------------------------------------------------------------------------

    def context(self, value: Any, say: Say) -> Context:
        return {"lines": self.lines(value, say), "written": json.dumps(value), "was": self.was}

    def lines(self, value: Any, say: Say) -> list[str]:
        if not self.is_answered(value):
            return []
        if isinstance(value, Mapping):
            return [f"{self._label(name, say)} · {self._word(value[name], say)}" for name in value]
        if isinstance(value, list | tuple):
            return [self._word(part, say) for part in value]
        return [self._word(value, say)]

    def _label(self, name: str, say: Say) -> str:
        labels = {scale.name: scale.label for scale in self.scales}
        return say(labels[name]) if name in labels else str(name)

    def _word(self, value: Any, say: Say) -> str:
        """A value in the words that its options had, else as it is stored."""
        if isinstance(value, Mapping):
            parts = [self._word(part, say) for part in value.values() if part not in (None, "")]
            return " · ".join(parts)
        options = self.scales[0].options if len(self.scales) == 1 else ()
        if isinstance(value, int) and not isinstance(value, bool):
            words = {option.value: f"{value} · {say(option.label)}" for option in options}
            return words.get(value, str(value))
        if isinstance(value, str):
            types = {option.key: say(option.label) for option in self.types}
            return types.get(value, value)
        return json.dumps(value, ensure_ascii=False)

    def slots(self) -> tuple[Slot, ...]:
        return ()

    # -- published data ---------------------------------------------------------------------------

    def export(self) -> ColumnGroup | None:
        """What is stored, a column each: the values of its dimensions with what its kind said of
        how they came about, else its marks, else what stands beside the ratings."""
        if self.stored_with:
            return None
        if self.scales:
            reads = self._rated()
            return ColumnGroup(
                (*(self._column(read) for read in reads), *self._beside()),
                cells=lambda read: read if isinstance(read, tuple) else (read,),
                reads=(*reads, *self.sides),
            )
        if self.has_marks:
            described = self._described(self.name, "json", self.name)
            return ColumnGroup((described,), cells=_marked, marks=self.name)
        return ColumnGroup(self._beside(), cells=_texts, reads=self.sides)

    def compared(self) -> tuple[ComparedColumn, ...]:
        return tuple(
            ComparedColumn(f"{scale.name}.value", self._column(f"{scale.name}.value"))
            for scale in self.scales
        )

    @property
    def presented(self) -> str:
        return self.said

    def _beside(self) -> tuple[Column, ...]:
        return tuple(self._described(name, "text", name) for name in self.sides)

    def _rated(self) -> tuple[str, ...]:
        """Every part of its ratings that its columns read; of each dimension at least the value."""
        names = {scale.name for scale in self.scales}
        reads = [f"{scale.name}.value" for scale in self.scales]
        reads += [read for read in self.reads if read.partition(".")[0] in names]
        return tuple(dict.fromkeys(reads))

    def _column(self, read: str) -> Column:
        name, _dot, part = read.partition(".")
        if part != "value":
            kind = "text" if part.startswith(("crossing", "derivation")) else "integer"
            return self._described(f"{name}_{part}", kind, read)
        scale = next(dimension for dimension in self.scales if dimension.name == name)
        kept = self._described(name, "integer", read)
        if kept in self.columns or not scale.options:
            return kept
        values = option_values(scale.options)
        return Column(name, "category", said(scale.label), values)

    def _described(self, name: str, kind: str, read: str) -> Column:
        """As its kind described a column of this name that holds the stored value; else in words
        for any."""
        plain = ("category", "integer") if kind == "integer" else (kind,)
        for column in self.columns:
            if column.name == name and column.kind in plain:
                return column
        return Column(
            name,
            kind,
            Wording(
                f"{self.label.fr or self.name} : tel qu'enregistré ({read}).",
                f"{self.label.en or self.name}: as it is stored ({read}).",
            ),
            # Which of its texts people typed is not known here: any may be.
            free=self.free_members if kind in ("text", "json") else (),
        )


def _texts(read: Any) -> list[str | None]:
    return [text or None for text in (read if isinstance(read, tuple) else (read,))]


def _spans(mark: Mapping[str, Any], side: str) -> tuple[tuple[int, int], ...]:
    start, end = mark.get(f"{side}_start"), mark.get(f"{side}_end")
    if start is None or end is None:
        return ()
    several = json.loads(mark.get(f"{side}_spans") or "[]")
    return tuple((span[0], span[1]) for span in several or [[start, end]])


def _as_told(mark: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """A mark's parts of these names, and what only some kinds store where it is there."""
    return {name: mark[name] for name in (*names, *(part for part in _OF_SOME if mark[part]))}


def _marked(marks: Any) -> list[str | None]:
    """The marks as JSON; None where they are not known."""
    if marks is None:
        return [None]
    parts = [dict(zip(OF_A_MARK, mark[-len(OF_A_MARK) :], strict=True)) for mark in marks]
    written = [_as_told(mark, _MARKED) for mark in parts]
    return [json.dumps(written, ensure_ascii=False, separators=(",", ":"))]
