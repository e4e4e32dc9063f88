"""Dates in words. A language's formats say the order of day and month, and not that French counts
the first of a month: 1er décembre, and then 2 décembre."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import get_language

# Before a month; an hour is held to its sign by a space of another kind.
_FIRST = re.compile(r"^1 (?=[^\W\d_])")


def date_in_words(moment: date, name: Any = None) -> str:
    """As ``date_format``, by the name of a format."""
    text = date_format(moment, name)
    return _FIRST.sub("1er ", text) if (get_language() or "").startswith("fr") else text
