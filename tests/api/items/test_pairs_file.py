"""How a program says what a file of pairs is: what its columns are called."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Item, Simplification
from tests.api.conftest import bearer
from tests.cast import Cast
from tests.factories import make_study

pytestmark = pytest.mark.django_db

Send = Callable[..., Any]
NUMBERED = "Nr;Texte original;Simplification;Système\nc1;La prime est due.;Payez.;gpt\n"


@pytest.fixture
def send(cast: Cast) -> Send:
    make_study("gamma", lead=cast.lead)
    program = bearer(cast.lead)

    def sent(content: str | bytes, columns: dict[str, str | None] | None = None, **options: str):
        content = content if isinstance(content, bytes) else content.encode()
        if columns is not None:
            options["columns"] = json.dumps(columns)
        file = SimpleUploadedFile("pairs.csv", content)
        return program.post("/api/v1/studies/gamma/pairs/file/", {"file": file, **options})

    return sent


def problem(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 422, answer.content
    (only,) = answer.json()["problems"]
    assert not Item.objects.filter(study__key="gamma").exists()
    return only


class TestColumns:
    def test_those_that_are_named_leave_the_others_as_they_are_recognised(self, send: Send):
        """The texts to judge were dropped, with a success."""
        answer = send(NUMBERED, {"original": "Texte original"})
        assert answer.status_code == 201, answer.json()
        pair = Simplification.objects.get(item__study__key="gamma")
        assert (pair.text, pair.system) == ("Payez.", "gpt")
        assert answer.json()["columns_left_out"] == ["Nr"]

    def test_one_that_is_named_for_another_field_is_no_longer_what_it_is_called(self, send: Send):
        answer = send(NUMBERED, {"source": "Système", "id": "Nr"})
        assert answer.status_code == 201, answer.json()
        item = Item.objects.get(study__key="gamma")
        assert (item.key, item.source) == ("c1", "gpt")
        assert item.simplifications.get().system == ""

    def test_null_says_that_there_is_none(self, send: Send):
        answer = send(NUMBERED, {"simplification": None, "system": None})
        assert answer.status_code == 201, answer.json()
        assert answer.json()["columns_left_out"] == ["Nr", "Simplification", "Système"]
        assert not Simplification.objects.filter(item__study__key="gamma").exists()

    def test_without_a_column_of_originals_there_are_no_pairs(self, send: Send):
        assert problem(send(NUMBERED, {"original": None}))["code"] == "unmapped"
