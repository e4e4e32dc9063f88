"""Rows of a long table as judgments: a pair, who judged it, and what they answered by a study's
protocol. Every row that cannot be one is named; nothing is rescaled or guessed in silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotation.cells import as_typed
from annotation.corpus.columns import FIELDS
from annotation.corpus.judged_columns import ANNOTATOR, check_judged, guess_judged
from annotation.corpus.judged_problems import (
    by_machine,
    called_nearly_alike,
    contradicted,
    judged_twice,
    missing,
    of_slot,
    other_protocol,
    who_problems,
)
from annotation.corpus.judged_values import SlotValues, Values
from annotation.corpus.long_files import LongFile
from annotation.corpus.nested import is_list
from annotation.corpus.pairs import PairRow, SeenPairs, item_name
from annotation.corpus.passages import Sides, placed
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, and_more
from annotation.corpus.tables import DELIMITED, Row, Table
from annotation.corpus.texts import clean_text, field_text, nested, text_problems
from annotation.protocols.base import PairFacts, Rulings
from annotation.protocols.kinds import ShapeError
from annotation.protocols.protocol import Protocol

_OF_OWN = ("study", "protocol", "protocol_version")
_MACHINE = "machine"


@dataclass(frozen=True)
class Reading:
    """How judgments are to be read. ``mapping``: columns by field and slot; None where they are
    found out. ``values``: by slot, what a cell's text becomes ("" for no answer).
    ``same_scale``: the slots whose numbers the lead has said to be on our scale."""

    protocol: Protocol
    rulings: Rulings
    mapping: Mapping[str, int] | None = None
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    same_scale: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One judgment. ``annotator`` is whom the file names; ``cells`` are the answers by slot, as
    ``Protocol.taken`` takes them."""

    row: int
    original: str
    simplification: str
    key: str
    system: str
    source: str
    context_before: str
    context_after: str
    structure: str
    annotator: str
    cells: dict[str, str]


@dataclass(frozen=True)
class JudgedFile:
    """The judgments of a file by a protocol (its name), and what is wrong with its other rows.
    ``peer``, ``left_out``: see ``LongFile``."""

    protocol: str
    peer: str = ""
    left_out: int = 0
    mapping: dict[str, int] = field(default_factory=dict)
    values: list[SlotValues] = field(default_factory=list)
    rows: list[JudgedRow] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)


def read_judged(file: LongFile, reading: Reading) -> JudgedFile:
    """The judgments in a file. Raises ``TableError`` where no column is chosen for what a judgment
    cannot do without."""
    table, protocol = file.table, reading.protocol
    chosen = reading.mapping
    mapping = dict(chosen) if chosen is not None else guess_judged(table.columns, protocol)
    if file.numbers_tasks and _numbered_anew(table, mapping):
        del mapping["id"]
    check_judged(table, mapping, protocol, file.beside)
    table, refused = _answered(file, mapping)
    values = Values(protocol, reading.values)
    rows = _Rows(table, mapping, reading, values)
    judged, problems = rows.read()
    problems = [*rows.of_file(), *sorted(problems, key=lambda problem: problem.row)]
    left_out = file.left_out + refused
    return JudgedFile(
        protocol.name, file.peer, left_out, mapping, values.slot_values(mapping), judged, problems
    )


def _answered(file: LongFile, mapping: Mapping[str, int]) -> tuple[Table, int]:
    """The table without the rows whose annotators refused the task, and how many those are; all of
    it where the refusal itself is taken for an answer."""
    column, text = file.refusal
    place = file.table.columns.index(column) if column in file.table.columns else None
    if place is None or place in mapping.values():
        return file.table, 0
    rows = [row for row in file.table.rows if row.cells[place] != text]
    return replace(file.table, rows=rows), len(file.table.rows) - len(rows)


def _numbered_anew(table: Table, mapping: Mapping[str, int]) -> bool:
    """Whether the same texts stand under several identifiers."""
    texts = ("original", "simplification", "system")
    places = [mapping[name] for name in texts if name in mapping]
    if "id" not in mapping or not set(mapping.values()) <= set(range(len(table.columns))):
        return False
    first: dict[tuple[str, ...], str] = {}
    for row in table.rows:
        key = row.cells[mapping["id"]]
        if first.setdefault(tuple(clean_text(row.cells[at]) for at in places), key) != key:
            return True
    return False


def numbers_pairs(table: Table, mapping: Mapping[str, int]) -> bool:
    """Whether identifiers are those of pairs: of a clause with several simplifications each has its
    own, and by it the outputs of two systems would be those of two clauses."""
    names = ("id", "original", "simplification")
    if any(mapping.get(name, -1) < 0 for name in names):
        return False
    pairs: dict[str, tuple[str, str, str]] = {}
    outputs: dict[tuple[str, str], str] = {}
    keys: dict[str, set[str]] = {}
    for row in table.rows:
        key, original, simple = (clean_text(row.cells[mapping[name]]) for name in names)
        system = clean_text(row.cells[mapping["system"]]) if "system" in mapping else simple
        if pairs.setdefault(key, (original, simple, system)) != (original, simple, system):
            return False  # one identifier, several outputs: it is a clause's
        if outputs.setdefault((original, system), simple) != simple:
            return False  # two clauses that read the same
        keys.setdefault(original, set()).add(key)
    return any(len(identifiers) > 1 for identifiers in keys.values())


class _Rows:
    """A table's rows, read one by one with what only shows between them."""

    def __init__(
        self, table: Table, mapping: Mapping[str, int], reading: Reading, values: Values
    ) -> None:
        self.table, self.mapping, self.reading, self.values = table, mapping, reading, values
        self.protocol = reading.protocol
        self.slots = {slot.name: slot for slot in self.protocol.slots if slot.name in mapping}
        # A question of the protocol may be called as a field is.
        self.fields = {
            name: place
            for name, place in mapping.items()
            if name in FIELDS and name not in self.slots
        }
        self.seen = SeenPairs()
        self.first: dict[tuple[str, str, str, str], int] = {}
        self.spelled: dict[str, tuple[str, int]] = {}
        self.place = {name: number for number, name in enumerate(table.columns)}
        self.is_own = all(name in self.place for name in _OF_OWN)

    def read(self) -> tuple[list[JudgedRow], list[RowProblem]]:
        judged, problems = [], list(self.table.problems)
        for row in self.table.rows:
            outcome = self._row(row)
            if isinstance(outcome, JudgedRow):
                judged.append(outcome)
            else:
                problems += outcome
            if len(problems) > MAX_PROBLEMS:
                problems.append(and_more(row.number))
                break
        return judged, problems

    def of_file(self) -> list[RowProblem]:
        """What is wrong with the file as a whole."""
        protocols = self._protocols()
        # What another version's numbers mean is not known, nor what those of no protocol mean.
        own = protocols == {(self.protocol.key, str(self.protocol.version))}
        problems = [*self.values.unsure(self.mapping, self.reading.same_scale, own=own)]
        if theirs := {key for key, _version in protocols} - {self.protocol.key, ""}:
            problems.append(other_protocol(min(theirs), self.protocol.key))
        return problems

    def _protocols(self) -> set[tuple[str, str]]:
        """The protocols and versions that rows of our own export name."""
        if not self.is_own:
            return set()
        key, version = (self.place[name] for name in _OF_OWN[1:])
        return {(row.cells[key].strip(), row.cells[version].strip()) for row in self.table.rows}

    def _cell(self, row: Row, place: int) -> str:
        cell = row.cells[place]
        if self.is_own and self.table.layout.format == DELIMITED:
            # Our own export writes an apostrophe before what a spreadsheet would run.
            return as_typed(cell)
        return cell

    def _row(self, row: Row) -> JudgedRow | list[RowProblem]:
        number = row.number
        raw = {name: self._cell(row, place) for name, place in self.fields.items()}
        texts = {name: field_text(name, text) for name, text in raw.items()}
        who = clean_text(self._cell(row, self.mapping[ANNOTATOR]))
        problems = [
            problem
            for name, text in texts.items()
            for problem in text_problems(number, name, text, quoted=self.table.is_quoted)
        ]
        problems += [
            nested(number, name)
            for name, place in self.fields.items()
            if place in self.table.lists and is_list(texts[name])
        ]
        problems += who_problems(number, who) + self._spelling(number, who) + self._machine(row)
        if problems:
            return problems
        pair = _pair(texts)
        wrong = self._between(number, pair, who)
        cells = self._cells(row, Sides(raw, texts, self.fields, self.table.columns), wrong)
        if not wrong:
            self._taken(number, pair, cells, wrong)
        return wrong or _judged(number, pair, who, cells)

    def _spelling(self, number: int, who: str) -> list[RowProblem]:
        """A name that was written otherwise before: one person would become two."""
        spelled, first = self.spelled.setdefault(folded(who), (who, number))
        return [] if spelled == who else [called_nearly_alike(number, first)]

    def _machine(self, row: Row) -> list[RowProblem]:
        """Our own exports may say that a model judged."""
        place = self.place.get("origin") if self.is_own else None
        return (
            [by_machine(row.number)] if place is not None and row.cells[place] == _MACHINE else []
        )

    def _between(self, number: int, pair: PairRow, who: str) -> list[RowProblem]:
        """What this row contradicts in those before it."""
        at = _at(pair, number)
        first = self.seen.first(at)
        if first is None:
            problems = self.seen.problems(at)
        else:
            problems = contradicted(at, first) or self.seen.of_item(at)
        judged = item_name(pair), pair.system, pair.simplification, who
        earlier = self.first.setdefault(judged, number)
        return problems if earlier == number else [*problems, judged_twice(number, earlier)]

    def _cells(self, row: Row, sides: Sides, problems: list[RowProblem]) -> dict[str, str]:
        """The answers by slot, as the protocol takes them; what is none is a problem."""
        cells = {}
        for name, slot in self.slots.items():
            text = self._cell(row, self.mapping[name])
            if not text.strip():
                if slot.is_marks:
                    # The column is there, and has none: that none are known is something else.
                    cells[name] = "[]"
                continue
            if slot.is_marks:
                text, wrong = placed(text, sides)
                if wrong is not None:
                    problems.append(of_slot(row.number, name, wrong))
                    continue
            answer = self.values.becomes(row.number, slot, text)
            if isinstance(answer, RowProblem):
                problems.append(answer)
            elif answer:
                cells[name] = answer
        return cells

    def _taken(
        self, number: int, pair: PairRow, cells: dict[str, str], problems: list[RowProblem]
    ) -> None:
        """Whether the protocol takes these answers."""
        facts = PairFacts(
            len(pair.original),
            len(pair.simplification),
            original=pair.original,
            simplification=pair.simplification,
        )
        try:
            parts = self.protocol.taken(cells, facts, self.reading.rulings)
        except ShapeError as error:
            name = error.problem.field.split(".")[0]
            problems.append(of_slot(number, name, error.problem.message))
            return
        problems += [
            missing(number, names[0], [self.protocol.dimension(name).label for name in names])
            for names in self.protocol.needed
            if not parts.ratings.keys() & {*names}
        ]


def folded(who: str) -> str:
    """What a file calls somebody, whatever capitals and spaces it is written with."""
    return " ".join(who.casefold().split())


def _pair(texts: Mapping[str, str]) -> PairRow:
    return PairRow(
        row=0, **{("key" if name == "id" else name): text for name, text in texts.items()}
    )


def _at(pair: PairRow, number: int) -> PairRow:
    texts = (pair.original, pair.simplification, pair.key, pair.system, pair.source)
    return PairRow(number, *texts, pair.context_before, pair.context_after, pair.structure)


def _judged(number: int, pair: PairRow, who: str, cells: dict[str, str]) -> JudgedRow:
    return JudgedRow(
        row=number,
        original=pair.original,
        simplification=pair.simplification,
        key=pair.key,
        system=pair.system,
        source=pair.source,
        context_before=pair.context_before,
        context_after=pair.context_after,
        structure=pair.structure,
        annotator=who,
        cells=cells,
    )
