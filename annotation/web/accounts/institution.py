"""What the institution says of who comes from it (OpenID Connect Core 1.0, authorization code flow
with PKCE). Tokens, keys and nonces are Authlib's; here stands what is asked of them."""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.services.accounts.institution import LONGEST_SUBJECT, Vouched

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 10
_ALGORITHMS = "id_token_signing_alg_values_supported"
_SIGNED_BY = frozenset(
    {*("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), *("ES256", "ES384", "ES512", "EdDSA")}
)
"""By a key of the institution's own: neither by nobody («none»), nor by the secret that is ours."""


class InstitutionAway(Exception):
    """It does not answer, or not as an issuer does."""


class InstitutionRefused(Exception):
    """What came back lets nobody in: refused there, begun in another browser, or forged."""


def institution_name() -> str:
    """What people call it; "" where nobody logs in by one."""
    if not settings.INSTITUTION:
        return ""
    return str(settings.INSTITUTION["name"] or _("your institution"))


def institution_ask(request: HttpRequest, back: str) -> HttpResponse:
    """Send the browser there; ``back`` is the whole address that it comes back to. Raises
    ``InstitutionAway``."""
    from requests import RequestException

    try:
        answer: HttpResponse = _client().authorize_redirect(request, back)
    except (RequestException, RuntimeError, ValueError) as error:
        raise _away(error) from error
    return answer


def institution_heard(request: HttpRequest) -> Vouched:
    """Whom it vouches for, of a request that came back from it. Raises ``InstitutionAway`` and
    ``InstitutionRefused``."""
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError
    from requests import RequestException

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
        claims = _claims(client, token)
    except (AuthlibBaseError, JoseError) as error:
        log.warning("An institution's answer lets nobody in: %s", type(error).__name__)
        raise InstitutionRefused from error
    except (RequestException, RuntimeError, ValueError, KeyError) as error:
        raise _away(error) from error
    return Vouched(issuer, str(claims["sub"]), _verified_address(claims))


def _claims(client: Any, token: dict[str, Any]) -> dict[str, Any]:
    """What is said of who comes, by the signed token, or of their address where that is silent by
    the endpoint that knows more. Raises ``InstitutionRefused``."""
    claims = dict(token.get("userinfo") or {})
    subject = str(claims.get("sub") or "")
    if not subject or len(subject) > LONGEST_SUBJECT:
        raise InstitutionRefused("no sub")
    if "email" not in claims and client.server_metadata.get("userinfo_endpoint"):
        more = client.userinfo(token=token)
        if more.get("sub") == subject:
            claims |= {name: more[name] for name in ("email", "email_verified") if name in more}
    return claims


def _verified_address(claims: dict[str, Any]) -> str:
    """Some write true as a text, some say nothing of it: those are trusted where the installation
    says so, and no other."""
    is_verified = claims.get("email_verified", settings.INSTITUTION["vouches"])
    address = claims.get("email")
    is_certain = is_verified is True or is_verified == "true"
    return address if isinstance(address, str) and is_certain else ""


def _away(error: Exception) -> InstitutionAway:
    log.error("The institution does not answer as an issuer: %s", type(error).__name__)
    return InstitutionAway()


def _client() -> Any:
    """Raises what ``requests`` raises, ``ValueError`` for what is no issuer's description, and
    ``RuntimeError`` for one of another issuer (OpenID Connect Discovery 1.0, section 4.3) or of one
    that signs by no key."""
    known = settings.INSTITUTION
    client = _registered(known["issuer"], known["client_id"], known["client_secret"])
    described = client.load_server_metadata()
    if described.get("issuer") != known["issuer"]:
        _registered.cache_clear()
        raise RuntimeError("another issuer")
    algorithms = _SIGNED_BY.intersection(described.get(_ALGORITHMS) or ["RS256"])
    if not algorithms:
        _registered.cache_clear()
        raise RuntimeError("no signature")
    client.server_metadata[_ALGORITHMS] = sorted(algorithms)
    return client


@cache
def _registered(issuer: str, client_id: str, client_secret: str) -> Any:
    from authlib.integrations.django_client import OAuth

    return OAuth().register(
        "institution",
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_SECONDS,
        },
    )
