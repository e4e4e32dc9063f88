"""Constraints that look at more than one row, as triggers, the same on SQLite and PostgreSQL.

They make a *sealed* judgment (``submitted_at`` set) complete and consistent whatever writes to the
database: what its protocol asks for (``seals``, generated from the published protocols), spans
inside their texts, and no more counted answers to a pair than the study's plan asks for. Nothing
can be added to or changed in a sealed judgment; removing a part of one unseals it.

The audit trail takes new rows and no other change. There are two narrow exceptions: an erasure that
is being carried out may take a name out of ``details``, and what a removed demonstration had to do
with an event is forgotten.

They are dropped before migrations and made again after them: SQLite rebuilds a table to alter it,
and a trigger would be lost silently in that. Where somebody installs a protocol on the pages, those
that name protocols are renewed while others judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any

from django.db import connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from annotation.models.composed import composed_hold, composed_known, has_composed
from annotation.models.seals import (
    ERROR,
    JUDGMENT,
    RATING,
    SIDE,
    Condition,
    Refusal,
    refusals,
)
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS

EVENT = "annotation_event"
TABLES = {"judgment": JUDGMENT, "rating": RATING, "error": ERROR, "side": SIDE}

# The pair's other counted answers, against what the study's plan counts; null there (everybody's)
# refuses nothing. Who submits holds the pair's lock (services.counting): under it no two can be the
# last one at once.
_PAIR_JUDGED = (
    "(SELECT a.simplification_id FROM annotation_assignment a WHERE a.id = NEW.assignment_id)"
)
# A withdrawn annotator's answer does not count, and is refused nothing itself: an erasure that
# takes a name out of it must be able to seal it again.
_HAS_LEFT = (
    "EXISTS (SELECT 1 FROM annotation_annotator w WHERE w.withdrawn_at IS NOT NULL AND w.id = "
    "(SELECT a.annotator_id FROM annotation_assignment a WHERE a.id = NEW.assignment_id))"
)
# Of each assignment of the pair, by key: IN and EXISTS would be joined, in the planner's own order.
_OTHERS_COUNTED = (
    f"(SELECT COUNT(*) FROM annotation_assignment o WHERE o.simplification_id = {_PAIR_JUDGED} "
    "AND (SELECT w.withdrawn_at FROM annotation_annotator w WHERE w.id = o.annotator_id) IS NULL "
    f"AND (SELECT j.id FROM {JUDGMENT} j WHERE j.assignment_id = o.id AND j.id <> NEW.id "
    "AND j.submitted_at IS NOT NULL AND j.origin = 'person' AND NOT j.surplus) IS NOT NULL)"
)
_WANTED = (
    "(SELECT p.per_item FROM annotation_studyplan p WHERE p.study_id = "
    "(SELECT i.study_id FROM annotation_item i WHERE i.round = 'main' AND i.id = "
    f"(SELECT s.item_id FROM annotation_simplification s WHERE s.id = {_PAIR_JUDGED})))"
)
_SURPLUS = (
    f"NEW.origin = 'person' AND NOT NEW.surplus AND {_OTHERS_COUNTED} >= {_WANTED} AND NOT "
    f"{_HAS_LEFT}",
    "judgment_surplus: the pair has as many counted answers as the plan asks for",
)

_SEALED = (
    (
        f"EXISTS (SELECT 1 FROM {JUDGMENT} j WHERE j.id = NEW.judgment_id AND j.submitted_at IS "
        "NOT NULL)"
    ),
    "judgment_sealed: a submitted judgment is reopened before it is changed",
)

# Each table is looked up by its key and none is joined: a session keeps the plan of its first rows,
# and a join in the wrong order, planned while the tables were almost empty, reads whole tables for
# each row of a large import.
_PAIR = (
    "(SELECT a.simplification_id FROM annotation_assignment a WHERE a.id = "
    "(SELECT j.assignment_id FROM annotation_judgment j WHERE j.id = NEW.judgment_id))"
)
_ORIGINAL_LENGTH = (
    "(SELECT LENGTH(i.original) FROM annotation_item i WHERE i.id = "
    f"(SELECT s.item_id FROM annotation_simplification s WHERE s.id = {_PAIR}))"
)
_SIMPLIFICATION_LENGTH = (
    f"(SELECT LENGTH(s.text) FROM annotation_simplification s WHERE s.id = {_PAIR})"
)

_SPANS = (
    f"(NEW.original_end IS NOT NULL AND NEW.original_end > {_ORIGINAL_LENGTH}) OR "
    f"(NEW.simplification_end IS NOT NULL AND NEW.simplification_end > {_SIMPLIFICATION_LENGTH})",
    "error_span: a span ends inside its text",
)

_EVENT_IDENTITY = " AND ".join(
    f"NEW.{column} = OLD.{column}"
    for column in ("id", "verb", "target_type", "target_id", "created_at")
)
_EVENT_SUBJECTS = " AND ".join(
    f"COALESCE(NEW.{column}, 0) = COALESCE(OLD.{column}, 0)" for column in ("study_id", "actor_id")
)
_ERASING = "EXISTS (SELECT 1 FROM annotation_erasurerequest q WHERE q.state = 'running')"
# Removing a demonstration sets what pointed to it to null. Of a study that was deleted, events keep
# the number: nothing is written then.
_DEMO_LEAVES = " AND ".join(
    f"(COALESCE(NEW.{column}, 0) = COALESCE(OLD.{column}, 0) OR (NEW.{column} IS NULL AND "
    f"EXISTS (SELECT 1 FROM {table} t WHERE t.id = OLD.{column} AND t.is_demo)))"
    for column, table in (("study_id", "annotation_study"), ("actor_id", "annotation_user"))
)
_EVENT_CHANGED = (
    f"NOT ({_EVENT_IDENTITY} AND (({_EVENT_SUBJECTS} AND {_ERASING}) OR "
    f"(NEW.details = OLD.details AND {_DEMO_LEAVES})))",
    "event_kept: an audit event is never changed",
)
_EVENT_DELETED = ("OLD.id IS NOT NULL", "event_kept: an audit event is never deleted")

Refusals = list[Refusal]


Made = dict[str, tuple[str, str, Refusals]]
_latest: tuple[tuple[Protocol, ...], Made] | None = None


def _refusals() -> Made:
    """By trigger: what sets it off, on which table, and what it refuses. Made anew whenever other
    protocols are published than last time, as happens while the program starts."""
    global _latest  # noqa: PLW0603
    published, latest = tuple(PROTOCOLS.values()), _latest
    if (
        latest is None
        or len(latest[0]) != len(published)
        or not all(map(is_, published, latest[0]))
    ):
        _latest = latest = published, _refusals_of(published)
    return latest[1]


def _refusals_of(published: Sequence[Protocol]) -> Made:
    seal = [*refusals(published), _SURPLUS]
    return {
        "judgment_seal_insert": ("INSERT", JUDGMENT, seal),
        "judgment_seal_update": ("UPDATE", JUDGMENT, seal),
        "rating_sealed_insert": ("INSERT", RATING, [_SEALED]),
        "rating_sealed_update": ("UPDATE", RATING, [_SEALED]),
        "side_sealed_insert": ("INSERT", SIDE, [_SEALED]),
        "side_sealed_update": ("UPDATE", SIDE, [_SEALED]),
        "error_checked_insert": ("INSERT", ERROR, [_SEALED, _SPANS]),
        "error_checked_update": ("UPDATE", ERROR, [_SEALED, _SPANS]),
        "event_kept_update": ("UPDATE", EVENT, [_EVENT_CHANGED]),
        "event_kept_delete": ("DELETE", EVENT, [_EVENT_DELETED]),
    }


UNSEALINGS = {"rating_unseals": RATING, "error_unseals": ERROR, "side_unseals": SIDE}

# A session keeps the plan of its first rows: made while tables were almost empty, it would read
# whole tables, or whole indexes to join them, for each row of a large transaction (twenty times
# slower at 10,000 judgments by a connection that had planned at 1,000, and worse with every
# further one).
_PLAN = (
    "LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off"
)


def names() -> set[str]:
    """Names of all triggers, as a check compares them with what the database holds."""
    return {*_refusals(), *UNSEALINGS}


def installed(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """Those of ``names()`` that the database holds, with what each does there."""
    if connection.vendor == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    else:
        query = (
            "SELECT t.tgname, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "
            "WHERE NOT t.tgisinternal"
        )
    known = names()
    with connection.cursor() as cursor:
        cursor.execute(query)
        return {name: text for name, text in cursor.fetchall() if name in known}


def missing(connection: BaseDatabaseWrapper) -> set[str]:
    """Those of ``names()`` that a migrated database lacks, or holds as they were before a protocol
    was published; none before the tables exist."""
    if not _tables_exist(connection):
        return set()
    with composed_known(connection.alias):
        return _stale(connection)


def _stale(connection: BaseDatabaseWrapper) -> set[str]:
    there = installed(connection)
    return {name for name, text in _bodies(connection).items() if text not in there.get(name, "")}


def _checks(refused: Refusals, *, is_sqlite: bool) -> str:
    check = _check_sqlite if is_sqlite else _check_postgresql
    return "".join(check(condition, message) for condition, message in refused)


def _check_sqlite(condition: Condition, message: str) -> str:
    if isinstance(condition, dict):
        cases = "".join(
            f" WHEN {protocol} THEN ({clause})" for protocol, clause in condition.items()
        )
        condition = f"(CASE NEW.protocol{cases} ELSE 1 = 0 END)" if cases else "1 = 0"
    return f"SELECT RAISE(ABORT, '{message.replace(chr(39), '')}') WHERE {condition}; "


def _check_postgresql(condition: Condition, message: str) -> str:
    if isinstance(condition, dict):
        # Each protocol's condition on its own: in one CASE, PostgreSQL would make ready for all of
        # them at each judgment, which takes longer than asking the one that holds.
        return "".join(
            f"IF NEW.protocol = {protocol} THEN {_check_postgresql(clause, message)}END IF; "
            for protocol, clause in condition.items()
        )
    return (
        f"IF {condition} THEN RAISE EXCEPTION '{message}' USING ERRCODE = "
        "'check_violation'; END IF; "
    )


_UNSEAL = (
    f"UPDATE {JUDGMENT} SET submitted_at = NULL WHERE id = OLD.judgment_id AND "
    "submitted_at IS NOT NULL; "
)


def _bodies(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """What each trigger does, from BEGIN to END."""
    is_sqlite = connection.vendor == "sqlite"
    bodies = {}
    for name, (verb, _table, refused) in _refusals().items():
        ending = "" if is_sqlite else f"RETURN {'OLD' if verb == 'DELETE' else 'NEW'}; "
        bodies[name] = f"BEGIN {_checks(refused, is_sqlite=is_sqlite)}{ending}END"
    for name in UNSEALINGS:
        bodies[name] = f"BEGIN {_UNSEAL}{'' if is_sqlite else 'RETURN OLD; '}END"
    return bodies


def _made(connection: BaseDatabaseWrapper) -> dict[str, tuple[str, str]]:
    """By name what makes the function of a trigger, none on SQLite, and the trigger."""
    bodies = _bodies(connection)
    events = {
        name: (
            f"BEFORE {verb} ON {table}",
            " WHEN (NEW.submitted_at IS NOT NULL)" * (table == JUDGMENT),
        )
        for name, (verb, table, _refused) in _refusals().items()
    } | {name: (f"AFTER DELETE ON {table}", "") for name, table in UNSEALINGS.items()}
    made = {}
    for name, (event, when) in events.items():
        if connection.vendor == "sqlite":
            made[name] = "", f"CREATE TRIGGER IF NOT EXISTS {name} {event}{when} {bodies[name]}"
            continue
        quote = _quote(bodies[name])
        made[name] = (
            f"CREATE OR REPLACE FUNCTION bareme_{name}() RETURNS trigger {_PLAN} AS "
            f"{quote} {bodies[name]} {quote}",
            f"CREATE OR REPLACE TRIGGER {name} {event} FOR EACH ROW{when} "
            f"EXECUTE FUNCTION bareme_{name}()",
        )
    return made


def _quote(body: str) -> str:
    """What stands around a function's text, and nowhere in it: a condition may ask for any word,
    and whoever composes a protocol is not who runs the database."""
    number = 0
    while (quote := f"$bareme{number or ''}$") in body:
        number += 1
    return quote


def create(*, using: str = "default", **_: Any) -> None:
    """Install every trigger whose tables exist. Harmless when they are there already."""
    connection = connections[using]
    if not router.allow_migrate(using, "annotation") or not _tables_exist(connection):
        return
    with transaction.atomic(using=using):
        if has_composed(using):
            composed_hold(using)
        if connection.vendor == "sqlite":
            # There is no "or replace": one from before a protocol was published would stay.
            drop(using=using)
        with composed_known(using), connection.cursor() as cursor:
            made = _made(connection).values()
            for function, trigger in made:
                cursor.execute(function or trigger)
    with connection.cursor() as cursor:
        for function, trigger in made:
            if function:
                # One by one: each waits for a table that those who judge meanwhile write to.
                cursor.execute(trigger)


def renew(*, using: str = "default") -> None:
    """Make those anew that say something else than what can be judged by now, while others judge:
    within a transaction of PostgreSQL's, which is not to wait for a table that they write to, their
    functions alone. Raises ``DatabaseError`` for rules that are too large for it."""
    connection = connections[using]
    with composed_known(using), connection.cursor() as cursor:
        stale = _stale(connection)
        for name, (function, trigger) in _made(connection).items():
            if name in stale and function:
                cursor.execute(function)
            elif name in stale:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
                cursor.execute(trigger)


def drop(*, using: str = "default", **_: Any) -> None:
    """Remove every trigger, so that migrations may rebuild the tables under them."""
    connection = connections[using]
    tables = {name: table for name, (_verb, table, _refused) in _refusals().items()} | UNSEALINGS
    present = installed(connection)
    with connection.cursor() as cursor:
        for name in sorted(present):
            on = "" if connection.vendor == "sqlite" else f" ON {tables[name]}"
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")


def _tables_exist(connection: BaseDatabaseWrapper) -> bool:
    return {JUDGMENT, RATING, ERROR, SIDE, EVENT, "annotation_studyplan"} <= set(
        connection.introspection.table_names()
    )
