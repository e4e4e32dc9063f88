"""The report on a table of human scores, without a study."""

from __future__ import annotations

import json

import pytest

from annotation.corpus.human_scores import ScoreColumns
from annotation.errors import RuleError
from annotation.models import Study
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.tables import TableRequest, table_report

pytestmark = pytest.mark.django_db
WORDS = ("assuré", "assureur", "prime", "délai", "avis", "dommage", "véhicule", "sinistre", "frais")


class Told:
    """Keeps what it is told."""

    def __init__(self):
        self.steps = []

    def progress(self, rows, total):
        self.steps.append((rows, total))


def rows():
    """Nine originals, two simplifications each."""
    for number, word in enumerate(WORDS):
        original = f"Le {word} est décrit à la clause {number} de la police."
        for system, text in (
            ("a", f"Le {word} est à la clause {number}."),
            ("b", "Voir la clause."),
        ):
            yield [original, text, system, 9 - number % 3 if system == "a" else 2 + number % 2]


def table(made=None, header="original,simplification,system,human,bleu,errors"):
    lines = [
        ",".join(map(str, [*row, number, 20 - number])) for number, row in enumerate(made or rows())
    ]
    return "\n".join([header, *lines]).encode()


def report(content=None, watch=None, **fields):
    columns = ScoreColumns(**{"human": ("human",), "lowest": 0, "highest": 10, **fields})
    request = TableRequest(columns, frozenset(["errors"]), "fr")
    return table_report(
        content or table(), request, ReportRequest("", seed=7, draws=100), watch or Told()
    )


def line(written, name):
    return next(report_line for report_line in written["lines"] if report_line["name"] == name)


def refused(content=None, **fields):
    with pytest.raises(RuleError) as error:
        report(content, **fields)
    return [
        (getattr(problem, "row", 0), problem.field, problem.code)
        for problem in error.value.problems
    ]


def test_a_report_without_a_study():
    watch = Told()
    written = report(watch=watch, system="system")
    json.dumps(written, allow_nan=False)
    assert not Study.objects.exists()
    assert (written["n"], written["sources"], written["people"], written["seed"]) == (18, 9, 1, 7)
    assert written["scale"] == [0, 10]
    assert written["table"]["human"] == ["human"]
    assert written["table"]["scale_given"]
    # «a» keeps what the clause says, «b» next to nothing.
    assert line(written, "chrf2")["figures"]["pearson"]["value"] > 0.9
    assert line(written, "sari")["missing"][0]["code"] == "no_reference"
    assert {
        stratum["value"] for stratum in written["strata"] if stratum["dimension"] == "system"
    } == {"a", "b"}
    assert watch.steps[-1][0] == watch.steps[-1][1]
    # Measured, then as many steps again in which figures are computed, line by line.
    assert {(18, 36), (36, 36)} <= set(watch.steps)


def test_the_ends_of_the_scale_stand_in_the_table():
    written = report(lowest=None, highest=None)
    assert written["scale"] == [2, 9]
    assert not written["table"]["scale_given"]


def test_scores_from_elsewhere_stand_beside():
    """A column that is called as a metric of our own is told from it; lower may be better."""
    written = report(scores=("bleu", "errors"))
    assert line(written, "bleu")["signature"].startswith("bleu|case:")
    brought, errors = line(written, "bleu (table)"), line(written, "errors")
    assert brought["is_brought"]
    assert brought["signature"].startswith("bleu|brought|sha256:")
    assert errors["direction"] == -1
    # One counts up where the other counts down.
    value = brought["figures"]["pearson"]["value"]
    assert errors["figures"]["pearson"]["value"] == pytest.approx(value)


def test_a_score_may_be_missing():
    made = [*list(rows())[:8], *([*row[:3], row[3]] for row in list(rows())[8:])]
    content = table(made).decode().replace(",5,15\n", ",,15\n").encode()
    report_line = line(report(content, scores=("bleu",)), "bleu (table)")
    assert report_line["n"] == 17
    assert report_line["missing"][0]["code"] == "not_brought"


def test_references_and_sources():
    made = [[*row[:2], f"Référence {row[1]}", row[3]] for row in rows()]
    content = table(made, "original,simplification,ref,human,doc,x")
    written = report(content, references=("ref",), source="doc")
    assert written["references"] == 1
    assert line(written, "sari")["n"] == 18
    # Each row is of a source of its own here, whatever its original.
    assert written["sources"] == 18


def test_counts_that_explain_metrics():
    made = [[*row[:3], "" if number == 2 else number, row[3]] for number, row in enumerate(rows())]
    content = table(made, header="original,simplification,system,moves,human,bleu,errors")
    written = report(content, counts=("moves",))
    assert written["table"]["counts"] == ["moves"]
    explained = written["explained"]
    assert explained["counts"] == ["moves"]
    assert "chrf2" in explained["metrics"]
    assert "Fewer than 20" in explained["metrics"]["chrf2"]["r_squared"]["undefined"]["en"]
    assert refused(content.replace(b",a,0,", b",a,many,"), counts=("moves",)) == [
        (2, "moves", "not_a_number")
    ]
    assert refused(counts=("human",)) == [(0, "human", "column_twice")]
    assert "explained" not in report()


def test_what_is_wrong_is_named():
    assert refused(human=("nobody",)) == [(0, "human", "no_column")]
    for field in ("original", "simplification", "system", "source"):
        assert refused(**{field: "nowhere"}) == [(0, field, "no_column")]
    assert refused(references=("nowhere",)) == [(0, "references", "no_column")]
    assert refused(scores=("bleu", "nowhere")) == [(0, "scores", "no_column")]
    assert refused(
        table(header="original,simplification,system,human,a,b"), scores=("errors",)
    ) == [(0, "lower", "no_column")]
    assert refused(table().replace(b",9,", b",much,")) == [
        (row, "human", "not_a_number") for row in (2, 8, 14)
    ]
    assert refused(lowest=5.0, highest=1.0) == [(0, "scale", "no_width")]
    assert refused(lowest=float("nan"), highest=1.0) == [(0, "scale", "no_width")]
    assert refused(lowest=0.0, highest=1e300) == [(0, "scale", "too_large")]
    same = [[*row[:3], 5] for row in rows()]
    assert refused(table(same), lowest=None, highest=None) == [(0, "scale", "no_width")]


def test_equal_scores_on_a_given_scale_are_undefined_in_words():
    written = report(table([[*row[:3], 5] for row in rows()]))
    assert "same" in line(written, "chrf2")["figures"]["pearson"]["undefined"]["en"]


def test_five_items():
    written = report(table(list(rows())[:5]))
    assert written["n"] == 5
    assert line(written, "chrf2")["figures"]["pearson"]["undefined"]


def test_what_was_not_given_is_said():
    assert report()["notes"] == []
    (note,) = report(lowest=None, highest=None)["notes"]
    assert note["en"].startswith("The scale was not given: its ends, 2 and 9, are the lowest")
    written = report(table([*[*rows()][:-1], [*[*rows()][-1]]]), references=("system",))
    assert written["notes"] == []
    empty = [[*row[:2], "" if at else "a", row[3]] for at, row in enumerate(rows())]
    (note,) = report(table(empty), references=("system",))["notes"]
    assert note["en"].startswith("Rows without a reference: 17.")
