"""The page of a request for erasure: where the person is mentioned, and the statement of what was
done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import ErasureRequest, User
from annotation.privacy.names import Doubt
from annotation.selectors.base.redaction import MARK
from annotation.selectors.privacy.erasure_places import (
    ELSEWHERE,
    Excerpt,
    edits,
    excerpts,
    readable_studies,
)
from annotation.selectors.privacy.free_text import FREE_TEXT, TO_EDIT
from annotation.selectors.privacy.identity import Identity
from annotation.services.privacy.erasure_requests import erasure_places
from annotation.services.privacy.invited import address_held, address_places

WHY: dict[str, Promise] = {
    Doubt.WORD: _("the name is an ordinary word too"),
    Doubt.INITIALS: _("initials may be somebody else's"),
    ELSEWHERE: _("the address, in a study in which this person has no part"),
}


def mentions_shown(
    user: User, request: ErasureRequest, seen: frozenset[str] | None
) -> dict[str, Any]:
    """What the page lists. ``seen``: the mentions of an earlier look; those since are marked as
    new."""
    places = erasure_places(user, request)
    readable = readable_studies(user)
    rows = [_row(excerpt, seen) for excerpt in excerpts(places, readable)]
    return {
        "mentions": rows,
        "out": sum(row["is_taken"] for row in rows),
        "edits": edits(Identity.of(request.user), readable),
        "seen": " ".join(place.shown for place in places),
        "mark": MARK,
    }


def _row(excerpt: Excerpt, seen: frozenset[str] | None) -> dict[str, Any]:
    place = excerpt.place
    return {
        "excerpt": excerpt,
        "key": place.key,
        "shown": place.shown,
        "label": place.label,
        "is_taken": place.is_taken,
        "why": WHY.get(place.doubt, ""),
        "choice": place.choice,
        "is_new": seen is not None and place.shown not in seen,
    }


def address_shown(user: User, email: str) -> dict[str, Any]:
    """What is held of an address that no account has, and where people typed it."""
    mentions = excerpts(address_places(email), readable_studies(user))
    return {"email": email, "held": address_held(email), "mentions": mentions}


def statement_shown(statement: Mapping[str, Any]) -> dict[str, Any]:
    """What was done, with the mentions that stay in words. Statements from before mentions were
    listed have none."""
    left = [
        {
            "label": FREE_TEXT[row["column"]].label,
            "row": row["pk"],
            "why": WHY.get(row["why"], row["why"]),
        }
        for row in statement.get("left", [])
        if row["column"] in FREE_TEXT
    ]
    edit = [
        {"label": TO_EDIT[row["column"]][0], "study": row["study"]}
        for row in statement.get("to_edit", [])
        if row["column"] in TO_EDIT
    ]
    return {"statement": statement, "left": left, "to_edit": edit}
