"""What commands share that bring in released judgments: all of a file or none, in a study that is
made for it where there is none."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation.corpus.csmd import PROTOCOL as CSMD
from annotation.corpus.frjudge import FrjudgeFile
from annotation.corpus.jades import PROTOCOL as JADES
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.problems import TableError
from annotation.corpus.released import ReleasedFile
from annotation.errors import RuleError
from annotation.management.files import named, read_file, refused, row_line
from annotation.models import Study
from annotation.services.items.frjudge import frjudge_import
from annotation.services.items.items import ImportOutcome
from annotation.services.items.released import released_import
from annotation.services.studies.studies import DEFAULT_PROTOCOL, study_create

_OF_SCORES = {JADES.key: "import_jades", CSMD.key: "import_csmd"}
File = TypeVar("File", FrjudgeFile, ReleasedFile)


class ReleasedCommand(BaseCommand):
    """A command that imports one released file. ``title``: of a study made for it."""

    title = ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=named, metavar="FILE")
        parser.add_argument(
            "--study",
            required=True,
            metavar="KEY",
            help="key of the study; made where there is none",
        )
        parser.add_argument(
            "--title", default=self.title, help="title of a new study (default: %(default)s)"
        )

    def bring_in(
        self, read: Callable[[bytes], File], options: dict[str, Any]
    ) -> tuple[File, ImportOutcome]:
        """What the file holds and what of it was added. Raises ``CommandError``; then nothing is
        stored."""
        content = read_file(options["file"])
        try:
            released = read(content)
            return released, _import(
                released, options["study"], options["title"], Path(options["file"]).name
            )
        except TableError as error:
            raise CommandError(f"{row_line(error.problem)}\nNothing was stored.") from error
        except RuleError as error:
            raise refused(error) from error


def check_not_released(read: PairsFile, file: str, study: Study, *, or_else: str = "") -> None:
    """Raise ``CommandError`` for a released file: another command takes it."""
    if read.released is None and read.scores is None:
        return
    command = "import_frjudge" if read.scores is None else _OF_SCORES[read.scores.protocol]
    raise CommandError(
        f"{file} is a released file, with its judgments: manage.py {command} {file} "
        f"--study {study.key}.{or_else}\nNothing was stored."
    )


# One transaction: a study made for a file that is then refused would be half an import.
@transaction.atomic
def _import(released: FrjudgeFile | ReleasedFile, key: str, title: str, name: str) -> ImportOutcome:
    protocol = released.protocol if isinstance(released, ReleasedFile) else DEFAULT_PROTOCOL
    study = Study.objects.filter(key=key).first() or study_create(
        actor=None, key=key, title=title, protocol_key=protocol
    )
    if isinstance(released, ReleasedFile):
        return released_import(actor=None, study=study, released=released, name=name)
    return frjudge_import(actor=None, study=study, released=released, name=name)
