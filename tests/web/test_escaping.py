"""No HTML comes from data: a mark-up that somebody typed, uploaded or generated is shown, never
obeyed.

A telling tag is planted in every column of every row that a study's pages read; then every page
that its lead, an admin and its annotator can reach by address or link is looked at.
"""

from __future__ import annotations

import gzip
import re

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import CharField, JSONField, Model, TextField

from annotation.models import triggers
from tests.cast import Cast
from tests.planted import crawl, plant, whole
from tests.web.test_access_matrix import URLS, address

# What a template escapes is no matter of the database.
pytestmark = [pytest.mark.walk, pytest.mark.once]

TAG = "<script>zz(1)</script><img src=x onerror=zz(1)>"
OBEYED = re.compile(rb"<script>zz|<img src=x|onerror=zz\(1\)>")
# What is read by its name: keys in addresses, kinds and states, digests, and words that the
# programme itself wrote.
KEPT = {
    "key", "email", "password", "pseudonym", "dimension", "type", "prefix", "language", "target", "backend", "endpoint",  # noqa: E501
    "protocol_key", "protocol_version", "session_key", "target_type", "target_id", "verb", "encoding", "path", "kind",  # noqa: E501
    "method", "folder", "finish_reason", "result_path", "data_path", "corpus_path", "input_path", "round", "control",  # noqa: E501
    "derivation", "crossing_policy", "crossing_answer", "sha256", "data_sha256", "remote_id", "claim", "licence",  # noqa: E501
    "original_spans", "simplification_spans",
}  # fmt: skip


def mark(model: type[Model]) -> int:
    """Put the tag into every free column of a model's rows; how many columns."""
    marked = 0
    for field in model._meta.concrete_fields:
        fixed = (
            field.primary_key
            or field.choices
            or field.unique
            or field.name in KEPT
            or "digest" in field.name
        )
        if fixed or isinstance(field, JSONField) or not isinstance(field, CharField | TextField):
            continue
        if field.max_length and field.max_length < len(TAG):
            continue
        model._base_manager.update(**{field.name: TAG})
        marked += 1
    return marked


@pytest.fixture
def marked(cast: Cast, values: dict[str, object]) -> dict[str, object]:
    plant(cast)
    # The rows hold what no service would store any more; that is the point.
    triggers.drop()
    models = [
        model
        for model in apps.get_app_config("annotation").get_models()
        if model.__name__ != "DatasetSnapshot"
    ]
    assert sum(mark(model) for model in models) > 30
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_datasetsnapshot SET reason = %s", [TAG])
    return values | {"dimension": "characterization"}


def _obeyed(answer) -> list[bytes]:
    body = whole(answer)
    if not answer.headers.get("Content-Type", "").startswith(("text/html", "image/svg")):
        return []
    if answer.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return OBEYED.findall(body)


@pytest.mark.parametrize("role", ["lead", "admin", "annotator"])
def test_every_page_shows_it_and_none_obeys_it(role: str, cast: Cast, marked):
    client, shown = cast.client(role), 0
    for name in URLS:
        answer = client.get(address(name, marked))
        body = whole(answer)
        assert _obeyed(answer) == [], name
        shown += b"&lt;script&gt;zz" in body
    assert shown >= {"lead": 12, "admin": 12, "annotator": 4}[role]


@pytest.mark.parametrize(
    ("role", "start"), [("lead", "/studies/alpha/"), ("annotator", "/"), ("admin", "/people/")]
)
def test_no_link_leads_to_a_page_that_does(role: str, start: str, cast: Cast, marked):
    for url, answer in crawl(cast.client(role), start, most=80).items():
        assert _obeyed(answer) == [], url


def test_what_a_form_repeats_is_shown_and_not_obeyed(cast: Cast, values):
    lead = cast.client("lead")
    for name in URLS:
        # Logging out would end the walk.
        client = cast.client("lead") if name == "logout" else lead
        form = dict.fromkeys(
            ("title", "reason", "q", "name", "email", "note", "original", "body_fr", "action"), TAG
        )
        for answer in (
            client.post(address(name, values), form),
            client.get(address(name, values), {"q": TAG, "show": TAG, "flag": TAG, "next": TAG}),
        ):
            assert _obeyed(answer) == [], name


def test_a_guide_and_a_note_written_in_markdown_hold_no_html(cast: Cast, marked):
    page = cast.client("annotator").get("/annotate/alpha/guide/").content
    assert b"<script>zz" not in page
    assert b"javascript:" not in page
