"""An empty word names no file, though Python takes it for the folder that one is in: `--output ""`
of an unset variable put a backup there."""

from __future__ import annotations

from argparse import Action, ArgumentTypeError
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

# By what they are called on a command line.
NAMING = {"FILE", "DIR", "TABLE", "DIR_OR_TSV"}
OTHERS = {"file", "output", "identity", "scratch"}
OURS = ("annotation", "workers")


def actions() -> list[tuple[str, Action]]:
    return [
        (command, action)
        for command, app in sorted(get_commands().items())
        if app in OURS
        for action in load_command_class(app, command).create_parser("manage.py", command)._actions
    ]


NAMED = [
    pytest.param(action, id=f"{command} {action.dest}")
    for command, action in actions()
    if not action.choices and (action.metavar in NAMING or action.dest in OTHERS)
]


def test_there_are_as_many_as_there_were() -> None:
    assert len(NAMED) >= 27


@pytest.mark.parametrize("action", NAMED)
def test_each_refuses_an_empty_word(action: Action) -> None:
    assert callable(action.type)
    for empty in ("", " "):
        with pytest.raises(ArgumentTypeError, match="names nothing"):
            action.type(empty)
    assert str(action.type("given.zip")) == "given.zip"
    # argparse takes a default that is text for a word that was given.
    assert action.default != ""


def test_a_backup_lands_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match="--output: it is empty, and names nothing"):
        call_command("backup", "--output", "")
    assert list(tmp_path.iterdir()) == []
