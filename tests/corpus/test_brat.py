"""Edits in brat's standoff."""

from __future__ import annotations

import json

import pytest

from annotation.corpus import brat
from annotation.corpus.brat import CONFIGURATION, as_brat, read_brat
from annotation.corpus.edits import MOST_EDITS
from annotation.protocols.edits import Edit, MarkedPair
from annotation.protocols.tokens import Cut, Span
from tests.corpus.test_edit_layouts import named


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
        (pair,) = read_brat(folder(), "who").pairs
        assert (pair.pair, pair.annotator, pair.cut) == ("7", "who", Cut.WORDS)
        assert pair.edits == (
            Edit("move", (Span(0, 1), Span(4, 5)), (Span(2, 3),), '{"note": "sure"}'),
            Edit("del", (Span(2, 3),)),
        )

    def test_what_is_written(self):
        pair = MarkedPair("7.1", "a b", "a b c", "b", Cut.SPACES, (Edit("x", (Span(0, 3),)),))
        files = as_brat([pair])
        assert files["a%20b/7%2E1.spaces.original.ann"] == "T1\tx 0 3\ta b\nA1\tEdit T1 1\n"
        assert files["a%20b/7%2E1.spaces.simplification.ann"] == ""
        assert "[entities]\nx\n" in files[CONFIGURATION]

    def test_what_marks_no_passage_stands_beside_the_annotations(self):
        edits = (Edit("err", more='{"a": 1}'), Edit("x", (Span(0, 3),)), Edit("err"))
        pair = MarkedPair("7", "a", "a b c", "b", Cut.WORDS, edits)
        files = as_brat([pair])
        assert json.loads(files["a/7.words.unplaced.json"]) == {
            "1": {"type": "err", "more": {"a": 1}},
            "3": {"type": "err"},
        }
        content = {name: text.encode() for name, text in files.items()}
        assert read_brat(content, "who").pairs == (pair,)

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
            ("7_unplaced_json", "[]", "7.unplaced.json", "no_more"),
            ("7_unplaced_json", '{"x": {"type": "a"}}', "7.unplaced.json", "no_edit"),
            ("7_unplaced_json", '{"3": 4}', "7.unplaced.json", "no_edit"),
            ("7_unplaced_json", '{"3": {"type": 4}}', "7.unplaced.json", "no_edit"),
            ("7_unplaced_json", '{"3": {"type": " "}}', "7.unplaced.json", "no_name"),
            ("7_unplaced_json", '{"1": {"type": "move"}}', "7.unplaced.json", "id_twice"),
        ],
    )
    def test_a_wrong_document_is_named(self, part, text, field, code):
        parsed = read_brat(folder(**{part: text}), "who")
        assert named(parsed) == (1, field, code)

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
        parsed = read_brat(folder(**{"7_original_ann": lines}), "who")
        assert named(parsed) == (1, "7.original.ann", "too_many_edits")

    def test_many(self, monkeypatch):
        files = {f"{n}/{name}": content for n in range(3) for name, content in folder().items()}
        assert len(read_brat(files, "who").pairs) == 3
        wrong = {name: content for name, content in files.items() if not name.endswith(".txt")}
        assert len(read_brat(wrong, "who").problems) == 3
        monkeypatch.setattr(brat, "MAX_PROBLEMS", 1)
        assert len(read_brat(wrong, "who").problems) == 2
        monkeypatch.setattr(brat, "MAX_ROWS", 2)
        assert named(read_brat(files, "who"))[2] == "too_many_rows"
