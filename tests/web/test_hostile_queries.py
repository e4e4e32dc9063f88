"""No page answers 500 to what stands behind the question mark of its address."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from django.test import Client

import annotation.web
from tests import hostile_bodies as hostile
from tests.cast import Cast
from tests.web.access_table import TABLE
from tests.web.test_access_matrix import URLS, address, whole

pytestmark = pytest.mark.walk

# Whatever a page may ask of its address, by the names in the program; and what others are known
# for.
_ASKED = re.compile(r"""GET(?:\.get|\.getlist)?[(\[]"([a-z_]+)""")
NAMES = sorted(
    {
        name
        for path in Path(annotation.web.__path__[0]).rglob("*.py")
        for name in _ASKED.findall(path.read_text())
    }
    | {"page", "sort", "q", "order", "language", "next", "format"}
)
QUERIES = max(2, hostile.BODIES - 1)


def test_no_page_fails_for_its_query(cast: Cast, values, monkeypatch):
    monkeypatch.setattr("annotation.selectors.platform.parts.broker_answers", lambda: True)
    assert {"q", "page", "format"} <= set(NAMES)
    random = Random(hostile.SEED)
    clients: dict[str, Client] = {}
    for role in ("admin", "annotator"):
        clients[role] = Client(raise_request_exception=False)
        clients[role].force_login(getattr(cast, role))
    count = 0
    for name in sorted(URLS):
        shown = [role for role in clients if TABLE[name].get[role] in (200, 302)]
        if not shown or name == "logout":
            continue
        url, client = address(name, values), clients[shown[0]]
        plain = client.get(url)
        body = whole(plain)
        is_page = "html" in plain.headers.get("Content-Type", "")
        page = body.decode(errors="replace") if is_page else ""
        names = sorted({*NAMES, *(field for field in hostile.fields_of(page) if field)})
        for _ in range(QUERIES):
            # Half of them with what the page itself has fields for.
            own = [field for field in names if field not in NAMES]
            query = hostile.query(random, own if own and random.random() < 0.3 else names)
            fragment = {"hx-request": "true"} if random.random() < 0.2 else {}
            answer = client.get(f"{url}?{query}", headers=fragment)
            whole(answer)
            assert answer.status_code < 500, f"{url}?{query[:2000]}"
            count += 1
    assert count > 100
