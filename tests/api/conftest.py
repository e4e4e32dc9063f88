"""Programs of the cast: each role with a token of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from annotation.models import ApiToken, User
from annotation.services.accounts.tokens import token_create
from api.throttling import PersonThrottle
from tests.api.alpha import api_alpha, api_planted  # noqa: F401  (fixtures)

Program = Callable[..., Client]


@pytest.fixture(autouse=True)
def _no_requests_yet() -> None:
    cache.clear()
    PersonThrottle.forget()


def bearer(user: User, *scopes: str) -> Client:
    """A program of this person's, whose token has these scopes (all where none is named)."""
    _token, secret = token_create(
        actor=user, name="test", scopes=scopes or ApiToken.Scope.values, days=1
    )
    return Client(headers={"authorization": f"Bearer {secret}", "accept-language": "en"})


@pytest.fixture
def program(cast) -> Program:
    """A program of a role; ``anonymous`` has no token."""

    def made(role: str, *scopes: str) -> Client:
        if role == "anonymous":
            return Client(headers={"accept-language": "en"})
        return bearer(getattr(cast, role), *scopes)

    return made


@pytest.fixture
def values(api_alpha: dict[str, object]) -> dict[str, object]:  # noqa: F811
    """A real value for each part of an address, all of study «alpha»."""
    return api_alpha


@pytest.fixture
def planted(api_planted: dict[str, object]) -> dict[str, object]:  # noqa: F811
    """The same, in a study where what nobody may learn is planted."""
    return api_planted
