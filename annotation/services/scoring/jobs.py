"""Pairs to score: a few from a page or the API, or a file; done by a worker, since pages load no
scorer."""

from __future__ import annotations

import io
import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from annotation.cells import Sheet
from annotation.corpus.plain_pairs import COLUMNS
from annotation.corpus.problems import RowProblem
from annotation.errors import RuleError
from annotation.jobs import request_scoring
from annotation.leasing import Outcome
from annotation.models import Scorer, ScoringJob, Study, User
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing
from annotation.reading import Pace, ReadingBusy, ReadLater, plain_pairs_read
from annotation.scoring.errors import ScoringError
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import Queue
from annotation.services.platform.left_files import left_files_remove
from annotation.services.platform.stored_files import file_store

MOST_PAIRS = 50_000
MOST_CHARACTERS = 50_000
# Another file of the same person's is being read in a page.
_AGAIN_AFTER = timedelta(seconds=5)
_FOLDER = "scoring-files"
PairTexts = list[dict[str, str]]
# No heartbeat: what it has scored so far renews the lease. A score costs minutes, so one that comes
# late is taken.
SCORINGS = Queue(
    rows=lambda: ScoringJob.objects.select_related("scorer", "requested_by"),
    lease=timedelta(minutes=15),
    late_counts=True,
)


@transaction.atomic
def scoring_request(
    *,
    actor: User | None,
    scorer: Scorer,
    pairs: Sequence[Mapping[str, str]],
    name: str = "",
    study: Study | None = None,
) -> ScoringJob:
    """A job for these pairs ("original", "simplification"). ``name``: the file that they came in.
    ``study``: whose simplifications they are, each with its "unit".

    Raises ``RuleError`` for none, too many, or too long ones, which it names.
    """
    columns = ("unit", *COLUMNS) if study else COLUMNS
    kept = [{column: str(pair[column]) for column in columns} for pair in pairs]
    _check(kept)
    job = ScoringJob.objects.create(
        scorer=scorer,
        study=study,
        pairs=kept,
        input_name=name[:200],
        total=len(kept),
        requested_by=actor,
        lease_until=SCORINGS.ordered_until(),
    )
    event_record(
        actor=actor,
        study=study,
        verb="scoring_requested",
        target=job,
        version=scorer.version,
        pairs=len(kept),
    )
    request_scoring(job.public_id)
    return job


def scoring_file_request(*, actor: User, scorer: Scorer, name: str, content: bytes) -> ScoringJob:
    """A job for the pairs of a file. Where reading it may take long, the worker that scores them
    reads it too: until then the job has no pairs.

    Raises ``ScoringError`` for a file that cannot be read, ``ReadingBusy``, and what
    ``scoring_request`` raises.
    """
    try:
        pairs = read_pairs(name, content, person=actor.pk, pace=Pace.AT_ONCE)
    except ReadLater:
        return _file_request(actor, scorer, name, content)
    return scoring_request(actor=actor, scorer=scorer, pairs=pairs, name=name)


@transaction.atomic
def _file_request(actor: User, scorer: Scorer, name: str, content: bytes) -> ScoringJob:
    job = ScoringJob(
        scorer=scorer,
        # Its end says how it is written.
        input_name=name[-200:],
        requested_by=actor,
        lease_until=SCORINGS.ordered_until(),
    )
    job.input_path = default_storage.save(f"{_FOLDER}/{job.public_id}", ContentFile(content))
    job.save(force_insert=True)
    # How many pairs they are is not known before it is read.
    event_record(actor=actor, verb="scoring_requested", target=job, version=scorer.version)
    request_scoring(job.public_id)
    return job


def scoring_read(*, job: ScoringJob) -> bool:
    """Read the file of a job that came with one, under limits, in its turn; it goes then. False
    where the job went on elsewhere, or waits for another file of theirs.

    Raises ``ScoringError`` for a file that cannot be read, and ``RuleError`` for none, too many, or
    too long pairs.
    """
    if not job.input_path:
        return True
    try:
        with default_storage.open(job.input_path) as stored:
            content = bytes(stored.read())
    except FileNotFoundError as error:
        raise _unreadable("—") from error
    try:
        pairs = read_pairs(job.input_name, content, person=job.requested_by_id, pace=Pace.PATIENT)
    except ReadingBusy:
        SCORINGS.put_off(job, _AGAIN_AFTER)
        return False
    _check(pairs)
    path, job.input_path = job.input_path, ""
    job.pairs, job.total = pairs, len(pairs)
    if not SCORINGS.renew(job, pairs=pairs, total=len(pairs), input_path=""):
        return False
    _file_delete(path)
    return True


def _file_delete(path: str) -> None:
    """Once the transaction stands. A file that stays behind is litter, no reason to fail."""
    if path:
        transaction.on_commit(lambda: default_storage.delete(path), robust=True)


def scoring_claim(public_id: uuid.UUID) -> ScoringJob | None:
    """Take the job, if it waits or its worker is dead."""
    return SCORINGS.claim(public_id)


def scoring_progress(*, job: ScoringJob, done: int) -> bool:
    """Tell how many pairs have a score, and that the worker lives. False where the job went on
    elsewhere."""
    return SCORINGS.renew(job, done=done)


def scoring_finish(*, job: ScoringJob, results: Sequence[Mapping[str, Any]]) -> bool:
    """Store one result per pair. False where the job went on elsewhere."""
    return SCORINGS.end(job, Outcome.DONE, results=list(results), done=len(results))


def scoring_fail(*, job: ScoringJob, problem: Mapping[str, str]) -> bool:
    """Record why there are no scores. A file that they were to be of goes."""
    path = job.input_path
    if not SCORINGS.end(job, Outcome.FAILED, problem=dict(problem), input_path=""):
        return False
    _file_delete(path)
    return True


def scorings_resend() -> int:
    """Ask again for every job whose message or worker was lost; returns how many."""
    return SCORINGS.resend(request_scoring, lambda job: scoring_fail(job=job, problem=_WORKER_LOST))


def scoring_files_expire() -> int:
    """Remove files of pairs that no job names any more; returns how many."""
    return left_files_remove(
        _FOLDER, lambda: set(ScoringJob.objects.values_list("input_path", flat=True))
    )


def read_pairs(
    name: str, content: bytes, *, person: int | None = None, pace: Pace = Pace.FULL
) -> PairTexts:
    """Pairs of a CSV, TSV or JSON-lines file with the columns original and simplification; other
    columns are left. Read in a process under limits; ``person``: whose turn it takes.

    Raises ``ScoringError`` ("pairs_unreadable") that names the row, ``ReadingBusy``, and
    ``ReadLater`` where it was to be read at once.
    """
    pairs = plain_pairs_read(content, name, person=person, pace=pace)
    if pairs.problem:
        raise _unreadable(pairs.problem)
    return [dict(zip(COLUMNS, row, strict=True)) for row in pairs.rows]


def results_csv(job: ScoringJob) -> bytes:
    """The pairs with their scores and the interval of each, as CSV in UTF-8."""
    out = io.StringIO(newline="")
    writer = Sheet(out)
    writer.writerow([*COLUMNS, "score", "learned", "rule", "scorer", "low", "high", "level"])
    for pair, result in zip(job.pairs, job.results, strict=True):
        texts = [pair[column] for column in COLUMNS]
        said = (result["score"], result["learned"], result["rule"], f"v{job.scorer.version}")
        # A job of before there were intervals has none.
        ends = (result.get("low"), result.get("high"))
        level = None if None in ends else job.scorer.interval["level"]
        writer.writerow([*texts, *said, *ends, level])
    return out.getvalue().encode()


def results_store(job: ScoringJob) -> None:
    """Keep the results as a file in the storage as well."""
    stored = file_store(f"scoring/{job.public_id}.csv", results_csv(job))
    ScoringJob.objects.filter(pk=job.pk).update(result_path=stored["path"])


def _check(pairs: PairTexts) -> None:
    if not 1 <= len(pairs) <= MOST_PAIRS:
        raise RuleError.single(
            "pairs",
            "count",
            f"Donnez de 1 à {MOST_PAIRS} paires.",
            f"Give between 1 and {MOST_PAIRS} pairs.",
        )
    wrong = (_wrong(number, pair) for number, pair in enumerate(pairs, 1))
    if problems := list(filter(None, wrong)):
        raise RuleError(problems)


def _wrong(number: int, pair: Mapping[str, str]) -> RowProblem | None:
    """Why a pair cannot be scored; None where it can."""
    named = pair.get("unit", str(number))
    if shows_nothing(pair["original"]):
        message = Wording(
            f"Paire {named} : l'original est vide.", f"Pair {named}: the original is empty."
        )
        remedy = Wording("Donnez-le, ou retirez la paire.", "Give it, or leave the pair out.")
        return RowProblem("original", "length", message, number, remedy)
    for column in COLUMNS:
        if len(pair[column]) > MOST_CHARACTERS:
            message = Wording(
                f"Paire {named} : « {column} » dépasse {MOST_CHARACTERS} caractères.",
                f"Pair {named}: “{column}” is longer than {MOST_CHARACTERS} characters.",
            )
            remedy = Wording(
                "Raccourcissez-le, ou retirez la paire.", "Shorten it, or leave the pair out."
            )
            return RowProblem(column, "length", message, number, remedy)
    return None


def _unreadable(what: str) -> ScoringError:
    return ScoringError(
        "pairs_unreadable",
        (
            f"Le fichier de paires est illisible : {what}. Il faut les colonnes original et "
            "simplification, en UTF-8."
        ),
        (
            f"The file of pairs cannot be read: {what}. It takes the columns original and "
            "simplification, in UTF-8."
        ),
    )


_WORKER_LOST = {
    "code": "worker_lost",
    "fr": "Le processus a été arrêté plusieurs fois.",
    "en": "The worker kept dying.",
}
