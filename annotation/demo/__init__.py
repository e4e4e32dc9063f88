"""The demonstration study: invented clauses with their simplifications, a guide, plausible answers.

Pure: reads the files beside it and knows protocol and corpus, nothing of Django. All of its text
was written for this project; no clause, insurer or product of it exists.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from annotation.corpus.glossary import Term, read_glossary

Record = dict[str, Any]
"""One pair: its texts, its round, and ``intended``, what a careful annotator would answer."""

_FOLDER = Path(__file__).parent


@cache
def records() -> tuple[Record, ...]:
    """Every pair of the demonstration, practice round first."""
    return tuple(json.loads((_FOLDER / "clauses.json").read_text(encoding="utf-8")))


def guide(language: str) -> str:
    """The demonstration's annotation guide in Markdown, ``language`` being "fr" or "en"."""
    return (_FOLDER / f"guide_{language}.md").read_text(encoding="utf-8")


@cache
def glossary() -> tuple[Term, ...]:
    """The demonstration's glossary, whose definitions and articles are as invented as its
    clauses."""
    return tuple(read_glossary((_FOLDER / "glossary.csv").read_bytes()).terms)
