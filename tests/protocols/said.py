"""What is wrong with a protocol as tests look at it: in English, once its French was looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable

from annotation.protocols.base import Wording

# What Python says of itself, in tables and brackets of code and after the name of an error.
_CODE = re.compile(r"\{.*|\([^)]*\)|\[.*|\w+(Error|Exception)\u00a0: .*")
_QUOTED = re.compile(r"(?<!\S)'[^']*'")
_SPACED = re.compile(r"\w»?[ \u00a0\u202f][;!?](?:\s|$)")


def english(found: Iterable[Wording]) -> list[str]:
    """These faults in English; whoever reads French is told the same, and not by English names."""
    found = list(found)
    for fault in found:
        assert fault.fr.strip(), fault
        assert fault.fr != fault.en
        assert not _QUOTED.search(_CODE.sub("", fault.fr)), fault.fr
        assert not _SPACED.search(fault.fr), fault.fr
    return [fault.en for fault in found]
