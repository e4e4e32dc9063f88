"""What a file of pairs looks like under the choices made so far, for the page that asks for confirmation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotation.corpus.frjudge import FrjudgeFile, is_frjudge
from annotation.corpus.pairs import Pairs
from annotation.corpus.problems import RowProblem
from annotation.corpus.tables import JSONL, Layout, Table
from annotation.models import Item, PairsUpload, User
from annotation.reading import pairs_file_read
from annotation.selectors.imports import Plan, frjudge_repeats, pairs_plan

PAIRS, FRJUDGE = "pairs", "frjudge"
LAYOUT_CHOICES = ("encoding", "separator", "quoted", "sheet", "header", "content")


@dataclass
class Preview:
    """A file as it would go in. ``fatal`` is why it cannot be read at all."""

    choices: dict[str, Any]
    table: Table | None = None
    """Without its rows."""
    row_count: int = 0
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


def preview(upload: PairsUpload, choices: dict[str, Any], person: User) -> Preview:
    """Read the file under these choices and try it against the study; nothing is stored.

    Raises ``ReadingBusy`` while another file of the person's is being read.
    """
    with upload.file.open("rb") as file:
        content = file.read()
    read = pairs_file_read(
        content,
        layout_of(choices),
        person=person.pk,
        mapping=choices.get("mapping"),
        take_released=choices.get("content") != PAIRS,
    )
    found = Preview(choices, read.table, read.row_count, read.mapping, read.pairs, released=read.released)
    found.fatal = read.fatal
    if read.released is not None:
        repeats = frjudge_repeats(study=upload.study, rows=read.released.rows)
        found.problems = [*read.released.problems, *repeats]
    elif read.pairs is not None:
        found.plan = pairs_plan(study=upload.study, pairs=read.pairs, round=found.round)
        found.problems = found.plan.problems
    return found
