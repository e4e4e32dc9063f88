"""What is served beside the pages, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.signals import request_finished
from django.db import close_old_connections
from django.http import HttpResponse
from django.test import RequestFactory

from annotation.management.commands.serve import _collect_static
from annotation.web.platform.static_files import StaticFilesMiddleware

STORAGE = {"staticfiles": {"BACKEND": "annotation.config.storage.StaticStorage"}}


@pytest.fixture
def gathered(settings, tmp_path: Path) -> Path:
    """Two files, gathered as `manage.py serve` does."""
    (tmp_path / "sources" / "css").mkdir(parents=True)
    (tmp_path / "sources" / "css" / "a.css").write_text("p { color: red }", encoding="ascii")
    settings.STATICFILES_DIRS = [tmp_path / "sources"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = str(tmp_path / "static")
    settings.STORAGES = settings.STORAGES | STORAGE
    _collect_static()
    return tmp_path / "static"


@pytest.mark.parametrize("refreshing", [False, True])
@pytest.mark.parametrize("name", ["staticfiles.json", ".collected"])
def test_the_records_of_gathering_are_nobody_s(gathered: Path, settings, refreshing, name):
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = refreshing
    middleware = StaticFilesMiddleware(lambda request: HttpResponse(status=404))
    assert (gathered / name).exists()

    def status(path: str) -> int:
        answer = middleware(RequestFactory().get(f"/static/{path}"))
        # As the test client does: the end of an answer closes connections, which tests hold on to.
        request_finished.disconnect(close_old_connections)
        try:
            answer.close()
        finally:
            request_finished.connect(close_old_connections)
        return int(answer.status_code)

    assert status(name) == 404
    assert status("css/a.css") == 200
    hashed = next(path.name for path in (gathered / "css").glob("a.*.css"))
    assert status(f"css/{hashed}") == 200


def test_our_middleware_is_the_one_in_use(settings):
    serving = [name for name in settings.MIDDLEWARE if "static" in name or "whitenoise" in name]
    assert serving == ["annotation.web.platform.static_files.StaticFilesMiddleware"]
    assert call_command("check") is None
