"""``manage.py edits``: edits that people marked on pairs, in files or in a study, counted, and how
far they agree."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.agreement.bootstrap import DRAWS, SEED
from annotation.agreement.marks.consensus import token_consensus
from annotation.agreement.marks.counts import pair_counts
from annotation.agreement.marks.figure import Drawn
from annotation.agreement.marks.grouping import PAPER_MERGES, Grouping, grouping_of
from annotation.agreement.marks.layers import layers_of
from annotation.agreement.marks.report import edits_report
from annotation.cells import as_sheet
from annotation.management.edit_files import (
    READ_AS,
    WRITTEN_AS,
    layout_of,
    read_edits,
    save,
    write_confusions,
    write_consensus,
    write_edits,
)
from annotation.management.edit_lines import edit_lines
from annotation.management.figures import draws_arguments, draws_check
from annotation.management.files import named, study_with_answers
from annotation.protocols.edits import MarkedPair
from annotation.scoring.splits import source_key
from annotation.selectors.agreement.marked import marked_pairs, marking_fields
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.publishing.exports import ROUNDS

_MOST_DRAWS = 10_000
_MOST_LINES = 20


class Command(BaseCommand):
    help = (
        "Edits that people marked on both texts of pairs (deletions, synonyms, moves …): how many "
        "of each operation, and how far annotators agree, on the tokens of each side and on the "
        "edits, with intervals over source texts. Files are a table with a row for each edit "
        "(JSONL, TSV …), columns, brat's or thresh's, or YAWAT's as ASSETann was released. Nothing "
        "is stored: no study is needed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        _material_arguments(parser)
        _agreement_arguments(parser)
        _file_arguments(parser)
        parser.add_argument("--json", action="store_true", help="everything, shares 0–1")
        draws_arguments(parser, draws=DRAWS, drawn="of pairs", seeded="of the draws", seed=SEED)

    def handle(self, *args: Any, **options: Any) -> None:
        draws_check(options, most=_MOST_DRAWS)
        written_as = _layout(options["write"], options["as"])
        pairs = _pairs(options)
        known = {edit.type for pair in pairs for edit in pair.edits}
        grouping = _grouping(options["merge"], options["group"], known)
        pairs = _without(pairs, options["without"], known)
        if written_as:
            write_edits(Path(options["write"]), written_as, pairs)
        if options["write_counts"]:
            save(Path(options["write_counts"]), as_sheet(pair_counts(pairs)))
        if options["write_consensus"]:
            layers = layers_of(pairs)
            write_consensus(Path(options["write_consensus"]), token_consensus(layers, grouping))
        drawn = Drawn(draws=options["draws"], seed=options["seed"])
        report = edits_report(pairs, grouping, drawn, source_of=source_key)
        if options["write_confusions"]:
            write_confusions(Path(options["write_confusions"]), report)
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
            return
        self.stdout.write("\n".join(edit_lines(report)))


def _material_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "tables",
        type=named,
        nargs="*",
        metavar="TABLE",
        help="a row for each edit, columns with a token a line (.conll), thresh's list "
        "(.json), or a folder of brat's; who marked stands in it, else its name is the file's",
    )
    group = parser.add_argument_group("what is read")
    group.add_argument(
        "--from",
        default="",
        choices=sorted(READ_AS),
        help="in which layout TABLEs are read, whatever their ending",
    )
    group.add_argument(
        "--yawat",
        nargs="+",
        action="append",
        default=[],
        metavar=("NAME", "FILE"),
        help="NAME ALN CRP, or NAME ALN ORIGINALS SIMPLIFICATIONS: who marked, the edits, "
        "their texts; again for another file, of the same NAME too",
    )
    group.add_argument("--study", default="", metavar="KEY", help="what people marked there")
    group.add_argument(
        "--field", default="", help="by which question of its protocol, where several mark passages"
    )
    group.add_argument("--round", default="", choices=ROUNDS, help="of the study: main")
    group.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="OPERATION",
        help="leave out the pairs on which their annotator marked it, for example err",
    )


def _agreement_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("operations taken together")
    group.add_argument(
        "--merge",
        action="append",
        default=[],
        choices=sorted(PAPER_MERGES),
        help="agreement once more with these operations of ASSETann as one",
    )
    group.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="NAME=OPERATION,OPERATION",
        help="agreement once more with these operations as one",
    )


def _file_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("what is written")
    group.add_argument(
        "--write",
        type=named,
        metavar="FILE",
        help="the edits as .jsonl, .tsv, .aln with its .crp beside it, .conll (columns), .json "
        "(thresh), or a folder (brat)",
    )
    group.add_argument(
        "--as", default="", choices=WRITTEN_AS, help="in which layout, whatever its ending"
    )
    group.add_argument(
        "--write-counts",
        type=named,
        metavar="FILE",
        help="a .tsv with a row for each pair: edits of each operation",
    )
    group.add_argument(
        "--write-consensus",
        type=named,
        metavar="FILE",
        help="a .tsv or .jsonl with a row for each token of the pairs that several marked: "
        "what most put on it, and how many put what; merged as asked for",
    )
    group.add_argument(
        "--write-confusions",
        type=named,
        metavar="FILE",
        help="a .tsv with a row for each two operations that two annotators called one edit: "
        "how many, on which pairs",
    )


def _pairs(options: dict[str, Any]) -> list[MarkedPair]:
    """Those of the files, or of the study. Raises ``CommandError``."""
    if not options["study"]:
        if option := next((name for name in ("field", "round") if options[name]), None):
            raise CommandError(f"--{option} is of a study: name it with --study.")
        return read_edits(options["tables"], options["from"], options["yawat"])
    if options["tables"] or options["yawat"] or options["from"]:
        raise CommandError("Name files or --study, not both.")
    round_ = options["round"] or "main"
    study = study_with_answers(options["study"], round_)
    fields = marking_fields(study)
    field = options["field"] or (fields[0] if len(fields) == 1 else "")
    if field not in fields:
        marking = ", ".join(fields) or "none"
        raise CommandError(f"--field: questions of this study that mark passages: {marking}.")
    with one_moment():
        return marked_pairs(study, field, round=round_)


def _grouping(merges: Sequence[str], groups: Sequence[str], known: set[str]) -> Grouping:
    merged = {name: PAPER_MERGES[name] for name in merges}
    for entry in groups:
        name, _sign, listed = entry.partition("=")
        operations = tuple(part.strip() for part in listed.split(","))
        if not name.strip() or not all(operations):
            raise CommandError(f"--group {entry}: write NAME=OPERATION,OPERATION.")
        _check_known("--group", operations, known)
        if name.strip() in merged:
            raise CommandError(f"--group: “{name.strip()}” is asked for twice; name it once.")
        merged[name.strip()] = operations
    try:
        return grouping_of(merged)
    except ValueError as error:
        raise CommandError(f"“{error}” stands in two groups: keep it in one.") from error


def _without(
    pairs: list[MarkedPair], operations: Sequence[str], known: set[str]
) -> list[MarkedPair]:
    _check_known("--without", operations, known)
    left_out = set(operations)
    return [pair for pair in pairs if left_out.isdisjoint(edit.type for edit in pair.edits)]


def _check_known(option: str, operations: Sequence[str], known: set[str]) -> None:
    if unknown := [operation for operation in operations if operation not in known]:
        raise CommandError(
            f"{option}: nobody marked “{unknown[0]}”. Operations: {', '.join(sorted(known))}."
        )


def _layout(name: str, layout: str) -> str:
    if layout and not name:
        raise CommandError("--as says in which layout --write writes: name its file too.")
    return layout_of(Path(name), layout) if name else ""
