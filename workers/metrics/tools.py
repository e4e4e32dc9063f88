"""Scorers and encoders as reports on metrics ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.metrics.metric import MetricPair, MetricUnavailable
from annotation.models import Scorer
from annotation.scoring.errors import ScoringError
from annotation.services.metrics.machines import Tools
from workers.metrics.encoders import encoder
from workers.scorers.base import Pair
from workers.scorers.device_problems import device_errors_explained
from workers.scoring.scores import score_pairs


def scores(scorer: Scorer, pairs: Sequence[MetricPair]) -> list[float]:
    """The served score of each pair, as ``pairs_score`` stores it. Raises ``MetricUnavailable`` for
    a scorer that is missing, damaged, or needs what is not installed."""
    language = str(scorer.training_run.source.get("language", "fr"))
    texts = [Pair(pair.original, pair.simplification, language) for pair in pairs]
    try:
        with device_errors_explained():
            return [float(result["score"]) for result in score_pairs(scorer, texts, explained=0)]
    except ScoringError as error:
        raise MetricUnavailable(error.message) from error


TOOLS = Tools(scores=scores, encoder=encoder)
