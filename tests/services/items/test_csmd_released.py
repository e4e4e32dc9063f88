"""CSMD's pairs: in as they were released, learned from on their own scale, out byte for byte."""

from __future__ import annotations

import csv
import io
import json
import statistics
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.corpus import csmd
from annotation.corpus.csmd import format_row, read_csmd
from annotation.corpus.problems import TableError
from annotation.errors import RuleError
from annotation.models import Judgment, Study
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.items.released import released_import
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.scoring.sources import set_of_csmd, set_of_snapshot
from annotation.services.studies.studies import study_create
from tests.factories import make_annotator, make_pair
from tests.planning import open_main, rows
from tests.protocols.judged import answer

RELEASED = Path(settings.BASE_DIR).parent / "shared" / "data" / "csmd" / "meaning"
PARTS = ("train", "dev", "test")
needs_data = pytest.mark.skipif(not RELEASED.exists(), reason="the released files are not here")

HEAD = "original\tsimplification\tlabel\n"
CONTENT = (
    HEAD + '"Le vent ""du large"" souffle."\tLe vent souffle.\t66.23076923076923\n'
    "La mer monte.\tLa mer monte.\t100.0\n"
    "La mer monte.\tLa mer monte.\t0.5\n"
).encode()


def exported(study: Study, layout: str, kind: str) -> str:
    spec = export_spec(layout, kind, {})
    return "".join(chunk.text for chunk in export_chunks(study, spec))


@pytest.fixture
def study(db: None) -> Study:
    return study_create(actor=None, key="csmd", title="C", protocol_key="direct_assessment")


class TestIn:
    def test_a_label_is_one_judge_s_rating_and_stands_in_the_comment(self, study):
        outcome = released_import(actor=None, study=study, released=read_csmd(CONTENT, "train"))
        assert (outcome.items, outcome.judgments, outcome.judges) == (3, 3, 1)
        assert list(study.items.values_list("key", flat=True)) == [
            "train-0001",
            "train-0002",
            "train-0003",
        ]
        judgments = Judgment.objects.order_by("imported_row")
        assert [
            dict(judgment.ratings.values_list("dimension", "value")) for judgment in judgments
        ] == [
            {"meaning": 66},
            {"meaning": 100},
            {"meaning": 0},
        ]
        assert [judgment.sides.get().value for judgment in judgments] == [
            "66.23076923076923",
            "100.0",
            "0.5",
        ]

    @pytest.mark.parametrize(
        ("line", "field", "code"),
        [
            ("a\tb\n", "", "cells"),
            ("a\tb\t101\n", "label", "not_on_the_scale"),
            ("a\tb\tnan\n", "label", "not_on_the_scale"),
            ("a\tb\t٥\n", "label", "not_on_the_scale"),
            ("\tb\t1\n", "original", "not_a_text"),
            ("a\t\u2060\t1\n", "simplification", "not_a_text"),
            ('"\'\t"\tb\t1\n', "original", "not_a_text"),
            ("a" * 20_001 + "\tb\t1\n", "original", "too_long"),
            ("a\t'-" + "b" * 20_000 + "\t1\n", "simplification", "too_long"),
        ],
    )
    def test_a_row_that_is_none_is_named(self, line, field, code):
        (problem,) = read_csmd((HEAD + line).encode(), "a").problems
        assert (problem.row, problem.field, problem.code) == (1, field, code)

    @pytest.mark.parametrize(
        ("content", "code"),
        [(HEAD.encode(), "no_rows"), (b"a\tb\n", "other_columns"), (b"", "other_columns")],
    )
    def test_a_file_that_is_none(self, content, code):
        with pytest.raises(TableError) as refused:
            read_csmd(content, "a")
        assert refused.value.problem.code == code

    def test_a_cell_without_end_is_no_table(self):
        with pytest.raises(TableError) as refused:
            read_csmd((HEAD + '"' + "x" * 200_000).encode(), "a")
        assert (refused.value.problem.row, refused.value.problem.code) == (1, "not_a_table")

    def test_no_more_rows_than_of_any_file(self, monkeypatch):
        monkeypatch.setattr(csmd, "MAX_ROWS", 2)
        with pytest.raises(TableError) as refused:
            read_csmd(CONTENT, "a")
        assert refused.value.problem.code == "too_many_rows"

    def test_the_longest_text_that_goes_out_comes_in_again(self):
        longest = "-" + "a" * 19_999
        out = (HEAD + format_row(longest, "b", "1.0")).encode()
        assert out.split(b"\n")[1].startswith(b"'-")
        (pair,) = read_csmd(out, "a").pairs
        assert pair.original == longest

    def test_a_person_s_judgment_still_needs_all_three(self, study):
        make_pair(study)
        make_annotator(study)
        open_main(study)
        with pytest.raises(RuleError) as refused:
            answer(rows(study)[0], {"meaning": 3})
        assert [problem.field for problem in refused.value.problems] == ["fluency", "simplicity"]


class TestOut:
    def test_what_came_in_goes_out(self, study):
        released_import(actor=None, study=study, released=read_csmd(CONTENT, "train"))
        assert exported(study, "csmd", "tsv").encode() == CONTENT

    def test_a_cell_that_a_spreadsheet_would_run_comes_back_as_it_was(self, study):
        content = (HEAD + "'- Une liste.\tUne liste.\t50.0\n").encode()
        released_import(actor=None, study=study, released=read_csmd(content, "train"))
        assert study.items.get().original == "- Une liste."
        assert exported(study, "csmd", "tsv").encode() == content

    def test_what_was_judged_here_is_the_mean_of_people(self, study):
        judged_by_three(study)
        assert [line.split("\t")[2] for line in exported(study, "csmd", "tsv").splitlines()] == [
            "label",
            "40.0",
            "50.333333333333336",
        ]

    def test_z_scores_are_each_person_s_own(self, study):
        """Against the standard library's mean and standard deviation (n − 1)."""
        given = judged_by_three(study)
        exported_rows = [
            json.loads(line) for line in exported(study, "standardized", "jsonl").splitlines()
        ]
        for place, row in enumerate(exported_rows):
            assert row["meaning_ratings"] == 3
            assert row["meaning_mean"] == pytest.approx(
                statistics.mean(values[place] for values in given.values()), abs=1e-6
            )
            scores = []
            for name, values in given.items():
                spread = statistics.stdev(values)
                if not spread:
                    assert row[f"meaning_z_{name}"] is None, "who always answers the same"
                    continue
                scores.append((values[place] - statistics.mean(values)) / spread)
                assert row[f"meaning_z_{name}"] == pytest.approx(scores[-1], abs=1e-6)
            assert row["meaning_z"] == pytest.approx(statistics.mean(scores), abs=1e-6)
        header = next(csv.reader(io.StringIO(exported(study, "standardized", "csv"))))
        assert header[-1] == "simplicity_z_C"


def judged_by_three(study: Study) -> dict[str, list[int]]:
    given = {"A": [0, 100], "B": [50, 50], "C": [70, 1]}
    for number in (1, 2):
        make_pair(study, key=f"p{number}")
    for name in given:
        make_annotator(study, pseudonym=name)
    open_main(study)
    for row in rows(study):
        place = int(row.simplification.item.key[1:]) - 1
        value = given[row.annotator.pseudonym][place]
        answer(row, {"meaning": value, "fluency": 1, "simplicity": 1})
    return given


class TestCommand:
    def test_parts_go_into_one_study(self, db, tmp_path, capsys):
        for part in ("train", "dev"):
            path = tmp_path / f"{part}.tsv"
            path.write_bytes(CONTENT)
            call_command("import_csmd", str(path), study="csmd")
        assert "3 pairs, dev-0001 and on" in capsys.readouterr().out
        assert Study.objects.get().items.count() == 6
        with pytest.raises(CommandError, match="dev-0001"):
            call_command("import_csmd", str(path), study="csmd")

    def test_nothing_stays_of_a_file_that_is_refused(self, db, tmp_path):
        path = tmp_path / "train.tsv"
        path.write_text(HEAD)
        with pytest.raises(CommandError, match="Nothing was stored"):
            call_command("import_csmd", str(path), study="csmd")
        assert not Study.objects.exists()


@needs_data
class TestReleased:
    """GRAAL-Research/csmd, the three parts of "meaning": 1,355 pairs."""

    def test_all_parts_come_in_go_out_and_are_learned_from(self, study):
        contents = [(RELEASED / f"{part}.tsv").read_bytes() for part in PARTS]
        for part, content in zip(PARTS, contents, strict=True):
            released_import(actor=None, study=study, released=read_csmd(content, part))
        out = exported(study, "csmd", "tsv").encode()
        assert out == contents[0] + b"".join(content.split(b"\n", 1)[1] for content in contents[1:])
        snapshot = study_freeze(actor=None, study=study, reason="to learn", recipe={"draws": 100})
        learned, released = set_of_snapshot(snapshot), set_of_csmd(RELEASED, "label")
        assert len(learned.pairs) == len(released.pairs) == 1355
        assert (snapshot_folder(snapshot) / "csmd.tsv").read_bytes() == out
        assert learned.language == released.language == "en"
        assert (learned.lowest, learned.highest) == (0.0, 100.0)
        texts = {(pair.original, pair.simplification) for pair in released.pairs}
        assert {(pair.original, pair.simplification) for pair in learned.pairs} == texts
        gap = statistics.mean(p.label for p in learned.pairs) - statistics.mean(
            p.label for p in released.pairs
        )
        assert abs(gap) < 0.05, "a rating is its label rounded"
