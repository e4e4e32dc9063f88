"""In which order files of tests are given out to processes that share the suite.

Given out by their number of tests, as pytest-xdist does, files with few long tests come last:
browsers and servers, which mostly wait, side by side on idle cores. So the longest come first, and
files that wait and files that compute by turns, so that both run out together.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

SECONDS = Path(__file__).with_name("seconds.json")
"""What the longest files took, in seconds: ``python -m tests.durations --keep`` writes it."""
# Of each test whose file is not among the longest.
_SHORT_SECONDS = 0.1
_WAITING = ("tests/browser/", "tests/config/", "tests/operations/")


class File(NamedTuple):
    name: str
    seconds: float
    waits: bool


def by_turns(files: Iterable[File]) -> list[str]:
    """Names of files in the order in which they are given out."""
    left = sorted(files, key=lambda file: (-file.seconds, file.name))
    kinds = [[file for file in left if file.waits is waits] for waits in (True, False)]
    whole = [sum(file.seconds for file in kind) or 1.0 for kind in kinds]
    given = [0.0, 0.0]
    names = []
    while any(kinds):
        # Of the kind of which less is given out yet, by its share.
        behind = min((n for n in (0, 1) if kinds[n]), key=lambda n: given[n] / whole[n])
        file = kinds[behind].pop(0)
        given[behind] += file.seconds
        names.append(file.name)
    return names


def files_of(items: Iterable[pytest.Item], seconds: Mapping[str, float]) -> list[File]:
    """The files of these tests, with what they take and whether they wait."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[_file_of(item)].append(item)
    return [
        File(
            name,
            seconds.get(name, _SHORT_SECONDS * len(own)),
            name.startswith(_WAITING) or any(item.get_closest_marker("redis") for item in own),
        )
        for name, own in tests.items()
    ]


def give_out(items: list[pytest.Item]) -> None:
    """Put tests in the order of their files; within a file they stay as they are."""
    kept: dict[str, float] = json.loads(SECONDS.read_text(encoding="utf-8"))
    rank = {name: n for n, name in enumerate(by_turns(files_of(items, kept)))}
    items.sort(key=lambda item: rank[_file_of(item)])


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
