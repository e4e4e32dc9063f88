"""Parts of the outputs in which a metric may fail while it does well on the whole."""

from __future__ import annotations

import numpy as np

from annotation.metrics.report.people import BoolArray, People
from annotation.scoring.strata import length_class, looks_truncated

MOST_VALUES = 40
"""Of one dimension: a study of a hundred systems would have a table that nobody reads."""


def strata(people: People) -> list[tuple[str, str, BoolArray]]:
    """Dimension, value and which outputs (n,) have it, dimensions in a fixed order and values
    sorted; no dimension of which all outputs have one value."""
    parts = []
    for dimension, values in _values(people).items():
        named = sorted({value for value in values if value})
        if len(named) < 2 or len(named) > MOST_VALUES:
            continue
        column = np.array(values)
        parts += [(dimension, value, column == value) for value in named]
    return parts


def _values(people: People) -> dict[str, list[str]]:
    outputs = people.outputs
    cut = [looks_truncated(output.simplification, output.finish_reason) for output in outputs]
    return {
        "completeness": ["truncated" if is_cut else "whole" for is_cut in cut],
        "half": _halves(people),
        "length": [length_class(output.original) for output in outputs],
        "majority": [output.majority for output in outputs],
        "system": [output.system for output in outputs],
    }


def _halves(people: People) -> list[str]:
    """The half that people score lower and the one that they score higher, as in Simplicity-DA;
    what equals the median is low."""
    middle = float(np.median(people.means))
    return ["low" if mean <= middle else "high" for mean in people.means]
