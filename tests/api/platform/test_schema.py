"""The description of the API: current, complete, the same in every language, readable by
everybody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import override
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from annotation.protocols.kinds import Field
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.publishing.exports import FORMATS
from api.answers import answers_schema
from api.platform.views.documentation import schema
from tests.api.access_table import TABLE
from tests.api.test_access import PATTERNS

pytestmark = pytest.mark.walk

STORED = Path(settings.BASE_DIR) / "docs" / "openapi.yaml"


def test_the_stored_description_is_current():
    """In a process of its own: here are two protocols more, which only tests have."""
    own = {"DJANGO_SETTINGS_MODULE": "annotation.config.settings", "BAREME_PROTOCOLS": ""}
    command = [sys.executable, "manage.py", "spectacular", "--lang", "en"]
    current = subprocess.run(
        command, cwd=settings.BASE_DIR, env=os.environ | own, check=True, capture_output=True
    ).stdout.decode()
    assert STORED.read_text(encoding="utf-8") == current, "run `make openapi`"


def test_it_is_valid_and_the_same_for_every_reader():
    for language in ("fr", "en"):
        with override(language):
            description = SchemaGenerator().get_schema(request=None, public=True)
        validate_schema(description)
        assert description == schema()
    assert schema()["openapi"].startswith("3.1")


def test_it_says_of_every_write_that_it_takes_a_key_and_of_a_deletion_what_it_asks_for():
    writes = {
        (path, method): operation
        for path, methods in schema()["paths"].items()
        for method, operation in methods.items()
        if method != "get"
    }
    for where, operation in writes.items():
        assert "Idempotency-Key" in {each["name"] for each in operation["parameters"]}, where
    bodies = {
        path.removeprefix("/api/v1/"): operation["requestBody"]["content"]["application/json"]
        for (path, method), operation in writes.items()
        if method == "delete" and "requestBody" in operation
    }
    assert {path: body["schema"]["$ref"].rpartition("/")[2] for path, body in bodies.items()} == {
        "studies/{study}/": "StudyDeletionRequest",
        "studies/{study}/leads/{lead}/": "LeadRemovalRequest",
    }


def test_it_describes_every_operation_and_how_each_is_refused():
    described = {
        (path, method): operation
        for path, methods in schema()["paths"].items()
        for method, operation in methods.items()
    }
    assert len(described) == len(TABLE)
    for where, operation in described.items():
        assert {"401", "403", "404", "406", "429"} <= set(operation["responses"]), where
        assert operation["description"].count("Scope: `") == 1, where
        assert operation["tags"], where
        if where[1] != "get":
            assert {"409", "422"} <= set(operation["responses"]), where
    assert all("/api/v1/" in path for path in schema()["paths"])
    assert len({operation["operationId"] for operation in described.values()}) == len(described)
    assert len(PATTERNS) > 30


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda p: f"{p.key}-{p.version}")
def test_answers_are_described_field_by_field(protocol):
    described = answers_schema(protocol)["properties"]
    assert list(described) == [field.name for field in protocol.fields]


def test_files_are_described_as_what_they_are_sent_as(values, program):
    answers = {
        path.rpartition("/api/v1/studies/{study}/")[2]: operations["get"]["responses"]
        for path, operations in schema()["paths"].items()
        if "get" in operations
    }
    exported = answers["exports/{job}/file/"]["200"]["content"]
    assert set(exported) == {form.content_type.partition(";")[0] for form in FORMATS.values()}
    assert set(answers["snapshots/{number}/bundle/"]["200"]["content"]) == {"application/zip"}
    # A codebook as JSON is a value, which a generated client reads as one.
    assert exported["application/json"] == {"schema": {}}
    for where, status in (
        ("exports/{job}/file/", "409"),
        ("exports/{job}/file/", "410"),
        ("snapshots/{number}/bundle/", "409"),
    ):
        (media,) = answers[where][status]["content"].items()
        assert media == (
            "application/problem+json",
            {"schema": {"$ref": "#/components/schemas/ProblemDetails"}},
        )
    # And asked for as that, they come; a refusal is one all the same.
    lead, csv = program("lead"), {"accept": "text/csv"}
    file = f"/api/v1/studies/alpha/exports/{values['job']}/file/"
    sent = lead.get(file, headers=csv)
    assert b"".join(sent.streaming_content) == b"a\r\n"
    assert (sent.status_code, sent["Content-Type"]) == (200, "text/csv; charset=utf-8")
    refused = lead.get(file.replace("alpha", "none"), headers=csv)
    assert (refused.status_code, refused["Content-Type"]) == (404, "application/problem+json")
    other = lead.get("/api/v1/studies/alpha/", headers=csv)
    assert (other.status_code, other.json()["type"]) == (406, "not_acceptable")


def test_every_member_of_a_refusal_is_described():
    members = schema()["components"]["schemas"]["ProblemDetails"]["properties"]
    extensions = {"scope", "etag", "current", "revision", "saved_at", "problem_count", "problems"}
    assert extensions <= set(members)
    ruling = schema()["components"]["schemas"]["RulingNewRequest"]["properties"]["outcome"]
    assert ruling["enum"] == ["settled", "divided"]


def test_a_file_s_problem_has_a_row_only_where_it_is_a_row_s():
    problem = schema()["components"]["schemas"]["ReadingProblem"]
    assert "row" in problem["properties"]
    assert "row" not in problem["required"]


def test_a_kind_of_field_without_a_description_is_noticed():
    with pytest.raises(NotImplementedError, match="has no schema"):
        Field("new").schema()


def test_anybody_may_read_it(db):
    page = Client().get("/api/v1/docs/")
    assert page.status_code == 200
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "img-src 'self' data:" in page.headers["content-security-policy"]
    assert Client().get("/api/v1/schema/").json()["info"]["title"] == "Barème"
    for media in ("application/json", "application/yaml", "*/*"):
        answer = Client().get("/api/v1/schema/", headers={"accept": media})
        assert answer.status_code == 200, media
        assert media in ("*/*", answer["Content-Type"].partition(";")[0])
    as_yaml = Client().get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi"})
    assert as_yaml.content.startswith(b"openapi: 3.1")
