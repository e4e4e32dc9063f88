"""``manage.py flush``: Django's own, which on SQLite deletes row by row and would meet the rules on
the way."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import flush

from annotation.models import triggers
from annotation.selectors.platform.system import database_place


class Command(flush.Command):
    help = "Empty the database (Django's flush), and leave its rules in place."

    def handle(self, **options: Any) -> None:
        database = options["database"]
        if options["interactive"] and not _is_wanted(database_place(database)):
            self.stdout.write("Nothing was deleted.")
            return
        # Not while somebody is asked: meanwhile others would go on without these rules.
        triggers.drop(using=database)
        try:
            super().handle(**options | {"interactive": False})
        finally:
            triggers.create(using=database)


def _is_wanted(place: str) -> bool:
    try:
        return input(f"This deletes all that the database {place} holds. Type 'yes': ") == "yes"
    except EOFError as error:
        raise CommandError(
            "Nothing was deleted: nobody answered. --no-input asks nobody."
        ) from error
