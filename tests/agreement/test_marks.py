"""Agreement on edits: against published figures, a published implementation, and what must hold of
any marks."""

from __future__ import annotations

import json
from dataclasses import replace

import krippendorff
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask  # type: ignore[import-untyped]
from nltk.metrics.distance import masi_distance as nltk_masi  # type: ignore[import-untyped]

from annotation.agreement.marks.counts import counts_of, pair_counts
from annotation.agreement.marks.distance import masi_distance
from annotation.agreement.marks.figure import ALL_ALIKE, NO_EDIT, Drawn
from annotation.agreement.marks.grouping import AS_MARKED, PAPER_MERGES, grouping_of
from annotation.agreement.marks.layers import layers_of, token_labels
from annotation.agreement.marks.matching import Marked, confusions, most_matched
from annotation.agreement.marks.report import edits_report
from annotation.protocols.edits import SIDES, Edit, MarkedPair, spans_of
from annotation.protocols.tokens import Cut, tokens
from annotation.scoring.splits import source_key
from tests.corpus.test_edits import DATA, needs_assetann, released
from tests.corpus.test_edits import yawat as read

FEW = Drawn(draws=40)
WORDS = tuple("abcdefgh")


def reported(pairs, grouping, drawn, source_of=str):
    """The report where every original is a source text of its own."""
    return edits_report(pairs, grouping, drawn, source_of=source_of)


def marked(annotator: str, *edits: tuple[str, list[int], list[int]], pair: str = "1") -> MarkedPair:
    """A pair of eight tokens on each side; a pair's name makes it another text."""
    texts = [" ".join([*WORDS[:7], f"{side}{pair}"]) for side in SIDES]
    cuts = [tokens(text, Cut.SPACES) for text in texts]
    made = tuple(
        Edit(kind, spans_of(first, cuts[0]), spans_of(second, cuts[1]))
        for kind, first, second in edits
    )
    return MarkedPair(pair, annotator, texts[0], texts[1], Cut.SPACES, made)


@st.composite
def layers(draw, people=("ann", "bob", "cy"), holes=False):
    """What several people marked on one to four pairs."""
    places = st.lists(st.integers(0, 7), unique=True, max_size=3)
    edit = st.tuples(st.sampled_from("xyz"), places, places).filter(
        lambda drawn: drawn[1] or drawn[2]
    )
    return [
        marked(name, *draw(st.lists(edit, max_size=4)), pair=str(pair))
        for pair in range(draw(st.integers(1, 4)))
        for name in people
        if not holes or draw(st.integers(0, 3))
    ]


def label_sets(pairs: list[MarkedPair], side: str) -> list[tuple[str, str, frozenset[str]]]:
    """Annotator, token and labels, as NLTK takes them."""
    return [
        (pair.annotator, f"{pair.pair}-{place}", frozenset(labels))
        for pair in pairs
        for place, labels in enumerate(token_labels(pair, side, AS_MARKED))
    ]


class TestDistance:
    def test_masi_of_the_documentation(self):
        # nltk.metrics.distance.masi_distance (NLTK 3.10.4), its example; Passonneau (2006).
        assert masi_distance({"1", "2"}, {"1", "2", "3", "4"}) == pytest.approx(0.6666666666666667)

    @given(one=st.sets(st.sampled_from("abcd")), other=st.sets(st.sampled_from("abcd")))
    def test_masi_equals_nltk(self, one, other):
        expected = nltk_masi(one, other) if one | other else 0
        assert masi_distance(one, other) == pytest.approx(expected, abs=1e-12)
        assert masi_distance(one, other) == masi_distance(other, one)


@settings(max_examples=40)
@given(pairs=layers(), side=st.sampled_from(SIDES))
def test_coefficients_equal_nltk(pairs, side):
    coefficients = reported(pairs, AS_MARKED, Drawn(draws=0)).agreement[0].sides[side].coefficients
    rows = label_sets(pairs, side)
    if len({labels for _who, _token, labels in rows}) < 2:
        assert coefficients["davies_fleiss"].value is None
        assert coefficients["alpha"].undefined == ALL_ALIKE
        return
    task = AnnotationTask(data=rows)
    assert coefficients["agreement"].value == pytest.approx(task.avg_Ao(), abs=1e-9)
    assert coefficients["davies_fleiss"].value == pytest.approx(task.multi_kappa(), abs=1e-9)
    assert coefficients["alpha"].value == pytest.approx(task.alpha(), abs=1e-9)

    def distance(one: frozenset[str], other: frozenset[str]) -> float:
        return float(nltk_masi(one, other)) if one | other else 0.0

    masi = AnnotationTask(data=rows, distance=distance).alpha()
    assert coefficients["alpha_masi"].value == pytest.approx(masi, abs=1e-9)


@settings(max_examples=40)
@given(pairs=layers(holes=True), side=st.sampled_from(SIDES))
def test_alpha_on_each_operation_equals_the_krippendorff_package(pairs, side):
    report = reported(pairs, AS_MARKED, Drawn(draws=0))
    if not report.agreement:
        return
    for kind, operation in report.agreement[0].sides[side].operations.items():
        cells = [
            [
                float(kind in token_labels(by_name[who], side, AS_MARKED)[place])
                if who in by_name
                else float("nan")
                for who in ("ann", "bob", "cy")
            ]
            for by_name in layers_of(pairs).shared
            for place in range(8)
        ]
        value = operation.coefficients["alpha"].value
        if value is None:
            assert {cell for row in cells for cell in row if cell == cell} == {1.0}  # noqa: PLR0124 (NaN)
        else:
            columns = [list(column) for column in zip(*cells, strict=True)]
            expected = krippendorff.alpha(reliability_data=columns, level_of_measurement="nominal")
            assert value == pytest.approx(expected, abs=1e-9)


def figures(pairs: list[MarkedPair]) -> str:
    """The report but for what names annotators."""
    report = reported(pairs, grouping_of({"both": ("x", "y")}), FEW).as_dict()
    del report["annotators"]
    for group in report["agreement"]:
        del group["edits"]["couples"]
        for side in group["tokens"].values():
            del side["couples"]
    return json.dumps(report, allow_nan=False)


@settings(max_examples=40)
@given(pairs=layers(holes=True), random=st.randoms(use_true_random=False))
def test_permutations_change_nothing(pairs, random):
    """Rows in another order, annotators exchanged, pairs called otherwise: the same bytes."""
    names = ["ann", "bob", "cy"]
    random.shuffle(names)
    renamed = dict(zip(("ann", "bob", "cy"), names, strict=True))
    other = [
        replace(pair, annotator=renamed[pair.annotator], pair=f"p{pair.pair}") for pair in pairs
    ]
    random.shuffle(other)
    assert figures(other) == figures(pairs)


@settings(max_examples=30)
@given(pairs=layers(people=("ann",)))
def test_two_who_did_the_same_agree_wholly(pairs):
    report = reported([*pairs, *(replace(p, annotator="z") for p in pairs)], AS_MARKED, FEW)
    (agreement,) = report.agreement
    for side in agreement.sides.values():
        for coefficients in (
            side.coefficients,
            *(o.coefficients for o in side.operations.values()),
        ):
            assert all(coefficient.value in (None, 1) for coefficient in coefficients.values())
    for by_kind in agreement.edits.f1.values():
        assert all(coefficient.value in (None, 1) for coefficient in by_kind.values())
    (couple,) = agreement.edits.couples
    # Two edits of other names on the same tokens may be matched either way: as many names as can.
    assert all(cell.first == cell.second for cell in couple.confused)


def test_edits_matched_by_hand():
    pairs = [
        marked("ann", ("x", [0, 1], []), ("x", [2], [2]), ("y", [5], [])),
        marked("bob", ("x", [1], []), ("x", [2], [2]), ("z", [5], []), ("z", [], [6])),
    ]
    (couple,) = reported(pairs, AS_MARKED, FEW).agreement[0].edits.couples
    exact, overlap = couple.found["exact"][""], couple.found["overlap"][""]
    assert (exact.first_edits, exact.second_edits, exact.matched) == (3, 4, 1)
    assert (exact.precision.value, exact.recall.value, exact.f1.value) == (1 / 4, 1 / 3, 2 / 7)
    assert (overlap.matched, overlap.f1.value) == (2, 4 / 7)
    cells = {(cell.first, cell.second): cell.edits for cell in couple.confused}
    assert cells == {("x", "x"): 2, ("y", "z"): 1, ("", "z"): 1}
    assert couple.found["exact"]["z"].recall.undefined == NO_EDIT
    assert couple.found["exact"]["z"].precision.value == 0
    (merged,) = reported(pairs, {"y": "w", "z": "w"}, FEW).agreement[1].edits.couples
    assert merged.found["exact"][""].matched == 2


def test_as_many_edits_as_can_be_are_matched():
    wide, left, right = (Marked("x", (places, ())) for places in ((0, 1), (0,), (1,)))
    # Taken in order, the wide one would leave nothing to the left one.
    assert most_matched([wide, left], [left, right]) == 2
    assert most_matched([], [left]) == 0


def test_operations_of_the_pair_as_a_whole_are_matched():
    pairs = [
        marked("ann", ("err", [], []), ("x", [1], [])),
        marked("bob", ("err", [], []), ("x", [1, 2], []), ("err", [3], [])),
    ]
    (couple,) = reported(pairs, AS_MARKED, FEW).agreement[0].edits.couples
    matched = [couple.found[rule]["err"].matched for rule in ("exact", "overlap", "aligned")]
    assert matched == [1, 1, 1]
    cells = {(cell.first, cell.second): cell.edits for cell in couple.confused}
    assert cells == {("err", "err"): 1, ("x", "x"): 1, ("", "err"): 1}
    # One who says it of the whole and one who says it of a word have no place in common.
    whole, word = Marked("err", ((), ())), Marked("err", ((3,), ()))
    assert (most_matched([whole], [whole]), most_matched([whole], [word])) == (1, 0)
    assert list(confusions([whole], [Marked("odd", ((), ()))])) == [("err", "odd")]


@given(pairs=layers(people=("ann", "bob")))
def test_what_is_confused_is_the_same_from_the_other_side(pairs):
    for by_name in layers_of(pairs).shared:
        first, second = (
            sorted(
                Marked(
                    edit.type,
                    (marked_pair.touched(edit, SIDES[0]), marked_pair.touched(edit, SIDES[1])),
                )
                for edit in marked_pair.edits
            )
            for marked_pair in by_name.values()
        )
        pairs_confused = sorted(confusions(first, second))
        assert pairs_confused == sorted((one, other) for other, one in confusions(second, first))
        assert sorted(name for name, _other in pairs_confused if name) == [
            mark.kind for mark in first
        ]


def test_what_is_undefined_is_said():
    alone = reported([marked("ann", ("x", [0], []))], AS_MARKED, FEW)
    assert (alone.shared_pairs, alone.agreement) == (0, ())
    pairs = [marked("ann"), marked("bob")]
    group = reported(pairs, AS_MARKED, FEW).as_dict()["agreement"][0]
    kappa = group["tokens"]["original"]["label_sets"]["cohen"]
    assert kappa["value"] is None
    assert "bear the same" in kappa["undefined"]["en"]
    f1 = group["edits"]["f1"]["exact"][""]
    assert (f1["value"], f1["undefined"]["en"]) == (None, NO_EDIT.en)
    pair = marked("ann", ("x", [0], []))
    kappa = reported([pair, replace(pair, annotator="bob")], AS_MARKED, FEW).as_dict()
    group = kappa["agreement"][0]["tokens"]["original"]["label_sets"]["cohen"]
    assert (group["value"], group["interval"]) == (1, None)
    assert "at least 8 original texts, and there are 1" in group["undefined"]["en"]


def test_pairs_of_one_source_text_are_drawn_together():
    """Three outputs of each text, marked alike, tell no more than one: intervals are as wide. Three
    texts of their own would tell more. Texts that differ in case alone are one."""

    def book(outputs: int) -> list[MarkedPair]:
        made = []
        for text in range(10):
            for output in range(outputs):
                for who, kind in (("ann", "x"), ("bob", "xy"[text % 3 == 0])):
                    pair = marked(who, (kind, [text % 5], []), pair=f"{text}")
                    original = pair.original.upper() if output else pair.original
                    made.append(replace(pair, original=original, simplification=f"w{output}"))
        return made

    def cohen(pairs: list[MarkedPair], source_of):
        report = reported(pairs, AS_MARKED, Drawn(draws=400), source_of)
        (couple,) = report.agreement[0].sides["original"].couples
        return couple.kappa

    once, thrice = cohen(book(1), source_key), cohen(book(3), source_key)
    assert (thrice.basis.pairs, thrice.basis.sources, once.basis.sources) == (30, 10, 10)
    assert "pairs:30|sources:10" in str(thrice.signature)
    same = (once.interval.low, once.interval.high)
    assert (thrice.interval.low, thrice.interval.high) == pytest.approx(same)
    apart = cohen(book(3), lambda original: original)
    assert apart.basis.sources == 20
    assert apart.interval.high - apart.interval.low < same[1] - same[0]


def test_the_same_texts_again_are_counted_and_not_compared():
    one, again = marked("ann", ("x", [0], [])), marked("ann", ("y", [0], []))
    report = reported([one, again, marked("bob", ("x", [0], []))], AS_MARKED, FEW)
    assert (report.again, report.shared_pairs, report.counts.pairs) == (1, 1, 3)
    assert report.agreement[0].edits.f1["exact"][""].value == 1


def test_an_operation_stands_in_one_group():
    with pytest.raises(ValueError, match="x"):
        grouping_of({"a": ("x",), "b": ("y", "x")})


def test_counts_of_pairs():
    pairs = [marked("ann", ("x", [0, 2], [1]), ("x", [3], []), ("y", [], [0])), marked("bob")]
    counts = counts_of(pairs).as_dict()
    assert (counts["edits"], counts["occurrences"], counts["unmarked"]) == (3, 2, 1)
    assert counts["operations"]["x"] == {
        "edits": 2,
        "pairs": 1,
        "original_tokens": 3,
        "simplification_tokens": 1,
        "share_of_edits": 2 / 3,
        "share_of_occurrences": 1 / 2,
    }
    assert list(pair_counts(pairs)) == [
        ("pair", "annotator", "edits", "x", "y"),
        ("1", "ann", 3, 2, 1),
        ("1", "bob", 0, 0, 0),
    ]


@needs_assetann
def test_assetann_counts():
    pairs = [pair for number in range(10) for pair in released(number).pairs]
    counts = counts_of(pairs)
    # Counted on the released files: shared/spec/metrics.md, section 3. The paper has 227 pairs with
    # err, 19 pairs that it calls identical (nothing is marked on them), 14 % of synonym.
    assert (counts.pairs, counts.operations["err"].pairs, counts.unmarked) == (3590, 233, 19)
    assert counts.identical == 16
    without = counts_of([p for p in pairs if not any(edit.type == "err" for edit in p.edits)])
    assert (without.pairs - without.unmarked, without.edits) == (3338, 19552)
    assert (len(without.operations), without.occurrences) == (26, 12970)
    share = without.as_dict()["operations"]["synonym"]["share_of_occurrences"]
    assert share == pytest.approx(0.140, abs=5e-4)
    several = [
        labels for p in pairs for s in SIDES for labels in token_labels(p, s, {}) if len(labels) > 1
    ]
    assert several


@needs_assetann
@pytest.mark.parametrize(
    ("merged", "side", "kappa", "units"),
    # Gold against released, shared/spec/metrics.md, section 3. Of texts that are in several of the
    # ten files the first counts.
    [
        (0, "original", 0.782, 1191),
        (0, "simplification", 0.767, 968),
        (1, "original", 0.828, 1191),
        (1, "simplification", 0.810, 968),
    ],
)
def test_assetann_gold(merged, side, kappa, units):
    texts = [(DATA / "gold" / name).read_text("utf-8") for name in ("gold.aln", "gold.crp")]
    gold = read(*texts, annotator="gold").pairs
    pairs = [*gold] + [
        replace(pair, annotator="released")
        for number in range(10)
        for pair in released(number).pairs
    ]
    report = reported(pairs, grouping_of(PAPER_MERGES), Drawn(draws=0))
    coefficient = report.agreement[merged].sides[side].coefficients["cohen"]
    assert coefficient.value == pytest.approx(kappa, abs=5e-4)
    assert (coefficient.basis.units, coefficient.basis.pairs) == (units, 50)
