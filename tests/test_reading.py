"""Files read in a process of their own: what comes back, what its limits stop, whose turn it is."""

from __future__ import annotations

import fcntl
import io
import json
import os
import subprocess
import sys
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from annotation import reading
from annotation.corpus import documents, pairs_file, reader, wire
from annotation.corpus.brat import as_brat, read_brat
from annotation.corpus.document_files import read_document
from annotation.corpus.documents import DocumentError
from annotation.corpus.edit_columns import as_columns
from annotation.corpus.edit_tables import read_edit_table
from annotation.corpus.edits import EditsFile
from annotation.corpus.frjudge import read_frjudge
from annotation.corpus.funnel import Criteria, ScoredBlocks
from annotation.corpus.glossary import Glossary
from annotation.corpus.human_scores import HumanScores, ScoreColumns, read_human_scores
from annotation.corpus.judging import judging_options
from annotation.corpus.metric_scores import MetricScores
from annotation.corpus.pairs_file import PairsFile, read_pairs_file
from annotation.corpus.plain_pairs import PlainPairs
from annotation.corpus.problems import TableError
from annotation.corpus.question_rows import QuestionRows
from annotation.corpus.replies import Replies, read_replies
from annotation.corpus.summaries import SummariesFile
from annotation.corpus.tables import Layout
from annotation.corpus.thresh import as_thresh
from annotation.corpus.yawat import read_yawat
from annotation.protocols.registry import PROTOCOLS
from annotation.reading import (
    Pace,
    ReadingBusy,
    brat_read,
    document_file_read,
    edit_file_read,
    frjudge_file_read,
    human_scores_read,
    pairs_file_read,
    replies_read,
    yawat_read,
)
from tests import hostile
from tests.corpus.pdfs import pdf
from tests.processes import until

CSV = b"original;simplification\nLe preneur paie la prime.;Vous payez.\n;vide\n"
RELEASED = json.dumps(
    {"original": "a", "simplification": "b", "simplicity": "Plus simple", "qualification": "1", "legal_meaning": "9",  # noqa: E501
     "justifications": ""}
).encode()  # fmt: skip


@pytest.fixture
def limits(settings):
    """Sets limits of reading by name."""

    def change(**limits: int) -> None:
        settings.READING_LIMITS = replace(settings.READING_LIMITS, **limits)

    return change


@pytest.fixture
def instead(monkeypatch, started_anew):
    """Another program in the reader's place."""
    real = subprocess.Popen

    def run(script: str) -> None:
        monkeypatch.setattr(
            subprocess,
            "Popen",
            lambda _command, **options: real([sys.executable, "-c", script], **options),
        )

    return run


def parquet() -> bytes:
    import pandas as pd

    into = io.BytesIO()
    pd.DataFrame({"original": ["a"], "simplification": ["b"]}).to_parquet(into)
    return into.getvalue()


SCORES = asdict(ScoreColumns(human=("z",)))
EDIT = b'{"pair": 1, "type": "x", "original_tokens": [0], "original": "a", "simplification": "b"}'
WORKBOOK = hostile.sheet(hostile.HEADER + hostile.cells(2, "a", "b"))
BY_READER: dict[str, list[tuple[type, bytes, dict[str, Any]]]] = {
    "pairs": [
        (PairsFile, content, {"layout": asdict(Layout()), **more})
        for content in (CSV, "é;è\nà;ù\n".encode("cp1252"), WORKBOOK, parquet())
        for more in ({}, {"judging": judging_options(PROTOCOLS["jades", "1"], {})})
    ],
    "frjudge": [(PairsFile, RELEASED, {})],
    "jades": [(PairsFile, b"{}", {})],
    "csmd": [(PairsFile, b"a,b\n", {"part": "x"})],
    "document": [
        (documents.DocumentFile, content, {"name": "x", "encoding": ""})
        for content in (
            b"Titre\n\nLe preneur paie.",
            pdf(["Le preneur paie."], []),
            hostile.word(hostile.paragraph("Le preneur paie.")),
        )
    ],
    "blocks": [
        (ScoredBlocks, b"Le preneur paie la prime.", {"hints": {}, "criteria": asdict(Criteria())})
    ],
    "plain_pairs": [(PlainPairs, CSV, {"name": "x.csv"})],
    "metric_scores": [(MetricScores, b"id,m\n1,2\n", {})],
    "human_scores": [(HumanScores, b"original,simple,z\nO.,S.,1\n", SCORES)],
    "summaries": [(SummariesFile, CSV, {})],
    "question_rows": [(QuestionRows, CSV, {})],
    "glossary": [(Glossary, b"terme;definition\nprime;prix\n", {})],
    "edits": [(EditsFile, EDIT, {"annotator": "ann"})],
    "edit_columns": [(EditsFile, b"a\tb\n", {"annotator": "ann"})],
    "thresh": [(EditsFile, b"[]", {"annotator": "ann"})],
    "brat": [(EditsFile, b"a", {"lengths": {"1.txt": 1}, "annotator": "ann"})],
    "yawat": [(EditsFile, b"7 0::x\n7\na\nb\n", {"lengths": [7, 6], "annotator": "ann"})],
    "replies": [(Replies, b'{"custom_id": "a"}\nx\n', {})],
}


def test_every_reader_is_started_as_in_use():
    assert BY_READER.keys() == reader.READERS.keys()


@pytest.mark.usefixtures("started_anew")
@pytest.mark.parametrize("what", BY_READER)
def test_a_reader_that_starts_finds_what_it_finds_here(what):
    """Other tests have readers forked off a process that has imported what they need."""
    for kind, content, arguments in BY_READER[what]:
        here = reader.READERS[what](content, deepcopy(arguments))
        assert reading._read(kind, what, content, None, Pace.FULL, **arguments) == here


class TestWhatComesBack:
    @pytest.mark.parametrize(
        "content",
        [CSV, b"%PDF-1.7", b"", RELEASED, b'{"a": 1}\n', "é;è\nà;ù\n".encode("cp1252"), b"x" * 100],
    )
    def test_pairs_are_those_that_the_reader_finds(self, content):
        assert pairs_file_read(content, person=1) == read_pairs_file(content)

    def test_choices_are_passed_on(self):
        file = pairs_file_read(CSV, Layout(header=False), person=1, mapping={"original": 1})
        assert [row.original for row in file.pairs.rows] == [
            "simplification",
            "Vous payez.",
            "vide",
        ]
        named = pairs_file_read(CSV, person=1, names={"original": "simplification"})
        assert named.mapping == {"original": 1}
        assert (
            pairs_file_read(CSV, person=1, names={"original": "?"}).fatal.code == "no_such_column"
        )

    def test_a_workbook_comes_whole(self):
        content = hostile.sheet(hostile.HEADER + hostile.cells(2, "a\u2028b", "\U0001f600"))
        assert pairs_file_read(content, person=1) == read_pairs_file(content)

    @pytest.mark.parametrize("content", [b"Titre\n\nLe preneur paie.", pdf(["Le preneur paie."], []), hostile.word(  # noqa: E501
        hostile.paragraph("Le preneur paie."))])  # fmt: skip
    def test_a_document_too(self, content):
        assert document_file_read(content, "x", "", person=1) == read_document(content, "x")

    def test_a_refusal_keeps_its_words(self):
        with pytest.raises(DocumentError) as expected:
            read_document(b"\x89PNG", "police.pdf")
        with pytest.raises(DocumentError) as caught:
            document_file_read(b"\x89PNG", "police.pdf", "", person=1)
        assert (caught.value.code, caught.value.message, caught.value.remedy) == (
            expected.value.code, expected.value.message, expected.value.remedy,
        )  # fmt: skip

    @pytest.mark.usefixtures("started_anew")
    def test_nothing_of_the_parents_surroundings_reaches_the_reader(self, monkeypatch):
        monkeypatch.setenv("BAREME_SECRET_KEY", "planted")
        seen: dict[str, object] = {}
        real = subprocess.Popen

        def start(*command: object, **options: object) -> object:
            seen.update(options)
            return real(*command, **options)  # type: ignore[call-overload]

        monkeypatch.setattr(subprocess, "Popen", start)
        pairs_file_read(CSV, person=1)
        assert "PATH" in str(seen["env"])
        assert "planted" not in str(seen["env"])


class TestLimits:
    @pytest.mark.parametrize(
        ("limit", "work", "said"),
        [
            ({"cpu_seconds": 1}, "exec('while True: pass')", "time"),
            ({"wall_seconds": 1}, "time.sleep(600)", "time"),
            ({}, "bytearray(10**10)", "memory"),
            ({}, "os.kill(os.getpid(), signal.SIGKILL)", "memory"),
            ({"output_bytes": 1000}, "['x' * 2000]", "room"),
        ],
    )
    def test_what_asks_for_more_is_stopped_and_explained(self, limits, limit, work, said, instead):
        limits(**limit)
        instead(
            "import os, signal, time\nfrom annotation.corpus import reader\n"
            f"reader.READERS['pairs'] = lambda content, asked: {work}\nreader.main()"
        )
        fatal = pairs_file_read(CSV, person=1).fatal
        assert fatal.code == "asks_for_too_much"
        assert f"more {said}" in fatal.message.en
        assert fatal.message.fr
        assert fatal.remedy.fr

    def test_a_document_that_asks_for_more(self, limits):
        limits(wall_seconds=0)
        with pytest.raises(DocumentError) as caught:
            document_file_read(b"Le preneur paie.", "police.txt", "", person=1)
        assert caught.value.code == "asks_for_too_much"
        assert "police.txt" in caught.value.message.fr

    @pytest.mark.parametrize(
        "end", ["raise SystemExit(1)", "os.abort()", "os.kill(os.getpid(), 11)"]
    )
    def test_a_reader_that_fails_makes_a_refusal(self, end, instead):
        instead(f"import os; {end}")
        assert pairs_file_read(CSV, person=1).fatal.code == "unreadable"

    @pytest.mark.parametrize(
        "answer", ["''", "'[]'", "'{\"table\": 3}'", "'{\"no\": 1}'", "'[' * 100_000"]
    )
    def test_what_is_no_answer_makes_one_too(self, answer, instead):
        instead(f"print({answer})")
        assert pairs_file_read(CSV, person=1).fatal.code == "unreadable"

    @pytest.mark.skipif(sys.platform != "linux", reason="elsewhere its own clock ends it")
    def test_a_reader_ends_with_whoever_asked(self, settings, tmp_path):
        """The one that asks is killed while its reader works: nobody is left who would stop
        that."""
        order = reader.order("pairs", settings.READING_LIMITS, layout={})
        (tmp_path / "order").write_bytes(order.replace(str(os.getpid()).encode(), b"%PARENT%"))
        asks = (
            "import os, subprocess, sys, time\n"
            f"order = open({str(tmp_path / 'order')!r}, 'rb').read().replace(b'%PARENT%', "
            "str(os.getpid()).encode())\n"
            "child = subprocess.Popen([sys.executable, '-m', 'annotation.corpus.reader'], "
            "stdin=subprocess.PIPE)\n"
            "child.stdin.write(order); child.stdin.flush(); print(child.pid, flush=True)\n"
            # The reader waits for the rest of its file.
            "time.sleep(600)\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", asks], stdout=subprocess.PIPE, cwd=settings.BASE_DIR
        ) as parent:
            child = int(parent.stdout.readline())
            parent.kill()
        assert until(lambda: not _runs(child))


def _runs(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


class TestOfATerminalOrAProvider:
    def test_released_ratings(self):
        assert frjudge_file_read(RELEASED) == read_frjudge(RELEASED)

    def test_a_file_of_another_kind_keeps_its_refusal(self):
        with pytest.raises(TableError) as expected:
            read_frjudge(b'[{"original": 1}]')
        with pytest.raises(TableError) as caught:
            frjudge_file_read(b'[{"original": 1}]')
        assert caught.value.problem == expected.value.problem

    def test_ratings_that_ask_for_too_much(self, limits):
        limits(wall_seconds=0)
        with pytest.raises(TableError) as caught:
            frjudge_file_read(RELEASED)
        assert caught.value.problem.code == "asks_for_too_much"

    def test_human_scores(self, limits):
        content, columns = b"original,simple,z\nO.,S.,1\n", ScoreColumns(human=("z",))
        assert human_scores_read(content, columns) == read_human_scores(content, columns)
        assert human_scores_read(content, columns).rows
        limits(wall_seconds=0)
        assert human_scores_read(content, columns).fatal.code == "asks_for_too_much"

    def test_edits(self, limits):
        table = b'{"pair": 1, "type": "x", "original_tokens": [0], "original": "a", '
        table += b'"simplification": "b"}'
        assert edit_file_read(table, "ann") == read_edit_table(table, "ann")
        assert edit_file_read(table, "ann").pairs
        files = [b"7 0::x\n", b"7\na\nb\n"]
        assert yawat_read(files, "ann") == read_yawat(b"".join(files), [7, 6], "ann")
        assert yawat_read(files, "ann").pairs
        pairs = list(yawat_read(files, "ann").pairs)
        for what, content in (("edit_columns", as_columns(pairs)), ("thresh", as_thresh(pairs))):
            assert edit_file_read(content.encode(), "x", what).pairs == tuple(pairs)
        folder = {name: content.encode() for name, content in as_brat(pairs).items()}
        assert brat_read(folder, "x") == read_brat(folder, "x")
        assert brat_read(folder, "x").pairs == tuple(pairs)
        limits(wall_seconds=0)
        assert edit_file_read(table, "ann").fatal.code == "asks_for_too_much"
        assert yawat_read(files, "ann").fatal.code == "asks_for_too_much"
        assert brat_read(folder, "ann").fatal.code == "asks_for_too_much"

    def test_answers_of_a_batch(self):
        content = b'{"custom_id": "a"}\nx\n{"custom_id": "b"}\n'
        assert replies_read(content) == read_replies(content)
        assert replies_read(b"\n") == Replies([])

    def test_a_file_of_answers_is_read_piece_by_piece(self, monkeypatch):
        lines = [json.dumps({"custom_id": f"{n}"}).encode() for n in range(5)]
        monkeypatch.setattr(reading, "_PIECE_BYTES", 45)
        assert replies_read(b"\n".join(lines)) == read_replies(b"\n".join(lines))
        assert replies_read(b"x" * 50) == Replies([], unreadable=1)

    def test_a_line_that_asks_for_too_much_costs_itself_alone(self, instead):
        instead(
            "import os\nfrom annotation.corpus import reader\n"
            "real = reader.READERS['replies']\n"
            "reader.READERS['replies'] = lambda content, asked: os.abort() if b'bad' in content "
            "else "
            "real(content, asked)\nreader.main()"
        )
        replies = replies_read(b'{"custom_id": "a"}\n{"custom_id": "bad"}\n{"custom_id": "b"}\n')
        assert [json.loads(line)["custom_id"] for line in replies.lines] == ["a", "b"]
        assert replies.unreadable == 1


class TestTurns:
    @pytest.fixture
    def taken(self, settings):
        """Takes a lock as another process would."""
        folder = settings.DATA_DIR / "reading"
        folder.mkdir()
        files = []

        def take(name: str) -> None:
            files.append((folder / name).open("a+b"))
            fcntl.flock(files[-1], fcntl.LOCK_EX)

        yield take
        for file in files:
            file.close()

    def test_one_file_of_a_person_at_a_time(self, taken):
        taken("person-1")
        with pytest.raises(ReadingBusy) as caught:
            pairs_file_read(CSV, person=1)
        assert [problem.code for problem in caught.value.problems] == ["one_at_a_time"]
        assert pairs_file_read(CSV, person=2).row_count == 2
        assert pairs_file_read(CSV, person=None).row_count == 2

    def test_a_few_on_a_machine(self, taken, settings):
        settings.READING_AT_ONCE, settings.READING_WAIT_SECONDS = 2, 0
        taken("place-0")
        assert pairs_file_read(CSV, person=1).row_count == 2
        taken("place-1")
        with pytest.raises(ReadingBusy) as caught:
            pairs_file_read(CSV, person=1)
        assert [problem.code for problem in caught.value.problems] == ["many_at_once"]

    def test_one_thread_of_a_process_reads_and_the_others_answer(self, settings):
        settings.READING_WAIT_SECONDS = 0
        with reading._OF_THIS_PROCESS:
            with pytest.raises(ReadingBusy) as caught:
                pairs_file_read(CSV, person=1)
            assert pairs_file_read(CSV, person=None).row_count == 2
        assert [problem.code for problem in caught.value.problems] == ["many_at_once"]
        assert pairs_file_read(CSV, person=1).row_count == 2

    def test_a_turn_ends_with_its_reading(self, limits):
        limits(wall_seconds=0)
        assert pairs_file_read(CSV, person=1).fatal.code == "asks_for_too_much"
        limits(wall_seconds=60)
        assert pairs_file_read(CSV, person=1).row_count == 2


class TestWire:
    def test_only_what_is_expected_is_sent(self):
        with pytest.raises(TypeError):
            wire.dumps({1, 2})

    def test_what_is_sent_comes_back(self):
        file = read_pairs_file(CSV)
        assert wire.loads(PairsFile, wire.dumps(file)) == file
        document = documents.DocumentFile(read_document(pdf(["a"], ["b"]), "x"))
        assert wire.loads(documents.DocumentFile, wire.dumps(document)) == document
        assert pairs_file.PairsFile() == wire.loads(PairsFile, "{}")

    def test_the_module_names_its_refusals(self):
        assert reading.refused_file(None).problem.code == "unreadable"
