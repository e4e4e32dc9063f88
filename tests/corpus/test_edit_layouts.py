"""Edits in other programs' layouts: each there and back, and columns, a token a line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus import edit_columns
from annotation.corpus.brat import as_brat, read_brat
from annotation.corpus.edit_columns import as_columns, read_columns
from annotation.corpus.edits import EditsFile
from annotation.corpus.problems import TableError
from annotation.corpus.thresh import as_thresh, read_thresh
from annotation.protocols.edits import Edit, MarkedPair
from annotation.protocols.tokens import Cut, Span
from tests.corpus.test_edits import marked_pairs, needs_assetann, released


def by_brat(pairs: list[MarkedPair]) -> EditsFile:
    return read_brat({name: text.encode() for name, text in as_brat(pairs).items()}, "file")


def by_columns(pairs: list[MarkedPair]) -> EditsFile:
    return read_columns(as_columns(pairs).encode(), "file")


def by_thresh(pairs: list[MarkedPair]) -> EditsFile:
    return read_thresh(as_thresh(pairs).encode(), "file")


LAYOUTS = {"brat": by_brat, "columns": by_columns, "thresh": by_thresh}
there_and_back = pytest.mark.parametrize("again", LAYOUTS.values(), ids=LAYOUTS)


@there_and_back
@given(data=st.data())
def test_what_is_written_is_read(again: Callable[[list[MarkedPair]], EditsFile], data):
    pair = data.draw(marked_pairs())
    if again is by_brat and any(" " in edit.type for edit in pair.edits):
        with pytest.raises(TableError):
            again([pair])
        return
    parsed = again([pair])
    assert (parsed.fatal, parsed.problems) == (None, ())
    assert parsed.pairs == (pair,)


@needs_assetann
@there_and_back
@pytest.mark.parametrize("number", range(10))
def test_assetann_there_and_back(again, number):
    pairs = released(number).pairs
    parsed = again(list(pairs))
    assert (parsed.fatal, parsed.problems) == (None, ())
    assert sorted(parsed.pairs, key=lambda pair: pair.pair) == sorted(
        pairs, key=lambda pair: pair.pair
    )


ONE = MarkedPair(
    "a/b.7",
    "..",
    "L'été\nd'une 😀 vie",
    "\ufeffUn été\u2028.\r",
    Cut.WORDS,
    (
        Edit("100%|x", (Span(7, 9), Span(2, 5)), (Span(4, 7),), '{"note": "a"}'),
        Edit("x", (Span(12, 13),)),
        Edit("x", (), (Span(1, 3),)),
    ),
    '{"batch": 3}',
)


@there_and_back
def test_whatever_stands_in_names_and_texts(again):
    assert again([ONE]).pairs == (ONE,)


def named(parsed: EditsFile) -> tuple[int, str, str]:
    (problem,) = (parsed.fatal,) if parsed.fatal else parsed.problems
    for wording in (problem.message, problem.remedy):
        assert wording.fr
        assert wording.en
    return problem.row, problem.field, problem.code


BLOCK = """# pair = 7
# tokens = spaces
# original = "a b"
# simplification = "b"
# edit 1 = {"type": "del", "original": [[0, 1]]}
0\ta\t0\t1\toriginal\t1:del
1\tb\t2\t3\toriginal\t_
0\tb\t0\t1\tsimplification\t_
"""


class TestColumns:
    def test_a_block_becomes_a_pair(self):
        parsed = read_columns(BLOCK.replace("\n", "\r\n").encode(), "who")
        edits = (Edit("del", (Span(0, 1),)),)
        assert parsed.pairs == (MarkedPair("7", "who", "a b", "b", Cut.SPACES, edits),)

    def test_edits_of_the_tokens_alone(self):
        lines = [line for line in BLOCK.split("\n") if not line.startswith("# edit")]
        content = "\n".join(lines).replace("1:del", "2:del|5:move").replace("h\t_", "h\t5:move")
        content = content.replace("simplification\t_", "simplification\t5:move")
        (pair,) = read_columns(content.encode(), "who").pairs
        assert pair.edits == (
            Edit("del", (Span(0, 1),)),
            Edit("move", (Span(0, 1),), (Span(0, 1),)),
        )

    @pytest.mark.parametrize(
        ("old", "new", "where"),
        [
            ("# pair = 7", "# pair = ", (1, "pair", "no_name")),
            ("# pair = 7", "# pair: 7", (1, "", "no_line")),
            ("# pair = 7", "# pear = 7", (1, "pear", "no_line")),
            ("# pair = 7", "# pair = 7\n# pair = 8", (2, "pair", "said_twice")),
            ("# tokens = spaces", "# tokens = letters", (2, "tokens", "no_rule")),
            ('"a b"', "a b", (3, "original", "no_text")),
            ('"a b"', '"\\ud800"', (1, "original", "no_text")),
            ("# tokens", "# more = []\n# tokens", (2, "more", "not_json")),
            ("# edit 1", "# edit 2", (5, "edit", "no_number")),
            ("# edit 1", "# edit 0", (5, "edit", "no_line")),
            ('{"type": "del"', '{"type": 3', (5, "edit", "not_json")),
            ('{"type": "del"', '"type"', (5, "edit", "not_json")),
            ('"original": [', '"middle": [[]], "original": [', (5, "middle", "unknown_side")),
            ("[[0, 1]]", "[[0, 9]]", (5, "original", "outside")),
            ("[[0, 1]]", "[[1, 0]]", (5, "original", "no_spans")),
            ("[[0, 1]]", "[]", (5, "edit", "no_span")),
            ("[[0, 1]]", "[[2, 3]]", (1, "edits", "other_tokens")),
            ("0\ta\t0\t1", "0\ta\t0", (6, "", "cells")),
            ("0\ta\t0\t1", "0\tA\t0\t1", (6, "token", "other_tokens")),
            ("1\toriginal", "1\tmiddle", (6, "side", "unknown_side")),
            ("1:del", "del", (6, "edits", "no_edits")),
            ("1:del", "1:del|1:del", (6, "edits", "no_edits")),
            ("0\tb\t0\t1\tsimplification\t_\n", "", (7, "token", "other_tokens")),
        ],
    )
    def test_a_wrong_block_is_named(self, old, new, where):
        assert old in BLOCK
        assert named(read_columns(BLOCK.replace(old, new, 1).encode(), "who")) == where

    def test_tokens_alone_that_are_wrong(self):
        bare = BLOCK.replace('# edit 1 = {"type": "del", "original": [[0, 1]]}\n', "")
        two = bare.replace("simplification\t_", "simplification\t1:move")
        assert named(read_columns(two.encode(), "who")) == (1, "edit 1", "two_types")
        head = bare.split("0\ta")[0]
        assert named(read_columns(head.encode(), "who")) == (1, "token", "other_tokens")

    def test_no_such_file(self):
        assert named(read_columns(b"\n", "who")) == (0, "", "empty")
        assert named(read_columns(b"\xff", "who"))[2] == "wrong_encoding"
        assert named(read_columns(f"{BLOCK}\n{BLOCK}".encode(), "who")) == (
            10,
            "pair",
            "pair_twice",
        )

    def test_no_end_and_many(self, monkeypatch):
        assert read_columns(BLOCK.strip().encode(), "who").pairs
        three = "\n".join(BLOCK.replace("= 7", f"= {n} ") for n in range(3)).encode()
        assert len(read_columns(three, "who").problems) == 3
        monkeypatch.setattr(edit_columns, "MAX_PROBLEMS", 1)
        assert len(read_columns(three, "who").problems) == 2
        monkeypatch.setattr(edit_columns, "_MOST_LINES", 4)
        assert named(read_columns(three, "who"))[2] == "too_many_rows"
