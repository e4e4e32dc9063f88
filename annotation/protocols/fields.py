"""The kinds of field that a protocol's steps are made of. Pure: no Django here.

A field knows the shape of its answer and nothing else; rules across fields belong to the protocol.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from annotation.protocols.base import NO_WORDING, Level, Option, Problem, Wording

# What PostgreSQL does not hold, and what no encoding writes.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class ShapeError(ValueError):
    """An answer that no form of ours could have sent: wrong type, unknown name or value."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message.en)
        self.problem = problem


def shape_error(name: str, received: object, expected_fr: str, expected_en: str) -> ShapeError:
    shown = repr(received)[:60]
    return ShapeError(
        Problem(
            name,
            "shape",
            Wording(
                f"Réponse illisible : {shown}. Attendu : {expected_fr}.",
                f"Unreadable answer: {shown}. Expected: {expected_en}.",
            ),
        )
    )


@dataclass(frozen=True)
class Field:
    """A question's slot for an answer. ``clean`` checks shape only; rules come after."""

    name: str
    label: Wording = NO_WORDING

    @property
    def empty(self) -> Any:
        """What stands in a draft where nothing was answered yet."""
        return None

    def clean(self, received: object) -> Any:
        """``received`` as the value that is stored in a draft. Raises ``ShapeError``."""
        raise TypeError(f"{type(self).__name__} is no kind of field by itself")


@dataclass(frozen=True)
class Choice(Field):
    """One of a few options, each an integer."""

    options: tuple[Option, ...] = ()
    level: Level = Level.NOMINAL
    dimension: bool = True

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


@dataclass(frozen=True)
class Text(Field):
    """Free text, at most ``max_length`` characters (code points)."""

    max_length: int = 5000

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


@dataclass(frozen=True)
class Flag(Field):
    """Yes or no."""

    @property
    def empty(self) -> bool:
        return False

    def clean(self, received: object) -> bool:
        if received in (None, "", False, "false", "0", "off"):
            return False
        if received in (True, "true", "1", "on"):
            return True
        raise shape_error(self.name, received, "oui ou non", "yes or no")


@dataclass(frozen=True)
class Keyword(Field):
    """One of a few words, or nothing; it qualifies another answer and is no dimension of its
    own."""

    allowed: tuple[str, ...] = ()

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


@dataclass(frozen=True)
class Whole(Field):
    """A whole number between two bounds, or nothing; it qualifies another answer."""

    lowest: int = 0
    highest: int = 0

    def clean(self, received: object) -> int | None:
        if received is None or received == "":
            return None
        value = as_int(self.name, received)
        if not self.lowest <= value <= self.highest:
            bounds = f"{self.lowest}–{self.highest}"
            raise shape_error(
                self.name, received, f"un nombre de {bounds}", f"a number in {bounds}"
            )
        return value


@dataclass(frozen=True)
class Bracket:
    """A stretch of a scale that is chosen first; deductions count down from its top."""

    value: int
    key: str
    bottom: int
    top: int
    label: Wording
    short: Wording
    help: Wording = NO_WORDING


@dataclass(frozen=True)
class BracketedScale(Field):
    """A scale whose value is never typed: a bracket is picked, then errors are taken off its
    top."""

    brackets: tuple[Bracket, ...] = ()
    lowest: int = 1
    highest: int = 10
    dimension_name: str = ""
    level: Level = Level.ORDINAL

    def clean(self, received: object) -> int | None:
        if received is None or received == "":
            return None
        value = as_int(self.name, received)
        if value not in {bracket.value for bracket in self.brackets}:
            allowed = ", ".join(str(bracket.value) for bracket in self.brackets)
            raise shape_error(self.name, received, f"l'une de {allowed}", f"one of {allowed}")
        return value

    def bracket(self, value: int) -> Bracket:
        """The bracket with this value. Raises ``KeyError`` where there is none."""
        for bracket in self.brackets:
            if bracket.value == value:
                return bracket
        raise KeyError(value)


SPAN_NAMES = ("original_start", "original_end", "simplification_start", "simplification_end")


@dataclass(frozen=True)
class ErrorList(Field):
    """Typed errors, each with an optional note and an optional span in either text.

    Offsets are Unicode code points, start included, end excluded, as Python and both databases
    count.
    """

    types: tuple[Option, ...] = ()
    max_errors: int = 50
    max_note: int = 2000

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
                f"une liste d'au plus {self.max_errors} erreurs",
                f"a list of at most {self.max_errors} errors",
            )
        return [self._clean_error(index, error) for index, error in enumerate(received)]

    def _clean_error(self, index: int, error: object) -> dict[str, Any]:
        name = f"{self.name}.{index}"
        if not isinstance(error, dict) or set(error) - {"type", "note", *SPAN_NAMES}:
            raise shape_error(
                name, error, "une erreur (type, note, passages)", "an error (type, note, spans)"
            )
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


def as_int(name: str, received: object) -> int:
    """``received`` as a whole number; booleans and fractions are not numbers here."""
    if isinstance(received, int) and not isinstance(received, bool):
        return received
    if isinstance(received, str) and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", received):
        return int(received)
    raise shape_error(name, received, "un nombre entier", "a whole number")
