"""Cells of delimited files that spreadsheets open."""

from __future__ import annotations

import re

# A formula after blanks counts: some programs trim. So does one after apostrophes: only then can a reader
# undo the change, by taking one apostrophe away. The full-width signs are formulas under Japanese settings.
_FORMULA = re.compile(r"'*[\s\ufeff]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|'*[\t\r\n]")


def neutralised(text: str) -> str:
    """The text as a spreadsheet may hold it: shown, never run."""
    # Most texts start with a letter, and asking that is quicker than the pattern.
    return f"'{text}" if not text[:1].isalnum() and _FORMULA.match(text) else text
