"""Edits as thresh has them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.corpus import thresh as module
from annotation.corpus.edit_parts import as_more, more_of
from annotation.corpus.edits import MOST_EDITS, EditsFile
from annotation.corpus.problems import TableError
from annotation.corpus.thresh import as_thresh, read_thresh, with_parts_moved
from annotation.protocols.edits import Edit, MarkedPair
from annotation.protocols.tokens import Cut, Span
from tests.corpus.test_edit_layouts import by_thresh, named

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
        (pair,) = thresh().pairs
        assert (pair.pair, pair.annotator, pair.original) == ("1", "demo", "a 😀 c d")
        assert json.loads(pair.more) == {"id": 1, "system": "s/t"}
        first, second, third = pair.edits
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

    def test_what_marks_no_passage_says_so(self):
        """Rather than leaving its passages out, which is refused as forgotten."""
        edits = (Edit("x"), Edit("x", (Span(0, 1),)), Edit("x", more='{"constituent_edits": []}'))
        pair = MarkedPair("1", "who", "a", "b", Cut.WORDS, edits)
        (entry,) = json.loads(as_thresh([pair]))
        assert entry["edits"][0] == {"category": "x", "id": 0, "input_idx": [], "output_idx": []}
        assert by_thresh([pair]).pairs == (pair,)

    def test_an_entry_without_an_id_is_called_by_its_rank(self):
        (pair,) = thresh(id=None, annotator="", user="", edits=None).pairs
        assert (pair.pair, pair.annotator, pair.edits) == ("1", "who", ())

    @pytest.mark.parametrize(
        ("parsed", "field", "code"),
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
    def test_a_wrong_entry_is_named(self, parsed, field, code):
        assert named(parsed) == (1, field, code)

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
        pair = MarkedPair("1", "who", "a", "b", Cut.WORDS, (edit,))
        if "constituent" in more:
            assert by_thresh([pair]).pairs == (pair,)
            return
        with pytest.raises(TableError) as refusal:
            as_thresh([pair])
        assert refusal.value.problem.code == "not_writable"

    def test_many(self, monkeypatch):
        three = json.dumps([3, 4, 5]).encode()
        assert len(read_thresh(three, "who").problems) == 3
        monkeypatch.setattr(module, "MAX_PROBLEMS", 1)
        assert len(read_thresh(three, "who").problems) == 2
        monkeypatch.setattr(module, "MAX_ROWS", 2)
        assert named(read_thresh(three, "who"))[2] == "too_many_rows"


def test_offsets_of_parts_follow_the_text_as_it_is_stored():
    texts = {"original": (" 😀 un deux", "😀 un deux"), "simplification": ("un", "un")}
    parts = [{"input_idx": [[4, 6], [1, 900]], "output_idx": [[0, 2]]}, {"input_idx": [[0, 3]]}]
    more = as_more({"constituent_edits": parts, "annotation": 1})
    moved = with_parts_moved(more, texts)
    # What the text does not have stays as it was given, and so does a blank that is gone.
    assert more_of(moved)["constituent_edits"] == [
        {"input_idx": [[3, 5], [1, 900]], "output_idx": [[0, 2]]},
        {"input_idx": [[0, 2]]},
    ]
    assert with_parts_moved("", texts) == ""
    alike = {side: (stored, stored) for side, (_text, stored) in texts.items()}
    assert with_parts_moved(more, alike) == more
