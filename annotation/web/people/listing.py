"""The table of a study's annotators in the order, and of the state, that its reader asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.accents import composed
from annotation.models import Annotator
from annotation.selectors.watching.progress import AnnotatorProgress

_NEVER = datetime.min.replace(tzinfo=UTC)
ORDER_LABELS: dict[str, Promise] = {
    "": _("as they came"),
    "person": _("by person"),
    "least": _("least done first"),
    "most": _("most done first"),
    "quiet": _("longest quiet first"),
}
STATE_LABELS: dict[str, Promise] = {
    "": _("all"),
    "active": _("active"),
    "withdrawn": _("withdrawn"),
    "erased": _("erased"),
}


def _share(progress: AnnotatorProgress) -> float:
    total = progress.practice_total + progress.main_total
    return (progress.practice_done + progress.main_done) / total if total else 0.0


_ORDERS: dict[str, Callable[[AnnotatorProgress], Any]] = {
    # Letters before their accents: Émile stands among those with E.
    "person": lambda progress: composed(str(progress.annotator.user or ""), "NFKD").casefold(),
    "least": _share,
    "most": lambda progress: -_share(progress),
    "quiet": lambda progress: progress.last_at or _NEVER,
}


def people_listed(progress: Sequence[AnnotatorProgress], query: QueryDict) -> dict[str, Any]:
    """The rows and what was asked for; an order or state that nobody offers is as good as none.
    Among equals the order in which they came stays."""
    order, state = query.get("order", ""), query.get("state", "")
    rows = [row for row in progress if _fits(row, state)]
    if order in _ORDERS:
        rows.sort(key=_ORDERS[order])
    return {
        "progress": rows,
        "anybody": bool(progress),
        "order": order,
        "state": state,
        "orders": ORDER_LABELS,
        "states": STATE_LABELS,
    }


def person_row(progress: AnnotatorProgress) -> list[object]:
    """The cells of one annotator in a file; without an account, what they are stands for who."""
    annotator, user = progress.annotator, progress.annotator.user
    return [
        *(
            annotator.pseudonym,
            str(
                _("erased account") if annotator.is_erased else user or annotator.get_kind_display()
            ),
            user.email if user else "",
        ),
        *(
            progress.practice_done,
            progress.practice_total,
            progress.main_done,
            progress.main_total,
            progress.drafts,
        ),
        round(progress.active_hours, 1),
        progress.last_at.isoformat(timespec="minutes") if progress.last_at else None,
        str(STATE_LABELS[_states(annotator)[0]]),
    ]


def _fits(progress: AnnotatorProgress, state: str) -> bool:
    return state not in STATE_LABELS or not state or state in _states(progress.annotator)


def _states(annotator: Annotator) -> list[str]:
    """What the table calls them first: whoever is left out with their erasure is withdrawn too."""
    left = {"withdrawn": annotator.withdrawn_at is not None, "erased": annotator.is_erased}
    return [state for state, is_so in left.items() if is_so] or ["active"]
