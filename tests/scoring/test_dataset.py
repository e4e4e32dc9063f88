"""A training set as a file: what was written comes back, in the former format too."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.scoring.dataset import FORMER, LabelledPair, TrainingSet
from annotation.scoring.errors import ScoringError
from annotation.scoring.strata import StratumItem, strata

PAIR = LabelledPair(
    1, "item-1/1", "Un texte.", "Texte.", 7.0, ratings={"A": 7.0}, classes={"kind": "3"}
)
SET = TrainingSet("made-up", "plain/adequacy", "fr", 1.0, 5.0, (PAIR,), aggregate="median")


def test_what_was_written_comes_back():
    assert TrainingSet.from_bytes(SET.to_bytes()) == SET


@pytest.mark.parametrize(("kind", "classes"), [("7", {"characterization": "7"}), ("", {})])
def test_a_file_of_before_is_read(kind, classes):
    facts, row = [json.loads(line) for line in SET.to_bytes().splitlines()]
    facts["format"] = FORMER
    del row["classes"]
    former = "\n".join(json.dumps(record) for record in (facts, row | {"characterization": kind}))
    assert TrainingSet.from_bytes(former.encode()).pairs[0].classes == classes


def test_any_other_file_is_refused():
    with pytest.raises(ScoringError) as refused:
        TrainingSet.from_bytes(SET.to_bytes().replace(b"bareme-training/2", b"other/9"))
    assert refused.value.code == "data_unreadable"


def test_each_dimension_of_classes_makes_strata_of_its_own():
    items = [
        StratumItem("Un.", "Un.", 1.0, classes={"add": "1", "delete": "0"}),
        StratumItem("Deux.", "Deux.", 2.0, classes={"add": "0"}),
    ]
    names = {(stratum.dimension, stratum.value) for stratum in strata(items, np.array([1.0, 2.0]))}
    named = {name for name in names if name[0].startswith("class")}
    assert named == {("class:add", "0"), ("class:add", "1"), ("class:delete", "0")}
    assert not {name for name in names if name[0] == "bracket"}
