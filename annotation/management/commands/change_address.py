"""``manage.py change_address EMAIL NEW --reason …``: where no mail is sent, or nobody gets in."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.errors import RuleError
from annotation.management.files import refused
from annotation.management.persons import existing_person
from annotation.services.accounts.new_address import address_change_answered_for


class Command(BaseCommand):
    help = (
        "Give a person's account another address. The former one is told by mail; the audit trail "
        "keeps the reason. You answer for whose the new address is: no code is sent there."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address of the person's account")
        parser.add_argument("new", help="the address that it is to have")
        parser.add_argument(
            "--reason", required=True, help="why, and how it was made sure who asked; write no name"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = existing_person(options["email"])
        try:
            changed = address_change_answered_for(
                user=user, email=options["new"], reason=options["reason"]
            )
        except RuleError as error:
            raise refused(error) from error
        self.stdout.write(f"The account logs in with {changed.email} now; its password stays.")
