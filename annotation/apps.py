"""The product as a Django application."""

from typing import Any

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Barème"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import post_migrate, pre_migrate

        from annotation import checks  # noqa: F401  (registers the system checks)
        from annotation.models import triggers

        pre_migrate.connect(_drop_triggers, sender=self)
        post_migrate.connect(triggers.create, sender=self)


def _drop_triggers(*, using: str = "default", **_: Any) -> None:
    """SQLite would lose them silently when it rebuilds a table. PostgreSQL keeps them, and must:
    the version before goes on storing judgments while this one migrates."""
    from django.db import connections

    from annotation.models import triggers

    if connections[using].vendor == "sqlite":
        triggers.drop(using=using)
