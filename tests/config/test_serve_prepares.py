"""What `manage.py serve` does before anything of it is started, without starting it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError

from annotation.management.commands import serve


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Its steps by name, as they come; none does anything."""
    taken: list[str] = []
    for name in (
        *("compile_translations", "_migrate", "refuse_insecure_start", "_renew_rules"),
        *("_collect_static", "_fill_with_demonstration"),
    ):
        monkeypatch.setattr(serve, name, lambda *_, _name=name, **__: taken.append(_name))
    monkeypatch.setattr(serve, "start_warnings", list)
    return taken


@pytest.mark.parametrize(
    ("is_behind", "expected"),
    [
        (
            True,
            ["compile_translations", "refuse_insecure_start", "_migrate"],
        ),
        (False, ["compile_translations", "_renew_rules"]),
    ],
)
def test_an_insecure_start_is_refused_before_anything_takes_long(
    steps: list[str], monkeypatch: pytest.MonkeyPatch, is_behind, expected
) -> None:
    monkeypatch.setattr(serve, "is_behind", lambda: is_behind)
    serve.Command()._prepare(demo=True)
    assert steps == [
        *expected,
        "refuse_insecure_start",
        "_collect_static",
        "_fill_with_demonstration",
    ]


def test_a_database_that_cannot_be_prepared_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(serve.connections, "close_all", lambda: None)
    monkeypatch.setattr(serve.settings, "BASE_DIR", tmp_path)
    with pytest.raises(CommandError, match="could not be prepared"):
        serve._migrate()
