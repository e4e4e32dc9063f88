"""Pairs to score: a few from a page or the API, or a file; done by a worker, since pages load no scorer."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotation.cells import Sheet
from annotation.errors import RuleError
from annotation.jobs import request_scoring
from annotation.models import Scorer, ScoringJob, Study, User, WorkState
from annotation.scoring.errors import ScoringError
from annotation.services.events import event_record
from annotation.services.stored_files import file_store

LEASE = timedelta(minutes=15)
MESSAGE_LOST_AFTER = timedelta(seconds=60)
MOST_ATTEMPTS = 3
MOST_PAIRS = 50_000
MOST_CHARACTERS = 50_000
_COLUMNS = ("original", "simplification")
PairTexts = list[dict[str, str]]


@transaction.atomic
def scoring_request(
    *,
    actor: User | None,
    scorer: Scorer,
    pairs: Sequence[Mapping[str, str]],
    name: str = "",
    study: Study | None = None,
) -> ScoringJob:
    """A job for these pairs ("original", "simplification"). ``name``: the file that they came in. ``study``: whose
    simplifications they are, each with its "unit".

    Raises ``RuleError`` for none, too many, or too long ones.
    """
    columns = ("unit", *_COLUMNS) if study else _COLUMNS
    kept = [{column: str(pair[column]) for column in columns} for pair in pairs]
    _check(kept)
    job = ScoringJob.objects.create(
        scorer=scorer,
        study=study,
        pairs=kept,
        input_name=name[:200],
        total=len(kept),
        requested_by=actor,
        lease_until=timezone.now() + MESSAGE_LOST_AFTER,
    )
    event_record(
        actor=actor, study=study, verb="scoring_requested", target=job, version=scorer.version, pairs=len(kept)
    )
    request_scoring(job.public_id)
    return job


def scoring_claim(public_id: uuid.UUID) -> ScoringJob | None:
    """Take the job, if it waits or its worker is dead."""
    now = timezone.now()
    free = Q(state=WorkState.QUEUED) | Q(state=WorkState.RUNNING, lease_until__lt=now)
    claimed = ScoringJob.objects.filter(free, public_id=public_id, attempt__lt=MOST_ATTEMPTS).update(
        state=WorkState.RUNNING, attempt=F("attempt") + 1, lease_until=now + LEASE
    )
    return ScoringJob.objects.select_related("scorer").get(public_id=public_id) if claimed else None


def scoring_progress(*, job: ScoringJob, done: int) -> bool:
    """Tell how many pairs have a score, and that the worker lives. False where the job went on elsewhere."""
    held = ScoringJob.objects.filter(pk=job.pk, attempt=job.attempt, state=WorkState.RUNNING)
    return bool(held.update(done=done, lease_until=timezone.now() + LEASE))


def scoring_finish(*, job: ScoringJob, results: Sequence[Mapping[str, Any]]) -> bool:
    """Store one result per pair. False where the job went on elsewhere."""
    return _end(job, state=WorkState.DONE, results=list(results), done=len(results))


def scoring_fail(*, job: ScoringJob, problem: Mapping[str, str]) -> bool:
    """Record why there are no scores."""
    return _end(job, state=WorkState.FAILED, problem=dict(problem))


def scorings_resend() -> int:
    """Ask again for every job whose message or worker was lost; returns how many."""
    now = timezone.now()
    late = ScoringJob.objects.filter(state__in=[WorkState.QUEUED, WorkState.RUNNING], lease_until__lt=now)
    lost = {"code": "worker_lost", "fr": "Le processus a été arrêté plusieurs fois.", "en": "The worker kept dying."}
    for job in late.filter(attempt__gte=MOST_ATTEMPTS):
        scoring_fail(job=job, problem=lost)
    sent = 0
    for job in late.filter(attempt__lt=MOST_ATTEMPTS):
        if late.filter(pk=job.pk, attempt=job.attempt).update(
            state=WorkState.QUEUED, lease_until=now + MESSAGE_LOST_AFTER
        ):
            request_scoring(job.public_id)
            sent += 1
    return sent


def read_pairs(name: str, content: bytes) -> PairTexts:
    """Pairs of a CSV, TSV or JSON-lines file with the columns original and simplification; other columns are left.

    Raises ``ScoringError`` ("pairs_unreadable") that names the row.
    """
    try:
        text = content.decode("utf-8-sig")
        rows = _json_rows(text) if name.lower().endswith((".jsonl", ".json")) else _table_rows(name, text)
    except (UnicodeDecodeError, ValueError, csv.Error) as error:
        raise _unreadable(str(error)) from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or any(not isinstance(row.get(column), str) for column in _COLUMNS):
            raise _unreadable(f"{number} : {', '.join(_COLUMNS)}")
    return [{column: row[column] for column in _COLUMNS} for row in rows]


def results_csv(job: ScoringJob) -> bytes:
    """The pairs with their scores, as CSV in UTF-8."""
    out = io.StringIO(newline="")
    writer = Sheet(out)
    writer.writerow([*_COLUMNS, "score", "learned", "rule", "scorer"])
    for pair, result in zip(job.pairs, job.results, strict=True):
        texts = [pair[column] for column in _COLUMNS]
        writer.writerow([*texts, result["score"], result["learned"], result["rule"], f"v{job.scorer.version}"])
    return out.getvalue().encode()


def results_store(job: ScoringJob) -> None:
    """Keep the results as a file in the storage as well."""
    stored = file_store(f"scoring/{job.public_id}.csv", results_csv(job))
    ScoringJob.objects.filter(pk=job.pk).update(result_path=stored["path"])


def _check(pairs: PairTexts) -> None:
    if not 1 <= len(pairs) <= MOST_PAIRS:
        raise RuleError.single(
            "pairs", "count", f"Donnez de 1 à {MOST_PAIRS} paires.", f"Give between 1 and {MOST_PAIRS} pairs."
        )
    for number, pair in enumerate(pairs, 1):
        if not pair["original"].strip() or any(len(text) > MOST_CHARACTERS for text in pair.values()):
            named = pair.get("unit", str(number))
            raise RuleError.single(
                "pairs",
                "length",
                f"Paire {named} : l'original est vide, ou un texte dépasse {MOST_CHARACTERS} caractères.",
                f"Pair {named}: the original is empty, or a text is longer than {MOST_CHARACTERS} characters.",
            )


def _end(job: ScoringJob, **values: Any) -> bool:
    held = ScoringJob.objects.filter(pk=job.pk, attempt=job.attempt).exclude(state__in=["done", "failed"])
    return bool(held.update(finished_at=timezone.now(), lease_until=None, **values))


def _json_rows(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _table_rows(name: str, text: str) -> list[Any]:
    first = text.splitlines()[0] if text else ""
    separator = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))


def _unreadable(what: str) -> ScoringError:
    return ScoringError(
        "pairs_unreadable",
        f"Le fichier de paires est illisible : {what}. Il faut les colonnes original et simplification, en UTF-8.",
        f"The file of pairs cannot be read: {what}. It takes the columns original and simplification, in UTF-8.",
    )
