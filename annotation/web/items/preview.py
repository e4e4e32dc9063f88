"""What a file of pairs looks like under the choices made so far, for the page that asks for
confirmation."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.corpus.csmd import PROTOCOL as CSMD
from annotation.corpus.csmd import is_csmd
from annotation.corpus.frjudge import FrjudgeFile, is_frjudge
from annotation.corpus.judged import JudgedFile
from annotation.corpus.judging import judging_options
from annotation.corpus.pairs import Pairs
from annotation.corpus.pairs_file import Brought, PairsFile
from annotation.corpus.problems import RowProblem
from annotation.corpus.released import ReleasedFile
from annotation.corpus.tables import JSONL, Layout, Table
from annotation.models import Item, Job, PairsUpload, Study, User
from annotation.reading import Pace, ReadLater, pairs_file_read
from annotation.selectors.items.imports import Plan, frjudge_repeats, pairs_plan, released_misfit
from annotation.selectors.items.judged import JudgedPlan, judged_plan
from annotation.services.intake.pairs import released_options
from annotation.services.intake.readings import (
    PREVIEW,
    UNFINISHED,
    reading_answer,
    unnamed,
    upload_read_later,
)
from annotation.services.items.released import released_repeats

PAIRS, JUDGED, JUDGMENTS = "pairs", "frjudge", "judgments"
"""What a file brings in: pairs, or with them the judgments that were published, or those of a long
table by the study's protocol."""
LAYOUT_CHOICES = (
    "encoding",
    "separator",
    "quoted",
    "sheet",
    "header",
    "header_row",
    "content",
)


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
    scores: ReleasedFile | None = None
    judged: JudgedFile | None = None
    judged_plan: JudgedPlan | None = None
    peer: str = ""
    may_be_judged: bool = False
    """Whether its rows may be taken as judgments by the study's protocol."""
    is_scored: bool = False
    """Whether its rows may be taken as scores by the study's own protocol."""
    is_misfit: bool = False
    """Whether its judgments are of another protocol than the study's."""
    fatal: RowProblem | None = None
    problems: list[RowProblem] = field(default_factory=list)
    columns_left_out: list[str] = field(default_factory=list)
    """Those that nothing is taken from."""

    @property
    def round(self) -> str:
        return str(self.choices.get("round") or Item.Round.MAIN)

    @property
    def skip_duplicates(self) -> bool:
        return bool(self.choices.get("skip_duplicates"))

    @property
    def is_released_file(self) -> bool:
        """Whether the file may be brought in with its judgments or without them."""
        return self.is_scored or (
            self.table is not None
            and self.table.layout.format == JSONL
            and is_frjudge(self.table.columns)
        )

    @property
    def content(self) -> str:
        if self.judged is not None:
            return JUDGMENTS
        return PAIRS if self.released is None and self.scores is None else JUDGED

    @property
    def same_scale(self) -> list[str]:
        """The slots whose numbers the lead has said to be on our scale."""
        return list(self.choices.get("same_scale") or ())

    @property
    def told_values(self) -> dict[str, dict[str, str]]:
        """What the lead has said that values become, by slot."""
        return dict(self.choices.get("values") or {})

    @property
    def brought(self) -> Brought | None:
        """What an import would take."""
        return self.released or self.scores or self.judged or self.pairs

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
        if self.judged is not None and (self.fatal is not None or not self.judged.rows):
            return False
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
        header_row=choices.get("header_row") or 0,
    )


def reading_choices(study: Study, name: str, choices: dict[str, Any]) -> dict[str, Any]:
    """How these choices have a file of this name read for a study, as a reading's job keeps it."""
    return {
        **released_options(study, name, pairs_only=choices.get("content") == PAIRS),
        "layout": asdict(layout_of(choices)),
        "mapping": choices.get("mapping"),
        "judging": _judging(study, name, choices),
    }


def _judging(study: Study, name: str, choices: dict[str, Any]) -> dict[str, Any] | None:
    """How rows are taken as judgments; None where the study takes none."""
    if not study.protocol.is_installed:
        return None
    take = {JUDGMENTS: True, PAIRS: False}.get(choices.get("content", ""))
    return judging_options(
        study.protocol,
        study.rulings,
        take=take,
        mapping=choices.get("judged_mapping"),
        values=choices.get("values") or {},
        same_scale=list(choices.get("same_scale") or ()),
        name=name,
    )


def preview(upload: PairsUpload, choices: dict[str, Any], person: User) -> Preview:
    """Read the file under these choices and try it against the study; nothing of it is stored.

    Raises ``ReadingBusy`` while another file of the person's is being read, ``StillReading`` while
    a worker reads this one, and ``RuleError`` for a closed study.
    """
    read = _read(upload, choices, person)
    shown = Preview(
        choices,
        read.table,
        read.row_count,
        read.mapping,
        read.pairs,
        released=read.released,
        scores=read.scores,
        judged=read.judged,
        peer=read.peer,
        may_be_judged=read.may_be_judged,
        fatal=read.fatal,
        columns_left_out=read.columns_left_out,
    )
    shown.is_scored = (
        read.table is not None
        and upload.study.protocol_key == CSMD.key
        and is_csmd(read.table.columns)
    )
    if (released := read.released or read.scores) and (
        misfit := released_misfit(study=upload.study, brought=released)
    ):
        shown.is_misfit = True
        shown.problems = [misfit]
    elif read.released is not None:
        repeats = frjudge_repeats(study=upload.study, rows=read.released.rows)
        shown.problems = [*read.released.problems, *repeats]
    elif read.scores is not None:
        shown.problems = [
            *read.scores.problems,
            *released_repeats(study=upload.study, released=read.scores),
        ]
    elif read.judged is not None:
        shown.judged_plan = judged_plan(study=upload.study, judged=read.judged)
        shown.problems = shown.judged_plan.problems
    elif read.pairs is not None:
        shown.plan = pairs_plan(study=upload.study, pairs=read.pairs, round=shown.round)
        shown.problems = shown.plan.problems
    return shown


def _read(upload: PairsUpload, choices: dict[str, Any], person: User) -> PairsFile:
    """The file under these choices, as it is read now or as a worker has read it."""
    options = reading_choices(upload.study, upload.name, choices)
    job = upload.reading
    if job is not None:
        if job.state in UNFINISHED:
            raise StillReading(job)
        # What an import could not bring in is shown as it stands now.
        known = reading_answer(job) if job.parameters["what"] == PREVIEW else None
        if known is not None and _is_of(known, job.parameters["asked"], unnamed(options)):
            return known
    with upload.file.open("rb") as file:
        content = file.read()
    try:
        return pairs_file_read(
            content,
            person=person.pk,
            pace=Pace.AT_ONCE,
            **options | {"layout": Layout(**options["layout"])},
        )
    except ReadLater:
        raise StillReading(
            upload_read_later(actor=person, upload=upload, options=options)
        ) from None


def _is_of(known: PairsFile, former: dict[str, Any], options: dict[str, Any]) -> bool:
    """Whether what was read as ``former`` says is what would be read under ``options``: columns
    that were found out may be confirmed, and whether they are of judgments."""
    options, former = _settled(options, known), _settled(former, known)
    if former["take_released"] and known.released is None and known.scores is None:
        former = former | {"take_released": options["take_released"]}
    same = all(options[name] == former.get(name) for name in options if name != "mapping")
    return same and options["mapping"] in (former["mapping"], known.mapping)


def _settled(options: dict[str, Any], known: PairsFile) -> dict[str, Any]:
    """What is asked, with what was found out where nothing was chosen."""
    judging = options.get("judging")
    if judging is None or judging["take"] is not None:
        return options
    return options | {"judging": judging | {"take": known.judged is not None}}
