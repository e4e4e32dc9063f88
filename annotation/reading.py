"""Files that strangers made, read by a process of their own: see ``annotation.corpus.reader`` for
its limits.

Whatever a file makes of its reader, the process that asked only waits for an answer, in one of its
threads. A page or the API waits ``at_once``: for a small file, and not for long; the rest is a
worker's (``services.intake.readings``). One file of a person is read at a time, and a few on a
machine: locks on files, which the system gives back when whoever held them dies.
"""

from __future__ import annotations

import fcntl
import io
import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, astuple
from enum import Enum
from pathlib import Path
from typing import IO, Any, TypeVar

from django.conf import settings

from annotation.corpus import reader, wire
from annotation.corpus.documents import Document, DocumentError, DocumentFile
from annotation.corpus.edits import EditsFile
from annotation.corpus.frjudge import FrjudgeFile
from annotation.corpus.funnel import Criteria, ScoredBlocks
from annotation.corpus.glossary import Glossary
from annotation.corpus.human_scores import HumanScores, ScoreColumns
from annotation.corpus.judging import judging_handed_on
from annotation.corpus.metric_scores import MetricScores
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.plain_pairs import PlainPairs
from annotation.corpus.problems import RowProblem, TableError, refusal
from annotation.corpus.question_rows import QuestionRows
from annotation.corpus.released import ReleasedFile
from annotation.corpus.replies import Replies
from annotation.corpus.summaries import SummariesFile
from annotation.corpus.tables import Layout
from annotation.errors import RuleError
from annotation.protocols.base import Problem, Wording

T = TypeVar("T")
_TOLD_BYTES = 4000
_WAIT_STEP_SECONDS = 0.05
_PIECE_BYTES = 16 * 1024 * 1024
# Reading a file needs no key, no database and no address.
_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "LD_LIBRARY_PATH",
)

_OF_THIS_PROCESS = threading.BoundedSemaphore(1)

log = logging.getLogger(__name__)


class Pace(Enum):
    """How long whoever asks for a file may wait, for it and for its turn."""

    AT_ONCE = "at once"
    """A page or a program: small files only, a few seconds."""
    FULL = "full"
    """A terminal: as long as the limits say."""
    PATIENT = "patient"
    """A worker: for its turn as well."""


# By the first bytes. What is under it takes less than a second of a processor: see
# docs/operations.md.
_AT_ONCE = ((b"%PDF-", 200_000), (b"PK\x03\x04", 150_000), (b"", 2_000_000))


class ReadingBusy(RuleError):
    """A file cannot be read now; trying again helps."""


class ReadLater(Exception):
    """This file may take longer than a page is waited for: a worker reads it."""


class _Unread(Exception):
    """Reading was given up; ``problem`` says why."""

    def __init__(self, problem: RowProblem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def pairs_file_read(
    content: bytes,
    layout: Layout | None = None,
    *,
    person: int | None,
    pace: Pace = Pace.FULL,
    **options: Any,
) -> PairsFile:
    """A file of pairs. ``person`` is whose it is; None where nobody else waits (a terminal).
    ``options``: what ``read_pairs_file`` may be told beside the layout; ``judging`` as plain values
    (``corpus.judging.judging_options``).

    What cannot be read, or asks for too much, is its ``fatal`` problem. Raises ``ReadingBusy``, and
    ``ReadLater`` where it was to be read at once.
    """
    options["layout"] = asdict(layout or Layout())
    options["judging"] = judging_handed_on(options.get("judging"))
    try:
        return _read(PairsFile, "pairs", content, person, pace, **options)
    except _Unread as error:
        return PairsFile(fatal=error.problem)


def frjudge_file_read(content: bytes) -> FrjudgeFile:
    """The released ratings in a file, for a terminal. Raises ``TableError``, also for what asks for
    too much."""
    try:
        file = _read(PairsFile, "frjudge", content, None, Pace.FULL)
    except _Unread as error:
        raise refused_file(error.problem) from error
    if file.released is None:
        raise refused_file(file.fatal)
    return file.released


def released_file_read(content: bytes, what: str, **options: Any) -> ReleasedFile:
    """The released scores in a file, for a terminal. ``what``: as which file (a name of
    ``corpus.reader.READERS``), with what that asks for. Raises ``TableError``, also for what asks
    for too much."""
    try:
        file = _read(PairsFile, what, content, None, Pace.FULL, **options)
    except _Unread as error:
        raise refused_file(error.problem) from error
    if file.scores is None:
        raise refused_file(file.fatal)
    return file.scores


def replies_read(content: bytes) -> Replies:
    """The answers that a provider gives back for a batch. A piece of them that asks for too much is
    halved, down to the line that does: the others are paid for."""
    if not content.strip():
        return Replies([])
    if len(content) <= _PIECE_BYTES:
        try:
            return _read(Replies, "replies", content, None, Pace.FULL)
        except _Unread:
            if b"\n" not in content.strip():
                return Replies([], unreadable=1)
    content = content.strip()
    middle = content.find(b"\n", len(content) // 2)
    middle = middle if middle >= 0 else content.rfind(b"\n")
    if middle < 0:
        return Replies([], unreadable=1)
    first, second = replies_read(content[:middle]), replies_read(content[middle:])
    return Replies(first.lines + second.lines, first.unreadable + second.unreadable)


def document_file_read(
    content: bytes, name: str, encoding: str, *, person: int | None, pace: Pace = Pace.FULL
) -> Document:
    """The text of a .txt, .docx or .pdf. Raises ``DocumentError``, also for what asks for too much;
    ``ReadingBusy``, and ``ReadLater`` where it was to be read at once."""
    try:
        file = _read(DocumentFile, "document", content, person, pace, name=name, encoding=encoding)
    except _Unread as error:
        raise DocumentError(
            error.problem.code, name, error.problem.message, error.problem.remedy
        ) from error
    if file.refusal is not None:
        raise DocumentError(file.refusal.code, "", file.refusal.message, file.refusal.remedy)
    if file.document is None:
        raise DocumentError(_BROKEN.code, name, _BROKEN.message, _BROKEN.remedy)
    return file.document


def blocks_read(
    text: str, hints: Mapping[int, str], criteria: Criteria, *, person: int | None
) -> ScoredBlocks:
    """The blocks of a text that was read before, scored: of a long one that takes as long as
    reading it. For a worker or a terminal; what asks for too much is its ``fatal`` problem. Raises
    ``ReadingBusy``."""
    options = {"hints": dict(hints), "criteria": asdict(criteria)}
    try:
        return _read(ScoredBlocks, "blocks", text.encode(), person, Pace.PATIENT, **options)
    except _Unread as error:
        return ScoredBlocks(fatal=error.problem)


def plain_pairs_read(
    content: bytes, name: str, *, person: int | None, pace: Pace = Pace.FULL
) -> PlainPairs:
    """Pairs to score. What cannot be read, or asks for too much, is their ``problem``. Raises
    ``ReadingBusy``, and ``ReadLater`` where it was to be read at once."""
    try:
        return _read(PlainPairs, "plain_pairs", content, person, pace, name=name)
    except _Unread as error:
        return PlainPairs(problem=error.problem.message.fr)


def metric_scores_read(content: bytes, *, person: int | None) -> MetricScores:
    """Scores of metrics from elsewhere, read at once: a larger file is refused. What cannot be
    read, or asks for too much, is its ``fatal`` problem. Raises ``ReadingBusy``."""
    try:
        return _read(MetricScores, "metric_scores", content, person, Pace.AT_ONCE)
    except _Unread as error:
        return MetricScores(fatal=error.problem)
    except ReadLater:
        return MetricScores(fatal=_TOO_LARGE_AT_ONCE)


def glossary_read(content: bytes, *, person: int | None) -> Glossary:
    """A table of terms, read at once: a larger file is refused. What cannot be read, or asks for
    too much, is its ``fatal`` problem. Raises ``ReadingBusy``."""
    try:
        return _read(Glossary, "glossary", content, person, Pace.AT_ONCE)
    except _Unread as error:
        return Glossary(fatal=error.problem)
    except ReadLater:
        return Glossary(fatal=_GLOSSARY_TOO_LARGE)


def human_scores_read(
    content: bytes, columns: ScoreColumns, *, person: int | None = None, pace: Pace = Pace.FULL
) -> HumanScores:
    """A table of human scores. ``person`` is whose it is; None for a terminal. What cannot be read,
    or asks for too much, is its ``fatal`` problem. Raises ``ReadingBusy``, and ``ReadLater`` where
    it was to be read at once."""
    try:
        return _read(HumanScores, "human_scores", content, person, pace, **asdict(columns))
    except _Unread as error:
        return HumanScores(fatal=error.problem)


def summaries_read(content: bytes, *, person: int | None, pace: Pace = Pace.FULL) -> SummariesFile:
    """A table of reference summaries and systems' summaries. ``person`` is whose it is; None for a
    terminal. What cannot be read, or asks for too much, is its ``fatal`` problem. Raises
    ``ReadingBusy``, and ``ReadLater`` where it was to be read at once."""
    try:
        return _read(SummariesFile, "summaries", content, person, pace)
    except _Unread as error:
        return SummariesFile(fatal=error.problem)


def question_rows_read(content: bytes) -> QuestionRows:
    """A long table of questions, answers and grades, for a terminal. What cannot be read, or asks
    for too much, is its ``fatal`` problem."""
    try:
        return _read(QuestionRows, "question_rows", content, None, Pace.FULL)
    except _Unread as error:
        return QuestionRows(fatal=error.problem)


def edit_file_read(content: bytes, annotator: str, what: str = "edits") -> EditsFile:
    """A file of edits, for a terminal. ``what``: as which (a name of ``corpus.reader.READERS``).
    What cannot be read, or asks for too much, is its ``fatal`` problem."""
    try:
        return _read(EditsFile, what, content, None, Pace.FULL, annotator=annotator)
    except _Unread as error:
        return EditsFile(fatal=error.problem)


def brat_read(files: Mapping[str, bytes], annotator: str) -> EditsFile:
    """A folder of brat's, its files by their names in it, for a terminal, as
    ``corpus.brat.read_brat`` takes them."""
    options = {
        "lengths": {name: len(content) for name, content in files.items()},
        "annotator": annotator,
    }
    try:
        return _read(EditsFile, "brat", b"".join(files.values()), None, Pace.FULL, **options)
    except _Unread as error:
        return EditsFile(fatal=error.problem)


def yawat_read(files: Sequence[bytes], annotator: str) -> EditsFile:
    """YAWAT's alignments and the texts that belong to them, for a terminal, as
    ``corpus.yawat.read_yawat`` takes them. What cannot be read, or asks for too much, is their
    ``fatal`` problem."""
    options = {"lengths": [len(content) for content in files], "annotator": annotator}
    try:
        return _read(EditsFile, "yawat", b"".join(files), None, Pace.FULL, **options)
    except _Unread as error:
        return EditsFile(fatal=error.problem)


def refused_file(problem: RowProblem | None) -> TableError:
    """The refusal that a file's ``fatal`` problem is."""
    return refusal(problem or _BROKEN)


def may_take_long(content: bytes) -> bool:
    """Whether reading a file may take more than a second, by its kind and size: nothing of it is
    read."""
    return len(content) > next((most for start, most in _AT_ONCE if content.startswith(start)), 0)


def _read(
    kind: type[T], what: str, content: bytes, person: int | None, pace: Pace, **options: Any
) -> T:
    """What the reader found. Raises ``_Unread``, ``ReadingBusy`` and ``ReadLater``."""
    if pace is not Pace.AT_ONCE:
        return _read_within(settings.READING_LIMITS, kind, what, content, person, pace, **options)
    if may_take_long(content):
        raise ReadLater
    try:
        return _read_within(
            _short(settings.READING_LIMITS), kind, what, content, person, pace, **options
        )
    except _Unread as error:
        if error.problem.code != _TIME.code:
            raise
        # Small, and yet it asks for more than a page may wait for. Or the machine has much to do.
        raise ReadLater from error


def _short(limits: reader.Limits) -> reader.Limits:
    """What a page lets a reader take."""
    short: reader.Limits = settings.READING_LIMITS_AT_ONCE
    return reader.Limits(*(min(pair) for pair in zip(astuple(limits), astuple(short), strict=True)))


def _read_within(
    limits: reader.Limits,
    kind: type[T],
    what: str,
    content: bytes,
    person: int | None,
    pace: Pace,
    **options: Any,
) -> T:
    with ExitStack() as held:
        if person is not None:
            held.enter_context(_turn(person, pace))
        # Unnamed files in place of pipes: nobody has to feed them, and the system counts what is
        # written.
        request, answer = (held.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        request.write(reader.order(what, limits, **options))
        request.write(content)
        request.seek(0)
        _run(request, answer, limits)
        answer.seek(0)
        try:
            return wire.loads(kind, answer.read())
        except ValueError as error:
            log.warning(
                "a reader's answer cannot be taken",
                extra={"what": what, "problem": str(error)[:200]},
            )
            raise _Unread(_BROKEN) from error


def _run(request: IO[bytes], answer: IO[bytes], limits: reader.Limits) -> None:
    """Let a reader work until it ends or is ended. Raises ``_Unread`` unless it ended well."""
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "annotation.corpus.reader"],
        stdin=request,
        stdout=answer,
        stderr=subprocess.PIPE,
        cwd=settings.BASE_DIR,
        env=kept,
        start_new_session=True,
    )
    with process:
        try:
            in_time, stderr = _until_closed(process, time.monotonic() + limits.wall_seconds)
        finally:
            process.kill()  # nothing where it has ended
    status = process.returncode if in_time else -signal.SIGXCPU
    if status == 0:
        return
    log.warning(
        "a file was not read",
        extra={"status": status, "told": stderr.decode(errors="replace")[-1000:]},
    )
    raise _Unread(_ENDED.get(status, _BROKEN))


def _until_closed(process: subprocess.Popen[bytes], until: float) -> tuple[bool, bytes]:
    """Wait for the reader to end, which closes its standard error: whether it did in time, and what
    it said last."""
    stderr = b""
    assert process.stderr is not None  # noqa: S101 (a pipe was asked for)
    while (left := until - time.monotonic()) > 0:
        if select.select([process.stderr], [], [], left)[0]:
            piece = os.read(process.stderr.fileno(), _TOLD_BYTES)
            if not piece:
                process.wait()
                return True, stderr
            stderr = (stderr + piece)[-_TOLD_BYTES:]
    return False, stderr


@contextmanager
def _turn(person: int, pace: Pace) -> Iterator[None]:
    """This person's turn, and one of the machine's. Raises ``ReadingBusy`` where either is
    taken."""
    folder: Path = settings.DATA_DIR / "reading"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    waits = (
        settings.READING_LIMITS.wall_seconds
        if pace is Pace.PATIENT
        else settings.READING_WAIT_SECONDS
    )
    until = time.monotonic() + waits
    with ExitStack() as held:
        # In a page nobody waits for what they have begun themselves.
        if not _locked_by(
            held, [folder / f"person-{person}"], until if pace is Pace.PATIENT else 0
        ):
            raise one_at_a_time()
        # The other threads of this process answer pages meanwhile.
        if not _OF_THIS_PROCESS.acquire(timeout=waits):
            raise ReadingBusy([_MANY_AT_ONCE])
        held.callback(_OF_THIS_PROCESS.release)
        if not _locked_by(
            held, [folder / f"place-{number}" for number in range(settings.READING_AT_ONCE)], until
        ):
            raise ReadingBusy([_MANY_AT_ONCE])
        yield


def one_at_a_time() -> ReadingBusy:
    """The refusal of a file while another one of the same person's is read, or waits to be."""
    return ReadingBusy([_ONE_AT_A_TIME])


def _locked_by(held: ExitStack, places: list[Path], until: float) -> bool:
    """Whether one of these locks is ours now, or became so in time."""
    while not any(_locked(held, place) for place in places):
        if time.monotonic() > until:
            return False
        time.sleep(_WAIT_STEP_SECONDS)
    return True


def _locked(held: ExitStack, path: Path) -> bool:
    """Whether the lock is ours now, until ``held`` is left."""
    file: io.BufferedRandom = path.open("a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    held.enter_context(file)
    return True


def _asks_for_too_much(fr: str, en: str) -> RowProblem:
    return RowProblem(
        "file",
        "asks_for_too_much",
        Wording((
            f"Ce fichier demande plus de {fr} qu'un fichier n'en reçoit ici : sa lecture a été "
            "arrêtée."
            ),
                f"This file asks for more {en} than a file gets here: reading it was stopped."),
        remedy=Wording((
            "Gardez-en ce qu'il faut, divisez-le, ou enregistrez-le de nouveau en .csv ou en "
            ".txt."
            ),
                       "Keep what is needed of it, divide it, or save it again as .csv or .txt."),
    )  # fmt: skip


_BROKEN = RowProblem(
    "file",
    "unreadable",
    Wording("Ce fichier ne peut pas être lu.", "This file cannot be read."),
    remedy=Wording(
        "Ouvrez-le dans son logiciel et enregistrez-le de nouveau.",
        "Open it in its program and save it again.",
    ),
)
_TOO_LARGE_AT_ONCE = RowProblem(
    "file",
    "too_large",
    Wording("Ce fichier est trop gros.", "This file is too large."),
    remedy=Wording("Envoyez une mesure à la fois.", "Send one metric at a time."),
)
_GLOSSARY_TOO_LARGE = RowProblem(
    "file",
    "too_large",
    Wording(
        "Ce fichier est trop gros, ou demande trop de temps ou de mémoire.",
        "This file is too large, or asks for too much time or memory.",
    ),
    remedy=Wording(
        "Enregistrez les termes en .csv, ou divisez le fichier.",
        "Save the terms as .csv, or divide the file.",
    ),
)
_TIME = _asks_for_too_much("temps", "time")
_MEMORY = _asks_for_too_much("mémoire", "memory")
_ENDED = {
    -signal.SIGXCPU: _TIME,
    -signal.SIGALRM: _TIME,
    -signal.SIGKILL: _MEMORY,
    reader.OUT_OF_MEMORY: _MEMORY,
    -signal.SIGXFSZ: _asks_for_too_much("place", "room"),
    reader.OUT_OF_ROOM: _asks_for_too_much("place", "room"),
}
_ONE_AT_A_TIME = Problem(
    "file",
    "one_at_a_time",
    Wording(
        (
            "Un autre de vos fichiers est en train d'être lu : attendez qu'il le soit, puis "
            "recommencez."
        ),
        "Another file of yours is being read: wait until it is, then try again.",
    ),
)
_MANY_AT_ONCE = Problem(
    "file",
    "many_at_once",
    Wording(
        "Plusieurs fichiers sont en train d'être lus : recommencez dans une minute.",
        "Several files are being read: try again in a minute.",
    ),
)
