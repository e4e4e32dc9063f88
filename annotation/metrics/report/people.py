"""What a report starts from: human scores of simplifications, and what each metric says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from annotation.agreement.systems.figure import DIGITS
from annotation.metrics.metric import Direction, Kind, Reading, is_outside
from annotation.metrics.report.scale import exponent, settled, significant, significants
from annotation.protocols.base import Better, Wording
from annotation.scoring.splits import source_groups

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Output:
    """A judged simplification; what is "" is unknown and forms no stratum."""

    unit: str
    original: str
    simplification: str
    system: str = ""
    finish_reason: str = ""
    majority: str = ""
    """The class that most people gave it."""
    source: str = ""
    """What tells its source text from others; else the original does."""


OUTPUTS, AUGMENTED, REFERENCES = "outputs", "augmented", "references"
"""What may stand beside the outputs: control pairs, and outputs of the systems that are the
references."""


@dataclass(frozen=True, eq=False)
class Beside:
    """What a figure can count beside the (n,) outputs. ``means`` (m,): what people say of it, or
    what it must get; ``groups`` (n + m,): the numbers of the source texts of both."""

    means: FloatArray
    groups: IntArray


@dataclass(frozen=True, eq=False)
class People:
    """Outputs (n) with their ratings (n, people), NaN where somebody did not judge; each has one or
    more. ``lowest`` and ``highest``: the ends of the human scale. ``beside``: by ``AUGMENTED`` or
    ``REFERENCES``. ``better``: which way on that scale; where neither is, numbers stand as if
    higher were, and no metric is the best."""

    outputs: tuple[Output, ...]
    ratings: FloatArray
    lowest: float
    highest: float
    beside: Mapping[str, Beside] = field(default_factory=dict)
    better: Better = Better.HIGHER

    @property
    def direction(self) -> Direction:
        """Of whatever is told on the human scale itself."""
        return Direction.LOWER if self.better == Better.LOWER else Direction.HIGHER

    @property
    def ends(self) -> tuple[float, float]:
        """The worst and the best end of the human scale."""
        ends = self.lowest, self.highest
        return ends[::-1] if self.better == Better.LOWER else ends

    def turn(self, values: FloatArray) -> FloatArray:
        """Numbers on the human scale with the sign by which higher is better."""
        return -values if self.better == Better.LOWER else values

    @cached_property
    def turned(self) -> FloatArray:
        """The people's means with the sign by which higher is better, (n,)."""
        return self.turn(self.means)

    @cached_property
    def means(self) -> FloatArray:
        """The people's mean of each output, (n,), as ``settled``: whatever is compared or ranked
        takes these."""
        return settled(np.nanmean(self.ratings, axis=1), self.lowest, self.highest)

    @cached_property
    def groups(self) -> IntArray:
        """The number of each output's source text, (n,)."""
        return _groups(self.outputs)

    def with_beside(self, name: str, outputs: Sequence[Output], means: FloatArray) -> People:
        """The same, with these beside, their means ``settled``; unchanged where there are none."""
        if not outputs:
            return self
        means = settled(means, self.lowest, self.highest)
        beside = Beside(means, _groups((*self.outputs, *outputs)))
        return replace(self, beside={**self.beside, name: beside})


def _groups(outputs: Sequence[Output]) -> IntArray:
    if all(output.source for output in outputs):
        sources = np.array([output.source for output in outputs])
        return np.unique(sources, return_inverse=True)[1].astype(np.int64).ravel()
    return source_groups([output.original for output in outputs])


@dataclass(frozen=True)
class Cost:
    """What a machine judge's answers have cost: ``usd`` for ``pairs`` of them, every call counted
    (None where nobody gave a price), and tokens read and written for the ``counted`` of them."""

    pairs: int
    usd: float | None
    tokens: int | None
    counted: int

    def as_dict(self) -> dict[str, float | int | None]:
        """JSON-safe; of one pair."""
        return {
            "pairs": self.pairs,
            "usd_per_pair": None if self.usd is None else round(self.usd / self.pairs, 8),
            "tokens_per_pair": (
                None if self.tokens is None else round(self.tokens / self.counted, 1)
            ),
        }


@dataclass(frozen=True, eq=False)
class Candidate:
    """What stands on one line. ``values`` (n,) in the order of the outputs, NaN where undefined;
    rounded, since what a formula gives twice may differ by its last digit, and would be two ranks:
    what was computed here to twelve digits after the point, as a difference of two equal numbers
    may leave 1e-16 instead of 0; what was brought in, whose size nobody knows, as it is written,
    to twelve digits that count. ``missing``: how often for each code of ``metric.UNDEFINED``.
    ``identical`` and ``unrelated``: the values of control pairs, None where there are none.
    ``beside``: the values of what stands beside the outputs, as in ``People.beside``.
    ``is_brought``: from a file. ``why``: what kept it from being computed at all."""

    name: str
    label: Wording
    direction: Direction
    bounds: tuple[float, float] | None
    signature: str
    values: FloatArray
    missing: Mapping[str, int] = field(default_factory=dict)
    identical: FloatArray | None = None
    unrelated: FloatArray | None = None
    is_baseline: bool = False
    is_brought: bool = False
    kind: Kind = Kind.METRIC
    cost: Cost | None = None
    why: Wording | None = None
    beside: Mapping[str, FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = significants(self.values) if self.is_brought else np.round(self.values, DIGITS)
        object.__setattr__(self, "values", values)

    @cached_property
    def present(self) -> BoolArray:
        """Where it is defined, (n,)."""
        return ~np.isnan(self.values)

    @cached_property
    def turned(self) -> FloatArray:
        """The values with the sign by which higher is better."""
        return -self.values if self.direction == Direction.LOWER else self.values

    def scaled(self, lowest: float, highest: float) -> FloatArray | None:
        """The values on the human scale, worst end on ``lowest``, that scale's own worst
        (``People.ends``); None where the metric has no ends or none is better. What lies past an
        end is put on it: ``outside`` says how many do."""
        if self.bounds is None or self.direction == Direction.NEITHER:
            return None
        worst, best = self.bounds if self.direction == Direction.HIGHER else self.bounds[::-1]
        # By a power of two, which changes no digit: the width of a range is finite, and not 0.
        by = -exponent(np.array(self.bounds)) - 1
        worst, best = float(np.ldexp(worst, by)), float(np.ldexp(best, by))
        with np.errstate(over="ignore"):  # a value far past an end is put on it
            shares: FloatArray = np.clip((np.ldexp(self.values, by) - worst) / (best - worst), 0, 1)
        return lowest + shares * (highest - lowest)

    def written(self, value: float) -> float:
        """A number on the metric's own scale (a mean, a difference) as it is written: of what was
        brought in as its values are, else to twelve digits after the point."""
        return significant(value) if self.is_brought else round(value, DIGITS) + 0.0

    def outside(self) -> dict[str, int]:
        """How many values lie past the ends of the metric's range, by what they are of: outputs, or
        what stands beside them. Those of which none does are left out."""
        if self.bounds is None:
            return {}
        number = {
            name: sum(is_outside(value, *self.bounds) for value in values[~np.isnan(values)])
            for name, values in {OUTPUTS: self.values, **self.beside}.items()
        }
        return {name: past for name, past in number.items() if past}


def read(readings: Sequence[Reading]) -> tuple[FloatArray, dict[str, int]]:
    """Readings as an array with NaN, and how often each reason stands there."""
    values = [np.nan if isinstance(reading, str) else reading for reading in readings]
    return np.array(values, dtype=np.float64), dict(
        Counter(reading for reading in readings if isinstance(reading, str))
    )
