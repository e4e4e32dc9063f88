"""Files of edits brought into a study, in each layout: the same marks by the same people."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.corpus.edit_files import ENDINGS, edit_file
from annotation.corpus.edit_parts import noted_more
from annotation.corpus.problems import TableError
from annotation.corpus.yawat import as_yawat
from annotation.errors import RuleError
from annotation.protocols.edits import SIDES, Edit, MarkedPair
from annotation.protocols.tokens import Cut, Span
from annotation.reading import yawat_read
from annotation.selectors.agreement.marked import marked_pairs
from annotation.services.intake.judgments import judgments_bring
from annotation.services.items.items import RowsRefused
from tests.cast import Cast
from tests.factories import make_study

pytestmark = pytest.mark.django_db

GOLD = Path(__file__).parents[4] / "shared/data/assetann/gold"
ORIGINAL, SIMPLE = "L'avocat a plaidé longtemps.", "Il a parlé."


def pair(name: str, who: str, *edits: Edit, original: str = ORIGINAL) -> MarkedPair:
    return MarkedPair(name, who, original, SIMPLE, Cut.WORDS, edits)


MARKED = (
    pair(
        "bail/1",
        "A",
        Edit("synonym", (Span(11, 17),), (Span(5, 10),)),
        Edit("delmod", (Span(18, 27),)),
    ),
    pair("bail/1", "B", Edit("pron", (Span(0, 2), Span(11, 17)), (Span(0, 2),))),
    pair("clause", "A"),
)


@pytest.fixture
def study(cast: Cast):
    return make_study("brought", lead=cast.lead, protocol_key="assetann", protocol_version="1")


def told(pairs) -> list[tuple[object, ...]]:
    return sorted(
        (marked_pair.annotator, marked_pair.original, marked_pair.simplification, marked_pair.edits)
        for marked_pair in pairs
    )


def archive(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        for name, text in files.items():
            zipped.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize("layout", ENDINGS)
def test_in_each_layout_as_it_was_marked(cast, study, layout):
    marked = (
        [marked_pair for marked_pair in MARKED if marked_pair.annotator == "A"]
        if layout == "thresh"
        else MARKED
    )
    marked = [
        marked_pair
        if marked_pair.pair != "clause"
        else pair("clause", "A", original=f"{ORIGINAL} Bis")
        for marked_pair in marked
    ]
    if layout in {"jsonl", "tsv"}:
        assert edit_file(layout, marked)
    content = edit_file(layout, marked)
    judgments_bring(
        actor=cast.lead, study=study, name=f"A.{ENDINGS[layout]}", content=content, choices={}
    )
    assert told(marked_pairs(study, "edits")) == told(marked)
    keys = set(study.items.values_list("key", flat=True))
    assert keys == {"bail", "clause"}


@pytest.mark.parametrize("layout", ENDINGS)
def test_what_is_of_no_passage_comes_back_in_each_layout(cast, study, layout):
    """An error that somebody saw on the pair as a whole."""
    marked = [pair("bail/1", "A", Edit("err"), Edit("delmod", (Span(18, 27),)), Edit("err"))]
    content = edit_file(layout, marked)
    judgments_bring(
        actor=cast.lead, study=study, name=f"A.{ENDINGS[layout]}", content=content, choices={}
    )
    assert told(marked_pairs(study, "edits")) == told(marked)


def test_thresh_of_another_typology_asks_what_each_becomes(cast, study):
    entry = {
        "id": 0,
        "source": ORIGINAL,
        "target": SIMPLE,
        "edits": [{"id": 0, "category": "deletion", "input_idx": [[18, 27]], "output_idx": None}],
    }
    content = json.dumps([entry]).encode()

    def bring(values):
        return judgments_bring(
            actor=cast.lead, study=study, name="salsa.json", content=content, choices=values
        )

    with pytest.raises(RuleError) as refused:
        bring({})
    said = refused.value.problems[0].message
    assert said.en.startswith("“deletion” is none of these: ")
    assert "delmod" in said.en
    assert "{" not in said.en + said.fr
    bring({"values": {"edits": {"deletion": "delmod"}}})
    (brought,) = marked_pairs(study, "edits")
    assert [(edit.type, edit.original) for edit in brought.edits] == [("delmod", (Span(18, 27),))]


def test_nested_answers_of_thresh_come_out_as_they_came_in(cast, study):
    """SALSA's questions below an edit, and a person's own note beside them, which is none."""
    answers = {"deletion": {"severity": {"val": "Ça change", "choice": [1, {"x": None}]}}}
    told_of = {"category": "delmod", "input_idx": [[18, 27]], "output_idx": None}
    entry = {
        "id": 0,
        "source": ORIGINAL,
        "target": SIMPLE,
        "edits": [{"id": 0, **told_of, "annotation": answers}, {"id": 1, **told_of}],
    }
    content = json.dumps([entry]).encode()
    judgments_bring(actor=cast.lead, study=study, name="A.json", content=content, choices={})
    marked = marked_pairs(study, "edits")
    (again,) = json.loads(edit_file("thresh", marked))
    assert [edit.get("annotation") for edit in again["edits"]] == [answers, None]


@pytest.mark.parametrize("around", ["", "\n"])
@pytest.mark.parametrize("much", [0, 60])
def test_parts_of_a_composite_edit_come_out_as_they_came_in(cast, study, around, much):
    """SALSA's splits and structure changes, which have only the edits of which they consist; also
    of many parts, and where what stands around a text is left away."""
    shift = len(around)
    parts: list[dict[str, Any]] = [
        {"category": "substitution", "id": 7, "input_idx": [[11, 17]], "output_idx": [[5, 10]]},
        {"category": "deletion", "id": 8, "input_idx": [[18, 27]]},
        {"category": "insertion", "id": 9, "output_idx": [[0, 2]]},
        *({"category": "reorder", "id": 10 + at, "input_idx": [[2, 8]]} for at in range(much)),
    ]
    for part in parts:
        for name in {"input_idx", "output_idx"} & set(part):
            part[name] = [[start + shift, end + shift] for start, end in part[name]]
    rated = {"annotation": {"rating": {"val": 2}}}
    entry = {
        "id": 0,
        "source": around + ORIGINAL,
        "target": around + SIMPLE,
        "edits": [{"category": "synonym", "id": 0, "constituent_edits": parts} | rated],
    }
    content = json.dumps([entry]).encode()
    judgments_bring(actor=cast.lead, study=study, name="A.json", content=content, choices={})
    (again,) = json.loads(edit_file("thresh", marked_pairs(study, "edits")))
    (edit,) = again["edits"]
    for part in parts:
        for name in {"input_idx", "output_idx"} & set(part):
            part[name] = [[start - shift, end - shift] for start, end in part[name]]
    assert edit == {"category": "synonym", "id": 0, "constituent_edits": parts} | rated


def test_a_persons_note_is_not_taken_for_such_answers():
    assert noted_more("{pas du JSON}") == noted_more("Un mot.") == noted_more("[1]") == ""
    assert noted_more('{"a":1}') == ""
    assert noted_more('{"a": 1}') == '{"a": 1}'


def test_texts_are_stored_without_what_stands_around_them(cast, study):
    marked = MarkedPair(
        "p", "A", f"  {ORIGINAL}\r\nBis", SIMPLE, Cut.WORDS, (Edit("delmod", (Span(32, 35),)),)
    )
    content = edit_file("jsonl", [marked])
    judgments_bring(actor=cast.lead, study=study, name="x.jsonl", content=content, choices={})
    (brought,) = marked_pairs(study, "edits")
    assert brought.original[slice(*brought.edits[0].original[0])] == "Bis"


def test_pairs_that_are_called_as_ours_are_and_are_none(cast, study):
    """Two documents' pairs «doc/1» and «doc/2» of different originals are two items."""
    marked = [
        pair("doc/1", "A", Edit("delmod", (Span(18, 27),))),
        pair("doc/2", "A", Edit("delmod", (Span(18, 27),)), original=f"{ORIGINAL} Bis"),
    ]
    content = edit_file("jsonl", marked)
    judgments_bring(actor=cast.lead, study=study, name="x.jsonl", content=content, choices={})
    assert told(marked_pairs(study, "edits")) == told(marked)
    assert set(study.items.values_list("key", flat=True)) == {"doc-1", "doc-2"}


def test_names_that_become_one_identifier_stay_two(cast, study):
    marked = [
        pair("é/a", "A"),
        pair("à/a", "A", original=f"{ORIGINAL} Bis"),
        pair("«»", "A", original="Rien."),
    ]
    content = edit_file("columns", marked)
    judgments_bring(actor=cast.lead, study=study, name="x.conll", content=content, choices={})
    assert set(study.items.values_list("key", flat=True)) == {"a", "a-2", "p"}


def test_what_is_wrong_in_the_file_is_named(cast, study):
    rows = edit_file("jsonl", MARKED).decode().replace("[[11, 17]]", "[[11, 99]]")
    with pytest.raises(RuleError) as refused:
        judgments_bring(
            actor=cast.lead, study=study, name="x.jsonl", content=rows.encode(), choices={}
        )
    assert refused.value.problems[0].code == "outside"
    columns = b"# pair = x\n"
    with pytest.raises((TableError, RuleError)):
        judgments_bring(actor=cast.lead, study=study, name="x.conll", content=columns, choices={})
    assert not study.items.exists()


def test_a_side_that_the_operation_does_not_have(cast, study):
    marked = [pair("p", "A", Edit("delmod", (), (Span(0, 2),)))]
    content = edit_file("jsonl", marked)
    with pytest.raises(RowsRefused) as refused:
        judgments_bring(actor=cast.lead, study=study, name="x.jsonl", content=content, choices={})
    assert [problem.row for problem in refused.value.rows] == [1]


def test_an_alignment_without_its_texts(cast, study):
    spaced = MarkedPair("1", "A", "a b", "b", Cut.SPACES, (Edit("delmod", (Span(0, 1),)),))
    edits, texts = as_yawat([spaced])
    with pytest.raises((TableError, RuleError)):
        judgments_bring(
            actor=cast.lead,
            study=study,
            name="x.zip",
            content=archive({"A.aln": edits}),
            choices={},
        )
    content = archive({"A.aln": edits, "A.crp": texts, "B.aln": edits, "B.crp": texts})
    judgments_bring(actor=cast.lead, study=study, name="x.zip", content=content, choices={})
    assert [marked_pair.annotator for marked_pair in marked_pairs(study, "edits")] == ["A", "B"]


@pytest.mark.skipif(not GOLD.exists(), reason="no released files here")
def test_the_released_gold_edits(cast, study):
    """The 50 consensus pairs as they were released, in an archive."""
    aln, crp = min(GOLD.glob("*.aln")), min(GOLD.glob("*.crp"))
    content = archive({"G.aln": aln.read_bytes(), "G.crp": crp.read_bytes()})
    # One operation there is none of the 26: the lead says that it becomes none.
    choices = {"values": {"edits": {"literal": ""}}}
    judgments_bring(actor=cast.lead, study=study, name="gold.zip", content=content, choices=choices)
    released = yawat_read([aln.read_bytes(), crp.read_bytes()], "G").pairs
    brought = marked_pairs(study, "edits")
    assert len(brought) == len(released) == 50
    words = {
        (released_pair.original, released_pair.simplification): sorted(
            (edit.type, *(released_pair.touched(edit, side) for side in SIDES))
            for edit in released_pair.edits
            if edit.type != "literal"
        )
        for released_pair in released
    }
    for brought_pair in brought:
        # The same marks by the same characters, whatever rule cuts words.
        spaced = replace(brought_pair, cut=Cut.SPACES)
        assert words[brought_pair.original, brought_pair.simplification] == sorted(
            (edit.type, *(spaced.touched(edit, side) for side in SIDES))
            for edit in brought_pair.edits
        )
