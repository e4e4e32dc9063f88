"""Every layout that there is stands in the table of docs/leads.md, as pages and the API call it,
with its formats; nothing stands there that is none."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.publishing.exports import LAYOUTS

CALLED = {
    "JSON": "json",
    "JSONL": "jsonl",
    "TSV": "tsv",
    "CSV for a spreadsheet in French": "csv-fr",
    "XLSX": "xlsx",
    "CSV": "csv",
}
TEXT = (Path(settings.BASE_DIR) / "docs" / "leads.md").read_text(encoding="utf-8")
EXPORT = TEXT.split("\n## 9. Export\n", 1)[1].split("\n## ", 1)[0]
ROWS = re.findall(r"^\| `(\w+)` \| (.+?) \| .+? \| (.+?) \|$", EXPORT, re.MULTILINE)


def test_it_names_each_layout_once_and_in_the_order_of_the_page() -> None:
    assert [key for key, _title, _formats in ROWS] == list(LAYOUTS)


def test_each_is_called_as_on_the_page() -> None:
    for key, title, _formats in ROWS:
        called = {LAYOUTS[key].title.en}
        called |= {LAYOUTS[key].title_for(protocol).en for protocol in PROTOCOLS.values()}
        assert all(words in title for words in called), (key, title, called)


def test_each_has_its_formats() -> None:
    table: tuple[str, ...] = ()
    for key, _title, written in ROWS:
        named = tuple(
            form
            for part in re.split(r", | and ", written)
            for form in (table if part == "the same" else (CALLED[part],))
        )
        assert named == LAYOUTS[key].formats, key
        table = named if key == "long" else table
