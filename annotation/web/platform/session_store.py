"""Sessions in the database, under a digest of their key.

The key is in its browser's cookie and nowhere else: whoever reads the database, or a backup of it,
would otherwise take up each log-in that is open, that of an admin among them.

Rests on a part of Django's that is nobody's to rely on: ``_get_session_from_db``, by which a
session's row is looked for.

What would remove it: a Django that stores a digest itself.
"""

from __future__ import annotations

import hashlib
from typing import Any, cast

from django.contrib.sessions.backends.db import SessionStore as KeyStore
from django.contrib.sessions.models import Session
from django.utils import timezone

READ_AGAINST = "5.2"
"""The Django that this was read against (``tests/house/test_read_against.py``)."""
_KEY_CHARACTERS, _DIGEST_CHARACTERS = 32, 40
"""Of Django's keys; and as many as the column takes."""


def key_digest(key: str) -> str:
    """What is stored of a session's key. Its 165 random bits need no slow hash."""
    return hashlib.sha256(key.encode()).hexdigest()[:_DIGEST_CHARACTERS]


class SessionStore(KeyStore):
    """Django's, which looks for the key itself. Called as that is: what it signs bears the name of
    its class, and ``Session.get_decoded`` reads it by that."""

    # Of a version before: its row has the key itself, and ends with the log-in.
    _former_key: str | None = None

    @property
    def row_key(self) -> str | None:
        """The key of this session's row; None where there is none yet."""
        return None if self.session_key is None else self._row_key_of(self.session_key)

    def _row_key_of(self, key: str) -> str:
        return key if key == self._former_key else key_digest(key)

    def _get_session_from_db(self) -> Session | None:
        key = self.session_key or ""
        names = [key_digest(key)]
        if len(key) == _KEY_CHARACTERS:
            # Nobody is let in by a digest, which is longer.
            names.append(key)
        rows = Session.objects.filter(session_key__in=names, expire_date__gt=timezone.now())
        row = rows.first()
        if row is None:
            self._session_key = None
        elif row.session_key == key:
            self._former_key = key
        return row

    def exists(self, session_key: str | None = None) -> bool:
        return super().exists(self._row_key_of(session_key or ""))

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row = cast(Session, super().create_model_instance(data))
        row.session_key = self._row_key_of(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            super().delete(self._row_key_of(key))
