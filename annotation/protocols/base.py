"""What a judging protocol is made of: steps, fields, answers, ratings. Pure: no Django here.

A protocol is a published, versioned object. The web form, the API serializer and the agreement
report are all derived from its fields, so a rule about what may be answered stands in one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Answers = dict[str, Any]
"""One person's answers to one pair, keyed by field name, after ``Protocol.clean``."""


@dataclass(frozen=True)
class Wording:
    """A text in both languages of the interface; French is the one that annotators answer."""

    fr: str
    en: str

    def get(self, language: str) -> str:
        """The text in ``language`` ("fr", "fr-ca", "en", …); French where there is no other."""
        return self.en if language.startswith("en") else self.fr

    def format(self, **values: object) -> Wording:
        """The same text in both languages with its ``{placeholders}`` filled."""
        return Wording(self.fr.format(**values), self.en.format(**values))


NO_WORDING = Wording("", "")


@dataclass(frozen=True)
class Option:
    """One allowed answer of a ``Choice``; ``value`` is what is stored, ``key`` its name in
    exports."""

    value: int
    key: str
    label: Wording
    help: Wording = NO_WORDING
    example: Wording = NO_WORDING


@dataclass(frozen=True)
class Problem:
    """Why an answer is refused: the field, a code for programs, and what to do about it."""

    field: str
    code: str
    message: Wording


class Level(StrEnum):
    """Level of measurement of a dimension. It belongs to the field, so that nobody can ask for
    the nominal coefficient of an ordinal scale by accident."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


@dataclass(frozen=True)
class PairFacts:
    """What a machine knows for certain about a pair, for rules that check an answer against it."""

    original_length: int
    simplification_length: int
    is_identical: bool = False
    is_other_language: bool = False


@dataclass(frozen=True)
class Settings:
    """What a study decides within its protocol."""

    crossing_policy: str = "ask"
    span_required: bool = False


@dataclass(frozen=True)
class RatingValue:
    """One value on one dimension, and how it was arrived at (see ``models.judgment.Rating``)."""

    dimension: str
    value: int
    derivation: str = "stated"
    bracket: int | None = None
    deductions: int | None = None
    crossing_policy: str = ""
    crossing_answer: str = ""
    moved_from: int | None = None
