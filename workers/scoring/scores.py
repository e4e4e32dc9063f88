"""Scoring pairs with a stored scorer. Loaded once per process and looked up by its row: what is in
service changes."""

from __future__ import annotations

import logging
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from annotation.errors import RuleError
from annotation.models import Scorer as ScorerRow
from annotation.scoring.conformal import around
from annotation.scoring.errors import ScoringError
from annotation.services.scoring.askers import asker_check
from annotation.services.scoring.jobs import (
    results_store,
    scoring_claim,
    scoring_fail,
    scoring_finish,
    scoring_progress,
    scoring_read,
)
from workers.scorers.base import Pair, Scorer
from workers.scorers.device_problems import device_errors_explained
from workers.scorers.explanation import explain
from workers.scorers.lexical import LexicalScorer
from workers.scoring.copies import scorer_read
from workers.scoring.seed import scored

_KEPT = 2
_EXPLAINED = 20
_STORED_FROM = 100
_TOLD_EVERY = 250

log = logging.getLogger(__name__)
_loaded: OrderedDict[int, Scorer] = OrderedDict()


def pairs_score(public_id: uuid.UUID) -> bool:
    """Carry out a scoring job. False where there was nothing to do, or it failed (the row says
    why)."""
    job = scoring_claim(public_id)
    if job is None:
        return False
    try:
        asker_check(job)
        if not scoring_read(job=job):
            return False
        with device_errors_explained():
            language = str(job.scorer.training_run.source.get("language", "fr"))
            pairs = [Pair(pair["original"], pair["simplification"], language) for pair in job.pairs]
            results: list[dict[str, Any]] = []
            for start in range(0, len(pairs), _TOLD_EVERY):
                part = pairs[start : start + _TOLD_EVERY]
                results += score_pairs(job.scorer, part, explained=max(0, _EXPLAINED - start))
                if not scoring_progress(job=job, done=len(results)):
                    return False
    except ScoringError as error:
        scoring_fail(
            job=job, problem={"code": error.code, "fr": error.message.fr, "en": error.message.en}
        )
        return False
    except RuleError as error:
        (problem, *_more) = error.problems
        stored_problem = {"code": problem.code, "fr": problem.message.fr, "en": problem.message.en}
        scoring_fail(job=job, problem=stored_problem)
        return False
    if not scoring_finish(job=job, results=results):
        return False
    if len(results) >= _STORED_FROM:
        job.results = results
        results_store(job)
    return True


def score_pairs(
    row: ScorerRow, pairs: Sequence[Pair], *, explained: int = _EXPLAINED
) -> list[dict[str, Any]]:
    """One result per pair: "score", "learned", "rule" (its name, or empty), "low"
    and "high" (its interval), and "why" for the first ``explained`` pairs of the lexical scorer.

    Raises ``ScoringError`` for a scorer that is missing, damaged, or needs what is not
    installed."""
    scorer = loaded(row)
    if isinstance(scorer, LexicalScorer):
        results = _lexical(scorer, pairs, explained)
    else:
        scores = scored(scorer, pairs)
        results = [
            {"score": score, "learned": learned, "rule": ""}
            for score, learned in zip(scores.served, scores.learned, strict=True)
        ]
    return [result | _interval(row, result["score"]) for result in results]


def _interval(row: ScorerRow, score: float) -> dict[str, Any]:
    """ "low" and "high", between which people's label lies at the scorer's level; None twice, and
    why, where it is undefined."""
    interval, why = around(score, row.interval, row.lowest, row.highest)
    return {
        "low": interval.low,
        "high": interval.high,
        **({"interval_undefined": why} if why else {}),
    }


def loaded(row: ScorerRow) -> Scorer:
    """The scorer behind a row. Rows never change, so one that was read needs no second look."""
    scorer = _loaded.get(row.pk)
    if scorer is None:
        scorer = scorer_read(row)
        _loaded[row.pk] = scorer
        if len(_loaded) > _KEPT:
            _loaded.popitem(last=False)
    _loaded.move_to_end(row.pk)
    return scorer


def _lexical(scorer: LexicalScorer, pairs: Sequence[Pair], explained: int) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = [
        {
            "score": scored_pair.score,
            "learned": scored_pair.learned,
            "rule": str(scored_pair.rule or ""),
        }
        for scored_pair in scorer.judged(pairs)
    ]
    for result, pair in zip(results[:explained], pairs[:explained], strict=True):
        result["why"] = asdict(explain(scorer, pair))
    return results
