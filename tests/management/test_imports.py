"""``import_pairs`` and ``import_frjudge``: all or nothing, every bad row named, the remedy beside
it."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item, Judgment, Simplification, Study
from tests.factories import make_study

pytestmark = pytest.mark.django_db

CSV = (
    "original;simplification;modèle\nL'assuré paie.;Vous payez.;m1\nL'assureur paie.;On paie.;m1\n"
)
ROW = {
    "original": "L'assuré paie.",
    "simplification": "Vous payez.",
    "simplicity": "Plus simple à lire",
    "qualification": "8",
    "legal_meaning": "7",
    "justifications": "",
}


@pytest.fixture
def study() -> Study:
    return make_study("s")


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", '{"pairs": [1,2', r"row 1: This is not JSON \(line 1, column 15\)"),
        ("a.json", "pairs: 1", r"row 1: .* is not JSON \(line 1, column 1\)"),
        ("a.csv", 'original,simplification\n"Non fermé,Simple\na,b\n', "row 2: A quotation mark"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(study, tmp_path, name, content, said):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(CommandError, match=said):
        run("import_pairs", str(path), "--study", "s")
    assert not study.items.exists()


def run(*arguments):
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


class TestPairs:
    def test_what_was_understood_and_added_is_said(self, study, write):
        said = run("import_pairs", write(CSV.encode("cp1252")), "--study", "s")
        assert "cp1252 (guessed)" in said
        assert "system='modèle'" in said
        assert "Added 2 items, 2 simplifications." in said
        assert Simplification.objects.filter(system="m1").count() == 2

    def test_a_sheet_of_what_is_no_workbook(self, study, write):
        with pytest.raises(CommandError, match="no workbook: it has no sheet “Foo”") as refused:
            run("import_pairs", write(CSV), "--study", "s", "--sheet", "Foo")
        assert "Nothing was stored" in str(refused.value)
        assert not Item.objects.exists()

    def test_every_bad_row_is_named_and_nothing_is_stored(self, study, write):
        with pytest.raises(CommandError) as caught:
            run("import_pairs", write(CSV + ";x;\ny;;\n"), "--study", "s")
        said = str(caught.value)
        assert "row 4, original: “Original” is empty. Fill the cell" in said
        assert "row 5, simplification" in said
        assert "Nothing was stored: 2 problem(s)" in said
        assert not Item.objects.exists()

    def test_columns_by_name_and_by_number(self, study, write):
        content = "a;b;c\nL'assuré paie.;Vous payez.;x\n"
        run(
            "import_pairs",
            write(content),
            "--study",
            "s",
            "--map",
            "original=A",
            "--map",
            "simplification=2",
        )
        assert Item.objects.get().original == "L'assuré paie."

    def test_a_chosen_column_is_taken_from_the_guess(self, study, write):
        content = "original;simplification;text\na;b;c\n"
        run(
            "import_pairs",
            write(content),
            "--study",
            "s",
            "--map",
            "original=text",
            "--map",
            "source=original",
        )
        item = Item.objects.get()
        assert (item.original, item.source) == ("c", "a")

    @pytest.mark.parametrize(
        "entry", ["original", "title=a", "original=", "original=nowhere", "original=9"]
    )
    def test_a_mapping_that_cannot_be(self, study, write, entry):
        with pytest.raises(CommandError, match=r"--map|There is no column"):
            run("import_pairs", write(CSV), "--study", "s", "--map", entry)

    def test_the_row_of_names_can_be_said(self, study, write):
        content = "Corpus;2026\nici;là\nun;deux\n"
        columns = ["--map", "original=ici", "--map", "simplification=là"]
        said = run("import_pairs", write(content), "--study", "s", "--header-row", "2", *columns)
        assert "names of columns in row 2" in said
        assert Item.objects.get().original == "un"

    def test_how_a_file_is_read_can_be_said(self, study, write):
        content = 'un "mot\tdeux\n'.encode("mac-roman")
        options = [
            "--separator",
            "tab",
            "--encoding",
            "mac-roman",
            "--no-header",
            "--no-quotes",
            "--round",
            "practice",
        ]
        run(
            "import_pairs",
            write(content),
            "--study",
            "s",
            "--map",
            "original=1",
            "--map",
            "simplification=2",
            *options,
        )
        item = Item.objects.get()
        assert (item.original, item.round) == ('un "mot', "practice")

    def test_a_sheet(self, study, write):
        from tests.corpus.test_xlsx import workbook

        content = workbook(
            Un=[("original", "simplification"), ("a", "b")],
            Deux=[("original", "simple"), ("c", "d")],
        )
        assert "sheet 'Deux'" in run(
            "import_pairs", write(content), "--study", "s", "--sheet", "Deux"
        )
        assert Item.objects.get().original == "c"

    def test_rows_that_a_sheet_hides_are_counted(self, study, write):
        from tests.corpus.test_xlsx import changed, workbook

        def hide(sheet):
            sheet.row_dimensions[3].hidden = True

        content = workbook(S=[("original", "simplification"), ("a", "b"), ("c", "d")])
        said = run("import_pairs", write(changed(content, hide)), "--study", "s")
        assert "1 of them hidden in the sheet" in said

    def test_duplicates(self, study, write):
        path = write(CSV)
        run("import_pairs", path, "--study", "s")
        with pytest.raises(CommandError, match="in the study already"):
            run("import_pairs", path, "--study", "s")
        assert "2 duplicates left out" in run(
            "import_pairs", path, "--study", "s", "--skip-duplicates"
        )
        assert Item.objects.count() == 2

    def test_a_rehearsal_stores_nothing(self, study, write):
        assert "Would add 2 items, 2 simplifications" in run(
            "import_pairs", write(CSV), "--study", "s", "--dry-run"
        )
        with pytest.raises(CommandError, match="row 4"):
            run("import_pairs", write(CSV + ";x;\n"), "--study", "s", "--dry-run")
        assert not Item.objects.exists()

    def test_what_is_left_out_is_said(self, study, write):
        file = write("original;simplification;colour\nL'assuré paie.;Vous payez.;bleu\n")
        assert "; left out: 'colour'" in run("import_pairs", file, "--study", "s")

    def test_two_columns_of_one_name(self, study, write):
        file = write("original;simplification;original\nL'assuré paie.;Vous payez.;Autre.\n")
        with pytest.raises(CommandError, match="Two columns are called “original”: 1 and 3"):
            run("import_pairs", file, "--study", "s")
        with pytest.raises(CommandError, match="Two columns are called"):
            run("import_pairs", file, "--study", "s", "--map", "original=original")
        run("import_pairs", file, "--study", "s", "--map", "original=1")
        assert Item.objects.get().original == "L'assuré paie."

    def test_a_released_file_is_another_command_s(self, study, write):
        file = write("".join(json.dumps(ROW | {"legal_meaning": n}) + "\n" for n in "67"))
        for command in ("import_pairs", "import_judgments"):
            with pytest.raises(CommandError, match=f"manage.py import_frjudge {file} --study s"):
                run(command, file, "--study", "s")
        assert not Item.objects.exists()
        said = run("import_pairs", file, "--study", "s", "--pairs-only", "--skip-duplicates")
        assert "Added 1 items, 1 simplifications, 1 duplicates left out." in said

    def test_judgments_are_another_command_s(self, study, write):
        header = "original;simplification;annotator;simplicity;characterization;legal_meaning\n"
        file = write(f"{header}Un.;Deux.;A;1;7;8\nUn.;Deux.;B;1;7;9\n")
        with pytest.raises(CommandError, match="import_judgments"):
            run("import_pairs", file, "--study", "s")

    def test_the_study_must_be_there_and_open(self, study, write):
        with pytest.raises(CommandError, match="Studies: s"):
            run("import_pairs", write(CSV), "--study", "t")
        Study.objects.update(state="closed")
        with pytest.raises(CommandError, match="closed"):
            run("import_pairs", write(CSV), "--study", "s")

    def test_a_file_that_is_none(self, study, write, tmp_path):
        with pytest.raises(CommandError, match="cannot be read"):
            run("import_pairs", str(tmp_path / "missing"), "--study", "s")
        with pytest.raises(CommandError, match="not a table"):
            run("import_pairs", write("%PDF-1.7"), "--study", "s")

    def test_a_file_that_is_too_large(self, study, write, settings):
        settings.UPLOAD_LIMIT_BYTES = 10
        with pytest.raises(CommandError, match="BAREME_UPLOAD_LIMIT_BYTES"):
            run("import_pairs", write(CSV), "--study", "s")


class TestFrjudge:
    def test_a_study_is_made_where_there_is_none(self, write):
        said = run("import_frjudge", write(json.dumps(ROW) + "\n"), "--study", "frjudge")
        assert "1 judgments of 1 judges of unknown identity" in said
        assert "Not every pair" not in said
        assert Study.objects.get().title == "FrJUDGE"

    def test_an_existing_study_is_used_and_uneven_rows_are_said(self, study, write):
        rows = [ROW, ROW, ROW | {"original": "Autre."}]
        said = run("import_frjudge", write("\n".join(map(json.dumps, rows))), "--study", "s")
        assert "1 pairs with 1, 1 pairs with 2" in said
        assert Judgment.objects.count() == 3

    def test_a_bad_line_stops_all_of_it_the_new_study_included(self, write):
        content = json.dumps(ROW) + "\n" + json.dumps(ROW | {"qualification": "19"}) + "\n"
        with pytest.raises(CommandError, match=r"row 2, qualification: “19”.*1 to 18"):
            run("import_frjudge", write(content), "--study", "frjudge")
        assert not Study.objects.exists()

    def test_a_second_time_says_what_is_there(self, write):
        path = write(json.dumps(ROW))
        run("import_frjudge", path, "--study", "frjudge")
        with pytest.raises(CommandError, match="frjudge-001"):
            run("import_frjudge", path, "--study", "frjudge")

    def test_another_kind_of_file(self, write):
        with pytest.raises(CommandError, match="Nothing was stored"):
            run("import_frjudge", write("[\n]"), "--study", "frjudge")
