"""Small sets of ratings for the mixed models."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from annotation.agreement.systems.figure import Figure
from annotation.agreement.systems.table import SystemRatings
from annotation.protocols.base import Level, Wording

Row = tuple[str, str, str, float]

# Machines of nlme (Milliken and Johnson 1992): six workers, three machines, three times each.
_MACHINES = {
    "A": (
        "52.0 52.8 53.1 51.8 52.8 53.1 60.0 60.2 58.4 51.1 52.3 50.3 50.9 51.8 51.4 46.4 44.8 49.2"
    ),
    "B": (
        "62.1 62.6 64.0 59.7 60.0 59.0 68.6 65.8 69.7 63.2 62.8 62.2 64.8 65.0 65.4 43.7 44.2 43.0"
    ),
    "C": (
        "67.5 67.2 66.9 61.5 61.7 62.3 70.8 70.6 71.0 64.1 66.2 64.0 72.1 72.0 71.1 62.0 61.4 60.5"
    ),
}


def value(figure: Figure) -> float:
    """What it is, where there is one."""
    assert figure.value is not None
    return figure.value


def bounds(figure: Figure) -> tuple[float, float]:
    """Its interval, where there is one."""
    assert figure.interval is not None
    assert figure.interval.low is not None
    assert figure.interval.high is not None
    return figure.interval.low, figure.interval.high


def reason(figure: Figure) -> Wording | None:
    """Why it has no interval."""
    assert figure.interval is not None
    return figure.interval.undefined


def ratings(rows: Sequence[Row], level: Level = Level.ORDINAL) -> SystemRatings:
    """Ratings (system, source, annotator, value), in order of their names; an output is a system's
    of a source."""
    systems, system = np.unique([row[0] for row in rows], return_inverse=True)
    sources, source = np.unique([row[1] for row in rows], return_inverse=True)
    raters, rater = np.unique([row[2] for row in rows], return_inverse=True)
    scale, place = np.unique([row[3] for row in rows], return_inverse=True)
    return SystemRatings(
        level,
        scale.astype(np.float64),
        tuple(systems.tolist()),
        tuple(sources.tolist()),
        tuple(raters.tolist()),
        source * len(systems) + system,
        system,
        source,
        rater,
        place,
    )


def crossed(values: Sequence[Sequence[Sequence[float]]]) -> SystemRatings:
    """``values[system][source][annotator]``, NaN where somebody did not judge."""
    return ratings(
        [
            ("abcdef"[s], f"text {t:03}", "ABCDEF"[a], value)
            for s, texts in enumerate(values)
            for t, people in enumerate(texts)
            for a, value in enumerate(people)
            if not math.isnan(value)
        ]
    )


def machines() -> SystemRatings:
    """A machine as a system, a worker as a source, the first, second and third time as a person."""
    return ratings(
        [
            (machine, f"worker {place // 3}", "123"[place % 3], float(score))
            for machine, scores in _MACHINES.items()
            for place, score in enumerate(scores.split())
        ],
        Level.INTERVAL,
    )


def wine() -> SystemRatings:
    """Bitterness of wine (Randall 1989, as in the R package ordinal): temperature as a system,
    contact with the skins as a person; 72 ratings, dealt over nine sources in their order."""
    counts = {
        ("cold", "no"): (4, 9, 5, 0, 0),
        ("cold", "yes"): (1, 7, 8, 2, 0),
        ("warm", "no"): (0, 5, 8, 3, 2),
        ("warm", "yes"): (0, 1, 5, 7, 5),
    }
    rows = [
        (temperature, contact, float(value))
        for (temperature, contact), numbers in counts.items()
        for value, number in enumerate(numbers, start=1)
        for _ in range(number)
    ]
    return ratings([(row[0], f"{at % 9}", row[1], row[2]) for at, row in enumerate(rows)])
