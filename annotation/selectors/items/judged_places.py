"""Which pairs of a study the rows of a file of judgments are about: by the study's own identifiers,
else by exactly the same texts. Nothing is taken for nearly the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from annotation.corpus.judged import JudgedRow
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, and_more
from annotation.corpus.texts import clean_text
from annotation.models import Assignment, Item, Simplification, Study
from annotation.selectors.items.judged_misfits import (
    ambiguous,
    judged_here,
    judged_in_two_rows,
    no_such_pair,
    not_main,
    other_spaces,
    other_text,
)

FilePair = tuple[str, str, str]
"""What tells a pair from the others of a file: its item, the system, the simplification."""
Misfit = Callable[[int], RowProblem]
"""Why a pair fits nowhere, said of a row by its number."""


@dataclass
class Places:
    """``pairs``: by pair of the file, the simplification of the study that it is (its id); none of
    those that would be new. ``problems``: every row that fits nowhere."""

    pairs: dict[FilePair, int] = field(default_factory=dict)
    problems: list[RowProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Pair:
    pk: int
    item: int
    key: str
    round: str
    original: str
    text: str
    system: str


def item_of(row: JudgedRow) -> str:
    """What tells an item from the others of a file: its identifier, or else its text."""
    return f"key:{row.key}" if row.key else f"text:{row.original}"


def pair_of(row: JudgedRow) -> FilePair:
    """What tells a pair from the others of a file."""
    return item_of(row), row.system, row.simplification


def judged_places(*, study: Study, rows: Sequence[JudgedRow], judges: Mapping[str, str]) -> Places:
    """Where the rows go. ``judges``: pseudonyms by the names in the file."""
    by_pair: dict[FilePair, list[JudgedRow]] = defaultdict(list)
    for row in rows:
        by_pair[pair_of(row)].append(row)
    known, places = _Known(study, rows), Places()
    attached: list[tuple[JudgedRow, _Pair]] = []
    for pair, judged in by_pair.items():
        pair_or_misfit = known.pair(judged[0])
        if isinstance(pair_or_misfit, _Pair):
            places.pairs[pair] = pair_or_misfit.pk
            attached += [(row, pair_or_misfit) for row in judged]
        elif pair_or_misfit is not None:
            places.problems += [pair_or_misfit(row.row) for row in judged]
    attached.sort(key=lambda row_and_pair: row_and_pair[0].row)
    places.problems += [*_moved(study, attached), *_twice(study, attached, judges)]
    places.problems.sort(key=lambda problem: problem.row)
    if len(places.problems) > MAX_PROBLEMS:
        last = places.problems[MAX_PROBLEMS - 1].row
        places.problems[MAX_PROBLEMS:] = [and_more(last)]
    return places


class _Known:
    """The study's items that the rows may speak of, with their simplifications."""

    def __init__(self, study: Study, rows: Sequence[JudgedRow]) -> None:
        self.by_key: dict[str, tuple[int, str, str]] = {}
        self.by_text: dict[str, list[int]] = defaultdict(list)
        keys, texts = {row.key for row in rows}, {row.original for row in rows}
        # Read through: what is stored may have spaces around it, which a file's text has not.
        items = Item.objects.filter(study=study).order_by("position")
        for pk, key, round_, stored in items.values_list(
            "pk", "key", "round", "original"
        ).iterator():
            original = clean_text(stored)
            if key in keys:
                self.by_key[key] = pk, original, round_
            if original in texts and round_ in Item.Round.values:
                self.by_text[original].append(pk)
        self.pairs = self._pairs(study)

    def _pairs(self, study: Study) -> dict[int, list[_Pair]]:
        """By item."""
        wanted = {pk for pk, *_ in self.by_key.values()}
        wanted.update(pk for pks in self.by_text.values() for pk in pks)
        by_item: dict[int, list[_Pair]] = {pk: [] for pk in wanted}
        columns = ("pk", "item", "item__key", "item__round", "item__original", "text", "system")
        stored = Simplification.objects.filter(item__study=study).order_by("pk")
        if wanted:
            for values in stored.values_list(*columns).iterator():
                pair = _Pair(*values)
                if pair.item in by_item:
                    by_item[pair.item].append(pair)
        return by_item

    def pair(self, row: JudgedRow) -> _Pair | Misfit | None:
        """The pair that a row is about; why it is none; or None where it would be new."""
        named = self.by_key.get(row.key)
        if named is not None and named[1] != row.original:
            return partial(other_text, key=row.key)
        items = [named[0]] if named is not None else self.by_text.get(row.original, [])
        if not items:
            return None
        alike = [
            pair
            for item in items
            for pair in self.pairs[item]
            if clean_text(pair.text) == row.simplification
            and (not row.system or pair.system == row.system)
        ]
        if len(alike) != 1:
            return ambiguous if alike else no_such_pair
        (pair,) = alike
        return pair if pair.round == Item.Round.MAIN else partial(not_main, key=pair.key)


def _moved(study: Study, attached: Sequence[tuple[JudgedRow, _Pair]]) -> Iterator[RowProblem]:
    """The rows whose marks would stand elsewhere in the stored text, as it begins otherwise."""
    marks = [slot.name for slot in study.protocol.slots if slot.is_marks]
    for row, pair in attached:
        same = pair.original.startswith(row.original) and pair.text.startswith(row.simplification)
        if not same and any(row.cells.get(name, "[]") != "[]" for name in marks):
            yield other_spaces(row.row, key=pair.key)


def _twice(
    study: Study, attached: Sequence[tuple[JudgedRow, _Pair]], judges: Mapping[str, str]
) -> Iterator[RowProblem]:
    """The rows of somebody who has judged their pair in the study or in an earlier row: under the
    name that the file has for them, or under the pseudonym that it becomes."""
    names = {name for row, _pair in attached for name in (row.annotator, judges[row.annotator])}
    given = Assignment.objects.filter(
        annotator__study=study, annotator__pseudonym__in=names, judgment__isnull=False
    )
    there = set(given.values_list("annotator__pseudonym", "simplification").order_by())
    first: dict[tuple[str, int], int] = {}
    for row, pair in attached:
        who = judges[row.annotator]
        earlier = first.setdefault((who, pair.pk), row.row)
        if {(who, pair.pk), (row.annotator, pair.pk)} & there:
            yield judged_here(row.row, key=pair.key)
        elif earlier != row.row:
            yield judged_in_two_rows(row.row, first=earlier)
