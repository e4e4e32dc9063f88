"""Files of edits on a terminal: read by their layout, written in one, refused row by row."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from annotation.agreement.marks.confused import COLUMNS as CONFUSED_COLUMNS
from annotation.agreement.marks.confused import confusion_rows
from annotation.agreement.marks.consensus import (
    COLUMNS,
    TokenConsensus,
    consensus_cells,
    consensus_rows,
)
from annotation.agreement.marks.report import EditsReport
from annotation.cells import as_sheet
from annotation.corpus.brat import as_brat
from annotation.corpus.edit_columns import as_columns
from annotation.corpus.edit_tables import as_jsonl, as_tsv
from annotation.corpus.edits import EditsFile
from annotation.corpus.problems import TableError
from annotation.corpus.thresh import as_thresh
from annotation.corpus.yawat import as_yawat
from annotation.management.files import read_file, row_line
from annotation.protocols.edits import MarkedPair
from annotation.reading import brat_read, edit_file_read, yawat_read

READ_AS: Mapping[str, str] = {"table": "edits", "columns": "edit_columns", "thresh": "thresh"}
"""Layouts of one file, by the name of their reader; folders are brat's, YAWAT's have an option."""
BY_ENDING: Mapping[str, str] = {
    ".jsonl": "jsonl",
    ".tsv": "tsv",
    ".aln": "aln",
    ".conll": "columns",
    ".json": "thresh",
    "": "brat",
}
WRITTEN_AS = tuple(BY_ENDING.values())
_OF_BRAT = (".txt", ".ann", ".json")
_MOST_FILES = 100_000
_MOST_LINES = 20


def read_edits(
    names: Sequence[str], layout: str, yawat: Sequence[Sequence[str]]
) -> list[MarkedPair]:
    """All pairs, of the files in their order. A name that stands over several files gets its pairs
    called by their file. ``layout``: one of ``READ_AS``, "" as each file's ending says."""
    if not names and not yawat:
        raise CommandError("Name a table of edits, or a file of YAWAT's with --yawat.")
    if wrong := next(
        (" ".join(arguments) for arguments in yawat if len(arguments) not in (3, 4)), None
    ):
        raise CommandError(
            f"--yawat {wrong}: write NAME ALN CRP, or NAME ALN ORIGINALS SIMPLIFICATIONS."
        )
    read = [(name, _read(Path(name), layout)) for name in names]
    read += [
        (arguments[1], yawat_read([*map(read_file, arguments[1:])], arguments[0]))
        for arguments in yawat
    ]
    for name, edits_file in read:
        _refuse_bad(name, edits_file)
    times = Counter(
        name
        for _file, edits_file in read
        for name in {marked.annotator for marked in edits_file.pairs}
    )
    return [
        replace(marked, pair=f"{Path(name).stem}/{marked.pair}")
        if times[marked.annotator] > 1
        else marked
        for name, edits_file in read
        for marked in edits_file.pairs
    ]


def _read(path: Path, layout: str) -> EditsFile:
    if path.is_dir():
        return brat_read(_folder(path), path.name)
    by_ending = BY_ENDING.get(path.suffix.lower(), "")
    file_layout = layout or (by_ending if by_ending in READ_AS else "table")
    return edit_file_read(read_file(str(path)), path.stem, READ_AS[file_layout])


def _folder(path: Path) -> dict[str, bytes]:
    """brat's files by their names in a folder, and in the folders in it."""
    files: dict[str, bytes] = {}
    size = 0
    for file in sorted([*path.glob("*"), *path.glob("*/*")]):
        if file.suffix not in _OF_BRAT or not file.is_file():
            continue
        files[file.relative_to(path).as_posix()] = content = read_file(str(file))
        size += len(content)
        if size > settings.UPLOAD_LIMIT_BYTES or len(files) > _MOST_FILES:
            raise CommandError(
                f"{path} has more than {_MOST_FILES:,} files or {settings.UPLOAD_LIMIT_BYTES:,} "
                "bytes. Divide it, or set BAREME_UPLOAD_LIMIT_BYTES."
            )
    return files


def _refuse_bad(name: str, edits_file: EditsFile) -> None:
    problems = (edits_file.fatal,) if edits_file.fatal else edits_file.problems
    if not problems:
        return
    lines = [f"{name}: {row_line(problem)}" for problem in problems[:_MOST_LINES]]
    raise CommandError("\n".join([*lines, f"{len(problems)} problem(s); nothing was counted."]))


def layout_of(path: Path, layout: str) -> str:
    """As what a file is written: ``layout``, or what its ending says. Raises ``CommandError``."""
    file_layout = layout or BY_ENDING.get(path.suffix.lower(), "")
    if not file_layout:
        endings = ", ".join(ending for ending in BY_ENDING if ending)
        raise CommandError(
            f"--write {path}: the name ends in {endings}, or has no ending for a folder of brat's; "
            "or say --as."
        )
    return file_layout


def write_edits(path: Path, layout: str, pairs: Sequence[MarkedPair]) -> None:
    """Write the pairs in a layout of ``WRITTEN_AS``; what that cannot hold is refused."""
    names = sorted({pair.annotator for pair in pairs})
    if layout == "aln" and len(names) > 1:
        raise CommandError(
            f"--write {path}: an .aln holds one annotator's edits, these are of "
            f"{', '.join(names)}. Write .jsonl or .tsv, or read one of them."
        )
    try:
        files = _files(path, layout, pairs)
    except TableError as error:
        raise CommandError(f"--write {path}: {row_line(error.problem)}") from error
    for name, text in files.items():
        if layout == "brat":
            _make_folder(name.parent)
        save(name, text)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{path} cannot be made: {error.strerror}.") from error


def _files(path: Path, layout: str, pairs: Sequence[MarkedPair]) -> dict[Path, str]:
    if layout == "brat":
        return {path / name: text for name, text in as_brat(pairs).items()}
    if layout == "aln":
        edits, texts = as_yawat(pairs)
        return {path: edits, path.with_suffix(".crp"): texts}
    if layout == "thresh":
        return {path: as_thresh(pairs)}
    if layout == "columns":
        return {path: as_columns(pairs)}
    return {path: as_jsonl(pairs) if layout == "jsonl" else as_tsv(pairs)}


def write_consensus(path: Path, consensus: Iterable[TokenConsensus]) -> None:
    """Write a row for each token, as .jsonl or .tsv."""
    rows = consensus_rows(consensus)
    if path.suffix.lower() == ".jsonl":
        save(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    elif path.suffix.lower() == ".tsv":
        save(path, as_sheet([COLUMNS, *consensus_cells(rows)]))
    else:
        raise CommandError(f"--write-consensus {path}: the name ends in .jsonl or .tsv.")


def write_confusions(path: Path, report: EditsReport) -> None:
    """Write a row for each cell of each couple's matrix, the diagonal included, as .tsv: what the
    first calls it, what the second ("" where one has not marked it), how many, on which pairs."""
    save(path, as_sheet([CONFUSED_COLUMNS, *confusion_rows(report)]))


def save(path: Path, text: str) -> None:
    """Write a file. Raises ``CommandError``."""
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
