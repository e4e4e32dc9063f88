"""``manage.py remove_second_factor EMAIL --reason …``: where the only admin lost phone and recovery
codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.errors import RuleError
from annotation.management.files import refused
from annotation.management.persons import existing_person
from annotation.services.accounts.second_factor import second_factor_remove


class Command(BaseCommand):
    help = (
        "Turn the second step of a person's log-in off. They are told by mail; the audit trail "
        "keeps the reason."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address of the person's account")
        parser.add_argument(
            "--reason", required=True, help="why, and how it was made sure who asked"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = existing_person(options["email"])
        try:
            second_factor_remove(actor=None, user=user, reason=options["reason"])
        except RuleError as error:
            raise refused(error) from error
        self.stdout.write(f"{user.email} logs in with the password alone now.")
