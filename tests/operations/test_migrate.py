"""``manage.py migrate`` in the case where every start tells to run it: a protocol came or went."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import migrated

SAMPLE = "tests.protocols.samples.plain"


# Each command as ``manage.py`` runs it, which asks the checks; what each ended with, on a line.
COMMANDS = """
import sys
from django.core.management import execute_from_command_line
for command in sys.argv[1:]:
    try:
        execute_from_command_line(["manage.py", *command.split()])
    except SystemExit as ended:
        print("ENDED", ended.code)
    else:
        print("ENDED", 0)
"""
MIGRATE, CHECK = "migrate --verbosity 0", "check --database default"


@pytest.mark.slow
def test_migrate_is_not_held_up_by_the_lack_of_rules_that_it_mends(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """In processes, because protocols are read once in each: one for all that is asked of the
    same."""
    database = tmp_path / "own.sqlite3"
    if cache := getattr(pytestconfig, "cache", None):
        migrated.take(cache.mkdir("databases"), database)  # or it is made from nothing

    def ended(protocols: str, *commands: str) -> tuple[list[str], str]:
        own = {
            "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
            "DATABASE_URL": f"sqlite:///{database}",
            "BAREME_DATA_DIR": str(tmp_path),
            "BAREME_DEMO": "1",
            "BAREME_PROTOCOLS": protocols,
            "PYTHONPATH": str(Path.cwd()),
        }
        done = subprocess.run(
            [sys.executable, "-c", COMMANDS, *commands],
            env=os.environ | own,
            capture_output=True,
            text=True,
            check=True,
        )
        lines = done.stdout.splitlines()
        return [line for line in lines if line.startswith("ENDED")], done.stderr

    assert ended("", MIGRATE, CHECK) == (["ENDED 0"] * 2, "")
    for protocols in (SAMPLE, ""):
        codes, said = ended(protocols, CHECK, MIGRATE, CHECK)
        assert codes == ["ENDED 1", "ENDED 0", "ENDED 0"], said
        assert said.count("bareme.E007") == 1
