"""What stands over the dataset card, in YAML: how the Hugging Face hub lists it, and which tables
``datasets`` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotation.release.frozen import Frozen
from annotation.release.licences import licence

DEFAULT_CONFIG = "long"
_OF_YAML = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class Released:
    """A table of the bundle as it was written."""

    name: str
    title: str
    rows: int


def front_matter(frozen: Frozen, tables: Sequence[Released]) -> Iterator[str]:
    """Its lines, with the two that mark it off."""
    of = licence(frozen.study["study"]["licence"])
    yield "---"
    if frozen.languages:
        yield from ("language:", *(f"- {code}" for code in frozen.languages))
    yield f"license: {of.hub}"
    if of.hub == "other":
        yield f"license_name: {json.dumps(of.name, ensure_ascii=False)}"
    yield f"pretty_name: {json.dumps(frozen.study['study']['title'], ensure_ascii=False)}"
    if frozen.languages:
        several = len(frozen.languages) > 1
        yield from ("multilinguality:", "- multilingual" if several else "- monolingual")
    yield from ("task_categories:", "- text-classification")
    yield "tags:"
    if frozen.about.domain.en:
        yield f"- {_tag(frozen.about.domain.en)}"
    yield from (() if frozen.headed else ("- text-simplification",))
    yield "- human-evaluation"
    rows = next(table.rows for table in tables if table.name == DEFAULT_CONFIG)
    yield from (
        "size_categories:",
        f"- {next((name for most, name in _SIZES if rows < most), 'n>1M')}",
        "configs:",
    )
    for table in tables:
        if table.rows:
            yield from (f"- config_name: {table.name}", "  data_files:", "  - split: train")
            yield f"    path: data/{table.name}.parquet"
            if table.name == DEFAULT_CONFIG:
                yield "  default: true"
    yield "---"


def _tag(words: str) -> str:
    """As YAML reads it back, whatever somebody composed."""
    is_plain = re.fullmatch(r"[A-Za-z][A-Za-z-]*(?: [A-Za-z-]+)*", words)
    return words if is_plain and words.lower() not in _OF_YAML else json.dumps(words)
