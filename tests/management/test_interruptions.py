"""A command that somebody stops by its keys says so in a sentence, and leaves nothing half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

import manage
from annotation.backup import archive
from annotation.models import Item, PairsImport
from annotation.services.items import items
from tests.factories import make_study
from tests.processes import PATIENCE, until

NOTHING = "Interrupted: nothing was stored."


def interrupted(*_arguments: Any, **_options: Any) -> None:
    raise KeyboardInterrupt


def test_on_a_terminal(tmp_path: Path) -> None:
    """The command waits for somebody to write into its file, who presses Ctrl-C instead."""
    fifo = tmp_path / "scores.csv"
    os.mkfifo(fifo)
    own = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
    command = [sys.executable, "manage.py", "metrics", "--table", str(fifo), "--human", "score"]
    with (
        answers_to_interrupts(),
        subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env=own | {"BAREME_DATA_DIR": str(tmp_path), "DATABASE_URL": "", "BAREME_DEMO": "1"},
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        held: list[int] = []
        try:
            # As long as somebody has it open to write, the command reads and does not come to the
            # end.
            assert until(lambda: is_read(fifo, held))
            process.send_signal(signal.SIGINT)
            _out, said = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            for opened in held:
                os.close(opened)
    assert process.returncode == 130
    assert "Interrupted: what was under way was not stored" in said
    assert "Traceback" not in said


@contextmanager
def answers_to_interrupts() -> Iterator[None]:
    """What is started meanwhile is started as on a terminal: a suite that runs in the background
    of a shell hears no Ctrl-C, nor does what it starts."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


def is_read(fifo: Path, held: list[int]) -> bool:
    """Whether a process has it open, or waits in opening it, to read; it is held open then."""
    try:
        held.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("import_pairs", NOTHING),
        ("backup", NOTHING),
        ("check_answers", "Interrupted: what was under way was not stored. What was done before"),
    ],
)
def test_in_one_place_for_every_command(command, words, monkeypatch, capsys):
    monkeypatch.setattr("django.core.management.execute_from_command_line", interrupted)
    monkeypatch.setattr(sys, "argv", ["manage.py", command])
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert ended.value.code == 130
    assert words in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["manage.py", command, "--traceback"])
    with pytest.raises(KeyboardInterrupt):
        manage.main()


@pytest.mark.django_db
def test_no_pair_is_stored_of_an_import(tmp_path, monkeypatch):
    make_study("s")
    path = tmp_path / "pairs.csv"
    path.write_text("original,simplification\nL'assuré paie.,Vous payez.\n", encoding="utf-8")
    monkeypatch.setattr(items, "event_record", interrupted)
    with pytest.raises(KeyboardInterrupt):
        call_command("import_pairs", str(path), study="s", stdout=StringIO())
    assert not Item.objects.exists()
    assert not PairsImport.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_no_backup_is_left(tmp_path, monkeypatch):
    out = tmp_path / "backups"
    out.mkdir()
    monkeypatch.setattr(archive, "files_under", interrupted)
    with pytest.raises(KeyboardInterrupt):
        call_command("backup", output=str(out), stdout=StringIO())
    assert not list(out.iterdir())
    assert not list(Path(settings.DATA_DIR).glob(".backup-*"))
