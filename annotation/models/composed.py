"""What people have installed on the pages, as each process learns of it: it stands in the database,
and others may have changed it since this one looked."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from threading import RLock

from django.db import DatabaseError, connections, router
from django.db.models import Q

from annotation.models.protocol import PublishedProtocol
from annotation.protocols.files import ProtocolUnreadable, protocol_read
from annotation.protocols.registry import (
    COMPOSED,
    PROTOCOLS,
    publish_composed,
    withdraw_composed,
)
from annotation.protocols.validity import faults

log = logging.getLogger(__name__)

COMPOSED_THERE = Q(installed_at__isnull=False, removed_at=None)
"""Of ``PublishedProtocol``: what people have installed on the pages, and not taken away."""
_is_former: ContextVar[bool] = ContextVar("protocols_of_a_former_moment", default=False)
_looking = RLock()
_refused: dict[tuple[str, str], datetime | None] = {}


def composed_look(using: str = "default") -> None:
    """Publish in this process what people have installed on the pages since it looked last, and
    withdraw what they took away; one query where nothing has changed. What this version cannot read
    or judge by is left out (``composed_refused`` says why). Nothing where there is no database."""
    there = PublishedProtocol.objects.using(using).filter(COMPOSED_THERE)
    try:
        with _looking:
            rows = there.values_list("key", "version", "installed_at").order_by("pk")
            since = {(key, version): at for key, version, at in rows}
            for known, at in list(COMPOSED.items()):
                # What is not seen at a former moment may be there by now.
                is_gone = since[known] != at if known in since else not _is_former.get()
                if is_gone:
                    withdraw_composed(*known)
            for (key, version), at in since.items():
                if (key, version) not in PROTOCOLS and _refused.get((key, version)) != at:
                    _publish(there.get(key=key, version=version))
    except PublishedProtocol.DoesNotExist:
        return  # taken away between the two
    except DatabaseError:
        if connections[using].in_atomic_block:
            raise  # PostgreSQL would refuse all that follows, and say nothing of why
        return  # not reached, or not yet made


@contextmanager
def former_moment() -> Iterator[None]:
    """While the database is read as it stood at one moment: what was installed since is not seen,
    and stays known."""
    token = _is_former.set(True)
    try:
        yield
    finally:
        _is_former.reset(token)


def composed_hold(using: str = "default") -> None:
    """Until the transaction ends nobody else installs or removes, nor makes the database's rules:
    each would make them without what the other has just added. Raises ``DatabaseError``."""
    rows = PublishedProtocol.objects.using(using).select_for_update()
    list(rows.order_by("pk").values_list("pk"))


@contextmanager
def composed_known(using: str = "default") -> Iterator[None]:
    """All that people have installed is published, and stays so until the end: another thread that
    looks meanwhile would not see what this one's transaction has installed."""
    with _looking:
        if has_composed(using):
            composed_look(using)
        yield


def _publish(kept: PublishedProtocol) -> None:
    if reasons := composed_refused(kept):
        log.error("The protocol %s cannot be judged by: %s", kept, "; ".join(reasons))
        _refused[kept.key, kept.version] = kept.installed_at
        return
    publish_composed(kept.file, kept.installed_at)


def composed_refused(kept: PublishedProtocol) -> list[str]:
    """Why this version cannot judge by one that people have installed under another."""
    try:
        protocol = protocol_read(kept.file)
    except ProtocolUnreadable as error:
        return [fault.en for fault in error.faults]
    if (protocol.key, protocol.version) != (kept.key, kept.version):
        return [f"its file calls it {protocol.name!r}"]
    return [fault.en for fault in faults(protocol)]


def has_composed(using: str) -> bool:
    """Whether that database can hold what people install: not before the migration that makes room
    for it."""
    return has_column(using, "installed_at")


def has_column(using: str, column: str) -> bool:
    """Whether that database has such a column of ``PublishedProtocol`` yet."""
    connection = connections[using]
    table = PublishedProtocol._meta.db_table
    if not router.allow_migrate(using, "annotation"):
        return False
    with connection.cursor() as cursor:
        if table not in connection.introspection.table_names(cursor):
            return False
        columns = connection.introspection.get_table_description(cursor, table)
    return any(described.name == column for described in columns)
