"""No reading of the API answers 500 to what stands behind the question mark of its address."""

from __future__ import annotations

from random import Random

import pytest
from django.test import Client

from annotation.models import ApiToken
from annotation.services.accounts.tokens import token_create
from tests import hostile_bodies as hostile
from tests.api.described import DESCRIPTION
from tests.api.test_access import OPERATIONS, PATTERNS, address, asked
from tests.api.test_hostile_writes import _plain
from tests.cast import Cast

pytestmark = pytest.mark.walk

QUERIES = max(2, hostile.BODIES - 1)


def parameters(name: str) -> list[str]:
    """What the query of an operation may hold, as the description says."""
    described = {_plain(path): operations for path, operations in DESCRIPTION["paths"].items()}
    operation = described[_plain("/api/v1/" + str(PATTERNS[name].pattern))]["get"]
    return [
        parameter["name"]
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query"
    ]


def test_no_reading_fails_for_its_query(cast: Cast, values, settings):
    settings.API_REQUESTS_PER_MINUTE = 10**6
    random = Random(hostile.SEED)
    programs = {}
    for role in ("admin", "annotator"):
        _token, secret = token_create(
            actor=getattr(cast, role), name="hostile", scopes=ApiToken.Scope.values, days=1
        )
        programs[role] = Client(
            headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False
        )
    tried = 0
    for name, method in OPERATIONS:
        if method != "get":
            continue
        own = parameters(name)
        url = address(name, values)
        program = programs["annotator" if name.startswith("my_") else "admin"]
        for _ in range(QUERIES + 2 * len(own)):
            names = own if own and random.random() < 0.7 else [*own, "page", "cursor", "format"]
            query = hostile.query(random, names)
            answer = asked(program, "get", f"{url}?{query}")
            assert answer.status_code < 500, f"{url}?{query[:2000]}"
            tried += 1
    assert tried > 100
