"""An interval with each score: conformal prediction from out-of-fold residuals, and its coverage.

Residuals are those of repeated grouped cross-validation (cross-conformal: Vovk 2015), weighted by
source text as in hierarchical conformal prediction (Lee, Barber and Willett 2023, HCP): each of K
sources has weight 1 / (K + 1), shared by its items, and the remaining weight lies at infinity. For
one item a source this is the split-conformal quantile, the ⌈(1 - α)(K + 1)⌉-th smallest residual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.protocols.base import Wording
from annotation.scoring.bootstrap import interval_of_mean
from annotation.scoring.cross_validation import OutOfFold
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.metrics import FloatArray
from annotation.scoring.splits import IntArray, source_groups
from annotation.scoring.strata import looks_truncated

METHOD = "cross-conformal, absolute residual, sources weighted alike"
LEVEL = 0.9
NOT_MEASURED = Wording(
    "Cet évaluateur a été entraîné avant que des intervalles soient mesurés : relancez "
    "l'entraînement.",
    "This scorer was trained before intervals were measured: train again.",
)
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Around:
    """Between which scores people's label of a new pair lies, on the scale; None twice where it is
    undefined."""

    low: float | None
    high: float | None


def fewest_sources(level: float = LEVEL) -> int:
    """Under how many source texts no finite interval has this level."""
    return int(np.ceil(level / (1 - level) - _ROUNDING))


def half_width(residuals: FloatArray, groups: IntArray, level: float = LEVEL) -> float | None:
    """The weighted quantile of (n,) absolute residuals of sources ``groups``; None where their
    weights do not reach ``level``: the interval would have no end."""
    _sources, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    weights = 1 / ((len(sizes) + 1) * sizes[place.ravel()])
    order = np.argsort(residuals, kind="stable")
    reached = np.cumsum(weights[order]) >= level - _ROUNDING
    return float(residuals[order][np.argmax(reached)]) if reached.any() else None


def conformal(data: TrainingSet, repeats: Sequence[OutOfFold]) -> dict[str, Any]:
    """What is kept with a scorer and shown in its report: half-width, level, how many sources it
    rests on, and the coverage measured on items whose fold took no part in the quantile. Plain
    JSON."""
    groups = source_groups(data.originals)
    sources = int(groups.max()) + 1
    residuals = np.array([np.abs(repeat.scores - data.labels) for repeat in repeats])
    # A source's weight is shared by its items in all repeats.
    width = half_width(residuals.ravel(), np.tile(groups, len(repeats)))
    report = {
        "method": METHOD,
        "level": LEVEL,
        "half_width": width,
        "sources": sources,
        "items": len(data.pairs),
        "seeds": [repeat.seed for repeat in repeats],
    }
    if width is None:
        return report | {"undefined": asdict(_too_few(sources)), "coverage": None}
    return report | {"undefined": None, "coverage": _coverage(data, repeats, residuals, groups)}


def around(
    score: float, stored: Mapping[str, Any], lowest: float, highest: float
) -> tuple[Around, dict[str, str] | None]:
    """The interval of one score by what ``conformal`` gave, cut to the scale; where there is none,
    why, as {"fr", "en"}."""
    if not stored:
        return Around(None, None), asdict(NOT_MEASURED)
    width = stored["half_width"]
    if width is None:
        return Around(None, None), stored["undefined"]
    return Around(max(lowest, score - width), min(highest, score + width)), None


def _too_few(sources: int) -> Wording:
    needed = fewest_sources()
    return Wording(
        f"{sources} textes sources : il en faut au moins {needed} pour un intervalle à "
        f"{100 * LEVEL:.0f} %.",
        f"{sources} source texts: an interval at {100 * LEVEL:.0f} % takes at least {needed}.",
    )


def _coverage(
    data: TrainingSet, repeats: Sequence[OutOfFold], residuals: FloatArray, groups: IntArray
) -> dict[str, Any]:
    """Share of held-out labels inside an interval whose quantile comes from the other folds of the
    same repeat alone; all items, and those that were cut off or whole."""
    cut = np.array(
        [looks_truncated(pair.simplification, pair.finish_reason) for pair in data.pairs]
    )
    inside = np.array(
        [_inside(repeat, errors, groups) for repeat, errors in zip(repeats, residuals, strict=True)]
    )
    measured = ~np.isnan(inside).all(axis=0)
    # Each item's share of the repeats in which its label lies inside.
    share = np.nanmean(inside[:, measured], axis=0)
    groups, cut = groups[measured], cut[measured]
    parts: dict[str, npt.NDArray[np.bool_]] = {
        "all": np.ones(len(share), dtype=bool),
        "whole": ~cut,
        "truncated": cut,
    }
    return {name: _rate(share[part], groups[part], repeats[0].seed) for name, part in parts.items()}


def _inside(repeat: OutOfFold, errors: FloatArray, groups: IntArray) -> FloatArray:
    """(n,) 1 inside, 0 outside, NaN where the other folds hold too few sources."""
    folds = np.array(repeat.fold)
    inside = np.full(len(folds), np.nan)
    for fold in np.unique(folds):
        held = folds == fold
        width = half_width(errors[~held], groups[~held])
        if width is not None:
            # An error as large as the quantile is inside, whichever scores both are between.
            inside[held] = errors[held] <= width + _ROUNDING
    return inside


def _rate(share: FloatArray, groups: IntArray, seed: int) -> dict[str, Any]:
    value = float(share.mean()) if len(share) else None
    interval = interval_of_mean(share, groups, seed)
    return {"value": value, "items": len(share), "low": interval.low, "high": interval.high}
