"""Other programs' exports become the same long table, and by it the same judgments."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas as pd
import pytest

from annotation.corpus import wire
from annotation.corpus.judging import Judging
from annotation.corpus.long_files import read_long
from annotation.corpus.pairs_file import PairsFile, read_pairs_file
from annotation.corpus.peers import PEERS
from annotation.corpus.problems import TableError
from annotation.protocols.registry import protocol
from tests.corpus.peers import samples
from tests.corpus.peers.samples import NAMES, ORIGINAL, SIMPLE, WHAT

JADES, FRJUDGE = protocol("jades", "1"), protocol("legal_meaning", "1")


def parquet(*records: object) -> bytes:
    into = io.BytesIO()
    pd.DataFrame(records).to_parquet(into)
    return into.getvalue()


FILES = {
    "label_studio": samples.LABEL_STUDIO,
    "label_studio_min": samples.LABEL_STUDIO_MIN,
    "label_studio_min csv": samples.LABEL_STUDIO_CSV,
    "prodigy": samples.PRODIGY,
    "potato": samples.POTATO,
    "potato 2": samples.POTATO_2,
    "argilla": samples.ARGILLA,
    "argilla parquet": parquet(samples.argilla_record()),
    "inception": samples.INCEPTION,
    "inception xmi": samples.INCEPTION_XMI,
    "inception zip": samples.INCEPTION_ZIP,
}


def read(content: bytes, by=JADES, **choices) -> PairsFile:
    same = [slot.name for slot in by.slots]
    judging = Judging(by, by.clean_rulings({}), same_scale=tuple(same), **choices)
    parsed = read_pairs_file(content, judging=judging)
    assert wire.loads(PairsFile, wire.dumps(parsed)) == parsed
    return parsed


def judgments(parsed: PairsFile) -> list[tuple[str, ...]]:
    assert parsed.fatal is None, parsed.fatal.message.en
    assert [problem.message.en for problem in parsed.judged.problems] == []
    rows = parsed.judged.rows
    assert {(row.original, row.simplification) for row in rows} == {(ORIGINAL, SIMPLE)}
    return sorted((row.annotator, *(row.cells[name] for name in NAMES)) for row in rows)


@pytest.mark.parametrize("name", FILES)
def test_each_export_becomes_the_same_judgments(name):
    content, peer = FILES[name], name.split()[0]
    names = {"fluency": "accept"} if peer == "prodigy" else None
    parsed = read(content, names=names)
    assert parsed.peer == peer
    assert judgments(parsed) == WHAT


def test_every_peer_is_tried():
    assert {peer.key for peer in PEERS} - {name.split()[0] for name in FILES} == {"doccano"}


def test_what_annotators_passed_over_is_counted_and_left_out():
    for content in (samples.LABEL_STUDIO, samples.PRODIGY):
        assert read_long(content).left_out == 1
    assert read_long(samples.DOCCANO).left_out == 1


def test_doccano_names_annotators_by_their_files():
    names = {"original": "original", "simplification": "text", "meaning": "label"}
    parsed = read(samples.DOCCANO, names=names)
    assert parsed.peer == "doccano"
    # doccano asks one question: the two others of JADES have no column.
    assert parsed.fatal.code == "unmapped"
    long = read_long(samples.DOCCANO).table
    rows = [dict(zip(long.columns, row.cells, strict=True)) for row in long.rows]
    assert sorted((row["annotator"], row["label"]) for row in rows) == [("deux", "3"), ("un", "4")]


def test_a_single_file_of_doccano_is_its_annotators():
    content = samples.lines(samples.doccano_example(["4"]))
    table = read_long(content, name="export/marie.jsonl").table
    assert table.rows[0].cells[table.columns.index("annotator")] == "marie"


@pytest.mark.parametrize("content", [samples.LABEL_STUDIO, samples.LABEL_STUDIO_MIN])
def test_a_task_for_each_annotator_is_one_pair(content):
    loaded = json.loads(content)
    if "annotations" in loaded[0]:
        loaded = [
            {**loaded[0], "annotations": [annotation]} for annotation in loaded[0]["annotations"]
        ]
    tasks = [{**task, "id": number} for number, task in enumerate(loaded, start=1)]
    parsed = read(json.dumps(tasks).encode())
    assert judgments(parsed) == WHAT
    assert {row.key for row in parsed.judged.rows} == {""}
    assert "id" not in parsed.mapping


def test_what_is_wrong_in_an_archive_does_not_say_whose_file_it_is():
    broken = samples.archive(marie_dot_jsonl=samples.lines(samples.doccano_example(["4"])) + b"{")
    (problem,) = read_long(broken).table.problems
    assert (problem.row, problem.field) == (2, "")


def test_a_field_called_as_a_question_is_no_answer():
    """Who did not answer has no answer, whatever the task itself says under that name."""
    task = json.loads(samples.LABEL_STUDIO)[0]
    task["data"]["meaning"] = "1"
    first = task["annotations"][0]
    first["result"] = [answer for answer in first["result"] if answer["from_name"] != "meaning"]
    record = samples.argilla_record(meaning="1")
    for name in ("meaning.responses", "meaning.responses.users", "meaning.responses.status"):
        record[name] = record[name][1:]
    for content in (json.dumps([task]).encode(), samples.lines(record)):
        problems = read(content).judged.problems
        assert [(problem.field, problem.code) for problem in problems] == [
            ("meaning", "missing_answer")
        ]


def test_a_task_that_was_refused_has_no_answers():
    refused = samples.prodigy_task("ann-4", WHAT[0][1:], answer="reject")
    content = samples.PRODIGY + samples.lines(refused)
    parsed = read(content, names={"fluency": "accept"})
    assert judgments(parsed) == WHAT
    assert parsed.judged.left_out == 2
    values = {"fluency": {"accept": "4", "reject": "1"}}
    taken = read(content, names={"fluency": "answer"}, values=values)
    assert sorted(row.cells["fluency"] for row in taken.judged.rows) == ["1", "4", "4"]


@pytest.mark.parametrize(
    ("said", "cell"),
    [({"slider": 0}, "0"), ({"slider": False}, "[]"), ({"a": 0, "b": "b"}, "b"), ({"a": ""}, "[]")],
)
def test_a_slider_of_potato_at_0_was_moved_there(said, cell):
    line = {"instance_id": "1", "user_id": "A", "labels": {"ease": said}, "spans": {}}
    table = read_long(samples.lines(line)).table
    assert table.rows[0].cells[table.columns.index("ease")] == cell


def test_bytes_and_maps_of_parquet():
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    def written(text: bytes) -> bytes:
        into = io.BytesIO()
        maps = pa.array([[("a", b"\xc3\xa9")]], pa.map_(pa.string(), pa.binary()))
        pq.write_table(pa.table({"original": pa.array([text]), "more": maps}), into)
        return into.getvalue()

    table = read_long(written("Été.".encode())).table
    assert table.rows[0].cells == ["Été.", '[["a", "é"]]']
    with pytest.raises(TableError) as refused:
        read_long(written(b"\xff\x00"))
    assert refused.value.problem.code == "not_text"


class TestSpans:
    def cell(self, content: bytes, **choices) -> list[dict[str, Any]]:
        types = FRJUDGE.field("errors").marks
        values = {"errors": {"loss": types[0].key}}
        parsed = read(content, FRJUDGE, values=values, **choices)
        assert parsed.fatal is None, parsed.fatal.message.en
        assert [problem.message.en for problem in parsed.judged.problems] == []
        (row,) = parsed.judged.rows
        return json.loads(row.cells["errors"])

    def label_studio(self, start: int, end: int, quote: str, simple: str = SIMPLE) -> bytes:
        value = {"start": start, "end": end, "text": quote, "labels": ["loss"]}
        result = [
            samples._result("simplicity", "choices", {"choices": ["3"]}),
            samples._result("characterization", "choices", {"choices": ["2"]}),
            samples._result("bracket", "choices", {"choices": ["3"]}),
            samples._result("errors", "labels", value),
        ]
        task = samples.label_studio_task(
            samples.label_studio_annotation(1, "ann-1", WHAT[0][1:]) | {"result": result}
        )
        task["data"]["simplification"] = simple
        return json.dumps([task]).encode()

    def test_a_passage_stands_where_it_is_quoted(self):
        (mark,) = self.cell(self.label_studio(0, 5, "Payez"))
        assert (mark["simplification_start"], mark["simplification_end"]) == (0, 5)
        assert "original_start" not in mark

    def test_offsets_that_a_browser_counted(self):
        simple = "😀 Payez tout."
        (mark,) = self.cell(self.label_studio(3, 8, "Payez", simple))
        place = slice(mark["simplification_start"], mark["simplification_end"])
        assert simple[place] == "Payez"

    def test_offsets_in_a_text_that_begins_with_space(self):
        (mark,) = self.cell(self.label_studio(4, 9, "Payez", "\r\n  Payez tout. "))
        assert (mark["simplification_start"], mark["simplification_end"]) == (0, 5)

    def test_offsets_that_may_be_counted_either_way(self):
        problems = read(self.label_studio(3, 8, "", "😀 Payez tout."), FRJUDGE).judged.problems
        assert ("errors", "no_answer") in [(problem.field, problem.code) for problem in problems]
        (mark,) = self.cell(self.label_studio(0, 5, "", "Payez tout. 😀"))
        assert (mark["simplification_start"], mark["simplification_end"]) == (0, 5)

    def test_what_is_quoted_otherwise_is_refused(self):
        parsed = read(self.label_studio(0, 5, "Autre"), FRJUDGE)
        assert [(problem.row, problem.field) for problem in parsed.judged.problems] == [
            (1, "errors")
        ]


class TestBadFiles:
    def test_half_a_file(self):
        with pytest.raises(TableError) as refused:
            read_long(samples.LABEL_STUDIO[: len(samples.LABEL_STUDIO) // 2])
        assert refused.value.problem.code == "not_json"

    def test_keys_of_a_list(self):
        good = '{"original": "a", "simplification": "b"}'
        bad = ['{"\\ud800": "a"}', '{"' + "k" * 201 + '": "a"}']
        table = read_long(f"[{','.join([good, *bad])}]".encode()).table
        assert [(problem.row, problem.code) for problem in table.problems] == [
            (2, "half_character"),
            (3, "key_too_long"),
        ]

    def test_a_key_of_a_list_that_stands_twice(self):
        with pytest.raises(TableError) as refused:
            read_long(b'[{"original": "a", "meta": {"x": 1, "x": 2}}]')
        assert refused.value.problem.code == "duplicate_key"

    def test_half_of_the_lines_of_another(self):
        cut = samples.PRODIGY[: samples.PRODIGY.index(b"\n") + 200]
        assert [problem.code for problem in read_long(cut).table.problems] == ["not_json"]

    def test_lines_of_two_programs(self):
        mixed = samples.PRODIGY + samples.lines(samples.doccano_example(["4"]))
        assert [(problem.row, problem.code) for problem in read_long(mixed).table.problems] == [
            (4, "other_shape")
        ]

    def test_a_damaged_archive(self):
        content = bytearray(samples.POTATO)
        content[40:80] = b"\x00" * 40
        with pytest.raises(TableError):
            read_long(bytes(content))

    def test_a_damaged_parquet(self):
        content = FILES["argilla parquet"]
        for bad in (content[:200], b"PAR1" + b"\x00" * 500, content[:-20] + b"\xff" * 16 + b"PAR1"):
            with pytest.raises(TableError) as refused:
                read_long(bad)
            assert refused.value.problem.code == "not_a_table"
