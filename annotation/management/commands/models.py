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
from annotation.management.files import existing_study
from annotation.models import Study
from annotation.selectors.agreement.modelled import models_found, models_state

Found = Mapping[str, Any]
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
        study = existing_study(options["study"])
        seed, restarts = options["seed"], options["restarts"]
        if not 0 <= seed <= MOST_SEED or not 1 <= restarts <= MOST_RESTARTS:
            raise CommandError(f"--seed takes 0–{MOST_SEED}, --restarts takes 1–{MOST_RESTARTS}.")
        kept = None if options["anew"] else _kept(study, seed, restarts)
        found = kept or _fitted(study, seed, restarts)
        if options["json"]:
            self.stdout.write(json.dumps(found, indent=2, ensure_ascii=False))
            return
        self.stdout.write(
            f"{found['judgments']} judgments by people; "
            + (f"computed on {found['computed_at']}" if kept else "fitted now, and not stored")
        )
        for name, dimension in found["dimensions"].items():
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
    return _told(state.last.result | {"dimensions": dict(state.dimensions)}, computed_at)


def _fitted(study: Study, seed: int, restarts: int) -> dict[str, Any]:
    try:
        return _told(models_found(study, seed=seed, restarts=restarts), None)
    except CrowdKitMissing as error:
        raise CommandError(ABSENT.en) from error


def _told(result: Found, computed_at: str | None) -> dict[str, Any]:
    """``computed_at``: None where the models were fitted now."""
    return {
        "computed_at": computed_at,
        "judgments": result["judgments"],
        "dimensions": result["dimensions"],
    }


def _lines(name: str, found: Found) -> Iterator[str]:
    yield name
    if found["undefined"] is not None:
        yield f"  {found['undefined']['en']}"
    for method, one in found["models"].items():
        yield from _model(NAMES[method], one)
    for rater, person in found["people"].items():
        yield f"  annotator {rater}: {_person(rater, person, found['models'])}"
    for method, one in found["models"].items():
        for label in one["compared"]:
            yield f"  {label['unit']}: {_label(NAMES[method], label)}"
    if mixed := found.get("mixed"):
        yield from _mixed(mixed)


def _mixed(found: Found) -> Iterator[str]:
    if found["undefined"] is not None:
        yield f"  mixed models: {found['undefined']['en']}"
        return
    for called, heading in (
        ("linear", f"linear mixed model by {found['package']}"),
        ("ordinal", f"ordinal mixed model by {found['package']}"),
        ("own", "ordinal model with thresholds of each annotator's own"),
    ):
        if (one := found.get(called)) is None:
            continue
        yield f"  {heading}"
        for note in filter(None, (one["undefined"], *one["notes"])):
            yield f"    {note['en']}"
        for row in one["differences"]:
            figure = row if called == "linear" else row["log_odds"]
            unit = "points" if called == "linear" else "log odds"
            yield f"    {row['first']} - {row['second']}: {_figure(figure)} {unit}"
        for row in one.get("components", ()):
            yield f"    variance, {row['name']}: {_figure(row['variance'])}, share {row['share']}"
        if called == "own":
            yield from _own(one)


def _own(one: Found) -> Iterator[str]:
    for row in one["thresholds"]:
        yield (
            f"    {row['annotator']}, answers up to {row['value']:g}: {_figure(row['own'])} log "
            f"odds; the common threshold moved {row['moved']:.4f}"
        )
    for label, fit in (("common thresholds moved", one["fit_of_shift"]), ("own", one["fit"])):
        if fit is not None:
            yield (
                f"    {label}: log likelihood {fit['log_likelihood']:.3f}, "
                f"{fit['coefficients']} coefficients, AIC {fit['aic']:.3f}"
            )


def _figure(found: Found) -> str:
    if found["value"] is None:
        return str((found["undefined"] or {}).get("en", "undefined"))
    if found["interval"] is None:
        return f"{found['value']:.4f}"
    low, high = found["interval"]
    return f"{found['value']:.4f} [{low:.4f}, {high:.4f}]"


def _model(called: str, one: Found) -> Iterator[str]:
    yield (
        f"  {called}: {one['units']} pairs, {one['annotators']} annotators, {one['ratings']} "
        f"answers; {one['otherwise']} labels other than the majority's; {one['settled']} of "
        f"{one['ties']} ties settled, {one['sure']} of them beyond nine in ten; "
        f"{one['unsteady']} labels unsteady"
    )
    yield f"    {one['signature']}"


def _person(rater: str, person: Found, models: Found) -> str:
    parts = [f"{person['ratings']} answers"]
    if person["mean"] is not None:
        parts.append(f"mean {person['mean']:.2f}, severity {person['severity']:+.2f} points")
    parts += [f"{NAMES[method]} {one['reliability'][rater]:.4f}" for method, one in models.items()]
    return "; ".join(parts)


def _label(called: str, label: Found) -> str:
    answers = ", ".join(f"{value} × {count}" for value, count in label["distribution"].items())
    most = (
        f"majority {label['majority']:g}"
        if label["majority"] is not None
        else f"tie of {', '.join(f'{value:g}' for value in label['tied'])}"
    )
    settled = " (settles the tie)" if label["settles"] else ""
    return f"{answers}; {most}; {called} {label['label']:g} at {label['posterior']:.4f}{settled}"
