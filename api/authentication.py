"""Who asks: the owner of a key, in the ``Authorization: Bearer`` header."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation.models import ApiToken, User
from annotation.services.accounts.tokens import token_use


class BearerAuthentication(BaseAuthentication):
    """The person whose key this is. ``request.auth`` is the key, which narrows what may be done."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _space, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        token = token_use(secret.strip().decode("ascii", "replace"))
        if token is None:
            raise AuthenticationFailed(_("This API token is unknown, expired or revoked."))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Bareme"'


class BearerScheme(OpenApiAuthenticationExtension):
    """How the schema speaks of it."""

    target_class = "api.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A personal API token, made under your account.",
        }


class SessionScheme(OpenApiAuthenticationExtension):
    """The log-in of a browser, for reading the documentation page's examples."""

    target_class = "rest_framework.authentication.SessionAuthentication"
    name = "session"
    priority = 1

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "bareme_session"}
