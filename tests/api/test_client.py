"""The program in docs/api.md, run as it stands against a server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.db import transaction

from annotation.models import Judgment, Study
from annotation.services.accounts.tokens import token_create
from annotation.services.publishing.exports import export_write
from api.throttling import PersonThrottle
from tests.factories import make_user
from tests.processes import PATIENCE

DOCUMENT = Path(django_settings.BASE_DIR) / "docs" / "api.md"


@pytest.fixture
def _exports_at_once(monkeypatch) -> None:
    """No worker here: an export is written when it is asked for."""

    def write(public_id) -> None:
        transaction.on_commit(lambda: export_write(public_id))

    monkeypatch.setattr("annotation.services.publishing.exports.request_export", write)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_exports_at_once")
def test_the_program_goes_from_nothing_to_an_export(live_server, tmp_path):
    cache.clear()
    PersonThrottle.forget()
    lead = make_user("directrice", is_admin=True)
    _token, leads = token_create(actor=lead, name="doc", scopes=["read", "lead"], days=1)
    people = []
    for number in range(5):
        person = make_user(f"juriste{number}")
        people.append(
            f"{person.email}={token_create(actor=person, name='doc', scopes=['read', 'judge'], days=1)[1]}"  # noqa: E501
        )
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    program = tmp_path / "program.py"
    program.write_text(code, encoding="utf-8")
    own = {
        "BAREME_URL": live_server.url,
        "BAREME_TOKEN": leads,
        "BAREME_ANNOTATORS": " ".join(people),
    }
    run = subprocess.run(
        [sys.executable, program],
        env=os.environ | own,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith("2 pairs\n")
    assert run.stdout.count("judged ") == 10
    assert "legal_meaning " in run.stdout
    assert "model-a" in run.stdout  # in the lead's export
    assert Study.objects.get(key="essai").annotators.count() == 5
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 10
