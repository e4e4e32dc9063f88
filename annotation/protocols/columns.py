"""What a field's answer looks like in exported tables: its columns, what every value means, and how
the cells come from what is stored. Pure: no Django here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.protocols.base import Dimension, Level, Option, Wording

ORIGIN, IMPORTED = "origin", "imported"
"""Where a judgment says where it comes from, and what one from a published file says there."""

NOTE = "note"
"""What a mark's own text is called, in answers and in tables."""
NONE = "none"
"""What stands for "none of the options" where it is chosen as one of them is: in forms, and where
it is said what a text of a file becomes."""
RESERVED = frozenset(
    (
        *("study", "protocol", "protocol_version", "split", "source", "system", "judgments"),
        *("item_key", "item_position", "simplification_key", "simplification_position"),
        *("original", "simplification", "context_before", "context_after", "language", "identical"),
        *("annotator", "annotator_kind", "annotator_withdrawn", "origin", "revision"),
        *("guide_version", "started_at", "submitted_at", "active_seconds", "imported_row"),
        *("context_shown", "renderings_used_at", "glossary_used_at"),
    )
)
"""Names of columns that tables have whatever was asked: no answer can have one of them."""


OF_A_MARK = (
    *("severity", "source", "original_spans", "simplification_spans"),
    *("ordinal", "type", "note"),
    *("original_start", "original_end", "simplification_start", "simplification_end"),
)
"""The parts of a ``MarkValue`` on which a row with a mark ends (see ``ColumnGroup``)."""

READ_BY_EXPORTS = frozenset(
    (
        *("pk", "simplification_id", "annotator_id", "origin", "revision", "guide_id"),
        *("started_at", "submitted_at", "active_seconds", "imported_row", "context_shown"),
        *("renderings_at", "glossary_at"),
    )
)
"""What exports read of a judgment itself, by its name there: no side can be called so."""

OF_PAIRS = ("item_key", "simplification_key", "system", "original", "simplification")
"""What the released table ``aggregated`` says of a pair, before its labels."""
OF_LABELS = ("provenance", "adjudication", "ratings", "distribution", "shares", "posteriors")
OF_WORDS = ("key", "fr")
OF_SCALES = ("mean", "median", "sd", "severity_adjusted_mean", "zscore")
"""What stands there of each dimension, of one whose values have words, and of one with an order:
columns called ``<dimension>_<this>``."""
OF_MARKS = (
    *("ordinal", "type", "type_fr", "type_en", NOTE),
    *("original_start", "original_end", "original_passage"),
    *("simplification_start", "simplification_end", "simplification_passage"),
)
"""What the table ``errors`` says of a mark."""
OF_SEVERAL = "field"
"""And where a protocol has several lists of marks, in which of them it stands."""

OWN_LAYOUTS: dict[str, tuple[str, ...]] = {
    "frjudge": ("simplicity", "characterization", "legal_meaning", "comment"),
    "jades": ("fluency", "meaning", "simplicity"),
    "csmd": ("meaning", "comment"),
}
"""The layouts in which data were released that a protocol may have as its own, with the dimensions
and texts that they are made of."""


def aggregated_names(dimension: Dimension) -> list[str]:
    """The columns of a dimension in the released table ``aggregated``."""
    more = [*OF_LABELS, *(OF_WORDS if dimension.options else ())]
    if dimension.level != Level.NOMINAL:
        more += OF_SCALES
    return [dimension.name, *(f"{dimension.name}_{suffix}" for suffix in more)]


@dataclass(frozen=True)
class Value:
    """One value that a column may hold."""

    value: int | str
    label: Wording
    key: str = ""


@dataclass(frozen=True)
class Column:
    """A column of a layout, as its codebook describes it."""

    name: str
    kind: str
    """"text", "integer", "boolean", "time", "category" or "json" (whose cells are JSON already)."""
    description: Wording
    values: tuple[Value, ...] = ()
    """Every value that occurs, where they are few."""
    free: tuple[tuple[str, ...], ...] = ()
    """The free members of answers (``Field.free_members``) whose text its cells hold: whatever
    people typed there is redacted in what is frozen and released."""
    free_under: tuple[str, ...] = ()
    """In a "json" column: the only names under which that text stands in a cell; none where any of
    its texts may be typed."""

    @property
    def free_names(self) -> tuple[str, ...]:
        """What stands above its free text in a line of JSON; nothing where it has none."""
        return (self.free_under or (self.name,)) if self.free else ()


@dataclass(frozen=True)
class ColumnGroup:
    """Neighbouring columns whose cells are made of the same few stored values of a judgment.

    ``reads`` names these: ``<dimension>.<part>`` is a part of a rating (an attribute of
    ``RatingValue``), a field's name what was answered beside the dimensions (as text, empty where
    nothing was), ``ORIGIN`` the judgment's. ``marks`` names a field instead, whose marks are read.

    ``cells`` takes what was read, the value itself where it is one, and gives one cell per column;
    a value that is not there is None. Of marks it takes the list, each a row that ends on
    ``(severity, source, original_spans, simplification_spans, ordinal, type, note, original_start,
    original_end, simplification_start, simplification_end)``, parts of ``MarkValue``, or None where
    they are not known.

    ``shared``: few judgments differ in what is read, so finished cells may be kept. ``often``: what
    many judgments hold although most others differ.
    """

    columns: tuple[Column, ...]
    cells: Callable[[Any], Sequence[Any]]
    reads: tuple[str, ...] = ()
    marks: str = ""
    shared: bool = False
    often: Any = None


@dataclass(frozen=True)
class ComparedColumn:
    """A column of which every annotator has one, side by side; its cells are what ``read`` names
    (see ``ColumnGroup.reads``), as it is stored."""

    read: str
    column: Column


@dataclass(frozen=True)
class Slot:
    """A column that a table from elsewhere may hold of an answer.

    ``options``: every value that it may have, where they are few. ``scale``: the ends of its
    numbers, where they have an order. ``is_list``: its cells are lists of options, and ``none``
    what an empty list is called, which is an answer too; ``is_marks``: lists of marks, whose types
    the options are.
    """

    name: str
    label: Wording
    options: tuple[Value, ...] = ()
    scale: tuple[int, ...] = ()
    is_list: bool = False
    is_marks: bool = False
    none: Wording | None = None


def column(name: str, kind: str, fr: str, en: str, values: Iterable[Value] = ()) -> Column:
    return Column(name, kind, Wording(fr, en), tuple(values))


def option_values(options: Iterable[Option]) -> tuple[Value, ...]:
    return tuple(Value(option.value, option.label, option.key) for option in options)


def code_column(name: str, label: Wording, values: Iterable[Value]) -> Column:
    """A coded answer."""
    return column(name, "category", f"{label.fr} : code.", f"{label.en}: code.", values)


def labelled(name: str, label: Wording, values: Iterable[Value]) -> tuple[Column, ...]:
    """A coded answer with its key and its labels beside it."""
    return (
        code_column(name, label, values),
        column(f"{name}_key", "text", f"{label.fr} : clé.", f"{label.en}: key."),
        column(
            f"{name}_fr", "text", f"{label.fr} : libellé français.", f"{label.en}: label in French."
        ),
        column(
            f"{name}_en", "text", f"{label.fr} : libellé anglais.", f"{label.en}: label in English."
        ),
    )


_ENDS = (".", "?", "!", "\u2026")


def said(label: Wording) -> Wording:
    """A label as a sentence of its own; a question is one."""
    french, english = label.fr.rstrip(" :\u00a0"), label.en.rstrip(" :")
    return Wording(
        french if french.endswith(_ENDS) else f"{french}.",
        english if english.endswith(_ENDS) else f"{english}.",
    )
