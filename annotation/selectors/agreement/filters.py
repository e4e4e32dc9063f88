"""Which judgments the page on agreement is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from annotation.corpus.readability import readability
from annotation.models import Study
from annotation.selectors.agreement.facts import pair_texts

LENGTHS: dict[str, tuple[float, float]] = {
    "short": (0, 30),
    "medium": (30, 60),
    "long": (60, 100),
    "very_long": (100, float("inf")),
}
"""Words of the original, from the first number on and below the second."""
EASE: dict[str, tuple[float, float]] = {
    "very_hard": (float("-inf"), 20),
    "hard": (20, 35),
    "fair": (35, 50),
    "easy": (50, float("inf")),
}
"""Kandel and Moles's reading ease of the original; a study keeps what scores at most 50."""
LEFT_OUT = "left_out"
"""Of who has withdrawn: as snapshots have it."""


@dataclass(frozen=True)
class Filters:
    """What the lead chose; "" is no choice. ``majority`` is a class: a value of the protocol's
    first dimension of classes, or ``<dimension>:<value>``. ``system`` is a name, ``kind`` of
    annotator, ``context`` "shown" or "not_shown", ``withdrawn`` LEFT_OUT."""

    round: str = "main"
    kind: str = ""
    majority: str = ""
    system: str = ""
    length: str = ""
    ease: str = ""
    context: str = ""
    withdrawn: str = ""

    @property
    def of_pairs(self) -> bool:
        """Whether some pairs are left out."""
        return any((self.majority, self.system, self.length, self.ease))

    @property
    def has_withdrawn(self) -> bool:
        """Whether answers of people who have withdrawn are looked at."""
        return self.withdrawn != LEFT_OUT

    @property
    def class_dimension(self) -> str:
        """The dimension of the class that was chosen; "" for the protocol's first."""
        return self.majority.rpartition(":")[0]

    @property
    def class_value(self) -> str:
        return self.majority.rpartition(":")[2]

    @property
    def context_shown(self) -> bool | None:
        """The arm that is asked for; None for both."""
        return self.context == "shown" if self.context else None

    def chosen(self) -> dict[str, str]:
        """What differs from the whole main round, as in an address."""
        values = {
            filter_field.name: (getattr(self, filter_field.name), filter_field.default)
            for filter_field in fields(self)
        }
        return {
            name: value for name, (value, default) in values.items() if value not in ("", default)
        }

    def __str__(self) -> str:
        """For signatures: ``round:main|system:mistral``."""
        return "|".join(
            f"{name}:{value}" for name, value in ({"round": self.round} | self.chosen()).items()
        )


def chosen_pairs(study: Study, filters: Filters, classes: Mapping[int, int]) -> set[int]:
    """The ids of the simplifications that the filters keep; ``classes``: the majority's on
    ``filters.class_dimension``."""
    kept = set()
    for pair in pair_texts(study, round=filters.round):
        if filters.system and pair.system != filters.system:
            continue
        if filters.majority and str(classes.get(pair.simplification, "")) != filters.class_value:
            continue
        if filters.length and not _inside(LENGTHS[filters.length], pair.words):
            continue
        if filters.ease and not _inside(EASE[filters.ease], readability(pair.original).score):
            continue
        kept.add(pair.simplification)
    return kept


def _inside(band: tuple[float, float], value: float | None) -> bool:
    return value is not None and band[0] <= value < band[1]
