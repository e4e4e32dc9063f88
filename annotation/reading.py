"""Files that strangers made, read by a process of their own: see ``annotation.corpus.reader`` for its limits.

Whatever a file makes of its reader, the process that asked only waits for an answer, in one of its threads, and not
for long. One file of a person is read at a time, and a few on a machine: locks on files, which the system gives back
when whoever held them dies.
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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, TypeVar

from django.conf import settings

from annotation.corpus import reader, wire
from annotation.corpus.documents import Document, DocumentError, DocumentFile
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.tables import Layout
from annotation.errors import RuleError
from annotation.protocols.base import Problem, Wording

T = TypeVar("T")
_TOLD_BYTES = 4000
_WAIT_STEP_SECONDS = 0.05
# Reading a file needs no key, no database and no address.
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "LD_LIBRARY_PATH")

_OF_THIS_PROCESS = threading.BoundedSemaphore(1)

log = logging.getLogger(__name__)


class ReadingBusy(RuleError):
    """A file cannot be read now; trying again helps."""


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
    mapping: dict[str, int] | None = None,
    names: dict[str, str] | None = None,
    take_released: bool = True,
) -> PairsFile:
    """A file of pairs. ``person`` is whose it is; None where nobody else waits (a terminal).

    What cannot be read, or asks for too much, is its ``fatal`` problem. Raises ``ReadingBusy``.
    """
    asked = {"layout": asdict(layout or Layout()), "mapping": mapping, "names": names, "take_released": take_released}
    try:
        return _read(PairsFile, "pairs", content, person, **asked)
    except _Unread as error:
        return PairsFile(fatal=error.problem)


def document_file_read(content: bytes, name: str, encoding: str, *, person: int | None) -> Document:
    """The text of a .txt, .docx or .pdf. Raises ``DocumentError``, also for what asks for too much; ``ReadingBusy``."""
    try:
        found = _read(DocumentFile, "document", content, person, name=name, encoding=encoding)
    except _Unread as error:
        raise DocumentError(error.problem.code, name, error.problem.message, error.problem.remedy) from error
    if found.refusal is not None:
        raise DocumentError(found.refusal.code, "", found.refusal.message, found.refusal.remedy)
    if found.document is None:
        raise DocumentError(_BROKEN.code, name, _BROKEN.message, _BROKEN.remedy)
    return found.document


def refused_file(problem: RowProblem | None) -> TableError:
    """The refusal that a file's ``fatal`` problem is."""
    problem = problem or _BROKEN
    return TableError(problem.code, problem.message, problem.remedy, row=problem.row, field=problem.field)


def _read(kind: type[T], what: str, content: bytes, person: int | None, **asked: Any) -> T:
    """What the reader found. Raises ``_Unread`` and ``ReadingBusy``."""
    limits: reader.Limits = settings.READING_LIMITS
    with ExitStack() as held:
        if person is not None:
            held.enter_context(_turn(person))
        # Unnamed files in place of pipes: nobody has to feed them, and the system counts what is written.
        request, answer = (held.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        request.write(reader.order(what, limits, **asked))
        request.write(content)
        request.seek(0)
        _run(request, answer, limits)
        answer.seek(0)
        try:
            return wire.loads(kind, answer.read())
        except ValueError as error:
            log.warning("a reader's answer cannot be taken", extra={"what": what, "problem": str(error)[:200]})
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
            in_time, told = _until_closed(process, time.monotonic() + limits.wall_seconds)
        finally:
            process.kill()  # nothing where it has ended
    status = process.returncode if in_time else -signal.SIGXCPU
    if status == 0:
        return
    log.warning("a file was not read", extra={"status": status, "told": told.decode(errors="replace")[-1000:]})
    raise _Unread(_ENDED.get(status, _BROKEN))


def _until_closed(process: subprocess.Popen[bytes], until: float) -> tuple[bool, bytes]:
    """Wait for the reader to end, which closes its standard error: whether it did in time, and what it said last."""
    told = b""
    assert process.stderr is not None  # noqa: S101 (a pipe was asked for)
    while (left := until - time.monotonic()) > 0:
        if select.select([process.stderr], [], [], left)[0]:
            piece = os.read(process.stderr.fileno(), _TOLD_BYTES)
            if not piece:
                process.wait()
                return True, told
            told = (told + piece)[-_TOLD_BYTES:]
    return False, told


@contextmanager
def _turn(person: int) -> Iterator[None]:
    """This person's turn, and one of the machine's. Raises ``ReadingBusy`` where either is taken."""
    folder: Path = settings.DATA_DIR / "reading"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as held:
        if not _locked(held, folder / f"person-{person}"):
            raise ReadingBusy([_ONE_AT_A_TIME])
        until = time.monotonic() + settings.READING_WAIT_SECONDS
        # The other threads of this process answer pages meanwhile.
        if not _OF_THIS_PROCESS.acquire(timeout=settings.READING_WAIT_SECONDS):
            raise ReadingBusy([_MANY_AT_ONCE])
        held.callback(_OF_THIS_PROCESS.release)
        places = [folder / f"place-{number}" for number in range(settings.READING_AT_ONCE)]
        while not any(_locked(held, place) for place in places):
            if time.monotonic() > until:
                raise ReadingBusy([_MANY_AT_ONCE])
            time.sleep(_WAIT_STEP_SECONDS)
        yield


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
        Wording(f"Ce fichier demande plus de {fr} qu'un fichier n'en reçoit ici : sa lecture a été arrêtée.",
                f"This file asks for more {en} than a file gets here: reading it was stopped."),
        remedy=Wording("Gardez-en ce qu'il faut, divisez-le, ou enregistrez-le de nouveau en .csv ou en .txt.",
                       "Keep what is needed of it, divide it, or save it again as .csv or .txt."),
    )  # fmt: skip


_BROKEN = RowProblem(
    "file",
    "unreadable",
    Wording("Ce fichier ne peut pas être lu.", "This file cannot be read."),
    remedy=Wording(
        "Ouvrez-le dans son logiciel et enregistrez-le de nouveau.", "Open it in its program and save it again."
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
        "Un autre de vos fichiers est en train d'être lu : attendez qu'il le soit, puis recommencez.",
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
