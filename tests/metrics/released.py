"""Published data with human scores, read where it lies; tests skip where it is absent."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
FRJUDGE = SHARED / "frjudge"
SIMPLICITY_DA = SHARED / "simplicity_da"
ASSETANN = SHARED / "assetann"


def needs(folder: Path) -> pytest.MarkDecorator:
    """Skips a test where the folder is not at hand."""
    return pytest.mark.skipif(not folder.exists(), reason=f"{folder.name} is not at hand")


def rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """A CSV by its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def frjudge_pairs() -> tuple[list[tuple[str, str]], np.ndarray]:
    """The 297 pairs, and their ratings of legal meaning (297, 5)."""
    pairs = [json.loads(line) for line in lines(FRJUDGE / "pairs.jsonl")]
    given: dict[int, dict[str, float]] = defaultdict(dict)
    for row in rows(FRJUDGE / "ratings.csv"):
        given[int(row["pair"])][row["annotator"]] = float(row["legal_meaning"])
    ratings = [[given[pair["pair"]][name] for name in "ABCDE"] for pair in pairs]
    return [(row["original"], row["simplification"]) for row in pairs], np.array(ratings)


def simplicity_da() -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """The 600 outputs, and every metric of each as published against ASSET's references."""
    outputs = rows(SIMPLICITY_DA / "simplicity_DA.csv")
    published = {
        (row["sent_id"], row["sys_name"]): row
        for row in rows(SIMPLICITY_DA / "metrics_simplicity_DA.csv")
        if row["test_set"] == "asset"
    }
    return outputs, [published[row["sent_id"], row["sys_name"]] for row in outputs]


def asset_references() -> list[list[str]]:
    """ASSET's ten references of each of its 359 test sentences, cut into tokens already."""
    files = [lines(ASSETANN / "asset-full" / f"asset.simp.{number}.txt") for number in range(10)]
    return [list(references) for references in zip(*files, strict=True)]
