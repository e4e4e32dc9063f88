"""Parts of Django, Gunicorn, Celery and drf-spectacular that are nobody's to rely on, and that some
modules here do rely on: each was read at one version. Another version is read again before it is
taken.

A version that fails here is no fault: read what the module's docstring names, try the module's own
tests, and put the new version into the module.
"""

from __future__ import annotations

from importlib.metadata import version
from types import ModuleType

import pytest

from annotation import prepared
from annotation.config import web_worker
from annotation.web.platform import message_storage, session_store
from api import taken
from workers import clock


@pytest.mark.parametrize(
    ("module", "distribution"),
    [
        (prepared, "Django"),
        (session_store, "Django"),
        (message_storage, "Django"),
        (web_worker, "gunicorn"),
        (clock, "celery"),
        (taken, "drf-spectacular"),
    ],
    ids=lambda part: part.__name__ if isinstance(part, ModuleType) else part,
)
def test_the_version_that_it_was_read_against(module: ModuleType, distribution: str) -> None:
    assert version(distribution).startswith(f"{module.READ_AGAINST}."), (
        f"{module.__name__} was read against {distribution} {module.READ_AGAINST}"
    )
    assert "What would remove it:" in " ".join((module.__doc__ or "").split())
