"""What each protocol that was ever published here asks, as data: its studies stay readable without
it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connections, models, router

from annotation.protocols.base import Dimension, Level, Option, Wording
from annotation.protocols.description import amounts_keep, described, recovered, unkept
from annotation.protocols.files import as_of_file
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS, is_of_file, place


class PublishedProtocol(models.Model):
    """A protocol as it stood when the database was last migrated with it installed."""

    key = models.CharField(max_length=40)
    version = models.CharField(max_length=10)
    description = models.JSONField(encoder=DjangoJSONEncoder)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["key", "version"], name="protocol_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.version}"


def descriptions_keep(*, using: str = "default", **_: Any) -> None:
    """Keep what is published now, after ``migrate``; nothing before there is a place for it.

    Raises ``ImproperlyConfigured`` where a protocol's file says something else than when people
    judged by it.
    """
    tables = connections[using].introspection.table_names()
    if (
        not router.allow_migrate(using, "annotation")
        or PublishedProtocol._meta.db_table not in tables
    ):
        return
    for protocol in PROTOCOLS.values():
        _refuse_edited(protocol, using)
    for protocol in PROTOCOLS.values():
        PublishedProtocol.objects.using(using).update_or_create(
            key=protocol.key,
            version=protocol.version,
            defaults={"description": described(protocol)},
        )
    for kept in PublishedProtocol.objects.using(using).order_by("pk"):
        if (kept.key, kept.version) not in PROTOCOLS and _complete(kept, using):
            kept.save(using=using)


def _refuse_edited(protocol: Protocol, using: str) -> None:
    """A file is edited in a moment, and what people answered would be called something else: its
    words and scales stay as they were once somebody has judged by them."""
    if not is_of_file(protocol.key, protocol.version):
        return
    kept = PublishedProtocol.objects.using(using).filter(key=protocol.key, version=protocol.version)
    if not (before := kept.first()) or as_of_file(before.description) == protocol:
        return
    judgments = apps.get_model("annotation", "Judgment").objects.using(using)
    if judgments.filter(protocol=protocol.name).exists():
        raise ImproperlyConfigured(
            f"{place(protocol.key, protocol.version)}: people have judged by {protocol.name!r}, "
            "and what this file says has changed since. A published version is never edited: give "
            "what has changed another version, in a file of its own, and have the former back by "
            f"`BAREME_PROTOCOLS= manage.py protocol write {protocol.key} {protocol.version}`."
        )


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
