"""The product as a Django application."""

from collections.abc import Iterable
from importlib import import_module
from traceback import extract_tb
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from annotation.garbage import garbage_seldom
from annotation.protocols import registry
from annotation.protocols.files import ProtocolUnreadable
from annotation.tracing import watch_statements


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Barème"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.backends.signals import connection_created
        from django.db.models.signals import post_migrate, pre_migrate

        publish(settings.PROTOCOLS)
        if settings.TRACES is not None:
            connection_created.connect(watch_statements)

        from annotation import checks  # noqa: F401  (registers the system checks)
        from annotation.models import triggers
        from annotation.models.composed import composed_look
        from annotation.models.descriptions import descriptions_keep, files_expect

        registry.look_by(composed_look)

        # First: the database's rules are made of what is refused here.
        pre_migrate.connect(files_expect, sender=self)
        pre_migrate.connect(_drop_triggers, sender=self)
        post_migrate.connect(triggers.create, sender=self)
        post_migrate.connect(descriptions_keep, sender=self)
        garbage_seldom()


def publish(sources: Iterable[str]) -> None:
    """Publish the protocols of this installation. Raises ``ImproperlyConfigured`` for a module or a
    file that holds none."""
    for source in sources:
        try:
            registry.publish(source)
        except Exception as error:
            raise ImproperlyConfigured(
                f"BAREME_PROTOCOLS names {source!r}, which cannot be published: "
                f"{_error_line(error)}. Each of its names is a module with a PROTOCOL, on "
                "PYTHONPATH, or the path of a file of JSON (….json), which `BAREME_PROTOCOLS= "
                "manage.py protocol check` looks through."
            ) from error


def _error_line(error: Exception) -> str:
    """What went wrong, and on which line of whose module."""
    if isinstance(error, ProtocolUnreadable):
        return str(error).rstrip(".")  # it names its places
    message = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return f"{message} [{error.filename}:{error.lineno}]"
    if isinstance(error, OSError):
        return message  # it names the file
    ours = (__file__, registry.__file__, import_module.__code__.co_filename)
    frames = [
        frame
        for frame in extract_tb(error.__traceback__)
        if frame.filename not in ours and not frame.filename.startswith("<")
    ]
    return f"{message} [{frames[-1].filename}:{frames[-1].lineno}]" if frames else message


def _drop_triggers(*, using: str = "default", **_: Any) -> None:
    """SQLite would lose them silently when it rebuilds a table. PostgreSQL keeps them, and must:
    the version before goes on storing judgments while this one migrates."""
    from django.db import connections

    from annotation.models import triggers

    if connections[using].vendor == "sqlite":
        triggers.drop(using=using)
