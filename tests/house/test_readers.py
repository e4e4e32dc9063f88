"""What strangers send is read in a process with limits, or through the one door for JSON: no page,
operation, service or command reads it itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.sizes import ROOT, python_files

# Who reads for others: the readers themselves, the process in which they run, and what the program
# brings along.
READERS = ("annotation/corpus/", "annotation/reading.py", "annotation/demo/")
# JSON of the program's own: written by it, or asked of its operator.
_OWN_JSON = {
    "annotation/bodies.py",
    # The answer that an operation has just given.
    "api/idempotency.py",
}
# Where the framework's own field, which knows no such limits, is made a strict one.
_FIELDS = {"annotation/web/base/json_field.py", "api/fields.py"}
ASKED = ("annotation/web/", "api/")
PARSERS = {"csv", "zipfile", "openpyxl", "docx", "pypdf", "lxml", "xml", "pyarrow", "tarfile"}


def program() -> Iterator[tuple[str, Path]]:
    for path in python_files():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(("annotation/", "api/", "workers/")):
            yield name, path


def reads(tree: ast.AST) -> set[str]:
    """The readers of files that a module takes for itself."""
    return {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("annotation.corpus")
        for alias in node.names
        if alias.name.startswith("read_") or alias.name == "read"
    }


def parses(tree: ast.AST) -> set[str]:
    """The libraries by which a module could read a file or a body itself."""
    imported = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
        elif (
            isinstance(node, ast.Attribute)
            and node.attr in ("loads", "load")
            and isinstance(node.value, ast.Name)
            and node.value.id == "json"
        ):
            imported.add("json.loads")
    return imported & (PARSERS | {"json.loads"})


def test_a_file_is_read_by_a_process_of_its_own() -> None:
    modules = {
        name: taken
        for name, path in program()
        if not name.startswith(READERS) and (taken := reads(ast.parse(path.read_text("utf-8"))))
    }
    assert modules == {}


def test_pages_and_operations_parse_nothing_themselves() -> None:
    modules = {
        name: taken
        for name, path in program()
        if name.startswith(ASKED)
        and name not in _OWN_JSON
        and (taken := parses(ast.parse(path.read_text("utf-8"))))
    }
    assert modules == {}


def test_json_in_a_form_has_the_strict_field() -> None:
    """Django's and the framework's raise what is no refusal for what is nested without end, and
    take what no column holds."""
    modules = {
        name
        for name, path in program()
        if name.startswith(ASKED) and name not in _FIELDS
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "JSONField"
    }
    assert modules == set()


@pytest.mark.parametrize(
    "line",
    [
        "from annotation.corpus.glossary import read_glossary",
        "from annotation.corpus.xlsx import read",
    ],
)
def test_a_reader_in_the_wrong_place_is_found(line: str) -> None:
    assert reads(ast.parse(line))


@pytest.mark.parametrize("line", ["json.loads(text)", "import csv", "from lxml import etree"])
def test_a_parser_in_the_wrong_place_is_found(line: str) -> None:
    assert parses(ast.parse(line))
