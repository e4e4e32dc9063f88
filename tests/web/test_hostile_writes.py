"""Nothing that is sent to a page is answered 500: hostile forms and bodies, made from the pages'
own fields."""

from __future__ import annotations

import ast
import inspect
import zlib
from pathlib import Path
from random import Random

import pytest
from django.db import transaction
from django.test import Client

from tests import hostile_bodies as hostile
from tests.cast import Cast
from tests.web.test_access_matrix import URLS, _redis_is_there, address, whole  # noqa: F401  (a fixture)# noqa: F401  (fixtures)

pytestmark = [pytest.mark.walk, pytest.mark.slow]

JSON_PAGES = {"annotate_draft", "annotate_submit"}
ANSWERS = [
    "simplicity",
    "simplicity_confirmed",
    "characterization",
    "explanation",
    "bracket",
    "errors",
    "comment",
]
SAVE = ["key", "base_revision", "answers", "active_seconds", "user"]


def read_by(name: str) -> dict[str, list[str]]:
    """The fields that the page's own module reads of what is posted, each with the words that it
    compares anything with: a page offers what can be done now, and not what can be sent."""
    path = inspect.getsourcefile(inspect.unwrap(URLS[name].callback))
    assert path is not None
    nodes = list(ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))))
    words = {
        text.value
        for node in nodes
        if isinstance(node, ast.Compare)
        for part in node.comparators
        for text in ast.walk(part)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
    }
    fields = {
        text.value
        for node in nodes
        if isinstance(node, ast.Call | ast.Subscript) and _is_of_post(node)
        for text in (node.args if isinstance(node, ast.Call) else [node.slice])
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value
    }
    return {field: sorted(words) or [""] for field in sorted(fields)}


def _is_of_post(node: ast.Call | ast.Subscript) -> bool:
    of = node.func if isinstance(node, ast.Call) else node.value
    return any(isinstance(part, ast.Attribute) and part.attr == "POST" for part in ast.walk(of))


def test_fields_are_found_that_no_page_offers():
    fields = read_by("study_glossary")
    assert {"action", "entry", "terms"} <= set(fields)
    assert {"look", "replace", "add", "remove", "save"} <= set(fields["action"])


def role_of(name: str) -> str:
    if name.startswith("annotate") or name in {"personal", "guide_read"}:
        return "annotator"
    return "admin"


@pytest.mark.parametrize("name", sorted(URLS))
def test_no_post_is_a_defect_of_ours(name: str, cast: Cast, values):
    random = Random(hostile.SEED + zlib.crc32(name.encode()))
    client = Client(raise_request_exception=False)
    client.force_login(getattr(cast, role_of(name)))
    url = address(name, values)
    with transaction.atomic():
        offered = read_by(name) | hostile.fields_of(whole(client.get(url)).decode(errors="replace"))
        transaction.set_rollback(True)
    statuses = set()
    for _ in range(hostile.BODIES):
        posted = {"name": name} | hostile.form(random, offered)
        if "action" in offered and random.random() < 0.5:
            posted["action"] = random.choice(read_by(name).get("action", offered["action"]))
        query = {field: hostile.text(random) for field in offered if random.random() < 0.1}
        with transaction.atomic():
            if name in JSON_PAGES:
                body = hostile.json_bytes(random, SAVE + ANSWERS)
                answer = client.post(url, body, content_type="application/json")
            else:
                answer = client.post(url, posted, query_params=query)
            statuses.add(answer.status_code)
            assert answer.status_code < 500, (name, posted, query)
            # Whatever was stored of it, whoever reads it next has a page.
            if answer.status_code < 400:
                read = client.get(url, query_params=query)
                assert whole(read) is not None
                assert read.status_code < 500, (name, posted, query)
            transaction.set_rollback(True)
        if answer.status_code in (302, 401, 404) and not client.session.get("_auth_user_id"):
            client.force_login(getattr(cast, role_of(name)))
    assert statuses
