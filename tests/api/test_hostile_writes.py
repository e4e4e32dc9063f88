"""Nothing that a program sends is answered 500: hostile bodies, made of the members that each
operation describes."""

from __future__ import annotations

import zlib
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from annotation.models import ApiToken
from annotation.services.accounts.tokens import token_create
from tests import hostile_bodies as hostile
from tests.api.access_table import TABLE
from tests.api.described import DESCRIPTION
from tests.api.test_access import OPERATIONS, PATTERNS, address
from tests.cast import Cast

pytestmark = [pytest.mark.walk, pytest.mark.slow]

WRITES = [(name, method) for name, method in OPERATIONS if method != "get"]


def members(name: str, method: str) -> list[str]:
    """What the body of an operation may hold, as the description says."""
    path = "/api/v1/" + str(PATTERNS[name].pattern)
    described = {_plain(route): operations for route, operations in DESCRIPTION["paths"].items()}
    body = described[_plain(path)][method].get("requestBody", {}).get("content", {})
    return sorted(
        {member for content in body.values() for member in _properties(content.get("schema", {}))}
    )


def _plain(path: str) -> str:
    """An address without the names of its parts: «<slug:study>» and «{study}» are one."""
    return "/".join("*" if part[:1] in "<{" and part else part for part in path.split("/"))


def _properties(schema: dict[str, Any]) -> list[str]:
    if "$ref" in schema:
        schema = DESCRIPTION["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    parts = [part for name in ("allOf", "oneOf", "anyOf") for part in schema.get(name, [])]
    return [
        *schema.get("properties", {}),
        *(member for part in parts for member in _properties(part)),
    ]


@pytest.mark.parametrize(("name", "method"), WRITES)
def test_no_write_is_a_defect_of_ours(name: str, method: str, cast: Cast, values, settings):
    settings.API_REQUESTS_PER_MINUTE = 10**6
    random = Random(hostile.SEED + zlib.crc32(f"{name} {method}".encode()))
    role = "annotator" if name.startswith("my_") else "admin"
    _token, secret = token_create(
        actor=getattr(cast, role), name="hostile", scopes=ApiToken.Scope.values, days=1
    )
    client = Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False)
    url, names = address(name, values), members(name, method)
    valid = TABLE[name, method].body
    for _ in range(hostile.BODIES):
        body = hostile.json_bytes(random, names, valid if isinstance(valid, dict) else None)
        headers = {"idempotency-key": hostile.text(random)[:300]} if random.random() < 0.1 else {}
        with transaction.atomic():
            answer = client.generic(
                method.upper(), url, body, content_type="application/json", headers=headers
            )
            assert answer.status_code < 500, (name, method, body[:2000], headers)
            # Whatever was stored of it, whoever reads it next gets it.
            if answer.status_code < 400 and (name, "get") in TABLE:
                assert client.get(url).status_code < 500, (name, method, body[:2000])
            transaction.set_rollback(True)
