"""A study that is not there is said to be none, with those that there are, by every command that
takes one: nothing looked at is not nothing wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from annotation.corpus.question_rows import as_csv
from tests.factories import make_study
from tests.management.test_question_report_command import rows

pytestmark = pytest.mark.django_db

# Make the study that they are given, where there is none.
MAKERS = {"import_csmd", "import_frjudge", "import_jades"}
# What else each has to be told before it looks.
COMMANDS: dict[str, list[str]] = {
    "agreement": ["nope"],
    "check_answers": ["--study", "nope"],
    "edits": ["--study", "nope"],
    "export_study": ["nope", "--layout", "long", "--output", "out.csv"],
    "freeze": ["nope"],
    "generate": ["nope", "--model", "m"],
    "import_document": ["nope", "file.txt"],
    "import_judgments": ["--study", "nope", "file.csv"],
    "import_pairs": ["--study", "nope", "file.csv"],
    "import_summaries": ["--study", "nope", "file.csv"],
    "invite": ["--study", "nope", "a@example.org"],
    "metrics": ["nope"],
    "models": ["nope"],
    "plan": ["nope"],
    "probe": ["--study", "nope"],
    "question_report": ["rows.csv", "--judged", "nope"],
    "questions": ["nope", "--run", "1"],
    "systems": ["nope"],
}


def test_no_command_is_left_out() -> None:
    taking = {
        command
        for command, app in get_commands().items()
        if app in ("annotation", "workers")
        for action in load_command_class(app, command).create_parser("manage.py", command)._actions
        if action.metavar == "KEY" or action.dest == "study"
    }
    assert taking == set(COMMANDS) | MAKERS


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_each_names_those_that_there_are(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study("alpha")
    monkeypatch.chdir(tmp_path)
    Path("file.txt").write_text("Un texte.", encoding="utf-8")
    Path("file.csv").write_text("source,simplification,system\nA,B,c\n", encoding="utf-8")
    Path("rows.csv").write_text(as_csv(rows()), encoding="utf-8", newline="")
    with pytest.raises(CommandError, match=r"There is no study “nope”\. Studies: alpha") as caught:
        call_command(command, *COMMANDS[command])
    assert caught.value.returncode == 1
    assert not Path("out.csv").exists()
