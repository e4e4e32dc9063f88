"""Which table holds which kind of field. The only module that knows.

A dimension is a ``Rating`` row, a legal error is an ``ErrorDeduction`` row, a text or a flag is a
column of the ``Judgment``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from annotation.models import ErrorDeduction, Judgment, Rating
from annotation.protocols.base import Answers, PairFacts, Settings
from annotation.protocols.fields import SPAN_NAMES, BracketedScale, Choice, ErrorList, Flag, Text
from annotation.protocols.protocol import Protocol


def columns(protocol: Protocol, answers: Answers) -> dict[str, Any]:
    """What of the answers stands in columns of the judgment itself."""
    return {
        field.name: answers[field.name]
        for field in protocol.fields
        if isinstance(field, Text | Flag)
    }


def rating_rows(
    judgment: Judgment, protocol: Protocol, answers: Answers, settings: Settings
) -> list[Rating]:
    """The judgment's ratings, unsaved; one per dimension."""
    return [
        Rating(judgment=judgment, **asdict(rating))
        for rating in protocol.ratings(answers, settings)
    ]


def error_rows(judgment: Judgment, protocol: Protocol, answers: Answers) -> list[ErrorDeduction]:
    """The judgment's errors, unsaved, numbered from 1 in the order in which they were listed."""
    return [
        ErrorDeduction(judgment=judgment, ordinal=ordinal, **error)
        for field in protocol.fields
        if isinstance(field, ErrorList)
        for ordinal, error in enumerate(answers[field.name], start=1)
    ]


def store(judgment: Judgment, protocol: Protocol, answers: Answers, settings: Settings) -> None:
    """Write the rows of an unsealed, saved judgment whose former rows are gone."""
    ErrorDeduction.objects.bulk_create(error_rows(judgment, protocol, answers))
    Rating.objects.bulk_create(rating_rows(judgment, protocol, answers, settings))


def restore(judgment: Judgment, protocol: Protocol) -> Answers:
    """The answers that a stored judgment was made of. An imported one has no bracket: it stays
    empty."""
    ratings = {rating.dimension: rating for rating in judgment.ratings.all()}
    answers = protocol.empty_answers()
    for field in protocol.fields:
        if isinstance(field, Choice) and field.name in ratings:
            answers[field.name] = ratings[field.name].value
        elif isinstance(field, BracketedScale) and field.dimension_name in ratings:
            rating = ratings[field.dimension_name]
            answers[field.name] = rating.bracket
            answers["crossing_answer"] = rating.crossing_answer
            answers["moved_from"] = rating.moved_from
        elif isinstance(field, ErrorList):
            answers[field.name] = [
                {
                    "type": error.type,
                    "note": error.note,
                    **{name: getattr(error, name) for name in SPAN_NAMES},
                }
                for error in judgment.errors.all()
            ]
        elif isinstance(field, Text | Flag):
            answers[field.name] = getattr(judgment, field.name)
    return answers


def facts(*, original: str, simplification: str, is_identical: bool, language: str) -> PairFacts:
    """What a machine knows about a pair, from the columns of its simplification."""
    return PairFacts(
        original_length=len(original),
        simplification_length=len(simplification),
        is_identical=is_identical,
        is_other_language=language not in ("", "fr"),
    )
