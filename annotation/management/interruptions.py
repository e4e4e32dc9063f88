"""What a command says that somebody stopped by its keys."""

from __future__ import annotations

INTERRUPTED = 130
"""What a shell takes for ended by Ctrl-C."""

# Each of these stores all or nothing: in one transaction, or as a file that is whole or not there.
_WHOLE = {
    "backup",
    "export_study",
    "freeze",
    "import_csmd",
    "import_document",
    "import_frjudge",
    "import_jades",
    "import_judgments",
    "import_pairs",
    "import_summaries",
    "release",
}


def interruption(command: str) -> str:
    """In a sentence, what became of the work of ``command``."""
    if command in _WHOLE:
        return "Interrupted: nothing was stored."
    return "Interrupted: what was under way was not stored. What was done before stays."
