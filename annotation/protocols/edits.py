"""An edit: an operation by which an original became a simplification, marked on both texts. PURE.

Stored as offsets of characters, counted as tokens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.protocols.tokens import Cut, Span, tokens

SIDES = ("original", "simplification")


@dataclass(frozen=True)
class Edit:
    """An operation with its spans on each side, in the order in which they were marked; several on
    a side are one discontinuous mark, none is what an insertion has in the original. ``more`` is
    what else was answered about it, an object of JSON in the words of the program that asked."""

    type: str
    original: tuple[Span, ...] = ()
    simplification: tuple[Span, ...] = ()
    more: str = ""

    def spans(self, side: str) -> tuple[Span, ...]:
        """Those of a side (one of ``SIDES``)."""
        return self.original if side == "original" else self.simplification

    @property
    def is_placed(self) -> bool:
        """Whether it marks any passage: what is said of a whole pair may have none."""
        return bool(self.original or self.simplification)


def edit_of(kind: str, spans: Mapping[str, Iterable[Sequence[int]]]) -> Edit:
    """An edit from its spans by side, as answers have them."""
    original, simplification = (
        tuple(Span(start, end) for start, end in spans[side]) for side in SIDES
    )
    return Edit(kind, original, simplification)


@dataclass(frozen=True)
class MarkedPair:
    """What one annotator marked on one pair; without edits, that they found none. ``cut`` is the
    rule by which both texts become tokens. ``more`` is what else its file says of the pair, as an
    edit's."""

    pair: str
    annotator: str
    original: str
    simplification: str
    cut: Cut
    edits: tuple[Edit, ...] = ()
    more: str = ""

    def text(self, side: str) -> str:
        """That of a side (one of ``SIDES``)."""
        return self.original if side == "original" else self.simplification

    def tokens(self, side: str) -> tuple[Span, ...]:
        """The tokens of a side, in order."""
        return tokens(self.text(side), self.cut)

    def touched(self, edit: Edit, side: str) -> tuple[int, ...]:
        """The places (from 0) of the tokens of which an edit marks a character at least, in the
        order in which they were marked."""
        return touched(edit.spans(side), self.tokens(side))

    @property
    def is_identical(self) -> bool:
        """Whether both texts have the same tokens."""
        words = [[self.text(side)[slice(*token)] for token in self.tokens(side)] for side in SIDES]
        return words[0] == words[1]


def touched(spans: Sequence[Span], cut: Sequence[Span]) -> tuple[int, ...]:
    """The places of the tokens that spans overlap, each once, in the order of the spans."""
    places: dict[int, None] = {}
    for start, end in spans:
        place = bisect_left(cut, start, key=lambda token: token.end - 1)
        while place < len(cut) and cut[place].start < end:
            places[place] = None
            place += 1
    return tuple(places)


def spans_of(places: Sequence[int], cut: Sequence[Span]) -> tuple[Span, ...]:
    """The spans that mark these tokens: neighbours in reading order become one, so that
    ``touched`` gives the same places in the same order."""
    return tuple(Span(cut[run[0]].start, cut[run[-1]].end) for run in _runs(places))


def _runs(places: Sequence[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for place in places:
        if run and place != run[-1] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run
