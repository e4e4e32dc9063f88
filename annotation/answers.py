"""Which table holds which part of a judgment. The only module that knows.

A kind of field says what its answer amounts to (``Parts``); here these become rows, and rows become
parts again. No kind is named here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import NamedTuple

from annotation.models import ErrorDeduction, Judgment, Rating, SideAnswer
from annotation.protocols.base import Answers, MarkValue, PairFacts, Parts, RatingValue, Rulings
from annotation.protocols.protocol import Protocol
from annotation.rows import rows_insert

PARTS = ("ratings", "sides", "errors")
"""What to prefetch of judgments that ``restore`` reads."""
_RATING = tuple(field.name for field in fields(RatingValue))
_MARK = tuple(field.name for field in fields(MarkValue))


def store(judgment: Judgment, protocol: Protocol, answers: Answers, rulings: Rulings) -> None:
    """Write the rows of an unsealed, saved judgment that has none; at most three statements."""
    for rows in _rows(judgment, protocol.parts(answers, rulings)):
        rows_insert(*rows)


def store_parts(judged: Iterable[tuple[Judgment, Parts]]) -> None:
    """The same of many judgments."""
    of_each = [_rows(judgment, parts) for judgment, parts in judged]
    rows_insert(*(row for rows in of_each for row in rows.marks))
    rows_insert(*(row for rows in of_each for row in rows.sides))
    rows_insert(*(row for rows in of_each for row in rows.ratings))


class _Rows(NamedTuple):
    marks: list[ErrorDeduction]
    sides: list[SideAnswer]
    ratings: list[Rating]


def _rows(judgment: Judgment, parts: Parts) -> _Rows:
    return _Rows(
        [
            ErrorDeduction(judgment=judgment, **{name: getattr(mark, name) for name in _MARK})
            for mark in parts.marks
        ],
        [
            SideAnswer(judgment=judgment, field=name, value=value)
            for name, value in parts.sides.items()
        ],
        [
            Rating(judgment=judgment, **{name: getattr(rating, name) for name in _RATING})
            for rating in parts.ratings.values()
        ],
    )


def clear(judgment: Judgment) -> None:
    """Remove every row of an unsealed judgment, before others are stored."""
    judgment.ratings.all().delete()
    judgment.sides.all().delete()
    judgment.errors.all().delete()


def restore(judgment: Judgment, protocol: Protocol) -> Answers:
    """The answers that a stored judgment was made of. An imported one may lack some: they stay
    empty."""
    ratings = {
        rating.dimension: RatingValue(**{name: getattr(rating, name) for name in _RATING})
        for rating in judgment.ratings.all()
    }
    sides = {side.field: side.value for side in judgment.sides.all()}
    marks = [
        MarkValue(**{name: getattr(mark, name) for name in _MARK}) for mark in judgment.errors.all()
    ]
    return protocol.restore(Parts(ratings, sides, marks))


def facts(*, original: str, simplification: str, is_identical: bool, language: str) -> PairFacts:
    """What a machine knows about a pair, from the columns of its simplification."""
    return PairFacts(
        original_length=len(original),
        simplification_length=len(simplification),
        is_identical=is_identical,
        is_other_language=language not in ("", "fr"),
        original=original,
        simplification=simplification,
    )
