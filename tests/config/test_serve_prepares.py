"""What `manage.py serve` does before anything of it is started, without starting it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from annotation.management.commands import serve


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Its steps by name, as they come; none does anything."""
    taken: list[str] = []
    for name in (
        *("compile_translations", "call_command", "refuse_insecure_start", "_renew_rules"),
        *("_collect_static", "_fill_with_demonstration", "get_internal_wsgi_application"),
        *("_answer_once", "import_module"),
    ):
        monkeypatch.setattr(serve, name, lambda *_, _name=name, **__: taken.append(_name))
    monkeypatch.setattr(serve, "start_warnings", list)
    monkeypatch.setattr(serve.connections, "close_all", lambda: None)
    monkeypatch.setattr(serve.current_app.loader, "import_default_modules", lambda: None)
    monkeypatch.setenv("CELERY_SKIP_CHECKS", "")
    return taken


@pytest.fixture(autouse=True)
def _garbage_as_it_was() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


@pytest.mark.parametrize(
    ("is_behind", "expected"),
    [
        (
            True,
            ["compile_translations", "refuse_insecure_start", "call_command"],
        ),
        (False, ["compile_translations", "_renew_rules"]),
    ],
)
def test_an_insecure_start_is_refused_before_anything_takes_long(
    steps: list[str], monkeypatch: pytest.MonkeyPatch, is_behind, expected
) -> None:
    monkeypatch.setattr(serve, "is_behind", lambda: is_behind)
    assert serve.Command()._prepare(demo=True) is is_behind
    assert steps == [
        *expected,
        "refuse_insecure_start",
        "_collect_static",
        "_fill_with_demonstration",
    ]


@pytest.mark.parametrize("was_migrated", [True, False])
def test_garbage_of_a_migration_is_not_carried_by_what_is_forked(
    steps: list[str], monkeypatch: pytest.MonkeyPatch, was_migrated
) -> None:
    collections: list[str] = []
    monkeypatch.setattr("annotation.garbage.gc.collect", lambda: collections.append("gc"))
    serve._load(is_anew=not was_migrated)
    assert collections == ["gc"] * was_migrated
    assert steps[:2] == ["get_internal_wsgi_application", "_answer_once"]
