"""Which columns of a table its reader has chosen to see, kept with their account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import User


@dataclass(frozen=True)
class Column:
    """A column, or a part of each entry of a list. One that is there whatever one chooses (a row's
    name, what acts on it) is none of these."""

    key: str
    label: Promise
    at_first: bool = True
    is_number: bool = False


TABLES: Mapping[str, tuple[Column, ...]] = {
    "items": (
        Column("original", _("Original")),
        Column("source", _("Source"), at_first=False),
        Column("characters", _("Characters"), at_first=False, is_number=True),
        Column("round", _("Round")),
        Column("simplifications", _("Simplifications")),
        Column("judgments", _("Judgments"), is_number=True),
    ),
    "people": (
        Column("person", _("Person")),
        Column("practice", _("Practice"), is_number=True),
        Column("main", _("Main round"), is_number=True),
        Column("drafts", _("Begun"), at_first=False, is_number=True),
        Column("hours", _("Active hours"), at_first=False, is_number=True),
        Column("last", _("Last activity"), at_first=False),
        Column("state", _("State")),
    ),
    "outputs": (
        Column("original", _("Original")),
        Column("raw", _("As it came")),
        Column("end", _("Number and end of the answer")),
    ),
    "remarks": (
        Column("person", _("Person")),
        Column("date", _("Date")),
        Column("texts", _("The two texts")),
        Column("answers", _("Answers")),
    ),
}


@dataclass(frozen=True)
class Choice:
    """A column and whether it is shown."""

    column: Column
    is_shown: bool


@dataclass(frozen=True)
class Columns:
    """A table's columns as one reader sees them. ``shown``: their keys."""

    table: str
    choices: tuple[Choice, ...]

    @property
    def shown(self) -> frozenset[str]:
        return frozenset(choice.column.key for choice in self.choices if choice.is_shown)


def columns_of(user: User, table: str) -> Columns:
    """What the reader has chosen; of what they were never asked, what is shown at first."""
    kept = user.tables.get(table, {})
    return Columns(
        table,
        tuple(
            Choice(column, bool(kept.get(column.key, column.at_first))) for column in TABLES[table]
        ),
    )
