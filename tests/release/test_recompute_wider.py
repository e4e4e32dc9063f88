"""The program that goes with a release finds every interval of alpha and every component of the
variance again, of any table, and each that was changed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.agreement.report import dimension_report
from annotation.agreement.table import FloatArray, Ratings
from annotation.release import recompute_agreement
from bench.intervals import SCALE, nested, scores

Row = dict[str, Any]
RNG = np.random.default_rng


def program() -> Any:
    """As strangers run it."""
    path = Path(recompute_agreement.__file__)
    spec = importlib.util.spec_from_file_location("recompute", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def holed(cells: FloatArray, share: float, seed: int) -> FloatArray:
    return np.where(RNG(seed).random(cells.shape) < share, np.nan, cells)


TABLES: dict[str, tuple[FloatArray, int, str]] = {
    "texts of three": (nested(RNG(1), 14, 3), 3, "ordinal"),
    "texts of three, holes": (holed(nested(RNG(2), 20, 3), 0.3, 2), 3, "ordinal"),
    "a text each": (scores(RNG(3), 30, 5), 1, "ordinal"),
    "a text each, holes": (holed(scores(RNG(4), 40, 6), 0.5, 4), 1, "interval"),
    "systems that differ": (
        np.clip(scores(RNG(12), 45, 5) + np.tile([3, 0, -3], 15)[:, None], 1, 10),
        3,
        "ordinal",
    ),
    "intervals": (nested(RNG(5), 15, 2), 2, "interval"),
    "classes": (holed(scores(RNG(6), 40, 5), 0.2, 6), 2, "nominal"),
    "classes, a text each": (scores(RNG(6), 40, 5), 1, "nominal"),
    "more texts than are left out": (scores(RNG(7), 510, 4), 1, "ordinal"),
    "more shared texts than are left out": (nested(RNG(7), 505, 2), 2, "ordinal"),
    "more people than are left out": (holed(scores(RNG(8), 40, 34), 0.6, 8), 2, "ordinal"),
    "three people": (scores(RNG(9), 20, 3), 1, "ordinal"),
    "one person": (scores(RNG(9), 20, 1), 1, "ordinal"),
    "few texts": (scores(RNG(10), 9, 5), 1, "ordinal"),
    "nothing differs": (np.full((24, 4), 4.0), 2, "ordinal"),
    "two parts": (
        np.block([[scores(RNG(11), 15, 3), np.full((15, 3), np.nan)]] * 2),
        1,
        "ordinal",
    ),
}


def hub() -> FloatArray:
    """Without the first person only one item is left that two have judged."""
    cells = scores(RNG(13), 21, 5)
    for at in range(1, 21):
        cells[at, [person for person in range(1, 5) if person != 1 + at % 4]] = np.nan
    cells[0, 3:] = np.nan
    return cells


TABLES["one person in all items but one"] = (hub(), 1, "ordinal")


def published(name: str) -> tuple[FloatArray, Any, Row]:
    """A table with the source of each unit, and what is published of it."""
    cells, each, level = TABLES[name]
    units = [f"unit-{at:04}" for at in range(len(cells))]
    source_of = np.array([f"text-{at // each:04}" for at in range(len(cells))], dtype=object)
    report = dimension_report(
        Ratings.from_matrix(cells, unit_ids=units),
        level=level,
        scale=SCALE,
        sources=dict(zip(units, source_of.tolist(), strict=True)),
        draws=60,
        seed=5,
    )
    return cells, source_of, report.as_dict()


def differing(cells: FloatArray, source_of: Any, report: Row) -> list[str]:
    module = program()
    checked = module.Checked()
    module.check_wider("q", cells, source_of, report, checked)
    module.check_variance("q", cells, source_of, report, checked)
    assert checked.number or "other_annotators" not in report
    differences: list[str] = checked.differing
    return differences


@pytest.mark.parametrize("name", TABLES)
def test_every_number_is_found_again(name):
    assert differing(*published(name)) == []


@pytest.mark.parametrize("name", ["texts of three, holes", "a text each"])
@pytest.mark.parametrize("key", ["other_sources", "other_annotators"])
def test_an_interval_that_was_changed_is_found(name, key):
    cells, source_of, report = published(name)
    assert report[key]["interval"] is not None
    report[key]["interval"][1] += 0.001
    (difference,) = differing(cells, source_of, report)
    assert difference.startswith("q alpha.ordinal, other ")


@pytest.mark.parametrize(
    ("of", "key"),
    [
        *(("components", key) for key in ("variance", "share", "variance_interval", "interval")),
        *(("dependability", key) for key in ("relative", "absolute", "half_width")),
        *(("dependability", key) for key in ("relative_interval", "absolute_interval")),
    ],
)
def test_a_part_of_the_variance_that_was_changed_is_found(of, key):
    cells, source_of, report = published("texts of three")
    part = report["variance"][of][1]
    if isinstance(part[key], list):
        part[key][0] += 0.001
    else:
        part[key] += 0.001
    assert len(differing(cells, source_of, report)) == 1


def test_snapshots_of_before_only_set_sources_to_0():
    """As they say by their signature: the items keep what is theirs beside sources below 0."""
    cells, source_of, report = published("systems that differ")
    variance = report["variance"]
    assert variance["negative"] == ["sources"]
    variance["signature"] = variance["signature"].replace("|below_zero:left_out", "")
    within = cells.mean(axis=1).reshape(15, 3)
    square = 5 * ((within - within.mean(axis=1, keepdims=True)) ** 2).sum() / 30
    rest = variance["components"][3]["variance"]
    said = f"q variance of items: {(square - rest) / 5:.6f}"
    assert any(difference.startswith(said) for difference in differing(cells, source_of, report))


def test_bundles_of_before_have_neither():
    cells, source_of, report = published("a text each")
    del report["other_annotators"], report["other_sources"]
    assert differing(cells, source_of, report | {"variance": None}) == []
