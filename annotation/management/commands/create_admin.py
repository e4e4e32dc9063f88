"""``manage.py create_admin EMAIL``: the first admin of an installation, by a link or with a
password."""

from __future__ import annotations

import getpass
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.errors import RuleError
from annotation.management.links import invitation_texts
from annotation.models import User
from annotation.services.accounts.accounts import account_create
from annotation.services.people.people import admin_set

REASON = "manage.py create_admin"


class Command(BaseCommand):
    help = (
        "Make somebody an admin: print a link with which they choose a password, or take the "
        "password here."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "email", help="the person's address; an account that has it becomes an admin's"
        )
        parser.add_argument(
            "--name", default="", help="the person's name, for an account made here"
        )
        parser.add_argument(
            "--password",
            action="store_true",
            help="ask for a password (or read a line of standard input): no link",
        )

        parser.add_argument(
            "--vouched",
            action="store_true",
            help="you know that the account is its owner's, though nothing proves its address",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip().lower()
        known = User.objects.filter(email=email).first()
        if known is None and not options["password"]:
            self.stdout.write("\n".join(invitation_texts(emails=[email], role="admin")))
            return
        was_admin = known is not None and known.is_admin
        password = "" if known else _password()
        try:
            with transaction.atomic():
                user = known or account_create(email=email, name=options["name"], password=password)
                admin_set(
                    actor=None,
                    user=user,
                    is_admin=True,
                    reason=REASON,
                    vouched=options["vouched"],
                )
        except RuleError as error:
            if error.problems[0].code == "unproven":
                raise CommandError(
                    f"{error.message} Here: --vouched, or first manage.py changepassword {email}"
                ) from error
            raise CommandError(error.message) from error
        if known is None:
            self.stdout.write(f"{email} is an admin now.")
            return
        since = "already" if was_admin else "now"
        self.stdout.write(
            f"{email} is an admin {since} and logs in as before. A password that is lost is set "
            f"anew by: manage.py changepassword {email}"
        )


def _password() -> str:
    """Asked twice on a terminal; a line of standard input otherwise. Never an argument: others
    could read that."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise CommandError("The two passwords differ.")
    return password
