"""A line that says how a number was computed, to be copied beside it, as sacrebleu does (Post 2018,
section 4)."""

from __future__ import annotations

from dataclasses import dataclass

METHOD = "bareme-agreement"
VERSION = "4"
"""Counted up whenever the same ratings, seed and draws would give another number. Since 2: an
operation of the pair as a whole agrees with its like by every rule of matching; what is no error is
counted among none; a component of source texts below 0 is left out of the model. Since 3:
alpha of one unit alone is undefined. Since 4: an interval over items holds its own value, and there
is none where the value is the same whichever items are drawn."""


@dataclass(frozen=True)
class Signature:
    """What a reader needs in order to compute the same number again.

    ``items`` with at least one rating, of which ``pairable`` have two or more; ``options`` are
    further name–value pairs (tolerance, weights, scale) in the order in which they are shown.
    """

    coefficient: str
    level: str
    items: int
    pairable: int
    annotators: int
    ratings: int
    draws: int
    seed: int
    options: tuple[tuple[str, str], ...] = ()
    version: str = VERSION

    def __str__(self) -> str:
        """For instance
        ``alpha|level:ordinal|items:297|annotators:5|ratings:1485|draws:1000|seed:42|version:4``.

        ``pairable`` stands there only where it differs from ``items``.
        """
        parts = [self.coefficient]
        if self.level:
            parts.append(f"level:{self.level}")
        parts += [f"{name}:{value}" for name, value in self.options]
        parts.append(f"items:{self.items}")
        if self.pairable != self.items:
            parts.append(f"pairable:{self.pairable}")
        parts += [f"annotators:{self.annotators}", f"ratings:{self.ratings}"]
        parts += [f"draws:{self.draws}", f"seed:{self.seed}", f"version:{self.version}"]
        return "|".join(parts)
