"""What the institution says of who comes from it (OpenID Connect Core 1.0, authorization code flow
with PKCE). Tokens, keys and nonces are Authlib's; here stands what is asked of them."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.models import InstitutionAccount, User
from annotation.services.accounts.institution import (
    LONGEST_SUBJECT,
    Vouched,
    institution_account,
    institution_knows,
)
from annotation.web.accounts.issuer import away, issuer_client, issuer_unlearn, odd

log = logging.getLogger(__name__)

_SAID_OF_US = frozenset(("invalid_client", "unauthorized_client", "invalid_scope", "access_denied"))
"""What it may answer that whoever runs Barème has to know."""


class InstitutionRefused(Exception):
    """What came back lets nobody in: refused there, begun in another browser, or forged."""


def institution_name() -> str:
    """What people call it; "" where nobody logs in by one."""
    if not settings.INSTITUTION:
        return ""
    return str(settings.INSTITUTION["name"] or _("your institution"))


def institution_linked(user: User) -> InstitutionAccount | None:
    """What lets them in now: of an institution that was before, nothing does."""
    linked = institution_account(user) if settings.INSTITUTION else None
    return linked if linked and linked.issuer == settings.INSTITUTION["issuer"] else None


def institution_ask(request: HttpRequest, back: str) -> HttpResponse:
    """Send the browser there; ``back`` is the whole address that it comes back to. Raises
    ``InstitutionAway``."""
    try:
        answer: HttpResponse = issuer_client().authorize_redirect(request, back)
    except odd() as error:
        raise away(error) from error
    return answer


def institution_heard(request: HttpRequest) -> Vouched:
    """Whom it vouches for, of a request that came back from it. Raises ``InstitutionAway`` and
    ``InstitutionRefused``."""
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError

    issuer, client_id = settings.INSTITUTION["issuer"], settings.INSTITUTION["client_id"]
    try:
        client = issuer_client()
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
        # It may have changed its keys; of what anybody can make up, it is not asked again.
        if isinstance(error, JoseError):
            issuer_unlearn()
        code = str(getattr(error, "error", ""))
        said = code if code in _SAID_OF_US else type(error).__name__
        log.warning("An institution's answer lets nobody in: %s", said)
        raise InstitutionRefused from error
    except odd() as error:
        raise away(error) from error
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
