"""The outputs whose answers changed most between two studies."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.studies.table import Both

MOST = 20
_SAME = 1e-9


class Changed(NamedTuple):
    """One output: its units in both studies, its system ("" where the two do not name the same),
    its answers in each, their means (of classes: None), and the change of the mean (of classes: the
    share of answers that would have to change)."""

    first: Hashable
    second: Hashable
    system: str
    answers: tuple[int, int]
    means: tuple[float | None, float | None]
    change: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "system": self.system,
            "answers": list(self.answers),
            "means": list(self.means),
            "change": self.change,
        }


def largest_changes(table: Both) -> tuple[Changed, ...]:
    """The ``MOST`` outputs that changed most, equal ones in the order of the first study; none that
    did not change."""
    numbers = [table.answers(side).sum(axis=1) for side in table.sides]
    shares = [table.shares(side) for side in table.sides]
    means = [answers @ table.scale for answers in shares]
    gaps = shares[1] - shares[0]
    sizes = gaps @ table.scale if table.is_scale else np.abs(gaps).sum(axis=1) / 2
    order = np.argsort(-np.round(np.abs(sizes), 9), kind="stable")[:MOST]

    def changed(at: int) -> Changed:
        pair, of = table.pairs[at], [float(side[at]) for side in means]
        return Changed(
            pair.first,
            pair.second,
            pair.system,
            (int(numbers[0][at]), int(numbers[1][at])),
            (round(of[0], 12), round(of[1], 12)) if table.is_scale else (None, None),
            round(float(sizes[at]), 12),
        )

    return tuple(changed(at) for at in order.tolist() if abs(sizes[at]) > _SAME)
