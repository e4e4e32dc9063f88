"""What documents and deploy/ tell somebody to run is there, and takes what it is given."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, get_commands, load_command_class

ROOT = Path(settings.BASE_DIR)
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
DEPLOYED = [ROOT / "docker-compose.yml", *sorted((ROOT / "deploy").rglob("*.*"))]
FENCED = re.compile(r"^ *```(?:console|sh|bash|shell)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`([^`]*manage\.py [^`]*)`(?!`)")
# What ends a command of a shell.
ENDS = {">", ">>", "|", "&&", "||", ";", "<"}


def words(line: str) -> list[str]:
    """What stands behind ``manage.py`` on a line; what may be left out is there."""
    plain = re.sub(r"\[(--[^\]]*)\]", r"\1", line.partition("manage.py ")[2])
    taken: list[str] = []
    for word in shlex.split(plain, comments=True):
        if word in ENDS:
            break
        taken.append(word)
    return taken


def fenced(text: str) -> Iterator[str]:
    """Each line of a block of commands that runs one of ours, whole or on two lines."""
    for block in FENCED.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if "manage.py " in line.partition("#")[0]:
                yield line.strip()


def parser_of(command: str) -> ArgumentParser:
    return load_command_class(get_commands()[command], command).create_parser("manage.py", command)


def known_options(command: str) -> set[str]:
    return {name for action in parser_of(command)._actions for name in action.option_strings}


def quoted(text: str) -> Iterator[str]:
    """Each line of a block, and what stands in code quotes."""
    for block in FENCED.findall(text):
        yield from (line.strip() for line in block.splitlines())
    yield from re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)


def wrong_in(line: str) -> str:
    """What the command says of its own words; "" where it would run."""
    command, *given = words(line)
    if command not in get_commands():
        return f"there is no command {command}"
    try:
        parser_of(command).parse_args(given)
    except CommandError as error:
        return str(error)
    return ""


def wrong_named(line: str) -> str:
    """Of a command that a sentence names: what it needs besides may be left out there."""
    command, *given = words(line) or [""]
    if not re.fullmatch(r"[a-z][a-z_]*", command):
        return ""
    if command not in get_commands():
        return f"there is no command {command}"
    options = {word.partition("=")[0] for word in given if word.startswith("--")}
    unknown = sorted(options - known_options(command))
    return f"{command} has no {unknown}" if unknown else ""


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_each_line_to_type_would_run(path: Path) -> None:
    lines = fenced(path.read_text(encoding="utf-8"))
    assert {line: wrong for line in lines if (wrong := wrong_in(line))} == {}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_each_command_that_a_sentence_names_is_there(path: Path) -> None:
    spans = INLINE.findall(path.read_text(encoding="utf-8"))
    assert {span: wrong for span in spans if (wrong := wrong_named(span))} == {}


@pytest.mark.parametrize("path", DEPLOYED, ids=lambda path: path.name)
def test_so_is_each_that_is_deployed(path: Path) -> None:
    if path.is_dir():
        return
    lines = [
        # As a list of YAML has it.
        re.sub(r"[\[\],\"]", " ", line)
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"manage\.py[\s\",]", line)
    ]
    assert {line: wrong for line in lines if (wrong := wrong_named(line))} == {}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_so_is_each_chore_module_and_service(path: Path) -> None:
    chores = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    services = set(yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"])
    missing: list[str] = []
    for code in quoted(path.read_text(encoding="utf-8")):
        named = re.findall(r"^make ([a-z][a-z-]*)", code)
        missing += [f"make {chore}" for chore in named if chore not in chores]
        modules = re.findall(r"python3? -m ([a-z_.]+)", code)
        missing += [f"-m {module}" for module in modules if not find_spec(module)]
        if acted := re.match(r"docker compose (?:up|stop|run|exec|build|logs) (.*)", code):
            missing += [
                f"the service {word}"
                for word in re.sub(r"--build-arg \S+( \S+\")?", "", acted[1]).split()
                if re.match(r"(web|worker|beat|migrate|proxy|postgres|redis)\b", word)
                and word not in services
            ]
    assert missing == []


def test_they_are_found_at_all() -> None:
    text = (
        "1. So:\n\n   ```console\n   a/python manage.py serve \\\n     --port 1  # here\n   ```\n"
    )
    (line,) = fenced(text)
    assert words(line) == ["serve", "--port", "1"]
    assert words("manage.py edits a [--json] > b") == ["edits", "a", "--json"]
    assert wrong_in("manage.py serve --port nine").startswith("Error: argument --port")
    assert wrong_in("manage.py server") == "there is no command server"
    assert INLINE.findall("`manage.py check` or ``x``") == ["manage.py check"]
    assert wrong_named("manage.py backup --outputs") == "backup has no ['--outputs']"
    assert wrong_named("python manage.py …") == ""
    total = sum(len(list(fenced(path.read_text(encoding="utf-8")))) for path in DOCS)
    assert total > 20
