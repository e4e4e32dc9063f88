"""Edits: the operations by which an original became a simplification, marked on both texts.

Each is of one operation, whose side says on which text it is marked, and has any number of spans on
either. Offsets are Unicode code points, start included, end excluded, as Python and both databases
count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answers,
    Better,
    Dimension,
    Level,
    MarkValue,
    Option,
    PairFacts,
    Parts,
    Passages,
    Problem,
    RatingValue,
    Rulings,
    Wording,
)
from annotation.protocols.columns import (
    NOTE,
    Column,
    ColumnGroup,
    ComparedColumn,
    Slot,
    Value,
    column,
)
from annotation.protocols.edits import SIDES, touched
from annotation.protocols.kinds.edit_rules import (
    EDIT,
    ERROR,
    SIDES_OF_OPERATIONS,
    TEXTS,
    Operation,
    OperationGroup,
    side_problems,
    spans_problem,
    whole_problems,
)
from annotation.protocols.kinds.edit_spans import (
    MOST_READ,
    clean_spans,
    exported,
    located,
    spans_schema,
    stored_spans,
)
from annotation.protocols.kinds.field import (
    Context,
    Evidence,
    Field,
    MarkGroup,
    Say,
    Schema,
    ShapeError,
    listed,
    option_line,
    refuse_unknown,
    shape_error,
)
from annotation.protocols.kinds.text import Text
from annotation.protocols.tokens import Cut, Span, tokens

SOURCES = ("hand", "suggested")
"""How an edit came about: marked by hand, or taken from what the page suggested."""
SUGGESTED = Wording("d'après une suggestion", "from a suggestion")
LONGEST_BROUGHT = 20_000
"""Characters of a note that a file brings: all that another program says of an edit (the parts of
a composite one, nested answers), which may be more than a person writes."""
_PARTS = ("type", "original", "simplification", "note", "severity", "source")


@dataclass(frozen=True)
class Edits(Field):
    """Any number of edits, each of one of the ``operations``; a dimension ``<name>_number`` counts
    them. Where it is required, none is an answer, and counts 0.

    ``severities``: how grave an edit may be said to be; none for no such question. ``notes``:
    whether something may be written to each. ``suggests_ruling`` names the study's ruling (yes or
    no) whether the page suggests what differs between the texts; it does where none is named.
    ``refused`` names the field (``Refusals``) that keeps which suggestions were refused; without
    one, they are forgotten with the window. ``better``: whether fewer are (errors) or more; what
    was done to a text is neither. ``are_errors``: what people call them; else operations.
    """

    kind: ClassVar[str] = "edits"
    # The others come along with the first: one round trip less.
    scripts: ClassVar[tuple[str, ...]] = (
        *("edits", "edits-aligned", "edits-cursor", "edits-drawn", "edits-list", "edits-offers"),
        *("edits-tokens", "edits-types"),
    )
    styles: ClassVar[tuple[str, ...]] = ("edits",)
    has_letters: ClassVar[bool] = False
    has_arrows: ClassVar[bool] = True
    has_several_spans: ClassVar[bool] = True

    operations: tuple[OperationGroup, ...] = field(default=(), kw_only=True)
    severities: tuple[Option, ...] = field(default=(), kw_only=True)
    notes: bool = field(default=True, kw_only=True)
    max_edits: int = field(default=500, kw_only=True)
    max_note: int = field(default=2000, kw_only=True)
    suggests_ruling: str = field(default="", kw_only=True)
    refused: str = field(default="", kw_only=True)
    better: Better = field(default=Better.NEITHER, kw_only=True)
    are_errors: bool = field(default=False, kw_only=True)

    @cached_property
    def _by_key(self) -> Mapping[str, Operation]:
        return {
            operation.key: operation for group in self.operations for operation in group.operations
        }

    @property
    def _called(self) -> Wording:
        return ERROR if self.are_errors else EDIT

    # -- shape ------------------------------------------------------------------------------------

    @property
    def empty(self) -> list[dict[str, Any]]:
        return []

    def is_answered(self, value: object) -> bool:
        return value is not None and (self.always or value != [])

    def clean(self, received: object) -> list[dict[str, Any]]:
        return self._cleaned(received, self.max_note if self.notes else 0)

    def _cleaned(self, received: object, longest: int) -> list[dict[str, Any]]:
        """``longest``: how many characters a note may have."""
        if received is None or received == "":
            return []
        if not isinstance(received, list) or len(received) > MOST_READ:
            raise shape_error(
                self.name,
                received,
                f"une liste d'au plus {self.max_edits} {self._called.fr}s",
                f"a list of at most {self.max_edits} {self._called.en}s",
            )
        return [self._clean_edit(index, edit, longest) for index, edit in enumerate(received)]

    def _clean_edit(self, index: int, edit: object, longest: int) -> dict[str, Any]:
        name = f"{self.name}.{index}"
        if not isinstance(edit, dict):
            raise shape_error(
                name,
                edit,
                f"une {self._called.fr} ({', '.join(_PARTS)})",
                f"an {self._called.en} ({', '.join(_PARTS)})",
            )
        refuse_unknown(name, edit, _PARTS)
        severities = [severity.key for severity in self.severities]
        return {
            "type": _one_of(f"{name}.type", edit.get("type") or "", ("", *self._by_key)),
            **{side: clean_spans(f"{name}.{side}", edit.get(side)) for side in SIDES},
            "note": Text(f"{name}.note", max_length=longest).clean(edit.get("note")),
            "severity": _one_of(f"{name}.severity", edit.get("severity") or None, severities, None),
            "source": _one_of(f"{name}.source", edit.get("source") or SOURCES[0], SOURCES),
        }

    @property
    def samples(self) -> tuple[Any, ...]:
        severity = self.severities[0].key if self.severities else None
        return tuple(
            [
                {
                    "type": operation.key,
                    "original": [[8, 9], [0, 3]] if operation.side != "simplification" else [],
                    "simplification": [[2, 5]] if operation.side != "original" else [],
                    "note": "a" if self.notes else "",
                    "severity": severity,
                    "source": SOURCES[1],
                }
            ]
            for operation in self._by_key.values()
        )

    def posted(self, values: Sequence[str], post: Mapping[str, Sequence[str]]) -> Any:
        """The hidden control holds the list as JSON."""
        return listed(values[-1].strip()) if values else self.empty

    def blank_mark(self) -> dict[str, Any]:
        return {
            "type": "",
            "original": [],
            "simplification": [],
            "note": "",
            "severity": None,
            "source": SOURCES[0],
        }

    def mark_at(
        self, kind: str, note: str, spans: Mapping[str, Sequence[tuple[int, int]]]
    ) -> dict[str, Any]:
        marked = {
            side: [[start, end] for start, end in passages] for side, passages in spans.items()
        }
        return {**self.blank_mark(), "type": kind, "note": note, **marked}

    # -- rules ------------------------------------------------------------------------------------

    def problems(self, answers: Answers, facts: PairFacts, rulings: Rulings) -> list[Problem]:
        edits = answers[self.name]
        problems = super().problems(answers, facts, rulings)
        problems += whole_problems(self.name, edits, self.max_edits, facts, self._called)
        for number, edit in enumerate(edits, start=1):
            problems += self.mark_problems(number, edit, facts)
        return problems

    def mark_problems(self, number: int, edit: Answers, facts: PairFacts) -> list[Problem]:
        name, problems = f"{self.name}.{number - 1}", []
        if not edit["type"]:
            message = Wording(
                f"Choisissez le type de l'{self._called.fr} {number} ou retirez-la.",
                f"Choose the type of {self._called.en} {number} or remove it.",
            )
            problems.append(Problem(f"{name}.type", "required", message))
        for side in SIDES:
            problem = spans_problem(number, side, edit[side], facts, self._called)
            problems += [Problem(f"{name}.{side}", *problem)] if problem else []
        if operation := self._by_key.get(edit["type"]):
            problems += side_problems(name, number, operation, edit, self._called)
        return problems

    # -- what it yields and where it is stored ----------------------------------------------------

    @property
    def counted(self) -> str:
        return f"{self.name}_number"

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        label = Wording(
            f"{self.label.fr.rstrip(' :')} : nombre", f"{self.label.en.rstrip(':')}: number"
        )
        return (
            Dimension(
                self.counted,
                label,
                Level.INTERVAL,
                0,
                self.max_edits,
                required=self.always,
                better=self.better,
            ),
        )

    @property
    def marks(self) -> tuple[Option, ...]:
        return tuple(self._by_key.values())

    @property
    def mark_groups(self) -> tuple[MarkGroup, ...]:
        return tuple(
            MarkGroup(
                group.key, group.label, tuple(operation.key for operation in group.operations)
            )
            for group in self.operations
            if len(group.operations) > 1
        )

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        return ((self.name, "*", NOTE),) if self.notes else ()

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        edits = answers[self.name]
        if self.is_answered(edits):
            parts.rate(RatingValue(self.counted, len(edits)))
        for ordinal, edit in enumerate(edits, start=1):
            stored: dict[str, Any] = {}
            for side in SIDES:
                spans = edit[side]
                stored[f"{side}_start"] = min((start for start, _end in spans), default=None)
                stored[f"{side}_end"] = max((end for _start, end in spans), default=None)
                stored[f"{side}_spans"] = _compact(spans) if len(spans) > 1 else ""
            parts.marks.append(
                MarkValue(
                    self.name,
                    ordinal,
                    edit["type"],
                    edit["note"],
                    severity=edit["severity"] or "",
                    source=edit["source"],
                    **stored,
                )
            )

    def restore(self, parts: Parts) -> Answers:
        return {
            self.name: [
                {
                    "type": mark.type,
                    "original": stored_spans(
                        mark.original_spans, mark.original_start, mark.original_end
                    ),
                    "simplification": stored_spans(
                        mark.simplification_spans,
                        mark.simplification_start,
                        mark.simplification_end,
                    ),
                    "note": mark.note,
                    "severity": mark.severity or None,
                    "source": mark.source,
                }
                for mark in parts.marks_of(self.name)
            ]
        }

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None and value not in self._by_key:
            raise ValueError(f"{value!r} is no operation of {self.name}")
        return Evidence("mark", self.name, None if value is None else str(value))

    def passages(self, value: Any) -> list[Passages]:
        return [
            Passages(
                edit["type"],
                edit["note"],
                **{side: tuple((start, end) for start, end in edit[side]) for side in SIDES},
                severity=edit.get("severity") or "",
                beside=self._beside(edit),
            )
            for edit in value or ()
        ]

    def _beside(self, edit: Mapping[str, Any]) -> tuple[Wording, ...]:
        severity, source = edit.get("severity"), edit.get("source")
        severities = (each.label for each in self.severities if each.key == severity)
        return (*severities, *([SUGGESTED] if source == SOURCES[1] else []))

    # -- programs and models ----------------------------------------------------------------------

    def schema(self) -> Schema:
        spans = spans_schema()
        return {
            "type": "array",
            "maxItems": self.max_edits,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "type": {"type": "string", "enum": ["", *self._by_key]},
                    "original": spans,
                    "simplification": spans,
                    "note": {"type": "string", "maxLength": self.max_note if self.notes else 0},
                    "severity": {
                        "type": ["string", "null"],
                        "enum": [*(severity.key for severity in self.severities), None],
                    },
                    "source": {"type": "string", "enum": [*SOURCES]},
                },
            },
        }

    def facts(self, say: Say) -> Context:
        return {
            "groups": self._groups(say),
            "severities": _severities(self.severities, say),
            "notes": self.notes,
            "max_edits": self.max_edits,
        }

    def model_lines(self) -> list[str]:
        lines = [
            f"  Chaque {self._called.fr} cite mot pour mot les passages qu'elle touche, un par "
            "entrée; une citation qui n'est pas dans le texte fait refuser la réponse."
        ]
        for group in self.operations:
            lines.append(f"  {group.label.fr} :")
            lines += [
                f"    {operation.key} ({SIDES_OF_OPERATIONS[operation.side].fr}) : "
                f"{operation.label.fr}. "
                f"{operation.help.fr}".rstrip()
                for operation in group.operations
            ]
        return lines + [
            f"  gravité {severity.key} : {severity.label.fr}" for severity in self.severities
        ]

    def explained(self, say: Say) -> list[str]:
        lines = [option_line(operation, say) for operation in self._by_key.values()]
        if not self.severities:
            return lines
        severities = (f"  - {option_line(severity, say)}" for severity in self.severities)
        return [*lines, "\n".join((say(self._how_grave), *severities))]

    @property
    def _how_grave(self) -> Wording:
        return Wording(
            f"De chaque {self._called.fr} vous pouvez dire la gravité :",
            f"Of each {self._called.en} you may say how severe it is:",
        )

    def model_schema(self) -> Schema:
        quotes = {"type": "array", "items": {"type": "string"}}
        properties: Schema = {
            "type": {"type": "string", "enum": [*self._by_key]},
            **{f"{side}_quotes": quotes for side in SIDES},
        }
        if self.notes:
            properties["note"] = {"type": "string"}
        if self.severities:
            keys = [severity.key for severity in self.severities]
            properties["severity"] = {"type": ["string", "null"], "enum": [*keys, None]}
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
        """Models cannot count characters: they quote each passage, and it is looked up. A quotation
        that is nowhere in its text is refused (``ShapeError``), with the edit's number."""
        if not isinstance(received, list):
            return received
        return [
            located(f"{self.name}.{index}", index + 1, edit, texts, self._called)
            for index, edit in enumerate(received)
        ]

    # -- pages ------------------------------------------------------------------------------------

    @property
    def draws(self) -> Mapping[str, str]:
        return {self.refused: "refusals"} if self.refused else {}

    def context(self, value: Any, say: Say) -> Context:
        groups = self._groups(say)
        return {
            "groups": groups,
            "types": [operation for group in groups for operation in group["operations"]],
            "severities": _severities(self.severities, say),
            "notes": self.notes,
            "max_edits": self.max_edits,
            "max_note": self.max_note,
            "are_errors": self.are_errors,
            "refused": self.refused,
            "written": _compact(value or []),
        }

    def ruled(self, rulings: Rulings) -> Context:
        return {"suggests": not self.suggests_ruling or bool(rulings[self.suggests_ruling])}

    def _groups(self, say: Say) -> list[Context]:
        places = {key: place for place, key in enumerate(self._by_key, start=1)}
        width = len(str(len(places)))
        return [
            {
                "key": group.key,
                "label": say(group.label),
                "operations": [
                    {
                        "key": operation.key,
                        "label": say(operation.label),
                        "help": say(operation.help),
                        "example": say(operation.example),
                        "side": operation.side,
                        "where": say(SIDES_OF_OPERATIONS[operation.side]),
                        "number": places[operation.key],
                        "digits": f"{places[operation.key]:0{width}}",
                    }
                    for operation in group.operations
                ],
            }
            for group in self.operations
        ]

    def lines(self, value: Any, say: Say) -> list[str]:
        labels = {option.key: say(option.label) for option in (*self.marks, *self.severities)}
        return [
            " · ".join(
                part
                for part in (
                    labels.get(edit["type"], ""),
                    labels.get(edit["severity"], ""),
                    edit["note"],
                )
                if part
            )
            for edit in value or ()
        ]

    def brief(self, value: Any, say: Say) -> str:
        return str(len(value)) if self.is_answered(value) else ""

    def united(self, left: Any, right: Any) -> Any:
        """The edits of both lists, those that both have once; None where they are too many."""
        both = [*left, *(edit for edit in right if edit not in left)]
        return both if len(both) <= self.max_edits else None

    # -- tables from elsewhere --------------------------------------------------------------------

    def slots(self) -> tuple[Slot, ...]:
        types = tuple(Value(option.key, option.label, option.key) for option in self.marks)
        return (Slot(self.name, self.label, types, is_marks=True),)

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        """As exports write them; their order is that of the list."""
        if self.name not in cells:
            return
        received = listed(cells[self.name])
        if isinstance(received, list):
            received = [_without_ordinal(edit) for edit in received]
        edits = self._cleaned(received, LONGEST_BROUGHT if self.notes else 0)
        for problem in whole_problems(self.name, edits, self.max_edits, facts, self._called):
            raise ShapeError(problem)
        for number, edit in enumerate(edits, start=1):
            for problem in self.mark_problems(number, edit, facts):
                raise ShapeError(problem)
        self.store({self.name: edits}, rulings, parts)

    # -- published data ---------------------------------------------------------------------------

    def export(self) -> ColumnGroup:
        """How many in all and of each operation, then the edits themselves."""
        keys = list(self._by_key)
        columns = [self._number_column()]
        columns += [
            column(
                f"{self.name}_{operation.key}",
                "integer",
                f"Nombre d'{self._called.fr}s « {operation.label.fr} ». Vide : non connu.",
                f"Number of {self._called.en}s “{operation.label.en}”. Empty: not known.",
            )
            for operation in self._by_key.values()
        ]
        columns.append(
            Column(
                self.name,
                "json",
                Wording(
                    f"Les {self._called.fr}s dans l'ordre : rang, type, passages de l'original et "
                    "de la simplification (points de code, début inclus, fin exclue), note, "
                    "gravité, origine (hand : à la main; suggested : proposée et acceptée).",
                    f"The {self._called.en}s in order: ordinal, type, passages of the original and "
                    "of the simplification (code points, start included, end excluded), note, "
                    "severity, source (hand: by hand; suggested: suggested and accepted).",
                ),
                free=self.free_members,
                free_under=(NOTE,) if self.notes else (),
            )
        )
        unknown = [None] * len(columns)

        def cells(marks: Sequence[Sequence[Any]] | None) -> list[Any]:
            # Where none need be marked, none is no answer, and rated 0 nowhere.
            if marks is None or not (marks or self.always):
                return unknown
            types = [mark[-6] for mark in marks]
            return [
                len(types),
                *[types.count(key) for key in keys],
                _compact([exported(mark) for mark in marks]),
            ]

        return ColumnGroup(tuple(columns), cells=cells, marks=self.name, often=())

    def _number_column(self) -> Column:
        label = self.dimensions[0].label
        return column(
            self.counted,
            "integer",
            f"{label.fr} d'{self._called.fr}s marquées.",
            f"{label.en} of {self._called.en}s marked.",
        )

    def compared(self) -> tuple[ComparedColumn, ...]:
        return (ComparedColumn(f"{self.counted}.value", self._number_column()),)

    @property
    def mark_columns(self) -> tuple[Column, ...]:
        severities = [Value(severity.key, severity.label) for severity in self.severities]
        return (
            column("edit_severity", "text", "Gravité.", "Severity.", severities),
            column(
                "edit_source",
                "text",
                "Origine : à la main (hand), ou proposée et acceptée (suggested).",
                "Source: by hand (hand), or suggested and accepted (suggested).",
            ),
            *(
                Column(f"{side}_{what}", "json", wording.format(fr=text.fr, en=text.en))
                for side, text in TEXTS.items()
                for what, wording in _SPAN_COLUMNS.items()
            ),
        )

    def mark_cells(self, mark: Sequence[Any], texts: Mapping[str, str]) -> list[Any]:
        edit = exported(mark)
        cells = [edit["severity"] or "", edit["source"]]
        for side in SIDES:
            spans = [Span(*span) for span in edit[side]]
            places = touched(spans, tokens(texts[side], Cut.WORDS))
            cells += [_compact(spans), _compact(places)]
        return cells

    @property
    def presented(self) -> str:
        count = len(self._by_key)
        return (
            f"Passages marked in both texts, each edit as one of {count} operations in "
            f"{len(self.operations)} groups; several passages to an edit and several edits to a "
            "word are possible."
        )


_SPAN_COLUMNS = {
    "spans": Wording(
        "Les passages marqués dans {fr}, dans l'ordre où ils l'ont été : début et fin exclue, en "
        "points de code.",
        "The passages marked in {en}, in the order in which they were: start and end excluded, in "
        "code points.",
    ),
    "tokens": Wording(
        "Les mots de {fr} que touchent ces passages, comptés depuis 0.",
        "The words of {en} that these passages touch, counted from 0.",
    ),
}


def _one_of(name: str, received: Any, allowed: Iterable[str], *more: None) -> Any:
    # A tuple: a list or an object, which a program may send, is in no set.
    known: tuple[Any, ...] = (*allowed, *more)
    if received in known:
        return received
    words = ", ".join(word for word in known if word) or "—"
    raise shape_error(name, received, f"l'un de {words}", f"one of {words}")


def _severities(options: Sequence[Option], say: Say) -> list[Context]:
    return [{"key": o.key, "label": say(o.label), "help": say(o.help)} for o in options]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _without_ordinal(edit: Any) -> Any:
    if not isinstance(edit, dict):
        return edit
    return {name: value for name, value in edit.items() if name != "ordinal"}
