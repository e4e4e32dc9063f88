"""What the kept scorer accepts that it must not, and how the one in service does on the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.models import Scorer as ScorerRow
from annotation.scoring.cross_validation import FILE as OUT_OF_FOLD
from annotation.scoring.cross_validation import out_of_fold_scores, pair_key
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.errors import ScoringError
from annotation.scoring.legal.cases import Case, Written, probe_cases
from annotation.scoring.legal.kinds import Place
from annotation.scoring.legal.probe import Threshold, measure
from annotation.scoring.outcome import SeedOutcome
from annotation.scoring.splits import source_key
from annotation.services.platform.stored_files import file_read
from workers.scorers.base import Pair, Scorer
from workers.scoring.seed import Training

_PLACES = (Place.SIMPLIFICATION, Place.IDENTICAL)


def probe(
    scorer: Scorer, data: TrainingSet, outcome: SeedOutcome
) -> tuple[dict[str, Any], list[Case]]:
    """The legal probe on the kept scorer's test items; where nothing can be changed, the reason."""
    written = [
        Written(pair.key, pair.original, pair.simplification)
        for pair in (data.pairs[place] for place in outcome.test)
    ]
    try:
        cases = probe_cases(written, data.language, outcome.seed)
        return _measured(scorer, data, cases, outcome.seed), cases
    except ScoringError as error:
        return {"undefined": asdict(error.message)}, []


def _measured(
    scorer: Scorer, data: TrainingSet, cases: Sequence[Case], seed: int
) -> dict[str, Any]:
    def predict(pairs: list[tuple[str, str]]) -> list[float]:
        return list(scorer.predict([Pair(*texts, data.language) for texts in pairs]))

    threshold = Threshold.of_scale(data.lowest, data.highest, data.bracket_tops)
    return measure(predict, cases, threshold, seed)


def false_accept(probed: Mapping[str, Any]) -> float | None:
    """Inside real simplifications; on copies where too few of those were accepted. For one scorer
    by itself: of two, the places may differ."""
    return next((value for value in _by_place(probed) if value is not None), None)


def _by_place(probed: Mapping[str, Any]) -> list[float | None]:
    rates = probed.get("rates", {})
    return [rates.get(place, {}).get("false_accept", {}).get("value") for place in _PLACES]


def both_probed(
    training: Training, kept: Scorer, served: Scorer, cases: Sequence[Case], seed: int
) -> tuple[float | None, float | None]:
    """False accepts of the scorer in service and of the new one on the same cases: inside real
    simplifications, on copies where one of the two accepted too few of those; None for both where
    there is no place at which both have a share.

    Cases of originals that neither has learned from, where ``kept`` answers, which never read its
    test side; without any, all, of originals from which the one in service and the refitted
    ``served`` have both learned.
    """
    if training.current is None or not cases:
        return None, None
    unseen = [case for case in cases if case.source not in training.seen]
    probed_cases, candidate = (unseen, kept) if unseen else (cases, served)
    rates = [
        _by_place(_measured(scorer, training.data, probed_cases, seed))
        for scorer in (training.current, candidate)
    ]
    both = (shares for shares in zip(*rates, strict=True) if None not in shares)
    return next(both, (None, None))


def scores_for_comparison(training: Training, current: ScorerRow) -> list[float | None]:
    """(n,) what the scorer in service says of each pair: by itself of sources that it never learned
    from, else its own training's out-of-fold score; None where there is neither."""
    known = _own_out_of_fold(current)
    data = training.data
    new = [
        place
        for place, pair in enumerate(data.pairs)
        if source_key(pair.original) not in training.seen
    ]
    scores = [known.get(pair_key(pair)) for pair in data.pairs]
    for place in new:
        scores[place] = None
    if training.current is not None and new:
        for place, score in zip(new, training.current.predict(training.pairs(new)), strict=True):
            scores[place] = float(score)
    return scores


def _own_out_of_fold(current: ScorerRow) -> dict[str, float]:
    """Nothing of a scorer that was trained before there were any, or whose file is gone."""
    facts = current.training_run.files.get(OUT_OF_FOLD)
    if facts is None:
        return {}
    try:
        return out_of_fold_scores(file_read(facts["path"], facts["sha256"]))
    except ScoringError:
        return {}
