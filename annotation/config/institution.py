"""The institution whose accounts let people in (OpenID Connect), where an installation asks for
one. Its library is an extra, and is looked for only then."""

from __future__ import annotations

import importlib.util
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from annotation.config.env import env_bool, env_secret, env_str, read_url

_HERE = ("localhost", "127.0.0.1", "::1")


def env_institution() -> dict[str, Any]:
    """What BAREME_OIDC_* say: ``issuer``, ``client_id``, ``client_secret``, ``name`` ("" for none)
    and ``vouches`` (for addresses of which it does not say whether it has verified them); nothing
    without an issuer.

    Raises ``ImproperlyConfigured`` for an address that a password would be sent to in clear, for
    half of the settings, and without the library.
    """
    issuer = env_str("BAREME_OIDC_ISSUER", "")
    if not issuer:
        return {}
    issuer = read_url("BAREME_OIDC_ISSUER", issuer, schemes=("https", "http"))
    parts = urlsplit(issuer)
    if parts.scheme == "http" and parts.hostname not in _HERE:
        raise ImproperlyConfigured(
            "BAREME_OIDC_ISSUER begins with http://. Anybody between could log in as anybody: give "
            "the institution's https:// address."
        )
    if parts.query or parts.fragment:
        raise ImproperlyConfigured(
            "BAREME_OIDC_ISSUER has a query or a fragment. Give the issuer as it stands under "
            '"issuer" in its /.well-known/openid-configuration.'
        )
    if not importlib.util.find_spec("authlib"):
        raise ImproperlyConfigured(
            "BAREME_OIDC_ISSUER is set, but Authlib is not installed. Install "
            "requirements-oidc.txt, or unset it."
        )
    return {
        "issuer": issuer,
        "client_id": env_str("BAREME_OIDC_CLIENT_ID"),
        "client_secret": env_secret("BAREME_OIDC_CLIENT_SECRET"),
        "name": env_str("BAREME_OIDC_NAME", ""),
        "vouches": env_bool("BAREME_OIDC_TRUST_ADDRESSES"),
    }
