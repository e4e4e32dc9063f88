"""Which outputs of two studies are the same.

By content: the original and the output say the same, letter for letter but for spaces. Where a
study holds such a pair several times, its systems' names tell them apart. By key: the key in the
data and the system are the same, whatever the texts say; how many differ is told.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONTENT, KEY = "content", "key"
RULES = (CONTENT, KEY)


class JudgedText(NamedTuple):
    """An output that was judged. ``unit`` is its id in the study's ratings, ``key`` its name in the
    data, equal in two studies that were made of one file. ``source`` names its source text, by
    default the original as it is written."""

    unit: Hashable
    key: str
    system: str
    original: str
    text: str
    source: str = ""


class Match(NamedTuple):
    """The unit of each study; ``source`` names the original. ``system`` is "" where the two do not
    name the same."""

    first: Hashable
    second: Hashable
    source: str
    system: str


@dataclass(frozen=True)
class Matching:
    """What was found by ``rule``. ``first_only`` and ``second_only`` outputs have no counterpart;
    ``altered``: by key, matches whose texts differ; by content, outputs without counterpart whose
    key and system the other study has too, with other words. ``renamed``: matches whose systems
    have other names. ``surplus``: outputs without counterpart whose texts the other study does
    have, fewer times."""

    rule: str
    matches: tuple[Match, ...]
    first_only: int
    second_only: int
    altered: int
    renamed: int
    surplus: int


def matching(first: Sequence[JudgedText], second: Sequence[JudgedText], rule: str) -> Matching:
    """The outputs of both, in the order of the first. Raises ``ValueError`` for an unknown rule."""
    if rule not in RULES:
        raise ValueError(f"rule {rule!r}: one of {', '.join(RULES)}")
    couples = list(_by_content(first, second) if rule == CONTENT else _by_key(first, second))
    left = _without(first, (output for output, _other in couples))
    right = _without(second, (other for _output, other in couples))
    return Matching(
        rule,
        tuple(
            Match(
                output.unit,
                other.unit,
                output.source or digest(output.original),
                output.system if output.system == other.system else "",
            )
            for output, other in couples
        ),
        first_only=len(left),
        second_only=len(right),
        altered=_shared(left, right, _named)
        if rule == CONTENT
        else sum(_content(output) != _content(other) for output, other in couples),
        renamed=sum(output.system != other.system for output, other in couples),
        surplus=_surplus(left, second) + _surplus(right, first) if rule == CONTENT else 0,
    )


def digest(text: str) -> str:
    """SHA-256 of a text whose spaces and line breaks are one space each."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def _content(output: JudgedText) -> tuple[str, str]:
    return digest(output.original), digest(output.text)


def _named(output: JudgedText) -> tuple[str, str]:
    return output.key, output.system


Couples = Iterable[tuple[JudgedText, JudgedText]]


def _by_key(first: Sequence[JudgedText], second: Sequence[JudgedText]) -> Couples:
    others = {_named(other): other for other in second}
    return ((output, others[_named(output)]) for output in first if _named(output) in others)


def _by_content(first: Sequence[JudgedText], second: Sequence[JudgedText]) -> Couples:
    """Of several equal texts those of one system go together first, then the rest in order."""
    waiting: dict[tuple[str, str], list[JudgedText]] = defaultdict(list)
    for other in second:
        waiting[_content(other)].append(other)
    matched: dict[Hashable, JudgedText] = {}
    for is_system_asked in (True, False):
        for output in first:
            rest = waiting[_content(output)] if output.unit not in matched else []
            fitting = [o for o in rest if not is_system_asked or o.system == output.system]
            if fitting:
                matched[output.unit] = fitting[0]
                rest.remove(fitting[0])
    return ((output, matched[output.unit]) for output in first if output.unit in matched)


def _without(texts: Sequence[JudgedText], matched: Iterable[JudgedText]) -> list[JudgedText]:
    units = {output.unit for output in matched}
    return [output for output in texts if output.unit not in units]


def _shared(
    left: Sequence[JudgedText],
    right: Sequence[JudgedText],
    name: Callable[[JudgedText], tuple[str, str]],
) -> int:
    return len({name(output) for output in left} & {name(other) for other in right})


def _surplus(left: Sequence[JudgedText], others: Sequence[JudgedText]) -> int:
    known = {_content(other) for other in others}
    return sum(_content(output) in known for output in left)
