"""What a missing full stop says: a text that a length limit cut off, or a full stop left out.

In data where outputs were cut, those that were are long, and most end in the middle of a clause; a
short text without a last mark lacks the mark. The features of a pair are read from its
simplification with the mark that it should have, so that a full stop alone changes next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from workers.scorers.base import Pair
from workers.scorers.lexicon import FUNCTION_WORDS
from workers.scorers.text import Text

_FEWEST_CUT = 5
_LOW = 5
_MARGIN = 0.9


@dataclass(frozen=True)
class Endings:
    """``shortest_cut``: from how many words on a text without a last mark may have been cut; None
    where training held next to none without one."""

    shortest_cut: int | None

    @classmethod
    def learned(cls, pairs: Sequence[Pair]) -> Self:
        """Nine tenths of the length of the shortest texts without a last mark, the shortest
        twentieth of them left aside."""
        lengths = [
            len(text.words)
            for text in (Text(pair.simplification, pair.language) for pair in pairs)
            if not text.is_closed
        ]
        if len(lengths) < _FEWEST_CUT:
            return cls(None)
        return cls(int(_MARGIN * float(np.percentile(lengths, _LOW))))

    def read(self, pair: Pair) -> Pair:
        """The pair as its features are read: with a last mark where a short text that does not end
        in the middle of a clause, or one that ends as its original does, lacks it."""
        text = Text(pair.simplification, pair.language)
        if text.is_closed or not text.words:
            return pair
        stems = Text(pair.original, pair.language).stems
        ends_alike = bool(stems) and stems[-1] == text.stems[-1]
        is_short = self.shortest_cut is None or len(text.words) < self.shortest_cut
        if ends_alike or (is_short and text.words[-1] not in FUNCTION_WORDS):
            return replace(pair, simplification=f"{text.plain}.")
        return pair
