"""The institution's issuer as it describes itself (OpenID Connect Discovery 1.0): read in bounds,
by one request at a time, and anew every ten minutes."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from django.conf import settings

from annotation.bodies import json_body

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 5
"""For a connection, and between two pieces of an answer."""
LOOKED_SECONDS = 600
"""After which its description and keys are read again: it may have changed either."""
AWAY_SECONDS = 20
"""In which one that did not answer is not asked again: everybody would wait for it."""
_PATIENCE_SECONDS = 2
LARGEST = 1_000_000
"""Bytes of a description, or of keys."""
_ALGORITHMS = "id_token_signing_alg_values_supported"
_SIGNED_BY = frozenset(
    {*("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), *("ES256", "ES384", "ES512", "EdDSA")}
)
"""By a key of the institution's own: neither by nobody («none»), nor by the secret that is ours."""


class InstitutionAway(Exception):
    """It does not answer, or not as an issuer does."""


@dataclass
class _Looked:
    """What this process knows of the issuer; ``client`` is changed by nobody once it is here."""

    lock: Lock = field(default_factory=Lock)
    client: Any = None
    settings: dict[str, Any] | None = None
    until: float = 0.0
    away_until: float = 0.0


_looked = _Looked()


def issuer_client() -> Any:
    """Authlib's client of it. Raises ``InstitutionAway``, and ``odd`` for what is no issuer's
    description."""
    known = settings.INSTITUTION
    # Whoever comes while another looks does not wait as long as that.
    if not _looked.lock.acquire(timeout=_PATIENCE_SECONDS):
        raise InstitutionAway
    try:
        now = time.monotonic()
        if _looked.settings != known:
            issuer_forget()
        client = _looked.client
        if client is None or _looked.until < now:
            if _looked.away_until > now:
                raise InstitutionAway
            _looked.client, _looked.settings, _looked.away_until = None, known, now + AWAY_SECONDS
            client = _looked.client = _described(known)
            _looked.until, _looked.away_until = now + LOOKED_SECONDS, 0.0
        return client
    finally:
        _looked.lock.release()


def issuer_unlearn() -> None:
    """Read its description anew the next time: what it answered does not go with it."""
    _looked.client = None


def issuer_forget() -> None:
    """Know nothing of it."""
    _looked.client, _looked.away_until = None, 0.0


def odd() -> tuple[type[Exception], ...]:
    """What comes of an issuer that does not answer, or answers anything."""
    from requests import RequestException

    return (RequestException, RuntimeError, ValueError, KeyError, TypeError, AttributeError)


def away(error: Exception) -> InstitutionAway:
    """To raise for one of ``odd``, which the log is told in words of our own."""
    words = str(error) if isinstance(error, _Odd) else type(error).__name__
    log.error("The institution does not answer as an issuer: %s", words)
    issuer_unlearn()
    return InstitutionAway()


class _Odd(RuntimeError):
    """Said in the log: words of our own."""


def _described(known: dict[str, Any]) -> Any:
    """A client of the issuer as it describes itself now. Raises ``odd``."""
    from authlib.integrations.django_client import OAuth

    described = _read(f"{known['issuer'].rstrip('/')}/.well-known/openid-configuration")
    # OpenID Connect Discovery 1.0, section 4.3.
    if described["issuer"] != known["issuer"]:
        raise _Odd("it describes another issuer (a slash at the end?)")
    algorithms = _SIGNED_BY.intersection(described.get(_ALGORITHMS) or ["RS256"])
    if not algorithms:
        raise _Odd("it signs by no key")
    ways = described.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    is_post = "client_secret_basic" not in ways and "client_secret_post" in ways
    way = "client_secret_post" if is_post else "client_secret_basic"
    userinfo = described.get("userinfo_endpoint")
    return OAuth().register(
        "institution",
        client_id=known["client_id"],
        client_secret=known["client_secret"],
        authorize_url=_url(described["authorization_endpoint"], known),
        access_token_url=_url(described["token_endpoint"], known),
        client_kwargs={
            "scope": "openid email",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_SECONDS,
            "token_endpoint_auth_method": way,
        },
        # Of all that it says, what is used.
        issuer=known["issuer"],
        jwks=_read(_url(described["jwks_uri"], known)),
        jwks_uri=_url(described["jwks_uri"], known),
        **({"userinfo_endpoint": _url(userinfo, known)} if userinfo else {}),
        **{_ALGORITHMS: sorted(algorithms)},
    )


def _url(text: Any, known: dict[str, Any]) -> str:
    """An endpoint of its; in clear only where the issuer itself is asked in clear, on this very
    machine: anybody between would read the client's secret, or exchange the keys. Raises
    ``_Odd``."""
    schemes = ("https://",) if known["issuer"].startswith("https:") else ("https://", "http://")
    if not isinstance(text, str) or not text.startswith(schemes):
        raise _Odd("an endpoint of its is no address, or is asked in clear")
    return text


def _read(url: str) -> dict[str, Any]:
    """The object at an address of its; of no more than so much, in no more time than that. Raises
    ``odd``."""
    import requests

    ends = time.monotonic() + 2 * TIMEOUT_SECONDS
    with requests.get(url, timeout=TIMEOUT_SECONDS, stream=True) as answer:
        answer.raise_for_status()
        if url.startswith("https:") and any(
            not each.url.startswith("https:") for each in (*answer.history, answer)
        ):
            raise _Odd("it leads elsewhere, where it is asked in clear")
        content = b""
        for piece in answer.iter_content(65_536):
            content += piece
            if len(content) > LARGEST or time.monotonic() > ends:
                raise _Odd("its answer is too long, or too slow")
    said = json_body(content)
    if not isinstance(said, dict):
        raise _Odd("its answer is no object")
    return said
