"""What most annotators put on each token."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.marks.consensus import (
    COLUMNS,
    Outcome,
    consensus_rows,
    outcomes,
    token_consensus,
)
from annotation.agreement.marks.grouping import AS_MARKED
from annotation.agreement.marks.layers import layers_of, token_labels
from annotation.protocols.edits import SIDES, MarkedPair
from tests.agreement.test_marks import layers, marked


def consensus(*pairs: MarkedPair, **grouping: str):
    return list(token_consensus(layers_of(pairs), grouping))


@pytest.mark.parametrize(
    ("given", "outcome", "labels", "winners"),
    [
        (["x", "x", "x"], Outcome.UNANIMOUS, ("x",), [("x",)]),
        (["x", "x", "y"], Outcome.MAJORITY, ("x",), [("x",)]),
        (["x", "x", "y", "z"], Outcome.PLURALITY, ("x",), [("x",)]),
        (["x", "x", "y", "y"], Outcome.TIE, None, [("x",), ("y",)]),
        (["x", "", "y"], Outcome.TIE, None, [(), ("x",), ("y",)]),
        (["", "", "y"], Outcome.MAJORITY, (), [()]),
    ],
)
def test_the_outcome_is_said(given, outcome, labels, winners):
    pairs = [
        marked(f"who{n}", *([(kind, [0], [])] if kind else [])) for n, kind in enumerate(given)
    ]
    first = consensus(*pairs)[0]
    assert (first.outcome, first.labels, list(first.winners)) == (outcome, labels, winners)
    assert first.annotators == len(given)
    assert dict(first.label_sets) == Counter((kind,) if kind else () for kind in given)


def test_several_operations_on_a_token_are_one_class():
    both: list[tuple[str, list[int], list[int]]] = [("x", [1], []), ("y", [1], [])]
    second = consensus(marked("ann", *both), marked("bob", ("x", [1], [])))[1]
    assert (second.outcome, second.winners) == (Outcome.TIE, (("x",), ("x", "y")))
    assert second.marked == {"x": 2, "y": 1}
    assert consensus(marked("ann", *both), marked("bob", ("x", [1], [])), y="x")[1].labels == ("x",)


def test_a_row_for_each_token():
    rows = list(
        consensus_rows(consensus(marked("ann", ("x", [0], [7])), marked("bob", ("y", [0], [7]))))
    )
    assert len(rows) == 16
    assert all(tuple(row) == COLUMNS for row in rows)
    assert rows[0] == {
        "pair": "1",
        "side": "original",
        "token": 0,
        "start": 0,
        "end": 1,
        "text": "a",
        "annotators": 2,
        "outcome": "tie",
        "operations": None,
        "tied": [["x"], ["y"]],
        "label_sets": [[["x"], 1], [["y"], 1]],
        "marked": {"x": 1, "y": 1},
    }
    assert (rows[1]["operations"], rows[1]["tied"]) == ([], [])


def test_what_one_marked_alone_has_no_consensus():
    assert consensus(marked("ann", ("x", [0], []))) == []
    assert outcomes([])["original"] == dict.fromkeys(Outcome, 0)


@given(pairs=layers(holes=True), random=st.randoms(use_true_random=False))
def test_consensus_of_any_marks(pairs, random):
    tokens = consensus(*pairs)
    shared = layers_of(pairs).shared
    assert len(tokens) == 16 * len(shared)
    for at, by_name in enumerate(shared):
        for of_side, side in enumerate(SIDES):
            for place in range(8):
                token = tokens[16 * at + 8 * of_side + place]
                counted = Counter(token_labels(p, side, AS_MARKED)[place] for p in by_name.values())
                assert dict(token.label_sets) == counted
                if token.labels is not None:
                    assert counted.most_common(1)[0] == (token.labels, max(counted.values()))
    outcome_counts = outcomes(tokens)
    assert sum(sum(of_side.values()) for of_side in outcome_counts.values()) == len(tokens)
    names = ["ann", "bob", "cy"]
    random.shuffle(names)
    renamed = dict(zip(("ann", "bob", "cy"), names, strict=True))
    assert tokens == consensus(*(replace(p, annotator=renamed[p.annotator]) for p in pairs))
