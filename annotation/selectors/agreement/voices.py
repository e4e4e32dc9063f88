"""One judgment of a pair as others than its annotator read it: on the page of an item, in a case,
at a meeting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.answers import restore
from annotation.models import Judgment, Study
from annotation.protocols.base import Answers


@dataclass(frozen=True)
class Voice:
    """``name``: as the reader is to know whoever judged, by pseudonym, by a number of this pair
    alone, or by their own name where a meeting shows names. ``mark``: what their errors are drawn
    under, short. ``pseudonym``, ``judgment``: whose it is and which; empty for what nobody
    submitted, as a reference. ``late``: submitted after the meeting was opened."""

    name: str
    answers: Answers
    ratings: Mapping[str, int]
    mark: str
    pseudonym: str = ""
    judgment: int | None = None
    is_imported: bool = False
    late: bool = False


def voice_of(
    study: Study, judgment: Judgment, *, name: str = "", mark: str = "", late: bool = False
) -> Voice:
    """A submitted judgment; under the pseudonym unless it is to have another name or mark. Fetch it
    with its ratings and errors, and with its assignment's annotator."""
    pseudonym = judgment.assignment.annotator.pseudonym
    return Voice(
        name=name or pseudonym,
        answers=restore(judgment, study.protocol),
        ratings={rating.dimension: rating.value for rating in judgment.ratings.all()},
        mark=mark or pseudonym,
        pseudonym=pseudonym,
        judgment=judgment.pk,
        is_imported=judgment.origin == Judgment.Origin.IMPORTED,
        late=late,
    )
