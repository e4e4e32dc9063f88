"""How far the final labels of two studies agree: what a reader of either would take from it.

Labels are made as a snapshot makes them by default: the majority of classes, ties drawn by the
seed; the mean of a scale (Beauchemin et al. 2025, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.consensus import Provenance, Rule, consensus
from annotation.agreement.studies.table import Both, Side
from annotation.agreement.studies.wording import NO_SPREAD, ONE_CLASS
from annotation.agreement.systems.figure import Drawn, Figure, figure, undefined
from annotation.agreement.systems.resampling import drawn_totals, ratios, sources_interval
from annotation.agreement.systems.wording import NO_MEAN
from annotation.agreement.table import FloatArray, Ratings
from annotation.protocols.base import Wording

_SAME = 1e-9
_ORDER = Wording(
    "Sans objet\u00a0: les étiquettes de cette échelle sont des moyennes, qui se comparent par "
    "leur corrélation et leur écart.",
    "Does not apply: labels on this scale are means, compared by their correlation and distance.",
)


@dataclass(frozen=True)
class LabelsAgreement:
    """Of classes: the share of outputs with the same label, Cohen's (1960) kappa of the two, and
    how many labels a draw decided in each. Of scales: Pearson's correlation of the means and their
    mean distance in points. What does not apply is undefined in words."""

    same: Figure
    kappa: Figure
    drawn: tuple[int, int]
    correlation: Figure
    distance: Figure

    def as_dict(self) -> dict[str, Any]:
        return {
            "same_label": self.same.as_dict(),
            "kappa": self.kappa.as_dict(),
            "labels_drawn": dict(zip(("first", "second"), self.drawn, strict=True)),
            "correlation": self.correlation.as_dict(),
            "distance": self.distance.as_dict(),
        }


def labels_agreement(table: Both, drawn: Drawn) -> LabelsAgreement:
    """Of one dimension; source texts are drawn with their outputs. Ties are drawn by the seed and
    the output's place: equal distributions in both studies draw the same label."""
    if table.is_scale:
        return _scales(table, drawn)
    labels, ties = zip(*(_majorities(table, side, drawn.seed) for side in table.sides), strict=True)
    k = len(table.scale)
    joint = np.zeros((len(table.pairs), k, k))
    joint[np.arange(len(table.pairs)), labels[0], labels[1]] = 1
    columns = table.by_source(joint.reshape(len(table.pairs), k * k))
    totals = drawn_totals(columns, draws=drawn.draws, seed=drawn.seed).reshape(-1, k, k)
    whole = columns.sum(axis=0).reshape(1, k, k)
    same, kappa = (
        _figure(table, name, float(of(whole)[0]), of(totals), drawn, ONE_CLASS)
        for name, of in (("same_label", _same), ("label_kappa", _kappa))
    )
    nothing = undefined(NO_MEAN, table.counts)
    return LabelsAgreement(same, kappa, (ties[0], ties[1]), nothing, nothing)


def _majorities(table: Both, side: Side, seed: int) -> tuple[list[int], int]:
    """The label of each pair as a place on the scale, and how many a draw decided."""
    ratings = Ratings.from_long(
        side.pair.tolist(), side.person.tolist(), table.scale[side.place].tolist()
    )
    labels = consensus(ratings, Rule.MAJORITY, seed).labels
    values = [label.value for label in labels if label.value is not None]
    places = np.searchsorted(table.scale, np.asarray(values)).tolist()
    return places, sum(label.provenance == Provenance.DRAWN for label in labels)


def _same(joint: FloatArray) -> FloatArray:
    return ratios(np.trace(joint, axis1=1, axis2=2), joint.sum(axis=(1, 2)))


def _kappa(joint: FloatArray) -> FloatArray:
    """Cohen (1960), Educational and Psychological Measurement 20: (o − e) / (1 − e); NaN where
    chance agreement is total."""
    total = joint.sum(axis=(1, 2))
    chance = ratios((joint.sum(axis=1) * joint.sum(axis=2)).sum(axis=1), total**2)
    return ratios(_same(joint) - chance, 1 - chance)


def _scales(table: Both, drawn: Drawn) -> LabelsAgreement:
    x, y = (table.shares(side) @ table.scale for side in table.sides)
    ones = np.ones(len(x))
    columns = table.by_source(np.column_stack([ones, x, y, x * x, y * y, x * y, np.abs(x - y)]))
    totals = drawn_totals(columns, draws=drawn.draws, seed=drawn.seed)
    whole = columns.sum(axis=0)[None, :]
    correlation, distance = (
        _figure(table, name, float(of(whole)[0]), of(totals), drawn, NO_SPREAD)
        for name, of in (("label_correlation", _pearson), ("label_distance", _distance))
    )
    nothing = undefined(_ORDER, table.counts)
    return LabelsAgreement(nothing, nothing, (0, 0), correlation, distance)


def _pearson(totals: FloatArray) -> FloatArray:
    n, x, y, xx, yy, xy, _gap = totals.T
    spread_x, spread_y = xx - x * x / n, yy - y * y / n
    product = np.sqrt(np.maximum(spread_x, 0) * np.maximum(spread_y, 0))
    return ratios(xy - x * y / n, np.where(product > _SAME * n, product, 0.0))


def _distance(totals: FloatArray) -> FloatArray:
    return ratios(totals[:, 6], totals[:, 0])


def _figure(
    table: Both, name: str, value: float, draws: FloatArray, drawn: Drawn, reason: Wording
) -> Figure:
    if np.isnan(value):
        return undefined(reason, table.counts)
    interval = sources_interval(value, draws, sources=table.sources, confidence=drawn.confidence)
    return figure(name, value, interval, table.counts, drawn)
