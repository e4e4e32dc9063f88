"""Edits of two annotators matched one to one, and what one of them calls otherwise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from annotation.agreement.formulas import ratio
from annotation.agreement.marks.figure import DIGITS, NO_EDIT, Basis, Draws, Figure, figure
from annotation.agreement.marks.grouping import Grouping
from annotation.agreement.marks.layers import Layers
from annotation.agreement.table import FloatArray
from annotation.protocols.edits import SIDES, Edit, MarkedPair

NONE = ""
"""Of an edit that the other annotator has not marked at all."""
RULES = ("exact", "overlap", "aligned")


@dataclass(frozen=True, order=True)
class Marked:
    """An edit as it is matched: its operation, and the places of its tokens on each side."""

    kind: str
    tokens: tuple[tuple[int, ...], tuple[int, ...]]

    @cached_property
    def _sets(self) -> tuple[frozenset[int], ...]:
        return tuple(map(frozenset, self.tokens))

    def common(self, other: Marked) -> int:
        """How many tokens both mark, over both sides. Two that touch no word, as they mark blanks
        or the pair as a whole, have that in common: 1."""
        if not any((*self.tokens, *other.tokens)):
            return 1
        sides = zip(self._sets, other._sets, strict=True)
        return sum(len(mine & theirs) for mine, theirs in sides)

    def likeness(self, other: Marked) -> float:
        """How much of both they have in common (Dice, over both sides): 0 to 1. Two that touch no
        word are alike."""
        size = sum(len(places) for edit in (self, other) for places in edit.tokens)
        return 2 * self.common(other) / size if size else 1.0


@dataclass(frozen=True)
class EditsMatched:
    """Of the ``second`` annotator's edits those that the first has too (precision), of the
    first's those that the second has (recall), and F1; numbers of edits beside them. Of edits that
    are *aligned*, each counts as ``matched`` by how alike the two are."""

    first_edits: int
    second_edits: int
    matched: float
    precision: Figure
    recall: Figure
    f1: Figure


@dataclass(frozen=True)
class Confused:
    """How many edits the first annotator calls ``first`` and the second ``second`` (``NONE``: has
    not marked), on which ``pairs``."""

    first: str
    second: str
    edits: int
    pairs: tuple[str, ...]


@dataclass(frozen=True)
class CoupleEdits:
    """Two annotators' edits on the ``pairs`` that both marked: ``found`` by rule (``RULES``) and
    operation ("" for all), and what is ``confused``, the diagonal included."""

    first: str
    second: str
    pairs: int
    found: Mapping[str, Mapping[str, EditsMatched]]
    confused: tuple[Confused, ...]


@dataclass(frozen=True)
class EditsAgreement:
    """All annotators two by two: F1 over all of them by rule and operation ("" for all), and each
    couple."""

    f1: Mapping[str, Mapping[str, Figure]]
    couples: tuple[CoupleEdits, ...]


def edits_agreement(
    layers: Layers,
    grouping: Grouping,
    draws: Draws,
    options: tuple[tuple[str, str], ...],
    step: Callable[[], None] = lambda: None,
) -> EditsAgreement:
    """Edits matched by each rule. *exact*: one operation, the same tokens on both sides.
    *overlap*: one operation, one common token at least, as many couples of edits as there can be;
    two that touch no word have that in common.
    *aligned*: one operation, so that what all couples have in common is as much as can be; two
    edits count by how alike they are (Luo 2005, On coreference resolution performance metrics, does
    so with entities: CEAF φ4). ``options`` are parts of each signature.
    ``step`` is called for each two people."""
    marked = [
        {name: marked_edits(pair, grouping) for name, pair in by_name.items()}
        for by_name in layers.shared
    ]
    names = [min(marked_pair.pair for marked_pair in by_name.values()) for by_name in layers.shared]
    couples = []
    pooled: dict[tuple[str, str], FloatArray] = defaultdict(lambda: np.zeros((len(names), 3)))
    for first, second in layers.couples:
        step()
        both = [
            (at, by_name[first], by_name[second])
            for at, by_name in enumerate(marked)
            if first in by_name and second in by_name
        ]
        if not both:
            continue
        counts = _counted(both, len(names))
        for key, columns in counts.items():
            pooled[key] += columns
        sources = draws.sources([at for at, _first, _second in both])
        basis = Basis(len(both), sources, 2, 0, 0, "edits", options)
        matched: dict[str, dict[str, EditsMatched]] = {rule: {} for rule in RULES}
        for rule, kind, columns, drawn in _drawn(counts, draws):
            matched[rule][kind] = _edits_matched(rule, kind, columns, drawn, basis, draws)
        confused = _confused(both, names)
        couples.append(CoupleEdits(first, second, len(both), matched, confused))
    basis = Basis(len(names), draws.sources(), len(layers.annotators), 0, 0, "edits", options)
    f1: dict[str, dict[str, Figure]] = {rule: {} for rule in RULES}
    for rule, kind, columns, drawn in _drawn(pooled, draws):
        options_of = _options(rule, kind, basis)
        f1[rule][kind] = _share("f1", *_halves(columns, drawn), options_of, draws)
    return EditsAgreement(f1, tuple(couples))


def marked_edits(pair: MarkedPair, grouping: Grouping) -> tuple[Marked, ...]:
    """The edits of a pair in an order of their own."""
    return tuple(sorted(marked_as(pair, edit, grouping) for edit in pair.edits))


def marked_as(pair: MarkedPair, edit: Edit, grouping: Grouping) -> Marked:
    """One of a pair's edits as it is matched."""
    first, second = (tuple(sorted(pair.touched(edit, side))) for side in SIDES)
    return Marked(grouping.get(edit.type, edit.type), (first, second))


def most_matched(first: Sequence[Marked], second: Sequence[Marked]) -> int:
    """How many edits can be matched one to one where a common token is enough."""
    common = [[bool(edit.common(other)) for other in second] for edit in first]
    if min(len(first), len(second)) < 2:
        # Of most operations there is one edit on a pair, if any: without what is imported.
        return int(any(map(any, common)))
    from scipy.sparse import csr_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import maximum_bipartite_matching  # type: ignore[import-untyped]

    return int(np.count_nonzero(maximum_bipartite_matching(csr_array(common)) >= 0))


def best_aligned(first: Sequence[Marked], second: Sequence[Marked]) -> float:
    """How alike edits that are matched one to one are in all, at best."""
    if not first or not second:
        return 0.0
    worth = [[edit.likeness(other) for other in second] for edit in first]
    if min(len(first), len(second)) == 1:
        return round(max(map(max, worth)), DIGITS)
    return _best_sum(np.array(worth))


def _best_sum(worth: FloatArray) -> float:
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

    best = worth[linear_sum_assignment(worth, maximize=True)]
    # Where several assignments are best, the last digit of their sums is none of anybody's.
    return round(float(np.sort(best).sum()), DIGITS)


def confusions(first: Sequence[Marked], second: Sequence[Marked]) -> Iterable[tuple[str, str]]:
    """The operations of edits matched one to one whatever they are called, so that they have as
    many tokens in common as can be, and among equals as many operations; those left over beside
    ``NONE``. Of further ties the one that the content of the edits decides, not who made them."""
    if list(second) < list(first):
        return [(kind, other) for other, kind in confusions(second, first)]
    if not first:
        return [(NONE, edit.kind) for edit in second]
    from scipy.optimize import linear_sum_assignment

    # More than all operations that can agree, so that they decide among equals alone.
    weight = 1 + min(len(first), len(second))
    worth = np.zeros((len(first), len(second)), dtype=np.int64)
    for (row, edit), (column, other) in product(enumerate(first), enumerate(second)):
        if common := edit.common(other):
            worth[row, column] = weight * common + (edit.kind == other.kind)
    rows, columns = linear_sum_assignment(worth, maximize=True)
    matched = {r: c for r, c in zip(rows.tolist(), columns.tolist(), strict=True) if worth[r, c]}
    taken = set(matched.values())
    kinds = [(first[row].kind, second[column].kind) for row, column in matched.items()]
    kinds += [(edit.kind, NONE) for row, edit in enumerate(first) if row not in matched]
    return kinds + [(NONE, edit.kind) for at, edit in enumerate(second) if at not in taken]


_Both = Sequence[tuple[int, Sequence[Marked], Sequence[Marked]]]


def _counted(both: _Both, n_pairs: int) -> dict[tuple[str, str], FloatArray]:
    """By rule and operation, of each pair: edits of the first, of the second, matched."""
    counts: dict[tuple[str, str], FloatArray] = {
        (rule, ""): np.zeros((n_pairs, 3)) for rule in RULES
    }
    for at, first, second in both:
        for kind in sorted({edit.kind for edit in (*first, *second)}):
            mine = [edit for edit in first if edit.kind == kind]
            theirs = [edit for edit in second if edit.kind == kind]
            by_rule = (
                (Counter(mine) & Counter(theirs)).total(),
                most_matched(mine, theirs),
                best_aligned(mine, theirs),
            )
            for rule, matched in zip(RULES, by_rule, strict=True):
                row = (len(mine), len(theirs), matched)
                counts.setdefault((rule, kind), np.zeros((n_pairs, 3)))[at] = row
                counts[rule, ""][at] += row
    return counts


def _drawn(
    counts: Mapping[tuple[str, str], FloatArray], draws: Draws
) -> Iterable[tuple[str, str, FloatArray, FloatArray]]:
    """Each rule and operation in order with its columns summed over all pairs, shape (3,), and over
    those of each draw, shape (draws, 3). They are drawn together: one product, not hundreds."""
    keys = sorted(counts)
    together = np.hstack([counts[key] for key in keys]) if keys else np.zeros((0, 0))
    drawn = draws.values(together, lambda sums: sums)
    for place, (rule, kind) in enumerate(keys):
        whole = counts[rule, kind].sum(axis=0)
        yield rule, kind, whole, drawn[:, 3 * place : 3 * place + 3]


def _edits_matched(
    rule: str, kind: str, whole: FloatArray, drawn: FloatArray, basis: Basis, draws: Draws
) -> EditsMatched:
    first, second, matched = whole.tolist()
    based = _options(rule, kind, basis)
    return EditsMatched(
        int(first),
        int(second),
        round(matched, DIGITS) if rule == "aligned" else int(matched),
        _share("precision", whole[[2, 1]], drawn[:, [2, 1]], based, draws),
        _share("recall", whole[[2, 0]], drawn[:, [2, 0]], based, draws),
        _share("f1", *_halves(whole, drawn), based, draws),
    )


def _halves(whole: FloatArray, drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Twice what is matched, and the edits of both."""
    columns = np.vstack([whole, drawn])
    both = np.column_stack([2 * columns[:, 2], columns[:, 0] + columns[:, 1]])
    return both[0], both[1:]


def _options(rule: str, kind: str, basis: Basis) -> Basis:
    options = (*basis.options, ("match", rule), ("of", kind.replace("|", "/") or "all"))
    return replace(basis, options=options)


def _share(name: str, whole: FloatArray, drawn: FloatArray, basis: Basis, draws: Draws) -> Figure:
    """The first column over the second, of which there are as many edits."""
    edits = int(whole[1])
    values = ratio(drawn[:, 0], drawn[:, 1])
    value = float(ratio(whole[:1], whole[1:])[0])
    based = replace(basis, units=edits, ratings=edits)
    return figure(name, value, values, based, draws.drawn, NO_EDIT)


def _confused(both: _Both, names: Sequence[str]) -> tuple[Confused, ...]:
    edits: Counter[tuple[str, str]] = Counter()
    pairs: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for at, first, second in both:
        for cell in confusions(first, second):
            edits[cell] += 1
            pairs[cell][names[at]] = None
    return tuple(
        Confused(*cell, number, tuple(pairs[cell]))
        for cell, number in sorted(edits.items(), key=lambda row: (-row[1], row[0]))
    )
