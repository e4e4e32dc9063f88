"""French signs at the ends of lines."""

from __future__ import annotations

import re

# Typed as ordinary spaces: no line may begin with what they hold to the word before, or end with
# what opens a quotation.
_HELD = re.compile(r"(?<=«) ++|(?<! ) ++(?=»|[?!]|[:;](?:\s|$))")


def hold_signs(text: str) -> str:
    """The text with guillemets, colons and question marks held to their words."""
    return _HELD.sub("\N{NO-BREAK SPACE}", text)
