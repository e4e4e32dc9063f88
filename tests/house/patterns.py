"""Regular expressions of the project, and strings that would make each of them slow.

A pattern is slow where a stretch can be divided in many ways before it fails. For each repetition
of a pattern this builds such a stretch: what leads to the repetition, what it repeats many times
over, and an end that nothing matches.
"""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as sre
from re import _parser as parser
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("annotation", "api", "workers")
LENGTHS = (24, 28, 400, 20_000)
ENDS = ("\x00", "!\n", "a", " \x00")
SECONDS = 0.5
"""Of processor time, for 20,000 characters: a linear pattern takes a thousandth of it, one that
takes the square of their number a second or more."""
_FUNCTIONS = frozenset(
    {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
)
_ANCHORED = frozenset({"match", "fullmatch"})
_JAVASCRIPT = re.compile(
    r"(?:[=(,:!&|?]|return)\s?/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++)/([dgimsuy]*)"
)


@dataclass(frozen=True)
class Pattern:
    """Where a pattern stands, itself, its flags, and how it is looked for: "search" tries it from
    every place."""

    place: str
    text: str
    flags: int
    how: str


def patterns() -> Iterator[Pattern]:
    """Every pattern of the project, as far as its text stands in it."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            place = str(path.relative_to(ROOT))
            yield from _written(path, place)
            yield from _compiled(path, place)
    for path in sorted((ROOT / "static" / "js").rglob("*.js")):
        text = path.read_text(encoding="utf-8")
        for match in _JAVASCRIPT.finditer(text):
            flags = re.IGNORECASE if "i" in match[2] else 0
            yield Pattern(str(path.relative_to(ROOT)), _as_python(match[1]), flags, "search")


def _written(path: Path, place: str) -> Iterator[Pattern]:
    """Patterns that stand in a call: ``re.sub(r"…", …)``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _FUNCTIONS
        ):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.args:
            first, how = node.args[0], node.func.attr
            if (
                how != "compile"
                and isinstance(first, ast.Constant)
                and isinstance(first.value, str)
            ):
                flags = re.IGNORECASE if "IGNORECASE" in ast.unparse(node) else 0
                yield Pattern(
                    f"{place}:{node.lineno}",
                    first.value,
                    flags,
                    how if how in _ANCHORED else "search",
                )


def _compiled(path: Path, place: str) -> Iterator[Pattern]:
    """Patterns that a module keeps, those put together from parts among them."""
    source = path.read_text(encoding="utf-8")
    if "re.compile(" not in source:
        return
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for name, value in vars(module).items():
        for member in value if isinstance(value, tuple | list) else (value,):
            for pattern in member if isinstance(member, tuple) else (member,):
                if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                    used = set(re.findall(rf"\b{name}\.(\w+)\(", source)) & _FUNCTIONS
                    how = used.pop() if len(used) == 1 and used <= _ANCHORED else "search"
                    yield Pattern(f"{place}:{name}", pattern.pattern, pattern.flags, how)


_PROPERTIES = {r"\p{L}": "a-zà-ÿ", r"\p{N}": "0-9", r"\p{M}": "\u0300-\u036f"}


def _as_python(pattern: str) -> str:
    """A pattern of a script as Python writes it, as far as what can be divided is concerned."""
    made, in_class = "", False
    for part in re.findall(r"\\p\{\w\}|\\.|\(\?<(?![=!])|.", pattern, re.DOTALL):
        if part in _PROPERTIES:
            made += _PROPERTIES[part] if in_class else f"[{_PROPERTIES[part]}]"
            continue
        in_class = part == "[" or (in_class and part != "]")
        made += "(?P<" if part == "(?<" else part
    return made


def attacks(pattern: str, flags: int) -> Iterator[tuple[str, str]]:
    """What leads to each repetition, and what it repeats. A pattern that Python does not know has
    none."""
    try:
        tree = parser.parse(pattern, flags)
    except re.error:
        return
    yield from _repeated(list(tree), "")


def _repeated(nodes: list[Any], before: str) -> Iterator[tuple[str, str]]:
    for kind, value in nodes:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, body = value
            if most is sre.MAXREPEAT or most > 50:
                for text in _examples(list(body)):
                    yield before, text
            yield from _repeated(list(body), before)
            before += _example(list(body)) * least
        elif kind is sre.SUBPATTERN:
            yield from _repeated(list(value[3]), before)
            before += _example(list(value[3]))
        elif kind is sre.ATOMIC_GROUP:
            yield from _repeated(list(value), before)
            before += _example(list(value))
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from _repeated(list(branch), before)
            before += _example(list(value[1][0]))
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeated(list(value[1]), before)
        else:
            before += _example([(kind, value)])


def _examples(nodes: list[Any]) -> set[str]:
    """Strings that a body matches, one of them of blanks and one of letters where it takes both."""
    examples = {_example(nodes)}
    if len(nodes) == 1 and nodes[0][0] in (sre.IN, sre.ANY, sre.NOT_LITERAL):
        examples |= {
            character for character in " a1.-«" if re.fullmatch(_class_of(nodes), character)
        }
    return {text for text in examples if text}


def _class_of(nodes: list[Any]) -> Any:
    return sre_compiled(nodes)


def sre_compiled(nodes: list[Any]) -> re.Pattern[str]:
    """One class of characters as a pattern of its own."""
    from re import _compiler  # type: ignore[attr-defined]

    state = parser.State()
    state.str = ""
    tree = parser.SubPattern(state, nodes)
    compiled: re.Pattern[str] = _compiler.compile(tree)
    return compiled


def _example(nodes: list[Any]) -> str:
    """A short string that the nodes match, looks around aside."""
    made = ""
    for kind, value in nodes:
        if kind is sre.LITERAL:
            made += chr(value)
        elif kind in (sre.IN, sre.NOT_LITERAL, sre.ANY):
            made += next(
                (
                    character
                    for character in "a 1.-«éA\n\t☃"
                    if re.fullmatch(_class_of([(kind, value)]), character)
                ),
                "",
            )
            if not made and kind is sre.IN and value[0][0] in (sre.LITERAL, sre.RANGE):
                made += chr(value[0][1] if value[0][0] is sre.LITERAL else value[0][1][0])
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            made += _example(list(value[2])) * max(value[0], 0)
        elif kind is sre.SUBPATTERN:
            made += _example(list(value[3]))
        elif kind is sre.ATOMIC_GROUP:
            made += _example(list(value))
        elif kind is sre.BRANCH:
            made += _example(list(value[1][0]))
    return made


def slow(pattern: Pattern) -> str:
    """The stretch on which a pattern is slow, or ""."""
    look = getattr(re.compile(pattern.text, pattern.flags), pattern.how)
    for before, repeated in set(attacks(pattern.text, pattern.flags)):
        for end in ENDS:
            for length in LENGTHS:
                begun = time.thread_time()
                look(before + repeated * (length // len(repeated)) + end)
                taken = time.thread_time() - begun
                if taken > SECONDS:
                    return (
                        f"{before!r} + {repeated!r} * {length // len(repeated)} + {end!r}: "
                        f"{taken:.1f} s"
                    )
    return ""
