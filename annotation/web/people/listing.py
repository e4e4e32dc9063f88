"""The table of a study's annotators in the order, and of the state, that its reader asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.accents import composed
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
}


def _share(one: AnnotatorProgress) -> float:
    total = one.practice_total + one.main_total
    return (one.practice_done + one.main_done) / total if total else 0.0


_ORDERS: dict[str, Callable[[AnnotatorProgress], Any]] = {
    # Letters before their accents: Émile stands among those with E.
    "person": lambda one: composed(str(one.annotator.user or ""), "NFKD").casefold(),
    "least": _share,
    "most": lambda one: -_share(one),
    "quiet": lambda one: one.last_at or _NEVER,
}


def people_listed(progress: Sequence[AnnotatorProgress], asked: QueryDict) -> dict[str, Any]:
    """The rows and what was asked for; an order or state that nobody offers is as good as none.
    Among equals the order in which they came stays."""
    order, state = asked.get("order", ""), asked.get("state", "")
    rows = [one for one in progress if _fits(one, state)]
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


def person_row(one: AnnotatorProgress) -> list[object]:
    """The cells of one annotator in a file; without an account, what they are stands for who."""
    annotator, user = one.annotator, one.annotator.user
    return [
        *(
            annotator.pseudonym,
            str(user or annotator.get_kind_display()),
            user.email if user else "",
        ),
        *(one.practice_done, one.practice_total, one.main_done, one.main_total, one.drafts),
        round(one.active_hours, 1),
        one.last_at.isoformat(timespec="minutes") if one.last_at else None,
        str(STATE_LABELS["withdrawn" if annotator.withdrawn_at else "active"]),
    ]


def _fits(one: AnnotatorProgress, state: str) -> bool:
    is_gone = one.annotator.withdrawn_at is not None
    return {"active": not is_gone, "withdrawn": is_gone}.get(state, True)
