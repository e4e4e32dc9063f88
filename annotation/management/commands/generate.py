"""``manage.py generate``: have models simplify a study's items, judge its simplifications, or ask
questions of the items, answer them from the simplifications and grade the answers."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation.errors import RuleError
from annotation.generation.presets import SystemSpec
from annotation.generation.prices import Price
from annotation.management.files import existing_study, named, refused
from annotation.models import GenerationRun, Study
from annotation.questions.lengths import Border
from annotation.selectors.generation.progress import run_progress
from annotation.selectors.generation.runs import run_estimate, run_preset
from annotation.services.generation.runs import run_create, run_start
from annotation.services.generation.systems import system_add

_LOOK_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Have a model simplify the items of a study. Without options: the paper's model, prompt "
        "and parameters. With --purpose it judges, writes questions of law from the originals, "
        "answers them from each simplification, or grades the answers; the last two with --after."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY")
        parser.add_argument(
            "--judge", action="store_true", help="judge simplifications instead of writing them"
        )
        parser.add_argument(
            "--purpose",
            choices=GenerationRun.Purpose.values,
            default="",
            help="what the run is for (default: simplify)",
        )
        parser.add_argument(
            "--round",
            choices=["all", "main", "practice"],
            default="all",
            help="default: %(default)s",
        )
        parser.add_argument(
            "--estimate", action="store_true", help="say what it would cost and start nothing"
        )
        parser.add_argument(
            "--wait", action="store_true", help="stay until the workers are done, and say how far"
        )
        _system_arguments(parser)
        _call_arguments(parser)
        _question_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        try:
            # What is refused or only estimated leaves no run in preparation behind.
            with transaction.atomic():
                run = self._prepare(study, options)
                _, whole = run_estimate(run)
                self.stdout.write(
                    f"{whole.calls} outputs, about {whole.expected:.4f} USD, at most "
                    f"{whole.at_most:.4f} USD "
                    f"(prices {self._of_day(run)})"
                )
                if options["estimate"]:
                    transaction.set_rollback(True)
                    return
                run = run_start(actor=None, run=run)
        except RuleError as error:
            raise refused(error) from error
        self.stdout.write(self.style.SUCCESS(f"Run {run.number} has begun; the workers see to it."))
        if options["wait"]:
            self._watch(run)

    def _prepare(self, study: Study, options: dict[str, Any]) -> GenerationRun:
        if options["judge"] and options["purpose"] not in ("", "judge"):
            raise CommandError("--judge and --purpose say different things: give one of them.")
        purpose = "judge" if options["judge"] else options["purpose"] or "simplify"
        price = (
            Price(*(_amount("--price", amount) for amount in options["price"]))
            if options["price"]
            else None
        )
        seed = {} if options["seed"] is None else {"seed": options["seed"]}
        run = run_create(
            actor=None,
            study=study,
            endpoint=options["endpoint"],
            ceiling=_amount("--ceiling", options["ceiling"]),
            purpose=purpose,
            mode=options["mode"],
            round=options["round"],
            after=_run(study, options["after"]),
            questioning=_questioning(options),
            **seed,
        )
        system_add(actor=None, run=run, spec=_spec(run, options), price=price)
        return run

    def _of_day(self, run: GenerationRun) -> str:
        day = run.systems.get().price_as_of
        return f"as of {day}" if day else "taken to be 0: the service takes no key"

    def _watch(self, run: GenerationRun) -> None:
        if not settings.CELERY_BROKER_URL:
            raise CommandError("No broker is configured: nothing will be done. Set REDIS_URL.")
        before = None
        while True:
            run.refresh_from_db()
            progress = run_progress(run)
            line = (
                f"{progress.done}/{progress.total} done, {progress.failed} failed, "
                f"{progress.spent:.4f} USD"
            )
            if line != before:
                self.stdout.write(line)
                before = line
            if run.state != GenerationRun.State.RUNNING:
                break
            time.sleep(_LOOK_SECONDS)
        if run.state != GenerationRun.State.FINISHED:
            because = f" ({run.stopped})" if run.stopped else ""
            raise CommandError(
                f"The run is {run.state}{because}. See its page for the failures, then let "
                "it go on."
            )


def _system_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("the system")
    group.add_argument(
        "--name", default="", help="name of the system in the data (default: the preset's)"
    )
    group.add_argument("--model", default="", help="default: the preset's")
    group.add_argument(
        "--prompt-file",
        type=named,
        metavar="FILE",
        help="a text; to simplify, it holds {input} once",
    )
    group.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="for instance temperature=0.7; repeatable",
    )


def _call_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("how it is asked, and what that may cost")
    group.add_argument(
        "--endpoint", default="openai", help="name of a configured service (default: %(default)s)"
    )
    group.add_argument(
        "--mode", choices=GenerationRun.Mode.values, default="live", help="default: %(default)s"
    )
    group.add_argument(
        "--price",
        nargs=2,
        metavar=("READ", "WRITTEN"),
        help="USD per million tokens, where the table has none",
    )
    group.add_argument(
        "--ceiling", default="5", metavar="USD", help="stop before costs pass this (%(default)s)"
    )
    group.add_argument(
        "--seed",
        type=int,
        default=None,
        help="of the order of systems (default: drawn; a number of your own choice can be guessed)",
    )


def _question_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("questions of law, their answers and grades")
    group.add_argument(
        "--after",
        type=int,
        metavar="RUN",
        help="answer: the run that wrote the questions; grade: the run that answered them",
    )
    group.add_argument(
        "--types",
        default="",
        help="question: types of questions, separated by commas (default: issue, reason, "
        "conclusion where items have a structure, else those of clauses)",
    )
    group.add_argument("--least", type=int, help="question: fewest questions of an item")
    group.add_argument("--most", type=int, help="question: most questions of an item")
    group.add_argument(
        "--language",
        choices=["fr", "en"],
        help="question: in which questions and answers are written (default: the study's)",
    )
    group.add_argument(
        "--window",
        type=int,
        help="question, answer: most tokens of a text; a longer one is refused, or see --cut",
    )
    group.add_argument(
        "--cut",
        dest="border",
        choices=[border.value for border in Border],
        help="cut a text beyond the window at the last such border",
    )


def _spec(run: GenerationRun, options: dict[str, Any]) -> SystemSpec:
    """The system that is offered for the run, with what was said otherwise."""
    preset = run_preset(run)
    return SystemSpec(
        name=options["name"] or preset.name,
        model=options["model"] or preset.model,
        prompt=_read(options["prompt_file"]) if options["prompt_file"] else preset.prompt,
        parameters=dict(preset.parameters)
        | dict(_parameter(parameter) for parameter in options["param"]),
    )


def _run(study: Study, number: int | None) -> GenerationRun | None:
    """The study's run of this number. Raises ``CommandError`` that names those there are."""
    if number is None:
        return None
    run = study.generation_runs.filter(number=number).first()
    if run is None:
        known = ", ".join(
            str(run_number) for run_number in study.generation_runs.values_list("number", flat=True)
        )
        raise CommandError(f"--after {number}: there is no such run. Runs: {known or 'none yet'}.")
    return run


def _questioning(options: dict[str, Any]) -> dict[str, Any]:
    """What was said about questions; the rest is as it is offered."""
    names = ("least", "most", "language", "window", "border")
    said = {name: options[name] for name in names if options[name] is not None}
    types = [
        question_type.strip()
        for question_type in options["types"].split(",")
        if question_type.strip()
    ]
    return said | ({"types": types} if types else {})


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{name} cannot be read as UTF-8 text: {error}") from error


def _parameter(given: str) -> tuple[str, Any]:
    name, equals, value = given.partition("=")
    if not equals:
        raise CommandError(f"--param {given}: write NAME=VALUE, for instance temperature=0.7.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _amount(option: str, given: str) -> Decimal:
    try:
        amount = Decimal(given)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise CommandError(f"{option} {given}: write an amount in USD, for instance 5 or 0.50.")
    return amount
