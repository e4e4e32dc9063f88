"""``manage.py changepassword EMAIL``: Django's own, which tells nobody and leaves no trace."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError, CommandParser
from django.db import DEFAULT_DB_ALIAS, transaction

from annotation.management.persons import existing_person
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import security_letter_later


class Command(changepassword.Command):
    help = (
        "Set a person's password. Log-ins and API tokens end, they are told by mail, and the "
        "audit trail keeps it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        # Django would take the name of whoever is at the terminal.
        parser.add_argument("username", metavar="email", help="the address of the person's account")
        parser.add_argument("--database", default=DEFAULT_DB_ALIAS, choices=[DEFAULT_DB_ALIAS])

    def handle(self, *args: Any, **options: Any) -> str | None:
        options["username"] = existing_person(options["username"]).email
        # In a transaction of its own: whoever types a password must not hold up everybody's
        # answers.
        try:
            done: str | None = super().handle(*args, **options)
        except EOFError as error:
            raise CommandError(
                "Nobody typed a password: it is as it was. Run the command on a terminal (with "
                "Docker `exec` without -T), or give the new one twice, a line each, on standard "
                "input."
            ) from error
        with transaction.atomic():
            user = existing_person(options["username"])
            event_record(actor=None, verb="password_changed", target=user)
            security_letter_later(user=user, change="password_changed")
        return done
