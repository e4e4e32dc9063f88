"""What a key allows. Whether its owner may reach a row is decided by ``annotation.access``, as on
every page."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from annotation.models import ApiToken
from annotation.services.accounts.second_factor import second_factor_due


class MissingScope(Exception):
    """The key is good, but does not allow this."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class SecondStepDue(Exception):
    """The key's owner has to set up the second step first, or made the key before it."""


class HasScope(BasePermission):
    """Logged in; with a key, one that has the scope of the operation. A browser's session has every
    scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user.is_authenticated:
            return False
        scope = view.read_scope if request.method in SAFE_METHODS else view.write_scope
        if isinstance(request.auth, ApiToken) and scope not in request.auth.scopes:
            raise MissingScope(scope)
        # As in the browser: nobody who judges waits for it. A session was asked before it came
        # here.
        if (
            isinstance(request.auth, ApiToken)
            and view.write_scope != ApiToken.Scope.JUDGE
            and second_factor_due(request.auth.user, request.auth)
        ):
            raise SecondStepDue
        return True
