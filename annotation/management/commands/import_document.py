"""``manage.py import_document``: a source document, its funnel, and items drawn from it by a
seed."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation.corpus.drawing import MAIN, PRACTICE
from annotation.corpus.funnel import Criteria, Criterion, Funnel
from annotation.corpus.readability import Syllables
from annotation.errors import RuleError
from annotation.management.files import existing_study, named, read_file, refused
from annotation.models import Item
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import criteria_of, document_funnel
from annotation.services.documents.blocks import blocks_find
from annotation.services.documents.documents import (
    criteria_set,
    document_add,
    document_read,
    document_unsaved,
)
from annotation.services.documents.draws import draw_of, items_draw

_WIDTH = 28


class Command(BaseCommand):
    help = (
        "Read a .txt, .docx or .pdf, print what each criterion drops, and draw practice and main "
        "items of what is kept."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY", help="key of the study")
        parser.add_argument("file", type=named, metavar="FILE")
        parser.add_argument("--seed", type=int, help="default: the study's")
        parser.add_argument(
            "--practice", type=int, default=PRACTICE, help="practice items (default: %(default)s)"
        )
        parser.add_argument(
            "--main",
            type=_main,
            default=MAIN,
            metavar=f"{MAIN}|all",
            help="main items (default: %(default)s)",
        )
        parser.add_argument(
            "--encoding", default="", help="of a .txt, for example cp1252 (default: found out)"
        )
        parser.add_argument("--most-sentences", type=int, default=5, help="default: %(default)s")
        parser.add_argument(
            "--hardest-only",
            type=_ease,
            default=50.0,
            metavar="50|any",
            help="reading ease at most",
        )
        parser.add_argument(
            "--syllables", choices=[syllables.value for syllables in Syllables], default="phonetic"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="print the funnel and the draw, store nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        content, name = read_file(options["file"]), PurePath(options["file"]).name
        seed = str(study.seed if options["seed"] is None else options["seed"])
        wanted = {
            "practice": options["practice"],
            "main": None if options["main"] == "all" else options["main"],
        }
        try:
            criteria = Criteria(
                most_sentences=options["most_sentences"],
                hardest_only=options["hardest_only"],
                syllables=Syllables(options["syllables"]),
            )
            if options["dry_run"]:
                document = document_unsaved(
                    study, document_read(name, content, options["encoding"])
                )
                document.criteria = asdict(criteria)
                self._say(document)
                drawn = draw_of(document, **wanted, seed=seed)
                self.stdout.write(
                    f"Would draw {len(drawn.practice)} practice, {len(drawn.main)} main, seed "
                    f"{seed}."
                )
                return
            with transaction.atomic():  # a draw that is refused leaves no document behind
                document = document_add(
                    actor=None,
                    study=study,
                    name=name,
                    content=content,
                    encoding=options["encoding"],
                )
                document = criteria_set(actor=None, document=document, criteria=criteria)
                self._say(document)
                items = items_draw(actor=None, document=document, **wanted, seed=seed)
        except RuleError as error:
            raise refused(error) from error
        except ValueError as error:
            raise CommandError(str(error)) from error
        practice = sum(item.round == Item.Round.PRACTICE for item in items)
        said = (
            f"Added {len(items)} items: {practice} practice, {len(items) - practice} main, seed "
            f"{seed}."
        )
        self.stdout.write(self.style.SUCCESS(said))

    def _say(self, document: SourceDocument) -> None:
        """What to check of the reading, and the funnel in lines."""
        if document.note_en:
            self.stdout.write(self.style.WARNING(document.note_en))
        blocks_find(document=document, criteria=criteria_of(document.criteria))
        for line in funnel_lines(document_funnel(document)):
            self.stdout.write(line)


def funnel_lines(funnel: Funnel) -> Iterator[str]:
    """What each criterion drops and leaves."""
    left = len(funnel.verdicts)
    yield f"{'blocks':<{_WIDTH}}{left:>6}"
    for criterion in Criterion:
        dropped = funnel.dropped[criterion]
        left -= dropped
        yield f"{'  dropped: ' + criterion.value:<{_WIDTH}}{dropped:>6}   left {left}"
    yield f"{'kept':<{_WIDTH}}{len(funnel.kept):>6}"


def _main(value: str) -> int | str:
    if value == "all":
        return value
    if not value.isdecimal():
        raise ArgumentTypeError(f"“{value}” is neither a number nor “all”")
    return int(value)


def _ease(value: str) -> float | None:
    return None if value == "any" else float(value)
