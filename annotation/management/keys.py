"""The installation's key, for commands that cannot do without: where it is missing Django would
name a setting that nobody here sets."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

_SET_KEY = (
    "Set BAREME_SECRET_KEY (or BAREME_SECRET_KEY_FILE) to the key that the server runs with; where "
    "there is none yet, to the output of: python3 -c 'import secrets; "
    "print(secrets.token_urlsafe(50))'. Of a demonstration set BAREME_DEMO=1: it has its own."
)
KEY_MISSING = f"There is no secret key. {_SET_KEY}"


def need_key(which: str) -> None:
    """Refuse to begin where there is no key. ``which``: what it does here. Raises ``CommandError``
    that names the setting."""
    try:
        bool(settings.SECRET_KEY)
    except ImproperlyConfigured as error:
        raise CommandError(f"There is no secret key, {which}. {_SET_KEY}") from error
