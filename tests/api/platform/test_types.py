"""The types of refusals: each stands in the table of docs/api.md, and is answered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.functional import Promise

from annotation.models import Job
from annotation.web.platform.views import errors
from api.problems import BY_STATUS
from tests.cast import Cast

ROOT = Path(settings.BASE_DIR)
# What answers programs before, or instead of, the API's own views.
_BEFORE = (
    "annotation/web/platform/door.py",
    "annotation/web/platform/upload_limit.py",
    "annotation/web/accounts/second_step.py",
)


def _types(file: Path) -> Iterator[str]:
    """What stands second in each call of ``problem`` or ``problem_response``."""
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id in ("problem", "problem_response")
            and len(call.args) > 1
        ):
            for part in ast.walk(call.args[1]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def test_each_stands_in_the_table():
    files = [*(ROOT / "api").rglob("*.py"), *(ROOT / name for name in _BEFORE)]
    used = {kind for file in files for kind in _types(file)} | set(BY_STATUS.values())
    pairs = (kept for kept in vars(errors).values() if isinstance(kept, tuple) and len(kept) == 2)
    used |= {kind for kind, title in pairs if isinstance(title, Promise)}
    assert len(used) > 20
    rows = re.findall(
        r"^  \| [\d, ]+ \| (.+?) \|",
        (ROOT / "docs/api.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert used == {kind for row in rows for kind in re.findall(r"`(\w+)`", row)}


def test_a_host_that_is_not_answered_to_is_refused_before_the_api(client):
    answer = client.get("/api/v1/studies/", headers={"host": "elsewhere.example"})
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "status", "kind", "title"),
    [
        ("queued", 409, "not_written", "not written yet"),
        ("failed", 409, "not_written", "Ask for it again"),
        ("done", 410, "file_gone", "thirty days"),
    ],
)
def test_a_file_that_is_not_there_says_why(cast: Cast, program, state, status, kind, title):
    parameters = {"layout": "long", "format": "csv"}
    job = Job.objects.create(
        study=cast.alpha,
        kind=Job.Kind.EXPORT,
        state=state,
        parameters=parameters,
        requested_by=cast.lead,
    )
    address = f"/api/v1/studies/alpha/exports/{job.public_id}/file/"
    answer = program("lead").get(address)
    assert (answer.status_code, answer.json()["type"]) == (status, kind)
    assert title in answer.json()["title"]
    french = program("lead").get(address, headers={"accept-language": "fr"}).json()["title"]
    assert title not in french
