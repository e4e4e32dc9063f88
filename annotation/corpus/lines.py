"""What each line of a legal text is: a heading, an item of a list, or running text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation.corpus.sentences import is_ended


class Hint(StrEnum):
    """What the file itself says of a paragraph (a style in Word), stronger than what its text looks
    like."""

    HEADING = "heading"
    ITEM = "item"
    TEXT = "text"


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

    @property
    def introduces(self) -> bool:
        """Whether a list is to follow."""
        return self.text.endswith(":")

    @property
    def is_lower(self) -> bool:
        """Whether it can only continue what precedes."""
        return self.text[:1].islower()

    @property
    def goes_on(self) -> bool:
        """Whether another item is to follow: "…;", "…; et"."""
        return _GOES_ON.search(self.text.rstrip()) is not None


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


def read_lines(text: str, hints: Mapping[int, Hint] | None = None) -> list[Line]:
    """The lines of ``text`` (split at "\\n") that are not blank; ``hints`` by line number, from
    0."""
    hints = hints or {}
    lines: list[Line] = []
    stretches = list(_stretches(text))
    for place, (number, start, content) in enumerate(stretches):
        after = stretches[place + 1][2] if place + 1 < len(stretches) else ""
        before = lines[-1] if lines else None
        lines.append(_line(number, start, content, after, hints.get(number), before))
    return lines


def _stretches(text: str) -> Iterator[tuple[int, int, str]]:
    """Number, offset and text of each line that is not blank; a tab after a stop opens a line that
    was lost."""
    place = 0
    for number, content in enumerate(text.split("\n")):
        start = place
        for part in _LOST_BREAK.split(content):
            if part.strip():
                yield number, start, part
            start += len(part)
        place += len(content) + 1


def _line(
    number: int, place: int, content: str, after: str, hint: Hint | None, before: Line | None
) -> Line:
    bare = content.strip()
    marker_start = place + len(content) - len(content.lstrip())
    marker, label, length = _marker(bare)
    indent = content[:1] == "\t" and not label
    if marker is Marker.NONE and (hint is Hint.ITEM or indent):
        marker = Marker.BULLET
    text = bare[length:]
    level = _level(number, bare, length, marker, hint, after, before)
    start = marker_start + length
    return Line(number, marker_start, start, start + len(text), text, label, marker, level, indent)


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
        if (found := pattern.match(bare, place)) and not _is_initial(bare, found, marker):
            return marker, found[0].strip(), found.end()
    return Marker.NONE, "", 0


def _is_initial(bare: str, found: re.Match[str], marker: Marker) -> bool:
    """Whether a letter and a stop open an acronym or a title ("F.P.Q.", "M. Roy") and not an
    item."""
    if marker is not Marker.UPPER or not found[0].strip().endswith("."):
        return False
    is_glued = found[0][-1] not in " \t\u00a0"
    return is_glued or _TITLE.match(bare, found.start()) is not None


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
    if found := _NAMED.match(bare):
        return _named_level(found, bare)
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


def _named_level(found: re.Match[str], bare: str) -> int | None:
    rest = bare[found.end() :].lstrip(" .:–—-")
    if (
        is_ended(rest)
        or len(rest.split()) > _LONGEST_HEADING
        or rest[:1].islower()
        or bare.endswith((";", ","))
    ):
        return None
    return _NAMED_LEVEL + next(place for place, group in enumerate(found.groups()) if group)


def _numbered_or_plain(
    text: str, bare: str, marker: Marker, after: str, before: Line | None
) -> int | None:
    if re.search(";|:$", text) or not text[0].isupper():
        return None
    if marker is Marker.SECTION:
        return _rank(bare, marker, text)
    running = before if before is not None and before.level is None else None
    if after[:1].islower() or _awaits_item(running):
        return None  # an item whose full stop was forgotten, or a line that goes on
    if marker is Marker.NONE and not _is_plain_title(text, after, running):
        return None
    return _rank(bare, marker, text)


def _awaits_item(running: Line | None) -> bool:
    return running is not None and (running.introduces or running.goes_on)


def _is_plain_title(text: str, after: str, running: Line | None) -> bool:
    """Whether a line without number or capitals is a title: short, between what ends and what
    begins."""
    if len(text.split()) > _LONGEST_PLAIN or not after:
        return False
    return running is None or is_ended(running.text)


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
