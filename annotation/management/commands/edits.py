"""``manage.py edits``: edits that people marked on pairs, counted, and how far they agree."""

from __future__ import annotations

import io
import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.agreement.bootstrap import DRAWS, SEED
from annotation.agreement.marks.counts import pair_counts
from annotation.agreement.marks.figure import Drawn
from annotation.agreement.marks.grouping import PAPER_MERGES, Grouping, grouping_of
from annotation.agreement.marks.report import edits_report
from annotation.cells import Sheet
from annotation.corpus.edit_tables import as_jsonl, as_tsv
from annotation.corpus.edits import EditsFile
from annotation.corpus.problems import TableError
from annotation.corpus.yawat import as_yawat
from annotation.management.edit_lines import edit_lines
from annotation.management.files import read_file, row_line
from annotation.protocols.edits import MarkedPair
from annotation.reading import edit_table_read, yawat_read

_MOST_DRAWS = 10_000
_MOST_LINES = 20


class Command(BaseCommand):
    help = (
        "Edits that people marked on both texts of pairs (deletions, synonyms, moves …): how many "
        "of each operation, and how far annotators agree, on the tokens of each side and on the "
        "edits, with intervals over pairs. Files are a table with a row for each edit (JSONL, "
        "TSV …), or YAWAT's as ASSETann was released. Nothing is stored: no study is needed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "tables",
            nargs="*",
            metavar="TABLE",
            help="a row for each edit; who marked stands in its column annotator, else its name is "
            "the file's",
        )
        parser.add_argument(
            "--yawat",
            nargs="+",
            action="append",
            default=[],
            metavar=("NAME", "FILE"),
            help="NAME ALN CRP, or NAME ALN ORIGINALS SIMPLIFICATIONS: who marked, the edits, "
            "their texts; again for another file, of the same NAME too",
        )
        parser.add_argument(
            "--merge",
            action="append",
            default=[],
            choices=sorted(PAPER_MERGES),
            help="agreement once more with these operations of ASSETann as one",
        )
        parser.add_argument(
            "--group",
            action="append",
            default=[],
            metavar="NAME=OPERATION,OPERATION",
            help="agreement once more with these operations as one",
        )
        parser.add_argument(
            "--without",
            action="append",
            default=[],
            metavar="OPERATION",
            help="leave out the pairs on which their annotator marked it, for example err",
        )
        parser.add_argument("--json", action="store_true", help="everything, shares 0–1")
        parser.add_argument(
            "--write",
            default="",
            metavar="FILE",
            help="the edits as .jsonl, .tsv, or .aln with its .crp beside it",
        )
        parser.add_argument(
            "--write-counts",
            default="",
            metavar="FILE",
            help="a .tsv with a row for each pair: edits of each operation",
        )
        parser.add_argument(
            "--draws", type=int, default=DRAWS, help="of pairs (default: %(default)s)"
        )
        parser.add_argument(
            "--seed", type=int, default=SEED, help="of the draws (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["draws"] <= _MOST_DRAWS or options["seed"] < 0:
            raise CommandError(f"--draws takes 0–{_MOST_DRAWS}, --seed a number from 0.")
        pairs = _read(options["tables"], options["yawat"])
        known = {edit.type for one in pairs for edit in one.edits}
        grouping = _grouping(options["merge"], options["group"], known)
        pairs = _without(pairs, options["without"], known)
        if options["write"]:
            _write(Path(options["write"]), pairs)
        if options["write_counts"]:
            _save(Path(options["write_counts"]), _counts(pairs))
        found = edits_report(pairs, grouping, Drawn(draws=options["draws"], seed=options["seed"]))
        if options["json"]:
            self.stdout.write(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
            return
        self.stdout.write("\n".join(edit_lines(found)))


def _read(tables: Sequence[str], yawat: Sequence[Sequence[str]]) -> list[MarkedPair]:
    """All pairs, of the files in their order. A name that stands over several files gets its pairs
    called by their file."""
    if not tables and not yawat:
        raise CommandError("Name a table of edits, or a file of YAWAT's with --yawat.")
    if wrong := next((" ".join(one) for one in yawat if len(one) not in (3, 4)), None):
        raise CommandError(
            f"--yawat {wrong}: write NAME ALN CRP, or NAME ALN ORIGINALS SIMPLIFICATIONS."
        )
    read = [(name, edit_table_read(read_file(name), Path(name).stem)) for name in tables]
    read += [(one[1], yawat_read([*map(read_file, one[1:])], one[0])) for one in yawat]
    for name, found in read:
        _refuse_bad(name, found)
    times = Counter(
        name for _file, found in read for name in {one.annotator for one in found.pairs}
    )
    return [
        replace(one, pair=f"{Path(name).stem}/{one.pair}") if times[one.annotator] > 1 else one
        for name, found in read
        for one in found.pairs
    ]


def _refuse_bad(name: str, found: EditsFile) -> None:
    problems = (found.fatal,) if found.fatal else found.problems
    if not problems:
        return
    lines = [f"{name}: {row_line(one)}" for one in problems[:_MOST_LINES]]
    raise CommandError("\n".join([*lines, f"{len(problems)} problem(s); nothing was counted."]))


def _grouping(merges: Sequence[str], groups: Sequence[str], known: set[str]) -> Grouping:
    asked = {name: PAPER_MERGES[name] for name in merges}
    for entry in groups:
        name, _sign, listed = entry.partition("=")
        operations = tuple(part.strip() for part in listed.split(","))
        if not name.strip() or not all(operations):
            raise CommandError(f"--group {entry}: write NAME=OPERATION,OPERATION.")
        _check_known("--group", operations, known)
        if name.strip() in asked:
            raise CommandError(f"--group: “{name.strip()}” is asked for twice; name it once.")
        asked[name.strip()] = operations
    try:
        return grouping_of(asked)
    except ValueError as error:
        raise CommandError(f"“{error}” stands in two groups: keep it in one.") from error


def _without(
    pairs: list[MarkedPair], operations: Sequence[str], known: set[str]
) -> list[MarkedPair]:
    _check_known("--without", operations, known)
    left_out = set(operations)
    return [one for one in pairs if left_out.isdisjoint(edit.type for edit in one.edits)]


def _check_known(option: str, operations: Sequence[str], known: set[str]) -> None:
    if unknown := [one for one in operations if one not in known]:
        raise CommandError(
            f"{option}: nobody marked “{unknown[0]}”. Operations: {', '.join(sorted(known))}."
        )


def _write(path: Path, pairs: Sequence[MarkedPair]) -> None:
    kind = path.suffix.lower()
    if kind not in (".jsonl", ".tsv", ".aln"):
        raise CommandError(f"--write {path}: the name ends in .jsonl, .tsv or .aln.")
    if kind != ".aln":
        _save(path, as_jsonl(pairs) if kind == ".jsonl" else as_tsv(pairs))
        return
    names = sorted({one.annotator for one in pairs})
    if len(names) > 1:
        raise CommandError(
            f"--write {path}: an .aln holds one annotator's edits, these are of "
            f"{', '.join(names)}. Write .jsonl or .tsv, or read one of them."
        )
    try:
        edits, texts = as_yawat(pairs)
    except TableError as error:
        raise CommandError(f"--write {path}: {row_line(error.problem)}") from error
    _save(path, edits)
    _save(path.with_suffix(".crp"), texts)


def _counts(pairs: Sequence[MarkedPair]) -> str:
    out = io.StringIO()
    Sheet(out, delimiter="\t", lineterminator="\n").writerows(pair_counts(pairs))
    return out.getvalue()


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
