"""Units on continua, and coefficients where annotators have not marked the same pairs: against a
published example, and against formulas written out place by place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.agreement.marks.figure import ALL_ALIKE, NO_COMMON_UNIT, Drawn
from annotation.agreement.marks.grouping import AS_MARKED, PAPER_MERGES, grouping_of
from annotation.agreement.marks.layers import layers_of, token_labels
from annotation.agreement.marks.matching import Marked, best_aligned, most_matched
from annotation.agreement.marks.unitizing import (
    marks_of,
    unitizing_alpha,
    unitizing_features,
    units_of,
)
from annotation.protocols.edits import SIDES, Edit, MarkedPair, spans_of
from annotation.protocols.tokens import Cut, tokens
from tests.agreement.test_marks import FEW, layers, marked, reported

# First and last place (from 1), value. Krippendorff (2019), figure 12.11, as quallmer's tests have
# it (github.com/quallmer/quallmer, tests/testthat).
BOOK = {
    "Alex": [(1, 7, "1"), (8, 13, "2"), (31, 32, "5"), (33, 37, "6"), (38, 44, "6"), (45, 60, "7")],
    "Paul": [(1, 7, "1"), (8, 13, "3"), (14, 21, "5"), (33, 44, "6")],
    "Suzan": [
        (1, 7, "1"), (8, 13, "4"), (14, 21, "5"), (33, 37, "6"), (38, 41, "6"), (42, 44, "6"),
    ],
}  # fmt: skip
NOTHING = Drawn(draws=0)


def book(units: Mapping[str, Iterable[tuple[int, int, str]]] = BOOK) -> list[MarkedPair]:
    text = " ".join(f"w{number}" for number in range(60))
    cut = tokens(text, Cut.SPACES)
    return [
        MarkedPair(
            "1",
            who,
            text,
            "x",
            Cut.SPACES,
            tuple(Edit(v, spans_of(range(a - 1, b), cut)) for a, b, v in made),
        )
        for who, made in units.items()
    ]


def test_the_example_of_the_book():
    coefficients = reported(book(), AS_MARKED, NOTHING).agreement[0].sides["original"].coefficients
    # Krippendorff (2019), sections 12.6.3 and 12.6.5: .510 and .724, as quallmer quotes them.
    assert round(coefficients["alpha_unitizing"].value, 3) == 0.510
    assert round(coefficients["alpha_coding"].value, 3) == 0.724


def test_relevance_in_the_example_of_the_book():
    """Every value becomes one, and its units stay apart."""
    (_as_marked, merged) = reported(book(), dict.fromkeys("1234567", "any"), NOTHING).agreement
    side = merged.sides["original"]
    value = side.operations["any"].coefficients["alpha_unitizing"].value
    # Section 12.6.4: .413, which quallmer's tests meet within .002 too.
    assert value == pytest.approx(0.413, abs=1e-3)
    assert side.coefficients["alpha_unitizing"].value == value


def written_out(pairs: list[MarkedPair], side: str, coding: bool) -> float | None:
    """Alpha, couple of annotators by couple and token by token."""
    disagreement = within = 0.0
    lengths: dict[tuple[str, ...], float] = defaultdict(float)
    for by_name in layers_of(pairs).shared:
        m = len(by_name)
        made = {
            who: [
                frozenset(
                    n for n, edit in enumerate(pair.edits) if place in pair.touched(edit, side)
                )
                for place in range(8)
            ]
            for who, pair in by_name.items()
        }
        values = {who: token_labels(pair, side, AS_MARKED) for who, pair in by_name.items()}
        for who, column in made.items():
            unit = 0.0
            for place in range(8):
                value = values[who][place]
                if place and column[place] != column[place - 1]:
                    within += unit**2
                    unit = 0.0
                share = sum(
                    1 / (m - 1)
                    for other in made
                    if other != who and (not coding or (value and values[other][place]))
                )
                disagreement += sum(
                    (values[other][place] != value) / (m - 1)
                    for other in made
                    if other != who and (not coding or (value and values[other][place]))
                )
                lengths[value] += share
                if value:
                    unit += share
                else:
                    within += share
            within += unit**2
    total = sum(lengths.values())
    apart = total**2 - sum(length**2 for length in lengths.values())
    return 1 - disagreement * (total - within / total) / apart if apart > 1e-9 else None


@settings(max_examples=60)
@given(pairs=layers(people=("ann", "bob", "cy", "dee"), holes=True), side=st.sampled_from(SIDES))
def test_alphas_equal_their_formulas(pairs, side):
    report = reported(pairs, AS_MARKED, NOTHING)
    if not report.agreement:
        return
    coefficients = report.agreement[0].sides[side].coefficients
    for name, coding in (("alpha_unitizing", False), ("alpha_coding", True)):
        expected = written_out(pairs, side, coding)
        if expected is None:
            assert coefficients[name].undefined in (ALL_ALIKE, NO_COMMON_UNIT)
        else:
            assert coefficients[name].value == pytest.approx(expected, abs=1e-9)


def test_edits_beside_each_other_are_two_units():
    whole, halves = [(1, 2, "x")], [(1, 1, "x"), (2, 2, "x")]
    features = [
        unitizing_features(
            units_of(marks_of(layers_of(book({"a": one, "b": other})), "original", {}))
        )
        for one, other in ((whole, whole), (halves, whole), (halves, halves))
    ]
    # Disagreement; 2 × 58 of gaps, and squares of units; tokens in gaps and units.
    assert [feature.tolist() for feature in features] == [
        [[0, 116 + 8, 116, 4]],
        [[0, 116 + 6, 116, 4]],
        [[0, 116 + 4, 116, 4]],
    ]
    assert unitizing_alpha(features[1])[0] == 1


def test_what_nobody_has_in_common_has_no_name_to_compare():
    pairs = [marked("ann", ("x", [0], [])), marked("bob", ("y", [1], []))]
    coefficients = reported(pairs, AS_MARKED, NOTHING).agreement[0].sides["original"].coefficients
    assert coefficients["alpha_coding"].undefined == NO_COMMON_UNIT
    same = [marked("ann", ("x", [0], [])), marked("bob", ("x", [0], []))]
    coefficients = reported(same, AS_MARKED, NOTHING).agreement[0].sides["original"].coefficients
    assert coefficients["alpha_coding"].undefined == ALL_ALIKE
    assert coefficients["alpha_unitizing"].value == 1


@settings(max_examples=40)
@given(pairs=layers(people=("ann", "bob", "cy", "dee"), holes=True), side=st.sampled_from(SIDES))
def test_davies_and_fleiss_of_those_who_marked_each_pair(pairs, side):
    """Couple by couple over the tokens that both have, with each one's own shares there."""
    report = reported(pairs, AS_MARKED, NOTHING)
    if not report.agreement:
        return
    observed = expected = 0.0
    shared = layers_of(pairs).shared
    for first, second in combinations(("ann", "bob", "cy", "dee"), 2):
        both = [
            labels
            for by_name in shared
            if first in by_name and second in by_name
            for labels in zip(
                token_labels(by_name[first], side, AS_MARKED),
                token_labels(by_name[second], side, AS_MARKED),
                strict=True,
            )
        ]
        left, right = (Counter(labels[at] for labels in both) for at in (0, 1))
        observed += sum(one != other for one, other in both)
        expected += sum(
            left[one] * right[other] / len(both) for one in left for other in right if one != other
        )
    value = report.agreement[0].sides[side].coefficients["davies_fleiss"].value
    assert value == (pytest.approx(1 - observed / expected, abs=1e-9) if expected else None)


EDITS = st.lists(
    st.builds(
        lambda first, second: Marked("x", (tuple(sorted(first)), tuple(sorted(second)))),
        # None on either side: the pair as a whole.
        st.sets(st.integers(0, 5), max_size=3),
        st.sets(st.integers(0, 5), max_size=3),
    ),
    max_size=4,
)


@given(first=EDITS, second=EDITS)
def test_the_best_alignment_is_the_best_of_all(first, second):
    short, long = sorted((first, second), key=len)
    best = max(
        sum(edit.likeness(other) for edit, other in zip(short, order, strict=True))
        for order in permutations(long, len(short))
    )
    assert best_aligned(first, second) == pytest.approx(best, abs=1e-9)
    assert best_aligned(second, first) == best_aligned(first, second)
    exact = (Counter(first) & Counter(second)).total()
    assert exact - 1e-9 <= best_aligned(first, second) <= most_matched(first, second) + 1e-9


def test_aligned_edits_count_by_how_alike_they_are():
    pairs = [marked("ann", ("x", [0, 1], [])), marked("bob", ("x", [1], []), ("x", [5], []))]
    (couple,) = reported(pairs, AS_MARKED, FEW).agreement[0].edits.couples
    agreement = couple.found["aligned"]["x"]
    assert agreement.matched == pytest.approx(2 / 3)
    assert agreement.precision.value == pytest.approx(1 / 3)
    assert agreement.recall.value == pytest.approx(2 / 3)
    assert agreement.f1.value == pytest.approx(4 / 9)
    assert couple.found["overlap"]["x"].matched == 1


def test_the_merges_of_the_paper_are_prepared():
    grouping = grouping_of(PAPER_MERGES)
    assert {grouping[kind] for kind in ("inprop", "inmod", "incst", "inoth")} == {"insertions"}
    assert {grouping[kind] for kind in ("delprop", "delmod", "delcst", "deloth")} == {"deletions"}
