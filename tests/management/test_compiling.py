"""Compiled translations are in no clone: where they cannot be made, it is said who has to."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.management import translations
from annotation.management.commands import serve

PO = """msgid ""
msgstr "Content-Type: text/plain; charset=utf-8"

msgid "Save"
msgstr "Enregistrer"
"""


@pytest.fixture
def catalog(settings: Any, tmp_path: Path) -> Path:
    """A clone's: a .po file, and nothing compiled. Where its compiled one belongs."""
    source = tmp_path / "locale" / "fr" / "LC_MESSAGES" / "django.po"
    source.parent.mkdir(parents=True)
    source.write_text(PO, encoding="utf-8")
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    return source.with_suffix(".mo")


@pytest.fixture
def read_only(catalog: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As the shipped systemd unit shows its code to the service."""
    real = Path.open

    def refuse(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if "w" in mode and path.is_relative_to(catalog.parent):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real(path, mode, *rest, **options)

    monkeypatch.setattr(Path, "open", refuse)
    return catalog


def test_a_server_says_what_has_to_be_run(read_only: Path) -> None:
    with pytest.raises(CommandError, match=r"manage\.py compile_translations") as caught:
        serve.Command()._prepare(demo=False)
    assert str(read_only.parents[2]) in str(caught.value)
    assert "Read-only file system" in str(caught.value)


def test_so_does_the_command_itself(read_only: Path) -> None:
    with pytest.raises(CommandError, match="as a user who may, outside the service"):
        call_command("compile_translations")


def test_nothing_is_refused_where_they_are_compiled(
    catalog: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call_command("compile_translations", stdout=io.StringIO())
    monkeypatch.setattr(translations, "_compile", pytest.fail)
    assert translations.compile_translations(catalog.parents[2]) == []


@pytest.mark.django_db
class TestMigrate:
    """The step that sets an installation up, and brings it to a new version."""

    def test_it_compiles_them(self, catalog: Path) -> None:
        call_command("migrate", verbosity=0)
        assert catalog.exists()

    def test_looking_writes_nothing(self, catalog: Path) -> None:
        call_command("migrate", plan=True, stdout=io.StringIO())
        assert not catalog.exists()

    def test_the_database_is_brought_up_all_the_same(self, read_only: Path) -> None:
        err = io.StringIO()
        call_command("migrate", verbosity=0, stderr=err)
        assert "manage.py compile_translations" in err.getvalue()
