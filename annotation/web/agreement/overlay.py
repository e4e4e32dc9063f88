"""Everybody's errors drawn on the same two texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SIDES = ("original", "simplification")


@dataclass(frozen=True)
class Span:
    """A marked passage: ``label`` names annotator and error («A.2»)."""

    start: int
    end: int
    kind: str
    label: str


@dataclass(frozen=True)
class Piece:
    """A stretch of text that the same errors cover; ``opening`` are those that begin here."""

    text: str
    spans: tuple[Span, ...]
    opening: tuple[Span, ...]

    @property
    def kind(self) -> str:
        """The type of error, or "several" where they differ."""
        kinds = {span.kind for span in self.spans}
        return kinds.pop() if len(kinds) == 1 else "several"

    @property
    def people(self) -> str:
        return ", ".join(span.label for span in self.spans)


def overlay(content: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """The text cut wherever an error begins or ends, so that marks may overlap as they please."""
    inside = [span for span in spans if 0 <= span.start < min(span.end, len(content))]
    cuts = sorted(
        {
            0,
            len(content),
            *(span.start for span in inside),
            *(min(s.end, len(content)) for s in inside),
        }
    )
    return tuple(
        Piece(
            content[start:end],
            tuple(span for span in inside if span.start <= start and end <= span.end),
            tuple(span for span in inside if span.start == start),
        )
        for start, end in pairwise(cuts)
    )
