"""``manage.py invite EMAIL --study KEY``: an invitation link for an annotator or a lead."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.files import existing_study
from annotation.management.links import invitation_texts
from annotation.models import Invitation


class Command(BaseCommand):
    help = (
        "Print an invitation link to a study for each address, and mail it to them: for all of "
        "them, or none."
    )

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
        parser.add_argument(
            "--send",
            action=BooleanOptionalAction,
            default=True,
            help="mail each link as well, where a mail server is configured",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        # Somebody who is named twice gets one link: a second would replace the first.
        emails = list(dict.fromkeys(options["email"]))
        texts = invitation_texts(
            emails=emails, role=options["role"], study=study, send=options["send"]
        )
        for email, text in zip(emails, texts, strict=True):
            self.stdout.write(f"{email}\n{text}")
