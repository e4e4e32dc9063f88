"""Nothing that is sent to a page is answered 500: hostile forms and bodies, made from the pages'
own fields."""

from __future__ import annotations

import zlib
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
        offered = hostile.fields_of(whole(client.get(url)).decode(errors="replace"))
        transaction.set_rollback(True)
    statuses = set()
    for _ in range(hostile.BODIES):
        posted = {"name": name} | hostile.form(random, offered)
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
