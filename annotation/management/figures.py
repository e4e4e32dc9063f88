"""What commands share that print figures of a study's judgments: of which judgments, how many
draws, of which seed."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.agreement.report import SEED
from annotation.management.files import existing_study
from annotation.models import Study
from annotation.release.recipe import MOST_DRAWS
from annotation.selectors.publishing.exports import ROUNDS


def figures_arguments(
    parser: ArgumentParser, *, draws: int, as_json: str, drawn: str, seeded: str
) -> None:
    """The arguments; ``as_json``, ``drawn`` and ``seeded`` say what they are of."""
    parser.add_argument("study", metavar="KEY")
    parser.add_argument("--json", action="store_true", help=as_json)
    parser.add_argument("--round", default="main", choices=ROUNDS, help="default: %(default)s")
    parser.add_argument(
        "--without-withdrawn",
        action="store_true",
        help="leave out annotators who have withdrawn",
    )
    parser.add_argument("--draws", type=int, default=draws, help=f"{drawn} (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"{seeded} (default: %(default)s)")


def figures_study(options: dict[str, Any]) -> Study:
    """The study that was named. Raises ``CommandError`` where there is none, and for draws or a
    seed that are none."""
    study = existing_study(options["study"])
    if not 0 <= options["draws"] <= MOST_DRAWS or options["seed"] < 0:
        raise CommandError(f"--draws takes 0–{MOST_DRAWS}, --seed a number from 0.")
    return study
