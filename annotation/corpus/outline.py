"""Lines of a legal text put together: a paragraph, the list that it introduces, what the list
carries on to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from annotation.corpus.lines import Alone, Line, Marker

_ENUMERATED = (Marker.UPPER, Marker.LOWER, Marker.DIGIT)
_DEEPEST = 12
"""Lists within lists. No text goes half as deep; deeper, an introduction is a paragraph like any
other."""
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")


@dataclass
class Unit:
    """A paragraph with the list it introduces, in the order of the document."""

    lines: list[Line]
    """The paragraph itself; more than one line where a line break falls inside a sentence."""
    items: list[Unit] = field(default_factory=list)
    tail: list[Line] = field(default_factory=list)
    """What goes on with the paragraph's sentence after its list: "…; ou b) …; les frais sont
    couverts." """
    extra: list[Unit] = field(default_factory=list)
    """Paragraphs between this item and the next of its list, without a mark of their own."""
    before_table: bool = False
    """Whether what it announces is a table."""

    def all_lines(self) -> list[Line]:
        """Every line of the unit, in order."""
        inner = [line for item in self.items for line in item.all_lines()]
        return [
            *self.lines,
            *inner,
            *self.tail,
            *(line for unit in self.extra for line in unit.all_lines()),
        ]


def outline(lines: list[Line]) -> Iterator[Line | Unit]:
    """Headings as lines, all else as units, in order; every line comes exactly once."""
    reader = _Reader(lines)
    while (line := reader.next_line) is not None:
        if line.level is not None:
            yield reader.take()
        else:
            yield reader.unit(())


class _Reader:
    def __init__(self, lines: list[Line]) -> None:
        self._lines = lines
        self._place = 0
        self._closing = _next_places(
            lines, lambda line: line.level is not None or line.marker is Marker.SECTION
        )
        self._marked = {
            kind: _next_places(lines, partial(_is_marked, kind=kind)) for kind in _ENUMERATED
        }

    @property
    def next_line(self) -> Line | None:
        return self._lines[self._place] if self._place < len(self._lines) else None

    @property
    def _running(self) -> Line | None:
        """The next line where it is no heading, and is read together with others."""
        line = self.next_line
        return line if line is not None and line.level is None and not line.alone else None

    def take(self) -> Line:
        self._place += 1
        return self._lines[self._place - 1]

    def unit(self, outer: tuple[Marker, ...]) -> Unit:
        """The unit that opens at the next line, inside lists whose items are marked as ``outer``
        says."""
        unit = Unit([self.take()])
        if unit.lines[0].alone:
            return unit
        while self._wraps(unit.lines[-1]):
            unit.lines.append(self.take())
        if unit.lines[-1].introduces and self._opens_list(outer):
            unit.items = self._list(outer, unit.lines[0])
            while self._wraps(self._lines[self._place - 1]):
                unit.tail.append(self.take())
        unit.before_table = unit.lines[-1].introduces and self._is_before_table
        if unit.lines[0].marker in _ENUMERATED:
            while self._is_inside_item(unit.lines[0]):
                unit.extra.append(self.unit((*outer, unit.lines[0].marker)))
        return unit

    @property
    def _is_before_table(self) -> bool:
        line = self.next_line
        return line is not None and line.alone is Alone.ROW

    def _wraps(self, before: Line) -> bool:
        line = self._running
        if line is None or line.marker is not Marker.NONE or before.introduces or not line.is_lower:
            return False
        return not before.is_ended

    def _opens_list(self, outer: tuple[Marker, ...]) -> bool:
        line = self._running
        if line is None or len(outer) >= _DEEPEST:
            return False
        if line.marker is Marker.SECTION and not _is_entry(line):
            return False
        return line.marker is Marker.NONE or line.marker not in outer

    def _list(self, outer: tuple[Marker, ...], own: Line) -> list[Unit]:
        first = self._lines[self._place]
        kind = first.marker
        inner = (*outer, kind)
        items = [self.unit(inner)]
        while (line := self._running) is not None:
            if _comes_after(own, line):
                break  # the list that the introduction itself stands in goes on
            if kind is Marker.SECTION is line.marker and not _is_beside(first, line):
                break  # the provision after the list
            if (
                line.marker is Marker.NONE
                and self._is_amid(line, kind)
                and not self._adds_item(line, kind)
            ):
                items[-1].extra.append(self.unit(inner))
            elif self._is_next(line, kind, outer):
                items.append(self.unit(inner))
            else:
                break
        return items

    def _is_next(self, line: Line, kind: Marker, outer: tuple[Marker, ...]) -> bool:
        """Whether a line is the next item of a list whose items are marked as ``kind``."""
        if line.marker is Marker.NONE:
            return self._adds_item(line, kind)
        if line.marker is kind:
            return kind not in _ENUMERATED or not _starts_again(line)
        return line.marker not in (*outer, Marker.SECTION) and not self._previous.is_ended

    @property
    def _previous(self) -> Line:
        return self._lines[self._place - 1]

    def _adds_item(self, line: Line, kind: Marker) -> bool:
        """Whether a line without a mark is one more item, its mark lost on the way."""
        if self._previous.goes_on:
            return line.is_lower or kind is Marker.NONE
        return kind is Marker.NONE and not self._previous.is_ended and line.is_lower

    def _is_amid(self, line: Line, kind: Marker) -> bool:
        """Whether a paragraph without a mark stands between two items: right after it comes
        another."""
        after = self._lines[self._place + 1] if self._place + 1 < len(self._lines) else None
        if line.introduces or after is None or after.level is not None or kind is Marker.NONE:
            return False
        return after.marker is kind and not (kind in _ENUMERATED and _starts_again(after))

    def _is_inside_item(self, item: Line) -> bool:
        """Whether the next line stands before the next item of the same list ("A." … "B.")."""
        line = self._running
        if line is None or line.marker is not Marker.NONE:
            return False
        later = self._marked[item.marker][self._place + 1]
        # Looked up, not searched: a long item without a mark in it would be read again for each of
        # its paragraphs.
        return later < self._closing[self._place + 1] and _follows(
            item.label, self._lines[later].label
        )


def _comes_after(own: Line, line: Line) -> bool:
    """Whether a line is the entry after the one that introduces the list being read."""
    return (
        own.of_form
        and own.marker in _ENUMERATED
        and line.marker is own.marker
        and _follows(own.label, line.label)
    )


def _is_entry(line: Line) -> bool:
    """Whether a numbered provision is an entry of a list: "2.1 le véhicule désigné…;"."""
    return line.of_form and line.is_lower


def _is_beside(first: Line, line: Line) -> bool:
    """Whether a numbered entry stands in the list that ``first`` begins."""
    return _is_entry(line) and line.label.count(".") == first.label.count(".")


def _is_marked(line: Line, *, kind: Marker) -> bool:
    return line.marker is kind


def _next_places(lines: list[Line], is_one: Callable[[Line], bool]) -> list[int]:
    """For each place, and the one after the last, the first from there on that is one; else the
    number of lines."""
    places = [len(lines)] * (len(lines) + 1)
    for place in range(len(lines) - 1, -1, -1):
        places[place] = place if is_one(lines[place]) else places[place + 1]
    return places


def _bare(label: str) -> str:
    return label.strip("().°º ").lower()


def _starts_again(line: Line) -> bool:
    """Whether an item is the first of another list: "a)" after "c)"."""
    return _bare(line.label) in ("a", "1")


def _follows(label: str, later: str) -> bool:
    """Whether ``later`` is the label right after ``label``: "B." after "A.", "iv)" after "iii)"."""
    first, second = _bare(label), _bare(later)
    if first.isdigit() and second.isdigit():
        return int(second) == int(first) + 1
    if first in _ROMAN[:-1] and second == _ROMAN[_ROMAN.index(first) + 1]:
        return True
    return len(first) == len(second) == 1 and ord(second) == ord(first) + 1
