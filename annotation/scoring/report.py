"""The evaluation of a training from its seeds' held-out scores: human test items only, everything
else beside it.

The result is plain JSON: ``{"value": …, "undefined": {"fr", "en"} | null}`` for a number that may
be undefined, ``{"mean", "sd", "seeds"}`` over the seeds where it is defined.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from annotation.scoring.baselines import BASELINE_WORDING
from annotation.scoring.bootstrap import compare, interval
from annotation.scoring.ceiling import ceiling, two_way_reliability
from annotation.scoring.cross_validation import OutOfFold
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.metrics import (
    FloatArray,
    Metric,
    Metrics,
    calibration,
    evaluate,
    pearson,
    rmse,
)
from annotation.scoring.outcome import SeedOutcome, human, served
from annotation.scoring.presets import Preset, hold_out_shares
from annotation.scoring.sanity import sanity
from annotation.scoring.splits import COMMON_SEED, source_groups
from annotation.scoring.strata import StratumItem, strata
from annotation.scoring.summary import summary

FORMAT = "bareme-evaluation/1"
CHOICE_FR = (
    "graine dont l'erreur (RMSE) est la plus faible sur la partie de validation que toutes ont en "
    "commun ; à égalité, la plus petite"
)
CHOICE_EN = (
    "the seed with the smallest error (RMSE) on the validation part that all seeds have in common; "
    "of equals the lowest"
)
_BINS = 9


def evaluation(data: TrainingSet, outcomes: Sequence[SeedOutcome]) -> dict[str, Any]:
    """Everything of the report that follows from data and scores alone; the same input gives the
    same report."""
    best = chosen(outcomes)
    of_seeds = [_of_seed(data, outcome) for outcome in outcomes]
    return {
        "format": FORMAT,
        "split": {
            "by": "source",
            "train": 0.6,
            "validation": 0.1,
            "test": 0.3,
            "validation_seed": COMMON_SEED,
        },
        "items": len(data.pairs),
        "summary": summary([seed["metrics"] for seed in of_seeds]),
        "mixed": summary([seed["mixed"] for seed in of_seeds]),
        "seeds": of_seeds,
        "strata": _strata(data, outcomes),
        "ceiling": _ceiling(data),
        "sanity": _sanity(data, outcomes),
        "calibration": _calibration(data, outcomes),
        "baselines": _baselines(data, outcomes),
        "chosen": {
            "seed": best.seed,
            "rule": {"fr": CHOICE_FR, "en": CHOICE_EN},
            **_intervals(data, best),
        },
        "against_baselines": _against_baselines(data, best),
    }


def chosen(outcomes: Sequence[SeedOutcome]) -> SeedOutcome:
    """The seed whose scorer is kept, by the rule that ``CHOICE_EN`` states: the test side plays no
    part."""
    return min(outcomes, key=lambda outcome: (outcome.validation_rmse, outcome.seed))


def against_mean(data: TrainingSet, repeat: OutOfFold) -> dict[str, Any]:
    """The new scorer's out-of-fold scores against the mean of the same folds' training labels, on
    every item: what stands in the place of a scorer in service while there is none. By the error
    alone: the mean says the same of every item of a fold, and has no correlation."""
    folds = repeat.folds
    mean = np.zeros(len(folds))
    for fold in np.unique(folds):
        mean[folds == fold] = data.labels[folds != fold].mean()
    groups = source_groups(data.originals)
    return asdict(
        compare(repeat.scores, mean, data.labels, groups=groups, folds=folds, seed=repeat.seed)
    )


def against_current(
    data: TrainingSet,
    repeat: OutOfFold,
    known: Sequence[float | None],
    version: int,
    false_accept: float | None,
    candidate_false_accept: float | None,
) -> dict[str, Any]:
    """The new scorer's out-of-fold scores against the one in service, on every item of which there
    is a score of that one (``known``) that has not learned from it. The probe's false accepts of
    both are of the same cases at the same place, or None for both."""
    places = [place for place, score in enumerate(known) if score is not None]
    report: dict[str, Any] = {
        "current": version,
        "current_false_accept": false_accept,
        "candidate_false_accept": candidate_false_accept,
        "result": None,
    }
    if len(places) < 3:
        return report | {
            "undefined": {
                "fr": f"L'évaluateur en service (v{version}) a appris de presque tous ces éléments "
                "sans en avoir de note hors pli, ou n'a pas pu être lu (voyez le journal).",
                "en": f"The scorer in service (v{version}) has learned from nearly all of these "
                "items without an out-of-fold score of them, or could not be read (see the log).",
            }
        }
    now = np.array([known[place] for place in places], dtype=np.float64)
    labels = data.labels[places]
    groups = source_groups([data.originals[place] for place in places])
    result = compare(
        repeat.scores[places],
        now,
        labels,
        groups=groups,
        folds=repeat.folds[places],
        seed=repeat.seed,
    )
    return report | {"result": asdict(result), "metrics": asdict(evaluate(now, labels))}


def preset_report(
    data: TrainingSet, preset: Preset, outcomes: Sequence[SeedOutcome]
) -> dict[str, Any]:
    """The published recipe that was followed, what it leaves open, and its sanity checks on the
    hold-out: mean ± sd over the seeds; None without a corpus to draw one from."""
    shares = [
        hold_out_shares(
            np.array(outcome.hold_out),
            preset.hold_out,
            data.lowest,
            data.highest,
            rounded=preset.rounded,
        )
        for outcome in outcomes
        if outcome.hold_out
    ]
    return {
        "name": preset.name,
        "source": preset.source,
        "parameters": dict(preset.parameters),
        "open": asdict(preset.open),
        "split": {"by": "row", "train": 0.6, "validation": 0.1, "test": 0.3},
        "hold_out": {
            "pairs": preset.hold_out,
            "rounded": preset.rounded,
            **{
                kind: {
                    "mean": float(np.mean([share[kind] for share in shares])),
                    "sd": float(np.std([share[kind] for share in shares], ddof=1))
                    if len(shares) > 1
                    else None,
                }
                for kind in ("identical", "unrelated")
            },
        }
        if shares
        else None,
    }


def _of_seed(data: TrainingSet, outcome: SeedOutcome) -> dict[str, Any]:
    labels, scores = human(data, outcome), served(outcome)
    mixed = evaluate(
        np.concatenate([scores, outcome.control_scores.served]),
        np.concatenate([labels, [pair["label"] for pair in outcome.controls]]),
    )
    return {
        "seed": outcome.seed,
        "sizes": outcome.sizes,
        "metrics": asdict(evaluate(scores, labels)),
        "learned": asdict(evaluate(np.array(outcome.scores.learned), labels)),
        "mixed": asdict(mixed),
        "validation_rmse": outcome.validation_rmse,
        "epochs": len(outcome.training_losses),
        "seconds": outcome.seconds,
    }


def _strata(data: TrainingSet, outcomes: Sequence[SeedOutcome]) -> list[dict[str, Any]]:
    by_stratum: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for outcome in outcomes:
        for stratum in strata(
            _items(data, outcome), served(outcome), bracket_tops=data.bracket_tops
        ):
            by_stratum[stratum.dimension, stratum.value].append(asdict(stratum.metrics))
    order = ("completeness", "bracket", "class", "length", "system")
    ordered = sorted(
        by_stratum,
        key=lambda stratum: (
            order.index(stratum[0].partition(":")[0]),
            stratum[0],
            _natural(stratum[1]),
        ),
    )
    return [
        {"dimension": name, "value": value, "summary": summary(by_stratum[name, value])}
        for name, value in ordered
    ]


def _natural(value: str) -> tuple[int, str]:
    # A system may be called «²», a digit that ``int`` does not read.
    return (int(value), "") if value.isdecimal() else (0, value)


def _items(data: TrainingSet, outcome: SeedOutcome) -> list[StratumItem]:
    chosen_pairs = (data.pairs[place] for place in outcome.test)
    return [
        StratumItem(
            pair.original,
            pair.simplification,
            pair.label,
            pair.finish_reason,
            pair.system,
            pair.classes,
        )
        for pair in chosen_pairs
    ]


def _ceiling(data: TrainingSet) -> dict[str, Any]:
    table = data.rating_table()
    return {**asdict(ceiling(table)), "two_way": asdict(two_way_reliability(table))}


def _sanity(data: TrainingSet, outcomes: Sequence[SeedOutcome]) -> list[dict[str, Any]]:
    """Control pairs of all seeds' test sources; by rule and learned apart."""
    kinds = np.array([pair["kind"] for outcome in outcomes for pair in outcome.controls])
    checks = []
    for source, name in (("ruled", "served"), ("learned", "learned")):
        scores = np.array(
            [score for outcome in outcomes for score in getattr(outcome.control_scores, name)]
        )
        ruled = np.array([score for outcome in outcomes for score in outcome.control_scores.ruled])
        for kind in ("identical", "unrelated"):
            inside = kinds == kind
            by_rule = ruled[inside] if source == "ruled" and inside.any() else None
            checks.append(
                asdict(
                    sanity(kind, source, scores[inside], data.lowest, data.highest, ruled=by_rule)
                )
            )
    return checks


def _calibration(data: TrainingSet, outcomes: Sequence[SeedOutcome]) -> list[dict[str, Any]]:
    edges: FloatArray = np.linspace(data.lowest, data.highest, _BINS + 1)
    scores = np.concatenate([served(outcome) for outcome in outcomes])
    labels = np.concatenate([human(data, outcome) for outcome in outcomes])
    return [asdict(bin_) for bin_ in calibration(scores, labels, edges)]


def _baselines(data: TrainingSet, outcomes: Sequence[SeedOutcome]) -> list[dict[str, Any]]:
    rows = []
    for name in outcomes[0].baselines:
        metrics = [
            asdict(evaluate(np.array(outcome.baselines[name]), human(data, outcome)))
            for outcome in outcomes
        ]
        label = BASELINE_WORDING[name]
        rows.append(
            {"name": name, "label": {"fr": label.fr, "en": label.en}, "summary": summary(metrics)}
        )
    return [*rows, *_current_row(data, outcomes)]


def _current_row(data: TrainingSet, outcomes: Sequence[SeedOutcome]) -> list[dict[str, Any]]:
    """The scorer in service on the items of each seed that it has not learned from."""
    metrics = []
    for outcome in outcomes:
        places = [place for place, score in enumerate(outcome.current) if score is not None]
        if places:
            scores = np.array([outcome.current[place] for place in places], dtype=np.float64)
            metrics.append(asdict(evaluate(scores, human(data, outcome)[places])))
    if not metrics:
        return []
    label = {
        "fr": "Évaluateur en service (éléments jamais vus)",
        "en": "Scorer in service (items it never saw)",
    }
    return [{"name": "current", "label": label, "summary": summary(metrics)}]


def _intervals(data: TrainingSet, outcome: SeedOutcome) -> dict[str, Any]:
    labels, scores = human(data, outcome), served(outcome)
    groups = source_groups([data.originals[place] for place in outcome.test])
    formulas: dict[str, Callable[[FloatArray, FloatArray], Metric]] = {
        "pearson": pearson,
        "rmse": lambda predictions, truth: Metric(rmse(predictions, truth)),
    }
    metrics: Metrics = evaluate(scores, labels)
    return {
        "metrics": asdict(metrics),
        "sources": len(np.unique(groups)),
        "intervals": {
            name: asdict(interval(scores, labels, formula, groups=groups, seed=outcome.seed))
            for name, formula in formulas.items()
        },
    }


def _against_baselines(data: TrainingSet, outcome: SeedOutcome) -> list[dict[str, Any]]:
    """Paired tests on the kept scorer's test items."""
    labels, scores = human(data, outcome), served(outcome)
    groups = source_groups([data.originals[place] for place in outcome.test])
    return [
        {
            "name": name,
            "label": {"fr": BASELINE_WORDING[name].fr, "en": BASELINE_WORDING[name].en},
            **asdict(compare(scores, np.array(values), labels, groups=groups, seed=outcome.seed)),
        }
        for name, values in outcome.baselines.items()
    ]
