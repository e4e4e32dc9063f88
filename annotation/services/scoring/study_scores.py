"""Scores of a closed study's simplifications, for its lead: asked for, and read beside what people
said.

Only of a closed study: before that a score could reach somebody who still judges.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import transaction

from annotation.agreement.table import Ratings
from annotation.cells import Sheet
from annotation.errors import RuleError
from annotation.models import Item, Scorer, ScoringJob, Simplification, Study, User, WorkState
from annotation.scoring.as_rater import ScorerBeside, beside_people
from annotation.scoring.bootstrap import CONFIDENCE
from annotation.scoring.metrics import FloatArray
from annotation.scoring.splits import source_groups, source_key
from annotation.selectors.agreement.reliability import RatedUnit, study_ratings
from annotation.services.platform.study_rows import study_row_lock
from annotation.services.scoring.askers import asker_stays
from annotation.services.scoring.jobs import scoring_request
from annotation.services.scoring.scorers import scorer_in_service

METHOD = "scorer-beside-people/2"
"""Of version 1, an item one point off could be told to be more by the last digit."""


@dataclass(frozen=True)
class ScoredItem:
    """One simplification: its name in the study's files, its score, what people said on average,
    and how many did. ``is_seen``: the scorer has learned from its source text. ``low``, ``high``:
    the score's interval, None where it has none."""

    unit: str
    system: str
    score: float
    human: float
    annotators: int
    rule: str
    is_seen: bool
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class StudyScores:
    """``unseen`` counts the items whose source the scorer never learned from; only they say how
    good it is. ``every`` counts all of them. None where there is no such item. ``unscored``: judged
    since the scores were asked for. ``signature``: what the figures were computed from."""

    items: tuple[ScoredItem, ...]
    unseen: ScorerBeside | None
    every: ScorerBeside | None
    unscored: int
    signature: str


def scored_dimension(study: Study) -> str:
    """The dimension that a scorer predicts; empty where the protocol has none to predict."""
    return study.protocol.predicted


def scorer_for(study: Study) -> Scorer | None:
    """The scorer in service for this study's protocol."""
    dimension = scored_dimension(study)
    return scorer_in_service(f"{study.protocol_key}/{dimension}") if dimension else None


@transaction.atomic
def study_scores_request(*, actor: User, study: Study) -> ScoringJob:
    """A job for every judged simplification of the main round by the scorer in service, and for
    those that a draw left to models; the one that is under way, where there is one.

    Raises ``RuleError``: the study is not closed, no scorer is in service, nobody has judged
    anything.
    """
    # Two leads at once, or one who reopens the study: whoever comes second sees what the first did.
    study = study_row_lock(study.pk)
    if study.state != Study.State.CLOSED:
        raise not_closed()
    scorer = scorer_for(study)
    if scorer is None:
        raise RuleError.single(
            "scorer",
            "none_in_service",
            "Aucun évaluateur n'est en service pour ce protocole : demandez à l'administration "
            "d'en mettre un en service.",
            "No scorer is in service for this protocol: ask an admin to put one into service.",
        )
    under_way = study_scores_job(study)
    if under_way is not None and under_way.is_unfinished and under_way.scorer == scorer:
        return _joined(under_way, actor)
    ratings = study_ratings(study)
    judged = _judged(ratings.tables[scored_dimension(study)])
    if not judged:
        raise RuleError.single(
            "study",
            "nothing_judged",
            "Personne n'a jugé d'élément de la ronde principale : il n'y a rien à noter.",
            "Nobody has judged an item of the main round: there is nothing to score.",
        )
    left = study_ratings(study, round=Item.Aside.MACHINE.value)
    texts = _texts(study, [*ratings.items, *left.items])
    units = judged.union(unit.key for unit in left.items)
    pairs = [{"unit": unit, **texts[unit]} for unit in sorted(units)]
    return scoring_request(actor=actor, scorer=scorer, pairs=pairs, study=study)


def _joined(job: ScoringJob, actor: User) -> ScoringJob:
    """Theirs, where whoever asked first may not run the study any more."""
    if job.requested_by is not None and not asker_stays(job, job.requested_by):
        job.requested_by = actor
        job.save(update_fields=["requested_by"])
    return job


def not_closed() -> RuleError:
    """Why a study that still runs has no scores."""
    return RuleError.single(
        "study",
        "not_closed",
        "Les notes de l'évaluateur se demandent une fois l'étude fermée : avant, une note pourrait "
        "atteindre une personne qui juge encore.",
        (
            "Scores can be asked for once the study is closed: before that, a score could reach "
            "somebody who still judges."
        ),
    )


def study_scores_job(study: Study) -> ScoringJob | None:
    """The newest job of a closed study; None while it is not closed, whatever was asked for
    before."""
    if study.state != Study.State.CLOSED:
        return None
    return ScoringJob.objects.select_related("scorer").filter(study=study).order_by("-pk").first()


def study_scores(study: Study, job: ScoringJob) -> StudyScores:
    """A finished job's scores beside the ratings as they are now. Pairs that lost their ratings
    since are left out."""
    if job.state != WorkState.DONE:
        return StudyScores((), None, None, 0, "")
    ratings = study_ratings(study)
    table = ratings.tables[scored_dimension(study)]
    judged = _judged(table)
    kept = [
        (pair, result)
        for pair, result in zip(job.pairs, job.results, strict=True)
        if pair["unit"] in judged
    ]
    row_of = {str(unit): place for place, unit in enumerate(table.unit_ids)}
    rows: FloatArray = table.matrix[[row_of[pair["unit"]] for pair, _ in kept]]
    system_of = {unit.key: unit.system for unit in ratings.items}
    seen = set(job.scorer.seen_sources)
    items = tuple(
        ScoredItem(
            unit=pair["unit"],
            system=system_of[pair["unit"]],
            score=float(result["score"]),
            human=float(np.nanmean(row)),
            annotators=int((~np.isnan(row)).sum()),
            rule=str(result["rule"]),
            is_seen=source_key(pair["original"]) in seen,
            low=result.get("low"),
            high=result.get("high"),
        )
        for (pair, result), row in zip(kept, rows, strict=True)
    )
    raters = tuple(str(rater) for rater in table.rater_ids)
    originals = [pair["original"] for pair, _ in kept]
    everything = list(range(len(items)))
    unseen = [place for place in everything if not items[place].is_seen]
    every = _beside(items, rows, raters, originals, everything)
    return StudyScores(
        items,
        _beside(items, rows, raters, originals, unseen),
        every,
        len(judged) - len(items),
        _signature(study, job, table, every, len(items)),
    )


def study_scores_csv(scores: StudyScores, job: ScoringJob) -> bytes:
    """Every item with its score and the people's mean, as CSV in UTF-8 with decimal points."""
    out = io.StringIO(newline="")
    writer = Sheet(out)
    writer.writerow(
        [
            *("unit", "system", "score", "human_mean", "annotators", "rule", "source_seen"),
            *("scorer", "low", "high"),
        ]
    )
    for item in scores.items:
        writer.writerow(
            [
                item.unit,
                item.system,
                item.score,
                item.human,
                item.annotators,
                item.rule,
                int(item.is_seen),
                f"v{job.scorer.version}",
                item.low,
                item.high,
            ]
        )
    return out.getvalue().encode()


def _beside(
    items: Sequence[ScoredItem],
    rows: FloatArray,
    raters: tuple[str, ...],
    originals: list[str],
    places: list[int],
) -> ScorerBeside | None:
    if not places:
        return None
    scores = np.array([items[place].score for place in places])
    return beside_people(
        scores, rows[places], raters, source_groups([originals[place] for place in places])
    )


def _judged(table: Ratings) -> set[str]:
    """Names of the units that have a rating."""
    return {str(table.unit_ids[place]) for place in np.unique(table.unit_index)}


def _texts(study: Study, units: Sequence[RatedUnit]) -> dict[str, dict[str, str]]:
    """Both texts by the name that the tables of ratings use."""
    texts = {
        pk: {"original": original, "simplification": text}
        for pk, original, text in Simplification.objects.filter(item__study=study).values_list(
            "pk", "item__original", "text"
        )
    }
    return {unit.key: texts[unit.pk] for unit in units}


def _signature(
    study: Study, job: ScoringJob, table: Ratings, every: ScorerBeside | None, items: int
) -> str:
    """All that is needed to compute the same figures again, in one line."""
    files = ",".join(
        f"{name}={facts['sha256']}" for name, facts in sorted(job.scorer.files.items())
    )
    rated = zip(table.unit_index, table.rater_index, table.values, strict=True)
    lines = [
        f"{table.unit_ids[unit]}\t{table.rater_ids[rater]}\t{value:g}"
        for unit, rater, value in rated
    ]
    parts = {
        "scorer": f"v{job.scorer.version}",
        "files": _short(files),
        "study": study.key,
        "dimension": scored_dimension(study),
        "ratings": _short("\n".join(lines)),
        "items": items,
        "raters": table.n_active,
        "label": "mean",
        "interval": "percentile",
        "unit": "source",
        "confidence": CONFIDENCE,
        "draws": every.pearson_interval.draws if every else 0,
        "seed": every.pearson_interval.seed if every else 0,
    }
    return "|".join([METHOD, *(f"{name}:{value}" for name, value in parts.items())])


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
