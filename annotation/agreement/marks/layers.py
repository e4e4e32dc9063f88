"""Who marked what on which pair, and what stands on each token because of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from annotation.agreement.marks.grouping import Grouping
from annotation.agreement.table import IntArray, Ratings
from annotation.protocols.edits import MarkedPair

Labels = tuple[str, ...]
"""The operations on a token, in order, each once; none is a class like any other."""


_Key = tuple[str, str, str]


@dataclass(frozen=True)
class Layers:
    """``shared``: the pairs that two annotators or more marked, by their texts, whatever they call
    them, in an order of the texts: what each did on it, by name. ``again``: how many pairs were
    left out because their annotator had the same texts before."""

    shared: tuple[Mapping[str, MarkedPair], ...]
    again: int

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """Who has a pair in common with somebody, in order of their names."""
        return tuple(sorted({name for marked in self.shared for name in marked}))

    @property
    def couples(self) -> tuple[tuple[str, str], ...]:
        """Every two annotators, in order of their names, in common pairs or not."""
        return tuple(combinations(self.annotators, 2))


def layers_of(pairs: Iterable[MarkedPair]) -> Layers:
    """The layers of pairs. Where an annotator has the same texts several times, the first counts:
    otherwise their order changes nothing."""
    by_texts: dict[_Key, dict[str, MarkedPair]] = {}
    again = 0
    for pair in pairs:
        by_name = by_texts.setdefault((pair.original, pair.simplification, pair.cut), {})
        again += by_name.setdefault(pair.annotator, pair) is not pair
    return Layers(tuple(by_texts[key] for key in sorted(by_texts) if len(by_texts[key]) > 1), again)


@dataclass(frozen=True, eq=False)
class SideTable:
    """One side's tokens as units, in the order of pairs and tokens: ``ratings`` by ``classes`` (a
    value is a place in them), and the ``operations`` that stand on some token, in order.
    ``pair_of``: the place of each token's pair, shape (tokens,); ``n_pairs`` of them."""

    classes: tuple[Labels, ...]
    ratings: Ratings
    operations: tuple[str, ...]
    pair_of: IntArray
    n_pairs: int

    def of_operation(self, operation: str) -> Ratings:
        """The same tokens and annotators: 1 on a token that bears the operation, else 0. Made when
        it is asked for: those of all operations are most of what a report would keep."""
        bears = np.array([float(operation in of) for of in self.classes])
        values = bears[self.ratings.values.astype(np.int64)]
        values.flags.writeable = False
        return replace(self.ratings, values=values)


def side_table(layers: Layers, side: str, grouping: Grouping) -> SideTable:
    """What stands on the tokens of a side, operations counted by ``grouping``."""
    lengths = [len(next(iter(marked.values())).tokens(side)) for marked in layers.shared]
    place_of = {name: place for place, name in enumerate(layers.annotators)}
    nothing = np.zeros(0, dtype=np.int64)
    units, raters, labels = [nothing], [nothing], [nothing]
    met: dict[Labels, int] = {}
    start = 0
    for length, marked in zip(lengths, layers.shared, strict=True):
        for name, pair in marked.items():
            units.append(np.arange(start, start + length))
            raters.append(np.full(length, place_of[name], dtype=np.int64))
            given = [met.setdefault(of, len(met)) for of in token_labels(pair, side, grouping)]
            labels.append(np.array(given, dtype=np.int64))
        start += length
    classes = tuple(sorted(met))
    code_of = np.empty(len(met), dtype=np.int64)
    code_of[[met[label_set] for label_set in classes]] = np.arange(len(met))
    ratings = Ratings.from_long(
        np.concatenate(units), np.concatenate(raters), code_of[np.concatenate(labels)]
    )
    names = tuple(layers.annotators[place] for place in np.unique(np.concatenate(raters)))
    n_pairs = len(layers.shared)
    return SideTable(
        classes,
        replace(ratings, rater_ids=names),
        tuple(sorted({kind for label_set in classes for kind in label_set})),
        np.repeat(np.arange(n_pairs), np.array(lengths, dtype=np.int64)),
        n_pairs,
    )


def operations_on(layers: Layers, side: str, grouping: Grouping) -> set[str]:
    """Those that stand on some token of a side: of each there is a table (``SideTable``)."""
    return {
        grouping.get(edit.type, edit.type)
        for marked in layers.shared
        for pair in marked.values()
        for edit in pair.edits
        if pair.touched(edit, side)
    }


def token_labels(pair: MarkedPair, side: str, grouping: Grouping) -> list[Labels]:
    """The labels on each token of a side."""
    by_token: list[set[str]] = [set() for _token in pair.tokens(side)]
    for edit in pair.edits:
        for place in pair.touched(edit, side):
            by_token[place].add(grouping.get(edit.type, edit.type))
    return [tuple(sorted(labels)) for labels in by_token]
