"""Which blocks of a document a person means who decides on many at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum

from annotation.corpus.funnel import Criterion, Verdict
from annotation.corpus.segmentation import BlockKind


class Reach(StrEnum):
    """How far a decision goes from the blocks that it names."""

    CHOSEN = "chosen"
    """These, and no other."""
    IDENTICAL = "identical"
    """Every block with the same text."""
    HEADING = "heading"
    """Everything around it under one of its headings."""


def reached(
    verdicts: Sequence[Verdict], keys: Collection[str], reach: Reach, depth: int = 0
) -> list[Verdict]:
    """The blocks that a decision is about, in the order of the document. ``depth`` is the place of
    a heading in the path of the block, the widest first."""
    named = frozenset(keys)
    places = [place for place, verdict in enumerate(verdicts) if verdict.key in named]
    if reach is Reach.CHOSEN:
        return [verdicts[place] for place in places]
    if reach is Reach.IDENTICAL:
        texts = {verdicts[place].bare for place in places} - {""}
        return [verdict for verdict in verdicts if verdict.bare in texts]
    return [verdicts[place] for place in _around(verdicts, places, depth)]


def _around(verdicts: Sequence[Verdict], places: list[int], depth: int) -> Iterator[int]:
    """Everything under a heading of one of these places, which stand in order. Each stretch is
    looked for once, however many of its blocks are named."""
    reached_to = 0
    for place in places:
        if place >= reached_to and (stretch := _under(verdicts, place, depth)):
            yield from stretch
            reached_to = stretch.stop


def _under(verdicts: Sequence[Verdict], place: int, depth: int) -> range:
    """The stretch of blocks under a heading. A form that comes later under the same title is
    another one."""
    path = verdicts[place].block.headings[: depth + 1]
    if len(path) <= depth:
        return range(0)

    def is_inside(other: int) -> bool:
        return verdicts[other].block.headings[: depth + 1] == path

    first = last = place
    while first and is_inside(first - 1):
        first -= 1
    while last + 1 < len(verdicts) and is_inside(last + 1):
        last += 1
    return range(first, last + 1)


def can_be(keep: bool) -> Callable[[Verdict], bool]:
    """Whether a decision can rescue a block, or exclude it. What a person decided on stays."""
    return _can_be_rescued if keep else _can_be_excluded


def _can_be_rescued(verdict: Verdict) -> bool:
    return (
        verdict.override is None
        and bool(verdict.reasons)
        and verdict.block.kind is not BlockKind.HEADING
    )


def _can_be_excluded(verdict: Verdict) -> bool:
    """What is kept, and copies of it, which would take its place where it goes."""
    only_a_copy = all(reason.criterion is Criterion.DUPLICATE for reason in verdict.reasons)
    return verdict.override is None and only_a_copy
