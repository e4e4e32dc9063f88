"""Modelled labels beside people's majority: where they differ, and which ties they settle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.consensus import (
    SETTLED_ABOVE,
    Label,
    Provenance,
    Rule,
    consensus,
    rater_severities,
)
from annotation.agreement.modelled.crowd import Modelled
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level

SURE_ABOVE = 0.9
_SMALLEST, _DIGITS = 5e-7, 6


@dataclass(frozen=True)
class ComparedLabel:
    """One unit on which the model adds something: it was a tie, or the most probable label is not
    the majority's. ``majority`` is None in a tie, whose values are ``tied``."""

    unit: str
    distribution: tuple[tuple[float, int], ...]
    majority: float | None
    tied: tuple[float, ...]
    label: float
    posterior: float

    @property
    def is_settled(self) -> bool:
        """Whether a tie goes to this label before the lot: it is one of the tied values, and more
        probable than not."""
        return self.label in self.tied and self.posterior > SETTLED_ABOVE

    def as_dict(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "distribution": {f"{value:g}": count for value, count in self.distribution},
            "majority": self.majority,
            "tied": list(self.tied),
            "label": self.label,
            "posterior": round(self.posterior, _DIGITS),
            "settles": self.is_settled,
        }


def compared_labels(ratings: Ratings, model: Modelled) -> list[ComparedLabel]:
    """Every unit that is a tie, or that the model labels otherwise than most people did, in order
    of units."""
    labels = {label.unit: label for label in consensus(ratings, Rule.MAJORITY).labels}
    best = model.posteriors.argmax(axis=1).tolist()
    compared = []
    for row, unit in enumerate(model.unit_ids):
        people, place = labels[unit], best[row]
        label, posterior = model.values[place], float(model.posteriors[row, place])
        is_tie = people.provenance == Provenance.DRAWN
        if is_tie or people.value != label:
            compared.append(_compared(people, label, posterior, is_tie=is_tie))
    return compared


def _compared(people: Label, label: float, posterior: float, *, is_tie: bool) -> ComparedLabel:
    majority = None if is_tie else people.value
    return ComparedLabel(
        str(people.unit), people.distribution, majority, people.tied, label, posterior
    )


def posteriors_of(model: Modelled) -> dict[str, dict[float, float]]:
    """The posterior of each value by unit, rounded; those that round to 0 are left out."""
    return {
        str(unit): {
            value: round(share, _DIGITS)
            for value, share in model.probabilities(row).items()
            if share > _SMALLEST
        }
        for row, unit in enumerate(model.unit_ids)
    }


def model_report(ratings: Ratings, model: Modelled) -> dict[str, Any]:
    """All that is shown and stored of one model, JSON-safe."""
    compared = compared_labels(ratings, model)
    ties = [label for label in compared if label.tied]
    return {
        "method": model.method,
        "package": model.package,
        "signature": model.signature,
        "units": len(model.unit_ids),
        "annotators": len(model.reliability),
        "ratings": model.ratings,
        "iterations": model.iterations,
        "seed": model.seed,
        "restarts": model.restarts,
        "log_likelihood": None
        if model.log_likelihood is None
        else round(model.log_likelihood, _DIGITS),
        "unsteady": model.unsteady,
        "otherwise": sum(not label.tied for label in compared),
        "ties": len(ties),
        "settled": sum(tie.is_settled for tie in ties),
        "sure": sum(tie.is_settled and tie.posterior > SURE_ABOVE for tie in ties),
        "reliability": {str(rater): round(share, _DIGITS) for rater, share in model.reliability},
        "compared": [label.as_dict() for label in compared],
    }


def people_report(ratings: Ratings, level: Level) -> dict[str, dict[str, float | int | None]]:
    """By rater how many answers they gave; on scales their mean, and the severity in points that
    adjusted means take off (``rater_severities``; below zero gives lower values)."""
    counts = ratings.ratings_per_rater
    report: dict[str, dict[str, float | int | None]] = {
        str(rater): {"ratings": int(count), "mean": None, "severity": None}
        for rater, count in zip(ratings.rater_ids, counts.tolist(), strict=True)
        if count
    }
    if level == Level.NOMINAL:
        return report
    sums = np.bincount(ratings.rater_index, weights=ratings.values, minlength=ratings.n_raters)
    severities = rater_severities(ratings)
    for place, rater in enumerate(ratings.rater_ids):
        if counts[place]:
            person = report[str(rater)]
            person["mean"] = round(float(sums[place] / counts[place]), _DIGITS)
            person["severity"] = round(float(severities[place]), _DIGITS) + 0.0
    return report


def with_posteriors(report: Mapping[str, Any], model: Modelled) -> dict[str, Any]:
    """The report with the posteriors of every unit, as JSON keeps them."""
    return {
        **report,
        "posteriors": {
            unit: {f"{value:g}": share for value, share in shares.items()}
            for unit, shares in posteriors_of(model).items()
        },
    }
