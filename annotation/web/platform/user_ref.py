"""What a page knows its reader by, and what it seals their unsent answers with."""

from __future__ import annotations

import base64
import hashlib
import hmac

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from annotation.models import User

# Whose page asks, where a GET answers with what is one person's alone.
USER_HEADER = "X-Bareme-User"


def user_ref(user: User) -> str:
    """An opaque, stable reference: local copies of answers are kept under it, so that the next
    person to log in on the same computer never gets somebody else's."""
    return _derived(user, "reference").hex()[:20]


def former_refs(user: User) -> list[str]:
    """References that pages of earlier versions used; they changed with the signing key."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [
        salted_hmac("bareme.user_ref", str(user.pk), secret=secret).hexdigest()[:20]
        for secret in secrets
    ]


def is_ref_of(user: User, ref: object) -> bool:
    """Whether a page that says it belongs to ``ref`` is this user's."""
    return ref == user_ref(user) or ref in former_refs(user)


def is_page_of_other(request: HttpRequest, header: str) -> bool:
    """Whether the page that asks says by ``header`` that it belongs to somebody else: two people
    may share a browser, and a page of the first lives on while the second is logged in."""
    ref = request.headers.get(header)
    return bool(ref) and not is_ref_of(request.user, ref)  # type: ignore[arg-type]  # logged in


def copy_key(user: User) -> str:
    """The 256-bit key, in base64, under which the user's browsers seal answers that wait to be
    sent. Only to be put into what the user's own session receives."""
    return base64.b64encode(_derived(user, "copies")).decode()


def _derived(user: User, purpose: str) -> bytes:
    # One step of HKDF-Expand; the secret is uniform already.
    return hmac.digest(bytes(user.browser_secret), f"bareme.{purpose}\x01".encode(), hashlib.sha256)
