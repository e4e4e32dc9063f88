"""What the texts in a column become: one of our answers because it is written so, or because the
lead says so; never anything in between."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.corpus.columns import plain
from annotation.corpus.judged_problems import none_and_others, unknown_type, unknown_value
from annotation.corpus.problems import RowProblem
from annotation.protocols.base import Wording
from annotation.protocols.columns import NONE, Slot
from annotation.protocols.kinds.field import listed
from annotation.protocols.protocol import Protocol

MOST_VALUES = 60
"""How many different values of a column are shown to be decided on: more are no options."""
_NUMBER = re.compile(
    r"([+-]?)([0-9]{1,9}|[0-9]{1,3}(?:[ \u00a0\u202f][0-9]{3}){1,2})(?:\.0{1,9}|,(?!000$)0{1,9})?"
)
"""A whole number as spreadsheets of either language write one; ``1,000`` is one in the one language
and another in the other."""
_MINUS = str.maketrans("\u2212", "-")
_BETWEEN = re.compile(r"[#|;,]")
_LONGEST = 200
_SHOWN_CODES = 10


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A text that stands in a column, how often, and what it becomes: the value of an option,
    ``NONE`` for none of them, a number, "" for no answer; None where nothing says so."""

    text: str
    count: int
    becomes: str | None


@dataclass(frozen=True)
class SlotValues:
    """What stands in the column of a slot. ``more``: how many further values it holds. ``unsure``:
    numbers that may be on another scale, or other codes."""

    slot: str
    values: list[ValueCount] = field(default_factory=list)
    more: int = 0
    unsure: bool = False


class Values:
    """The values met so far, by slot, and what each becomes."""

    def __init__(self, protocol: Protocol, meanings: Mapping[str, Mapping[str, str]]) -> None:
        self.slots = {slot.name: slot for slot in protocol.slots}
        self.meanings = {name: dict(values) for name, values in meanings.items()}
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.known: dict[tuple[str, str], str | None] = {}
        self.names = {slot.name: _names(slot) for slot in self.slots.values()}
        self.doubtful: set[str] = set()

    def becomes(self, row: int, slot: Slot, cell: str) -> str | RowProblem:
        """A cell as ``Protocol.taken`` takes it, "" for no answer; or what is wrong with it."""
        if slot.is_marks:
            return self._marks(row, slot, cell)
        if slot.is_list:
            return self._list(row, slot, cell)
        if not (slot.options or slot.scale):
            return cell
        answer = self._single(slot, _only(cell))
        return unknown_value(row, slot.name, cell) if answer is None else answer

    def slot_values(self, mapping: Mapping[str, int]) -> list[SlotValues]:
        """Every slot whose values are few, with what each becomes."""
        kept = []
        for name in self.slots:
            if name not in mapping or not (counts := self.counts.get(name)):
                continue
            shown = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))[
                :MOST_VALUES
            ]
            values = [ValueCount(text, many, self.known[name, text]) for text, many in shown]
            more = len(counts) - len(values)
            kept.append(SlotValues(name, values, more, name in self.doubtful))
        return kept

    def unsure(
        self, mapping: Mapping[str, int], same: Sequence[str], *, own: bool
    ) -> Iterator[RowProblem]:
        """The columns of numbers that do not reach the top of our scale, and those of nothing but
        numbers where ours have no order: nothing says that they are the same."""
        for name, slot in self.slots.items():
            if own or name in same or name not in mapping:
                continue
            meanings = self.meanings.get(name, {})
            undecided = [
                text
                for text in self.counts.get(name, ())
                # That none apply is said in words: it tells nothing of the numbers beside it.
                if text not in meanings and self.known[name, text] != NONE
            ]
            numbers = [int(number) for text in undecided if (number := _whole(text))]
            if slot.scale and numbers and max(numbers) != slot.scale[-1]:
                self.doubtful.add(name)
                yield _unsure(slot, min(numbers), max(numbers))
            elif _is_coded(slot) and numbers and len(numbers) == len(undecided):
                self.doubtful.add(name)
                yield _unsure_codes(slot, numbers)

    def _single(self, slot: Slot, text: str) -> str | None:
        """What a single value becomes."""
        text = text.strip()[:_LONGEST]
        self.counts[slot.name][text] += 1
        key = (slot.name, text)
        if key not in self.known:
            meanings = self.meanings.get(slot.name, {})
            self.known[key] = meanings[text] if text in meanings else self._guess(slot, text)
        return self.known[key]

    def _guess(self, slot: Slot, text: str) -> str | None:
        number = _whole(text)
        if slot.options:
            names = self.names[slot.name]
            if number in names:
                return names[number]
            # Without its sign and its point a number would be another.
            spoken = any(map(str.isalpha, text))
            return names.get(text) or (names.get(plain(text)) if spoken else None)
        return number

    def _list(self, row: int, slot: Slot, cell: str) -> str | RowProblem:
        """The options in a cell. Those that become no answer are left out, and a cell of nothing
        else has none: that none of the options apply is an answer, which somebody gave."""
        values = listed(cell.strip())
        if values == []:
            return "[]"
        texts = [_text(value) for value in values] if isinstance(values, list) else _parts(cell)
        if not isinstance(values, list) and self._is_one(slot, cell):
            texts = [cell]
        chosen = [(text, self._single(slot, text)) for text in texts]
        answers = [answer for _text, answer in chosen if answer != ""]
        if answers and set(answers) == {NONE}:
            return "[]"
        for text, answer in chosen:
            # The lead may have told of a value that it becomes what is no number.
            if answer not in ("", NONE) and (answer is None or not _whole(answer)):
                return unknown_value(row, slot.name, text)
        if NONE in answers:
            return none_and_others(row, slot)
        numbers = [int(number) for answer in answers if (number := _whole(answer or ""))]
        return json.dumps(numbers) if numbers else ""

    def _is_one(self, slot: Slot, cell: str) -> bool:
        """Whether the text of a whole cell is one answer: a label may hold what parts others."""
        # Here a comma is between numbers, never within one.
        is_list = "," in cell and not any(map(str.isalpha, cell))
        return not is_list and bool(self._guess(slot, cell.strip()))

    def _marks(self, row: int, slot: Slot, cell: str) -> str | RowProblem:
        """The marks with types of ours; those that become nothing are left out."""
        kept = []
        for mark in listed(cell):
            said = str(mark.get("type") or "")
            kind = self._single(slot, said)
            if kind is None:
                return unknown_type(row, slot, said)
            if kind:
                kept.append({**mark, "type": kind})
        return json.dumps(kept, ensure_ascii=False)


def _text(value: Any) -> str:
    """An entry of a list as it would be written alone; null is no word."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parts(cell: str) -> list[str]:
    """The texts in a cell that several may share."""
    return [part for part in _BETWEEN.split(cell) if part.strip()]


def _whole(text: str) -> str | None:
    """The whole number that a text is, in digits; ``72,0`` and a printed minus, too."""
    match = _NUMBER.fullmatch(text.translate(_MINUS))
    if match is None:
        return None
    return match[1].removeprefix("+") + "".join(match[2].split())


def _names(slot: Slot) -> dict[str, str]:
    """What each option may be called: its value, its key, its label in either language. That none
    apply has its wording and a key, where no option is called so."""
    names: dict[str, str] = {}
    for option in slot.options:
        value = str(option.value)
        for name in _ways(value, option.key, option.label.fr, option.label.en):
            # Two options that are called alike are told apart by their values alone.
            names[name] = value if names.get(name, value) == value else ""
    if slot.none is not None:
        for name in _ways(NONE, slot.none.fr, slot.none.en):
            names.setdefault(name, NONE)
    return {name: value for name, value in names.items() if value}


def _ways(*called: str) -> set[str]:
    """These names, as they are and as they are compared."""
    return {*called, *map(plain, called)} - {""}


def _only(cell: str) -> str:
    """The only entry of a list as itself."""
    values: Any = listed(cell.strip())
    if isinstance(values, list) and len(values) == 1 and not isinstance(values[0], list | dict):
        return values[0] if isinstance(values[0], str) else json.dumps(values[0])
    return cell


def _is_coded(slot: Slot) -> bool:
    """Whether its numbers stand for answers without an order; 0 and 1 for no and yes say so
    themselves."""
    yes_no = {plain(option.label.fr) for option in slot.options} == {"oui", "non"}
    return bool(slot.options) and not slot.scale and not yes_no


def _unsure_codes(slot: Slot, numbers: Sequence[int]) -> RowProblem:
    few = sorted(set(numbers))[:_SHOWN_CODES]
    codes = ", ".join(map(str, few)) + ", …" * (len(set(numbers)) > len(few))
    return RowProblem(
        slot.name,
        "codes_unsure",
        Wording(
            f"« {slot.label.fr} » : cette colonne n'a que des numéros ({codes}), et rien ne dit "
            "qu'ils sont les nôtres.",
            f"“{slot.label.en}”: this column has nothing but numbers ({codes}), and nothing says "
            "that they are ours.",
        ),
        remedy=Wording(
            "Dites que ce sont les mêmes, ou ce que devient chaque valeur.",
            "Say that they are the same, or what each value becomes.",
        ),
    )


def _unsure(slot: Slot, lowest: int, highest: int) -> RowProblem:
    ours = f"{slot.scale[0]}–{slot.scale[-1]}"
    return RowProblem(
        slot.name,
        "scale_unsure",
        Wording(
            f"« {slot.label.fr} » : les nombres de cette colonne vont de {lowest} à {highest}, "
            f"notre échelle est {ours}. Rien n'est converti.",
            f"“{slot.label.en}”: the numbers of this column go from {lowest} to {highest}, our "
            f"scale is {ours}. Nothing is converted.",
        ),
        remedy=Wording(
            "Dites que c'est la même échelle, ou ce que devient chaque valeur.",
            "Say that it is the same scale, or what each value becomes.",
        ),
    )
