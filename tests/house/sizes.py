"""How large the files and functions are. `python -m tests.house.sizes` prints what 90 % of them
stay under."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON_FOLDERS = ("annotation", "api", "workers", "bench", "tests")


@dataclass(frozen=True)
class Measure:
    """One kind of thing, and the size that most keep: beyond it stands a question."""

    kind: str
    usual: int


PYTHON_FILE = Measure("Python file", usual=300)
FUNCTION = Measure("function", usual=40)
TEMPLATE = Measure("template", usual=140)
SCRIPT = Measure("script", usual=250)
# A test file is a list of cases: longer than code may be before it is hard to read.
TEST_FILE = Measure("test file", usual=300)
TEST_FUNCTION = Measure("test function", usual=40)
MEASURES = (PYTHON_FILE, FUNCTION, TEST_FILE, TEST_FUNCTION, TEMPLATE, SCRIPT)


def python_files() -> Iterator[Path]:
    for folder in PYTHON_FOLDERS:
        yield from (
            path for path in sorted((ROOT / folder).rglob("*.py")) if "migrations" not in path.parts
        )


def templates() -> Iterator[Path]:
    for folder in ("templates", "annotation"):
        yield from sorted((ROOT / folder).rglob("*.html"))


def sizes() -> Iterator[tuple[Measure, str, int]]:
    """Every file and function: its measure, its name, its lines."""
    for path in python_files():
        text = path.read_text(encoding="utf-8")
        is_test = path.is_relative_to(ROOT / "tests")
        yield TEST_FILE if is_test else PYTHON_FILE, str(path.relative_to(ROOT)), text.count("\n")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                yield (
                    TEST_FUNCTION if is_test else FUNCTION,
                    f"{path.relative_to(ROOT)}:{node.name}",
                    node.end_lineno - node.lineno + 1,
                )
    for path in templates():
        yield TEMPLATE, str(path.relative_to(ROOT)), path.read_text(encoding="utf-8").count("\n")
    for path in sorted((ROOT / "static" / "js").rglob("*.js")):
        yield SCRIPT, str(path.relative_to(ROOT)), path.read_text(encoding="utf-8").count("\n")


def report() -> str:
    """One line per kind, and the largest of each that is larger than most."""
    all_sizes = list(sizes())
    lines = []
    for measure in MEASURES:
        of_kind = sorted((size, name) for kind, name, size in all_sizes if kind is measure)
        if not of_kind:
            continue
        p90 = of_kind[int(0.9 * (len(of_kind) - 1))][0]
        lines.append(f"{measure.kind}: {len(of_kind)}, p90 {p90} lines (aim {measure.usual})")
        lines += [
            f"    {size:4} {name}" for size, name in reversed(of_kind) if size > measure.usual
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())
