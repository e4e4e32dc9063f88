"""Published tables beside a report of ours."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.metrics.metric import Direction, pair
from annotation.metrics.papers.assetann import PARTS, SARI
from annotation.metrics.papers.paper import beside
from annotation.metrics.papers.registry import TABLES, tables_for
from annotation.metrics.registry import metrics
from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.parts import parts
from annotation.metrics.report.report import metric_report
from annotation.protocols.base import NO_WORDING
from annotation.protocols.registry import protocol
from tests.metrics.report.test_report import candidate, people


@pytest.fixture(scope="module")
def report():
    study = people()
    lines = [
        candidate("LENS", study.means, is_brought=True),
        candidate("bleu", study.means * 10),
        candidate("fkgl", -study.means, direction=Direction.LOWER, bounds=None),
    ]
    pairs = [pair(output.original, output.simplification, (), "fr") for output in study.outputs]
    return metric_report(study, lines, Drawn(draws=100)) | {"parts": parts(study, pairs, lines)}


@pytest.mark.parametrize("key", TABLES)
def test_every_line_is_whole(key):
    table = TABLES[key]
    assert table.key == key
    assert table.paper
    for wording in (
        table.table,
        table.note,
        *(column.label for column in (*table.columns, *table.ours)),
    ):
        assert wording.fr
        assert wording.en
    for line in table.lines:
        assert len(line.published) == len(table.columns)
        # What is to be computed here is a metric of ours; of anything else it is said why not.
        assert line.ours
        assert (line.ours[-1] in metrics()) == (line.reason == NO_WORDING)


@pytest.mark.parametrize("key", TABLES)
def test_shown_with_a_dimension_that_its_protocol_has(key):
    table = TABLES[key]
    if table.protocol:
        assert table.dimension in protocol(table.protocol, "1").dimensions
        assert table in tables_for(table.protocol, table.dimension)
    else:
        assert key.startswith("assetann-")


def test_no_table_of_what_nobody_published():
    assert tables_for("", "") == []
    assert tables_for("legal_meaning", "simplicity") == []


def test_ours_beside_the_published(report):
    comparison = beside(TABLES["judgebert-5-6"], report)
    json.dumps(comparison, allow_nan=False)
    lines = {line["label"]: line for line in comparison["lines"]}
    lens = next(line for line in report["lines"] if line["name"] == "LENS")
    # Brought in under its name, whatever its case.
    assert lines["LENS"]["metric"] == "LENS"
    assert lines["LENS"]["signature"] == lens["signature"]
    assert lines["LENS"]["reason"] is None
    assert lines["LENS"]["published"] == [0.38, 2.57, 0, 0.0067, 0.3]
    names = ("pearson", "rmse", "identical_strict", "unrelated_strict", "share_above")
    assert lines["LENS"]["ours"] == [lens["figures"][name] for name in names]
    assert lines["BERTScore"]["ours"] == []
    assert "weights" in lines["BERTScore"]["reason"]["en"]


def test_a_line_of_a_table_on_data_is_a_system_or_all(report):
    changed = [part | {"system": {"a": "BART"}.get(part["system"], "")} for part in report["parts"]]
    lines = {
        line["label"]: line
        for line in beside(TABLES["jades-3-meaning"], report | {"parts": changed[:2]})["lines"]
    }
    means = report["parts"][1]["means"]
    bleu, sari, _bertscore, people = lines["BART-SJ"]["ours"]
    assert (bleu["value"], bleu["n"], bleu["undefined"]) == (means["bleu"], 20, None)
    assert people["value"] == report["parts"][1]["people"]["mean"]
    assert "No value" in sari["undefined"]["en"]
    assert lines["BART-SJ"]["reason"] is None
    assert lines["Identical"]["ours"] == []
    assert "no system" in lines["Identical"]["reason"]["en"]
    corpus = beside(TABLES["judgebert-3"], report)["lines"][0]
    assert corpus["ours"][0]["value"] == 60


def test_lasso_stands_where_counts_were_brought_along():
    lines = [candidate("sari", np.arange(60.0)), candidate("sari_add", np.arange(60.0))]
    made = metric_report(people(), lines, Drawn(draws=0))
    assert [line["ours"] for line in beside(TABLES["assetann-lasso"], made)["lines"]] == [
        [],
        [None],
        [],
        [None],
    ]
    figure = {"value": 0.2}
    made["explained"] = {"metrics": {"sari": {"r_squared": figure}}}
    *_, whole = beside(TABLES["assetann-lasso"], made)["lines"]
    assert whole["ours"] == [figure]


def test_halves_come_from_the_strata(report):
    lines = {line["label"]: line for line in beside(TABLES["simplicity-da"], report)["lines"]}
    halves = {
        stratum["value"]: stratum["pearson"]["bleu"]
        for stratum in report["strata"]
        if stratum["dimension"] == "half"
    }
    assert lines["BLEU"]["ours"][:2] == [halves["low"], halves["high"]]
    assert lines["FKGL"]["metric"] == "fkgl"
    assert lines["SARI"]["metric"] == ""
    assert lines["SARI"]["reason"] is None


def test_without_halves_there_is_no_figure(report):
    without = report | {"strata": []}
    line = next(
        line
        for line in beside(TABLES["simplicity-da"], without)["lines"]
        if line["label"] == "BLEU"
    )
    assert line["ours"][:2] == [None, None]
    assert line["ours"][2]["value"] == pytest.approx(1)


def test_assetann_has_a_table_for_each_operation():
    keys = {key.removeprefix("assetann-") for key in TABLES if key.startswith("assetann-")}
    assert keys == {"lasso", *(name.lower() for name in (*SARI, *PARTS))}
    assert [line.label for line in TABLES["assetann-synonym"].lines] == [
        "SARI",
        "SARI, keep",
        "SARI, add",
        "SARI, delete",
    ]
    assert len(keys) == 27
    assert TABLES["assetann-incst"].table.en == "tables 2 and 3, incst"
