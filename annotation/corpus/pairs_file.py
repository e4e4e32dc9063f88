"""A file of pairs read whole, from its bytes to the pairs that it would bring, under the choices
made so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from annotation.corpus.columns import guess_mapping
from annotation.corpus.csmd import is_csmd, read_csmd
from annotation.corpus.encodings import Confidence
from annotation.corpus.frjudge import FrjudgeFile, is_frjudge, read_frjudge
from annotation.corpus.jades import is_jades, read_jades
from annotation.corpus.judged import JudgedFile, numbers_pairs, read_judged
from annotation.corpus.judging import Judging
from annotation.corpus.long_files import LongFile, read_long
from annotation.corpus.pairs import Pairs, pairs_of
from annotation.corpus.problems import RowProblem, TableError, refusal
from annotation.corpus.released import ReleasedFile
from annotation.corpus.tables import JSONL, Layout, Table, check_called_once, named_columns, naming

Brought = Pairs | FrjudgeFile | ReleasedFile | JudgedFile


@dataclass(frozen=True)
class PairsFile:
    """What a file holds. ``fatal`` is why it cannot be read at all, or no pairs be made of its
    table."""

    table: Table | None = None
    """Without its rows: ``row_count`` says how many there are."""
    row_count: int = 0
    mapping: dict[str, int] = field(default_factory=dict)
    pairs: Pairs | None = None
    released: FrjudgeFile | None = None
    scores: ReleasedFile | None = None
    """Of a file whose rows are judgments by another protocol."""
    judged: JudgedFile | None = None
    """Of a long table, whose rows are judgments by the study's protocol."""
    peer: str = ""
    """The program whose export it is, where it is one's."""
    may_be_judged: bool = False
    """Whether its rows may be taken as judgments: a study was named that takes them."""
    fatal: RowProblem | None = None

    @property
    def brought(self) -> Brought | None:
        """What an import takes."""
        return self.released or self.scores or self.judged or self.pairs

    @property
    def columns_left_out(self) -> list[str]:
        """The columns of a table of pairs or judgments that hold nothing of either."""
        if self.table is None or (self.pairs is None and self.judged is None):
            return []
        used = set(self.mapping.values())
        columns = enumerate(self.table.columns)
        return [name for place, name in columns if place not in used]

    @property
    def encoding_guessed(self) -> str:
        """What the file was taken to be in, where nothing says that it is."""
        if self.table is None or self.table.confidence is not Confidence.GUESSED:
            return ""
        return self.table.layout.encoding

    @property
    def rows_hidden(self) -> list[int]:
        """The rows that a workbook hides, by number; they are read as the others are."""
        return [] if self.table is None else list(self.table.hidden)

    @property
    def is_released_file(self) -> bool:
        """Whether the file is FrJUDGE's, however it is to be brought in."""
        return (
            self.table is not None
            and self.table.layout.format == JSONL
            and is_frjudge(self.table.columns)
        )


def read_pairs_file(
    content: bytes,
    layout: Layout | None = None,
    *,
    mapping: Mapping[str, int] | None = None,
    names: Mapping[str, str | None] | None = None,
    take_released: bool = True,
    part: str = "",
    judging: Judging | None = None,
) -> PairsFile:
    """Read a file. Columns by field as ``mapping`` says; or as ``names`` says (None: none), and
    where it says nothing of a field as the columns' own names suggest.

    Where ``take_released``, a released file comes with its judgments: FrJUDGE's and JADES's are
    known by their keys, CSMD's by its columns where ``part`` says what its pairs are called after.
    Where ``judging`` is given, any other table is taken as judgments if it asks for them, or if its
    columns look like them.
    """
    file = PairsFile()
    called = (judging.names if judging else None) or names or {}
    layout = naming(layout or Layout(), filter(None, called.values()))
    try:
        if take_released and is_jades(content):
            scores = read_jades(content)
            return PairsFile(row_count=len(scores.pairs), scores=scores)
        long = read_long(content, layout, judging.name if judging else "")
        table = long.table
        if not table.columns and table.problems:
            # No line is an object: that no column is chosen would be no help.
            raise refusal(table.problems[0])
        file = PairsFile(replace(table, rows=[]), len(table.rows))
        file = replace(file, peer=long.peer, may_be_judged=judging is not None)
        if file.is_released_file and take_released:
            return replace(file, released=read_frjudge(content))
        if take_released and part and is_csmd(table.columns):
            return replace(file, scores=read_csmd(content, part))
        if judging is not None and judging.takes(table, long.peer):
            return _judged(file, long, judging)
        chosen = dict(mapping or {})
        if mapping is None:
            chosen = named_columns(table, guess_mapping(table.columns), names or {})
        file = replace(file, mapping=chosen)
        if mapping is None:
            check_called_once(table, chosen.values())
        return replace(file, pairs=pairs_of(table, chosen))
    except TableError as error:
        return replace(file, fatal=error.problem)


def _judged(file: PairsFile, long: LongFile, judging: Judging) -> PairsFile:
    """The table as judgments. A column that nothing was chosen for leaves those that were."""
    mapping = judging.columns(long.table)
    is_guessed = judging.mapping is None and "id" not in (judging.names or {})
    if long.peer and is_guessed and numbers_pairs(long.table, mapping):
        del mapping["id"]
    try:
        if judging.mapping is None:
            check_called_once(long.table, mapping.values())
        judged = read_judged(long, judging.reading(mapping))
    except TableError as error:
        nothing = JudgedFile(judging.protocol.name, long.peer, long.left_out, mapping)
        return replace(file, mapping=mapping, judged=nothing, fatal=error.problem)
    return replace(file, mapping=judged.mapping, judged=judged)
