"""What a protocol's file says of what is rated beside its questions, as a form has it: notes, what
it is a quality of, classes, what files must have, layouts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.protocols.base import Level
from annotation.protocols.columns import OWN_LAYOUTS
from annotation.protocols.protocol import ASPECTS, QUALITIES
from annotation.web.base.presenters import text
from annotation.web.composing.conditions import separated
from annotation.web.composing.hints import Known
from annotation.web.composing.words import QUALITY_NAMES

ENDS = ("lowest", "highest")
"""Of a range, as fields of a form call them."""
NEEDED = "imported"
"""What judgments from files must have."""
TICKED = ("classified", "layouts")
"""Lists of which a form has a box for whatever may stand there."""


def with_unknown(known: Mapping[str, str], present: Iterable[str]) -> dict[str, str]:
    """What there is, and what is named though there is no such thing."""
    said = {name: _("%(name)s (unknown)") % {"name": name} for name in present if name not in known}
    return {**known, **said}


def scale_names(known: Known) -> dict[str, str]:
    """Whatever is rated, as lists call it."""
    return {scale.name: f"{text(scale.label)} ({scale.name})" for scale in known.scales}


def ticked_names(member: str, known: Known) -> dict[str, str]:
    """What may be ticked: nominal dimensions, or layouts made of what is asked."""
    if member == "classified":
        nominal = {scale.name for scale in known.scales if scale.level == Level.NOMINAL}
        return {name: words for name, words in scale_names(known).items() if name in nominal}
    there = {*known.questions, *(scale.name for scale in known.scales)}
    return {name: name.upper() for name, parts in OWN_LAYOUTS.items() if {*parts} <= there}


def quality_names() -> dict[str, str]:
    """What an answer to HEDS's questions 4.1.1 and 4.1.2 together is called, by both words."""
    return {
        f"{quality} {aspect}": _("%(quality)s, of %(aspect)s")
        % {"quality": QUALITY_NAMES[quality], "aspect": QUALITY_NAMES[aspect]}
        for quality in QUALITIES
        for aspect in ASPECTS
    }


def is_pair_of_words(value: Any) -> bool:
    """Whether it is two words, as a file has them."""
    return isinstance(value, list) and len(value) == 2 and all(isinstance(w, str) for w in value)


def needed_lines(value: list[Any]) -> str | None:
    """What files must have, a line each; None for what is no such list."""
    rows = [[row] if isinstance(row, str) else row for row in value]
    if not all(isinstance(row, list) and all(isinstance(n, str) for n in row) for row in rows):
        return None
    return "\n".join(", ".join(row) for row in rows)


def needed_of(typed: str) -> list[str | list[str]]:
    """Likewise, as the file has it: one of a line alone, several as a list."""
    lines = map(separated, typed.splitlines())
    return [names[0] if len(names) == 1 else names for names in lines if names]
