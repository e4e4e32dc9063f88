"""``manage.py invite EMAIL --study KEY``: an invitation link for an annotator or a lead."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.files import existing_study
from annotation.management.links import invitation_text
from annotation.models import Invitation


class Command(BaseCommand):
    help = "Print an invitation link to a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "email", nargs="+", help="whom to invite; several at once make a link each"
        )
        parser.add_argument("--study", required=True, metavar="KEY", help="the study's key")
        parser.add_argument(
            "--role",
            choices=[Invitation.Role.ANNOTATOR.value, Invitation.Role.LEAD.value],
            default=Invitation.Role.ANNOTATOR.value,
            help="their part (default: %(default)s)",
        )
        parser.add_argument("--send", action="store_true", help="also send each link by e-mail")

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        for email in options["email"]:
            text = invitation_text(
                email=email, role=options["role"], study=study, send=options["send"]
            )
            self.stdout.write(f"{email}\n{text}")
