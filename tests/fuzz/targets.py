"""What holds for every reader, whatever the bytes: its own refusals and no others, limits kept,
text that can be shown.

Each target takes bytes and raises where something does not hold. ``python -m tests.fuzz`` looks for
such bytes by coverage; ``test_corpus`` tries those that were found or made before, in the ordinary
suite.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from annotation.corpus import wire
from annotation.corpus.document_files import read_document
from annotation.corpus.documents import DocumentError, DocumentFile
from annotation.corpus.encodings import ENCODINGS, Confidence, decode, detect
from annotation.corpus.frjudge import FrjudgeFile, read_frjudge
from annotation.corpus.funnel import funnel
from annotation.corpus.language import is_identical
from annotation.corpus.pairs_file import PairsFile, read_pairs_file
from annotation.corpus.problems import TableError
from annotation.corpus.replies import Replies, read_replies
from annotation.corpus.segmentation import segment
from annotation.corpus.tables import MAX_COLUMNS, MAX_ROWS, Layout
from tests import hostile
from tests.corpus.pdfs import pdf

KEPT = Path(__file__).parent / "corpus"
ARCHIVE = b"PK\x03\x04"


def _layout(data: bytes) -> tuple[Layout, bytes]:
    """Choices that a lead may make, by the last byte; mostly none."""
    chosen = data[-1] if data else 0
    if chosen < 200:
        return Layout(), data
    switch = (None, True, False)
    return Layout(
        encoding=("", *ENCODINGS)[chosen % (len(ENCODINGS) + 1)],
        quoted=switch[chosen % 3],
        header=switch[chosen // 3 % 3],
    ), data[:-1]


def _pairs(content: bytes, layout: Layout) -> None:
    """A file of pairs to what the page shows, there and back over the wire."""
    found = read_pairs_file(content, layout)
    assert found.fatal is not None or found.pairs is not None or found.released is not None
    sent = wire.dumps(found)
    sent.encode()
    assert wire.loads(PairsFile, sent) == found
    if found.table is not None:
        assert found.row_count <= MAX_ROWS
        assert len(found.table.columns) <= MAX_COLUMNS
        "".join(found.table.columns).encode()
    problems = [found.fatal] if found.fatal else []
    for part in (found.pairs, found.released):
        problems += part.problems if part is not None else []
    for problem in problems:
        (problem.field + problem.message.fr + problem.message.en + problem.remedy.fr).encode()
        assert problem.message.fr
    for row in found.pairs.rows if found.pairs else []:
        f"{row.original}{row.simplification}{row.key}{row.system}{row.source}".encode()
        assert is_identical(row.original, row.original)


def delimited(data: bytes) -> None:
    """CSV and TSV, in any encoding."""
    layout, content = _layout(data)
    _pairs(content, layout)


def jsonl(data: bytes) -> None:
    """Objects line by line."""
    _pairs(b"{" + data, Layout(format="jsonl"))


def frjudge(data: bytes) -> None:
    """The released layout."""
    try:
        found = read_frjudge(data)
    except TableError:
        return
    assert wire.loads(FrjudgeFile, wire.dumps(found)) == found


def xlsx(data: bytes) -> None:
    """Workbooks as they are, and rows of a workbook that opens."""
    if data.startswith(ARCHIVE):
        _pairs(data, Layout())
    else:
        _pairs(hostile.sheet(data.decode("utf-8", "replace")), Layout())


def _document(content: bytes, encoding: str = "") -> None:
    try:
        found = DocumentFile(document=read_document(content, "x", encoding))
    except DocumentError as error:
        found = DocumentFile(refusal=error.refusal)
    assert wire.loads(DocumentFile, wire.dumps(found)) == found
    if found.document is not None:
        _blocks(found.document.text, found.document.hints)


def _blocks(text: str, hints: dict[int, object]) -> None:
    """Blocks stand in order, do not overlap, and hold what is text."""
    blocks = segment(text, hints)
    place = 0
    for block in blocks:
        assert place <= block.start <= block.end <= len(text)
        place = block.end
        assert all(block.start <= start <= end <= block.end for start, end in block.pieces)
    assert len(funnel(blocks).verdicts) == len(blocks)
    assert len(funnel(blocks).histogram()) < 100


def text(data: bytes) -> None:
    """A .txt, in an encoding found out or chosen."""
    chosen = data[-1] if data else 0
    _document(data, ENCODINGS[chosen % len(ENCODINGS)] if chosen > 220 else "")


def docx(data: bytes) -> None:
    """Word documents as they are, and bodies of one that opens."""
    _document(data if data.startswith(ARCHIVE) else hostile.word(data.decode("utf-8", "replace")))


def pdf_file(data: bytes) -> None:
    """PDF files as they are, and lines of one that opens."""
    if data.startswith(b"%PDF"):
        _document(data)
        return
    lines = data.decode("cp1252", "replace").replace("\ufffd", "?").split("\n")
    _document(pdf(lines[: len(lines) // 2], lines[len(lines) // 2 :]))


def encodings(data: bytes) -> None:
    """What is found can be decoded; what is chosen decodes or is refused in words."""
    found, confidence = detect(data)
    assert isinstance(decode(data, found, damaged=confidence is Confidence.DAMAGED), str)
    name = random.Random(data).choice(ENCODINGS)
    with suppress(TableError):
        decode(data, name).encode()


def replies(data: bytes) -> None:
    """Answers of a provider's batch: lines of the one form that a worker takes."""
    found = read_replies(data)
    assert wire.loads(Replies, wire.dumps(found)) == found
    for line in found.lines:
        answer = json.loads(line)
        response = answer.get("response") or {}
        assert response.get("status_code") is None or 100 <= response["status_code"] < 600
        for choice in (response.get("body") or {}).get("choices", ()):
            assert not isinstance(choice.get("message", {}).get("content"), dict)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "delimited": delimited,
    "jsonl": jsonl,
    "frjudge": frjudge,
    "xlsx": xlsx,
    "text": text,
    "docx": docx,
    "pdf": pdf_file,
    "encodings": encodings,
    "replies": replies,
}
