"""Tables that several tests look at, and where they come from."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from annotation.agreement.table import Ratings, rating_tables

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
FRJUDGE = SHARED / "frjudge" / "ratings.csv"
JADES = SHARED / "jades_manual_scores_valid.json"
needs_frjudge = pytest.mark.skipif(
    not FRJUDGE.exists(), reason="the FrJUDGE ratings are not at hand"
)
needs_jades = pytest.mark.skipif(not JADES.exists(), reason="the JADES scores are not at hand")

HOLE = np.nan
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12
# units, 7 holes. The same table is Hayes and Krippendorff's and irrCAC's cac.raw4raters. Here one
# row per unit, one column per observer.
TEXTBOOK = [
    [1, 1, HOLE, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [HOLE, 5, 5, 5],
    [HOLE, HOLE, 1, 1],
    [HOLE, HOLE, 3, HOLE],
]
SIMPLICITY = (
    "Plus simple à lire",
    "Aussi simple à lire",
    "Plus difficile à lire",
    "Pas de simplification",
)


def frjudge() -> dict[str, Ratings]:
    """The released ratings, by dimension."""
    with FRJUDGE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return rating_tables(
        [int(row["pair"]) for row in rows],
        [row["annotator"] for row in rows],
        {
            "simplicity": [SIMPLICITY.index(row["simplicity"]) + 1 for row in rows],
            "qualification": [int(row["qualification"]) for row in rows],
            "legal_meaning": [int(row["legal_meaning"]) for row in rows],
        },
    )


def jades(dimension: str) -> Ratings:
    """The released scores of one dimension: 600 outputs, 3 of 6 annotators each."""
    outputs = json.loads(JADES.read_text(encoding="utf-8"))
    cells = [
        (place, output[f"idx_annotator_{nth}"], output[f"score_{dimension}_{nth}"])
        for place, output in enumerate(outputs)
        for nth in (1, 2, 3)
    ]
    return Ratings.from_long(*zip(*cells, strict=True))


@st.composite
def tables(draw, max_units: int = 12, max_raters: int = 5, k: int = 5):
    """A random matrix of units × raters on 1 … k with holes."""
    units, raters = draw(st.integers(2, max_units)), draw(st.integers(2, max_raters))
    cell = st.one_of(st.integers(1, k).map(float), st.just(HOLE))
    rows = st.lists(
        st.lists(cell, min_size=raters, max_size=raters), min_size=units, max_size=units
    )
    return np.array(draw(rows))
