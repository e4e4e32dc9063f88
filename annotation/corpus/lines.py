"""What each line of a legal text is: a heading, an item of a list, or running text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from annotation.corpus import forms
from annotation.corpus.sentences import is_ended
from annotation.protocols.characters import shows_nothing


class Hint(StrEnum):
    """What the file itself says of a paragraph (a style in Word), stronger than what its text looks
    like."""

    HEADING = "heading"
    ITEM = "item"
    TEXT = "text"
    ROW = "row"
    """A row of a table, its cells parted by bars."""


class Marker(StrEnum):
    """What opens a line. Items of one list share their kind."""

    NONE = ""
    BULLET = "bullet"
    DASH = "dash"
    UPPER = "upper"
    LOWER = "lower"
    DIGIT = "digit"
    SECTION = "section"
    """The number of a provision: "3.2", "Article 3"."""


class Alone(StrEnum):
    """Why a line stands by itself."""

    ROW = "row"
    """It is a row of a table."""
    STANDING = "standing"
    """It comes again and again, or closes a form."""


@dataclass(frozen=True)
class Line:
    """A line that is not blank. Offsets are code points of the document; ``start`` is after the
    marker."""

    number: int
    marker_start: int
    start: int
    end: int
    text: str
    label: str
    marker: Marker
    level: int | None
    """Rank of a heading, 0 the highest; None for what is no heading."""
    indent: bool = False
    alone: Alone | None = None
    """Why no other line is read together with it; only where forms are looked for."""
    of_form: bool = False
    """Whether blanks and quotations are read as forms have them."""

    @property
    def introduces(self) -> bool:
        """Whether a list is to follow; beside boxes to tick, a field does."""
        return self.text.endswith(":") and not (self.of_form and forms.is_filled_in(self.text))

    @property
    def is_lower(self) -> bool:
        """Whether it can only continue what precedes."""
        return self.text[:1].islower() or (self.of_form and forms.opens_in_blank(self.text))

    @property
    def goes_on(self) -> bool:
        """Whether another item is to follow: "…;", "…; et"."""
        text = self.text.rstrip(_QUOTED_END) if self.of_form else self.text.rstrip()
        return _GOES_ON.search(text) is not None

    @property
    def is_ended(self) -> bool:
        """Whether it closes its sentence; a blank to fill in closes none."""
        return is_ended(self.text) and not (self.of_form and forms.ends_in_blank(self.text))


_LOST_BREAK = re.compile(r"(?<=[.;:])(?=\t+ *\S)")
_BULLET = re.compile(r"[•●▪■◦○‣⁃◆♦➢➤✓✔\uf0b7\uf0a7\uf0d8·*]\s*|[-–—]\s+")
_UPPER = re.compile(r"\(?([A-Z])(?:\.|\)|\s?°\)?)\s*(?=\S)")
_LOWER = re.compile(r"\(?([a-z]|[ivx]{1,5})(?:\)|\.(?=\s)|°\)?)\s*(?=\S)")
_DIGIT = re.compile(r"\(?(\d{1,3})(?:\.?[°º]\)?|\)|\.(?![\d]))\s*(?=\S)")
_SECTION = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,9})\.?(?=\s)\s*(?=\S)")
_ARTICLE = re.compile(
    r"((?i:article|art\.)\s+\d+(?:\.\d+)*(?:er|re|[°º])?)(?:\s*+[.:–—-]\s++|\s++)(?=[A-ZÀ-ÖØ-Þ«(])"
)
_NAMED = re.compile(
    r"(?:(PARTIE|TITRE|LIVRE|ANNEXE)|(CHAPITRE)|(SECTION)|(SOUS-SECTION|§)|(ARTICLE|ART\.))"
    r"\s+(?:[IVXLC]+|\d+(?:\.\d+)*|[A-Z])(?:er|re|[°º])?\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"M\. [A-Z]\w")
_GOES_ON = re.compile(r"(?:;|;\s*+(?:et/ou|et|ou)|,\s*+(?:et|ou)|^(?:et/ou|et|ou))$")
_QUOTED_END = '»”"’ \u00a0\u202f'
_FORM_NUMBER = re.compile(
    r"(?:formulaire|avenant|formule|(?:[A-Z]\.){2,5})\s+(?:n(?:[o°º]|um[ée]ro)\.?\s*)?\d"
    r"|n[o°º]\.?\s*\d+[a-z]?\s*[.:–—-]",
    re.IGNORECASE,
)
_LEADER_DOTS = 4
_LONGEST_HEADING = 25
_LONGEST_PLAIN = 12
_NAMED_LEVEL, _CHAPTER_LEVEL, CAPITALS_LEVEL, _NUMBER_LEVEL, _LETTER_LEVEL, _PLAIN_LEVEL = (
    0,
    1,
    5,
    6,
    12,
    14,
)


def read_lines(
    text: str, hints: Mapping[int, Hint] | None = None, *, as_form: bool = False
) -> list[Line]:
    """The lines of ``text`` (split at "\\n") that are not blank; ``hints`` by line number, from
    0. ``as_form`` tells rows of tables and standing sentences from the rest."""
    hints = hints or {}
    lines: list[Line] = []
    stretches = list(_stretches(text))
    repeated: frozenset[str] = frozenset()
    if as_form:
        stretches = [part for stretch in stretches for part in _cells(stretch, hints)]
        repeated = forms.standing(stretch.text.strip() for stretch in stretches)
    for place, stretch in enumerate(stretches):
        after = _after(stretches[place + 1], hints) if place + 1 < len(stretches) else ""
        hint, before = hints.get(stretch.number), lines[-1] if lines else None
        if stretch.is_row or stretch.text.strip() in repeated:
            lines.append(_alone(stretch))
        else:
            lines.append(_line(stretch, after, hint, before, as_form=as_form))
    return lines


def _after(stretch: _Stretch, hints: Mapping[int, Hint]) -> str:
    """What follows a line: an item that only the file says to be one stands in as it is typed."""
    return f"\t{stretch.text}" if hints.get(stretch.number) is Hint.ITEM else stretch.text


class _Stretch(NamedTuple):
    number: int
    start: int
    text: str
    is_row: bool = False


def _stretches(text: str) -> Iterator[_Stretch]:
    """Each line that shows something; a tab after a stop opens a line that was lost."""
    place = 0
    for number, content in enumerate(text.split("\n")):
        start = place
        for part in _LOST_BREAK.split(content):
            if not shows_nothing(part):
                yield _Stretch(number, start, part)
            start += len(part)
        place += len(content) + 1


def _cells(stretch: _Stretch, hints: Mapping[int, Hint]) -> Iterator[_Stretch]:
    """A row as one stretch, but for cells that hold a clause: each is a paragraph, whatever places
    it on the page."""
    bare = stretch.text.strip()
    # A gap after the mark of an item parts no cells.
    cells = forms.cells(bare if "|" in bare else bare[_marker(bare)[2] :])
    hinted = hints.get(stretch.number)
    is_row = bool(cells) or "|" in stretch.text
    if not is_row or hinted in (Hint.HEADING, Hint.ITEM):
        yield stretch
        return
    if len(cells) < 2 or not any(map(forms.is_clause, cells)):
        yield stretch._replace(is_row=True)
        return
    place = 0
    for cell in cells:
        start = stretch.text.index(cell, place)
        place = start + len(cell)
        part = _Stretch(stretch.number, stretch.start + start, cell)
        yield part if forms.is_clause(cell) else part._replace(is_row=True)


def _alone(stretch: _Stretch) -> Line:
    """A row, or a sentence that stands by itself: no heading, no item, no part of a paragraph."""
    bare = stretch.text.strip()
    start = stretch.start + len(stretch.text) - len(stretch.text.lstrip())
    why = Alone.ROW if stretch.is_row else Alone.STANDING
    return Line(
        stretch.number, start, start, start + len(bare), bare, "", Marker.NONE, None,
        alone=why, of_form=True,
    )  # fmt: skip


def _line(
    stretch: _Stretch, after: str, hint: Hint | None, before: Line | None, *, as_form: bool
) -> Line:
    number, place, content, _ = stretch
    bare = content.strip()
    marker_start = place + len(content) - len(content.lstrip())
    marker, label, length = _marker(bare)
    indent = content[:1] == "\t" and not label
    if marker is Marker.NONE and (hint is Hint.ITEM or indent):
        marker = Marker.BULLET
    text = bare[length:]
    if (
        as_form
        and hint is None
        and (match := _FORM_NUMBER.match(bare))
        and _names_form(bare, match)
    ):
        level: int | None = _NAMED_LEVEL
        # Its number is part of its title, whatever letter it begins with: "F.P.Q. N° 5".
        marker, label, length, text = Marker.NONE, "", 0, bare
    else:
        level = _level(number, bare, length, marker, hint, after, before)
        if as_form and hint is None and _is_no_title(text, bare, after.strip()):
            level = None
    start = marker_start + length
    return Line(
        number, marker_start, start, start + len(text), text, label, marker, level, indent,
        of_form=as_form,
    )  # fmt: skip


def _is_no_title(text: str, bare: str, after: str) -> bool:
    """Whether a line is a sentence whose blank was left empty, or fields to fill in."""
    if forms.opens_in_blank(after) or (forms.stops_short(text) and not _is_capitals(text)):
        return True
    return not _NAMED.match(bare) and forms.is_filled_in(text)


def _names_form(bare: str, match: re.Match[str]) -> bool:
    """Whether a line that begins with a form's number is its title."""
    rest = bare[match.end() :]
    return not (is_ended(bare) or _is_running(bare) or rest.endswith(":")) and not (
        forms.has_finite_verb(rest) or rest.lstrip(" .:–—-0123456789")[:1].islower()
    )


def _marker(bare: str) -> tuple[Marker, str, int]:
    """What opens a line: its kind, its label ("a)"), and how many characters it takes."""
    first = _BULLET.match(bare)
    if first is not None and first.end() == len(bare):
        return Marker.NONE, "", 0
    # Bullets in a row are one; a number or a letter after them says more.
    place, bullet = 0, first
    while bullet is not None:
        place = bullet.end()
        bullet = _BULLET.match(bare, place)
    marker, label, length = _numbered(bare, place)
    if marker is not Marker.NONE or first is None:
        return marker, label, length
    return (Marker.DASH if bare[0] in "-–—" else Marker.BULLET), "", first.end()


_NUMBERED = (
    (_SECTION, Marker.SECTION),
    (_ARTICLE, Marker.SECTION),
    (_DIGIT, Marker.DIGIT),
    (_UPPER, Marker.UPPER),
    (_LOWER, Marker.LOWER),
)


def _numbered(bare: str, place: int) -> tuple[Marker, str, int]:
    """The number or the letter that stands at ``place``: its kind, itself, and where the text after
    it begins."""
    for pattern, marker in _NUMBERED:
        if (match := pattern.match(bare, place)) and not _is_initial(bare, match, marker):
            return marker, match[0].strip(), match.end()
    return Marker.NONE, "", 0


def _is_initial(bare: str, match: re.Match[str], marker: Marker) -> bool:
    """Whether a letter and a stop open an acronym or a title ("F.P.Q.", "M. Roy") and not an
    item."""
    if marker is not Marker.UPPER or not match[0].strip().endswith("."):
        return False
    is_glued = match[0][-1] not in " \t\u00a0"
    return is_glued or _TITLE.match(bare, match.start()) is not None


def _level(
    number: int,
    bare: str,
    length: int,
    marker: Marker,
    hint: Hint | None,
    after: str,
    before: Line | None,
) -> int | None:
    text = bare[length:]
    if hint is not None and hint is not Hint.HEADING:
        return None
    if match := _NAMED.match(bare):
        return _named_level(match, bare)
    if not any(map(str.isalpha, text)):
        return _PLAIN_LEVEL  # a page number, a rule
    if marker in (Marker.BULLET, Marker.DASH):
        return None
    if hint is Hint.HEADING:
        return _rank(bare, marker, text)
    return None if _is_running(text) else _level_by_look(number, text, bare, marker, after, before)


def _level_by_look(
    number: int, text: str, bare: str, marker: Marker, after: str, before: Line | None
) -> int | None:
    if not _is_capitals(text):
        return _numbered_or_plain(text, bare, marker, after.strip(), before)
    apart = number - before.number > 1 if before else True
    return _capitals(
        text, after, _CHAPTER_LEVEL if apart and not marker else _rank(bare, marker, text)
    )


def _capitals(text: str, after: str, level: int) -> int | None:
    """The level of a line in capitals, None for a term that a list defines."""
    opens_list = text.endswith(":") and (after[:1] == "\t" or mark_of(after) is not Marker.NONE)
    return None if opens_list else level


def _is_running(text: str) -> bool:
    """Whether a line is too long for a heading, or stops as no heading does."""
    return len(text.split()) > _LONGEST_HEADING or is_ended(text) or text.endswith((";", ","))


def _named_level(match: re.Match[str], bare: str) -> int | None:
    rest = bare[match.end() :].lstrip(" .:–—-")
    if (
        is_ended(rest)
        or len(rest.split()) > _LONGEST_HEADING
        or rest[:1].islower()
        or bare.endswith((";", ","))
    ):
        return None
    return _NAMED_LEVEL + next(place for place, group in enumerate(match.groups()) if group)


def _numbered_or_plain(
    text: str, bare: str, marker: Marker, after: str, before: Line | None
) -> int | None:
    if re.search(";|:$", text) or not text[0].isupper():
        return None
    if marker is Marker.SECTION:
        return _rank(bare, marker, text)
    running = before if before is not None and before.level is None else None
    if after[:1].islower() or (_awaits_item(running) and not _breaks_off(running, text, marker)):
        return None  # an item whose full stop was forgotten, or a line that goes on
    if marker is Marker.NONE and not _is_plain_title(text, after, running):
        return None
    return _rank(bare, marker, text)


def _awaits_item(running: Line | None) -> bool:
    return running is not None and (running.introduces or running.goes_on)


def _breaks_off(running: Line | None, text: str, marker: Marker) -> bool:
    """Whether a list whose last full stop was forgotten ends before a title: its items are no
    titles."""
    return (
        running is not None
        and running.of_form
        and running.text.rstrip().endswith(";")
        and running.text[:1].islower()
        and marker is Marker.NONE
        and forms.is_title(text)
    )


def _is_plain_title(text: str, after: str, running: Line | None) -> bool:
    """Whether a line without number or capitals is a title: short, between what ends and what
    begins."""
    if len(text.split()) > _LONGEST_PLAIN or not after:
        return False
    return (
        running is None
        or is_ended(running.text)
        or running.alone is not None
        or _breaks_off(running, text, Marker.NONE)
    )


def _rank(bare: str, marker: Marker, text: str) -> int:
    if marker in (Marker.SECTION, Marker.DIGIT):
        return _NUMBER_LEVEL + bare.split(maxsplit=1)[0].strip("().°º").count(".")
    if marker in (Marker.UPPER, Marker.LOWER):
        return _LETTER_LEVEL + (marker is Marker.LOWER)
    return CAPITALS_LEVEL if _is_capitals(text) else _PLAIN_LEVEL


def _is_capitals(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return len(letters) > 2 and sum(character.isupper() for character in letters) >= 0.9 * len(
        letters
    )


def ends_in_leaders(line: str) -> bool:
    """Whether a line ends as those of a table of contents do: four dots or more, then at most a
    number."""
    place = len(line.rstrip())
    while place and line[place - 1].isdecimal():
        place -= 1
    # Backwards from the end: a pattern would try again from every dot of a row.
    place = len(line[:place].rstrip())
    for _dot in range(_LEADER_DOTS):
        if not place or line[place - 1] != ".":
            return False
        place -= 1
        place -= line[max(place - 1, 0) : place].isspace()
    return True


def mark_of(line: str) -> Marker:
    """What opens a line: a bullet, a number, a letter, or nothing."""
    return _marker(line.strip())[0]
