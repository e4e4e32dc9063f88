"""One module writes CSV, so that no cell anywhere runs as a formula."""

from __future__ import annotations

import ast
import csv
import io
import json

import pytest

from annotation.cells import JsonText, Sheet, as_typed
from tests.house.sizes import ROOT, python_files

WRITERS = {"writer", "DictWriter", "to_csv", "write_csv"}
HOSTILE = [
    "=1+1",
    " =1+1",
    "\n=1+1",
    "\ufeff=1+1",
    "\uff1d1+1",
    "'=1+1",
    "\t=1+1",
    "\u00a0@SUM(A1)",
    "+1",
    "-1",
    "@x",
    "\r",
]


def _uses(tree: ast.AST) -> set[str]:
    """What the module takes of ``csv`` (or calls as a method of a table) to write with."""
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    taken = {
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("csv", "pyarrow.csv")
        for name in node.names
    }
    return (called | taken) & WRITERS


def test_no_other_module_writes_csv() -> None:
    program = [
        path
        for path in python_files()
        if path.relative_to(ROOT).parts[0] in ("annotation", "api", "workers")
    ]
    writers = {
        str(path.relative_to(ROOT)) for path in program if _uses(ast.parse(path.read_text("utf-8")))
    }
    assert writers == {"annotation/cells.py"}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_carriage_return_in_a_cell_ends_no_row(end: str) -> None:
    out = io.StringIO(newline="")
    rows = [["a\rb", "c"], ["d", "e\r"], ["f\r\n", "g\n"]]
    Sheet(out, lineterminator=end).writerows(rows)
    assert out.getvalue().startswith(f'"a\rb",c{end}')
    assert list(csv.reader(io.StringIO(out.getvalue(), newline=""))) == rows


@pytest.mark.parametrize("cell", HOSTILE)
def test_no_cell_starts_a_formula(cell: str) -> None:
    out = io.StringIO(newline="")
    Sheet(out).writerows([[cell, 3, -1.5, None]])
    written = out.getvalue()
    assert written.lstrip('"').startswith("'")
    assert written.endswith(",3,-1.5,\r\n")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_nor_where_another_separator_parts_it(separator: str) -> None:
    text = "ok{0}=cmd|'/C calc'!A0{0}fin\n-WEBSERVICE(A1)"
    typed = [text.format(other) for other in ",;\t"]
    out = io.StringIO(newline="")
    sheet = Sheet(out, delimiter=separator)
    sheet.writerow([*typed, JsonText(json.dumps(typed))])
    written = out.getvalue()
    for other in ",;\t":
        for cells in csv.reader(io.StringIO(written, newline=""), delimiter=other):
            assert not [cell for cell in cells if cell.strip()[:1] in ("=", "-")]
    [[*held, listed]] = csv.reader(io.StringIO(written, newline=""), delimiter=separator)
    assert [as_typed(cell) for cell in held] == json.loads(listed) == typed
