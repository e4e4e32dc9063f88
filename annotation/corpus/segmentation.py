"""French legal text cut into blocks: a clause with its sentences, its place, its headings, its
neighbours.

A list stays with the sentence that introduces it where the two make a block of at most
``most_sentences``; a longer list is cut into its items, and each carries its introduction
(``stem``), without which it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from annotation.corpus import sentences as sentence_rules
from annotation.corpus.lines import CAPITALS_LEVEL, Alone, Hint, Line, Marker, read_lines
from annotation.corpus.outline import Unit, outline
from annotation.corpus.sentences import Span

MOST_SENTENCES = 5
LONGEST_TITLE = 300
"""Characters of a heading that its blocks carry: each of them does."""
LONGEST_STEM = 4_000
"""Characters of introductions that an item carries; a list with longer ones stays whole."""
_TRAILING = re.compile(r";(?: ?(?:et/ou|et|ou))?$")
_TRAILING_LENGTH = len("; et/ou")


class BlockKind(StrEnum):
    """What a block is; only ``TEXT`` is ever judged."""

    TEXT = "text"
    HEADING = "heading"
    STEM = "stem"
    """A sentence that introduces what stands in other blocks."""
    ROW = "row"
    """A row of a table."""


@dataclass(frozen=True)
class Block:
    """A stretch of a document. All offsets are code points of the text that was segmented.

    Blocks come in the order of the document and do not overlap. Outside of them stand only white
    space and the marks of items (bullets, and the ``label`` of the first line).
    """

    number: int
    """Place among all blocks of the document, from 1."""
    kind: BlockKind
    start: int
    end: int
    text: str
    """What is read: introductions first, pieces joined by a space, bullets and an item's last ";"
    left out."""
    pieces: tuple[Span, ...]
    """One span per line; a label inside a list ("a)") belongs to its piece."""
    sentences: tuple[Span, ...]
    """From the first to the last code point of each sentence; an introduction is part of the
    first."""
    label: str = ""
    headings: tuple[str, ...] = ()
    """From the widest to the narrowest that the block stands under."""
    stems: tuple[Span, ...] = ()
    before: str = ""
    """Text of the block before, not counting headings; "" for the first."""
    after: str = ""


def segment(
    text: str,
    hints: Mapping[int, Hint] | None = None,
    *,
    most_sentences: int = MOST_SENTENCES,
    as_form: bool = True,
) -> list[Block]:
    """The blocks of ``text``, headings included. ``hints`` says what the file knows of a line, by
    number from 0. Without ``as_form``, as before forms were known: tables are read as text."""
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []
    opened: Line | None = None
    for part in outline(read_lines(text, hints, as_form=as_form)):
        if isinstance(part, Line):
            title = " ".join(text[part.marker_start : part.end].split())
            path = _path(path, title, part, opened)
            opened = part
            blocks.append(
                replace(_heading(part, title), headings=tuple(name for _, name in path[:-1]))
            )
        else:
            opened = None
            headings = tuple(name for _, name in path)
            made = _Cutter(text, most_sentences).blocks(part, ())
            blocks += [replace(block, headings=headings) for block in made]
    return _with_neighbours(blocks)


def _path(
    path: list[tuple[int, str]], title: str, line: Line, opened: Line | None
) -> list[tuple[int, str]]:
    """The levels and titles that the lines after a heading stand under, ``opened`` being the
    heading before it."""
    if opened is not None and _continues_title(opened, line):
        level, begun = path[-1]
        return [*path[:-1], (level, f"{begun} {title}"[:LONGEST_TITLE])]
    level = line.level or 0
    return [*(entry for entry in path if entry[0] < level), (level, title[:LONGEST_TITLE])]


def _continues_title(opened: Line, line: Line) -> bool:
    """Whether two heading lines are one title: "CHAPITRE A :" and what follows, or a part in
    parentheses."""
    if line.number != opened.number + 1 or line.marker is not Marker.NONE:
        return False
    return (
        opened.text.endswith(":")
        or line.text.startswith("(")
        or opened.level == line.level == CAPITALS_LEVEL
    )


def _heading(line: Line, title: str) -> Block:
    span = Span(line.marker_start, line.end)
    return Block(0, BlockKind.HEADING, *span, title, (span,), (), label=line.label)


class _Cutter:
    def __init__(self, text: str, most_sentences: int) -> None:
        self._text = text
        self._most = most_sentences

    def blocks(self, unit: Unit, stems: tuple[Span, ...]) -> Iterator[Block]:
        """The unit whole where it is short enough or cannot be cut, else its parts."""
        lines = unit.all_lines()
        spans = self._sentences(lines)
        can_be_cut = bool(unit.extra) or self._carries_on(unit, stems)
        if lines[0].alone is Alone.ROW:
            yield self._block(BlockKind.ROW, lines, spans, stems)
        elif len(lines) == 1 and lines[0].introduces and not unit.before_table:
            yield from self._introduction(lines, stems)
        elif len(spans) <= self._most or not can_be_cut:
            yield self._block(BlockKind.TEXT, lines, spans, stems)
        elif unit.extra:
            yield from self.blocks(Unit(unit.lines, unit.items, unit.tail), stems)
            for paragraph in unit.extra:
                yield from self.blocks(paragraph, ())
        else:
            yield from self._introduction(unit.lines, stems)
            own = (*stems, self._sentences(unit.lines)[-1])
            for item in unit.items:
                yield from self.blocks(item, own)

    def _carries_on(self, unit: Unit, stems: tuple[Span, ...]) -> bool:
        """Whether the unit is a list whose items can carry what introduces them."""
        if not unit.items or unit.tail:
            return False
        carried = (*stems, self._sentences(unit.lines)[-1])
        return sum(end - start for start, end in carried) <= LONGEST_STEM

    def _introduction(self, lines: list[Line], stems: tuple[Span, ...]) -> Iterator[Block]:
        """The sentences before an introduction as a block, and the introduction itself."""
        *others, last = self._sentences(lines)
        if others:
            yield self._cut(BlockKind.TEXT, lines, others, stems)
        yield self._cut(BlockKind.STEM, lines, [last], () if others else stems)

    def _cut(
        self, kind: BlockKind, lines: list[Line], chosen: list[Span], stems: tuple[Span, ...]
    ) -> Block:
        """A block of some sentences of a paragraph."""
        start, end = chosen[0].start, chosen[-1].end
        pieces = [Span(max(line.start, start), min(line.end, end)) for line in lines]
        label = lines[0].label if start == lines[0].start else ""
        return self._made(
            kind, [piece for piece in pieces if piece.start < piece.end], chosen, stems, label
        )

    def _block(
        self, kind: BlockKind, lines: list[Line], spans: list[Span], stems: tuple[Span, ...]
    ) -> Block:
        pieces = [Span(lines[0].start, lines[0].end)]
        pieces += [
            Span(line.marker_start if line.label else line.start, line.end) for line in lines[1:]
        ]
        return self._made(kind, pieces, spans, stems, lines[0].label)

    def _made(
        self,
        kind: BlockKind,
        pieces: list[Span],
        spans: list[Span],
        stems: tuple[Span, ...],
        label: str,
    ) -> Block:
        read = " ".join(" ".join(self._text[start:end].split()) for start, end in (*stems, *pieces))
        if stems:
            kept = _TRAILING.sub("", read[-_TRAILING_LENGTH:])
            read = (read[:-_TRAILING_LENGTH] + kept).rstrip()
        return Block(
            0,
            kind,
            pieces[0].start,
            pieces[-1].end,
            read,
            tuple(pieces),
            tuple(spans),
            label=label,
            stems=stems,
        )

    def _sentences(self, lines: list[Line]) -> list[Span]:
        """Sentences across lines: a line that does not end its sentence goes on in the next."""
        spans: list[Span] = []
        open_sentence = False
        for place, line in enumerate(lines):
            start = line.marker_start if place and line.label else line.start
            sentences = sentence_rules.split(self._text, start, line.end)
            if open_sentence and sentences and spans:
                spans[-1] = Span(spans[-1].start, sentences[0].end)
                sentences = sentences[1:]
            spans += sentences
            open_sentence = not sentence_rules.is_ended(line.text)
        return spans


def _with_neighbours(blocks: list[Block]) -> list[Block]:
    read = [block.text if block.kind is not BlockKind.HEADING else "" for block in blocks]
    before, after = [""] * len(blocks), [""] * len(blocks)
    last = ""
    for place, text in enumerate(read):
        before[place] = last
        last = text or last
    last = ""
    for place in reversed(range(len(read))):
        after[place] = last
        last = read[place] or last
    return [
        replace(block, number=place + 1, before=before[place], after=after[place])
        for place, block in enumerate(blocks)
    ]
