"""Bodies whose length nothing announces reach the application all the same."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.test.client import MULTIPART_CONTENT, encode_multipart

from annotation.config.whole_bodies import WholeBodies
from annotation.models import Study
from tests.api.conftest import bearer

SPOOLED = 3 * 1024 * 1024


def in_chunks(client: Client, sent: io.RawIOBase | io.BytesIO) -> Client:
    """A client whose bodies are these, whatever it sends, as Gunicorn hands over what came in
    pieces."""
    handler = client.handler

    def handled(environ: dict[str, Any]) -> Any:
        environ.pop("CONTENT_LENGTH", None)
        environ |= {
            "HTTP_TRANSFER_ENCODING": "chunked",
            "wsgi.input": sent,
            "wsgi.input_terminated": True,
        }
        answers: list[Any] = []

        def application(environ: dict[str, Any], _begin: Callable[..., Any]) -> Iterable[bytes]:
            answers.append(handler(environ))
            return []

        body: Any = WholeBodies(application, settings.UPLOAD_LIMIT_BYTES)(environ, print)
        body.close()
        return answers[0]

    client.handler = handled  # type: ignore[assignment]  # a function in place of the object
    return client


class Ending(io.RawIOBase):
    """A body whose sender goes away."""

    def read(self, _size: int = -1, /) -> bytes:
        raise ConnectionResetError("gone")


def test_a_change_that_is_sent_in_chunks_is_made(cast):
    program = in_chunks(bearer(cast.lead), io.BytesIO('{"title": "Été"}'.encode()))
    answer = program.patch("/api/v1/studies/alpha/", b"-", content_type="application/json")
    assert (answer.status_code, answer.json()["title"]) == (200, "Été")
    assert Study.objects.get(key="alpha").title == "Été"


def test_a_file_that_is_sent_in_chunks_is_read(cast):
    rows = b"original,simplification\nUn texte.,Un autre.\n"
    file = io.BytesIO(rows)
    file.name = "pairs.csv"
    sent = io.BytesIO(encode_multipart("BoUnDaRyStRiNg", {"file": file}))
    program = in_chunks(bearer(cast.lead), sent)
    answer = program.generic("POST", "/api/v1/studies/alpha/pairs/file/", b"-", MULTIPART_CONTENT)
    assert (answer.status_code, answer.json()["simplifications"]) == (201, 1)


def test_what_is_too_large_in_chunks_is_refused_by_its_size(cast, settings):
    settings.UPLOAD_LIMIT_BYTES = settings.BODY_LIMIT_BYTES = 1024
    program = in_chunks(bearer(cast.lead), io.BytesIO(b" " * SPOOLED))
    answer = program.patch("/api/v1/studies/alpha/", b"-", content_type="application/json")
    assert (answer.status_code, answer.json()["type"]) == (413, "too_large")
    assert "3 MB" in answer.json()["title"]


def test_what_ends_too_early_in_chunks_changes_nothing(cast):
    program = in_chunks(bearer(cast.lead), Ending())
    answer = program.patch("/api/v1/studies/alpha/", b"-", content_type="application/json")
    assert (answer.status_code, answer.json()["type"]) == (400, "incomplete")


@pytest.mark.parametrize("length", [0, 5, SPOOLED])
def test_an_application_is_told_the_length_and_reads_all(length):
    body = b"a" * length
    environ: dict[str, Any] = {
        "HTTP_TRANSFER_ENCODING": "chunked",
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
    }
    found: list[bytes] = []

    def application(environ: dict[str, Any], _begin: Callable[..., Any]) -> Iterable[bytes]:
        found.append(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        return [b"answer"]

    answer: Any = WholeBodies(application, 2 * SPOOLED)(environ, print)
    assert (list(answer), found) == ([b"answer"], [body])
    answer.close()
    assert environ["wsgi.input"].closed


@pytest.mark.parametrize(
    "environ",
    [
        {"wsgi.input_terminated": True},
        {"wsgi.input_terminated": True, "CONTENT_LENGTH": "4"},
        {"HTTP_TRANSFER_ENCODING": "chunked"},
    ],
    ids=["none", "of a length", "without an end"],
)
def test_other_bodies_are_handed_on_as_they_are(environ):
    sent = io.BytesIO(b"body")
    seen: list[dict[str, Any]] = []

    def application(environ: dict[str, Any], _begin: Callable[..., Any]) -> Iterable[bytes]:
        seen.append(dict(environ))
        return []

    WholeBodies(application, 100)(environ | {"wsgi.input": sent}, print)
    assert (seen, sent.tell()) == ([environ | {"wsgi.input": sent}], 0)
