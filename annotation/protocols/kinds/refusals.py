"""Suggestions of the page that were refused: what differs between the two texts, and is no edit to
whoever looked at it. Those that were taken over are edits, and say so themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answers,
    PairFacts,
    Parts,
    Passages,
    Problem,
    Rulings,
    Wording,
)
from annotation.protocols.columns import IMPORTED, ORIGIN, Column, ColumnGroup
from annotation.protocols.edits import SIDES
from annotation.protocols.kinds.edit_rules import TEXTS, span_fault
from annotation.protocols.kinds.edit_spans import clean_spans, spans_schema
from annotation.protocols.kinds.field import (
    Evidence,
    Field,
    Say,
    Schema,
    ShapeError,
    listed,
    refuse_unknown,
    shape_error,
)

MOST_REFUSED = 2_000


@dataclass(frozen=True)
class Refusals(Field):
    """What the page suggested and the annotator refused, each by its spans on either side. The
    page alone asks it: nobody has to answer, and models are not told of it. It is drawn with the
    ``Edits`` that name it (``refused``)."""

    kind: ClassVar[str] = "refusals"
    is_of_page: ClassVar[bool] = True

    @property
    def empty(self) -> list[dict[str, Any]]:
        return []

    def is_answered(self, value: object) -> bool:
        return bool(value)

    def clean(self, received: object) -> list[dict[str, Any]]:
        if received is None or received == "":
            return []
        if not isinstance(received, list) or len(received) > MOST_REFUSED:
            raise shape_error(
                self.name,
                received,
                f"une liste d'au plus {MOST_REFUSED} suggestions",
                f"a list of at most {MOST_REFUSED} suggestions",
            )
        refusals = [self._clean_one(index, refusal) for index, refusal in enumerate(received)]
        return [
            refusal for place, refusal in enumerate(refusals) if refusal not in refusals[:place]
        ]

    def _clean_one(self, index: int, refusal: object) -> dict[str, Any]:
        name = f"{self.name}.{index}"
        if isinstance(refusal, dict):
            refuse_unknown(name, refusal, SIDES)
        if not isinstance(refusal, dict) or not any(map(refusal.get, SIDES)):
            words = " and ".join(SIDES)
            raise shape_error(
                name,
                refusal,
                "une suggestion (original et simplification : des passages, sur l'un au moins)",
                f"a suggestion ({words}: spans, on one at least)",
            )
        return {side: clean_spans(f"{name}.{side}", refusal.get(side)) for side in SIDES}

    @property
    def samples(self) -> tuple[Any, ...]:
        return ([{"original": [[0, 3]], "simplification": [[2, 5]]}],)

    def posted(self, values: Sequence[str], post: Mapping[str, Sequence[str]]) -> Any:
        return listed(values[-1].strip()) if values else self.empty

    def problems(self, answers: Answers, facts: PairFacts, rulings: Rulings) -> list[Problem]:
        return [*super().problems(answers, facts, rulings), *self._faults(answers, facts)]

    def _faults(self, answers: Answers, facts: PairFacts) -> Iterator[Problem]:
        """Passages that are not in these texts: nobody marked them by hand, so that there is but
        one remedy."""
        for index, refusal in enumerate(answers[self.name]):
            for side in SIDES:
                fault = span_fault(refusal[side], side, facts)
                if fault is None:
                    continue
                code, start, end = fault
                called = TEXTS[side]
                message = Wording(
                    f"Le passage {start}–{end} de la suggestion refusée {index + 1} n'est pas fait "
                    f"de caractères entiers de {called.fr} : remettez cette suggestion, ou "
                    "refusez celle que la page montre.",
                    f"The span {start}–{end} of refused suggestion {index + 1} is not made of "
                    f"whole characters of {called.en}: put that suggestion back, or refuse the one "
                    "that the page shows.",
                )
                yield Problem(f"{self.name}.{index}.{side}", code, message)

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answers[self.name]:
            parts.sides[self.name] = _compact(answers[self.name])

    def restore(self, parts: Parts) -> Answers:
        return {self.name: json.loads(parts.sides.get(self.name, "[]"))}

    def passages(self, value: Any) -> list[Passages]:
        return [
            Passages(
                "",
                "",
                **{side: tuple((start, end) for start, end in each[side]) for side in SIDES},
                severity="",
                beside=(),
            )
            for each in value or ()
        ]

    def evidence(self, value: int | str | bool | None) -> Evidence:
        if value is not None:
            raise ValueError(f"{self.name} is a list: a condition can ask that one was refused")
        return Evidence("side", self.name)

    def schema(self) -> Schema:
        spans = spans_schema()
        return {
            "type": "array",
            "maxItems": MOST_REFUSED,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": dict.fromkeys(SIDES, spans),
            },
        }

    def model_schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string"}}

    def context(self, value: Any, say: Say) -> dict[str, Any]:
        return {"written": _compact(value or [])}

    def lines(self, value: Any, say: Say) -> list[str]:
        return [str(len(value))] if value else []

    def united(self, left: Any, right: Any) -> Any:
        """What was refused in either window."""
        return [*left, *(refusal for refusal in right if refusal not in left)]

    def take(
        self, cells: Mapping[str, str], facts: PairFacts, rulings: Rulings, parts: Parts
    ) -> None:
        """As exports write them."""
        if self.name not in cells:
            return
        answers = {self.name: self.clean(listed(cells[self.name]))}
        for problem in self._faults(answers, facts):
            raise ShapeError(problem)
        # Also where none was: of whoever judges here that follows from there being nothing.
        parts.sides[self.name] = _compact(answers[self.name])

    def export(self) -> ColumnGroup:
        """How many, then each."""
        number = Wording(
            "Nombre de suggestions de la page que la personne a refusées.",
            "Number of suggestions of the page that the annotator refused.",
        )
        each = Wording(
            "Les suggestions refusées : passages de l'original et de la simplification (points de "
            "code, début inclus, fin exclue). Une suggestion acceptée est une opération d'origine "
            "« suggested ».",
            "The suggestions that were refused: passages of the original and of the simplification "
            "(code points, start included, end excluded). One that was taken over is an edit whose "
            "source is “suggested”.",
        )
        return ColumnGroup(
            (Column(f"{self.name}_number", "integer", number), Column(self.name, "json", each)),
            cells=_cells,
            reads=(self.name, ORIGIN),
        )


def _cells(read: tuple[str | None, str]) -> list[Any]:
    written, origin = read
    # Whether the judges of a published file were shown any is not known, unless the file says so.
    if not written and origin == IMPORTED:
        return [None, None]
    return [len(json.loads(written)), written] if written else [0, "[]"]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
