"""What the API refuses is said in the reader's language: no text stands bare in a
``ValidationError`` under api/."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def bare(source: str) -> list[int]:
    """Lines on which a text in one language goes into a ``ValidationError``: as it stands, by an
    f-string, or by the name of such a text."""
    tree = ast.parse(source)
    texts = {
        target.id
        for assigned in ast.walk(tree)
        if isinstance(assigned, ast.Assign)
        for target in assigned.targets
        if isinstance(target, ast.Name) and any(_bare(assigned.value, ()))
    }
    return sorted(
        line
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func).rpartition(".")[2] == "ValidationError"
        for argument in call.args
        for line in _bare(argument, texts)
    )


def _bare(node: ast.AST, texts: Collection[str]) -> Iterator[int]:
    # Of a call (gettext, Wording.get, dict) the words are not this place's.
    if isinstance(node, ast.Call | ast.Subscript):
        return
    if (
        (isinstance(node, ast.Constant) and isinstance(node.value, str))
        or isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Attribute) and node.attr in ("fr", "en"))
        or (isinstance(node, ast.Name) and node.id in texts)
    ):
        yield node.lineno
        return
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.Dict):
        parts = node.values
    elif isinstance(node, ast.BinOp):
        parts = [node.left]
    for part in parts:
        yield from _bare(part, texts)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("raise ValidationError('No.')", [1]),
        ("raise serializers.ValidationError({'a': ['No.']})", [1]),
        ("raise ValidationError({'a': f'{n} or more'})", [1]),
        ("WORDS = 'No.'\nraise ValidationError({'a': [WORDS]})", [2]),
        ("words = f'{n} or more'\nraise ValidationError(words)", [2]),
        ("raise ValidationError({'a': [SAME.en]})", [1]),
        ("raise ValidationError(_('No.'))", []),
        ("words = _('%(n)s or more')\nraise ValidationError(words % {'n': 1})", []),
        ("raise ValidationError({'a': SAME.get(language)})", []),
        ("raise ValidationError(dict(read.errors))", []),
    ],
)
def test_a_bare_text_is_noticed(source, lines):
    assert bare(source) == lines


def test_every_refusal_is_in_the_reader_s_language():
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "api").rglob("*.py"))
        for line in bare(path.read_text(encoding="utf-8"))
    ]
    assert not wrong


def test_every_wrong_choice_is_refused_with_those_that_there_are():
    """``api.fields.ChoiceField`` names them; the framework's own does not."""
    wrong = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "api").rglob("*.py"))
        if path.name != "fields.py"
        and "serializers.ChoiceField" in path.read_text(encoding="utf-8")
    ]
    assert not wrong
