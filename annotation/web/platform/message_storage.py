"""Where a sentence waits for the page that says it.

Rests on what Django's storages give each other and nobody else: ``_get`` and ``_store``.

What would remove it: a storage of Django's that keeps with a log-in what is said to it.
"""

from __future__ import annotations

from typing import Any

from django.contrib.messages.storage.base import BaseStorage
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.session import SessionStorage
from django.http import HttpRequest, HttpResponse

READ_AGAINST = "5.2"
"""The Django that this was read against (``tests/house/test_read_against.py``)."""


class OwnMessages(BaseStorage):
    """With the log-in of whom it is for: it names people, and a cookie would give it to whoever
    comes to that browser once the log-in has ended. Whoever is not logged in has a cookie alone."""

    def __init__(self, request: HttpRequest, *of: Any, **named: Any) -> None:
        super().__init__(request, *of, **named)
        self._cookie: Any = CookieStorage(request)
        self._session: Any = SessionStorage(request)

    def _get(self, *_of: Any, **_named: Any) -> tuple[list[Any], bool]:
        # As Django's own storage of several does.
        in_cookie, in_session = self._cookie._get()[0], self._session._get()[0]  # noqa: SLF001
        return [*(in_cookie or ()), *(in_session or ())], True

    def _store(self, messages: list[Any], response: HttpResponse, *_of: Any, **_named: Any) -> Any:
        is_person = self.request.user.is_authenticated
        self._session._store(messages if is_person else [], response)  # noqa: SLF001
        if not is_person or CookieStorage.cookie_name in self.request.COOKIES:
            self._cookie._store([] if is_person else messages, response)  # noqa: SLF001
        return []
