"""Gwet's AC1 and AC2 on published ratings, against values of irrCAC 0.4.4 (his own package, in
Python): ``../shared/spec/metrics.md``, sections 4 (JADES) and 5 (FrJUDGE)."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from annotation.agreement.table import Ratings
from annotation.corpus.jades import read_jades
from tests.agreement.alone import gwet_ac2
from tests.metrics.released import FRJUDGE, SHARED, needs, rows

JADES = SHARED / "jades_manual_scores_valid.json"


def frjudge(column):
    """297 pairs by 5 annotators; words as numbers, in no order."""
    given: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows(FRJUDGE / "ratings.csv"):
        given[row["pair"]][row["annotator"]] = row[column]
    values = sorted({value for answers in given.values() for value in answers.values()})
    if column == "legal_meaning":
        numbers = {value: int(value) for value in values}
    else:
        numbers = {value: number for number, value in enumerate(values)}
    matrix = [[numbers[answers[name]] for name in "ABCDE"] for answers in given.values()]
    return Ratings.from_matrix(np.array(matrix, dtype=float))


def jades(dimension):
    """The valid half: 600 outputs by six annotators, of whom three judged each; the references,
    which nobody judged, are left out."""
    pairs = [pair for pair in read_jades(JADES.read_bytes()).pairs if pair.scores]
    judges = sorted({name for pair in pairs for name in pair.scores})
    matrix = [
        [pair.scores[name][dimension] if name in pair.scores else np.nan for name in judges]
        for pair in pairs
    ]
    assert (len(matrix), len(judges)) == (600, 6)
    return Ratings.from_matrix(np.array(matrix, dtype=float))


@needs(FRJUDGE)
@pytest.mark.parametrize(
    ("column", "weights", "published"),
    [
        ("simplicity", "identity", 0.4812),
        ("qualification", "identity", 0.5805),
        ("legal_meaning", "identity", 0.1848),
        ("legal_meaning", "ordinal", 0.1999),
        ("legal_meaning", "linear", 0.1946),
        ("legal_meaning", "quadratic", 0.2008),
    ],
)
def test_frjudge(column, weights, published):
    assert gwet_ac2(frjudge(column), weights).value == pytest.approx(published, abs=5e-5)


@needs(JADES)
@pytest.mark.parametrize(
    ("dimension", "ac1", "quadratic"),
    [
        ("fluency", 0.3178, 0.6572),
        ("meaning", 0.2527, 0.6247),
        ("simplicity", 0.3182, 0.4103),
    ],
)
def test_jades(dimension, ac1, quadratic):
    ratings = jades(dimension)
    assert gwet_ac2(ratings).value == pytest.approx(ac1, abs=5e-5)
    assert gwet_ac2(ratings, "quadratic").value == pytest.approx(quadratic, abs=5e-5)
