from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from annotation.models import Item
from annotation.web.platform.upload_limit import UploadLimitMiddleware
from tests.factories import make_study, make_user


def passed(request: HttpRequest) -> HttpResponse:
    return HttpResponse("passed")


def test_an_announced_giant_is_read_away_and_refused(rf: RequestFactory, settings: Any) -> None:
    settings.BODY_LIMIT_BYTES = 1024 * 1024
    request = rf.post("/", b"x" * (3 * 1024 * 1024), content_type="application/json")
    answer = UploadLimitMiddleware(passed).process_view(request, passed, (), {})
    assert answer is not None
    assert (answer.status_code, answer["content-type"]) == (413, "application/problem+json")
    assert request.read() == b""


@pytest.mark.django_db
def test_a_browser_gets_a_page_with_both_sizes(client: Client, settings: Any) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1024 * 1024
    answer = client.post(
        "/account/login/", b"x" * (3 * 1024 * 1024), content_type="multipart/form-data; boundary=x"
    )
    assert answer.status_code == 413
    page = answer.content.decode()
    assert "3" in page
    assert "manage.py" in page


@pytest.mark.django_db
def test_a_program_that_sends_a_file_is_told_as_a_program(client: Client, settings: Any) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1024 * 1024
    answer = client.post(
        "/api/v1/studies/demo/pairs/file/",
        {"file": SimpleUploadedFile("x.csv", b"x" * (3 * 1024 * 1024))},
        headers={"accept": "*/*"},
    )
    assert (answer.status_code, answer["content-type"]) == (413, "application/problem+json")
    assert answer.json()["type"] == "too_large"


@pytest.mark.django_db
def test_the_page_is_in_the_readers_language(client: Client, settings: Any) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1024 * 1024
    user = make_user(language="en")
    client.force_login(user)
    answer = client.post(
        "/account/preferences/", {"file": SimpleUploadedFile("x", b"x" * (3 * 1024 * 1024))}
    )
    assert answer.status_code == 413
    assert 'lang="en"' in answer.content.decode()
    assert str(user) in answer.content.decode()


@pytest.mark.parametrize("length", ["", "10", "a lot"])
def test_anything_else_passes(rf: RequestFactory, length: str) -> None:
    request = rf.post("/", b"0123456789", content_type="text/plain")
    request.META["CONTENT_LENGTH"] = length
    assert UploadLimitMiddleware(passed).process_view(request, passed, (), {}) is None
    assert UploadLimitMiddleware(passed)(request).content == b"passed"


@pytest.mark.django_db
class TestRowsAsJson:
    """What a program sends is held in memory whole: of rows more is read than of anything else."""

    @pytest.fixture
    def lead(self, settings: Any) -> Client:
        settings.BODY_LIMIT_BYTES = 1024 * 1024
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
        study = make_study(key="demo")
        person = make_user()
        study.leads.create(user=person)
        client = Client()
        client.force_login(person)
        return client

    def post(self, client: Client, address: str, size: int) -> Any:
        pairs = [
            {"id": f"c{n}", "original": f"Clause {n}. " + "mot " * 200} for n in range(size // 850)
        ]
        body = json.dumps({"pairs": pairs, "round": "main"})
        return client.post(f"/api/v1/studies/demo/{address}", body, content_type="application/json")

    def test_rows_beyond_what_else_is_read_come_in(self, lead: Client) -> None:
        answer = self.post(lead, "pairs/", 1_500_000)
        assert answer.status_code == 201, answer.content
        assert Item.objects.count() == 1_500_000 // 850

    def test_the_refusal_of_more_says_how_much_and_what_to_do(self, lead: Client) -> None:
        answer = self.post(lead, "pairs/", 4_000_000)
        assert (answer.status_code, answer["content-type"]) == (413, "application/problem+json")
        title = answer.json()["title"]
        assert "4" in title
        assert "2" in title
        assert "requêtes" in title
        assert not Item.objects.exists()

    def test_where_no_rows_are_taken_less_is_read(self, lead: Client) -> None:
        assert self.post(lead, "exports/", 1_500_000).status_code == 413
