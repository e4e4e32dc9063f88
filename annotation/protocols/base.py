"""What a judging protocol is made of: steps, fields, answers, ratings. Pure: no Django here.

A protocol is a published, versioned object. The web form, the API serializer and the agreement
report are all derived from its fields, so a rule about what may be answered stands in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
        """The same text in both languages with its ``{placeholders}`` filled; a ``Wording`` among
        the values stands in the language of the text."""

        def of(language: str) -> dict[str, object]:
            return {
                name: value.get(language) if isinstance(value, Wording) else value
                for name, value in values.items()
            }

        return Wording(self.fr.format(**of("fr")), self.en.format(**of("en")))


NO_WORDING = Wording("", "")
YES, NO = Wording("oui", "yes"), Wording("non", "no")


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


class Better(StrEnum):
    """Which way is better on a scale: ``LOWER`` of ranks and of counts of errors, ``NEITHER`` of
    counts that are neither good nor bad, and of classes. It belongs to the field, as its level
    does: nobody reads it off the numbers."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


@dataclass(frozen=True)
class PairFacts:
    """What a machine knows for certain about a pair, for rules that check an answer against it.

    ``original`` and ``simplification``: the texts themselves, "" where they are not at hand; rules
    that need them find nothing wrong then.
    """

    original_length: int
    simplification_length: int
    is_identical: bool = False
    is_other_language: bool = False
    original: str = ""
    simplification: str = ""

    def length(self, side: str) -> int:
        """Of the text of a side, in code points."""
        return self.original_length if side == "original" else self.simplification_length

    def text(self, side: str) -> str:
        """That of a side."""
        return self.original if side == "original" else self.simplification


Rulings = Mapping[str, Any]
"""What a study decided within its protocol, by the ruling's name; see ``Protocol.rulings``."""


class RulingRefused(ValueError):
    """A value, or a name (``unknown``), that a study cannot decide within its protocol."""

    def __init__(self, name: str, words: Wording, code: str = "invalid") -> None:
        super().__init__(words.en)
        self.name, self.words, self.code = name, words, code


@dataclass(frozen=True)
class Ruling:
    """One thing that a protocol leaves to each study: one of a few words, or yes or no.

    ``options`` are the words that may be stored, with what they mean; none for yes or no. A ruling
    does not change any more once somebody has submitted under it.
    """

    name: str
    label: Wording
    options: tuple[tuple[str, Wording], ...] = ()
    default: str | bool = False
    help: Wording = NO_WORDING

    def clean(self, received: object) -> str | bool:
        """``received`` as it is stored. Raises ``RulingRefused`` for what it does not allow."""
        if not self.options:
            if isinstance(received, bool):
                return received
            raise self._refused("true, false")
        for word, _label in self.options:
            if received == word:
                return word
        raise self._refused(", ".join(word for word, _label in self.options))

    def said(self, value: str | bool) -> Wording:
        """A decision in words; as it stands where the ruling does not know it."""
        if not self.options:
            return YES if value else NO
        return dict(self.options).get(str(value), Wording(str(value), str(value)))

    def _refused(self, allowed: str) -> RulingRefused:
        return RulingRefused(
            self.name,
            Wording(
                f"« {self.name} » est l'une de ces valeurs : {allowed}.",
                f"“{self.name}” is one of these values: {allowed}.",
            ),
        )


@dataclass(frozen=True)
class Dimension:
    """What is rated by one whole number for each judgment, and how the numbers may be treated.

    ``options``: the words of each value, where values have words. ``required``: a complete judgment
    always has it; otherwise only where its question was asked and answered. ``better``: which way;
    neither of classes, whatever is said.
    """

    name: str
    label: Wording
    level: Level
    lowest: int
    highest: int
    options: tuple[Option, ...] = ()
    step: int = 1
    required: bool = True
    better: Better = Better.HIGHER

    def __post_init__(self) -> None:
        if self.level == Level.NOMINAL:
            object.__setattr__(self, "better", Better.NEITHER)

    @property
    def scale(self) -> tuple[int, ...]:
        """Every value that a rating can have, ascending."""
        if self.options:
            return tuple(sorted(option.value for option in self.options))
        return tuple(range(self.lowest, self.highest + 1, self.step))


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


@dataclass(frozen=True)
class MarkValue:
    """One marked error or edit of the field ``field``; ``ordinal`` from 1, in the order listed.

    Offsets are Unicode code points, start included, end excluded; None where nothing is marked on
    that side. Of a mark with several spans on a side they are the stretch from the first to the
    last character, and ``original_spans`` or ``simplification_spans`` has each, as JSON, in the
    order marked; "" where one says it all. ``severity`` and ``source`` as the kind has them, or "".
    """

    field: str
    ordinal: int
    type: str
    note: str = ""
    original_start: int | None = None
    original_end: int | None = None
    simplification_start: int | None = None
    simplification_end: int | None = None
    original_spans: str = ""
    simplification_spans: str = ""
    severity: str = ""
    source: str = ""


@dataclass(frozen=True)
class Passages:
    """A mark as pages draw it: its type, its note and its spans on each side, start and end.
    ``severity``: the key of its degree, "" for none; ``beside``: what else is answered of it, in
    words."""

    type: str
    note: str
    original: tuple[tuple[int, int], ...] = ()
    simplification: tuple[tuple[int, int], ...] = ()
    severity: str = ""
    beside: tuple[Wording, ...] = ()

    def spans(self, side: str) -> tuple[tuple[int, int], ...]:
        """Those of a side."""
        return self.original if side == "original" else self.simplification


@dataclass
class Parts:
    """What the answers of one judgment are stored as, whatever their fields are.

    ``ratings`` by dimension. ``sides``: what was answered beside the dimensions, as text, by field;
    nothing for what was left empty. ``marks`` in the order of fields and ordinals.
    """

    ratings: dict[str, RatingValue] = field(default_factory=dict)
    sides: dict[str, str] = field(default_factory=dict)
    marks: list[MarkValue] = field(default_factory=list)

    def rate(self, rating: RatingValue) -> None:
        self.ratings[rating.dimension] = rating

    def marks_of(self, name: str) -> list[MarkValue]:
        """The marks of the field ``name``, by ordinal."""
        return sorted((m for m in self.marks if m.field == name), key=lambda mark: mark.ordinal)
