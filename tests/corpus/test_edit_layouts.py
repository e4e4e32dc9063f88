"""Edits in other programs' layouts: columns, brat's standoff, thresh."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.brat import CONFIGURATION, as_brat, read_brat
from annotation.corpus.edit_columns import as_columns, read_columns
from annotation.corpus.edits import MOST_EDITS, EditsFile
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
    one = data.draw(marked_pairs())
    if again is by_brat and any(" " in edit.type for edit in one.edits):
        with pytest.raises(TableError):
            again([one])
        return
    found = again([one])
    assert (found.fatal, found.problems) == (None, ())
    assert found.pairs == (one,)


@needs_assetann
@there_and_back
@pytest.mark.parametrize("number", range(10))
def test_assetann_there_and_back(again, number):
    pairs = released(number).pairs
    found = again(list(pairs))
    assert (found.fatal, found.problems) == (None, ())
    assert sorted(found.pairs, key=lambda one: one.pair) == sorted(pairs, key=lambda one: one.pair)


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


def named(found: EditsFile) -> tuple[int, str, str]:
    (problem,) = (found.fatal,) if found.fatal else found.problems
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
        found = read_columns(BLOCK.replace("\n", "\r\n").encode(), "who")
        edits = (Edit("del", (Span(0, 1),)),)
        assert found.pairs == (MarkedPair("7", "who", "a b", "b", Cut.SPACES, edits),)

    def test_edits_of_the_tokens_alone(self):
        lines = [line for line in BLOCK.split("\n") if not line.startswith("# edit")]
        content = "\n".join(lines).replace("1:del", "2:del|5:move").replace("h\t_", "h\t5:move")
        content = content.replace("simplification\t_", "simplification\t5:move")
        (one,) = read_columns(content.encode(), "who").pairs
        assert one.edits == (
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


def folder(**changed: str) -> dict[str, bytes]:
    files = {
        "7.original.txt": "a b c",
        "7.original.ann": "T1\tmove 0 1;4 5\ta c\nA1\tEdit T1 1\nT2\tdel 2 3\tb\n",
        "7.simplification.txt": "b d",
        "7.simplification.ann": "T9\tmove 2 3\td\nA3\tEdit T9 1\n#1\tAnnotatorNotes T9\tsure\n",
        "readme.md": "x",
    }
    for name, text in changed.items():
        files[name.replace("_", ".")] = text
    return {name: text.encode() for name, text in files.items()}


class TestBrat:
    def test_both_documents_become_a_pair(self):
        (one,) = read_brat(folder(), "who").pairs
        assert (one.pair, one.annotator, one.cut) == ("7", "who", Cut.WORDS)
        assert one.edits == (
            Edit("move", (Span(0, 1), Span(4, 5)), (Span(2, 3),), '{"note": "sure"}'),
            Edit("del", (Span(2, 3),)),
        )

    def test_what_is_written(self):
        one = MarkedPair("7.1", "a b", "a b c", "b", Cut.SPACES, (Edit("x", (Span(0, 3),)),))
        files = as_brat([one])
        assert files["a%20b/7%2E1.spaces.original.ann"] == "T1\tx 0 3\ta b\nA1\tEdit T1 1\n"
        assert files["a%20b/7%2E1.spaces.simplification.ann"] == ""
        assert "[entities]\nx\n" in files[CONFIGURATION]

    @pytest.mark.parametrize(
        ("part", "text", "field", "code"),
        [
            ("7_original_ann", "R1\tx Arg1:T1 Arg2:T2", "7.original.ann", "no_line"),
            ("7_original_ann", "T1\tx 0 1\tb", "7.original.ann T1", "other_tokens"),
            ("7_original_ann", "T1\tx 0 9\ta", "7.original.ann T1", "outside"),
            ("7_original_ann", "T1\tx 1 2\t ", "7.original.ann T1", "no_token"),
            ("7_original_ann", "T1\tx 0 1\ta\n" * 2, "7.original.ann T1", "id_twice"),
            ("7_original_ann", "A1\tEdit T1 1", "7.original.ann A1", "no_mark"),
            ("7_original_ann", "T1\tx 0 1\ta\nA1\tEdit T1 0", "7.original.ann A1", "said_twice"),
            (
                "7_original_ann",
                "T1\tx 0 1\ta\nA1\tEdit T1 1",
                "7.simplification.ann T9",
                "two_types",
            ),
            (
                "7_original_ann",
                "T1\tx 0 1\ta\nT2\tx 2 3\tb\nA1\tEdit T1 1\nA2\tEdit T2 1",
                "7.original.ann T2",
                "id_twice",
            ),
            (
                "7_original_ann",
                "T1\tmove 0 1\ta\nA1\tEdit T1 1\n#1\tAnnotatorNotes T1\tno",
                "7.simplification.ann T9",
                "two_notes",
            ),
            ("7_original_txt", " ", "original", "no_text"),
            ("7_json", "[]", "7.json", "no_more"),
        ],
    )
    def test_a_wrong_document_is_named(self, part, text, field, code):
        found = read_brat(folder(**{part: text}), "who")
        assert named(found) == (1, field, code)

    def test_a_document_that_is_missing(self):
        files = folder()
        del files["7.simplification.txt"]
        assert named(read_brat(files, "who")) == (1, "7.simplification.txt", "no_text")
        del files["7.simplification.ann"]
        files["7.words.original.txt"] = b"a"
        assert named(read_brat(files, "who")) == (0, "7.words.original.txt", "pair_twice")
        files["7.spaces.original.txt"] = b"a"
        assert named(read_brat(files, "who"))[2] == "pair_twice"
        assert named(read_brat({"readme.md": b""}, "who"))[2] == "empty"

    def test_too_many_marks(self):
        lines = "\n".join(f"T{n}\tx 0 1\ta" for n in range(MOST_EDITS + 1))
        found = read_brat(folder(**{"7_original_ann": lines}), "who")
        assert named(found) == (1, "7.original.ann", "too_many_edits")


# As thresh's own demonstration of SALSA: public/data/salsa.json of davidheineman/thresh.
ENTRY: dict[str, Any] = {
    "id": 1,
    "user": "demo",
    "system": "s/t",
    "original": "a 😀 c d",
    "simplified": "b d",
    "edits": [
        {"id": 0, "category": "substitution", "input_idx": [[0, 1]], "output_idx": [[0, 1]]},
        {
            "id": 3,
            "category": "deletion",
            "input_idx": [[2, 4]],
            "annotation": {"deletion_type": {"val": "good", "good": "a lot", "bad": None}},
        },
        {
            "id": 0,
            "category": "structure",
            "constituent_edits": [
                {"id": 1, "category": "deletion", "input_idx": [[5, 6], [7, 8]]},
                {"id": 1, "category": "insertion", "output_idx": [[2, 3]]},
                {"id": 2, "category": "deletion", "input_idx": [[5, 8]]},
            ],
            "annotation": None,
        },
    ],
}


def thresh(**changed: object) -> EditsFile:
    return read_thresh(json.dumps([{**ENTRY, **changed}]).encode(), "who")


def one_edit(**edit: object) -> EditsFile:
    return thresh(edits=[{"category": "x", "input_idx": [[0, 1]], **edit}])


class TestThresh:
    def test_an_entry_becomes_a_pair(self):
        (one,) = thresh().pairs
        assert (one.pair, one.annotator, one.original) == ("1", "demo", "a 😀 c d")
        assert json.loads(one.more) == {"id": 1, "system": "s/t"}
        first, second, third = one.edits
        assert first == Edit("substitution", (Span(0, 1),), (Span(0, 1),))
        # A character outside of the basic plane is two units of UTF-16.
        assert second.original == (Span(2, 3),)
        assert json.loads(second.more)["annotation"]["deletion_type"]["good"] == "a lot"
        assert (third.original, third.simplification) == ((Span(4, 7),), (Span(2, 3),))

    def test_what_was_given_is_given_back(self):
        (entry,) = json.loads(as_thresh(thresh().pairs))
        given = {**ENTRY, "annotator": "demo", "source": "a 😀 c d", "target": "b d"}
        for key in ("user", "original", "simplified"):
            del given[key]
        assert entry == {**given, "tokens": "words"}

    def test_an_entry_without_an_id_is_called_by_its_rank(self):
        (one,) = thresh(id=None, annotator="", user="", edits=None).pairs
        assert (one.pair, one.annotator, one.edits) == ("1", "who", ())

    @pytest.mark.parametrize(
        ("found", "field", "code"),
        [
            (thresh(id=1.5), "id", "no_name"),
            (thresh(id=" "), "pair", "no_name"),
            (thresh(user=3), "annotator", "no_name"),
            (thresh(original=None), "source", "no_text"),
            (thresh(original="x" * 20_001), "original", "no_text"),
            (thresh(tokens=["words"]), "tokens", "no_rule"),
            (thresh(edits={"a": 1}), "edits", "no_edits"),
            (thresh(edits=[{}] * (MOST_EDITS + 1)), "", "too_many_edits"),
            (thresh(edits=[3]), "edits[0]", "no_edit"),
            (thresh(note=float("nan")), "", "not_json"),
            (thresh(note="x" * 20_001), "more", "no_more"),
            (one_edit(category=" "), "edits[0]", "no_name"),
            (one_edit(id=None), "edits[0]", "no_name"),
            (one_edit(input_idx=[0, 1]), "edits[0].input_idx", "no_spans"),
            (one_edit(input_idx=[[0, 99]]), "edits[0].input_idx", "outside"),
            (one_edit(input_idx=[[2, 3]]), "edits[0].input_idx", "inside_a_character"),
            (one_edit(input_idx=None), "edits[0]", "no_span"),
            (
                one_edit(input_idx=[], constituent_edits=[3]),
                "edits[0].constituent_edits",
                "no_edits",
            ),
            (thresh(edits=[ENTRY["edits"][0]] * 2), "edits[1]", "id_twice"),
        ],
    )
    def test_a_wrong_entry_is_named(self, found, field, code):
        assert named(found) == (1, field, code)

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            (b"{}", "not_json"),
            (b"[", "not_json"),
            (b'[{"a": 1, "a": 2}]', "duplicate_key"),
            (b"[" * 90_000, "not_json"),
            (b"[]", "empty"),
            (b"\xff", "wrong_encoding"),
        ],
    )
    def test_no_such_file(self, content, code):
        assert named(read_thresh(content, "who"))[2] == code

    def test_a_line_of_json_is_no_entry(self):
        assert named(read_thresh(b"[3]", "who")) == (1, "", "not_an_object")
        assert named(read_thresh(json.dumps([ENTRY] * 2).encode(), "who"))[2] == "pair_twice"

    @pytest.mark.parametrize(
        "more",
        ['{"category": "y"}', '{"input_idx": 3}', '{"id": true}', '{"constituent_edits": 3}'],
    )
    def test_what_thresh_would_read_otherwise_is_not_written(self, more):
        edit = Edit("x", (Span(0, 1),), more=more)
        one = MarkedPair("1", "who", "a", "b", Cut.WORDS, (edit,))
        if "constituent" in more:
            assert by_thresh([one]).pairs == (one,)
            return
        with pytest.raises(TableError) as refusal:
            as_thresh([one])
        assert refusal.value.problem.code == "not_writable"
