"""What holds for every reader, whatever the bytes: its own refusals and no others, limits kept,
text that can be shown.

Each target takes bytes and raises where something does not hold. ``python -m tests.fuzz`` looks for
such bytes by coverage; ``test_corpus`` tries those that were found or made before, in the ordinary
suite.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from annotation.corpus import csmd, wire
from annotation.corpus.brat import as_brat, read_brat
from annotation.corpus.document_files import read_document
from annotation.corpus.documents import DocumentError, DocumentFile
from annotation.corpus.edit_columns import as_columns, read_columns
from annotation.corpus.edit_tables import as_jsonl, read_edit_table
from annotation.corpus.edits import EditsFile
from annotation.corpus.encodings import ENCODINGS, Confidence, decode, detect
from annotation.corpus.frjudge import FrjudgeFile, read_frjudge
from annotation.corpus.funnel import funnel
from annotation.corpus.glossary import MAX_TERMS, Glossary, read_glossary, term_problems
from annotation.corpus.human_scores import HumanScores, ScoreColumns, read_human_scores
from annotation.corpus.jades import read_jades
from annotation.corpus.judging import Judging
from annotation.corpus.language import is_identical
from annotation.corpus.metric_scores import MetricScores, read_metric_scores
from annotation.corpus.pairs_file import PairsFile, read_pairs_file
from annotation.corpus.plain_pairs import PlainPairs, read_plain_pairs
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError
from annotation.corpus.question_rows import QuestionRows, as_csv, read_question_rows
from annotation.corpus.released import ReleasedFile
from annotation.corpus.replies import Replies, read_replies
from annotation.corpus.segmentation import segment
from annotation.corpus.summaries import SummariesFile, read_summaries
from annotation.corpus.tables import MAX_COLUMNS, MAX_ROWS, Layout
from annotation.corpus.texts import KEY_PATTERN, MAX_LENGTHS
from annotation.corpus.thresh import as_thresh, read_thresh
from annotation.corpus.yawat import as_yawat, read_yawat
from annotation.generation.judging import UnreadableAnswer, answers_of
from annotation.protocols.base import PairFacts
from annotation.protocols.direct_assessment.definition import PROTOCOL as DIRECT_ASSESSMENT
from annotation.protocols.edits import SIDES
from annotation.protocols.jades.definition import PROTOCOL as JADES
from annotation.protocols.kinds.field import ShapeError
from annotation.protocols.legal_meaning.rules import PROTOCOL as LEGAL_MEANING
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.questions.quotations import located
from annotation.questions.reading import ReplyError, read_answer, read_grade, read_questions
from annotation.questions.values import SUMMARY_TYPES
from tests import hostile
from tests.corpus.pdfs import pdf

KEPT = Path(__file__).parent / "corpus"
ARCHIVE = b"PK\x03\x04"
JADES_ROW: dict[str, object] = {
    "idx_scores": 0,
    "idx_sentence": 1,
    "system": "BART",
    "sentence_origin": "a b",
    "sentence_reference": "c",
    "sentence_hypothesis": "d",
    "idx_annotator_1": 0,
    **{f"score_{name}_1": 2.0 for name in JADES.dimensions},
}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


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
    parsed = read_pairs_file(content, layout, part="part")
    assert parsed.fatal is not None or parsed.brought is not None
    dumped = wire.dumps(parsed)
    dumped.encode()
    assert wire.loads(PairsFile, dumped) == parsed
    if parsed.table is not None:
        assert parsed.row_count <= MAX_ROWS
        assert len(parsed.table.columns) <= MAX_COLUMNS
        "".join(parsed.table.columns).encode()
    problems = [parsed.fatal] if parsed.fatal else []
    for part in (parsed.pairs, parsed.released, parsed.scores):
        problems += part.problems if part is not None else []
    _worded(problems)
    for row in parsed.pairs.rows if parsed.pairs else []:
        f"{row.original}{row.simplification}{row.key}{row.system}{row.source}".encode()
        assert is_identical(row.original, row.original)


def _worded(problems: Iterable[RowProblem]) -> None:
    """Refusals can be shown, and say what is wrong."""
    for problem in problems:
        (problem.field + problem.message.fr + problem.message.en + problem.remedy.fr).encode()
        assert problem.message.fr


def delimited(data: bytes) -> None:
    """CSV and TSV, in any encoding."""
    layout, content = _layout(data)
    _pairs(content, layout)


def jsonl(data: bytes) -> None:
    """Objects line by line."""
    _pairs(b"{" + data, Layout(format="jsonl"))


def judged(data: bytes) -> None:
    """Long tables and other programs' exports, by each protocol: what is taken can be stored."""
    layout, content = _layout(data)
    for protocol in (JADES, LEGAL_MEANING):
        judging = Judging(protocol, protocol.clean_rulings({}), take=True, name="x.jsonl")
        parsed = read_pairs_file(content, layout, judging=judging, take_released=False)
        dumped = wire.dumps(parsed)
        dumped.encode()
        assert wire.loads(PairsFile, dumped) == parsed
        assert parsed.fatal is not None or parsed.judged is not None
        problems = parsed.judged.problems if parsed.judged else []
        _worded([*problems, *([parsed.fatal] if parsed.fatal else [])])
        for row in parsed.judged.rows if parsed.judged else []:
            f"{row.original}{row.simplification}{row.key}{row.system}{row.annotator}".encode()
            facts = PairFacts(len(row.original), len(row.simplification))
            parts = protocol.taken(row.cells, facts, judging.rulings)
            assert all({*names} & set(parts.ratings) for names in protocol.needed)
            for side in parts.sides.values():
                assert not _UNSTORABLE.search(side)


def parquet(data: bytes) -> None:
    """Columns with types: as they are, and a file of two columns with other bytes in it."""
    _pairs(data if data.startswith(b"PAR1") else b"PAR1" + data, Layout())


def frjudge(data: bytes) -> None:
    """The released layout."""
    try:
        parsed = read_frjudge(data)
    except TableError:
        return
    assert wire.loads(FrjudgeFile, wire.dumps(parsed)) == parsed


def _scores(parsed: ReleasedFile, protocol: Protocol) -> None:
    """What a study by this protocol can store, there and back over the wire; other rows are
    refused in words, with what to do."""
    assert wire.loads(ReleasedFile, wire.dumps(parsed)) == parsed
    assert parsed.protocol == protocol.key
    assert parsed.pairs or parsed.problems
    # The last row may have several, and what stands for the others is one.
    assert len(parsed.problems) <= MAX_PROBLEMS + 100
    _worded(parsed.problems)
    assert all(problem.row and problem.remedy.fr for problem in parsed.problems)
    for pair in parsed.pairs:
        assert re.match(KEY_PATTERN, pair.key)
        for text in (pair.original, pair.simplification):
            assert text.strip()
            assert len(text) <= MAX_LENGTHS["original"]
        assert len(pair.system) <= MAX_LENGTHS["system"]
        assert not _UNSTORABLE.search(f"{pair.original}{pair.simplification}{pair.system}")
        for given in pair.scores.values():
            for scale in protocol.scales:
                assert scale.name not in given or scale.lowest <= given[scale.name] <= scale.highest


def jades(data: bytes) -> None:
    """The scores of JADES as they are, and rows with some values of other kinds."""
    content = data if data.startswith(b"[") else _jades_rows(data)
    try:
        parsed = read_jades(content)
    except TableError as error:
        _worded([error.problem])
        return
    _scores(parsed, JADES)


def _jades_rows(data: bytes) -> bytes:
    """Rows with a line of ``data`` in the place of each value; an empty line leaves what was
    there."""
    lines = data.split(b"\n")
    rows = []
    for start in range(0, len(lines), len(JADES_ROW)):
        given = lines[start : start + len(JADES_ROW)]
        values = [
            line or json.dumps(value).encode()
            for line, value in zip(
                given + [b""] * (len(JADES_ROW) - len(given)), JADES_ROW.values(), strict=True
            )
        ]
        members = zip(JADES_ROW, values, strict=True)
        rows.append(b"{" + b",".join(b'"%s":%s' % (name.encode(), v) for name, v in members) + b"}")
    return b"[" + b",".join(rows) + b"]"


def csmd_file(data: bytes) -> None:
    """The files of CSMD as they are, and rows of one that opens. What is taken goes out and comes
    in again as it is."""
    header = "\t".join(csmd.COLUMNS).encode()
    content = data if data.startswith(header) else header + b"\n" + data
    part = csmd.part_of(data[-60:].decode("utf-8", "replace"))
    try:
        parsed = csmd.read_csmd(content, part)
    except TableError as error:
        _worded([error.problem])
        return
    _scores(parsed, DIRECT_ASSESSMENT)
    if parsed.pairs:
        rows = [(pair.original, pair.simplification, pair.comment) for pair in parsed.pairs]
        out = "".join(csmd.format_row(*row) for row in (csmd.COLUMNS, *rows))
        again = csmd.read_csmd(out.encode(), part)
        assert not again.problems
        assert [(pair.original, pair.simplification, pair.comment) for pair in again.pairs] == rows


def plain_pairs(data: bytes) -> None:
    """Pairs to score: texts that can be stored, or what is wrong."""
    parsed = read_plain_pairs(data, "a.jsonl" if data.lstrip().startswith(b"{") else "a.csv")
    assert wire.loads(PlainPairs, wire.dumps(parsed)) == parsed
    assert not (parsed.rows and parsed.problem)
    parsed.problem.encode()
    for original, simplification in parsed.rows:
        assert not _UNSTORABLE.search(original + simplification)


def metric_scores(data: bytes) -> None:
    """Scores from elsewhere: numbers, under names that can be stored, or rows named in words."""
    parsed = read_metric_scores(data)
    assert wire.loads(MetricScores, wire.dumps(parsed)) == parsed
    _worded([*parsed.problems, *([parsed.fatal] if parsed.fatal else [])])
    for row in parsed.rows:
        assert math.isfinite(row.score)
        assert not _UNSTORABLE.search(row.metric)


def human_scores(data: bytes) -> None:
    """Human scores: numbers that are some, texts that are no empty ones, or rows named in words;
    whichever of the first columns are asked for."""
    header = data.partition(b"\n")[0].decode("utf-8", "replace").strip("\ufeff\r").split(",")
    columns = [name for name in header if name.strip()] or ["human"]
    score_columns = ScoreColumns(
        human=(columns[-1],),
        references=tuple(columns[2:3]),
        scores=tuple(columns[3:4]),
        lowest=0.0 if len(data) % 2 else None,
        highest=100.0 if len(data) % 2 else None,
    )
    parsed = read_human_scores(data, score_columns)
    assert wire.loads(HumanScores, wire.dumps(parsed)) == parsed
    _worded([*parsed.problems, *([parsed.fatal] if parsed.fatal else [])])
    for row in parsed.rows if not parsed.problems else ():
        assert row.original
        assert row.simplification
        assert any(value is not None for value in row.human)
        assert all(value is None or math.isfinite(value) for value in row.human + row.scores)


def _edits(parsed: EditsFile) -> None:
    """There and back over the wire; rows are named in words; every edit marks tokens of its
    texts, and what holds no problem goes out and comes in again as it is."""
    assert wire.loads(EditsFile, wire.dumps(parsed)) == parsed
    _worded([*parsed.problems, *([parsed.fatal] if parsed.fatal else [])])
    for pair in parsed.pairs:
        assert not _UNSTORABLE.search(f"{pair.pair}{pair.annotator}{pair.original}")
        for edit in pair.edits:
            assert any(pair.touched(edit, side) for side in SIDES)
            for side in SIDES:
                assert all(0 <= a < b <= len(pair.text(side)) for a, b in edit.spans(side))
    if parsed.pairs and not parsed.problems:
        assert read_edit_table(as_jsonl(parsed.pairs).encode(), "x").pairs == parsed.pairs


def edits(data: bytes) -> None:
    """Tables of edits, of any kind."""
    _edits(read_edit_table(data, "who"))


def yawat(data: bytes) -> None:
    """Alignments before an empty line, and their texts behind it."""
    marks, _gap, texts = data.partition(b"\n\n")
    parsed = read_yawat(marks + texts, [len(marks), len(texts)], "who")
    _edits(parsed)
    if parsed.pairs and not parsed.problems:
        out = [part.encode() for part in as_yawat(parsed.pairs)]
        assert read_yawat(b"".join(out), [*map(len, out)], "who").pairs == parsed.pairs


def edit_columns(data: bytes) -> None:
    """Columns, a token a line; what is taken goes out and comes in again as it is."""
    parsed = read_columns(data, "who")
    _edits(parsed)
    if parsed.pairs and not parsed.problems:
        assert read_columns(as_columns(parsed.pairs).encode(), "x").pairs == parsed.pairs


def thresh(data: bytes) -> None:
    """Lists of entries, and edits of one that opens."""
    if not data.lstrip().startswith(b"["):
        data = b'[{"source": "a \xf0\x9f\x98\x80 c", "target": "b", "edits": [' + data + b"]}]"
    parsed = read_thresh(data, "who")
    _edits(parsed)
    if parsed.pairs and not parsed.problems:
        with suppress(TableError):
            assert read_thresh(as_thresh(parsed.pairs).encode(), "x").pairs == parsed.pairs


def brat(data: bytes) -> None:
    """The annotations of both sides, an empty line between, on two texts; or texts of their own
    behind them, an empty line before each."""
    parts = data.split(b"\n\n")
    texts = ["L'e\u0301te\u0301 vient".encode(), b"a b"]
    parsed = read_brat(
        {
            "1.original.ann": parts[0],
            "1.simplification.ann": b"".join(parts[1:2]),
            "1.original.txt": b"".join(parts[2:3]) or texts[0],
            "1.simplification.txt": b"".join(parts[3:4]) or texts[1],
        },
        "who",
    )
    _edits(parsed)
    if parsed.pairs and not parsed.problems:
        out = {name: text.encode() for name, text in as_brat(parsed.pairs).items()}
        assert read_brat(out, "x").pairs == parsed.pairs


def xlsx(data: bytes) -> None:
    """Workbooks as they are, and rows of a workbook that opens."""
    if data.startswith(ARCHIVE):
        _pairs(data, Layout())
    else:
        _pairs(hostile.sheet(data.decode("utf-8", "replace")), Layout())


def _document(content: bytes, encoding: str = "") -> None:
    try:
        parsed = DocumentFile(document=read_document(content, "x", encoding))
    except DocumentError as error:
        parsed = DocumentFile(refusal=error.refusal)
    assert wire.loads(DocumentFile, wire.dumps(parsed)) == parsed
    if parsed.document is not None:
        _blocks(parsed.document.text, parsed.document.hints)


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
    detected, confidence = detect(data)
    assert isinstance(decode(data, detected, damaged=confidence is Confidence.DAMAGED), str)
    name = random.Random(data).choice(ENCODINGS)
    with suppress(TableError):
        decode(data, name).encode()


def replies(data: bytes) -> None:
    """Answers of a provider's batch: lines of the one form that a worker takes."""
    parsed = read_replies(data)
    assert wire.loads(Replies, wire.dumps(parsed)) == parsed
    for line in parsed.lines:
        answer = json.loads(line)
        response = answer.get("response") or {}
        assert response.get("status_code") is None or 100 <= response["status_code"] < 600
        for choice in (response.get("body") or {}).get("choices", ()):
            assert not isinstance(choice.get("message", {}).get("content"), dict)


def summaries(data: bytes) -> None:
    """References with systems' summaries: what is taken can be stored as pairs."""
    parsed = read_summaries(data)
    assert wire.loads(SummariesFile, wire.dumps(parsed)) == parsed
    _worded([*parsed.problems, *([parsed.fatal] if parsed.fatal else [])])
    for row in parsed.rows:
        assert re.match(KEY_PATTERN, row.id)
        assert row.reference.strip()
        assert row.text.strip()
        assert len(row.system) <= MAX_LENGTHS["system"]
        joined = f"{row.reference}{row.text}{row.system}{''.join(row.structure)}"
        assert not _UNSTORABLE.search(joined)


def question_rows(data: bytes) -> None:
    """Long tables of questions, answers and grades: what is taken is written and read again."""
    parsed = read_question_rows(data)
    assert wire.loads(QuestionRows, wire.dumps(parsed)) == parsed
    _worded([*parsed.problems, *([parsed.fatal] if parsed.fatal else [])])
    for row in parsed.rows:
        assert row.grade is None or 0 <= row.grade <= 10
    if parsed.rows and not parsed.problems:
        again = read_question_rows(as_csv(parsed.rows).encode())
        assert [row.key for row in again.rows] == [row.key for row in parsed.rows]


def glossary(data: bytes) -> None:
    """Tables of terms, of any kind: each entry is one that can be stored, and stands once."""
    try:
        parsed = read_glossary(data)
    except TableError as error:
        _worded([error.problem])
        return
    assert wire.loads(Glossary, wire.dumps(parsed)) == parsed
    _worded(parsed.problems)
    assert len(parsed.terms) <= MAX_TERMS
    assert len({term.key for term in parsed.terms}) == len(parsed.terms)
    for term in parsed.terms:
        assert not term_problems(term)
        assert not _UNSTORABLE.search(f"{term.term}{term.definition}{term.source}")


def machine_answers(data: bytes) -> None:
    """What a model that judges says, after a zero byte the two texts that it is about: answers of
    the protocol that can be stored, or refused in words; nothing is stored that points outside."""
    reply, _zero, texts = data.decode(errors="replace").partition("\0")
    original, _zero, simplification = texts.partition("\0")
    for protocol in PROTOCOLS.values():
        try:
            answers = answers_of(reply, protocol, original=original, simplification=simplification)
        except (UnreadableAnswer, ShapeError) as error:
            json.dumps([str(argument) for argument in error.args], ensure_ascii=False).encode()
            continue
        json.dumps(answers, ensure_ascii=False).encode()
        facts = PairFacts(len(original), len(simplification))
        json.dumps(protocol.clean(answers))
        for problem in protocol.problems(answers, facts, protocol.clean_rulings({})):
            assert problem.message.fr


def qa_replies(data: bytes) -> None:
    """A model's reply, after a zero byte the text that it is about: taken, or refused in words."""
    reply, _zero, text = data.decode(errors="replace").partition("\0")
    with suppress(ReplyError):
        for question in read_questions(
            reply, text, types=SUMMARY_TYPES, least=1, most=9, language="fr"
        ):
            assert located(text, question.quotation)
            (question.text + question.expected).encode()
    with suppress(ReplyError):
        answer = read_answer(reply, text, question=1, language="fr")
        assert answer.beyond_text or not answer.is_in_text or located(text, answer.quotation)
        answer.text.encode()
    with suppress(ReplyError):
        assert 0 <= read_grade(reply, question=1).score <= 10


TARGETS: dict[str, Callable[[bytes], None]] = {
    "delimited": delimited,
    "jsonl": jsonl,
    "judged": judged,
    "parquet": parquet,
    "frjudge": frjudge,
    "xlsx": xlsx,
    "text": text,
    "docx": docx,
    "pdf": pdf_file,
    "encodings": encodings,
    "replies": replies,
    "jades": jades,
    "csmd": csmd_file,
    "plain_pairs": plain_pairs,
    "metric_scores": metric_scores,
    "human_scores": human_scores,
    "summaries": summaries,
    "question_rows": question_rows,
    "qa_replies": qa_replies,
    "glossary": glossary,
    "machine_answers": machine_answers,
    "edits": edits,
    "edit_columns": edit_columns,
    "thresh": thresh,
    "brat": brat,
    "yawat": yawat,
}
READ_BY: dict[str, tuple[str, ...]] = {
    "pairs": ("delimited", "jsonl", "xlsx", "judged", "parquet"),
    "frjudge": ("frjudge",),
    "jades": ("jades",),
    "csmd": ("csmd",),
    "document": ("text", "docx", "pdf"),
    "blocks": ("text", "docx", "pdf"),
    "plain_pairs": ("plain_pairs",),
    "metric_scores": ("metric_scores",),
    "human_scores": ("human_scores",),
    "summaries": ("summaries",),
    "question_rows": ("question_rows",),
    "glossary": ("glossary",),
    "edits": ("edits",),
    "edit_columns": ("edit_columns",),
    "thresh": ("thresh",),
    "brat": ("brat",),
    "yawat": ("yawat",),
    "replies": ("replies",),
}
"""Which targets try what each name in ``annotation.corpus.reader.READERS`` reads."""
