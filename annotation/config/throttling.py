"""Who is behind a log-in attempt, as the lockout counts them."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest


def login_name(request: HttpRequest | None, credentials: dict[str, Any] | None = None) -> str:
    """The address tried, in the form in which accounts are stored: case must not buy further
    attempts."""
    given = (credentials or {}).get("username")
    if given is None and request is not None:
        given = request.POST.get("username")
    return str(given or "").strip().lower()


# Some proxies name the port as well: each connection of the same person has another one.
_WITH_PORT = re.compile(r"\[([^\[\]]*)\](?::\d+)?|([^:]*):\d+")


def client_address(request: HttpRequest) -> str:
    """The client's address, from X-Forwarded-For only as far as our own proxies wrote it."""
    trusted: int = settings.TRUSTED_PROXIES
    header: str = request.META.get("HTTP_X_FORWARDED_FOR", "")
    forwarded = [part.strip() for part in header.split(",") if part.strip()]
    if trusted and len(forwarded) >= trusted and (said := _address(forwarded[-trusted])):
        return said
    return str(request.META.get("REMOTE_ADDR", ""))


def _address(text: str) -> str:
    """The network address that a proxy names; "" for none, which no database would take."""
    match = _WITH_PORT.fullmatch(text)
    bare = (match[1] or match[2] or "") if match else text
    try:
        return str(ip_address(bare.partition("%")[0]))
    except ValueError:
        return ""
