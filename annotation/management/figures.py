"""What commands share that print figures of a study's judgments: of which judgments, how many
draws, of which seed."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.agreement.bootstrap import FEWEST_DRAWS, gives_figures
from annotation.agreement.report import SEED
from annotation.management.files import study_with_answers
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
    draws_arguments(parser, draws=draws, drawn=drawn, seeded=seeded)


def draws_arguments(
    parser: ArgumentParser, *, draws: int, drawn: str, seeded: str, seed: int = SEED
) -> None:
    """How many draws and of which seed; ``drawn`` and ``seeded`` say what they are of."""
    parser.add_argument(
        "--draws",
        type=int,
        default=draws,
        help=f"{drawn}; 0: no intervals (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=seed, help=f"{seeded} (default: %(default)s)")


def draws_check(options: dict[str, Any], *, most: int = MOST_DRAWS) -> None:
    """Raise ``CommandError`` for fewer draws than give an interval, for too many, and for a seed
    that is none."""
    if not gives_figures(options["draws"], most) or options["seed"] < 0:
        raise CommandError(
            f"--draws takes {FEWEST_DRAWS}–{most}, or 0 for no intervals; --seed a number from 0."
        )


def figures_study(options: dict[str, Any]) -> Study:
    """The study that was named. Raises ``CommandError`` where there is none, where its answers are
    not to be read yet, and for draws or a seed that are none."""
    study = study_with_answers(options["study"], options["round"])
    draws_check(options)
    return study
