"""``manage.py flush``: Django's own, which on SQLite deletes row by row and would meet the rules on
the way."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import flush

from annotation.models import triggers


class Command(flush.Command):
    help = "Empty the database (Django's flush), and leave its rules in place."

    def handle(self, **options: Any) -> None:
        triggers.drop(using=options["database"])
        try:
            super().handle(**options)
        finally:
            triggers.create(using=options["database"])
