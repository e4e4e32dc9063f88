"""``manage.py plan KEY``: look at a study's plan, or set it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import RuleError
from annotation.management.files import existing_study
from annotation.models import StudyPlan, plan_of
from annotation.selectors.planning.preview import Preview, plan_preview
from annotation.services.planning.plans import SETTINGS, plan_change, plan_set


class Command(BaseCommand):
    help = (
        "Show what a study's plan gives to whom. With settings: what it would give; with --apply "
        "as well, store them and give out what they add."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY")
        parser.add_argument("--everybody", action="store_true", help="everybody judges every pair")
        parser.add_argument(
            "--per-item", type=int, metavar="K", help="so many people per pair, in rotating teams"
        )
        parser.add_argument(
            "--seed",
            type=int,
            help="of the teams, the control pairs and the repeats; annotators can guess a number "
            "of your own choice",
        )
        parser.add_argument(
            "--release-after-days", type=int, metavar="DAYS", help="0: never by itself"
        )
        parser.add_argument(
            "--repeat-percent", type=int, metavar="SHARE", help="of each person's pairs; 0: none"
        )
        parser.add_argument("--repeat-after-days", type=int, metavar="DAYS")
        parser.add_argument("--control-identical", type=int, metavar="NUMBER")
        parser.add_argument("--control-unrelated", type=int, metavar="NUMBER")
        parser.add_argument("--control-unit", choices=StudyPlan.ControlUnit.values)
        parser.add_argument(
            "--redistribute", action="store_true", help="draw again what nobody has opened"
        )
        parser.add_argument("--reason", default="", help="why, once the main round is open")
        parser.add_argument(
            "--apply", action="store_true", help="store the plan; without it nothing is written"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        changes = _changes(options)
        try:
            if options["apply"]:
                done = plan_set(
                    actor=None,
                    study=study,
                    redistribute=options["redistribute"],
                    reason=options["reason"],
                    **changes,
                )
                self.stdout.write(self.style.SUCCESS(f"Saved: {done.added} assignments added."))
            plan = plan_change(study, plan_of(study), {} if options["apply"] else changes)
        except RuleError as error:
            raise CommandError(
                "\n".join(f"{problem.field}: {problem.message.en}" for problem in error.problems)
            ) from error
        redistribute = options["redistribute"] and not options["apply"]
        self._show(plan, plan_preview(study, plan, redistribute=redistribute))

    def _show(self, plan: StudyPlan, preview: Preview) -> None:
        self.stdout.write(f"{plan.per_item or 'all'} answers per pair, seed {plan.seed}")
        for obstacle in preview.obstacles:
            numbers = ", ".join(f"{name} {number}" for name, number in obstacle.numbers.items())
            self.stdout.write(
                self.style.WARNING(f"{obstacle.code}: {numbers}" if numbers else obstacle.code)
            )
        for name, number in preview.loads:
            self.stdout.write(f"{name}\t{number}")
        for first, other, number in preview.couples:
            self.stdout.write(f"{first}-{other}\t{number}")


def _changes(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given; 0 switches a limit or the repeats off."""
    if options["everybody"] and options["per_item"] is not None:
        raise CommandError("Give --everybody or --per-item, not both.")
    given = {name: options[name] for name in SETTINGS if options[name] is not None}
    for name in ("release_after_days", "repeat_percent"):
        if given.get(name) == 0:
            given[name] = None
    return given | ({"per_item": None} if options["everybody"] else {})
