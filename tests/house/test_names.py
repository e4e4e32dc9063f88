"""A name says what a thing is: nothing is called what was only done to it, and no constant of a
module takes the name of another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.sizes import ROOT, python_files

_PROGRAM = ("annotation", "api", "workers")
VAGUE = {"asked", "found", "one", "sent", "told", "worded"}
# Stored, sent or part of an address under that name.
KNOWN = {
    ("annotation/agreement/marks/matching.py", "found"),
    ("annotation/models/metrics.py", "asked"),
    ("annotation/selectors/agreement/sent_back.py", "sent"),
    ("annotation/selectors/documents/blocks.py", "found"),
    ("annotation/web/privacy/views.py", "asked"),
    ("api/agreement/serializers/studies.py", "sent"),
    ("api/judging/serializers.py", "found"),
    ("api/metrics/serializers.py", "asked"),
    ("api/planning/serializers.py", "one"),
    ("api/watching/serializers/watching.py", "sent"),
}


def vague(source: str) -> Iterator[str]:
    """Each of these words that a function, a class, a variable, a parameter or a field is called,
    with or without underscores before it."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                pass
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case _:
                continue
        # A constant is a value of its own: the state SENT, the count ONE.
        if not name.isupper() and (word := name.lstrip("_").lower()) in VAGUE:
            yield word


def test_names_say_what_a_thing_is():
    files = [
        path
        for top in _PROGRAM
        for path in sorted((ROOT / top).rglob("*.py"))
        if "migrations" not in path.parts
    ]
    assert len(files) > 900
    met = {
        (path.relative_to(ROOT).as_posix(), word)
        for path in files
        for word in vague(path.read_text("utf-8"))
    }
    assert met == KNOWN


@pytest.mark.parametrize(
    "source",
    [
        "found = 1",
        "def _told(): ...",
        "class _Asked: ...",
        "x = [one for one in y]",
        "def f(*, sent): ...",
        "class A:\n    worded: str",
        "if found := f(): ...",
        "for one, two in pairs: ...",
    ],
)
def test_each_way_of_binding_a_name_is_seen(source):
    assert len(list(vague(source))) == 1


@pytest.mark.parametrize("source", ["f(found=1)", "x.told", "{'one': 1}", "question_asked = 1"])
def test_what_only_passes_a_word_on_is_not(source):
    assert not list(vague(source))


def given_again(source: str) -> Iterator[str]:
    """The names that a module's own statements give a value for a second time. Ruff refuses this of
    functions and classes (F811), of constants it does not; by branches of an ``if`` it is meant."""
    given: set[str] = set()
    for statement in ast.parse(source).body:
        match statement:
            case ast.Assign(targets=targets):
                pass
            case ast.AnnAssign(target=target, value=ast.expr()):
                targets = [target]
            case _:
                continue
        for node in (node for target in targets for node in ast.walk(target)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                if node.id in given:
                    yield node.id
                given.add(node.id)


def test_no_constant_takes_the_name_of_another():
    again = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in python_files()
        for name in given_again(path.read_text("utf-8"))
    ]
    assert again == []


@pytest.mark.parametrize("source", ["A = 1\nA = 2", "A: int = 1\nA = 2", "A, B = 1, 2\nB = 3"])
def test_each_way_of_giving_a_name_again_is_seen(source):
    assert len(list(given_again(source))) == 1


@pytest.mark.parametrize(
    "source", ["A: int\nA = 1", "if X:\n    A = 1\nelse:\n    A = 2", "A = {}\nA['b'] = 1"]
)
def test_what_is_given_once_is_not(source):
    assert not list(given_again(source))


_IN_TEMPLATES = re.compile(
    rf"\{{%-? *(?:for|with)\b[^%]*?\b({'|'.join(sorted(VAGUE))})\b(?: in |, |=)"
)


def test_templates_name_what_they_go_through():
    templates = sorted((ROOT / "templates").rglob("*.*"))
    assert len(templates) > 200
    assert [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in templates
        for match in _IN_TEMPLATES.finditer(path.read_text("utf-8"))
    ] == []
    assert _IN_TEMPLATES.search("{% for one, given in rows %}")
    assert _IN_TEMPLATES.search("{% with told=row.watch %}")


_BOUND_IN_SCRIPTS = re.compile(
    rf"\b(?:const|let|function|class) ({'|'.join(sorted(VAGUE))})\b"
    rf"|[(, ]({'|'.join(sorted(VAGUE))})(?:, \w+)*\) =>"
    rf"|^ +this\.({'|'.join(sorted(VAGUE))}) ="
    rf"|^  (?:async )?({'|'.join(sorted(VAGUE))})\(.*\) \{{$",
    re.MULTILINE,
)


def test_scripts_name_what_they_hold():
    scripts = sorted((ROOT / "static" / "js").rglob("*.js"))
    assert len(scripts) > 40
    assert [
        f"{path.relative_to(ROOT)}: {match[0].strip()}"
        for path in scripts
        for match in _BOUND_IN_SCRIPTS.finditer(path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "const found = [];",
        "let told;",
        "for (const one of all)",
        "(one) => one.key",
        "(found, index) => index",
        "function asked(path) {",
        "    this.found = null;",
        "  async told({ data }) {",
    ],
)
def test_each_way_of_binding_a_name_in_a_script_is_seen(source):
    assert _BOUND_IN_SCRIPTS.search(source)
