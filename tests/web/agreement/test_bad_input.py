"""What cannot be concluded is said in words wherever it is asked: pages in French, API, commands.
Never NaN, never an infinity, never a p without its test."""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Annotator, Study, User
from annotation.services.agreement.modelling import models_compute, models_request
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_request, report_write
from tests.cast import Cast
from tests.factories import make_study
from tests.systems_study import fill_systems

pytestmark = [pytest.mark.django_db, pytest.mark.walk]
DESIGNS: dict[str, dict[str, Any]] = {
    "nobody judged": {},
    "one system": {"a": [[5, 6], [7, 8], [9, 9]] * 4},
    "one person": {"a": [[5], [7], [9]] * 4, "b": [[6], [6], [9]] * 4},
    "a system on three texts": {
        "a": [[5, 6], [7, 8], [9, 9]] * 4,
        "b": [[4, 4], [5, 6], [6, 9]] + [None] * 9,
    },
    "all answers equal": {"a": [[8, 8]] * 12, "b": [[8, 8]] * 12},
    "no common people": {
        "a": [[5, None], [7, None], [9, None]] * 4,
        "b": [[None, 6], [None, 6], [None, 9]] * 4,
    },
    "no text judged by two": {
        "a": [[5, None], [None, 7]] * 6,
        "b": [[6, None], [None, 9]] * 6,
    },
    "one text": {"a": [[5, 6]], "b": [[7, 7]]},
    "empty cells": {
        "a": [[5, None, None], [7, 8, None], [None, None, 9]] * 4,
        "b": [[None, 6, None], [None, None, 9], [4, None, None]] * 4,
    },
}
PAGES = (
    "agreement/",
    "agreement/models/",
    "systems/",
    "plan/precision/",
    "metrics/",
)
NOT_NUMBERS = re.compile(r"(?<![\w-])(?:nan|-?inf|none|null)(?![\w-])", re.IGNORECASE)


def strict(text: str) -> Any:
    """JSON without the numbers that are none. Raises ``ValueError``."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def without_test(node: Any, path: str) -> list[str]:
    """Where a p stands without the test that gave it, or what it was computed from."""
    if isinstance(node, list):
        return [
            place for at, value in enumerate(node) for place in without_test(value, f"{path}/{at}")
        ]
    if not isinstance(node, dict):
        return []
    named = [node.get(key) for key in ("test", "method", "name", "signature", "williams_t")]
    own = [path] if isinstance(node.get("p"), float | int) and not any(named) else []
    return own + [
        place for key, value in node.items() for place in without_test(value, f"{path}/{key}")
    ]


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch, cast: Cast) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    # What cannot be concluded from one beginning cannot be from ten.
    monkeypatch.setattr("annotation.services.agreement.modelling.RESTARTS", 1)


@pytest.fixture(params=DESIGNS)
def bad(request, cast: Cast) -> Study:
    study = make_study("bad", lead=cast.lead, state="closed")
    if DESIGNS[request.param]:
        fill_systems(study, DESIGNS[request.param])
    return Study.objects.get(pk=study.pk)


def words(page: str) -> str:
    """What is read on it: without markup and what scripts and styles hold."""
    bare = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", bare)


def test_pages_api_and_commands(bad: Study, cast: Cast):
    User.objects.filter(pk=cast.lead.pk).update(language="fr")
    client = cast.client("lead")
    if Annotator.objects.filter(study=bad).exists():
        request = ReportRequest("legal_meaning", seed=1, draws=100)
        assert report_write(report_request(actor=cast.lead, study=bad, request=request).public_id)
        assert models_compute(models_request(actor=cast.lead, study=bad).public_id)
    for name in PAGES:
        answer = client.get(f"/studies/bad/{name}")
        assert answer.status_code == 200, name
        said = NOT_NUMBERS.search(words(answer.content.decode()))
        assert said is None, (name, said)
    for name in ("agreement/", "systems/", "agreement/models/", "metrics/"):
        answer = client.get(f"/api/v1/studies/bad/{name}")
        assert answer.status_code in (200, 404), name
        if answer.status_code == 200:
            assert without_test(strict(answer.content.decode()), name) == []
    for command in ("agreement", "systems"):
        out, shown = StringIO(), StringIO()
        call_command(command, "bad", "--json", stdout=out)
        assert without_test(strict(out.getvalue()), command) == []
        call_command(command, "bad", stdout=shown)
        assert NOT_NUMBERS.search(shown.getvalue()) is None
