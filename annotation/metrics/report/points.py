"""What a scatter plot of a metric against people is drawn from, and on which outputs both disagree
most."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.agreement.systems.figure import DIGITS
from annotation.metrics.report.correlations import why_not
from annotation.metrics.report.people import Candidate, FloatArray, People
from annotation.metrics.report.scale import exponent, significant, unit

MOST_POINTS = 600
"""Beyond these, marks hide each other and a report would be megabytes: outputs are counted in
cells."""
CELLS = 20
MOST_APART = 20


def people_points(people: People) -> dict[str, Any] | None:
    """The names and means of the outputs; None of more than ``MOST_POINTS``."""
    if len(people.outputs) > MOST_POINTS:
        return None
    return {
        "units": [output.unit for output in people.outputs],
        "values": [_short(value) for value in people.means],
    }


def line_points(candidate: Candidate, people: People) -> dict[str, Any]:
    """``values`` in the order of ``people_points``, None where there is none; of many outputs
    ``cells`` instead: ``counts`` by row of people (low to high) and column of the metric, between
    the ends ``metric`` and ``people``."""
    if len(people.outputs) <= MOST_POINTS:
        return {
            "values": [
                None if np.isnan(value) else significant(value) for value in candidate.values
            ]
        }
    kept = candidate.present
    if not kept.any():
        return {}
    human, values = people.means[kept], candidate.values[kept]
    counts, up, across = np.histogram2d(human, unit(values), bins=CELLS)
    across = np.ldexp(across, exponent(values))
    return {
        "cells": {
            "counts": counts.astype(int).tolist(),
            "metric": [_short(across[0]), _short(across[-1])],
            "people": [_short(up[0]), _short(up[-1])],
        }
    }


def apart(candidate: Candidate, people: People) -> list[dict[str, Any]]:
    """The ``MOST_APART`` outputs whose places among all of them differ most, the largest difference
    first and equal ones in the order of the outputs. A place is the share of outputs that are
    below, half of those that tie included, with the signs by which higher is better; empty where no
    correlation is defined."""
    kept = np.flatnonzero(candidate.present)
    human, values = people.means[kept], candidate.turned[kept]
    if why_not(values, human) is not None:
        return []
    by_people, by_metric = _places(people.turned[kept]), _places(values)
    differences = by_metric - by_people
    order = np.argsort(-np.round(np.abs(differences), DIGITS), kind="stable")[:MOST_APART]
    return [
        {
            "unit": people.outputs[kept[place]].unit,
            "system": people.outputs[kept[place]].system,
            "people": _short(human[place]),
            "metric": _short(candidate.values[kept[place]]),
            "place_people": _short(by_people[place]),
            "place_metric": _short(by_metric[place]),
            "difference": _short(differences[place]),
        }
        for place in order
    ]


def _places(values: FloatArray) -> FloatArray:
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    places: FloatArray = (below + upto) / (2 * len(values))
    return places


def _short(value: float) -> float:
    """Six digits that count: a picture needs no more."""
    return float(f"{value:.6g}") + 0.0
