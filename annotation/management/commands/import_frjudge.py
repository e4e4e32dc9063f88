"""``manage.py import_frjudge``: the released FrJUDGE ratings, all of them or none."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation.corpus.frjudge import FrjudgeFile
from annotation.corpus.problems import TableError
from annotation.errors import RuleError
from annotation.management.files import read_file, refused, row_line
from annotation.models import Study
from annotation.reading import frjudge_file_read
from annotation.services.items.frjudge import frjudge_import
from annotation.services.items.items import ImportOutcome
from annotation.services.studies.studies import study_create


class Command(BaseCommand):
    help = (
        "Import the released FrJUDGE file. It names no judge: the rows of a pair, in order, become "
        "judges of unknown identity, whose scores come without bracket, errors and times."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument(
            "--study",
            required=True,
            metavar="KEY",
            help="key of the study; made where there is none",
        )
        parser.add_argument(
            "--title", default="FrJUDGE", help="title of a new study (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        content = read_file(options["file"])
        try:
            released = frjudge_file_read(content)
            outcome = _import(released, options["study"], options["title"])
        except TableError as error:
            raise CommandError(f"{row_line(error.problem)}\nNothing was stored.") from error
        except RuleError as error:
            raise refused(error) from error
        self.stdout.write(
            self.style.SUCCESS(
                f"Added {outcome.items} pairs with {outcome.judgments} judgments of "
                f"{outcome.judges} judges of unknown "
                "identity, marked imported: they have a score, but no bracket, no errors and no "
                "times."
            )
        )
        per_pair = released.judges_per_pair
        if len(per_pair) > 1:
            counts = ", ".join(f"{pairs} pairs with {judges}" for judges, pairs in per_pair.items())
            self.stdout.write(
                self.style.WARNING(f"Not every pair has as many judgments: {counts}.")
            )


# One transaction: a study made for a file that is then refused would be half an import.
@transaction.atomic
def _import(released: FrjudgeFile, key: str, title: str) -> ImportOutcome:
    study = Study.objects.filter(key=key).first() or study_create(actor=None, key=key, title=title)
    return frjudge_import(actor=None, study=study, released=released)
