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
        return sum(operation.edits for operation in self.operations.values())

    @property
    def occurrences(self) -> int:
        """Operations of pairs, each once for a pair: what ASSETann counts as its operations."""
        return sum(operation.pairs for operation in self.operations.values())

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
                    **vars(operation),
                    "share_of_edits": operation.edits / self.edits,
                    "share_of_occurrences": operation.pairs / self.occurrences,
                }
                for kind, operation in self.operations.items()
            },
        }


def counts_of(marked: Sequence[MarkedPair]) -> Counts:
    """The counts of these pairs."""
    edits: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    tokens: Counter[tuple[str, str]] = Counter()
    for pair in marked:
        edits.update(edit.type for edit in pair.edits)
        pairs.update({edit.type for edit in pair.edits})
        for edit in pair.edits:
            tokens.update({(edit.type, side): len(pair.touched(edit, side)) for side in SIDES})
    order = sorted(edits, key=lambda kind: (-edits[kind], kind))
    first, second = SIDES
    return Counts(
        pairs=len(marked),
        identical=sum(pair.is_identical for pair in marked),
        unmarked=sum(not pair.edits for pair in marked),
        original_tokens=sum(len(pair.tokens(first)) for pair in marked),
        simplification_tokens=sum(len(pair.tokens(second)) for pair in marked),
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
    kinds = sorted({edit.type for pair in marked for edit in pair.edits})
    yield ("pair", "annotator", "edits", *kinds)
    for marked_pair in marked:
        counts = Counter(edit.type for edit in marked_pair.edits)
        yield (
            marked_pair.pair,
            marked_pair.annotator,
            len(marked_pair.edits),
            *(counts[kind] for kind in kinds),
        )
