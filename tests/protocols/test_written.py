"""What docs/architecture.md tells those who write a protocol is how its parts are called."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from annotation.protocols import base, kinds, protocol
from annotation.protocols.kinds import KINDS, Field

TEXT = (Path(__file__).parents[2] / "docs/architecture.md").read_text(encoding="utf-8")
PARTS = {
    name: part
    for module in (base, kinds, protocol)
    for name, part in vars(module).items()
    if inspect.isclass(part)
}
CODE = re.sub(r" *#.*", "", TEXT.partition("```python")[2].partition("```")[0])
WRITTEN = {
    name: re.sub(r"\s+", " ", inner)
    for name, inner in re.findall(r"^ +([A-Z]\w+)\((.*?)\)$", CODE, re.MULTILINE | re.DOTALL)
}
ROWS = re.findall(r"^   \| (`[A-Z].*?) \| (.*) \|$", TEXT, re.MULTILINE)
OF_ANY = {field.name for field in fields(Field)}


def parameters(written: str) -> list[tuple[str, bool]]:
    """Names with whether something holds where nothing is said."""
    flat = re.sub(r"\([^()]*\)", "()", written)
    return [
        (parameter.partition("=")[0].strip(), "=" in parameter) for parameter in flat.split(",")
    ]


def test_there_is_something_written() -> None:
    assert len(WRITTEN) >= 11
    assert len(ROWS) >= 9


@pytest.mark.parametrize("name", WRITTEN)
def test_each_part_is_called_as_it_is_written(name: str) -> None:
    signature = inspect.signature(PARTS[name]).parameters.values()
    of_signature = [
        (parameter.name, parameter.default is not parameter.empty) for parameter in signature
    ]
    assert parameters(WRITTEN[name]) == [
        parameter for parameter in of_signature if parameter[0] != "is_installed"
    ]


def test_whatever_is_written_comes_from_where_it_is_said_to() -> None:
    lines = re.findall(r"from (\S+) import (.*)", CODE)
    known: dict[str, Any] = {module.__name__: module for module in (base, kinds, protocol)}
    named = {(module, name.strip()) for module, names in lines for name in names.split(",")}
    assert named
    assert [dotted for dotted in named if not hasattr(known[dotted[0]], dotted[1])] == []
    assert set(WRITTEN) <= {name for _module, name in named}


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.__name__)
def test_every_parameter_of_a_kind_is_in_its_row(kind: type[Field]) -> None:
    texts = [text for names, text in ROWS if f"`{kind.__name__}`" in names]
    assert len(texts) == 1
    own = [field.name for field in fields(kind) if field.name not in OF_ANY]
    assert [name for name in own if not re.search(rf"`{name}\b", texts[0])] == []
