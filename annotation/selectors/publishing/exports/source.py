"""A study's judgments as exports read them: a few thousand at a time, by keys, so that memory does
not grow with the study. Five queries per batch, whatever is in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    Count,
    F,
    FilteredRelation,
    Func,
    Q,
    QuerySet,
    TextField,
    Value,
    When,
)

from annotation.models import (
    ErrorDeduction,
    GuideVersion,
    Item,
    Judgment,
    SideAnswer,
    Simplification,
    Study,
)
from annotation.prepared import Prepared
from annotation.protocols.columns import OF_A_MARK
from annotation.selectors.base.pseudonyms import Disclosure, disclosure
from annotation.selectors.base.rounds import items_in, judgments_in
from annotation.selectors.publishing.exports.options import ExportOptions

BATCH = 2000

Row = tuple[Any, ...]
"""One judgment; ``Source.place`` says where each value stands in it."""


class Pair(NamedTuple):
    """One simplification with its item."""

    id: int
    item_key: str
    item_position: int
    round: str
    source: str
    context_before: str
    original: str
    context_after: str
    system: str
    simplification: str
    position: int
    language: str
    is_identical: bool

    @property
    def key(self) -> str:
        """Stable across exports and re-imports, as the item's key is."""
        return f"{self.item_key}/{self.position}"


_PAIR = (
    "pk",
    *(
        f"item__{name}"
        for name in ("key", "position", "round", "source", "context_before", "original")
    ),
    "item__context_after",
    *("system", "text", "position", "language", "is_identical"),
)

ErrorRow = tuple[Any, ...]
"""Judgment and field of one mark, then its parts in the order of ``OF_A_MARK``."""

_ERROR = ("judgment", "field", *OF_A_MARK)

SideRow = tuple[int, str, str]
"""Judgment, field and value of one answer beside the ratings."""

_SIDE = ("judgment", "field", "value")
_OWN = (
    *(
        "pk",
        "assignment__simplification_id",
        "assignment__annotator_id",
        "origin",
        "revision",
        "guide_id",
    ),
    *("started_at", "submitted_at", "active_seconds", "imported_row", "assignment__context_shown"),
    *("assignment__renderings_at", "assignment__glossary_at"),
)
_OF_SCALE = (
    "value",
    "derivation",
    "bracket",
    "deductions",
    "crossing_policy",
    "crossing_answer",
    "moved_from",
)


# Stand-ins for positions in statements that are composed once for all batches.
_AFTER, _LAST = 2_000_000_001, 2_000_000_002


@dataclass(frozen=True)
class _Queries:
    """What each batch asks for, between two positions."""

    positions: Prepared[int]
    pairs: Prepared[Row]
    judgments: Prepared[Row]
    sides: Prepared[SideRow]
    errors: Prepared[ErrorRow]


@dataclass
class Batch:
    """Some pairs in order, and the judgments of each in the annotators' order."""

    pairs: list[Pair]
    judgments: dict[int, list[Row]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Pair, list[Row]]]:
        return ((pair, self.judgments.get(pair.id, [])) for pair in self.pairs)


class Source:
    """One study under one set of options. Use it within ``one_moment()``, so that every batch sees
    the same moment."""

    def __init__(self, study: Study, options: ExportOptions) -> None:
        self.study = study
        self.options = options
        self.protocol = study.protocol
        self.disclosure: Disclosure = disclosure(
            study,
            withdrawn=options.withdrawn,
            machines=options.machines,
            coarse_times=options.coarse_times,
        )
        names = [*_OWN]
        for dimension in self.protocol.dimensions:
            names += [f"{_alias(dimension)}__{name}" for name in self._rating_columns(dimension)]
        self._columns = [_expression(name, {"assignment__context_shown"}) for name in names]
        self._origin = names.index("origin")
        self._errors: dict[int, list[ErrorRow]] = {}
        # What stands beside the ratings is read by itself: most judgments have none of it.
        self._beside = {name: place for place, name in enumerate(self.protocol.sides)}
        self._nothing = ("",) * len(self._beside)
        read = [*map(_plain, names), *self._beside]
        self.place = {name: index for index, name in enumerate(read)}
        counts = [f"{scale.dimension_name}.deductions" for scale in self.protocol.bracketed]
        counts += [f"{marked.counted}.value" for marked in self.protocol.marked if marked.counted]
        self._counted = [self.place[name] for name in counts if name in self.place]

    @cached_property
    def guides(self) -> dict[int, int]:
        """Numbers of the guide's versions, by id."""
        return dict(
            GuideVersion.objects.filter(study=self.study).order_by().values_list("pk", "number")
        )

    def count(self) -> int:
        """How many judgments there are to export."""
        return self._judgments().count()

    def count_pairs(self) -> int:
        return Simplification.objects.filter(item__in=self._items()).count()

    def count_judged_pairs(self, dimension: str = "") -> int:
        """How many simplifications somebody has judged; on this dimension, where one is named."""
        judgments = self._judgments().order_by()
        if dimension:
            judgments = judgments.filter(ratings__dimension=dimension)
        return judgments.values("assignment__simplification").distinct().count()

    def count_errors(self) -> int:
        return ErrorDeduction.objects.filter(judgment__in=self._judgments()).count()

    def batches(self, *, errors: bool = False, sides: bool = True) -> Iterator[Batch]:
        """Every pair in the study's order, judged or not. ``errors``: read them too, for
        ``errors_of``. ``sides``: with what was answered beside the ratings; without, the rows end
        before it."""
        queries, after = self._queries(self._items_per_batch()), -1
        while positions := queries.positions.rows(after=after):
            last = positions[-1]
            pairs = [Pair(*row) for row in queries.pairs.rows(after=after, last=last)]
            judged = queries.judgments.rows(after=after, last=last)
            if sides and self._beside:
                answers = self._by_judgment(queries.sides.rows(after=after, last=last))
                judged = [row + answers.get(row[0], self._nothing) for row in judged]
            batch = self._batch(pairs, judged)
            self._errors = (
                _by_judgment(queries.errors.rows(after=after, last=last)) if errors else {}
            )
            yield batch
            after = last

    def errors_of(self, row: Row) -> Sequence[ErrorRow] | None:
        """The errors, in order, of a judgment of the latest batch. None if it was imported without:
        it may have had some, unknown, unless it says how its score follows from them."""
        errors = self._errors.get(row[0], ())
        if errors or row[self._origin] != Judgment.Origin.IMPORTED:
            return errors
        return errors if any(row[place] is not None for place in self._counted) else None

    def _queries(self, size: int) -> _Queries:
        return _Queries(
            positions=Prepared(lambda after: self._positions(after, size), after=_AFTER),
            pairs=Prepared(self._pairs, after=_AFTER, last=_LAST),
            judgments=Prepared(self._judgments_within, after=_AFTER, last=_LAST),
            sides=Prepared(self._sides_within, after=_AFTER, last=_LAST),
            errors=Prepared(self._errors_within, after=_AFTER, last=_LAST),
        )

    def _by_judgment(self, sides: Iterable[SideRow]) -> dict[int, tuple[str, ...]]:
        """What was answered beside the ratings, in the order of ``place``; "" where nothing was."""
        answers: dict[int, list[str]] = {}
        for judgment, field_name, value in sides:
            if field_name in self._beside:
                answers.setdefault(judgment, [*self._nothing])[self._beside[field_name]] = value
        return {judgment: tuple(values) for judgment, values in answers.items()}

    def _positions(self, after: int, size: int) -> QuerySet[Item, int]:
        items = self._items().filter(position__gt=after).order_by("position")
        return items.values_list("position", flat=True)[:size]

    def _pairs(self, after: int, last: int) -> QuerySet[Simplification, Row]:
        pairs = Simplification.objects.filter(self._within(after, last, "item__"))
        return pairs.order_by("item__position", "position", "pk").values_list(*_PAIR)

    def _judgments_within(self, after: int, last: int) -> QuerySet[Judgment, Row]:
        judgments = Judgment.objects.filter(
            self._within(after, last, "assignment__simplification__item__"),
            judgments_in(self.options.round),
            submitted_at__isnull=False,
        )
        return self._values(judgments)

    def _sides_within(self, after: int, last: int) -> QuerySet[SideAnswer, SideRow]:
        within = self._within(after, last, "judgment__assignment__simplification__item__")
        return SideAnswer.objects.filter(within).order_by().values_list(*_SIDE)

    def _errors_within(self, after: int, last: int) -> QuerySet[ErrorDeduction, ErrorRow]:
        within = self._within(after, last, "judgment__assignment__simplification__item__")
        return ErrorDeduction.objects.filter(within).order_by().values_list(*_ERROR)

    def _within(self, after: int, last: int, prefix: str) -> Q:
        """Rows of the items from one position (excluded) to another: a range, because thousands of
        ids as parameters cost more than the rows."""
        condition = Q(
            **{
                f"{prefix}study": self.study,
                f"{prefix}position__gt": after,
                f"{prefix}position__lte": last,
            }
        )
        return condition & items_in(self.options.round, prefix)

    def imported(self) -> Iterator[tuple[str, str, Row]]:
        """(original, simplification, judgment) of imported judgments in the order of the file they
        came from."""
        keys = (
            self._judgments()
            .filter(imported_row__isnull=False)
            .order_by("imported_row", "pk")
            .values_list("pk", flat=True)
            .iterator(chunk_size=BATCH)
        )
        while chunk := list(islice(keys, BATCH)):
            query = self._values(
                Judgment.objects.filter(pk__in=chunk),
                "assignment__simplification__item__original",
                "assignment__simplification__text",
            )
            sides = SideAnswer.objects.filter(judgment__in=chunk).order_by().values_list(*_SIDE)
            beside = self._by_judgment(sides)
            by_pk = {row[0]: row for row in query}
            for pk in chunk:
                *own, original, simplification = by_pk[pk]
                yield original, simplification, (*own, *beside.get(pk, self._nothing))

    def judging(self) -> set[int]:
        """Ids of the annotators of whom there is anything to export."""
        return set(
            self._judgments()
            .order_by()
            .values_list("assignment__annotator_id", flat=True)
            .distinct()
        )

    def has_own(self) -> bool:
        """Whether anything was judged here, rather than imported."""
        return self._judgments().filter(imported_row__isnull=True).exists()

    def _items(self) -> QuerySet[Item]:
        return Item.objects.filter(items_in(self.options.round), study=self.study)

    def _judgments(self) -> QuerySet[Judgment]:
        judgments = Judgment.objects.filter(
            judgments_in(self.options.round),
            submitted_at__isnull=False,
            assignment__simplification__item__study=self.study,
        )
        # Rather than to name who stays: SQLite would go through annotators, and take twice as long.
        # Nobody but a study's annotators has assignments in it.
        return (
            judgments.exclude(assignment__annotator__in=self.disclosure.left_out)
            if self.disclosure.left_out
            else judgments
        )

    def _items_per_batch(self) -> int:
        """So many that a batch of a complete study holds about ``BATCH`` judgments."""
        numbers = self._items().aggregate(
            items=Count("pk", distinct=True), pairs=Count("simplifications")
        )
        per_item = (
            max(1, len(self.disclosure.raters))
            * max(1, numbers["pairs"])
            / max(1, numbers["items"])
        )
        return max(1, int(BATCH / per_item))

    def _batch(self, pairs: list[Pair], rows: Iterable[Row]) -> Batch:
        raters = self.disclosure.raters
        rater, pair = self.place["annotator_id"], self.place["simplification_id"]
        judgments: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            if row[rater] in raters:
                judgments[row[pair]].append(row)
        for of_pair in judgments.values():
            of_pair.sort(key=lambda row: raters[row[rater]].rank)
        return Batch(pairs, judgments)

    def _values(self, query: QuerySet[Judgment], *more: str) -> QuerySet[Judgment, Row]:
        """Judgments with their ratings beside them, one row each."""
        ratings = {
            _alias(dimension): FilteredRelation(
                "ratings", condition=Q(ratings__dimension=dimension)
            )
            for dimension in self.protocol.dimensions
        }
        return (
            query.order_by()
            .annotate(**ratings)
            .values_list(*self._columns, *(F(name) for name in more))
        )

    def _rating_columns(self, dimension: str) -> tuple[str, ...]:
        """The value, and of what it was derived from what its field exports."""
        exported = self.protocol.field_of(dimension).export()
        read = exported.reads if exported else ()
        return tuple(part for part in _OF_SCALE if part == "value" or f"{dimension}.{part}" in read)


_field_and_ordinal = itemgetter(*map(_ERROR.index, ("field", "ordinal")))


def _by_judgment(rows: Iterable[ErrorRow]) -> dict[int, list[ErrorRow]]:
    errors: dict[int, list[ErrorRow]] = defaultdict(list)
    for error in rows:
        errors[error[0]].append(error)
    for of_judgment in errors.values():
        # A database would sort those of all judgments together, which takes much longer.
        of_judgment.sort(key=_field_and_ordinal)
    return errors


class UtcText(Func):
    """A moment as text that begins "2025-03-31 14:05:09", in UTC; ``Disclosure.moment`` tells it.

    A ``datetime`` per row would cost many times as much, and so would formatting it in SQLite,
    which stores just that.
    """

    output_field = TextField()
    # Not the bare column: its declared type would make it a ``datetime``.
    template = "CAST(%(expressions)s AS text)"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
        return self.as_sql(compiler, connection, template=template)


def _expression(name: str, flags: set[str]) -> Any:
    """A value as the cheapest type that says it: rows without converters go straight through."""
    if name.endswith("_at"):
        return UtcText(name)
    return (
        Case(When(**{name: True}, then=Value("1")), default=Value("")) if name in flags else F(name)
    )


def _alias(dimension: str) -> str:
    return f"rated_{dimension}"


def _plain(name: str) -> str:
    """A value's name in ``Source.place``: "annotator_id", "comment", "simplicity.value"."""
    if name.startswith("rated_"):
        return name.removeprefix("rated_").replace("__", ".")
    return name.removeprefix("assignment__")
