"""Compiled translations: made from the committed .po files where they are used, never committed."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.management.base import CommandError

from annotation.room import is_disk_full


def compile_translations(folder: Path) -> list[Path]:
    """Compile each .po under this folder that is newer than its .mo, and name what was made.

    Raises ``CommandError`` where nothing can be written there: the code may belong to somebody
    else, or be read only for the service that runs it.
    """
    stale = [path for path in sorted(folder.glob("*/LC_MESSAGES/*.po")) if _is_stale(path)]
    try:
        return [_compile(path) for path in stale]
    except OSError as error:
        if is_disk_full(error):
            raise
        raise CommandError(
            f"Translations have to be compiled, and {folder} cannot be written to "
            f"({error.strerror or error}). Run `manage.py compile_translations` there as a user "
            "who may, outside the service, now and after each upgrade."
        ) from error


def _is_stale(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime


def _compile(source: Path) -> Path:
    # Imported here: Babel takes a tenth of a second, and almost every start finds nothing to
    # compile.
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po
    from django.utils.translation.reloader import translation_file_changed

    compiled = source.with_suffix(".mo")
    # Written aside and moved, so that a process reading meanwhile sees the old file or the new one.
    draft = compiled.with_suffix(f".mo.{os.getpid()}")
    with source.open("rb") as file:
        catalog = read_po(file, locale=source.parent.parent.name)
    with draft.open("wb") as file:
        write_mo(file, catalog)
    draft.replace(compiled)
    # This process has read what was there while it loaded its models.
    translation_file_changed(None, compiled)
    return compiled
