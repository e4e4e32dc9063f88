"""Krippendorff's alpha for unitizing: how far annotators agree where on a text something is marked,
and as what, where marks of several words count as wholes.

Krippendorff, Mathet, Bouvry and Widlöcher (2016), On the reliability of unitizing textual continua:
Further developments, Quality & Quantity 50; Krippendorff (2019), Content Analysis, section 12.6.
The continuum is the tokens of one side, pair behind pair. An annotator cuts it into units and gaps;
lengths are numbers of tokens. Observed coincidences are the lengths of intersections of what two
annotators made, each couple 1 / (m − 1) where m marked the pair. Expected ones put together any two
tokens that do not stand in one unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.agreement.formulas import ratio
from annotation.agreement.marks.grouping import Grouping
from annotation.agreement.marks.layers import Labels, Layers
from annotation.agreement.table import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Units:
    """Each token of each annotator, shape (places,): which ``token`` it is, of which ``pair``, its
    ``value`` (0 in a gap) and the ``unit`` that it is part of. ``annotators``: how many marked each
    pair, shape (pairs,); ``n_values`` with that of gaps."""

    token: IntArray
    pair: IntArray
    value: IntArray
    unit: IntArray
    annotators: IntArray
    n_values: int


@dataclass(frozen=True, eq=False)
class Marks:
    """All edits of a side, laid out once: the ``token``, ``pair`` and ``row`` (an annotator's side
    of a pair) of each place, shape (places,); ``annotators`` as ``Units`` has them; of each edit
    its operation and its places."""

    token: IntArray
    pair: IntArray
    row: IntArray
    annotators: IntArray
    edits: tuple[tuple[str, tuple[int, ...]], ...]


def marks_of(layers: Layers, side: str, grouping: Grouping) -> Marks:
    """The marks on a side, operations counted by ``grouping``."""
    sizes: list[int] = []
    owner: list[int] = []
    shift: list[int] = []
    edits: list[tuple[str, tuple[int, ...]]] = []
    tokens = places = 0
    for at, marked in enumerate(layers.shared):
        for pair in marked.values():
            for edit in pair.edits:
                touched = tuple(places + place for place in pair.touched(edit, side))
                edits.append((grouping.get(edit.type, edit.type), touched))
            sizes.append(len(pair.tokens(side)))
            owner.append(at)
            shift.append(tokens - places)
            places += sizes[-1]
        tokens += sizes[-1]
    lengths, pairs = np.array(sizes, dtype=np.int64), np.array(owner, dtype=np.int64)
    return Marks(
        np.repeat(np.array(shift, dtype=np.int64), lengths) + np.arange(places),
        np.repeat(pairs, lengths),
        np.repeat(np.arange(len(sizes)), lengths),
        np.bincount(pairs, minlength=len(layers.shared)),
        tuple(edits),
    )


def units_of(marks: Marks, kind: str | None = None) -> Units:
    """What each annotator made of a side: a unit is a run of neighbouring tokens that the same
    edits mark, its value their operations. With ``kind`` of that operation's edits alone."""
    # Of each set of edits that mark a token: its operations. Sets are made edit by edit.
    kinds: list[Labels] = [()]
    grown: dict[tuple[int, int], int] = {}
    on = np.zeros(len(marks.row), dtype=np.int64)
    for number, (called, places) in enumerate(marks.edits):
        if kind is not None and called != kind:
            continue
        for place in places:
            key = (int(on[place]), number)
            if key not in grown:
                grown[key] = len(kinds)
                kinds.append(tuple(sorted({*kinds[key[0]], called})))
            on[place] = grown[key]
    code = {labels: at for at, labels in enumerate(sorted(set(kinds)))}
    begins = np.ones(len(on), dtype=bool)
    begins[1:] = (on[1:] != on[:-1]) | (marks.row[1:] != marks.row[:-1])
    return Units(
        marks.token,
        marks.pair,
        np.array([code[labels] for labels in kinds], dtype=np.int64)[on],
        np.cumsum(begins) - 1,
        marks.annotators,
        len(code),
    )


def unitizing_features(units: Units) -> FloatArray:
    """Of each pair: observed disagreement, what tokens of one unit take from expected coincidences
    (squared lengths; lengths in gaps, which are no wholes), and the tokens of each value. Shape
    (pairs, 2 + values)."""
    lengths = np.bincount(units.unit)[units.unit]
    alone = np.where(units.value > 0, lengths, 1)
    everywhere = np.ones(len(units.unit), dtype=bool)
    disagreement, by_value, within = _sums(units, everywhere, everywhere, alone)
    return np.column_stack([disagreement, within, by_value])


def coding_features(units: Units) -> FloatArray:
    """The same of those tokens alone that two annotators have in units, each as often as others
    have: what they are called there, wherever they are cut."""
    in_units = np.bincount(units.token, weights=units.value > 0)
    others = np.where(units.value > 0, in_units[units.token] - 1, 0)
    lengths = np.bincount(units.unit, weights=others)[units.unit]
    disagreement, by_value, within = _sums(units, units.value > 0, others, others * lengths)
    couples = _couples(units)
    return np.column_stack([disagreement, within / couples**2, by_value / couples[:, None]])


def _couples(units: Units) -> IntArray:
    """How many others there are for each annotator of a pair, shape (pairs,)."""
    return np.maximum(units.annotators - 1, 1)


def _sums(
    units: Units, counted: npt.NDArray[np.bool_], lengths: npt.ArrayLike, alone: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Observed disagreement of each pair where places are ``counted``, its ``lengths`` by value and
    what is ``alone``. Sums are of whole numbers: no order of annotators moves a digit."""
    n_pairs, k = len(units.annotators), units.n_values
    cells, alike = np.unique(units.token[counted] * k + units.value[counted], return_counts=True)
    n_tokens = 1 + int(units.token.max(initial=-1))
    pair_of = np.zeros(n_tokens, dtype=np.int64)
    pair_of[units.token] = units.pair
    there = np.bincount(units.token[counted], minlength=n_tokens)
    equal = np.bincount(cells // k, weights=alike**2, minlength=n_tokens)
    unlike = np.bincount(pair_of, weights=there**2 - equal, minlength=n_pairs)
    by_value = np.bincount(units.pair * k + units.value, weights=lengths, minlength=n_pairs * k)
    within = np.bincount(units.pair, weights=alone, minlength=n_pairs)
    return (
        unlike / _couples(units),
        by_value.reshape(n_pairs, k).astype(np.float64),
        within.astype(np.float64),
    )


def unitizing_alpha(sums: FloatArray) -> FloatArray:
    """Alpha from sums of features, shape (draws,); NaN where nothing can disagree."""
    observed, within, by_value = sums[:, 0], sums[:, 1], sums[:, 2:]
    total = by_value.sum(axis=1)
    apart = total**2 - (by_value**2).sum(axis=1)
    # Of one value alone what is left of the subtraction is no disagreement.
    apart = np.where(apart > total**2 * 1e-12, apart, 0.0)
    expected = ratio(apart, total - ratio(within, total))
    return 1 - ratio(observed, expected)
