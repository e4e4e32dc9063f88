"""A name for a user in the page that tells nobody who it is."""

from __future__ import annotations

from django.utils.crypto import salted_hmac

from annotation.models import User


def user_ref(user: User) -> str:
    """An opaque, stable reference: local copies of answers are kept under it, so that the next
    person to log in on the same computer never gets somebody else's."""
    return salted_hmac("bareme.user_ref", str(user.pk)).hexdigest()[:20]
