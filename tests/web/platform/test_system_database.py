"""A database that anybody on the machine may read: told on the system page too."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from annotation.selectors.platform import system
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_the_system_page_tells_who_may_read_the_database(client: Client, monkeypatch: Any) -> None:
    """Whoever reads that page need not have seen what the start said."""
    client.force_login(make_user(is_admin=True))
    # Not under the test's own folder, which lets nobody in.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = Path(folder) / "a b.sqlite3"
        path.parent.chmod(0o755)
        path.touch(0o600)
        fake = SimpleNamespace(vendor="sqlite", settings_dict={"NAME": str(path)})
        monkeypatch.setattr(system, "connections", {"default": fake})
        assert "chmod 600" not in client.get("/system/").content.decode()
        path.chmod(0o644)
        page = client.get("/system/").content.decode()
    assert f"<code>chmod 600 &#x27;{path}&#x27;*</code>" in page
    assert "peut lire la base de données" in page
