"""Scores of every simplification of a study that can stand beside what people judged of a part:
those of a scorer of the registry that a lead asked for, and those brought in from elsewhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Count, Max

from annotation.accents import composed
from annotation.agreement.systems.with_models import Helper
from annotation.metrics.metric import is_outside
from annotation.models import BroughtMetric, BroughtScore, Scorer, ScoringJob, Study, WorkState
from annotation.protocols.base import Wording
from annotation.scoring.edition import ANSWERS
from annotation.scoring.splits import source_key

NOTE = "|note:"
"""What was said of scores that were brought in ends their signature, after this."""
SCORER_LACKS = Wording(
    "Pas de valeur\u00a0: cet évaluateur n'a pas noté {lacking} des {outputs} simplifications. "
    "Redemandez ses notes\u00a0: elles prennent aussi ce qui a été laissé aux modèles.",
    "No value: this scorer has no score for {lacking} of the {outputs} outputs. Ask for its scores "
    "again: they take what was left to models too.",
)
FILE_LACKS = Wording(
    "Pas de valeur\u00a0: le fichier de cette mesure n'a pas de note pour {lacking} des {outputs} "
    "simplifications. Le tableau des paires les nomme toutes, et celles laissées aux modèles.",
    "No value: this metric's file has no score for {lacking} of the {outputs} outputs. The table "
    "of pairs names all of them, those left to models too.",
)
LEARNED = Wording(
    "Pas de valeur\u00a0: cet évaluateur a appris de {learned} des {texts} textes originaux. Ce "
    "qu'il en dit n'est pas ce qu'il dirait de textes nouveaux, et son écart ne se corrige pas.",
    "No value: this scorer has learned from {learned} of the {texts} original texts. What it says "
    "of them is not what it would say of new ones, and what it is off cannot be corrected.",
)
NO_ENDS = Wording(
    "Pas de valeur\u00a0: cette mesure n'a pas de bornes, et ne se ramène donc pas à l'échelle des "
    "personnes. Apportez ses notes de nouveau en donnant les deux.",
    "No value: this metric has no ends, so that it cannot be brought to people's scale. Bring its "
    "scores in again and give both.",
)
OUTSIDE = Wording(
    "Pas de valeur\u00a0: {outside} notes de cette mesure dépassent ses bornes. Apportez-les de "
    "nouveau avec des bornes entre lesquelles elles sont toutes.",
    "No value: {outside} scores of this metric lie past its ends. Bring them in again with ends "
    "between which all of them are.",
)


class PairTexts(NamedTuple):
    """A simplification with what names it in tables."""

    pk: int
    unit: str
    original: str
    simplification: str


def stored_scores(study: Study, scorer: Scorer) -> dict[tuple[str, str], float]:
    """By both texts (in NFC), what the scorer's last finished job said of this study's
    simplifications."""
    job = ScoringJob.objects.filter(study=study, scorer=scorer, state=WorkState.DONE).first()
    if job is None:
        return {}
    return {
        (composed(pair["original"]), composed(pair["simplification"])): float(result["score"])
        for pair, result in zip(job.pairs, job.results, strict=True)
    }


def scorer_settings(scorer: Scorer) -> tuple[tuple[str, str], ...]:
    """What tells a scorer from any other, as parts of a signature."""
    files = {name: facts["sha256"] for name, facts in scorer.files.items()}
    listed = json.dumps(files, sort_keys=True)
    return (
        ("kind", scorer.backend),
        ("target", scorer.target),
        ("seed", str(scorer.seed)),
        ("trained-on", f"sha256:{scorer.training_run.data_sha256[:12]}"),
        ("answers", str(ANSWERS)),
        ("files", f"sha256:{hashlib.sha256(listed.encode()).hexdigest()[:12]}"),
    )


def brought_signature(metric: BroughtMetric) -> str:
    """Its digest and what was said of it when it was brought in."""
    # The parts of a signature are divided by «|».
    note = metric.note.replace("|", "/")
    parts = [metric.name.replace("|", "/"), "brought", f"sha256:{metric.sha256[:12]}"]
    return "|".join(parts) + (f"{NOTE}{note}" if note else "")


def score_helpers(study: Study, pairs: Sequence[PairTexts]) -> dict[str, Helper]:
    """By name, on the dimension that scorers of the study's protocol predict: every scorer for it
    that has scored the study once it was closed, and every metric that was brought in. A query for
    each scorer, and three."""
    return _scorers(study, pairs) | _brought(study, pairs)


def scores_newest(study: Study) -> tuple[object, ...]:
    """Changes whenever a score comes to the study or leaves it; two queries."""
    jobs = ScoringJob.objects.filter(study=study, state=WorkState.DONE)
    brought = BroughtMetric.objects.filter(study=study)
    return (
        *jobs.aggregate(number=Count("pk"), last=Max("pk")).values(),
        *brought.aggregate(number=Count("pk"), last=Max("pk")).values(),
    )


def _scorers(study: Study, pairs: Sequence[PairTexts]) -> dict[str, Helper]:
    # Before that a score could reach somebody who still judges.
    if study.state != Study.State.CLOSED:
        return {}
    done = ScoringJob.objects.filter(study=study, state=WorkState.DONE).order_by()
    target = f"{study.protocol_key}/{study.protocol.predicted}"
    scorers = Scorer.objects.filter(target=target, pk__in=done.values("scorer"))
    originals = {pair.original for pair in pairs}
    helpers = {}
    for scorer in scorers.select_related("training_run").order_by("version"):
        known, name = stored_scores(study, scorer), f"scorer-v{scorer.version}"
        by_texts = {
            pair.unit: known.get((composed(pair.original), composed(pair.simplification)))
            for pair in pairs
        }
        seen = set(scorer.seen_sources)
        learned = sum(source_key(original) in seen for original in originals)
        helpers[name] = Helper(
            scores=_known(by_texts),
            signature="|".join([name, *(f"{key}:{what}" for key, what in scorer_settings(scorer))]),
            lacks=SCORER_LACKS,
            refused=LEARNED.format(learned=learned, texts=len(originals)) if learned else None,
        )
    return helpers


def _brought(study: Study, pairs: Sequence[PairTexts]) -> dict[str, Helper]:
    """On people's scale: its worst end on their lowest value, its best on their highest."""
    metrics = list(BroughtMetric.objects.filter(study=study))
    scores: dict[int, dict[int, float]] = {metric.pk: {} for metric in metrics}
    rows = BroughtScore.objects.filter(metric__in=metrics).order_by()
    for metric_pk, pk, value in rows.values_list("metric_id", "simplification_id", "value"):
        scores[metric_pk][pk] = value
    scale = study.protocol.dimension(study.protocol.predicted).scale
    return {
        metric.name: Helper(
            scores=_known(
                {
                    pair.unit: _scaled(metric, scores[metric.pk].get(pair.pk), scale)
                    for pair in pairs
                }
            ),
            signature=brought_signature(metric),
            lacks=FILE_LACKS,
            refused=_refused(metric, scores[metric.pk].values()),
        )
        for metric in metrics
    }


def _refused(metric: BroughtMetric, values: Iterable[float]) -> Wording | None:
    """Scores were taken past their ends once."""
    if metric.lowest is None or metric.highest is None:
        return NO_ENDS
    outside = sum(is_outside(value, metric.lowest, metric.highest) for value in values)
    return OUTSIDE.format(outside=outside) if outside else None


def _known(scores: Mapping[str, float | None]) -> dict[Hashable, float]:
    return {unit: value for unit, value in scores.items() if value is not None}


def _scaled(metric: BroughtMetric, value: float | None, scale: Sequence[int]) -> float | None:
    if value is None or metric.lowest is None or metric.highest is None:
        return value
    share = min(1.0, max(0.0, (value - metric.lowest) / (metric.highest - metric.lowest)))
    if metric.direction == BroughtMetric.Direction.LOWER:
        share = 1 - share
    return min(scale) + share * (max(scale) - min(scale))
