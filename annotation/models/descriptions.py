"""What each published protocol asks is kept with the database as ``migrate`` ends; files that say
something else than what people have judged by, or installed, are refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured

from annotation.models.composed import composed_known, has_column, has_composed
from annotation.models.protocol import PublishedProtocol
from annotation.protocols.base import Dimension, Level, Option, Wording
from annotation.protocols.description import amounts_keep, described, recovered, unkept
from annotation.protocols.files import first_difference, says_the_same
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import CONTENTS, PROTOCOLS, place

_put_back: ContextVar[bool] = ContextVar("backup_put_back", default=False)


@contextmanager
def backup_put_back() -> Iterator[None]:
    """While a backup is put back: see ``files_expect``."""
    token = _put_back.set(True)
    try:
        yield
    finally:
        _put_back.reset(token)


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
    if kept is None or _is_of(kept, protocol, text):
        return None
    return kept if kept.installed_at is not None or is_judged_by(protocol) else None


def files_expect(*, using: str = "default", **_: Any) -> None:
    """Before the database's rules are made of them. Raises ``ImproperlyConfigured`` for files that
    say something else than when people judged by them; not while a backup is put back, which must
    come to its end: the next start refuses them."""
    if _put_back.get() or not CONTENTS or not has_column(using, "file"):
        return
    if reasons := [edited.reason for edited in files_edited(using) if edited.is_fixed]:
        raise ImproperlyConfigured("\n".join(f"{reason}." for reason in reasons))


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
