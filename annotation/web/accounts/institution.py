"""What the institution says of who comes from it (OpenID Connect Core 1.0, authorization code flow
with PKCE). Tokens, keys and nonces are Authlib's; here stands what is asked of them."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.bodies import json_body
from annotation.models import InstitutionAccount, User
from annotation.services.accounts.institution import (
    LONGEST_SUBJECT,
    Vouched,
    institution_account,
    institution_knows,
)

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
_SAID_OF_US = frozenset(("invalid_client", "unauthorized_client", "invalid_scope", "access_denied"))
"""What it may answer that whoever runs Barème has to know."""


class InstitutionAway(Exception):
    """It does not answer, or not as an issuer does."""


class InstitutionRefused(Exception):
    """What came back lets nobody in: refused there, begun in another browser, or forged."""


@dataclass
class _Looked:
    """What this process knows of the issuer; ``client`` is changed by nobody once it is here."""

    lock: Lock = field(default_factory=Lock)
    client: Any = None
    settings: dict[str, Any] | None = None
    until: float = 0.0
    away_until: float = 0.0


_looked = _Looked()


def institution_name() -> str:
    """What people call it; "" where nobody logs in by one."""
    if not settings.INSTITUTION:
        return ""
    return str(settings.INSTITUTION["name"] or _("your institution"))


def institution_linked(user: User) -> InstitutionAccount | None:
    """What lets them in now: of an institution that was before, nothing does."""
    linked = institution_account(user) if settings.INSTITUTION else None
    return linked if linked and linked.issuer == settings.INSTITUTION["issuer"] else None


def institution_forget() -> None:
    """Know nothing of it."""
    _looked.client, _looked.away_until = None, 0.0


def institution_ask(request: HttpRequest, back: str) -> HttpResponse:
    """Send the browser there; ``back`` is the whole address that it comes back to. Raises
    ``InstitutionAway``."""
    try:
        answer: HttpResponse = _client().authorize_redirect(request, back)
    except _odd() as error:
        raise _away(error) from error
    return answer


def institution_heard(request: HttpRequest) -> Vouched:
    """Whom it vouches for, of a request that came back from it. Raises ``InstitutionAway`` and
    ``InstitutionRefused``."""
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError

    issuer, client_id = settings.INSTITUTION["issuer"], settings.INSTITUTION["client_id"]
    try:
        client = _client()
        token = client.authorize_access_token(
            request,
            claims_options={
                "iss": {"essential": True, "values": [issuer]},
                "aud": {"essential": True, "values": [client_id]},
            },
        )
        claims = dict(token["userinfo"])
        subject = _subject(claims)
        address = "" if institution_knows(issuer, subject) else _address(client, token, claims)
    except (AuthlibBaseError, JoseError) as error:
        _looked.client = None  # it may have changed its keys
        code = str(getattr(error, "error", ""))
        said = code if code in _SAID_OF_US else type(error).__name__
        log.warning("An institution's answer lets nobody in: %s", said)
        raise InstitutionRefused from error
    except _odd() as error:
        raise _away(error) from error
    return Vouched(issuer, subject, address)


def _subject(claims: dict[str, Any]) -> str:
    """Raises ``InstitutionRefused`` for what is nobody's name."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise InstitutionRefused("no sub")
    if not subject.isprintable():
        raise InstitutionRefused("no sub")
    return subject


def _address(client: Any, token: dict[str, Any], claims: dict[str, Any]) -> str:
    """The address that it has verified, by the signed token, or where that does not say all by the
    endpoint that knows more; "" for none."""
    if not {"email", "email_verified"} <= claims.keys():
        endpoint = client.server_metadata.get("userinfo_endpoint")
        more = client.userinfo(token=token) if endpoint else {}
        if more.get("sub") == claims["sub"] and claims.get("email", more.get("email")) == more.get(
            "email", ""
        ):
            claims = more
    # Some write true as a text. Those that say nothing of it are believed where the installation
    # says so, and no other.
    is_verified = claims.get("email_verified", settings.INSTITUTION["vouches"])
    address = claims.get("email")
    is_certain = is_verified is True or is_verified == "true"
    # Letters of other alphabets are some of ours once they are made small.
    is_plain = isinstance(address, str) and address.isascii() and address.isprintable()
    return str(address) if is_certain and is_plain else ""


def _odd() -> tuple[type[Exception], ...]:
    """What comes of an issuer that does not answer, or answers anything."""
    from requests import RequestException

    return (RequestException, RuntimeError, ValueError, KeyError, TypeError, AttributeError)


def _away(error: Exception) -> InstitutionAway:
    words = str(error) if isinstance(error, _Odd) else type(error).__name__
    log.error("The institution does not answer as an issuer: %s", words)
    _looked.client = None
    return InstitutionAway()


class _Odd(RuntimeError):
    """Said in the log: words of our own."""


def _client() -> Any:
    """Raises ``InstitutionAway``, and ``_odd`` for what is no issuer's description."""
    known = settings.INSTITUTION
    # Whoever comes while another looks does not wait as long as that.
    if not _looked.lock.acquire(timeout=_PATIENCE_SECONDS):
        raise InstitutionAway
    try:
        now = time.monotonic()
        if _looked.settings != known:
            institution_forget()
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


def _described(known: dict[str, Any]) -> Any:
    """A client of the issuer as it describes itself now. Raises ``_odd``."""
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
        authorize_url=_url(described["authorization_endpoint"]),
        access_token_url=_url(described["token_endpoint"]),
        client_kwargs={
            "scope": "openid email",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_SECONDS,
            "token_endpoint_auth_method": way,
        },
        # Of all that it says, what is used.
        issuer=known["issuer"],
        jwks=_read(_url(described["jwks_uri"])),
        jwks_uri=_url(described["jwks_uri"]),
        **({"userinfo_endpoint": _url(userinfo)} if userinfo else {}),
        **{_ALGORITHMS: sorted(algorithms)},
    )


def _url(text: Any) -> str:
    if not isinstance(text, str) or not text.startswith(("https://", "http://")):
        raise _Odd("an endpoint of its is no address")
    return text


def _read(url: str) -> dict[str, Any]:
    """The object at an address of its; of no more than so much, in no more time than that. Raises
    ``_odd``."""
    import requests

    ends = time.monotonic() + 2 * TIMEOUT_SECONDS
    with requests.get(url, timeout=TIMEOUT_SECONDS, stream=True) as answer:
        answer.raise_for_status()
        content = b""
        for piece in answer.iter_content(65_536):
            content += piece
            if len(content) > LARGEST or time.monotonic() > ends:
                raise _Odd("its answer is too long, or too slow")
    said = json_body(content)
    if not isinstance(said, dict):
        raise _Odd("its answer is no object")
    return said
