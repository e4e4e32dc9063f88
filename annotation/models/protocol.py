"""What each protocol that was ever published here asks, as data: its studies stay readable without
it."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from threading import RLock
from typing import Any, ClassVar, NamedTuple

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, connections, models, router
from django.db.models import Q
from django.utils import timezone

from annotation.protocols.base import Dimension, Level, Option, Wording
from annotation.protocols.description import amounts_keep, described, recovered, unkept
from annotation.protocols.files import (
    ProtocolUnreadable,
    first_difference,
    protocol_read,
    says_the_same,
)
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import (
    COMPOSED,
    CONTENTS,
    PROTOCOLS,
    place,
    publish_composed,
    withdraw_composed,
)
from annotation.protocols.validity import faults

log = logging.getLogger(__name__)

_is_former: ContextVar[bool] = ContextVar("protocols_of_a_former_moment", default=False)
_put_back: ContextVar[bool] = ContextVar("backup_put_back", default=False)
COMPOSED_THERE = Q(installed_at__isnull=False, removed_at=None)
"""Of ``PublishedProtocol``: what people have installed on the pages, and not taken away."""
_looking = RLock()
_refused: dict[tuple[str, str], datetime | None] = {}


@contextmanager
def backup_put_back() -> Iterator[None]:
    """While a backup is put back: see ``files_expect``."""
    token = _put_back.set(True)
    try:
        yield
    finally:
        _put_back.reset(token)


class PublishedProtocol(models.Model):
    """A protocol as it stood when the database was last migrated with it installed. ``file``: what
    its file said then; empty where it is a module.

    ``installed_at``: since when it is one that somebody has installed on the pages, None where
    whoever runs Barème has. ``removed_at``: since when it is not to be judged by any more. Its name
    is never given to another one: what pages keep of it goes by that.
    """

    key = models.CharField(max_length=40)
    version = models.CharField(max_length=10)
    description = models.JSONField(encoder=DjangoJSONEncoder)
    file = models.TextField(blank=True, default="", db_default="")
    installed_at = models.DateTimeField(null=True, blank=True)
    installed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="installed_protocols",
    )
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["key", "version"], name="protocol_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.version}"


class ProtocolDraft(models.Model):
    """A protocol that somebody is composing: a file (``protocols/files.py``) that may say nothing
    yet, or something wrong; theirs alone, and nobody judges by it before it is installed.

    ``name`` and ``title``: what the file called it when that could last be read. ``original``,
    ``simplification``: the pair that it is tried on; empty for the one that comes with Barème.
    ``revision`` counts its saves, so that no window overwrites what it has not seen.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="protocol_drafts"
    )
    name = models.CharField(max_length=60, blank=True)
    title = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    original = models.TextField(blank=True)
    simplification = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-changed_at", "-pk"]

    def __str__(self) -> str:
        return f"protocol draft {self.public_id} v{self.revision}"


class Edited(NamedTuple):
    """A protocol whose file says something else than the database was made ready for; ``before`` is
    that, None for nothing. ``is_fixed``: people have judged by that, or have installed it on a page
    (``is_installed``)."""

    protocol: Protocol
    before: PublishedProtocol | None
    is_fixed: bool
    is_installed: bool = False

    @property
    def reason(self) -> str:
        """Why it is not judged by as it is now, and what to do about it."""
        key, version = self.protocol.key, self.protocol.version
        file = f"{place(key, version)} holds {self.protocol.name!r}"
        if not self.is_fixed:
            return f"{file} otherwise than the database knows it: run `manage.py migrate`"
        if self.before is None or not self.before.file:
            return (
                f"{file}, by which people have judged, otherwise than what they judged by, which "
                "the database has no file of (it was a module). Install that again, or give the "
                "file another version"
            )
        if self.is_installed:
            return (
                f"{file}, which somebody has installed on a page, otherwise than it says there. A "
                "published version is never edited: give yours another key or another version"
            )
        first = first_difference(self.before.file, CONTENTS[key, version])
        return (
            f"{file}, by which people have judged, otherwise than when they did (first at "
            f"{first}). A published version is never edited: give what has changed another "
            "version, in a file of its own, and have the former back by `BAREME_PROTOCOLS= "
            f"manage.py protocol write {key} {version}`"
        )


def files_edited(using: str = "default") -> Iterator[Edited]:
    """A file is edited in a moment, and what people answered would be called something else: its
    words and scales stay as they were once somebody has judged by them, or installed them. Raises
    ``DatabaseError`` where there are no tables yet."""
    knows_people = has_composed(using)
    columns = ["key", "version", "description", "file", *["installed_at"] * knows_people]
    rows = PublishedProtocol.objects.using(using).only(*columns)
    before = {(kept.key, kept.version): kept for kept in rows}
    for identity, protocol in list(PROTOCOLS.items()):
        kept, text = before.get(identity), CONTENTS.get(identity)
        is_installed = knows_people and kept is not None and kept.installed_at is not None
        if text is None and not is_installed:
            continue  # a module, which nobody edits in a moment
        if kept is None or not _is_of(kept, protocol, text):
            is_fixed = is_installed or is_judged_by(protocol, using)
            yield Edited(protocol, kept, is_fixed, is_installed)


def _is_of(kept: PublishedProtocol, protocol: Protocol, text: str | None) -> bool:
    """Whether this was kept of what the file says. Of a module without rules, and of a file from
    before files were kept, there is the description alone."""
    if kept.file and text is not None:
        return says_the_same(kept.file, text)
    return bool(kept.description == json.loads(json.dumps(described(protocol))))


def is_judged_by(protocol: Protocol, using: str = "default") -> bool:
    """Whether anybody has judged by this version."""
    judgments = apps.get_model("annotation", "Judgment").objects.using(using)
    return judgments.filter(protocol=protocol.name).exists()


def fixed_otherwise(protocol: Protocol, text: str) -> PublishedProtocol | None:
    """What this version was here, where it said something else and people have judged by it, or
    installed it on a page; None where there is nothing against this text."""
    kept = PublishedProtocol.objects.filter(key=protocol.key, version=protocol.version).first()
    if kept is None or says_the_same(kept.file, text):
        return None
    return kept if kept.installed_at is not None or is_judged_by(protocol) else None


def files_expect(*, using: str = "default", **_: Any) -> None:
    """Before the database's rules are made of them. Raises ``ImproperlyConfigured`` for files that
    say something else than when people judged by them; not while a backup is put back, which must
    come to its end: the next start refuses them."""
    if _put_back.get() or not CONTENTS or not _has_column(using, "file"):
        return
    if reasons := [edited.reason for edited in files_edited(using) if edited.is_fixed]:
        raise ImproperlyConfigured("\n".join(f"{reason}." for reason in reasons))


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
    return _has_column(using, "installed_at")


def _has_column(using: str, column: str) -> bool:
    connection = connections[using]
    table = PublishedProtocol._meta.db_table
    if not router.allow_migrate(using, "annotation"):
        return False
    with connection.cursor() as cursor:
        if table not in connection.introspection.table_names(cursor):
            return False
        columns = connection.introspection.get_table_description(cursor, table)
    return any(described.name == column for described in columns)


def descriptions_keep(*, using: str = "default", **_: Any) -> None:
    """Keep what is published now, after ``migrate``; nothing before there is a place for it. Raises
    ``ImproperlyConfigured`` as ``files_expect`` does."""
    if not has_composed(using):
        return
    with composed_known(using):
        _descriptions_keep(using)


def _descriptions_keep(using: str) -> None:
    files_expect(using=using)
    refused = [edited.protocol for edited in files_edited(using) if edited.is_fixed]
    for identity, protocol in PROTOCOLS.items():
        if protocol in refused:
            continue
        file = {"file": CONTENTS[identity]} if identity in CONTENTS else {}
        PublishedProtocol.objects.using(using).update_or_create(
            key=protocol.key,
            version=protocol.version,
            defaults={"description": described(protocol), **file},
        )
    for kept in PublishedProtocol.objects.using(using).order_by("pk"):
        if (kept.key, kept.version) not in PROTOCOLS and _complete(kept, using):
            kept.save(using=using)


def _complete(kept: PublishedProtocol, using: str) -> bool:
    """Note beside fields whose kind is gone what is stored of them, where their description is from
    before it said so itself; whether there was any."""
    if not (fields := unkept(kept.description)):
        return False
    judged = {"judgment__protocol": str(kept)}
    rating, mark = (apps.get_model("annotation", name) for name in ("Rating", "ErrorDeduction"))
    rated = rating.objects.using(using).filter(**judged).order_by("dimension", "value")
    known = recovered(kept.description).dimensions
    values: dict[str, list[int]] = {}
    for name, value in (
        rated.exclude(dimension__in=known).values_list("dimension", "value").distinct()
    ):
        values.setdefault(name, []).append(value)
    marked = set(
        mark.objects.using(using).filter(**judged).values_list("field", flat=True).distinct()
    )
    for field in fields:
        # By what it is called; the last one takes whatever is called otherwise.
        own = [
            name
            for name in values
            if field is fields[-1] or name in field.values() or name.startswith(f"{field['name']}_")
        ]
        scales = [_unknown_dimension(name, values.pop(name)) for name in own]
        amounts_keep(field, scales, has_marks=field["name"] in marked)
    return True


def _unknown_dimension(name: str, values: list[int]) -> Dimension:
    """A dimension of which nothing is known but what was given on it."""
    options = tuple(
        Option(value, f"value_{value}", Wording(str(value), str(value))) for value in values
    )
    label = Wording(name, name)
    return Dimension(name, label, Level.NOMINAL, values[0], values[-1], options, required=False)
