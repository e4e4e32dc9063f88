"""INCEpTION's exports: documents with passages and what is said of the whole, by who annotated."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.corpus import archives, long_archives
from annotation.corpus.judging import Judging
from annotation.corpus.long_files import read_long
from annotation.corpus.pairs_file import read_pairs_file
from annotation.corpus.peers.webanno_tsv import read_tsv
from annotation.corpus.peers.xmi import read_xmi
from annotation.corpus.problems import TableError
from annotation.protocols.registry import protocol
from tests.corpus.peers import samples
from tests.corpus.peers.samples import ORIGINAL, SIMPLE, SPANS, WHAT

FRJUDGE = protocol("legal_meaning", "1")
VALUES = tuple(WHAT[0][1:])


def rows(content: bytes, name: str = "") -> list[dict[str, str]]:
    table = read_long(content, name=name).table
    return [dict(zip(table.columns, row.cells, strict=True)) for row in table.rows]


def refused(content: bytes) -> Any:
    with pytest.raises(TableError) as error:
        read_long(content)
    assert error.value.problem.remedy.fr
    return error.value.problem


def passages(cell: str) -> list[tuple[Any, ...]]:
    return [(mark["label"], mark["start"], mark["end"], mark["quote"]) for mark in json.loads(cell)]


class TestTsv:
    """By hand from the description of the format: what stands in one line, in several, one over the
    other, within a word; what is no value; offsets in units of UTF-16."""

    def row(self) -> dict[str, str]:
        (row,) = rows(
            samples.archive(**{"annotation/clause.txt/marie_dot_tsv": samples.INCEPTION_TSV})
        )
        return row

    def test_the_document_its_name_and_who_annotated(self):
        row = self.row()
        assert (row["id"], row["annotator"]) == ("clause.txt", "marie")
        # Nothing tells what stood between two sentences: two characters did.
        assert row["text"] == "Payez \ta 😊 .\n\nDeux\nlignes."

    def test_passages_of_a_layer_under_each_of_its_features(self):
        row = self.row()
        assert passages(row["Errors.kind"]) == [
            ("loss", 0, 8, "Payez \ta"),
            ("other", 0, 5, "Payez"),
            ("a_b", 0, 3, "Pay"),
            ("", 11, 12, "."),
            ("fin", 19, 26, "lignes."),
        ]
        assert [passage[0] for passage in passages(row["Errors.weight"])] == ["3", "", "", "", ""]

    def test_a_layer_without_features(self):
        assert passages(self.row()["Plain"]) == [("", 7, 8, "a")]

    def test_links_and_relations_are_passed_over(self):
        assert {name.split(".")[0] for name in self.row()} == {
            *("id", "text", "annotator", "Errors", "Plain"),
        }

    def test_line_ends_of_windows(self):
        tsv = samples.INCEPTION_TSV.replace(b"\n", b"\r\n").decode()
        assert read_tsv(tsv) == read_tsv(samples.INCEPTION_TSV.decode())

    @pytest.mark.parametrize(
        ("before", "after", "row"),
        [
            ("TSV 3.3", "TSV 2.0", 1),
            ("1-1\t0-5", "1-1\t0-x", 10),
            ("1-2\t7-8\ta\t", "1-2 7-8 a ", 12),
            ("12-13", "12-99", 14),
            ("12-13", "13-12", 14),
            ("2-1\t15-19", "2-1\t3-7", 18),
            ("2-1\t15-19", "2-1\t999999999-999999999", 18),
        ],
    )
    def test_what_is_damaged_is_named_by_its_line(self, before, after, row):
        tsv = samples.INCEPTION_TSV.decode()
        assert before in tsv
        problem = refused(tsv.replace(before, after).encode())
        assert (problem.code, problem.row) == ("not_webanno", row)

    @pytest.mark.parametrize("tsv", ["#FORMAT=WebAnno TSV 3.3\n\n\n", "#FORMAT=WebAnno TSV 3.3"])
    def test_without_a_text_there_is_nothing(self, tsv):
        assert refused(tsv.encode()).code == "not_webanno"

    def test_a_token_before_its_text(self):
        assert refused(b"#FORMAT=WebAnno TSV 3.3\n1-1\t0-1\ta\t\n").row == 2

    @pytest.mark.parametrize("declaration", ["#T_", "#T_SP", "#T_SP=", "#T_SP=|", "#T_RL=||"])
    def test_a_declaration_that_names_no_layer(self, declaration):
        problem = refused(f"#FORMAT=WebAnno TSV 3.3\n\n{declaration}\n".encode())
        assert (problem.row, "names no layer" in problem.message.en) == (3, True)


class TestCas:
    def test_what_is_said_of_the_document_and_its_passages(self):
        (row,) = rows(json.dumps(samples.cas_json(VALUES)).encode(), name="clause-1.json")
        assert [row[f"Quality.{name}"] for name in samples.NAMES] == list(VALUES)
        assert passages(row["Errors.kind"]) == [
            (kind, begin, end, SIMPLE[begin:end]) for begin, end, kind in SPANS
        ]
        assert (row["id"], row["text"]) == ("clause-1.txt", SIMPLE)
        assert {name for name in row if name.startswith(("de.", "uima."))} == set()

    def test_a_file_alone_does_not_say_who_annotated(self):
        cas = samples.cas_json(VALUES)
        (row,) = rows(json.dumps(cas).encode(), name="marie.json")
        assert row["annotator"] == ""
        cas["%FEATURE_STRUCTURES"].append(
            {
                "%ID": 20,
                "%TYPE": "de.tudarmstadt.ukp.clarin.webanno.api.type.CASMetadata",
                "@sofa": 1,
                "username": "luc",
                "sourceDocumentName": "clause-7.txt",
            }
        )
        (row,) = rows(json.dumps(cas).encode())
        assert (row["annotator"], row["id"]) == ("luc", "clause-7.txt")

    def test_offsets_are_counted_as_java_does(self):
        text = "🥳 Payez 👻"
        cas = samples.cas_json(VALUES, text=text)
        span = next(structure for structure in cas["%FEATURE_STRUCTURES"] if "kind" in structure)
        for begin, end, quote in ((3, 8, "Payez"), (9, 11, "👻"), (0, 2, "🥳")):
            span |= {"begin": begin, "end": end}
            (row,) = rows(json.dumps(cas).encode())
            assert passages(row["Errors.kind"])[0][3] == quote

    def test_a_passage_that_is_not_in_the_text_has_no_place(self):
        cas = samples.cas_json(VALUES)
        span = next(structure for structure in cas["%FEATURE_STRUCTURES"] if "kind" in structure)
        span |= {"begin": 0, "end": 9999}
        (row,) = rows(json.dumps(cas).encode())
        assert passages(row["Errors.kind"])[0] == ("loss", 0, None, None)

    def test_relations_and_other_texts_are_passed_over(self):
        cas = samples.cas_json(VALUES)
        more = [
            {"%ID": 30, "%TYPE": "webanno.custom.Rel", "@sofa": 1, "@Governor": 5, "label": "x"},
            {"%ID": 31, "%TYPE": "webanno.custom.Other", "@sofa": 99, "label": "x"},
            {"%ID": 32, "%TYPE": "webanno.custom.Link", "role": "x"},
            {"%ID": 33, "%TYPE": "webanno.custom.\ud800", "@sofa": 1, "label": "x"},
            {"%ID": 34, "%TYPE": 3, "@sofa": 1},
            "none",
        ]
        cas["%FEATURE_STRUCTURES"] += more
        cas["%TYPES"] |= {"x": 3, "y": {"z": 4, "%NAME": "y"}}
        (row,) = rows(json.dumps(cas).encode())
        (as_before,) = rows(json.dumps(samples.cas_json(VALUES)).encode())
        assert row == as_before

    def test_a_document_that_nobody_annotated_is_left_out(self):
        cas = samples.cas_json(VALUES)
        cas["%FEATURE_STRUCTURES"] = cas["%FEATURE_STRUCTURES"][:3]
        cas["%TYPES"] = None
        content = samples.project(
            **{
                "annotation/a/marie.json": json.dumps(cas).encode(),
                "annotation/b/marie.json": json.dumps(samples.cas_json(VALUES)).encode(),
            }
        )
        long = read_long(content)
        assert (long.left_out, len(long.table.rows)) == (1, 1)

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            (b'{"%TYPES": {}, "%VIEWS": {}}', "not_cas"),
            (b'{"%TYPES": {}, "%FEATURE_STRUCTURES": {}}', "not_cas"),
            (b'{"%TYPES": {}, "%FEATURE_STRUCTURES": [', "not_json"),
            (b'{"%TYPES": {}, "%TYPES": {}}', "duplicate_key"),
            (b'{"%TYPES": ' + b"[" * 200_000, "not_json"),
        ],
    )
    def test_what_is_damaged_is_refused(self, content, code):
        assert refused(content).code == code


class TestXmi:
    def test_the_same_as_in_json(self):
        (xmi,), (from_json,) = (
            rows(samples.cas_xmi(VALUES)),
            rows(json.dumps(samples.cas_json(VALUES)).encode()),
        )
        assert xmi == from_json

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("</xmi:XMI>", ""),
            ("<cas:Sofa ", "<cas:Nothing "),
            ("?><xmi:XMI", '?><!DOCTYPE x [<!ENTITY a "b">]><xmi:XMI'),
            ('encoding="UTF-8"', 'encoding="nothing"'),
        ],
    )
    def test_what_is_damaged_or_names_entities_is_refused(self, before, after):
        xmi = samples.cas_xmi(VALUES).decode()
        assert before in xmi
        assert refused(xmi.replace(before, after).encode()).code == "not_xmi"

    def test_another_kind_of_xml_is_none(self):
        with pytest.raises(TableError):
            read_xmi(b'<a xmlns:x="http://www.omg.org/XMI"/>')

    def test_no_more_elements_than_anybody_annotates(self, monkeypatch):
        monkeypatch.setattr("annotation.corpus.peers.xmi.MOST_ELEMENTS", 3)
        assert refused(samples.cas_xmi(VALUES)).code == "not_xmi"


class TestProject:
    def test_curation_and_what_nobody_annotated_are_no_judges(self):
        assert sorted(row["annotator"] for row in rows(samples.INCEPTION)) == ["ann-1", "ann-2"]

    def test_a_damaged_document_is_a_row_and_names_nobody(self):
        content = samples.project(
            **{
                "annotation/a/marie.json": b'{"%TYPES": {',
                "annotation/b/luc.json": json.dumps(samples.cas_json(VALUES)).encode(),
            }
        )
        (problem,) = read_long(content).table.problems
        assert (problem.row, problem.code) == (1, "not_json")
        assert "marie" not in str(problem)

    @pytest.mark.parametrize(
        "files",
        [
            {"annotation_ser/a/marie.ser": b"x"},
            {"annotation/a/marie.txt": b"x"},
            {"annotation/a/marie.zip": samples.archive(a_dot_txt=b"x")},
        ],
    )
    def test_without_a_format_that_is_read(self, files):
        problem = refused(samples.project(**files))
        assert problem.code == "no_annotations"
        assert "UIMA CAS JSON" in problem.remedy.fr

    @pytest.mark.parametrize("name", [".", "x", "./"])
    def test_a_file_whose_name_is_no_place_in_it(self, name):
        content = samples.project(**{name: b"x", "annotation_ser/a/marie.ser": b"x"})
        assert refused(content).code == "no_annotations"

    def test_a_damaged_archive_within(self):
        assert refused(samples.project(**{"annotation/a/x.zip": b"PK"})).code == "broken_archive"

    def test_archives_within_count_too(self, monkeypatch):
        outside = archives.contents_of(samples.INCEPTION_ZIP, most_bytes=0, most_marks=0)
        monkeypatch.setattr(long_archives, "MAX_UNPACKED_BYTES", outside.unpacked + 100)
        assert refused(samples.INCEPTION_ZIP).code == "archive_too_big"

    def test_a_single_document_beside_its_type_system(self):
        content = samples.archive(
            TypeSystem_dot_xml=b"<t/>", clause_dot_xmi=samples.cas_xmi(VALUES)
        )
        (row,) = rows(content)
        assert (row["id"], row["annotator"]) == ("clause-1.txt", "")


def test_passages_are_of_the_text_that_the_document_is():
    """Both texts begin alike: nothing but the whole text tells of which one a passage is."""
    original = SIMPLE + " " + ORIGINAL
    items = samples.lines({"id": "c", "original": original, "simplification": SIMPLE})
    cas = samples.cas_json(VALUES)
    cas["%FEATURE_STRUCTURES"][3] = {
        "%ID": 4,
        "%TYPE": "webanno.custom.Answers",
        "@sofa": 1,
        "simplicity": "3",
        "characterization": "2",
        "bracket": "3",
    }
    content = samples.project(
        **{"pairs.jsonl": items, "annotation/c/marie.json": json.dumps(cas).encode()}
    )
    types = FRJUDGE.field("errors").marks
    values = {"errors": {"loss": types[0].key, "other": types[1].key}}
    same = tuple(slot.name for slot in FRJUDGE.slots)
    judging = Judging(
        FRJUDGE,
        FRJUDGE.clean_rulings({}),
        names={"errors": "Errors.kind"},
        values=values,
        same_scale=same,
    )
    parsed = read_pairs_file(content, judging=judging)
    assert parsed.fatal is None, parsed.fatal.message.en
    assert [problem.message.en for problem in parsed.judged.problems] == []
    (row,) = parsed.judged.rows
    assert (row.key, row.annotator, row.original) == ("c", "marie", original)
    marks = json.loads(row.cells["errors"])
    assert [(mark["simplification_start"], mark["simplification_end"]) for mark in marks] == [
        (begin, end) for begin, end, _kind in SPANS
    ]
