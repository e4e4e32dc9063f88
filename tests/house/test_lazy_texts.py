"""A text that waits for its reader's language is not made up while a module is imported: it would
be in the default language for everybody."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {"gettext", "ngettext", "pgettext", "npgettext"}
LAZY = {f"{name}_lazy" for name in TEXTS}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def names_of(tree: ast.Module) -> tuple[set[str], set[str]]:
    """What the module calls texts by: those of now, and those that wait."""
    now, lazy = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            for name in node.names:
                called = name.asname or name.name
                if name.name in TEXTS:
                    now.add(called)
                elif name.name in LAZY:
                    lazy.add(called)
    return now, lazy


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """What is carried out when a module is imported: bodies of functions are not, their defaults
    and decorators are."""
    yield node
    for name, field in ast.iter_fields(node):
        if isinstance(node, SCOPES) and name == "body":
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST):
                yield from at_import(child)


def is_text(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in names


def forced(source: str) -> list[int]:
    """Lines on which a text is put into words at import: by ``%``, ``+``, a method, ``str`` or an
    f-string, or by a call that does not wait at all."""
    tree = ast.parse(source)
    now, lazy = names_of(tree)
    lines = []
    for node in at_import(tree):
        match node:
            case ast.BinOp(left=left, right=right):
                wrong = is_text(left, lazy) or is_text(right, lazy)
            case ast.Call(func=ast.Attribute(value=value)):
                wrong = is_text(value, lazy)
            case ast.Call(func=ast.Name(id="str"), args=[value]):
                wrong = is_text(value, lazy)
            case ast.FormattedValue(value=value):
                wrong = is_text(value, lazy)
            case _:
                wrong = False
        if (wrong or is_text(node, now)) and isinstance(node, ast.expr):
            lines.append(node.lineno)
    return lines


PLAIN = "from django.utils.translation import gettext as now, gettext_lazy as _, ngettext_lazy\n"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("class A:\n    text = _('a %(b)s') % {'b': 1}", [3]),
        ("A = {'a': _('a {b}').format(b=1)}", [2]),
        ("A = [str(_('a')), f'{_(chr(97))}', 'a' + _('b')]", [2, 2, 2]),
        ("A = ngettext_lazy('a', 'b', 3) % 3", [2]),
        ("A = now('a')", [2]),
        ("def a(b=now('a')):\n    return _('a') % 1 + now('b')", [2]),
        (
            "A = _('a')\nB = lambda: _('a') % 1\nclass C:\n    d = format_lazy(_('{a}'), a=_('b'))",
            [],
        ),
    ],
)
def test_what_is_seen(source: str, lines: list[int]) -> None:
    assert forced(PLAIN + source) == lines


def test_no_lazy_text_is_forced_at_import() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("annotation", "api", "workers")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in forced(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "put into words at import, in the default language for everybody"
