"""What is no table says so; JSON lines; limits."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus import tables
from annotation.corpus.encodings import Confidence
from annotation.corpus.problems import TableError
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import Layout


def refusal(content, **layout):
    with pytest.raises(TableError) as caught:
        read_table(content, Layout(**layout))
    assert caught.value.problem.message.fr
    assert caught.value.problem.remedy.fr
    return caught.value.problem.code


@pytest.mark.parametrize("content", [b"", b"  \n\r\n\t ", b"\x00\x00"])
def test_an_empty_file(content):
    assert refusal(content) == "empty_file"


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7 ...",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old workbook",
        b"\x89PNG\r\n\x1a\n",
        b"\x1f\x8b\x08 gzip",
        b"{\\rtf1 text}",
        b"MZ\x90\x00\x03\x00 program",
    ],
)
def test_another_kind_of_file(content):
    assert refusal(content) == "not_a_table"


def test_only_blank_cells():
    assert refusal(b";;\n ; ;\n") == "no_rows"


def test_too_many_rows(monkeypatch):
    monkeypatch.setattr(tables, "MAX_ROWS", 3)
    assert refusal(b"a;b\n" * 4, header=False) == "too_many_rows"
    assert len(read_table(b"a;b\n" * 3, Layout(header=False)).rows) == 3


def test_a_chosen_encoding_is_obeyed_and_said():
    content = "original;simplification\nété;hiver\n".encode("cp1252")
    table = read_table(content, Layout(encoding="mac-roman"))
    assert (table.layout.encoding, table.confidence) == ("mac-roman", Confidence.CHOSEN)


VALUES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1).filter(
    str.strip
)


class TestJsonLines:
    @given(
        st.lists(st.fixed_dictionaries({"original": VALUES, "simplification": VALUES}), min_size=1),
        st.booleans(),
    )
    def test_what_was_written_is_read_again(self, objects, ascii_only):
        content = "".join(json.dumps(o, ensure_ascii=ascii_only) + "\n" for o in objects).encode()
        table = read_table(content)
        assert set(table.columns) == {"original", "simplification"}
        assert [dict(zip(table.columns, row.cells, strict=True)) for row in table.rows] == objects

    def test_bad_lines_are_named_and_the_others_read(self):
        lines = [
            '{"original": "a", "simplification": "b"}',
            "",
            '{"original": "a", ',
            '["a", "b"]',
            '{"original": "a", "original": "b"}',
            '{"original": {"text": "a"}}',
            '{"original": "a", "simplification": null, "n": 3, "x": true}',
            "[" * 100_000,
            '{"n": ' + "9" * 5000 + "}",
        ]
        table = read_table("\r\n".join(lines).encode())
        assert [(p.row, p.code) for p in table.problems] == [
            (3, "not_json"),
            (4, "not_an_object"),
            (5, "duplicate_key"),
            (8, "not_json"),
            (9, "not_json"),
        ]
        assert table.columns == ("original", "simplification", "original.text", "n", "x")
        assert [(row.number, list(row.cells)) for row in table.rows] == [
            (1, ["a", "b", "", "", ""]),
            (6, ["", "", "a", "", ""]),
            (7, ["a", "", "", "3", "true"]),
        ]

    def test_line_separators_within_a_text_are_text(self):
        table = read_table('{"original": "a\u2028b\u0085c", "simplification": "d"}\n'.encode())
        assert table.rows[0].cells[0] == "a\u2028b\u0085c"

    @pytest.mark.parametrize(
        "text", ['[{"original": "a"}]', '[\n{"original": "a"}\n]', '{\n"original": "a"\n}']
    )
    def test_a_document_is_not_lines(self, text):
        assert refusal(text.encode()) == "not_lines"

    def test_only_bad_lines_are_named_all_the_same(self):
        table = read_table(b'{"a": \n{"b": \n')
        assert [p.row for p in table.problems] == [1, 2]
        assert table.rows == []

    def test_objects_without_texts(self):
        assert refusal(b"{}\n{}\n") == "no_rows"

    def test_too_many_keys(self, monkeypatch):
        assert (
            refusal(json.dumps({f"k{n}": "v" for n in range(300)}).encode()) == "too_many_columns"
        )
