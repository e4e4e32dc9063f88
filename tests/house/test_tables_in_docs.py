"""A row of a table in a document stands in a table: where the header and its line of dashes are not
above it, a reader sees a paragraph with bars."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings

DOCS = [*sorted((settings.BASE_DIR / "docs").glob("*.md")), *sorted(settings.BASE_DIR.glob("*.md"))]
DASHES = re.compile(r"\|(?: *:?-+:? *\|)+$")
BAR = re.compile(r"(?<!\\)\|")


def blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    """Lines with their numbers up to the next empty one, without blocks of code."""
    block: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        if fence:
            fence = "" if bare == fence else fence
            bare = ""
        elif begun := re.match(r"`{3,}|~{3,}", bare):
            fence, bare = begun[0], ""
        if bare:
            block.append((number, bare))
        elif block:
            yield block
            block = []


def faults(text: str) -> list[str]:
    """Rows without a table above them, words that a table would swallow, and rows that have more
    or fewer cells than their header."""
    wrong: list[str] = []
    for block in blocks(text):
        rows = [place for place, (_number, line) in enumerate(block) if line.startswith("|")]
        if not rows:
            continue
        table = block[rows[0] :]
        if len(table) < 2 or not DASHES.match(table[1][1]):
            wrong.append(f"{table[0][0]}: no header with its line of dashes")
            continue
        cells = len(BAR.findall(table[0][1]))
        for number, line in table[1:]:
            if not line.startswith("|"):
                wrong.append(f"{number}: no row, and no empty line before it")
            elif len(BAR.findall(line)) != cells:
                wrong.append(f"{number}: other cells than its header's")
    return wrong


@pytest.mark.parametrize("doc", DOCS, ids=lambda path: path.name)
def test_every_row_stands_in_a_table(doc):
    assert faults(doc.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("| a | b |\n|---|:-:|\n| 1 | x \\| y |\n\nWords.\n", []),
        ("```\n| a |\n```\n", []),
        ("Words.\n| a | b |\n", ["2: no header with its line of dashes"]),
        ("| a |\n|---|\n\n| 1 |\n| 2 |\n", ["4: no header with its line of dashes"]),
        ("| a |\n|---|\n| 1 |\nWords.\n", ["4: no row, and no empty line before it"]),
        ("| a |\n|---|\n| 1 | 2 |\n", ["3: other cells than its header's"]),
    ],
)
def test_what_it_sees(text, said):
    assert faults(text) == said
