"""Typed marks on the texts, errors or anything else: each has an optional note and an optional
passage in either.

Offsets are Unicode code points, start included, end excluded, as Python and both databases count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from json.encoder import encode_basestring as json_text
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answers,
    MarkValue,
    Option,
    PairFacts,
    Parts,
    Passages,
    Problem,
    Rulings,
    Wording,
)
from annotation.protocols.columns import NOTE, Column, ColumnGroup, Slot, Value, column
from annotation.protocols.kinds.field import (
    Context,
    Evidence,
    Field,
    Say,
    Schema,
    ShapeError,
    as_int,
    listed,
    option_context,
    option_facts,
    option_line,
    refuse_unknown,
    shape_error,
)
from annotation.protocols.kinds.text import Text

SPAN_NAMES = ("original_start", "original_end", "simplification_start", "simplification_end")
_ANSWERED = "simplification"
_QUOTES = ("original_quote", "simplification_quote")


@dataclass(frozen=True)
class Marks(Field):
    """Any number of marks, each of one of ``types``. ``span_ruling`` names the study's ruling (yes
    or no) that requires a passage of each. ``are_errors``: what people call them; else marks."""

    kind: ClassVar[str] = "marks"
    scripts: ClassVar[tuple[str, ...]] = ("marks",)

    types: tuple[Option, ...] = field(default=(), kw_only=True)
    max_errors: int = field(default=50, kw_only=True)
    max_note: int = field(default=2000, kw_only=True)
    span_ruling: str = field(default="", kw_only=True)
    are_errors: bool = field(default=True, kw_only=True)

    # -- shape ------------------------------------------------------------------------------------

    @property
    def empty(self) -> list[dict[str, Any]]:
        return []

    def clean(self, received: object) -> list[dict[str, Any]]:
        if received is None or received == "":
            return []
        if not isinstance(received, list) or len(received) > self.max_errors:
            raise shape_error(
                self.name,
                received,
                f"une liste d'au plus {self.max_errors} {self._called.fr}s",
                f"a list of at most {self.max_errors} {self._called.en}s",
            )
        return [self._clean_error(index, error) for index, error in enumerate(received)]

    def _clean_error(self, index: int, error: object) -> dict[str, Any]:
        name = f"{self.name}.{index}"
        if not isinstance(error, dict):
            article = "an" if self.are_errors else "a"
            raise shape_error(
                name,
                error,
                f"une {self._called.fr} (type, note, passages)",
                f"{article} {self._called.en} (type, note, spans)",
            )
        refuse_unknown(name, error, ("type", "note", *SPAN_NAMES))
        kind = error.get("type") or ""
        # A tuple: a list or an object, which a program may send, is in no set.
        if kind and kind not in tuple(option.key for option in self.types):
            allowed = ", ".join(option.key for option in self.types)
            raise shape_error(f"{name}.type", kind, f"l'un de {allowed}", f"one of {allowed}")
        cleaned: dict[str, Any] = {
            "type": kind,
            "note": Text(f"{name}.note", max_length=self.max_note).clean(error.get("note")),
        }
        for span_name in SPAN_NAMES:
            offset = error.get(span_name)
            cleaned[span_name] = (
                None if offset in (None, "") else as_int(f"{name}.{span_name}", offset)
            )
        return cleaned

    # -- rules ------------------------------------------------------------------------------------

    def problems(self, answers: Answers, facts: PairFacts, rulings: Rulings) -> list[Problem]:
        problems = super().problems(answers, facts, rulings)
        for index, error in enumerate(answers[self.name]):
            problems += self._problems_of(index, error, facts, rulings)
        return problems

    def _problems_of(
        self, index: int, error: Answers, facts: PairFacts, rulings: Rulings
    ) -> list[Problem]:
        name, number, problems = f"{self.name}.{index}", index + 1, []
        if not error["type"]:
            problems.append(
                Problem(
                    f"{name}.type",
                    "required",
                    Wording(
                        f"Choisissez le type de {self._the} {number} ou retirez-la.",
                        f"Choose the type of {self._called.en} {number} or remove it.",
                    ),
                )
            )
        spans = [
            _span_problem(name, "original", error, facts.original_length),
            _span_problem(name, "simplification", error, facts.simplification_length),
        ]
        problems += [problem for problem in spans if problem]
        if (
            self.span_ruling
            and rulings[self.span_ruling]
            and error["original_start"] is None
            and error["simplification_start"] is None
        ):
            problems.append(
                Problem(
                    name,
                    "span_required",
                    Wording(
                        (
                            f"Marquez dans l'un des textes le passage de {self._the} {number} : "
                            "cette étude l'exige."
                        ),
                        (
                            f"Mark the passage of {self._called.en} {number} in one of the "
                            "texts: this study requires it."
                        ),
                    ),
                )
            )
        return problems

    @property
    def _called(self) -> Wording:
        return Wording("erreur", "error") if self.are_errors else Wording("marque", "mark")

    @property
    def _the(self) -> str:
        return "l'erreur" if self.are_errors else "la marque"

    # -- what it yields and where it is stored ----------------------------------------------------

    @property
    def marks(self) -> tuple[Option, ...]:
        return self.types

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        return ((self.name, "*", NOTE),)

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        parts.marks += [
            MarkValue(self.name, ordinal, **error)
            for ordinal, error in enumerate(answers[self.name], start=1)
        ]

    def restore(self, parts: Parts) -> Answers:
        marks = [asdict(mark) for mark in parts.marks_of(self.name)]
        return {
            self.name: [
                {name: mark[name] for name in ("type", "note", *SPAN_NAMES)} for mark in marks
            ]
        }

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None and value not in {option.key for option in self.types}:
            raise ValueError(f"{value!r} is no type of {self.name}")
        return Evidence("mark", self.name, None if value is None else str(value))

    def blank_mark(self) -> dict[str, Any]:
        return {"type": "", "note": "", **dict.fromkeys(SPAN_NAMES)}

    def mark_at(
        self, kind: str, note: str, spans: Mapping[str, Sequence[tuple[int, int]]]
    ) -> dict[str, Any]:
        mark = {**self.blank_mark(), "type": kind, "note": note}
        for side, passages in spans.items():
            for start, end in passages[:1]:
                mark |= {f"{side}_start": start, f"{side}_end": end}
        return mark

    def passages(self, value: Any) -> list[Passages]:
        return [
            Passages(mark["type"], mark["note"], _span(mark, "original"), _span(mark, _ANSWERED))
            for mark in value or ()
        ]

    # -- programs and models ----------------------------------------------------------------------

    def schema(self) -> Schema:
        offset = {
            "type": ["integer", "null"],
            "description": "Code points; start included, end excluded.",
        }
        return {
            "type": "array",
            "maxItems": self.max_errors,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "type": {
                        "type": "string",
                        "enum": ["", *(option.key for option in self.types)],
                    },
                    "note": {"type": "string", "maxLength": self.max_note},
                    **dict.fromkeys(SPAN_NAMES, offset),
                },
            },
        }

    def facts(self, say: Say) -> Context:
        return {"options": option_facts(self.types, say)}

    def model_lines(self) -> list[str]:
        return [
            f"  {option.key} : {option.help.fr or f'{option.label.fr}.'}" for option in self.types
        ]

    def explained(self, say: Say) -> list[str]:
        return [option_line(option, say) for option in self.types]

    def model_schema(self) -> Schema:
        properties: Schema = {
            "type": {"type": "string", "enum": [option.key for option in self.types]},
            "note": {"type": "string"},
            **{quote: {"type": "string"} for quote in _QUOTES},
        }
        return {
            "type": "array",
            "items": {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        }

    def from_model(self, received: Any, texts: Mapping[str, str]) -> Any:
        """Models cannot count characters: they quote the passage, and it is looked up. A quotation
        that is nowhere in its text stands in the note and marks nothing."""
        if not isinstance(received, list):
            return received
        return [_located(error, texts) for error in received]

    # -- pages ------------------------------------------------------------------------------------

    def posted(self, values: Sequence[str], post: Mapping[str, Sequence[str]]) -> Any:
        """The rows ``<field>-<number>-<part>`` in the order of their numbers; a removed number
        leaves no hole."""
        prefix = f"{self.name}-"
        parts = {name: name.removeprefix(prefix).split("-") for name in post}
        numbers = {
            int(pieces[0])
            for name, pieces in parts.items()
            if name.startswith(prefix) and len(pieces) == 2 and _is_number(pieces[0])
        }

        def posted_part(number: int, part: str) -> str:
            return (post.get(f"{prefix}{number}-{part}") or [""])[-1]

        return [
            {
                "type": posted_part(number, "type"),
                "note": posted_part(number, "note"),
                **{name: posted_part(number, name) or None for name in SPAN_NAMES},
            }
            for number in sorted(numbers)
        ]

    def context(self, value: Any, say: Say) -> Context:
        return {"types": [option_context(option, say, checked=False) for option in self.types]}

    def united(self, left: Any, right: Any) -> Any:
        """The marks of both lists, those that both have once; None where they are too many."""
        both = [*left, *(mark for mark in right if mark not in left)]
        return both if len(both) <= self.max_errors else None

    def lines(self, value: Any, say: Say) -> list[str]:
        labels = {option.key: say(option.label) for option in self.types} | {"": ""}
        return [
            " · ".join(part for part in (labels[mark["type"]], mark["note"]) if part)
            for mark in value or ()
        ]

    # -- tables from elsewhere --------------------------------------------------------------------

    def slots(self) -> tuple[Slot, ...]:
        types = tuple(Value(option.key, option.label, option.key) for option in self.types)
        return (Slot(self.name, self.label, types, is_marks=True),)

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        """As exports write them; their order is that of the list."""
        received = listed(cells.get(self.name, ""))
        if isinstance(received, list):
            received = [_without_ordinal(mark) for mark in received]
        answers = {self.name: self.clean(received)}
        for index, error in enumerate(answers[self.name]):
            if problems := self._problems_of(index, error, facts, rulings):
                raise ShapeError(problems[0])
        self.store(answers, rulings, parts)

    # -- published data ---------------------------------------------------------------------------

    def export(self) -> ColumnGroup:
        """How many of each type, then the marks themselves."""
        keys = [option.key for option in self.types]
        number_of = "d'erreurs" if self.are_errors else "de marques"
        columns = [
            column(
                f"{self.name}_{option.key}",
                "integer",
                f"Nombre {number_of} du type « {option.label.fr} ». Vide : non connu.",
                f"Number of {self._called.en}s of the type “{option.label.en}”. Empty: not known.",
            )
            for option in self.types
        ]
        columns.append(
            Column(
                self.name,
                "json",
                Wording(
                    f"Les {self._called.fr}s dans l'ordre : rang, type, note, passages (points de "
                    "code, début inclus, fin exclue).",
                    f"The {self._called.en}s in order: ordinal, type, note, spans (code points, "
                    "start included, end excluded).",
                ),
                free=self.free_members,
                free_under=(NOTE,),
            )
        )
        unknown = [None] * len(columns)

        def cells(marks: Sequence[Sequence[Any]] | None) -> list[Any]:
            if marks is None:
                return unknown
            types = [mark[-6] for mark in marks]
            return [
                *[types.count(key) for key in keys],
                f"[{','.join([_json(*mark[-7:]) for mark in marks])}]",
            ]

        return ColumnGroup(tuple(columns), cells=cells, marks=self.name, often=())


def _json(
    ordinal: int,
    kind: str,
    note: str,
    start: int | None,
    end: int | None,
    start_2: int | None,
    end_2: int | None,
) -> str:
    """One mark as a JSON object. Written out, because an encoder takes four times as long for such
    small ones."""
    original = '"original_start":null,"original_end":null'
    if start is not None:
        original = f'"original_start":{start},"original_end":{end}'
    simplification = '"simplification_start":null,"simplification_end":null'
    if start_2 is not None:
        simplification = f'"simplification_start":{start_2},"simplification_end":{end_2}'
    head = f'{{"ordinal":{ordinal},"type":"{kind}","note":{json_text(note)}'
    return f"{head},{original},{simplification}}}"


def _without_ordinal(error: Any) -> Any:
    if not isinstance(error, dict):
        return error
    return {name: value for name, value in error.items() if name != "ordinal"}


def _span(mark: Mapping[str, Any], side: str) -> tuple[tuple[int, int], ...]:
    start, end = mark[f"{side}_start"], mark[f"{side}_end"]
    return () if start is None or end is None else ((start, end),)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 9


def _span_problem(name: str, side: str, error: Answers, length: int) -> Problem | None:
    start, end = error[f"{side}_start"], error[f"{side}_end"]
    if start is None and end is None:
        return None
    if start is None or end is None:
        words = _NO_START if start is None else _NO_END
    elif end <= start:
        words = _REVERSED
    elif start < 0 or end > length:
        words = _OUTSIDE
    else:
        return None
    filled = words.format(start=start, end=end, length=length)
    return Problem(f"{name}.{side}_start", "span", filled)


_NO_START = Wording(
    "Le passage marqué a une fin ({end}) et pas de début : marquez-le de nouveau.",
    "The marked span has an end ({end}) and no start: mark it again.",
)
_NO_END = Wording(
    "Le passage marqué a un début ({start}) et pas de fin : marquez-le de nouveau.",
    "The marked span has a start ({start}) and no end: mark it again.",
)
_REVERSED = Wording(
    "La fin du passage marqué ({end}) ne vient pas après son début ({start}) : marquez-le de "
    "nouveau.",
    "The end of the marked span ({end}) does not come after its start ({start}): mark it again.",
)
_OUTSIDE = Wording(
    "Le passage marqué ({start}–{end}) sort du texte (0–{length}) : marquez-le de nouveau.",
    "The marked span ({start}–{end}) is outside the text (0–{length}): mark it again.",
)


def _located(error: Any, texts: Mapping[str, str]) -> Any:
    if not isinstance(error, dict):
        return error
    placed = {name: value for name, value in error.items() if name not in _QUOTES}
    for side, text in texts.items():
        quote = str(error.get(f"{side}_quote") or "").strip()
        start = text.find(quote) if quote else -1
        if start >= 0:
            placed[f"{side}_start"], placed[f"{side}_end"] = start, start + len(quote)
        elif quote:
            placed["note"] = f"{placed.get('note') or ''} [« {quote} »]".strip()
    return placed
