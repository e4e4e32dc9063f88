"""A document that names a file names one that is there; a security claim names the test that proves
it."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

DOCS = sorted((settings.BASE_DIR / "docs").glob("*.md"))
# In code quotes, from the root of the project; what has a wildcard or an alternative is prose.
NAMED = re.compile(
    r"`((?:tests|annotation|api|workers|templates|static|bench|docs|locale)/[\w./-]+)(?:::(\w+))?`"
)


def named(text: str) -> list[tuple[str, str]]:
    return [(path.rstrip("."), function) for path, function in NAMED.findall(text)]


@pytest.mark.parametrize("doc", DOCS, ids=lambda path: path.name)
def test_every_file_that_is_named_is_there(doc):
    missing = [
        path
        for path, _function in named(doc.read_text())
        if not (settings.BASE_DIR / path).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("doc", DOCS, ids=lambda path: path.name)
def test_every_test_that_is_named_is_there(doc):
    missing = [
        f"{path}::{function}"
        for path, function in named(doc.read_text())
        if function
        and not re.search(
            rf"\n\s*(?:def|class) {function}\b", (settings.BASE_DIR / path).read_text()
        )
    ]
    assert missing == []


def test_each_kind_of_leased_work_is_in_its_table():
    text = (settings.BASE_DIR / "docs" / "architecture.md").read_text()
    table = text.split("\n| work | rows | lease |", 1)[1].split("\n\n", 1)[0]
    described = re.findall(r"`([A-Z]+)` in `(services/[\w/]+\.py)`", table)
    made = [
        (name, str(path.relative_to(settings.BASE_DIR / "annotation")))
        for path in (settings.BASE_DIR / "annotation" / "services").rglob("*.py")
        for name in re.findall(
            r"^([A-Z]+)(?:: [^=\n]+)? = (?:Job)?(?:Queue|Work)\(", path.read_text(), re.MULTILINE
        )
    ]
    assert sorted(described) == sorted(made)


def test_the_names_are_found_at_all():
    text = (
        "See `tests/house/test_paths_in_docs.py::named`, `annotation/access.py`; and "
        "`tests/{a,b}.py`."
    )
    assert named(text) == [
        ("tests/house/test_paths_in_docs.py", "named"),
        ("annotation/access.py", ""),
    ]


def test_each_threat_has_a_test():
    """The table of threats: every row names at least one."""
    text = (settings.BASE_DIR / "docs" / "security.md").read_text()
    table = text.split("## Threats", 1)[1].split("\n## ", 1)[0]
    rows = [
        line
        for line in table.splitlines()
        if line.startswith("| ") and not line.startswith(("| threat", "|---"))
    ]
    assert len(rows) >= 15
    assert [row[:60] for row in rows if not re.search(r"`tests/[\w/]+\.py", row)] == []
