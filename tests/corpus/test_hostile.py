"""Files that ask for far more than their size: every reader takes as long as a file is long, and no
more memory.

Limits are of processor time and memory, in a process of their own: a slow machine passes, a
quadratic reader never.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from annotation.corpus import archives, documents_docx, problems, xlsx
from annotation.corpus.document_files import read_document
from annotation.corpus.documents import DocumentError
from annotation.corpus.encodings import decode, is_offered
from annotation.corpus.frjudge import KEYS, read_frjudge
from annotation.corpus.funnel import funnel
from annotation.corpus.lines import read_lines
from annotation.corpus.outline import Unit, outline
from annotation.corpus.pairs import pairs_of
from annotation.corpus.problems import TableError
from annotation.corpus.segmentation import LONGEST_TITLE, segment
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import Layout
from tests import hostile

OUTCOMES = {
    "far-row.xlsx": "read 1",
    "row-past-the-last.xlsx": "broken_workbook",
    "rows-without-end.xlsx": "no_rows",
    "cells-without-end.xlsx": "unpacks_too_large",
    "leaders.pdf": "read 1",
    "one-paragraph.pdf": "read 1",
    "one-line.txt": "read 1",
    "parentheses.txt": "read 1",
    "bars.txt": "read 1",
    "cells.txt": "read 10000",
    "blanks.txt": "read 1",
    "one-word.txt": "read 1",
    "dots.txt": "read 1",
    "spaces.txt": "read 1",
    "nested-lists.txt": "read 1",
    "bullets.txt": "read 1",
    "item-without-end.txt": "read 15002",
    "long-title.txt": "read 20000",
    "long-introduction.txt": "read 1",
    "one-sentence.txt": "read 1",
    "syllables.txt": "read 1",
    "punycode.txt": "wrong_encoding",
    "keys.jsonl": "read 0 duplicate_key",
    "bad-lines.jsonl": "too_many_rows",
    "nested.jsonl": "read 0 not_json",
    "columns.csv": "too_many_columns",
    "accents.csv": "read 0 too_many_accents",
    "accents-in-the-header.csv": "read 1",
    "spaces.csv": "read 300",
    "spanning.docx": "read 1",
    "paragraphs.docx": "too_many_parts",
    "styles.docx": "read 4000",
}


def test_each_file_has_its_outcome():
    assert OUTCOMES.keys() == hostile.FILES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTCOMES)
def test_a_small_file_asks_for_little(name):
    command = [sys.executable, "-m", "tests.corpus.reading_alone", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, OUTCOMES[name]), done.stderr[-2000:]


def refused(content: bytes, **layout: object) -> str:
    with pytest.raises(TableError) as caught:
        read_table(content, Layout(**layout))
    assert caught.value.problem.message.fr
    return caught.value.problem.code


class TestRows:
    def test_a_row_keeps_its_own_number_and_no_other_is_made_up(self):
        table = read_table(
            hostile.sheet(
                hostile.HEADER + hostile.cells(90_000, "a", "b") + hostile.cells(90_007, "c")
            )
        )
        assert [(row.number, list(row.cells)) for row in table.rows] == [
            (90_000, ["a", "b"]),
            (90_007, ["c", ""]),
        ]

    def test_rows_out_of_order_are_no_sheet(self):
        assert (
            refused(hostile.sheet(hostile.cells(7, "a", "b") + hostile.cells(3, "c", "d")))
            == "broken_workbook"
        )

    def test_texts_that_cells_share_count_each_time(self, monkeypatch):
        monkeypatch.setattr("annotation.corpus.tables.MAX_CHARACTERS", 30)
        assert (
            refused(hostile.sheet(hostile.HEADER + hostile.cells(2, "dix lettres", "dix lettres")))
            == "too_long"
        )

    def test_a_column_past_the_last_that_is_read_is_left_out(self):
        row = (
            '<row r="2"><c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="ZZ2"><v>1</v></c></row>'
        )
        assert list(read_table(hostile.sheet(hostile.HEADER + row)).rows[0].cells) == ["a", ""]

    def test_errors_in_cells_are_counted_as_rows(self, monkeypatch):
        monkeypatch.setattr("annotation.corpus.tables.MAX_ROWS", 2)
        wrong = "".join(
            f'<row r="{n}"><c r="A{n}" t="e"><v>#REF!</v></c></row>' for n in range(2, 5)
        )
        assert refused(hostile.sheet(hostile.HEADER + wrong)) == "too_many_rows"

    def test_problems_are_named_up_to_a_number(self, monkeypatch):
        monkeypatch.setattr("annotation.corpus.pairs.MAX_PROBLEMS", 3)
        monkeypatch.setattr("annotation.corpus.frjudge.MAX_PROBLEMS", 3)
        parsed = pairs_of(
            read_table(b"original;simplification\n" + b"a;\n" * 9),
            {"original": 0, "simplification": 1},
        )
        assert [problem.code for problem in parsed.problems] == ["more_problems", *["empty"] * 4]
        assert "row 5" in parsed.problems[0].message.en
        assert [problem.code for problem in read_frjudge(b"x\n" * 9).problems][
            -1
        ] == "more_problems"


class TestHalvesOfCharacters:
    """A lone surrogate can be written in JSON and in a workbook; no page can show it."""

    @pytest.mark.parametrize(
        "line", ['{"original": "a", "\\ud800": "b"}', '{"original": "a", "b": "\\udfff"}']
    )
    def test_in_a_key_or_a_text_of_json_the_line_is_refused(self, line):
        table = read_table(b'{"original": "x", "b": "y"}\n' + line.encode())
        (problem,) = table.problems
        assert (problem.row, problem.code) == (2, "half_character")
        assert table.columns == ("original", "b")
        problem.message.fr.encode()
        problem.field.encode()

    def test_in_a_released_file_too(self):
        (problem,) = read_frjudge(b'{"\\ud800": 1}').problems
        assert (problem.row, problem.code) == (1, "half_character")

    def test_in_a_header_the_sheet_is_refused_and_the_column_named(self):
        with pytest.raises(TableError) as caught:
            read_table(
                hostile.sheet(
                    hostile.cells(1, "original", "_xD800_simplification")
                    + hostile.cells(2, "a", "b")
                )
            )
        assert (caught.value.problem.code, caught.value.problem.row) == ("half_character", 1)
        assert "“B”" in caught.value.problem.message.en

    def test_in_a_cell_the_row_is(self):
        table = read_table(
            hostile.sheet(
                hostile.HEADER + hostile.cells(2, "a", "b_xDC00_") + hostile.cells(3, "c", "d")
            )
        )
        assert [(p.row, p.code, p.field) for p in table.problems] == [(2, "half_character", "B")]
        assert [row.number for row in table.rows] == [3]

    def test_two_halves_in_a_row_are_a_character(self):
        table = read_table(hostile.sheet(hostile.HEADER + hostile.cells(2, "_xD83D__xDE00_", "b")))
        assert table.rows[0].cells[0] == "\U0001f600"

    def test_no_name_of_a_column_holds_what_cannot_be_printed(self):
        table = read_table(
            hostile.sheet(
                hostile.cells(1, "ori_x0000_ginal", "simplification") + hostile.cells(2, "a", "b")
            )
        )
        assert table.columns[0] == "original"

    def test_a_key_as_long_as_a_text_is_refused(self):
        (problem,) = read_table(b'{"%s": 1}' % (b"k" * 201)).problems
        assert problem.code == "key_too_long"


class TestEncodings:
    @pytest.mark.parametrize("name", ["punycode", "undefined", "unicode_escape", "raw_unicode_escape", "idna", "rot13",  # noqa: E501
                                      "zlib", "utf-7", "mbcs", "", "no such", "\ud800", "a" * 300, "\0"])  # fmt: skip  # noqa: E501
    def test_only_those_that_the_page_offers(self, name):
        assert not is_offered(name)
        with pytest.raises(TableError) as caught:
            decode(b"abc", name)
        assert caught.value.problem.code == "unknown_encoding"
        caught.value.problem.message.fr.encode()
        with pytest.raises(DocumentError):
            read_document(b"abc", "x.txt", name or "?")

    def test_in_any_spelling(self):
        assert decode("é".encode("cp1252"), "Windows-1252") == "é"


class TestArchives:
    def test_what_is_no_archive(self):
        with pytest.raises(archives.BrokenArchive):
            archives.contents_of(b"PK\x03\x04broken", most_bytes=1, most_marks=1)

    @pytest.mark.parametrize("module", [xlsx, documents_docx])
    def test_counting_stops_past_the_limit(self, module, monkeypatch):
        monkeypatch.setattr(module, "MAX_MARKS", 5)
        if module is xlsx:
            assert refused(hostile.sheet(hostile.HEADER)) == "unpacks_too_large"
            return
        with pytest.raises(DocumentError) as caught:
            read_document(hostile.word(hostile.paragraph("a")), "x.docx")
        assert caught.value.code == "too_many_parts"


class TestDocuments:
    def test_a_merged_cell_is_read_once_and_a_spanned_one_too(self):
        down = (
            '<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>'
            + hostile.paragraph("Biens")
            + "</w:tc>"
        )
        goes_on = "<w:tc><w:tcPr><w:vMerge/></w:tcPr>" + hostile.paragraph("") + "</w:tc>"
        other = (
            '<w:tc><w:tcPr><w:gridSpan w:val="3"/></w:tcPr>'
            + hostile.paragraph("Chalet")
            + "</w:tc>"
        )
        table = f"<w:tbl><w:tr>{down}{other}</w:tr><w:tr>{goes_on}{other}</w:tr></w:tbl>"
        read = read_document(hostile.word(table), "x.docx")
        assert [part.text for part in read.paragraphs] == ["Biens | Chalet", "Chalet"]

    def test_a_title_that_blocks_carry_has_a_length(self):
        blocks = segment(
            "\n".join(
                ["CHAPITRE DES BIENS ET DES PERSONNES"] * 50 + ["Le preneur paie la prime due."]
            )
        )
        assert len(blocks[-1].headings[-1]) == LONGEST_TITLE

    def test_lists_within_lists_go_only_so_deep(self):
        def depth(unit: Unit) -> int:
            return 1 + max((depth(inner) for inner in (*unit.items, *unit.extra)), default=0)

        units = [
            part
            for part in outline(read_lines("sont couverts :\n" * 500))
            if isinstance(part, Unit)
        ]
        assert 2 < max(map(depth, units)) < 20

    def test_reading_ease_beyond_reason_draws_no_bars_without_end(self):
        funnelled = funnel(segment("mot " * 400_000 + "fin."))
        assert len(funnelled.histogram()) == 1

    def test_what_is_shown_of_a_name_can_be_printed(self):
        assert problems.shown("a\ud800\n" + "b" * 99) == "a\ufffd\ufffd" + "b" * 57
        assert KEYS[0] == problems.shown("original")
