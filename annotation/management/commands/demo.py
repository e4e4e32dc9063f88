"""The demonstration: a study of invented clauses, somebody of each role, five annotators with
judgments."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation.demo.study import KEY, LOGINS, PASSWORD, KeyTakenError, demo_remove, demo_seed


class Command(BaseCommand):
    help = "Make the demonstration study and its logins, unless they are there; or remove them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--remove", action="store_true", help="remove demo studies, their judgments and logins"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["remove"]:
            studies, logins = demo_remove()
            self.stdout.write(f"Removed: demo studies {studies}, demo logins {logins}.")
            return
        # Everybody can read the password of these logins.
        if not settings.DEMO:
            raise CommandError(
                "The demonstration has public passwords. Set BAREME_DEMO=1 to run it on your own "
                "machine."
            )
        try:
            made = demo_seed()
        except KeyTakenError as error:
            raise CommandError(
                f"A study that is no demonstration has the key {KEY!r}. Use another database "
                "or data folder."
            ) from error
        self.stdout.write(
            "Demo study made." if made else "Demo study is there already; nothing was changed."
        )
        self.stdout.write("Demo logins:")
        for login in LOGINS:
            self.stdout.write(f"  {login.role:<10}{login.email:<36}password: {PASSWORD}")
