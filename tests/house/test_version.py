"""One version, in one place, told everywhere alike."""

from __future__ import annotations

import re
import subprocess
import sys

from django.conf import settings

from annotation import __version__


def test_the_changelog_s_newest_section_is_this_version_or_what_comes_next():
    changelog = (settings.BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?$", changelog, re.MULTILINE)
    released = [name for name, _day in sections if name != "Unreleased"]
    assert released[0] == __version__
    assert all(day for name, day in sections if name != "Unreleased")


def test_the_command_says_it():
    for argument in ("version", "--version"):
        command = [sys.executable, "manage.py", argument]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=settings.BASE_DIR
        )
        assert done.stdout.strip() == __version__


def test_no_other_file_states_it():
    files = [
        str(path.relative_to(settings.BASE_DIR))
        for path in (settings.BASE_DIR / "annotation").rglob("*.py")
        if f'"{__version__}"' in path.read_text(encoding="utf-8")
    ]
    assert files == ["annotation/__init__.py"]
