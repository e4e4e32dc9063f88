"""``manage.py models``: annotators modelled (Dawid–Skene, MACE), beside their majority, and systems
by mixed models."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.agreement.modelled.crowd import (
    ABSENT,
    MOST_RESTARTS,
    MOST_SEED,
    RESTARTS,
    CrowdKitMissing,
)
from annotation.agreement.report import SEED
from annotation.management.files import study_with_answers
from annotation.models import Study
from annotation.selectors.agreement.modelled import models_found, models_state

Facts = Mapping[str, Any]
NAMES = {"dawid_skene": "Dawid–Skene", "mace": "MACE"}


class Command(BaseCommand):
    help = (
        "Annotators modelled on each dimension of classes or levels, by crowd-kit: how reliable "
        "Dawid–Skene and MACE find each, and which ties and other labels they give beside the "
        "majority; and systems by a linear mixed model and an ordinal one, by statsmodels. The "
        "main round and people only. What the page computed last is read where it is "
        "of the same answers, seed and restarts; else the models are fitted now. Nothing is stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY")
        parser.add_argument(
            "--json", action="store_true", help="everything, posteriors of every pair included"
        )
        parser.add_argument(
            "--anew", action="store_true", help="fit the models whatever was computed before"
        )
        parser.add_argument("--seed", type=int, default=SEED, help="of MACE (default: %(default)s)")
        parser.add_argument(
            "--restarts", type=int, default=RESTARTS, help="of MACE (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_with_answers(options["study"])
        seed, restarts = options["seed"], options["restarts"]
        if not 0 <= seed <= MOST_SEED or not 1 <= restarts <= MOST_RESTARTS:
            raise CommandError(f"--seed takes 0–{MOST_SEED}, --restarts takes 1–{MOST_RESTARTS}.")
        kept = None if options["anew"] else _kept(study, seed, restarts)
        report = kept or _fitted(study, seed, restarts)
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=2, ensure_ascii=False))
            return
        self.stdout.write(
            f"{report['judgments']} judgments by people; "
            + (f"computed on {report['computed_at']}" if kept else "fitted now, and not stored")
        )
        if (of_withdrawn := report["of_withdrawn"]) and of_withdrawn["judgments"]:
            self.stdout.write(
                f"of people who have withdrawn, in no snapshot: {of_withdrawn['judgments']} "
                f"judgments by {of_withdrawn['people']}"
            )
        for name, dimension in report["dimensions"].items():
            self.stdout.write("\n".join(_lines(name, dimension)))


def _kept(study: Study, seed: int, restarts: int) -> dict[str, Any] | None:
    """What a worker computed last, where it is of these answers and made in the same way."""
    state = models_state(study)
    if state.last is None or not state.is_current:
        return None
    if state.last.parameters != {"seed": seed, "restarts": restarts}:
        return None
    moment = state.last.finished_at
    computed_at = moment.isoformat(timespec="seconds") if moment else None
    return _report(state.last.result | {"dimensions": dict(state.dimensions)}, computed_at)


def _fitted(study: Study, seed: int, restarts: int) -> dict[str, Any]:
    try:
        return _report(models_found(study, seed=seed, restarts=restarts), None)
    except CrowdKitMissing as error:
        raise CommandError(ABSENT.en) from error


def _report(result: Facts, computed_at: str | None) -> dict[str, Any]:
    """``computed_at``: None where the models were fitted now."""
    return {
        "computed_at": computed_at,
        "judgments": result["judgments"],
        # Not in what was computed before it was counted.
        "of_withdrawn": result.get("of_withdrawn"),
        "dimensions": result["dimensions"],
    }


def _lines(name: str, dimension: Facts) -> Iterator[str]:
    yield name
    if dimension["undefined"] is not None:
        yield f"  {dimension['undefined']['en']}"
    for method, model in dimension["models"].items():
        yield from _model(NAMES[method], model)
    for rater, person in dimension["people"].items():
        yield f"  annotator {rater}: {_person(rater, person, dimension['models'])}"
    for method, model in dimension["models"].items():
        for label in model["compared"]:
            yield f"  {label['unit']}: {_label(NAMES[method], label)}"
    if mixed := dimension.get("mixed"):
        yield from _mixed(mixed)


def _mixed(mixed: Facts) -> Iterator[str]:
    if mixed["undefined"] is not None:
        yield f"  mixed models: {mixed['undefined']['en']}"
        return
    for called, heading in (
        ("linear", f"linear mixed model by {mixed['package']}"),
        ("ordinal", f"ordinal mixed model by {mixed['package']}"),
        ("own", "ordinal model with thresholds of each annotator's own"),
    ):
        if (model := mixed.get(called)) is None:
            continue
        yield f"  {heading}"
        for note in filter(None, (model["undefined"], *model["notes"])):
            yield f"    {note['en']}"
        for row in model["differences"]:
            figure = row if called == "linear" else row["log_odds"]
            unit = "points" if called == "linear" else "log odds"
            yield f"    {row['first']} - {row['second']}: {_figure(figure)} {unit}"
        for row in model.get("components", ()):
            yield f"    variance, {row['name']}: {_figure(row['variance'])}, share {row['share']}"
        if called == "own":
            yield from _own(model)


def _own(model: Facts) -> Iterator[str]:
    for row in model["thresholds"]:
        yield (
            f"    {row['annotator']}, answers up to {row['value']:g}: {_figure(row['own'])} log "
            f"odds; the common threshold moved {row['moved']:z.4f}"
        )
    for label, fit in (("common thresholds moved", model["fit_of_shift"]), ("own", model["fit"])):
        if fit is not None:
            yield (
                f"    {label}: log likelihood {fit['log_likelihood']:z.3f}, "
                f"{fit['coefficients']} coefficients, AIC {fit['aic']:z.3f}"
            )


def _figure(figure: Facts) -> str:
    if figure["value"] is None:
        return str((figure["undefined"] or {}).get("en", "undefined"))
    if figure["interval"] is None:
        return f"{figure['value']:z.4f}"
    low, high = figure["interval"]
    return f"{figure['value']:z.4f} [{low:z.4f}, {high:z.4f}]"


def _model(called: str, model: Facts) -> Iterator[str]:
    yield (
        f"  {called}: {model['units']} pairs, {model['annotators']} annotators, {model['ratings']} "
        f"answers; {model['otherwise']} labels other than the majority's; {model['settled']} of "
        f"{model['ties']} ties settled, {model['sure']} of them beyond nine in ten; "
        f"{model['unsteady']} labels unsteady"
    )
    yield f"    {model['signature']}"


def _person(rater: str, person: Facts, models: Facts) -> str:
    parts = [f"{person['ratings']} answers"]
    if person["mean"] is not None:
        parts.append(f"mean {person['mean']:z.2f}, severity {person['severity']:+z.2f} points")
    parts += [
        f"{NAMES[method]} {model['reliability'][rater]:z.4f}" for method, model in models.items()
    ]
    return "; ".join(parts)


def _label(called: str, label: Facts) -> str:
    answers = ", ".join(f"{value} × {count}" for value, count in label["distribution"].items())
    most = (
        f"majority {label['majority']:g}"
        if label["majority"] is not None
        else f"tie of {', '.join(f'{value:g}' for value in label['tied'])}"
    )
    settled = " (settles the tie)" if label["settles"] else ""
    return f"{answers}; {most}; {called} {label['label']:g} at {label['posterior']:z.4f}{settled}"
