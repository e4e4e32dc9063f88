"""What a file of pairs looks like under the choices made so far, for the page that asks for
confirmation."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.corpus.frjudge import FrjudgeFile, is_frjudge
from annotation.corpus.pairs import Pairs
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.problems import RowProblem
from annotation.corpus.tables import JSONL, Layout, Table
from annotation.models import Item, Job, PairsUpload, User
from annotation.reading import Pace, ReadLater, pairs_file_read
from annotation.selectors.items.imports import Plan, frjudge_repeats, pairs_plan
from annotation.services.intake.readings import (
    PREVIEW,
    UNFINISHED,
    reading_answer,
    upload_read_later,
)

PAIRS, FRJUDGE = "pairs", "frjudge"
LAYOUT_CHOICES = ("encoding", "separator", "quoted", "sheet", "header", "content")


class StillReading(Exception):
    """A worker reads the file: ``job`` says how far it is."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.state)
        self.job = job


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
        return (
            self.table is not None
            and self.table.layout.format == JSONL
            and is_frjudge(self.table.columns)
        )

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
        return (
            self.content == PAIRS
            and bool(self.problems)
            and all(p.duplicate for p in self.problems)
        )

    @property
    def refused(self) -> bool:
        """Whether an import under these choices would be refused."""
        return bool(self.problems) and not (self.skip_duplicates and self.only_duplicates)

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


def reading_choices(choices: dict[str, Any]) -> dict[str, Any]:
    """How these choices have a file read, as a reading's job keeps it."""
    return {
        "layout": asdict(layout_of(choices)),
        "mapping": choices.get("mapping"),
        "take_released": choices.get("content") != PAIRS,
    }


def preview(upload: PairsUpload, choices: dict[str, Any], person: User) -> Preview:
    """Read the file under these choices and try it against the study; nothing of it is stored.

    Raises ``ReadingBusy`` while another file of the person's is being read, ``StillReading`` while
    a worker reads this one, and ``RuleError`` for a closed study.
    """
    read = _read(upload, choices, person)
    found = Preview(
        choices, read.table, read.row_count, read.mapping, read.pairs, released=read.released
    )
    found.fatal = read.fatal
    if read.released is not None:
        repeats = frjudge_repeats(study=upload.study, rows=read.released.rows)
        found.problems = [*read.released.problems, *repeats]
    elif read.pairs is not None:
        found.plan = pairs_plan(study=upload.study, pairs=read.pairs, round=found.round)
        found.problems = found.plan.problems
    return found


def _read(upload: PairsUpload, choices: dict[str, Any], person: User) -> PairsFile:
    """The file under these choices, as it is read now or as a worker has read it."""
    asked = reading_choices(choices)
    job = upload.reading
    if job is not None:
        if job.state in UNFINISHED:
            raise StillReading(job)
        # What an import could not bring in is shown as it stands now.
        known = reading_answer(job) if job.parameters["what"] == PREVIEW else None
        if known is not None and _is_of(known, job.parameters["asked"], asked):
            return known
    with upload.file.open("rb") as file:
        content = file.read()
    try:
        return pairs_file_read(
            content,
            person=person.pk,
            pace=Pace.AT_ONCE,
            **asked | {"layout": Layout(**asked["layout"])},
        )
    except ReadLater:
        raise StillReading(upload_read_later(actor=person, upload=upload, asked=asked)) from None


def _is_of(known: PairsFile, former: dict[str, Any], asked: dict[str, Any]) -> bool:
    """Whether what was read as ``former`` says is what would be read as ``asked``: columns that
    were found out may be confirmed."""
    same = all(asked[name] == former[name] for name in asked if name != "mapping")
    return same and asked["mapping"] in (former["mapping"], known.mapping)
