"""The history of a draft: what was decided against is kept for a month, and can be brought back.

Nothing is written on the ordinary path: only a save that settles a conflict between two versions,
or brings a former one back, comes here, within its own transaction and holding its assignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Assignment, Draft, DraftVersion
from annotation.protocols.base import Answers
from annotation.protocols.kinds import ShapeError
from annotation.protocols.protocol import Protocol

Origin = DraftVersion.Origin

KEPT_FOR = timedelta(days=30)
MOST_KEPT = 20
# One conflict puts one or two aside; a program may be behind with more.
MOST_AT_ONCE = 20


@dataclass(frozen=True)
class Aside:
    """Answers that their annotator decided against; the server may never have had them."""

    answers: Any
    origin: str = Origin.REFUSED
    typed_at: datetime = field(default_factory=timezone.now)


def asides_clean(protocol: Protocol, asides: Sequence[Aside]) -> list[Aside]:
    """The same in the protocol's shape. Raises ``RuleError``: too many, or not answers at all."""
    if len(asides) > MOST_AT_ONCE:
        raise RuleError.single(
            "aside",
            "too_many",
            f"Au plus {MOST_AT_ONCE} versions écartées à la fois.",
            f"At most {MOST_AT_ONCE} versions are put aside at once.",
        )
    now = timezone.now()
    try:
        return [
            Aside(protocol.clean(aside.answers), aside.origin, min(aside.typed_at, now))
            for aside in asides
        ]
    except ShapeError as error:
        raise RuleError([error.problem]) from error


def versions_keep(
    assignment: Assignment, draft: Draft, answers: Answers, asides: Sequence[Aside], origin: str
) -> int:
    """Keep what ``answers``, about to become the draft, put aside: the draft as it stands (under
    ``origin``) and the ``asides``. What equals the answers, or an empty form, is not worth keeping;
    how many were kept."""
    candidates = [*asides]
    if draft.revision:
        candidates.append(Aside(draft.answers, origin, draft.saved_at))
    known = [answers, assignment.annotator.study.protocol.empty_answers()]
    fresh: list[Aside] = []
    for aside in candidates:
        if aside.answers not in known:
            known.append(aside.answers)
            fresh.append(aside)
    rows = DraftVersion.objects.filter(assignment=assignment)
    last = rows.aggregate(last=Max("number"))["last"] or 0
    kept = [aside.answers for aside in fresh]
    # Put aside once more, it is the newest again, and its month begins anew.
    again = [number for number, answers in rows.values_list("number", "answers") if answers in kept]
    rows.filter(number__in=again).delete()
    DraftVersion.objects.bulk_create(
        DraftVersion(
            assignment=assignment,
            number=number,
            answers=aside.answers,
            origin=aside.origin,
            saved_at=aside.typed_at,
        )
        for number, aside in enumerate(fresh, start=last + 1)
    )
    rows.filter(number__lte=last + len(fresh) - MOST_KEPT).delete()
    return len(fresh)


def draft_versions_expire() -> int:
    """Remove what nobody has brought back in a month; how many were removed."""
    return DraftVersion.objects.filter(kept_at__lt=timezone.now() - KEPT_FOR).delete()[0]
