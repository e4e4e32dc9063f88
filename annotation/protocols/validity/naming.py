"""What may be a name, and what is named twice. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from annotation.protocols.base import Dimension, Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
LETTERS = Wording(
    "minuscules sans accent, chiffres et «\u00a0_\u00a0»", "small letters, digits and “_”"
)
"""What a name is made of."""
FORTY = Wording(f"{LETTERS.fr}, 40 au plus", f"{LETTERS.en}, 40 at most")


def twice(what: Wording, names: Iterable[str]) -> Iterator[Wording]:
    """Names that stand there more than once. ``what`` they name, in French with its article."""
    for name, number in Counter(names).items():
        if number > 1:
            yield Wording(
                f"il nomme {number} fois {what.fr} {quoted(name)}",
                f"it names the {what.en} {name!r} {number} times",
            )


def is_unsaid(words: Wording) -> bool:
    """Whether it says nothing in either language; what says something in one alone, ``half_said``
    names."""
    return not (words.fr or words.en)


def is_choiceless(f: Field) -> bool:
    """Whether it offers options, types, brackets or words, and has none."""
    offered = ("options", "types", "brackets", "allowed", "operations")
    return any(getattr(f, name, None) == () for name in offered)


def known_fields(protocol: Protocol) -> list[Field]:
    """Those that can be asked what they are rated on."""
    return [f for f in protocol.fields if not is_choiceless(f)]


def known_dimensions(protocol: Protocol) -> list[Dimension]:
    """Those of these."""
    return [dimension for f in known_fields(protocol) for dimension in f.dimensions]
