"""``manage.py check_answers``: whether every judgment still holds what its annotator submitted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.services.judging.checking import answers_check


class Command(BaseCommand):
    help = (
        "Compare what each submitted judgment holds with the submission in its history. Run it "
        "after an upgrade during which a former version went on judging."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", default="", help="key of one study; all where none is named")
        parser.add_argument(
            "--rebuild",
            action="store_true",
            help="write those that differ anew from their submission",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = answers_check(study=options["study"], rebuild=options["rebuild"])
        for line in found.differing:
            self.stdout.write(line)
        told = f"{found.checked} judgments compared, {len(found.differing)} differ"
        if found.left:
            told += f", {found.left} have words in columns of a former version"
        if (found.differing or found.left) and not options["rebuild"]:
            raise CommandError(f"{told}. --rebuild writes them anew from their submission.")
        if found.differing:
            told += f"; {found.rebuilt} written anew"
        if found.rebuilt < len(found.differing):
            told += ", not those of studies of which a kind of field is gone"
        self.stdout.write(f"{told}.")
