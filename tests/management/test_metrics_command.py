"""``manage.py metrics``: the report on a terminal, and as JSON; of a study and of a table."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.management.commands.metrics import Command
from annotation.selectors.metrics.material import pair_names
from annotation.services.metrics import reports
from annotation.services.metrics.brought import ScoresNote, scores_bring_file
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_now
from annotation.services.publishing.snapshots import study_freeze
from tests.bulk import fill_study
from tests.factories import make_study, make_user
from tests.services.metrics.test_tables import Told, table
from tests.systems_study import fill_systems

pytestmark = pytest.mark.django_db


def output(*arguments: str) -> str:
    out = StringIO()
    call_command("metrics", *arguments, stdout=out)
    return out.getvalue()


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        output(*arguments)
    return str(error.value)


@pytest.fixture
def study():
    judged_study = make_study("judged", state="closed")
    fill_study(judged_study, pairs=12, annotators=3)
    return judged_study


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(table())
    return str(path)


def test_the_help_says_what_happens_without_a_language():
    words = " ".join(Command().create_parser("manage.py", "metrics").format_help().split())
    assert "(default: told from them)" in words


def test_of_a_study(study):
    rows = [
        f"{name},{metric},{number % of}\n"
        for number, name in enumerate(pair_names(study))
        for metric, of in (("FOUR", 4), ("FIVE", 5))
    ]
    content = "".join(["pair,metric,score\n", *rows]).encode()
    scores_bring_file(actor=make_user("lead"), study=study, content=content, note=ScoresNote())
    report = json.loads(output("judged", "--json", "--draws", "100", "--seed", "7"))
    request = ReportRequest("legal_meaning", seed=7, draws=100)
    assert report == json.loads(json.dumps(report_now(study, request, Told())))
    shown = output("judged", "--draws", "100", "--seed", "7")
    best = next(line for line in report["lines"] if line["name"] == report["best"])
    pearson = best["figures"]["pearson"]
    assert f"{pearson['value']:.4f}  [{pearson['low']:.4f}, {pearson['high']:.4f}]" in shown
    for words in (
        "legal_meaning: 12 outputs of 12 originals, 3 people, 36 scores on 1 to 10",
        "100 draws, seed 7; references: none",
        "length_ratio (baseline): 12 outputs",
        "added_share (lower is better)",
        "Williams t(9)",
        "12 without a value: This metric compares with a reference",
        "half = low:",
        best["signature"],
    ):
        assert words in shown, words
    assert "nan" not in shown.lower()


def test_another_dimension_and_a_system_as_the_reference():
    rows = [[5, 6], [7, 8], [3, 2], [9, 9], [4, 6]]
    fill_systems(make_study("deux", state="closed"), {"gold": rows, "a": rows[::-1]})
    arguments = ("deux", "--reference-system", "gold", "--dimension", "legal_meaning")
    assert "references: 1" in output(*arguments, "--draws", "100")


def test_of_a_snapshot(study):
    frozen = study_freeze(actor=None, study=study, recipe={"draws": 100})
    report = json.loads(output("judged", "--snapshot", "1", "--json", "--draws", "100"))
    assert (report["snapshot"], report["n"]) == (frozen.name, 12)
    assert "has no snapshot 2" in refusal("judged", "--snapshot", "2")
    assert "--snapshot is of a study" in refusal("--table", "none.csv", "--snapshot", "1")


def test_of_a_table(file):
    arguments = ("--table", file, "--human", "human", "--system", "system", "--draws", "100")
    shown = output(*arguments, "--score", "bleu", "--lower", "errors")
    for words in (
        "human: 18 outputs of 9 originals, 1 people, 18 scores on 2 to 9 (ends as found",
        "bleu (table) (brought in): 18 outputs",
        "errors (brought in, lower is better)",
        "undefined: ",
        "system = a: 9 outputs",
    ):
        assert words in shown, words
    assert "Lasso" not in shown
    shown = output(*arguments, "--count", "errors", "--paper", "judgebert-3")
    assert "Lasso from 1 counts, 10 folds of originals" in shown
    assert "  chrf2              R² undefined: Fewer than 20 source texts" in shown
    assert "    here, 18 outputs: pairs 18.0000" in shown
    report = json.loads(output(*arguments, "--scale", "0", "10", "--language", "fr", "--json"))
    assert report["scale"] == [0, 10]
    assert next(line for line in report["lines"] if line["name"] == "fkgl")["n"] == 0


def test_a_published_table_beside_ours(study, file):
    shown = output("judged", "--draws", "100")
    assert "Beauchemin et al. (2025), JUDGEBERT, tables 5 and 6" in shown
    assert "LENS: published r 0.38, RMSE 2.57" in shown
    assert "none here: Needs a model whose weights" in shown
    arguments = ("--table", file, "--human", "human", "--draws", "100")
    assert "JUDGEBERT" not in output(*arguments)
    shown = output(*arguments, "--score", "bleu", "--paper", "simplicity-da")
    assert "BLEU: published r, low half 0.405, r, high half 0.235, r 0.496" in shown
    assert "    bleu (table): r " in shown
    report = json.loads(output(*arguments, "--paper", "assetann-split", "--json"))
    (paper,) = report["papers"]
    assert paper["lines"][0]["published"] == [0.0915]
    assert paper["lines"][0]["ours"][0]["undefined"]


def test_what_is_wrong_in_a_table_is_named_by_row_and_column(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(table().replace(b",2,1,", b",two,1,").replace(b"Voir la clause.,b,3", b",b,3"))
    assert refusal("--table", str(path), "--human", "human").splitlines() == [
        "row 3, human: “two” is not a number. Write a number, or leave the cell empty.",
        *(
            f"row {row}, simplification: The cell is empty. Fill it in, or leave the row out."
            for row in (5, 9, 13, 17)
        ),
    ]


def test_a_protocol_with_nothing_to_hold_a_metric_against(db):
    make_study("questions", protocol_key="qa_pairs", protocol_version="1", state="closed")
    for named in ((), ("--dimension", "zz")):
        assert "no dimension with an order" in refusal("questions", *named)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Name a study, or a table"),
        (("judged", "--table", "x.csv"), "one of the two"),
        (("judged", "--paper", "none"), "invalid choice"),
        (("nobody",), "There is no study “nobody”"),
        (("judged", "--human", "x"), "--human is of a table"),
        (("judged", "--dimension", "none"), "the study has legal_meaning"),
        (("judged", "--reference-system", "none"), "“none” is not known"),
        (("judged", "--draws", "99"), "--draws takes 100–"),
        (("judged", "--draws", "-1"), "or 0 for no intervals"),
        (("judged", "--seed", "-1"), "--draws takes"),
        (("--table", "x.csv"), "needs --human"),
        (("--table", "x.csv", "--human", "z", "--dimension", "d"), "--dimension is of a study"),
        (("--table", "none.csv", "--human", "z"), "cannot be read"),
    ],
)
def test_what_cannot_be(study, arguments, words):
    assert words in refusal(*arguments)


def test_a_column_that_is_not_there(file):
    words = refusal("--table", file, "--human", "score")
    assert words.startswith("file, human: The file has no column “score”. Its columns: original,")
    assert "no width" in refusal("--table", file, "--human", "human", "--scale", "3", "1")


def test_nothing_is_judged(monkeypatch):
    make_study("vide")
    assert "Nobody has judged" in refusal("vide")
    # Taken back between two looks.
    monkeypatch.setattr(reports, "is_judged", lambda *_: True)
    assert "Nobody has judged" in refusal("vide")
