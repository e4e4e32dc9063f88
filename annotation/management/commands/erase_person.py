"""``manage.py erase_person EMAIL --judgments keep --reason …``: erase an account where nobody can by the page."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from annotation.errors import RuleError
from annotation.management.files import refused
from annotation.management.persons import existing_person
from annotation.models import ErasureRequest
from annotation.services.erasure import erasure_grant, erasure_request


class Command(BaseCommand):
    help = (
        "Erase a person's account for good: name, address, password, sessions, tokens, invitations, access records. "
        "Submitted judgments stay under their pseudonym. Cannot be undone. Prints the statement as JSON."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address of the person's account")
        parser.add_argument(
            "--judgments",
            required=True,
            choices=ErasureRequest.Judgments.values,
            help="keep: they stay in later releases; leave_out: they do not",
        )
        parser.add_argument("--reason", required=True, help="on what ground; write no name")

    def handle(self, *args: Any, **options: Any) -> None:
        user, judgments = existing_person(options["email"]), options["judgments"]
        try:
            with transaction.atomic():
                waiting = ErasureRequest.objects.filter(user=user, state=ErasureRequest.State.OPEN).first()
                request = waiting or erasure_request(actor=None, user=user, wish=judgments)
                done = erasure_grant(actor=None, request=request, judgments=judgments, reason=options["reason"])
        except RuleError as error:
            raise refused(error) from error
        self.stdout.write(json.dumps(done.statement, indent=2))
        self.stderr.write(
            "Erased. Backups made before hold the former data until they are thrown away; keep a copy of the list "
            "erasures.jsonl of the data folder outside of it, by which a restore erases again."
        )
