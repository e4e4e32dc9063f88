"""What every page's frame shows."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language

from annotation.access import studies_led
from annotation.models import User
from annotation.web.platform.sessions import session_seconds_at_least
from annotation.web.platform.user_ref import former_refs, user_ref

# The pages that the frame's own column leads to.
_PLACES = frozenset({"home", "people", "scorers", "system"})


def _place(request: HttpRequest) -> str:
    """Which of the frame's own pages this is; "" for all others."""
    match = request.resolver_match
    return match.url_name if match and match.url_name in _PLACES else ""


def site(request: HttpRequest) -> dict[str, Any]:
    """``site``: the demonstration flag, the reader's preferences, whether they lead anything, and
    what a script needs to warn before the log-in ends (empty for who is not logged in)."""
    reader = getattr(request, "user", None)
    user = reader if isinstance(reader, User) else None
    return {
        "site": {
            "demo": settings.DEMO,
            "at": _place(request),
            "language": get_language() or "fr",
            "theme": user.theme if user else "auto",
            "type_size": user.type_size if user else "m",
            "spacing": user.spacing if user else "normal",
            "typeface": user.typeface if user else "standard",
            # Lazy: most pages of annotators never ask.
            "leads": SimpleLazyObject(lambda: user is not None and studies_led(user).exists()),
            # What waits in this browser is theirs under these names.
            "user_ref": SimpleLazyObject(lambda: user_ref(user)) if user else "",
            "former_refs": SimpleLazyObject(lambda: " ".join(former_refs(user))) if user else "",
            "session_url": reverse("session") if user else "",
            "session_seconds": session_seconds_at_least(request) if user else "",
        }
    }
