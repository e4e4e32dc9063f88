"""Recompute the agreement table of this data set from its ratings, with public packages only.

    pip install pandas numpy krippendorff
    python recompute_agreement.py

Reads data/ratings.csv and agreement.json beside this file. Percent agreement is the share of
agreeing pairs among all pairs of ratings of the same item; alpha is Krippendorff's, by the
`krippendorff` package. Ends with an error where a number differs from the published one by more
than 0.0000001.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
LEVELS = ("nominal", "ordinal", "interval")
TOLERANCE = 1e-7


def percent_agreement(matrix: Any) -> float:
    """Share of agreeing pairs among all pairs of ratings of the same item; rows are items, NaN is a
    hole."""
    agreeing = pairs = 0
    for row in matrix:
        known = row[~np.isnan(row)]
        counts = np.unique(known, return_counts=True)[1]
        agreeing += int((counts * (counts - 1) // 2).sum())
        pairs += len(known) * (len(known) - 1) // 2
    return agreeing / pairs if pairs else math.nan


def alpha(matrix: Any, level: Any) -> float:
    """Krippendorff's alpha, NaN where it is undefined."""
    try:
        return float(krippendorff.alpha(reliability_data=matrix.T, level_of_measurement=level))
    except ValueError:
        return math.nan


def differs(value: float, published: float | None) -> bool:
    """Whether a number is not the published one; None there and NaN here both say undefined."""
    if published is None or math.isnan(value):
        return not (published is None and math.isnan(value))
    return abs(value - published) > TOLERANCE


def written(name: str, value: float) -> str:
    """The number as the table shows it."""
    if math.isnan(value):
        return f"{name} undefined"
    return f"{100 * value:.2f} %" if name == "percent_agreement" else f"{name} {value:.4f}"


def main() -> None:
    ratings = pd.read_csv(
        HERE / "data" / "ratings.csv", dtype={"simplification_key": str, "annotator": str}
    )
    published = json.loads((HERE / "agreement.json").read_text(encoding="utf-8"))["dimensions"]
    differing = []
    for dimension, report in published.items():
        own = ratings[ratings["dimension"] == dimension]
        table = own.pivot(index="simplification_key", columns="annotator", values="value").astype(
            float
        )
        matrix = table.to_numpy()
        found = {"percent_agreement": percent_agreement(matrix)}
        stated = {"percent_agreement": report["percent_agreement"]}
        for level in LEVELS if report["fitting"] != "nominal" else LEVELS[:1]:
            found[f"alpha {level}"] = alpha(matrix, level)
            stated[f"alpha {level}"] = report["alpha"][level]
        shown = []
        for name, value in found.items():
            if differs(value, stated[name]):
                differing.append(f"{dimension} {name}: {value} here, {stated[name]} published")
            shown.append(written(name, value))
        shape = f"{len(table)} items, {table.shape[1]} annotators, {len(own)} ratings"
        sys.stdout.write(f"{dimension}: {', '.join(shown)} ({shape})\n")
    if differing:
        sys.exit("These numbers differ from the published ones:\n" + "\n".join(differing))
    sys.stdout.write("All numbers are as published.\n")


if __name__ == "__main__":
    main()
