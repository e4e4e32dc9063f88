"""The numbers that Word prints before paragraphs and does not keep in their text: counted as it
counts them, from the definitions of the file.

After ECMA-376 part 1, §17.9 (numbering) and §17.3.1.19 (``numPr``): levels, starts, restarts,
formats, and numbering that a style brings along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_LEVELS = 9
_MOST_DIGITS = 6
_MOST_STYLES = 20
"""Styles that are based on one another; Word itself stops at ten."""
_LONGEST_LABEL = 40
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST_ROMAN = 3999
_MOST_LETTERS = 10
"""Word writes the 27th letter "aa", the 53rd "aaa"."""


@dataclass
class _Level:
    """How a level is counted and written."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None
    """The level, from 1, after which it begins anew; 0 for never; None for any above it."""
    is_legal: bool = False
    """Whether all its numbers are written as digits."""


@dataclass
class _Definition:
    """An abstract numbering: its levels, how far it has counted, and by which style each level
    goes."""

    levels: dict[int, _Level] = field(default_factory=dict)
    by_style: dict[str, int] = field(default_factory=dict)
    reached: dict[int, int] = field(default_factory=dict)

    def level(self, number: int) -> _Level:
        return self.levels.setdefault(number, _Level())


@dataclass
class _Instance:
    """A numbering as paragraphs name it: a definition, and what it begins anew."""

    definition: _Definition
    starts: dict[int, int]
    overrides: dict[int, _Level]
    is_begun: bool = False

    def level(self, number: int) -> _Level:
        return self.overrides.get(number) or self.definition.level(number)


@dataclass(frozen=True)
class Numbered:
    """What Word prints before a paragraph; "" for a bullet."""

    label: str


class Numbers:
    """The numbers of a document, asked for paragraph by paragraph in their order."""

    def __init__(self, opened: Any) -> None:
        self._instances = _instances(_numbering(opened))
        self._styles = _of_styles(opened)

    def next(self, paragraph: Any) -> Numbered | None:
        """What stands before this paragraph (an element ``w:p``); None where Word numbers and
        bullets nothing."""
        place = self._place(paragraph)
        if place is None:
            return None
        instance, number = self._instances.get(place[0]), place[1]
        if instance is None:
            return None
        return Numbered(_counted(instance, number))

    def _place(self, paragraph: Any) -> tuple[str, int] | None:
        """The numbering of a paragraph and its level: its own, or its style's."""
        properties = paragraph.pPr
        own = _pair(_child(properties, "numPr"))
        style = "" if paragraph.style is None else str(paragraph.style)
        number = self._styles.get(style) if own.number is None else own.number
        return None if number is None else self._known(number, style, own.level)

    def _known(self, number: str, style: str, level: int | None) -> tuple[str, int] | None:
        if number == "0" or number not in self._instances:
            return None  # taken off by hand, or not there
        if level is None:
            level = self._instances[number].definition.by_style.get(style, 0)
        return number, level


@dataclass(frozen=True)
class _Pair:
    number: str | None
    level: int | None


def _counted(instance: _Instance, number: int) -> str:
    """Count on at this level; the label."""
    reached = instance.definition.reached
    if not instance.is_begun:
        # Lists that share a definition share its count, but for what one says to begin anew.
        instance.is_begun = True
        for level in instance.starts:
            reached.pop(level, None)
    start = instance.starts.get(number, instance.level(number).start)
    reached[number] = reached[number] + 1 if number in reached else start
    for below in range(number + 1, _LEVELS):
        restart = instance.level(below).restart
        if restart is None or number < restart:
            reached.pop(below, None)
    return _label(instance, number)


def _label(instance: _Instance, number: int) -> str:
    level = instance.level(number)
    if level.format in ("bullet", "none"):
        return ""
    label = level.text
    for place in range(_LEVELS):
        mark = f"%{place + 1}"
        if mark in label:
            shown = instance.level(place)
            value = instance.definition.reached.get(place, instance.starts.get(place, shown.start))
            label = label.replace(
                mark, _written(value, "decimal" if level.is_legal else shown.format)
            )
    return " ".join(label.split())[:_LONGEST_LABEL]


def _written(value: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter"):
        repeats, place = divmod(value - 1, 26)
        if not 0 <= repeats < _MOST_LETTERS:
            return str(value)
        letters = chr(ord("a") + place) * (repeats + 1)
        return letters if form == "lowerLetter" else letters.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < value <= _MOST_ROMAN:
        letters = _roman(value)
        return letters if form == "lowerRoman" else letters.upper()
    if form == "decimalZero":
        return f"{value:02}"
    if form in ("ordinal", "ordinalText", "cardinalText"):
        return str(value)
    return "" if form in ("bullet", "none") else str(value)


def _roman(value: int) -> str:
    numeral = ""
    for worth, letters in _ROMAN:
        count, value = divmod(value, worth)
        numeral += letters * count
    return numeral


def _numbering(opened: Any) -> Any:
    """The file's ``w:numbering``; None where it has none. Not by the library's own attribute, which
    would make one."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    for relation in opened.part.rels.values():
        if relation.reltype == RELATIONSHIP_TYPE.NUMBERING and not relation.is_external:
            return getattr(relation.target_part, "element", None)
    return None


def _instances(numbering: Any) -> dict[str, _Instance]:
    if numbering is None:
        return {}
    definitions = {
        _value(element, "abstractNumId"): element for element in _children(numbering, "abstractNum")
    }
    made = {name: _definition(element) for name, element in definitions.items()}
    instances: dict[str, _Instance] = {}
    for element in _children(numbering, "num"):
        definition = made.get(_inner(element, "abstractNumId"))
        if definition is None:
            continue
        starts, overrides = {}, {}
        for override in _children(element, "lvlOverride"):
            place = _number(_value(override, "ilvl"))
            start = _number(_inner(override, "startOverride"))
            if start is not None and place is not None:
                starts[place] = start
            for level in _children(override, "lvl")[:1]:
                if place is not None:
                    overrides[place] = _level(level)
        instances[_value(element, "numId")] = _Instance(definition, starts, overrides)
    return instances


def _definition(element: Any) -> _Definition:
    made = _Definition()
    for level in _children(element, "lvl"):
        place = _number(_value(level, "ilvl"))
        if place is None or place >= _LEVELS:
            continue
        made.levels[place] = _level(level)
        if style := _inner(level, "pStyle"):
            made.by_style.setdefault(style, place)
    return made


def _level(element: Any) -> _Level:
    start, legal = _number(_inner(element, "start")), _children(element, "isLgl")
    return _Level(
        start=0 if start is None else start,
        format=_inner(element, "numFmt") or "decimal",
        text=_inner(element, "lvlText"),
        restart=_number(_inner(element, "lvlRestart")),
        is_legal=bool(legal) and _value(legal[0], "val") not in ("0", "false", "off"),
    )


def _of_styles(opened: Any) -> dict[str, str]:
    """By identifier of a paragraph's style the numbering that it brings along, its own or one of
    those that it is based on."""
    own: dict[str, str] = {}
    based: dict[str, str] = {}
    for element in _children(opened.styles.element, "style"):
        name = _value(element, "styleId")
        based[name] = _inner(element, "basedOn")
        for properties in _children(element, "pPr")[:1]:
            number = _pair(_child(properties, "numPr")).number
            if number is not None:
                own[name] = number
    numberings = {}
    for name in based:
        for ancestor in _ancestors(name, based):
            if ancestor in own:
                numberings[name] = own[ancestor]
                break
    return numberings


def _ancestors(name: str, based: dict[str, str]) -> Iterator[str]:
    for _ in range(_MOST_STYLES):
        if not name:
            return
        yield name
        name = based.get(name, "")


def _pair(element: Any) -> _Pair:
    """The numbering and the level that ``w:numPr`` names; each may be missing."""
    if element is None:
        return _Pair(None, None)
    level = _number(_inner(element, "ilvl"))
    return _Pair(_inner(element, "numId") or None, None if level is None else min(level, 8))


def _children(element: Any, name: str) -> list[Any]:
    from docx.oxml.ns import qn

    return list(element.findall(qn(f"w:{name}")))


def _child(element: Any, name: str) -> Any:
    children = [] if element is None else _children(element, name)
    return children[0] if children else None


def _value(element: Any, name: str) -> str:
    from docx.oxml.ns import qn

    return str(element.get(qn(f"w:{name}")) or "")


def _inner(element: Any, name: str) -> str:
    """The value of a child; "" where it has none."""
    child = _child(element, name)
    return "" if child is None else _value(child, "val")


def _number(text: str) -> int | None:
    """A whole number of a file; None for anything else."""
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    return None
