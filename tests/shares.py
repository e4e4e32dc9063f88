"""Which tests each of the two runs of the suite, on SQLite and on PostgreSQL, leaves to the other.

On two quiet cores what asks for a database is tried on both. CI has 90 minutes, which that does not
fit into on a machine several times as slow (``python -m tests.pace``): there each test is tried on
one of them, drawn by its name, and on both only what commits, where the two differ most: locks,
workers, backups. Browser tests that are for both are shared too. On one that is slower still what
commits is tried on one of them as well: services on PostgreSQL, where several write at once, the
rest as it is drawn.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

WALKED = 5
"""On PostgreSQL one in so many of the cases of walks, drawn by their names: who may open an
address, or what a page does with a hostile body, is no matter of the database, and each address is
opened there by tests of its own."""
LONG = 30 * 60
"""Seconds of the first run, a quarter more than on two quiet cores, after which the second is
short."""


class Pace(Enum):
    """How much the two runs of the suite try."""

    ALL = "all"
    """On PostgreSQL every case of a walk too."""
    WHOLE = "whole"
    SHORT = "short"
    """The first tried everything, and took long."""
    SHARED = "shared"
    """Neither tries everything; together they do."""
    APART = "apart"
    """Nothing is tried by both."""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Pace:
        if environment.get("BAREME_ALL_WALKS") == "1":
            return cls.ALL
        if shared := {"1": cls.SHARED, "2": cls.APART}.get(environment.get("BAREME_SHARED", "")):
            return shared
        seconds = int(environment.get("BAREME_FIRST_RUN_SECONDS") or 0)
        return cls.SHORT if seconds > LONG else cls.WHOLE


class Case(NamedTuple):
    """What is asked of a test."""

    name: str
    is_once: bool = False
    """It asks for no database, or for nothing in which they differ: tried on SQLite."""
    is_walked: bool = False
    """A case of a walk."""
    is_of_both: bool = False
    """It commits and opens no browser, or is about PostgreSQL."""
    is_of_postgresql: bool = False
    """It is about PostgreSQL alone."""


def is_left_by_sqlite(test: Case, pace: Pace) -> bool:
    if pace not in (Pace.SHARED, Pace.APART) or test.is_once:
        return False
    if test.is_of_both:
        return pace is Pace.APART and _is_apart_for_postgresql(test)
    return _is_drawn_for_postgresql(test)


def is_left_by_postgresql(test: Case, pace: Pace) -> bool:
    """Beside those which are tried once, that whoever starts the run leaves out (``-m "not
    once"``)."""
    if pace is Pace.APART and test.is_of_both:
        return not _is_apart_for_postgresql(test)
    if pace is Pace.ALL or _is_drawn_for_postgresql(test):
        return False
    return test.is_walked or (pace is not Pace.WHOLE and not test.is_of_both)


def _is_apart_for_postgresql(test: Case) -> bool:
    is_service = test.name.startswith("tests/services/")
    return test.is_of_postgresql or is_service or _is_drawn_for_postgresql(test)


def _is_drawn_for_postgresql(test: Case) -> bool:
    return zlib.crc32(test.name.encode()) % (WALKED if test.is_walked else 2) == 0


def said(pace: Pace, *, on_postgresql: bool) -> list[str]:
    """What whoever reads the run's first lines is told that it leaves out."""
    lines = []
    if on_postgresql and pace is not Pace.ALL:
        lines.append(
            f"Of walks over addresses and protocols, one case in {WALKED} (BAREME_ALL_WALKS=1: all)"
        )
    if pace is Pace.SHARED:
        lines.append(
            "A slow machine: what asks for a database is tried on one of the two, drawn by its "
            "name; what commits, on both"
        )
    elif pace is Pace.APART:
        lines.append(
            "A very slow machine: what asks for a database is tried on one of the two, drawn by "
            "its name; what commits too, services on PostgreSQL"
        )
    elif pace is Pace.SHORT and on_postgresql:
        lines.append(
            "The first run took long: of what it tried on SQLite one half, drawn by names; what "
            "commits, whole (`make test-servers` by itself: all)"
        )
    return lines
