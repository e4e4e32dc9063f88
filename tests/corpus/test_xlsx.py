"""Workbooks, the broken and the hostile ones as well."""

from __future__ import annotations

import datetime as dt
import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from annotation.corpus import tables, xlsx
from annotation.corpus.problems import TableError
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import Layout


def workbook(**sheets):
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def code_of(content, **layout):
    with pytest.raises(TableError) as caught:
        read_table(content, Layout(**layout))
    return caught.value.problem.code


TEXTS = (
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\r"),
        min_size=1,
    )
    .filter(lambda text: not ILLEGAL_CHARACTERS_RE.search(text))
    # What a formula is a program decides; an escape is one by definition.
    .filter(
        lambda text: (
            text.strip() and not text.startswith("=") and "_x" not in text and "\ufffe" not in text
        )
    )
    .filter(lambda text: "\uffff" not in text)
)


@settings(max_examples=25)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_what_was_written_is_read_again(rows):
    table = read_table(workbook(Paires=[("original", "simplification"), *rows]))
    assert [tuple(row.cells) for row in table.rows] == rows


def test_the_first_sheet_with_rows_is_taken_and_another_can_be_chosen():
    content = workbook(
        Vide=[], Un=[("original", "simplification"), ("a", "b")], Deux=[("c", "d"), ("e", "f")]
    )
    table = read_table(content)
    assert (table.layout.sheet, table.sheets) == ("Un", ("Vide", "Un", "Deux"))
    assert read_table(content, Layout(sheet="Deux")).rows[0].cells[0] == "c"
    assert code_of(content, sheet="Vide") == "no_rows"
    assert code_of(content, sheet="Trois") == "unknown_sheet"


def test_a_sheet_all_of_whose_rows_have_an_error_is_not_called_empty():
    rows = [("original", "simplification"), ("Le bail.", "#N/A"), ("Le quai.", "#REF!")]
    with pytest.raises(TableError) as caught:
        read_table(workbook(Paires=rows, Notes=[("original", "simplification"), ("a", "b")]))
    assert (caught.value.problem.code, caught.value.problem.row) == ("formula_error", 2)


@pytest.mark.parametrize("content", [b"original,simplification\na,b\n", b'{"original": "a"}\n'])
def test_what_is_no_workbook_has_no_sheet(content):
    assert code_of(content, sheet="Foo") == "no_sheets"


def test_a_sheet_with_too_many_rows_is_not_passed_over(monkeypatch):
    monkeypatch.setattr(tables, "MAX_ROWS", 1)
    assert code_of(workbook(Un=[("a", "b"), ("c", "d")], Deux=[("e", "f")])) == "too_many_rows"


def test_a_workbook_without_rows():
    assert code_of(workbook(Vide=[])) == "no_rows"


def test_cells_read_as_their_author_sees_them():
    rows = [
        ("id", "original", "simplification"),
        (1, "a_x000D_\nb", 2.5),
        (2.0, dt.date(2026, 1, 31), True),
    ]
    table = read_table(workbook(S=rows))
    assert [list(row.cells) for row in table.rows] == [
        ["1", "a\r\nb", "2.5"],
        ["2", "2026-01-31T00:00:00", "True"],
    ]


def test_whole_numbers_stay_whole_whatever_program_wrote_them():
    assert xlsx._text(3.0) == "3"


def test_a_workbook_of_charts_alone():
    book = Workbook()
    book.remove(book.active)
    book.create_chartsheet("Graphe")
    target = io.BytesIO()
    book.save(target)
    assert code_of(target.getvalue()) == "broken_workbook"


def test_rows_keep_their_numbers_across_blank_ones():
    table = read_table(workbook(S=[("original", "simplification"), (), (None, " "), ("a", "b")]))
    assert [row.number for row in table.rows] == [4]


HEADER = ("original", "simplification", "system")


def changed(content, change):
    """The workbook after ``change`` of its only sheet; ``load_workbook`` keeps no result of a
    formula."""
    book = load_workbook(io.BytesIO(content))
    change(book.active)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


@pytest.mark.parametrize("row", [("a", "b", "=Z9"), ("a", '="x"&A2', "s"), ("=A3", "b", "s")])
def test_a_formula_that_was_never_computed_is_named(row):
    table = read_table(workbook(S=[HEADER, ("c", "d", "s"), row]))
    assert [(p.row, p.code) for p in table.problems] == [(3, "formula_without_result")]
    place = f"{'ABC'[next(at for at, cell in enumerate(row) if cell[0] == '=')]}3"
    assert place in table.problems[0].message.en
    assert [row.number for row in table.rows] == [2]


def test_a_sheet_of_formulas_alone_says_so():
    assert code_of(workbook(S=[("=B9", "=B9"), ("=B9", "=B9")])) == "formula_without_result"


def test_a_formula_whose_result_is_an_empty_text_has_one():
    content = workbook(S=[HEADER, ("a", "b", "=Z9")])
    source, target = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            part = source.read(name)
            archive.writestr(name, part.replace(b'<c r="C2">', b'<c r="C2" t="str">'))
    table = read_table(target.getvalue())
    assert (table.problems, [list(row.cells) for row in table.rows]) == ([], [["a", "b", ""]])


def test_rows_that_the_sheet_hides_are_read_and_named():
    def hide(sheet):
        sheet.auto_filter.ref = "A1:C4"
        for number in (1, 3, 4, 9):
            sheet.row_dimensions[number].hidden = True

    rows = [("a", "b", "s"), ("c", "d", "s"), ("e", "f", "t")]
    table = read_table(changed(workbook(S=[HEADER, *rows]), hide))
    assert [row.number for row in table.rows] == [2, 3, 4]
    assert table.hidden == (3, 4)


def test_a_sheet_that_is_hidden_comes_after_those_that_are_shown():
    content = workbook(Listes=[("a", "b"), ("c", "d")], Paires=[HEADER, ("e", "f", "s")])

    def hide(sheet):
        sheet.parent["Listes"].sheet_state = "hidden"

    content = changed(content, hide)
    assert read_table(content).layout.sheet == "Paires"
    assert read_table(content, Layout(sheet="Listes")).layout.sheet == "Listes"


def test_a_formula_that_failed_is_named():
    table = read_table(workbook(S=[("original", "simplification"), ("a", "#REF!"), ("c", "d")]))
    assert [(p.row, p.code) for p in table.problems] == [(2, "formula_error")]
    assert len(table.rows) == 1


@pytest.mark.parametrize("content", [b"PK\x03\x04 not really", b"PK\x03\x04" + b"\x00" * 100])
def test_a_broken_workbook(content):
    assert code_of(content) == "broken_workbook"


def archive(**members):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name.replace("__", "."), content)
    return target.getvalue()


def test_a_zip_of_something_else():
    assert code_of(archive(notes__txt="x")) == "broken_workbook"


def test_an_opendocument_workbook_is_told_apart():
    assert (
        code_of(
            archive(mimetype="application/vnd.oasis.opendocument.spreadsheet", content__xml="<x/>")
        )
        == "not_a_table"
    )


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_UNPACKED_BYTES", 1024 * 1024)
    content = archive(sheet1__xml=b" " * (2 * 1024 * 1024))
    assert len(content) < 10_000
    assert code_of(content) == "unpacks_too_large"


def test_entities_do_not_multiply():
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    prolog = f'<?xml version="1.0"?><!DOCTYPE worksheet [<!ENTITY l0 "lol">{lol}]>'
    target = io.BytesIO()
    book = workbook(S=[("original", "simplification"), ("LOL", "b")])
    with zipfile.ZipFile(io.BytesIO(book)) as source, zipfile.ZipFile(target, "w") as made:
        for member in source.infolist():
            text = source.read(member).decode()
            if "LOL" in text:
                text = prolog + text.replace("LOL", "&l9;")
            made.writestr(member, text)
    assert code_of(target.getvalue()) == "broken_workbook"


def merged(rows, *ranges):
    """A workbook some of whose cells are merged."""
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for cells in ranges:
        book.active.merge_cells(cells)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


class TestATitleAboveTheNames:
    ROWS = (("original", "simplification"), ("L'assuré paie.", "Payez."))

    def test_is_left_out(self):
        content = merged([("Corpus 2026", None), (None, None), *self.ROWS], "A1:B1")
        table = read_table(content)
        assert table.columns == ("original", "simplification")
        assert [(row.number, list(row.cells)) for row in table.rows] == [(4, list(self.ROWS[1]))]
        assert (table.layout.header, table.layout.header_row) == (True, 3)

    def test_also_for_whoever_names_columns(self):
        table = read_table(merged([("Corpus 2026", None), *self.ROWS]), tables.NAMED)
        assert (table.columns, table.layout.header_row) == (("original", "simplification"), 2)

    def test_not_where_the_first_row_was_chosen(self):
        table = read_table(merged([("Corpus", None), *self.ROWS]), Layout(header=True))
        assert (table.columns, table.layout.header_row) == (("Corpus",), 0)
        # The names are further down: what helps is to say where.
        assert "title" in table.problems[0].remedy.en

    def test_any_row_can_be_said_to_name_the_columns(self):
        rows = [("Corpus", "2026", "v1"), ("ici", "là", "x"), ("Un texte.", "Un autre.", "x")]
        table = read_table(merged(rows), Layout(header_row=2))
        assert table.columns == ("ici", "là", "x")
        assert [row.number for row in table.rows] == [3]

    def test_a_row_that_is_not_there(self):
        assert code_of(merged(self.ROWS), header_row=7) == "no_such_row"

    def test_texts_of_one_cell_are_no_titles(self):
        rows = [("Une clause.", ""), ("Une autre clause.", ""), ("Encore une.", "Sa version.")]
        table = read_table(merged(rows))
        assert (table.layout.header_row, table.rows[0].number) == (0, 1)


class TestMergedCells:
    def test_over_several_rows_hold_for_each_of_them(self):
        rows = [
            ("original", "simplification", "system"),
            ("L'assuré paie.", "Payez.", "s1"),
            (None, "Il faut payer.", "s2"),
            ("Autre clause.", "Autre.", "s1"),
        ]
        table = read_table(merged(rows, "A2:A3"))
        assert [row.cells[0] for row in table.rows] == [
            "L'assuré paie.",
            "L'assuré paie.",
            "Autre clause.",
        ]

    def test_in_rows_that_end_before_them(self):
        rows = [("original", "system"), ("Une clause.", "s1"), ("Une autre.", None)]
        table = read_table(merged(rows, "B2:B3"))
        assert [row.cells[1] for row in table.rows] == ["s1", "s1"]

    def test_over_several_columns_stay_the_first_ones(self):
        rows = [("original", "simplification"), ("Une clause.", None), ("Autre.", "Autre")]
        assert read_table(merged(rows, "A2:B2")).rows[0].cells == ["Une clause.", ""]

    def test_of_rows_that_are_not_there_change_nothing(self):
        rows = [("original", "simplification"), ("Une clause.", "Une.")]
        content = merged(rows, "A5:A9", "C2:C6")
        assert [list(row.cells) for row in read_table(content).rows] == [["Une clause.", "Une."]]

    def test_beyond_reason_are_refused(self, monkeypatch):
        monkeypatch.setattr(xlsx, "MAX_MERGED", 2)
        rows = [("original", "system"), *(("Texte.", "s1") for _ in range(4))]
        assert code_of(merged(rows, "A2:A5")) == "unpacks_too_large"
