"""Sessions in the database, as Django keeps them; read at every request, so with a statement
composed once."""

from __future__ import annotations

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotation.prepared import Prepared

_SESSION = Prepared(lambda key: Session.objects.filter(session_key=key), key="no session's key")


class SessionStore(DatabaseSessions):
    """``SESSION_ENGINE`` names this module."""

    def _get_session_from_db(self) -> Session | None:
        found = _SESSION.first(key=self.session_key or "")
        if found is None or found.expire_date <= timezone.now():
            self._session_key = None
            return None
        return found
