"""What a file of pairs looks like under the choices made so far, for the page that asks for confirmation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotation.corpus.columns import guess_mapping
from annotation.corpus.frjudge import FrjudgeFile, is_frjudge, read_frjudge
from annotation.corpus.pairs import Pairs, pairs_of
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.tables import JSONL, Layout, Table, read_table
from annotation.models import Item, PairsUpload
from annotation.selectors.imports import Plan, frjudge_repeats, pairs_plan

PAIRS, FRJUDGE = "pairs", "frjudge"
LAYOUT_CHOICES = ("encoding", "separator", "quoted", "sheet", "header", "content")


@dataclass
class Preview:
    """A file as it would go in. ``fatal`` is why it cannot be read at all."""

    choices: dict[str, Any]
    table: Table | None = None
    mapping: dict[str, int] = field(default_factory=dict)
    pairs: Pairs | None = None
    plan: Plan | None = None
    released: FrjudgeFile | None = None
    fatal: RowProblem | None = None
    problems: list[RowProblem] = field(default_factory=list)

    @property
    def round(self) -> str:
        return str(self.choices.get("round") or Item.Round.MAIN)

    @property
    def skip_duplicates(self) -> bool:
        return bool(self.choices.get("skip_duplicates"))

    @property
    def is_released_file(self) -> bool:
        """Whether the file is FrJUDGE's, however it is to be brought in."""
        return self.table is not None and self.table.layout.format == JSONL and is_frjudge(self.table.columns)

    @property
    def content(self) -> str:
        return FRJUDGE if self.released is not None else PAIRS

    @property
    def brought(self) -> Pairs | FrjudgeFile | None:
        """What an import would take."""
        return self.released if self.released is not None else self.pairs

    @property
    def only_duplicates(self) -> bool:
        """Whether leaving duplicates out would solve everything, and there are some."""
        return self.content == PAIRS and bool(self.problems) and all(p.duplicate for p in self.problems)

    @property
    def can_import(self) -> bool:
        return self.brought is not None and (not self.problems or self.only_duplicates)


def layout_of(choices: dict[str, Any]) -> Layout:
    """The choices about reading; what is "" is found out."""
    switches = {"yes": True, "no": False}
    return Layout(
        encoding=choices.get("encoding", ""),
        separator=choices.get("separator", ""),
        quoted=switches.get(choices.get("quoted", "")),
        sheet=choices.get("sheet", ""),
        header=switches.get(choices.get("header", "")),
    )


def preview(upload: PairsUpload, choices: dict[str, Any]) -> Preview:
    """Read the file under these choices and try it against the study; nothing is stored."""
    found = Preview(choices)
    with upload.file.open("rb") as file:
        content = file.read()
    try:
        found.table = table = read_table(content, layout_of(choices))
        if found.is_released_file and choices.get("content") != PAIRS:
            _preview_released(found, upload, content)
        else:
            _preview_pairs(found, upload, table)
    except TableError as error:
        found.fatal = error.problem
    return found


def _preview_released(found: Preview, upload: PairsUpload, content: bytes) -> None:
    found.released = read_frjudge(content)
    repeats = frjudge_repeats(study=upload.study, rows=found.released.rows)
    found.problems = [*found.released.problems, *repeats]


def _preview_pairs(found: Preview, upload: PairsUpload, table: Table) -> None:
    chosen = found.choices.get("mapping")
    found.mapping = guess_mapping(table.columns) if chosen is None else chosen
    found.pairs = pairs_of(table, found.mapping)
    found.plan = pairs_plan(study=upload.study, pairs=found.pairs, round=found.round)
    found.problems = found.plan.problems
