"""How often each operation was marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.protocols.edits import SIDES, MarkedPair


@dataclass(frozen=True)
class OperationCount:
    """One operation: its ``edits``, the ``pairs`` that have one or more, and the tokens that it
    marks on each side, of several edits on a token each."""

    edits: int
    pairs: int
    original_tokens: int
    simplification_tokens: int


@dataclass(frozen=True)
class Counts:
    """Of some pairs, each of them once for every annotator: those with the same tokens on both
    sides (``identical``), those without an edit (``unmarked``); the ``operations`` by name, the
    most frequent first."""

    pairs: int
    identical: int
    unmarked: int
    original_tokens: int
    simplification_tokens: int
    operations: dict[str, OperationCount]

    @property
    def edits(self) -> int:
        """All edits."""
        return sum(one.edits for one in self.operations.values())

    @property
    def occurrences(self) -> int:
        """Operations of pairs, each once for a pair: what ASSETann counts as its operations."""
        return sum(one.pairs for one in self.operations.values())

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe; shares 0–1, None of nothing."""
        return {
            "pairs": self.pairs,
            "identical": self.identical,
            "unmarked": self.unmarked,
            "original_tokens": self.original_tokens,
            "simplification_tokens": self.simplification_tokens,
            "edits": self.edits,
            "occurrences": self.occurrences,
            "operations": {
                kind: {
                    **vars(one),
                    "share_of_edits": one.edits / self.edits,
                    "share_of_occurrences": one.pairs / self.occurrences,
                }
                for kind, one in self.operations.items()
            },
        }


def counts_of(marked: Sequence[MarkedPair]) -> Counts:
    """The counts of these pairs."""
    edits: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    tokens: Counter[tuple[str, str]] = Counter()
    for one in marked:
        edits.update(edit.type for edit in one.edits)
        pairs.update({edit.type for edit in one.edits})
        for edit in one.edits:
            tokens.update({(edit.type, side): len(one.touched(edit, side)) for side in SIDES})
    order = sorted(edits, key=lambda kind: (-edits[kind], kind))
    first, second = SIDES
    return Counts(
        pairs=len(marked),
        identical=sum(one.is_identical for one in marked),
        unmarked=sum(not one.edits for one in marked),
        original_tokens=sum(len(one.tokens(first)) for one in marked),
        simplification_tokens=sum(len(one.tokens(second)) for one in marked),
        operations={
            kind: OperationCount(
                edits[kind], pairs[kind], tokens[kind, first], tokens[kind, second]
            )
            for kind in order
        },
    )


def pair_counts(marked: Sequence[MarkedPair]) -> Iterator[tuple[str | int, ...]]:
    """A table with a row for each pair and annotator: how many edits there are of each operation.
    The first row is the header."""
    kinds = sorted({edit.type for one in marked for edit in one.edits})
    yield ("pair", "annotator", "edits", *kinds)
    for one in marked:
        found = Counter(edit.type for edit in one.edits)
        yield (one.pair, one.annotator, len(one.edits), *(found[kind] for kind in kinds))
