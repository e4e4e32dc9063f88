"""Scores that were computed elsewhere (LENS, BLEURT, QuestEval, a model of somebody's own), brought
in by pair and shown beside what is computed here."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from annotation.corpus.metric_scores import MetricScores
from annotation.corpus.problems import RowProblem, shown
from annotation.errors import RuleError
from annotation.metrics.encoders import PREFIX as ENCODER
from annotation.metrics.metric import is_outside
from annotation.metrics.registry import metrics
from annotation.models import BroughtMetric, BroughtScore, Study, User
from annotation.protocols.base import Wording
from annotation.reading import metric_scores_read
from annotation.selectors.metrics.material import pair_names
from annotation.services.metrics.machines import JUDGE, SCORER
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock, study_row_lock

_MOST_PROBLEMS = 20
RESERVED = frozenset(("original_alone",))
PREFIXES = (SCORER, JUDGE, ENCODER)
"""How the names of lines begin that are not the registry's."""


@dataclass(frozen=True)
class ScoresNote:
    """What is said of the scores of one file: which way is better, the ends of their range (None
    twice where they have none), and how they were computed."""

    direction: int = BroughtMetric.Direction.HIGHER
    lowest: float | None = None
    highest: float | None = None
    note: str = ""


def scores_bring_file(
    *, actor: User, study: Study, content: bytes, note: ScoresNote
) -> list[BroughtMetric]:
    """The scores of a CSV. Raises what ``scores_bring`` raises, and ``ReadingBusy`` while another
    file of theirs is read."""
    read = metric_scores_read(content, person=actor.pk)
    if read.fatal is not None:
        raise RuleError([read.fatal])
    return scores_bring(actor=actor, study=study, scores=read, note=note)


@transaction.atomic
def scores_bring(
    *, actor: User, study: Study, scores: MetricScores, note: ScoresNote
) -> list[BroughtMetric]:
    """Store them, each metric in place of its former scores; all or none.

    Raises ``RuleError`` that names rows: of pairs that the study does not have, of metrics that are
    called as one of its own, of scores past the ends of the range, and whatever reading found; and
    for a range without width.
    """
    if (note.lowest is None) != (note.highest is None) or (
        note.lowest is not None
        and note.highest is not None
        and not -math.inf < note.lowest < note.highest < math.inf
    ):
        raise RuleError.single(
            "lowest",
            "range",
            "Donnez les deux bornes, la plus basse d'abord, ou aucune.",
            "Give both ends, the lower one first, or neither.",
        )
    # Of two files with one metric at the same moment, the second takes the place of the first.
    study = study_row_lock(study.pk, no_key=True)
    names = pair_names(study)
    problems = [*scores.problems, *_unknown(scores, names), *_past_ends(scores, note)]
    if problems:
        raise RuleError(problems[:_MOST_PROBLEMS])
    by_metric: dict[str, dict[int, float]] = defaultdict(dict)
    for row in scores.rows:
        by_metric[row.metric][names[row.pair]] = row.score
    return [_stored(actor, study, name, values, note) for name, values in by_metric.items()]


def _is_own(name: str, own: frozenset[str]) -> bool:
    return name in own or name.startswith(PREFIXES)


def _unknown(scores: MetricScores, names: Mapping[str, int]) -> list[RowProblem]:
    own = RESERVED.union(metrics())
    return [
        problem
        for row in scores.rows
        for problem in (
            _no_such_pair(row.row, row.pair) if row.pair not in names else None,
            _own_name(row.row, row.metric) if _is_own(row.metric.lower(), own) else None,
        )
        if problem is not None
    ]


def _past_ends(scores: MetricScores, note: ScoresNote) -> list[RowProblem]:
    """Put on the ends of the range they would all be the same to the figures in points."""
    if note.lowest is None or note.highest is None:
        return []
    return [
        _outside(row.row, row.score, note.lowest, note.highest)
        for row in scores.rows
        if is_outside(row.score, note.lowest, note.highest)
    ]


def _outside(row: int, score: float, lowest: float, highest: float) -> RowProblem:
    return RowProblem(
        "score",
        "outside",
        Wording(
            f"{score:g} n'est pas entre les bornes {lowest:g} et {highest:g}.",
            f"{score:g} is not between the ends {lowest:g} and {highest:g}.",
        ),
        row=row,
        remedy=Wording(
            "Corrigez la note, ou donnez les bornes entre lesquelles la mesure se tient (ou "
            "aucune).",
            "Mend the score, or give the ends between which the metric stays (or neither).",
        ),
    )


def _no_such_pair(row: int, pair: str) -> RowProblem:
    return RowProblem(
        "pair",
        "unknown_pair",
        Wording(
            f"L'étude n'a pas de paire « {shown(pair)} ».",
            f"The study has no pair “{shown(pair)}”.",
        ),
        row=row,
        remedy=Wording(
            "Prenez les noms du tableau des paires : l'élément, une barre oblique, sa position.",
            "Take the names from the table of pairs: the item, a slash, its position.",
        ),
    )


def _own_name(row: int, metric: str) -> RowProblem:
    return RowProblem(
        "metric",
        "own_name",
        Wording(
            f"« {shown(metric)} » est une mesure calculée ici.",
            f"“{shown(metric)}” is a metric that is computed here.",
        ),
        row=row,
        remedy=Wording("Donnez-lui un autre nom.", "Give it another name."),
    )


def _stored(
    actor: User, study: Study, name: str, values: Mapping[int, float], note: ScoresNote
) -> BroughtMetric:
    BroughtMetric.objects.filter(study=study, name=name).delete()
    digest = hashlib.sha256(json.dumps(sorted(values.items())).encode()).hexdigest()
    metric = BroughtMetric.objects.create(
        study=study,
        name=name,
        direction=note.direction,
        lowest=note.lowest,
        highest=note.highest,
        note=note.note,
        sha256=digest,
        number=len(values),
        brought_by=actor,
    )
    BroughtScore.objects.bulk_create(
        BroughtScore(metric=metric, simplification_id=pk, value=value)
        for pk, value in values.items()
    )
    event_record(
        actor=actor,
        study=study,
        verb="metric_brought",
        target=metric,
        metric=name,
        number=len(values),
        sha256=digest,
    )
    return metric


@transaction.atomic
def metric_forget(*, actor: User, metric: BroughtMetric) -> None:
    """Take a metric's scores out again. Reports that hold it stay as they are. Raises ``Http404``
    where it was taken out, or brought in anew, in the meantime."""
    study_row_lock(metric.study_id, no_key=True)
    metric = row_lock(BroughtMetric.objects.select_related("study"), metric.pk)
    event_record(
        actor=actor,
        study=metric.study,
        verb="metric_forgotten",
        target=metric,
        metric=metric.name,
        number=metric.number,
    )
    metric.delete()
