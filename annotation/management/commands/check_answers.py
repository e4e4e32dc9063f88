"""``manage.py check_answers``: whether every judgment still holds what its annotator submitted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.files import existing_study
from annotation.services.judging.checking import answers_check


class Command(BaseCommand):
    help = (
        "Compare what each submitted judgment holds with the submission in its history. Run it "
        "after an upgrade during which a former version went on judging."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--study", metavar="KEY", help="key of one study; all where none is named"
        )
        parser.add_argument(
            "--rebuild",
            action="store_true",
            help="write those that differ anew from their submission",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        key = options["study"]
        study = "" if key is None else existing_study(key).key
        check = answers_check(study=study, rebuild=options["rebuild"])
        for line in check.differing:
            self.stdout.write(line)
        summary = f"{check.checked} judgments compared, {len(check.differing)} differ"
        if check.left:
            summary += f", {check.left} have words in columns of a former version"
        if (check.differing or check.left) and not options["rebuild"]:
            raise CommandError(f"{summary}. --rebuild writes them anew from their submission.")
        if check.differing:
            summary += f"; {check.rebuilt} written anew"
        if check.rebuilt < len(check.differing):
            summary += ", not those of studies of which a kind of field is gone"
        self.stdout.write(f"{summary}.")
