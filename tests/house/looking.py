"""Browser tests that look at a page in the moment after a click or a key: what that brings comes
through a timer, the network or another page, on a slow machine later than the look.

A statement *acts* where the last of its calls on a page presses, types or clicks, or is a helper of
the same file that ends so. An ``assert`` *looks* where it asks the page, the address or the
database at once. What stands between them has to wait: an ``expect``, a ``wait_for…``, or a helper
that ends with one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ACTS = {
    *("check", "click", "dblclick", "dispatch_event", "down", "fill", "press", "select_option"),
    *("set_input_files", "tap", "type", "uncheck", "up"),
}
LOOKS = {
    *("all_inner_texts", "all_text_contents", "bounding_box", "count", "evaluate", "get_attribute"),
    *("inner_text", "input_value", "is_checked", "is_enabled", "is_focused", "is_hidden"),
    *("is_visible", "objects", "refresh_from_db", "text_content", "url"),
}
WAITS = ("expect", "wait", "goto", "reload", "read_until", "saved", "set_viewport_size")


def hasty(source: str) -> list[int]:
    """The lines of a test file on which an ``assert`` looks right after an act."""
    tree = ast.parse(source)
    helpers = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    lines = []
    for function in helpers.values():
        has_acted = False
        for statement in _in_order(function.body):
            if isinstance(statement, ast.Assert) and has_acted and _names(statement) & LOOKS:
                lines.append(statement.lineno)
            has_acted = _acts(statement, has_acted, helpers)
    return sorted(lines)


def hasty_in(folder: Path) -> list[str]:
    """The same of all test files there, as ``name.py:line``."""
    return [
        f"{path.relative_to(folder)}:{line}"
        for path in sorted(folder.rglob("test_*.py"))
        for line in hasty(path.read_text(encoding="utf-8"))
    ]


def _in_order(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements as they are written, those of loops and branches among them. What stands in a
    ``with`` that waits has been waited for once that ends."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            continue
        inner = [*getattr(statement, "body", []), *getattr(statement, "orelse", [])]
        if not inner:
            yield statement
            continue
        yield from _in_order(inner)
        yield from _in_order(getattr(statement, "finalbody", []))
        if isinstance(statement, ast.With):
            yield from (ast.Expr(item.context_expr) for item in statement.items)


def _acts(statement: ast.stmt, has_acted: bool, helpers: dict[str, ast.FunctionDef]) -> bool:
    """Whether what was done last, up to here, has not been waited for."""
    for name in _called(statement):
        if name.startswith(WAITS):
            has_acted = False
        elif name in ACTS:
            has_acted = True
        elif name in helpers:
            for each in _in_order(helpers[name].body):
                rest = {key: value for key, value in helpers.items() if key != name}
                has_acted = _acts(each, has_acted, rest)
    return has_acted


def _called(statement: ast.stmt) -> list[str]:
    """Names of what it calls, the inner calls first, as they are made."""
    calls = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return [getattr(call, "attr", getattr(call, "id", "")) for call in calls[::-1]]


def _names(statement: ast.stmt) -> set[str]:
    return {node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
