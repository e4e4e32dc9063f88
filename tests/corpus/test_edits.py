"""Edits in files: YAWAT's as released, and tables with a row for each edit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.edit_tables import COLUMNS, as_jsonl, as_tsv, read_edit_table
from annotation.corpus.edits import MOST_EDITS, EditsFile
from annotation.corpus.problems import TableError
from annotation.corpus.yawat import as_yawat, read_yawat
from annotation.protocols.edits import Edit, MarkedPair, spans_of
from annotation.protocols.tokens import Cut, Span, tokens

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "assetann"
needs_assetann = pytest.mark.skipif(not DATA.is_dir(), reason="no ../shared/data/assetann")

CRP = "7\nThe cat sat on the mat .\nThe cat sat .\n8\na b\nb\n"


def yawat(aln: str, *texts: str, annotator: str = "ann") -> EditsFile:
    files = [text.encode() for text in (aln, *(texts or (CRP,)))]
    return read_yawat(b"".join(files), [len(content) for content in files], annotator)


def released(number: int) -> EditsFile:
    """One of the ten files of ASSETann."""
    names = (
        f"annotated_files/asset.simp.{number}.aln",
        "asset-full/asset.orig.txt",
        f"asset-full/asset.simp.{number}.txt",
    )
    files = [(DATA / name).read_bytes() for name in names]
    return read_yawat(b"".join(files), [len(content) for content in files], f"file {number}")


class TestYawat:
    def test_a_line_becomes_edits(self):
        parsed = yawat("\n7 4,3,5::delmod :3:split 0,2:0:move \n8\n")
        assert (parsed.fatal, parsed.problems) == (None, ())
        first, second = parsed.pairs
        assert (first.pair, first.annotator, first.cut) == ("7", "ann", Cut.SPACES)
        assert first.edits == (
            Edit("delmod", (Span(15, 18), Span(12, 14), Span(19, 22))),
            Edit("split", (), (Span(12, 13),)),
            Edit("move", (Span(0, 3), Span(8, 11)), (Span(0, 3),)),
        )
        assert second.edits == ()
        edits, texts = as_yawat(parsed.pairs)
        assert edits == "7 4,3,5::delmod :3:split 0,2:0:move\n8\n"
        assert texts == CRP

    def test_two_files_of_texts_count_from_0(self):
        parsed = yawat("1 0::delmod\r\n", "a\r\nb c\n", "a\nc\n")
        assert (parsed.pairs[0].pair, parsed.pairs[0].original) == ("1", "b c")

    def test_marks_without_a_passage_are_none_of_its(self):
        edits = (Edit("err"), Edit("err"), Edit("x", (Span(0, 1),)))
        with pytest.raises(TableError) as refusal:
            as_yawat([MarkedPair("1", "who", "a", "b", Cut.SPACES, edits)])
        problem = refusal.value.problem
        assert (problem.row, problem.code) == (1, "not_writable")
        assert problem.message.en == "Marks of the pair “1” without a passage: 2."

    @pytest.mark.parametrize(
        ("line", "field", "code"),
        [
            ("9 0::delmod", "pair", "no_texts"),
            ("7 0:delmod", "0:delmod", "no_mark"),
            ("7 0:0:0:delmod", "0:0:0:delmod", "no_mark"),
            ("7 x::delmod", "x::delmod", "no_such_tokens"),
            ("7 7::delmod", "7::delmod", "no_such_tokens"),
            ("7 :4:split", ":4:split", "no_such_tokens"),
            ("7 1,1::delmod", "1,1::delmod", "no_such_tokens"),
            ("7 -1::delmod", "-1::delmod", "no_such_tokens"),
            ("7 ::delmod", "::delmod", "no_span"),
            ("7 0:0:", "0:0:", "no_name"),
            (f"7 {' '.join(['0:0:x'] * (MOST_EDITS + 1))}", "", "too_many_edits"),
        ],
    )
    def test_a_wrong_line_is_named(self, line, field, code):
        (problem,) = yawat(f"8\n{line}\n").problems
        assert (problem.row, problem.field, problem.code) == (2, field, code)
        for wording in (problem.message, problem.remedy):
            assert wording.fr
            assert wording.en

    def test_a_pair_twice(self):
        (problem,) = yawat("7\n7 0::x\n").problems
        assert (problem.row, problem.field, problem.code) == (2, "pair", "pair_twice")

    @pytest.mark.parametrize("nothing", [" ", "\u200b"])
    def test_an_empty_text(self, nothing):
        (problem,) = yawat("7\n", f"7\na\n{nothing}\n").problems
        assert (problem.row, problem.field, problem.code) == (1, "simplification", "no_text")

    @pytest.mark.parametrize(
        ("files", "code"),
        [
            (("7\n", "7\na\n"), "not_in_threes"),
            (("7\n", "a\nb\n", "a\n"), "not_as_long"),
            (("\n", CRP), "empty"),
        ],
    )
    def test_no_such_file(self, files, code):
        assert yawat(*files).fatal.code == code

    def test_other_bytes(self):
        assert read_yawat(b"7\n\xff", [2, 1], "ann").fatal.code == "wrong_encoding"

    @pytest.mark.parametrize(
        "change",
        [
            {"cut": Cut.WORDS},
            {"pair": "a b"},
            {"original": "a\nb"},
            {"edits": (Edit("two words", (Span(0, 1),)),)},
            {"edits": (Edit("a:b", (Span(0, 1),)),)},
            {"edits": (Edit("x", (Span(0, 1),), more='{"a": 1}'),)},
            {"more": '{"a": 1}'},
        ],
    )
    def test_what_the_layout_cannot_hold_is_not_written(self, change):
        given = {"pair": "1", "annotator": "a", "original": "a b", "simplification": "b"}
        with pytest.raises(TableError) as refusal:
            as_yawat([MarkedPair(**{**given, "cut": Cut.SPACES, **change})])
        assert refusal.value.problem.code == "not_writable"


ROW = {"pair": "1", "type": "move", "original": "Le cafe\u0301 noir", "simplification": "Un noir"}


def table(**cells: object) -> EditsFile:
    return read_edit_table(json.dumps({**ROW, **cells}).encode(), "file")


class TestTables:
    def test_a_row_becomes_an_edit(self):
        parsed = table(original_spans=[[3, 8]], simplification_tokens=[1], annotator="ann")
        (pair,) = parsed.pairs
        assert pair.edits == (Edit("move", (Span(3, 8),), (Span(3, 7),)),)
        assert (pair.annotator, pair.cut, pair.touched(pair.edits[0], "original")) == (
            "ann",
            Cut.WORDS,
            (1,),
        )

    def test_a_row_without_a_type_is_a_pair_without_edits(self):
        (pair,) = table(type="").pairs
        assert (pair.annotator, pair.edits) == ("file", ())

    @pytest.mark.parametrize(
        ("cells", "field", "code"),
        [
            ({"pair": " "}, "pair", "no_name"),
            ({"annotator": "a\u200b"}, "annotator", "no_name"),
            ({"type": "x" * 101, "original_tokens": [0]}, "type", "no_name"),
            ({"original": " "}, "original", "no_text"),
            ({"simplification": "x" * 20_001}, "simplification", "no_text"),
            ({"tokens": "letters"}, "tokens", "no_rule"),
            ({}, "original_spans", "no_span"),
            ({"type": "", "original_tokens": [0]}, "original_tokens", "no_type"),
            ({"original_spans": "x"}, "original_spans", "no_spans"),
            ({"original_spans": "[" * 3000}, "original_spans", "no_spans"),
            ({"original_spans": [3, 8]}, "original_spans", "no_spans"),
            ({"original_spans": [[8, 3]]}, "original_spans", "no_spans"),
            ({"original_spans": [[0, True]]}, "original_spans", "no_spans"),
            ({"original_spans": [[3, 99]]}, "original_spans", "outside"),
            ({"original_spans": [[0, 3], [2, 8]]}, "original_spans", "overlap"),
            ({"original_spans": [[3, 7]]}, "original_spans", "inside_a_character"),
            ({"original_spans": [[2, 3]]}, "original_spans", "no_token"),
            (
                {"original_spans": [[0, 2]], "original_tokens": [1]},
                "original_tokens",
                "other_tokens",
            ),
            ({"original_tokens": {"a": 1}}, "original_spans", "no_span"),
            ({"original_tokens": [0, 0]}, "original_tokens", "no_tokens"),
            ({"original_tokens": 5}, "original_tokens", "no_tokens"),
            ({"original_tokens": [3]}, "original_tokens", "outside"),
            ({"original_tokens": [0], "more": "[]"}, "more", "no_more"),
            ({"original_tokens": [0], "more": '{"a": NaN}'}, "more", "no_more"),
            ({"original_tokens": [0], "more": "[" * 9000}, "more", "no_more"),
            ({"original_tokens": [0], "pair_more": "{"}, "pair_more", "no_more"),
            ({"type": "", "more": "{}"}, "more", "no_type"),
        ],
    )
    def test_a_wrong_row_is_named(self, cells, field, code):
        (problem,) = table(**cells).problems
        assert (problem.row, problem.field, problem.code) == (1, field, code)
        for wording in (problem.message, problem.remedy):
            assert wording.fr
            assert wording.en

    def test_a_pair_has_one_text(self):
        rows = [{**ROW, "type": ""}, {**ROW, "type": "", "original": "Autre"}]
        content = "\n".join(map(json.dumps, rows)).encode()
        (problem,) = read_edit_table(content, "file").problems
        assert (problem.row, problem.field, problem.code) == (2, "pair", "other_texts")

    def test_too_many_edits(self):
        line = json.dumps({**ROW, "original_tokens": [0]}) + "\n"
        (problem,) = read_edit_table((line * (MOST_EDITS + 1)).encode(), "file").problems
        assert (problem.row, problem.code) == (MOST_EDITS + 1, "too_many_edits")

    def test_no_such_table(self):
        assert read_edit_table(b"pair,type\n1,move\n", "file").fatal.code == "columns"
        assert read_edit_table(b"", "file").fatal.code == "empty_file"

    def test_cells_that_a_spreadsheet_would_run(self):
        pair = MarkedPair("1", "ann", "=1+1 b", "-b", Cut.WORDS, (Edit("@x", (Span(0, 1),)),))
        assert "'=1+1 b" in as_tsv([pair])
        assert read_edit_table(as_tsv([pair]).encode(), "").pairs == (pair,)
        quoted = MarkedPair("1", "ann", "'=1 b", "b", Cut.WORDS)
        assert read_edit_table(as_jsonl([quoted]).encode(), "").pairs == (quoted,)

    def test_every_column_is_written(self):
        pair = MarkedPair("1", "ann", "a", "b", Cut.WORDS)
        assert set(json.loads(as_jsonl([pair]))) == set(COLUMNS)


NAMES = st.text("abcé_ ", min_size=1, max_size=8).filter(lambda name: name == name.strip())
TEXTS = st.text("ab é'-.\u0301\"\t12,$%", min_size=1, max_size=40).filter(str.strip)
MORE = st.sampled_from(["", '{"note": "\\u00e9 = \\"1\\""}', '{"a": {"val": [1, null]}}'])


@st.composite
def marked_pairs(draw):
    """A pair with edits on its tokens, or on none of them."""
    rule = draw(st.sampled_from(Cut))
    texts = [draw(TEXTS), draw(TEXTS)]
    cuts = [tokens(text, rule) for text in texts]
    edits = []
    for _edit in range(draw(st.integers(0, 4))):
        places = [
            draw(st.lists(st.integers(0, len(side_tokens) - 1), unique=True, max_size=4))
            for side_tokens in cuts
        ]
        spans = [spans_of(*both) for both in zip(places, cuts, strict=True)]
        edits.append(Edit(draw(NAMES), *spans, more=draw(MORE)))
    made = tuple(edits)
    return MarkedPair(draw(NAMES), draw(NAMES), texts[0], texts[1], rule, made, draw(MORE))


@given(pair=marked_pairs())
def test_tables_give_back_what_was_written(pair):
    for written in (as_jsonl([pair]), as_tsv([pair])):
        parsed = read_edit_table(written.encode(), "file")
        assert (parsed.fatal, parsed.problems) == (None, ())
        assert parsed.pairs == (pair,)


@needs_assetann
@pytest.mark.parametrize("number", range(10))
def test_assetann_goes_out_as_it_came_in(number):
    parsed = released(number)
    assert (parsed.fatal, parsed.problems, len(parsed.pairs)) == (None, (), 359)
    edits, texts = as_yawat(parsed.pairs)
    lines = (DATA / f"annotated_files/asset.simp.{number}.aln").read_text("utf-8").split("\n")
    # One line of file 6 has two spaces between two of its marks.
    assert [line.split() for line in edits.split("\n")] == [line.split() for line in lines]
    assert yawat(edits, texts, annotator=f"file {number}").pairs == parsed.pairs
    for written in (as_jsonl(parsed.pairs), as_tsv(parsed.pairs)):
        assert read_edit_table(written.encode(), "").pairs == parsed.pairs
