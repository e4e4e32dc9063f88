"""What a command says that somebody stopped by its keys."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def ended_as_by_keys() -> Iterator[None]:
    """Within, a service that is stopped and a terminal that is closed end the command as Ctrl-C
    does: what it has to clear away is cleared away. Where they are ignored (``nohup``) they stay
    so."""
    ends = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is signal.SIG_DFL
    ]
    for number in ends:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ends:
            signal.signal(number, signal.SIG_DFL)
