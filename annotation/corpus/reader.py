"""``python -m annotation.corpus.reader``: one stranger's file, read in a process of its own under
hard limits.

Standard input is a line of JSON (what to do, and the limits) and then the file; standard output is
what was found, as JSON. Limits are set before a byte of the file is looked at. The process ends
with one of the statuses below, or is ended by the system at a limit; what it found counts only if
it ended with 0.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

OUT_OF_MEMORY, OUT_OF_ROOM = 77, 78
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_FIRST_TO_GO = "1000"


@dataclass(frozen=True)
class Limits:
    """What reading one file may take."""

    cpu_seconds: int
    wall_seconds: int
    memory_bytes: int
    output_bytes: int


def confine(limits: Limits, parent: int) -> None:
    """Set the limits of this process; it ends when its parent does.

    Memory is what can be written to, which Linux alone counts so; elsewhere it is all addresses,
    and macOS heeds neither: there, time is what holds.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    if os.getppid() != parent:
        os._exit(1)
    # Once the parent is gone nobody else would end a process that waits.
    signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds + 1)
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    for kind, most in (
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (memory, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.output_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _soft, hard = resource.getrlimit(kind)
        ceiling = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # A second later than the signal that says why, for whatever does not heed it.
        beyond = hard if hard != resource.RLIM_INFINITY and hard <= ceiling else ceiling + 1
        resource.setrlimit(kind, (ceiling, beyond if kind == resource.RLIMIT_CPU else ceiling))


def _pairs(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.judging import judging_of
    from annotation.corpus.pairs_file import read_pairs_file
    from annotation.corpus.tables import Layout

    layout, judging = Layout(**options.pop("layout")), judging_of(options.pop("judging", None))
    return read_pairs_file(content, layout, judging=judging, **options)


def _frjudge(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.frjudge import read_frjudge
    from annotation.corpus.pairs_file import PairsFile
    from annotation.corpus.problems import TableError

    try:
        return PairsFile(released=read_frjudge(content))
    except TableError as error:
        return PairsFile(fatal=error.problem)


def _jades(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.jades import read_jades
    from annotation.corpus.pairs_file import PairsFile
    from annotation.corpus.problems import TableError

    try:
        return PairsFile(scores=read_jades(content))
    except TableError as error:
        return PairsFile(fatal=error.problem)


def _csmd(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.csmd import read_csmd
    from annotation.corpus.pairs_file import PairsFile
    from annotation.corpus.problems import TableError

    try:
        return PairsFile(scores=read_csmd(content, options["part"]))
    except TableError as error:
        return PairsFile(fatal=error.problem)


def _replies(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.replies import read_replies

    return read_replies(content)


def _document(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.document_files import read_document
    from annotation.corpus.documents import DocumentError, DocumentFile

    try:
        return DocumentFile(document=read_document(content, options["name"], options["encoding"]))
    except DocumentError as error:
        return DocumentFile(refusal=error.refusal)


def _blocks(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.funnel import Criteria, ScoredBlocks, scored
    from annotation.corpus.lines import Hint
    from annotation.corpus.readability import Syllables
    from annotation.corpus.segmentation import segment

    criteria = Criteria(
        **options["criteria"] | {"syllables": Syllables(options["criteria"]["syllables"])}
    )
    hints = {int(number): Hint(hint) for number, hint in options["hints"].items()}
    blocks = segment(
        content.decode(),
        hints,
        most_sentences=criteria.most_sentences,
        as_form=criteria.as_form,
    )
    return ScoredBlocks(scored(blocks, criteria))


def _plain_pairs(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.plain_pairs import read_plain_pairs

    return read_plain_pairs(content, options["name"])


def _metric_scores(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.metric_scores import read_metric_scores

    return read_metric_scores(content)


def _human_scores(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.human_scores import ScoreColumns, read_human_scores

    lists = ("human", "references", "scores", "counts", "lower")
    options |= {name: tuple(options[name]) for name in lists}
    return read_human_scores(content, ScoreColumns(**options))


def _summaries(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.summaries import read_summaries

    return read_summaries(content)


def _question_rows(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.question_rows import read_question_rows

    return read_question_rows(content)


def _glossary(content: bytes, options: dict[str, Any]) -> object:
    from dataclasses import replace

    from annotation.corpus.glossary import Glossary, read_glossary
    from annotation.corpus.problems import TableError
    from annotation.protocols.base import NO_WORDING

    try:
        return read_glossary(content)
    except TableError as error:
        # What a table of pairs is told to do about it is no remedy here.
        return Glossary(fatal=replace(error.problem, remedy=NO_WORDING))


def _edits(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.edit_tables import read_edit_table

    return read_edit_table(content, options["annotator"])


def _edit_columns(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.edit_columns import read_columns

    return read_columns(content, options["annotator"])


def _thresh(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.thresh import read_thresh

    return read_thresh(content, options["annotator"])


def _brat(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.brat import read_brat

    files, start = {}, 0
    for name, length in options["lengths"].items():
        files[name] = content[start : start + length]
        start += length
    return read_brat(files, options["annotator"])


def _yawat(content: bytes, options: dict[str, Any]) -> object:
    from annotation.corpus.yawat import read_yawat

    return read_yawat(content, options["lengths"], options["annotator"])


READERS: dict[str, Callable[[bytes, dict[str, Any]], object]] = {
    "pairs": _pairs,
    "frjudge": _frjudge,
    "jades": _jades,
    "csmd": _csmd,
    "document": _document,
    "blocks": _blocks,
    "plain_pairs": _plain_pairs,
    "metric_scores": _metric_scores,
    "human_scores": _human_scores,
    "summaries": _summaries,
    "question_rows": _question_rows,
    "glossary": _glossary,
    "edits": _edits,
    "edit_columns": _edit_columns,
    "thresh": _thresh,
    "brat": _brat,
    "yawat": _yawat,
    "replies": _replies,
}


def order(what: str, limits: Limits, **options: Any) -> bytes:
    """The first line of standard input: which reader, with what."""
    line = {"what": what, "limits": asdict(limits), "parent": os.getpid(), "asked": options}
    return json.dumps(line).encode() + b"\n"


def main() -> None:
    from annotation.corpus import wire

    line = json.loads(sys.stdin.buffer.readline())
    try:
        confine(Limits(**line["limits"]), line["parent"])
        answer = READERS[line["what"]](sys.stdin.buffer.read(), line["asked"])
        sys.stdout.write(wire.dumps(answer))
        sys.stdout.flush()
        # Nothing is left to do. The threads of native readers are not waited for: Arrow's were met
        # as they began when the process ended, which aborted it and made its answer worth nothing.
        os._exit(0)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        os._exit(OUT_OF_ROOM)


if __name__ == "__main__":
    main()
