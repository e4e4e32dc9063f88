"""``manage.py freeze``: a numbered, unchanging copy of a study's data, from which releases are
made."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation import sharing
from annotation.errors import RuleError
from annotation.management.files import WITHOUT_SYSTEMS, existing_study, named, refused
from annotation.release.recipe import TIES
from annotation.services.publishing.snapshots import study_freeze


class Command(BaseCommand):
    help = (
        "Freeze a study's main round into a snapshot: its data, final labels and agreement in "
        "files with their "
        "SHA-256. Annotators appear by pseudonym; those who have withdrawn are left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY")
        parser.add_argument(
            "--reason", default="", help="why now; required while the study is not closed"
        )
        parser.add_argument(
            "--recipe",
            type=named,
            metavar="FILE",
            help="JSON of what differs from the default recipe",
        )
        parser.add_argument("--coarse-times", action="store_true", help="days instead of moments")
        parser.add_argument(
            "--ties",
            choices=TIES,
            help="who decides a tie: the lot, or a model of the annotators before it",
        )
        parser.add_argument("--without-systems", action="store_true", help=WITHOUT_SYSTEMS)

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        recipe = _recipe(options["recipe"])
        if options["coarse_times"]:
            recipe["coarse_times"] = True
        if options["without_systems"]:
            recipe["systems"] = False
        if options["ties"]:
            recipe["labels"] = {**recipe.get("labels", {}), "ties": options["ties"]}
        try:
            made = study_freeze(actor=None, study=study, recipe=recipe, reason=options["reason"])
        except RuleError as error:
            raise refused(error) from error
        except OSError as error:
            raise CommandError(
                f"The snapshot cannot be written: {error.strerror or error}. Nothing was frozen."
            ) from error
        self.stdout.write(f"{made.name} {made.content_digest}")
        self.stderr.write(
            f"Frozen in {sharing.address(made.path)}. Next: manage.py release {made.name} "
            "--output DIR"
        )


def _recipe(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    try:
        recipe = json.loads(Path(name).read_text("utf-8"))
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise CommandError(f"{name} is no JSON: {error}.") from error
    if not isinstance(recipe, dict):
        raise CommandError(f"{name} holds no object: write {{}} for the default recipe.")
    return recipe
