"""What a docstring or a comment refers to is there: a module of ours with what is named in it, a
template."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
SOURCES = [
    path
    for room in ("annotation", "api", "workers", "bench", "tests")
    for path in sorted((ROOT / room).rglob("*.py"))
    if "migrations" not in path.parts
]
MODULE = re.compile(r"``((?:[a-z_]+\.)+\w+)(?:\([^`]*\))?``")
TEMPLATE = re.compile(r"``([\w/-]+/[\w-]+\.html)``")
FILES = {"json", "jsonl", "csv", "tsv", "md", "js"}
# Where a name begins that is ours; within ``annotation`` its own name is left out.
HOMES = (ROOT, ROOT / "annotation")
OURS = {
    path.stem if path.is_file() else path.name
    for home in HOMES
    for path in home.iterdir()
    if path.suffix == ".py" or (path / "__init__.py").is_file()
}


def module_of(parts: list[str]) -> Path | None:
    """The file of a module, or of a package."""
    for home in HOMES:
        place = home.joinpath(*parts)
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path
    return None


def is_there(name: str) -> bool:
    """A module, or what a module names; a method of what it names."""
    parts = name.removesuffix(".py").split(".")
    for length in range(len(parts), 0, -1):
        if path := module_of(parts[:length]):
            text = path.read_text(encoding="utf-8")
            return all(re.search(rf"\b{part}\b", text) for part in parts[length:])
    return False


def missing(text: str) -> list[str]:
    modules = [
        name
        for name in MODULE.findall(text)
        if name.split(".")[0] in OURS and name.split(".")[-1] not in FILES and not is_there(name)
    ]
    templates = [
        name for name in TEMPLATE.findall(text) if not (ROOT / "templates" / name).is_file()
    ]
    return modules + templates


@pytest.mark.parametrize("room", ["annotation", "api", "workers", "bench", "tests"])
def test_what_is_referred_to_is_there(room: str) -> None:
    lost = {
        str(path.relative_to(ROOT)): names
        for path in SOURCES
        if path.is_relative_to(ROOT / room)
        and path.name != "test_references.py"
        and (names := missing(path.read_text(encoding="utf-8")))
    }
    assert lost == {}


def test_what_is_gone_is_seen() -> None:
    text = (
        "``selectors.judging.blinded``, ``api.taken.check_request``, ``judging/judge.html``; "
        "``selectors.blinded``, ``api.taken.check_requests``, ``annotate/judge.html``, "
        "``numpy.nowhere``."
    )
    assert missing(text) == [
        "selectors.blinded",
        "api.taken.check_requests",
        "annotate/judge.html",
    ]
