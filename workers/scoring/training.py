"""Carrying out a training run: audit, every seed, evaluation, the kept scorer into the storage;
whole or not at all."""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import shutil
import socket
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.models import Backend, TrainingRun
from annotation.models import Scorer as ScorerRow
from annotation.protocols.base import Wording
from annotation.scoring.audit import audit
from annotation.scoring.baselines import signals
from annotation.scoring.conformal import conformal
from annotation.scoring.cross_validation import FILE as OUT_OF_FOLD
from annotation.scoring.cross_validation import (
    OutOfFold,
    cross_validation,
    headline,
    out_of_fold_csv,
)
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.errors import ScoringError
from annotation.scoring.legal.cases import cases_csv
from annotation.scoring.off_corpus import left_out, off_corpus
from annotation.scoring.outcome import SeedOutcome, predictions_csv, splits_csv
from annotation.scoring.report import (
    against_current,
    against_mean,
    chosen,
    evaluation,
    preset_report,
)
from annotation.scoring.splits import Split
from annotation.services.platform.leases import LeaseLost, database_is_away
from annotation.services.platform.stored_files import (
    StoredFile,
    file_read,
    file_store,
    files_delete,
    folder_store,
)
from annotation.services.scoring.askers import asker_check
from annotation.services.scoring.scorers import scorer_in_service
from annotation.services.scoring.sources import corpus_parts
from annotation.services.scoring.training import run_place, training_fail
from annotation.services.scoring.training_work import (
    StopRequested,
    Trained,
    TrainingHeartbeat,
    WorkerEnds,
    training_claim,
    training_finish,
    training_put_off,
    training_stopped,
)
from workers.scorers.backends import has_torch, load_scorer
from workers.scorers.base import Scorer
from workers.scorers.device_problems import device_errors_explained
from workers.scoring.copies import scorer_read
from workers.scoring.folds import off_its_corpus, out_of_fold, refitted
from workers.scoring.held import held
from workers.scoring.probing import both_probed, false_accept, probe, scores_for_comparison
from workers.scoring.seed import Training, seen_sources, train_seed

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "torch", "transformers", "accelerate")
_DEFECT = {
    "code": "defect",
    "fr": (
        "Un défaut imprévu : il est dans le journal du processus. L'évaluateur en service n'a "
        "pas changé."
    ),
    "en": "Something unforeseen: it is in the worker's log. The scorer in service has not changed.",
}

log = logging.getLogger(__name__)


def training_run(public_id: uuid.UUID) -> bool:
    """Carry out a run. False where there was nothing to do, or it ended without a scorer (the row
    says why).

    A repeat is harmless. When the database is away the error is raised and the run left to the
    sweep; what was finished until then is not done again.
    """
    backend = (
        TrainingRun.objects.filter(public_id=public_id).values_list("backend", flat=True).first()
    )
    run = training_claim(public_id, device(backend), code_version())
    if run is None:
        return False
    # Until the row says how it ended: before that, an unlocked folder is one of the dead.
    with ExitStack() as until_ended:
        return _carried_out(run, until_ended)


def _carried_out(run: TrainingRun, until_ended: ExitStack) -> bool:
    """The claimed run, to its end in the database."""
    try:
        asker_check(run)
        until_ended.enter_context(held(work_folder(run)))
        with TrainingHeartbeat(run) as heartbeat, device_errors_explained():
            report, files, trained = _trained(run, heartbeat)
        try:
            training_finish(run=run, report=report, files=files, trained=trained)
        except BaseException:
            # Nothing refers to them: not the report, not a scorer.
            files_delete({**files, **trained.files})
            raise
    except LeaseLost:
        log.info("training left to another worker", extra={"run": run.pk, "attempt": run.attempt})
        return False
    except StopRequested:
        training_stopped(run=run)
    except WorkerEnds:
        training_put_off(run=run)
        log.info("training left to another worker, since this one ends", extra={"run": run.pk})
    except ScoringError as error:
        training_fail(
            run=run, problem={"code": error.code, "fr": error.message.fr, "en": error.message.en}
        )
    except Exception as error:
        if database_is_away(error):
            raise
        training_fail(run=run, problem=_DEFECT)
        shutil.rmtree(work_folder(run), ignore_errors=True)
        raise
    else:
        shutil.rmtree(work_folder(run), ignore_errors=True)
        return True
    return False


def device(backend: str | None) -> str:
    """What no two trainings use at once: this machine's GPU, or its processor. The lexical scorer
    uses no GPU, and asking for one takes seconds."""
    kind = "cpu"
    if backend == Backend.TRANSFORMER and has_torch():
        import torch

        kind = "cuda" if torch.cuda.is_available() else "cpu"
    return f"{socket.gethostname()}:{kind}"


def code_version() -> str:
    """SHA-256 over the code that decides a scorer, from the files themselves."""
    root = Path(__file__).resolve().parent.parent
    files = [
        *sorted((root / "scorers").glob("*.py")),
        *sorted((root.parent / "annotation" / "scoring").rglob("*.py")),
        *(Path(__file__).parent / name for name in ("folds.py", "probing.py", "seed.py")),
    ]
    listed = [
        f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in [*files, Path(__file__)]
    ]
    return hashlib.sha256("\n".join(listed).encode()).hexdigest()


def work_folder(run: TrainingRun) -> Path:
    """Where what is finished lies until all is: seeds' outcomes, the best scorer so far,
    checkpoints."""
    folder: Path = settings.DATA_DIR / "training" / str(run.public_id)
    return folder


def _trained(
    run: TrainingRun, heartbeat: TrainingHeartbeat
) -> tuple[dict[str, Any], dict[str, StoredFile], Trained]:
    data = TrainingSet.from_bytes(file_read(run.data_path, run.data_sha256))
    findings = _findings(data)
    number = len(findings)
    heartbeat.say(
        Wording(
            f"Vérification : {number} constat{'s' if number > 1 else ''}.",
            f"Data audit: {number} finding{'' if number == 1 else 's'}.",
        )
    )
    current = scorer_in_service(data.target)
    training = _prepared(run, data, current, heartbeat)
    outcomes = [
        _outcome(training, seed, number, len(run.seeds)) for number, seed in enumerate(run.seeds)
    ]
    repeats = out_of_fold(training, run.seeds[: max(1, run.repeats)])
    parts = left_out(data)
    elsewhere = off_its_corpus(training, parts, repeats[0].seed)
    best = chosen(outcomes)
    served = refitted(training, best)
    heartbeat.progress(phase="evaluation")
    kept = load_scorer(run.backend, training.folder / f"scorer-{best.seed}")
    report = evaluation(data, outcomes)
    report["cross_validation"] = cross_validation(data, repeats, training.signals)
    report["interval"] = conformal(data, repeats)
    report["off_corpus"] = off_corpus(data, parts, elsewhere, training.signals, repeats[0])
    if training.preset is not None:
        report["preset"] = preset_report(data, training.preset, outcomes)
    report["audit"] = findings
    report["probe"], cases = probe(kept, data, best)
    report["data"] = {**run.source, "sha256": run.data_sha256}
    report["libraries"] = _versions()
    report["against_mean"] = against_mean(data, repeats[0])
    if current is not None:
        probed = both_probed(training, kept, served, cases, best.seed)
        known = scores_for_comparison(training, current)
        report["comparison"] = against_current(data, repeats[0], known, current.version, *probed)
    heartbeat.check()
    trained = Trained(
        seed=best.seed,
        folder=f"{run_place(run)}/{run.attempt}/scorer",
        files=folder_store(f"{run_place(run)}/{run.attempt}/scorer", training.folder / "refitted"),
        metrics=headline(report["cross_validation"]),
        interval=report["interval"],
        false_accept=false_accept(report["probe"]),
        seen_sources=seen_sources(data),
    )
    splits = [training.split(seed) for seed in run.seeds]
    scores = {"score": report["probe"].pop("scores")} if cases else None
    listed = cases_csv(cases, scores)
    return report, _stored(run, data, outcomes, splits, repeats, listed), trained


def _findings(data: TrainingSet) -> list[dict[str, Any]]:
    """The data audit. Labels made by another rule than mean or median are not compared with their
    own ratings."""
    findings = audit(
        data.audit_rows(), scale_range=data.highest - data.lowest, aggregate=data.aggregate
    )
    plain = data.aggregate in ("mean", "median")
    return [
        asdict(finding)
        for finding in findings
        if plain or finding.code != "labels_not_own_aggregate"
    ]


def _prepared(
    run: TrainingRun, data: TrainingSet, current: ScorerRow | None, heartbeat: TrainingHeartbeat
) -> Training:
    corpora = (
        corpus_parts(file_read(run.corpus_path, run.source["corpus_sha256"]))
        if run.corpus_path
        else []
    )
    folder = work_folder(run)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _of_this_code(folder, run.code_version)
    return Training(
        data=data,
        backend=run.backend,
        parameters=dict(run.parameters),
        augment=run.augment,
        corpus=[sentence for part in corpora for sentence in part],
        corpora=corpora,
        preset_name=run.preset,
        signals=signals([(pair.original, pair.simplification) for pair in data.pairs]),
        current=_loaded(current, heartbeat),
        seen=frozenset(current.seen_sources) if current else frozenset(),
        folder=folder,
        heartbeat=heartbeat,
    )


def _of_this_code(folder: Path, version: str) -> None:
    """Put aside what other code finished, as before an upgrade: it may have split otherwise, and
    the run is recorded as this code's. Checkpoints have keys of their own."""
    noted = folder / "code"
    if noted.is_file() and noted.read_text("utf-8") == version:
        return
    for path in folder.glob("*.json"):
        path.unlink()
    for path in (*folder.glob("scorer-*"), folder / "refitted"):
        shutil.rmtree(path, ignore_errors=True)
    noted.write_text(version, "utf-8")


def _loaded(current: ScorerRow | None, heartbeat: TrainingHeartbeat) -> Scorer | None:
    """The scorer in service. One that cannot be read is no reason not to train a new one."""
    if current is None:
        return None
    try:
        return scorer_read(current)
    except ScoringError as error:
        heartbeat.say(error.message)
        return None


def _outcome(training: Training, seed: int, number: int, seeds: int) -> SeedOutcome:
    """The seed's outcome: read, where a worker that was killed had finished it; else trained
    now."""
    heartbeat = training.heartbeat
    heartbeat.check()
    heartbeat.progress(seeds_done=number, seeds=seeds, phase="training")
    stored = training.folder / f"seed-{seed}.json"
    if stored.is_file():
        return SeedOutcome.from_json(stored.read_text("utf-8"))
    scorer, outcome = train_seed(training, seed)
    _keep_best(training.folder, scorer, outcome)
    part = stored.with_suffix(".part")
    part.write_text(outcome.to_json(), "utf-8")
    part.replace(stored)
    shutil.rmtree(training.folder / f"checkpoint-{seed}", ignore_errors=True)
    heartbeat.progress(seeds_done=number + 1)
    error = f"{outcome.validation_rmse:.3f}"
    heartbeat.say(
        Wording(
            f"Graine {seed} : RMSE de validation {error.replace('.', ',')}.",
            f"Seed {seed}: validation RMSE {error}.",
        )
    )
    return outcome


def _keep_best(folder: Path, scorer: Scorer, outcome: SeedOutcome) -> None:
    """Save the scorer if it is the best so far; only then remove the one before."""
    done = [SeedOutcome.from_json(path.read_text("utf-8")) for path in folder.glob("seed-*.json")]
    if chosen([*done, outcome]).seed != outcome.seed:
        return
    place = folder / f"scorer-{outcome.seed}"
    shutil.rmtree(place, ignore_errors=True)
    scorer.save(place)
    for former in done:
        shutil.rmtree(folder / f"scorer-{former.seed}", ignore_errors=True)


def _stored(
    run: TrainingRun,
    data: TrainingSet,
    outcomes: list[SeedOutcome],
    splits: Sequence[Split],
    repeats: Sequence[OutOfFold],
    probed: bytes,
) -> dict[str, StoredFile]:
    place = f"{run_place(run)}/{run.attempt}"
    contents: Mapping[str, bytes] = {
        "predictions.csv": predictions_csv(data, outcomes),
        "splits.csv": splits_csv(data, splits),
        OUT_OF_FOLD: out_of_fold_csv(data, repeats),
        "probe.csv": probed,
    }
    return {name: file_store(f"{place}/{name}", content) for name, content in contents.items()}


def _versions() -> dict[str, str]:
    versions = {}
    for name in _LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
