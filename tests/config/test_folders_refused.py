"""Folders that cannot be used stop a start with the name of their setting, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as given
from django.core.exceptions import ImproperlyConfigured

from annotation.web.platform.metrics import metrics_folder


@pytest.mark.parametrize("name", ["/etc/passwd", "/proc/none"])
def test_static_files_have_nowhere_to_go(tmp_path: Path, name: str) -> None:
    own = {key: value for key, value in os.environ.items() if not key.startswith("BAREME_")}
    own |= {"BAREME_DATA_DIR": str(tmp_path), "BAREME_DEMO": "1", "BAREME_STATIC_DIR": name}
    done = subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        cwd=given.BASE_DIR,
        env=own,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert f"BAREME_STATIC_DIR names {name!r}, which cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["/etc/passwd", "/etc/passwd/x", "/proc/none"])
def test_requests_are_counted_nowhere(settings: Any, name: str) -> None:
    settings.METRICS_DIR = Path(name)
    with pytest.raises(ImproperlyConfigured, match=f"^BAREME_METRICS_DIR names '{name}', which"):
        metrics_folder()


def test_the_web_server_says_it_in_words(tmp_path: Path) -> None:
    """They were the last line of forty of a traceback."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("BAREME_")}
    own |= {
        "BAREME_DATA_DIR": str(tmp_path),
        "BAREME_DEMO": "1",
        "BAREME_METRICS_DIR": "/etc/passwd",
        "BAREME_METRICS_TOKEN": "a-token-of-the-metrics-0123456789-abcdef",
        "BAREME_WEB_BIND": f"unix:{tmp_path}/web.sock",
    }
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "staticfiles.json").write_text(
        '{"paths": {}, "version": "1.1"}', encoding="ascii"
    )
    command = ["-m", "gunicorn", "--config", "python:annotation.config.gunicorn"]
    done = subprocess.run(
        [sys.executable, *command, "annotation.config.wsgi:application"],
        cwd=given.BASE_DIR,
        env=own,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("BAREME_METRICS_DIR names '/etc/passwd', which cannot be used")
    assert "Traceback" not in done.stderr
