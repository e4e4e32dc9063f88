"""Near-duplicate texts: those that share most of their word trigrams, found without comparing all
pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

from annotation.scoring.similarity import words

SHINGLE = 3
NEAR = 0.9
# A trigram of a hundred texts is boilerplate; it would cost much and tell nothing.
_COMMON = 100


def near_duplicates(texts: Sequence[str], threshold: float = NEAR) -> list[tuple[int, int]]:
    """Position pairs (i < j) whose word trigrams have a Jaccard index (Broder 1997) of at least
    ``threshold``."""
    shingles = [_shingles(text) for text in texts]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, held in enumerate(shingles):
        for shingle in held:
            holders[shingle].append(place)
    shared: Counter[tuple[int, int]] = Counter()
    for places in holders.values():
        if len(places) <= _COMMON:
            shared.update(combinations(places, 2))
    return sorted(
        (first, second)
        for (first, second), count in shared.items()
        if count >= 0.5 * threshold * min(len(shingles[first]), len(shingles[second]))
        and _jaccard(shingles[first], shingles[second]) >= threshold
    )


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    tokens = words(text)
    return frozenset(zip(*(tokens[start:] for start in range(SHINGLE)), strict=False)) or frozenset(
        [tuple(tokens)]
    )


def _jaccard(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    return len(first & second) / len(first | second)
