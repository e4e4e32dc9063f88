"""``manage.py train_scorer``: train and evaluate a scorer here and now, with a report to read or to
parse."""

from __future__ import annotations

import json
import uuid
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import RuleError
from annotation.jobs import request_training
from annotation.management.files import named, refused
from annotation.models import Backend, DatasetSnapshot, TrainingRun, WorkState
from annotation.scoring.dataset import TrainingSet, joined
from annotation.scoring.errors import ScoringError
from annotation.scoring.presets import PRESETS
from annotation.services.scoring.sources import CORPUS_BREAK, set_of_csmd, set_of_snapshot
from annotation.services.scoring.training import (
    TrainingSpec,
    seeds_from,
    training_request,
    training_resume,
)
from annotation.services.scoring.training_work import training_give_back
from workers.management.files import existing_snapshot, read_bytes
from workers.scorers.backends import parameters_check
from workers.scoring.held import give_back_abandoned, is_abandoned
from workers.scoring.training import device, training_run, work_folder


class Command(BaseCommand):
    help = (
        "Train a scorer on a frozen snapshot (STUDY-NUMBER) or on CSMD, evaluate it on held-out "
        "human items and store "
        "it as a new version. It is not put into service: an admin does that, with a reason."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "snapshot", nargs="?", metavar="SNAPSHOT", help="for instance my-study-1"
        )
        parser.add_argument(
            "--also",
            action="append",
            default=[],
            metavar="SNAPSHOT",
            help="another study's snapshot, learned from too and left out in turn; repeatable",
        )
        parser.add_argument(
            "--csmd",
            type=named,
            metavar="DIR_OR_TSV",
            help="train on MeaningBERT's data instead (scale 0-100)",
        )
        parser.add_argument("--label", default="", help="column of the TSV that holds the label")
        parser.add_argument(
            "--backend", choices=Backend.values, default="lexical", help="default: %(default)s"
        )
        parser.add_argument("--seeds", type=seeds, default="42-51", help="default: %(default)s")
        parser.add_argument(
            "--augment", action="store_true", help="add identical and unrelated pairs to training"
        )
        parser.add_argument(
            "--corpus",
            type=named,
            action="append",
            default=[],
            metavar="FILE",
            help="sentences for unrelated pairs, one a line; repeatable. A preset's hold-out takes "
            "sentences of the first and matches them with the last",
        )
        parser.add_argument(
            "--preset",
            choices=sorted(PRESETS),
            default="",
            help="a published recipe to the letter (transformer); --param stands over it",
        )
        parser.add_argument(
            "--repeats",
            type=int,
            help="of the cross-validation that gives the figure; default: 5, 1 of a transformer",
        )
        parser.add_argument(
            "--encoder", default="", help="name on the hub, or a local folder (transformer)"
        )
        parser.add_argument(
            "--param",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="for instance epochs=20; repeatable",
        )
        parser.add_argument(
            "--queue",
            action="store_true",
            help="leave it to the training worker and return at once",
        )
        parser.add_argument(
            "--resume",
            type=uuid.UUID,
            metavar="RUN",
            help="go on with a training that was killed, stopped or failed, from where it stood",
        )
        parser.add_argument("--json", action="store_true", help="print the whole report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        run = _resumed(options) if options["resume"] else _requested(options)
        if options["queue"]:
            self.stdout.write(str(run.public_id))
            return
        for dead in give_back_abandoned(device(run.backend), work_folder):
            self.stderr.write(
                f"Training {dead.public_id} was killed on this device: --resume {dead.public_id} "
                "goes on with it."
            )
        attempts = run.attempt
        try:
            training_run(run.public_id)
        except KeyboardInterrupt as error:
            raise CommandError(
                f"Stopped. --resume {run.public_id} goes on from where it stood."
            ) from error
        run.refresh_from_db()
        if run.state == WorkState.QUEUED and run.attempt > attempts:
            raise CommandError(
                "This training was taken over: for longer than its lease nothing was heard of this "
                "process. It waits for the training worker; what was finished is not done again."
            )
        self._tell(run, as_json=options["json"])

    def _tell(self, run: TrainingRun, *, as_json: bool) -> None:
        if run.state == WorkState.QUEUED:
            raise CommandError(
                "Another training runs on this device; this one waits for the training worker, or "
                f"for --resume {run.public_id}."
            )
        if run.state == WorkState.RUNNING:
            raise CommandError("Another process has gone on with this training.")
        if run.state != WorkState.DONE:
            raise CommandError(f"No scorer: {run.problem.get('en', run.state)}")
        version = run.scorer.version
        if as_json:
            report = {"scorer": version, "run": str(run.public_id), **run.report}
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
            return
        self.stdout.write(
            self.style.SUCCESS(f"Scorer v{version} from seed {run.report['chosen']['seed']}")
        )
        self.stdout.write(_made(run.report))
        for line in _preset(run.report.get("preset")):
            self.stdout.write(line)
        for line in _elsewhere(run.report["off_corpus"]):
            self.stdout.write(line)
        for title, summary in _table(run.report):
            self.stdout.write(
                f"{title:<44} {_shown(summary['pearson'])}   {_shown(summary['rmse'])}"
            )


def _requested(options: dict[str, Any]) -> TrainingRun:
    try:
        snapshot, data = _data(options)
        return training_request(
            actor=None, data=data, spec=_spec(options), snapshot=snapshot, send=options["queue"]
        )
    except RuleError as error:
        raise refused(error) from error
    except ScoringError as error:
        raise CommandError(error.message.en) from error


def _resumed(options: dict[str, Any]) -> TrainingRun:
    """The run to go on with, waiting. Raises ``CommandError`` where it is done, or a process is
    still at it."""
    if options["snapshot"] or options["csmd"]:
        raise CommandError("--resume names its training: give no data beside it.")
    run = TrainingRun.objects.filter(public_id=options["resume"]).first()
    if run is None:
        raise CommandError(f"There is no training {options['resume']}.")
    if run.state == WorkState.DONE:
        raise CommandError(f"This training is done: its scorer is {run.scorer}.")
    if run.state == WorkState.RUNNING:
        if run.device != device(run.backend):
            raise CommandError(
                f"This training runs on {run.device}: whether it still does cannot be known here. "
                "Go on with it there, or wait for the training worker."
            )
        if not (is_abandoned(run, work_folder(run)) and training_give_back(run=run)):
            raise CommandError(
                "A process is still at this training, or it has cost too many their lives."
            )
        if options["queue"]:
            request_training(run.public_id)
    else:
        training_resume(actor=None, run=run, send=options["queue"])
    return run


def seeds(given: str) -> list[int]:
    """For argparse. Raises ``ArgumentTypeError``."""
    try:
        return seeds_from(given)
    except RuleError as error:
        raise ArgumentTypeError(error.problems[0].message.en) from error


def _data(options: dict[str, Any]) -> tuple[DatasetSnapshot | None, TrainingSet]:
    if bool(options["snapshot"]) == bool(options["csmd"]):
        raise CommandError("Name a snapshot, or give --csmd: one of the two.")
    if options["csmd"]:
        if options["also"]:
            raise CommandError("--also goes with a snapshot, not with --csmd.")
        return None, set_of_csmd(Path(options["csmd"]), options["label"])
    snapshots = [existing_snapshot(name) for name in (options["snapshot"], *options["also"])]
    if len({snapshot.study_id for snapshot in snapshots}) < len(snapshots):
        raise CommandError("--also takes another study's snapshot: one study's pairs count once.")
    return snapshots[0], joined([set_of_snapshot(snapshot) for snapshot in snapshots])


def _spec(options: dict[str, Any]) -> TrainingSpec:
    parameters = dict(_parameter(given) for given in options["param"])
    if options["encoder"]:
        place = Path(options["encoder"])
        # A worker may run elsewhere in the file system.
        parameters["encoder"] = str(place.resolve()) if place.is_dir() else options["encoder"]
    backend = "transformer" if options["preset"] else options["backend"]
    parameters_check(backend, parameters)
    return TrainingSpec(
        backend=backend,
        seeds=options["seeds"],
        augment=options["augment"],
        corpus=_corpus(options["corpus"]),
        preset=options["preset"],
        parameters=parameters,
        repeats=options["repeats"],
    )


def _corpus(files: list[str]) -> bytes | None:
    texts = [read_bytes(file).rstrip(b"\n") for file in files]
    return f"\n{CORPUS_BREAK}\n".encode().join(texts) + b"\n" if texts else None


def _parameter(given: str) -> tuple[str, Any]:
    name, equals, value = given.partition("=")
    if not equals:
        raise CommandError(f"--param {given}: write NAME=VALUE, for instance epochs=20.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _table(report: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    crossed = report["cross_validation"]
    rows = [
        ("cross-validated (Pearson, RMSE)", crossed["summary"]),
        ("cross-validated, whole items", crossed["whole"]["summary"]),
    ]
    rows += [
        (f"cross-validated: {baseline['label']['en']}", baseline["summary"])
        for baseline in crossed["baselines"]
    ]
    rows += [
        ("60-10-30, test items of every seed", report["summary"]),
        ("60-10-30, mixed with control pairs", report["mixed"]),
    ]
    rows += [
        (f"{stratum['dimension']} {stratum['value']}", stratum["summary"])
        for stratum in report["strata"]
    ]
    rows += [
        (f"baseline: {baseline['label']['en']}", baseline["summary"])
        for baseline in report["baselines"]
    ]
    return rows


def _made(report: dict[str, Any]) -> str:
    """How the figure was got and what is served, and how far a score may be off."""
    crossed, interval = report["cross_validation"], report["interval"]
    method, pearson = crossed["method"], crossed["intervals"]["pearson"]
    seeds_used = ", ".join(map(str, method["seeds"]))
    ends = (
        f"Pearson 95 % interval {pearson['low']:.3f} to {pearson['high']:.3f}"
        if pearson["low"] is not None
        else pearson["undefined"]["en"]
    )
    lines = [
        f"Figure: {method['repeats']} × {method['folds']}-fold cross-validation by source text, "
        f"seeds {seeds_used}; {crossed['items']} items of {crossed['sources']} sources; {ends}.",
        f"Served: refitted on all {report['items']} items.",
    ]
    if interval["half_width"] is None:
        lines.append(f"Interval of a score: {interval['undefined']['en']}")
    else:
        covered = interval["coverage"]["all"]["value"]
        measured = "not measured" if covered is None else f"{covered:.3f}"
        lines.append(
            f"Interval of a score: ± {interval['half_width']:.3f} at {interval['level']:.0%}, "
            f"coverage {measured}."
        )
    return "\n".join(lines)


def _preset(preset: dict[str, Any] | None) -> list[str]:
    """The recipe that was followed, and its hold-out."""
    if not preset:
        return []
    lines = [f"Preset {preset['name']} ({preset['source']}). {preset['open']['en']}"]
    if held := preset["hold_out"]:
        lines.append(
            f"Hold-out of {held['pairs']} + {held['pairs']} pairs: identical ≥ 99 % "
            f"{held['identical']['mean']:.3f}, unrelated ≤ 1 % {held['unrelated']['mean']:.3f}"
        )
    else:
        lines.append("No hold-out: give the statutes' sentences by --corpus.")
    return lines


def _elsewhere(off_corpus: dict[str, Any]) -> list[str]:
    """A line for each corpus that was left out."""
    if off_corpus["undefined"]:
        return [f"Off its corpus: {off_corpus['undefined']['en']}"]
    lines = []
    for corpus in off_corpus["corpora"]:
        beside = ", ".join(
            f"{other['label']['en']} {_value(other['pearson'])}" for other in corpus["beside"]
        )
        lines.append(
            f"Off its corpus, {corpus['name']} ({corpus['items']} items): Pearson "
            f"{_value(corpus['metrics']['pearson'])}; {beside}; with it in training "
            f"{_value(corpus['within']['pearson'])}"
        )
    return lines


def _value(metric: dict[str, Any]) -> str:
    return "–" if metric["value"] is None else f"{metric['value']:.3f}"


def _shown(entry: dict[str, Any]) -> str:
    if entry["mean"] is None:
        return "    –        "
    return f"{entry['mean']:6.3f} ± {entry['sd'] or 0:.3f}"
