"""WebAnno TSV 3.x, as INCEpTION writes it, brought into the shape of a CAS: its text, and the
passages of its span layers. Relations, chains and links between passages are passed over.

The format is described in ``inception-io-webanno-tsv/…/user-guide/webannotsv.adoc`` of
inception-project/inception; its escapes are those of ``Escaping.java`` there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annotation.corpus.peers.inception import ID, SOFA, SOFA_TYPE, STRUCTURES, TYPE
from annotation.corpus.problems import TableError
from annotation.protocols.base import Wording

BEGINNING = b"#FORMAT=WebAnno TSV "
MOST_UNITS = 5_000_000
"""Length of a document's text, in units of UTF-16."""
_FORMAT = re.compile(r"#FORMAT=WebAnno TSV 3\.[0-9]+\s*")
_UNIT = re.compile(r"([0-9]{1,9})-([0-9]{1,9})(\.[0-9]{1,9})?")
_OFFSETS = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_NUMBERED = re.compile(r"(.*)\[([0-9]{1,9})\]", re.DOTALL)
_STACKED = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\(->|[\\\[\]|_;tn*])")
_ESCAPED_IN_TEXT = re.compile(r"\\([tnfrb\\])")
_READ_AS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
_NONE, _UNSET = "_", "*"
_OF_A_ROW = 3


@dataclass
class _Column:
    """A column of a layer. ``feature`` is "" where the layer has none, None where the column holds
    no value of a passage itself."""

    layer: str
    feature: str | None


@dataclass
class _Document:
    """What was read so far. ``units``: length of the text, in units of UTF-16."""

    columns: list[_Column] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    units: int = 0
    sentence: list[str] = field(default_factory=list)
    passages: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)


def read_tsv(text: str) -> dict[str, Any]:
    """The document of a file. Raises ``TableError`` for another version, and for lines that are
    not of the format."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not _FORMAT.fullmatch(lines[0]):
        raise _refused(
            1,
            Wording(
                "Cette version de WebAnno TSV n'est pas lue : seule l'est la 3.",
                "This version of WebAnno TSV is not read: 3 is.",
            ),
        )
    document = _Document()
    for number, line in enumerate(lines[1:], start=2):
        _take(document, number, line)
    if not document.parts:
        raise _refused(len(lines), _NO_TEXT)
    sofa = {ID: 1, TYPE: SOFA_TYPE, "sofaString": "".join(document.parts)}
    return {STRUCTURES: [sofa, *document.passages.values()]}


def _take(document: _Document, number: int, line: str) -> None:
    """A line: of the header, of a sentence's text, or a token."""
    if line.startswith("#T_"):
        document.columns += _columns(number, line)
    elif line.startswith("#Text="):
        document.sentence.append(_text(line.removeprefix("#Text=")))
    elif line and not line.startswith("#"):
        _token(document, number, line.split("\t"))


def _columns(number: int, line: str) -> Iterator[_Column]:
    """The columns that a layer's declaration announces: one for each of its features, or one.
    Raises ``TableError`` for one that names none."""
    kind, _, declaration = line.partition("=")
    layer, *names = [part for part in declaration.split("|") if part] or [""]
    if not layer:
        raise _refused(number, _NO_LAYER)
    names = names or [""]
    for place, name in enumerate(names):
        is_link = name.startswith("ROLE_") or (place > 0 and names[place - 1].startswith("ROLE_"))
        yield _Column(layer, None if kind != "#T_SP" or is_link else name)


def _token(document: _Document, number: int, cells: list[str]) -> None:
    unit = _UNIT.fullmatch(cells[0])
    offsets = _OFFSETS.fullmatch(cells[1]) if len(cells) >= _OF_A_ROW else None
    if unit is None or offsets is None:
        raise _refused(number, _NO_ROW)
    begin, end = int(offsets[1]), int(offsets[2])
    if document.sentence:
        _sentence(document, number, begin)
    if not document.parts or begin > end or end > document.units:
        raise _refused(number, _OUTSIDE)
    for place, column in enumerate(document.columns):
        cell = cells[_OF_A_ROW + place] if len(cells) > _OF_A_ROW + place else _NONE
        if column.feature is not None and cell not in ("", _NONE):
            _passages(document, (number, place), column, cell, (begin, end))


def _sentence(document: _Document, number: int, begin: int) -> None:
    """The text of a sentence, where its first token begins; what stood before it is not known, and
    becomes line ends."""
    text = "\n".join(document.sentence)
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    if begin < document.units or begin + length > MOST_UNITS:
        raise _refused(number, _OUTSIDE)
    document.parts += ["\n" * (begin - document.units), text]
    document.units, document.sentence = begin + length, []


def _passages(
    document: _Document,
    at: tuple[int, int],
    column: _Column,
    cell: str,
    place: tuple[int, int],
) -> None:
    """What a cell says: passages one over the other, each of this token or, by its number, of all
    that have the same."""
    for stacked, entry in enumerate(_STACKED.split(cell)):
        numbered = _NUMBERED.fullmatch(entry)
        value, name = (numbered[1], numbered[2]) if numbered else (entry, "")
        # Without a number it is of this line alone, the same one in all columns of its layer.
        key = (column.layer, name) if name else (column.layer, at[0], stacked, "")
        passage = document.passages.setdefault(
            key, {TYPE: column.layer, SOFA: 1, "begin": place[0], "end": place[1]}
        )
        passage["begin"], passage["end"] = (
            min(passage["begin"], place[0]),
            max(passage["end"], place[1]),
        )
        if column.feature:
            passage[column.feature] = "" if value == _UNSET else _value(value)


def _value(text: str) -> str:
    return _ESCAPED.sub(lambda match: _READ_AS.get(match[1], match[1]), text)


def _text(text: str) -> str:
    return _ESCAPED_IN_TEXT.sub(lambda match: _READ_AS.get(match[1], match[1]), text)


def _refused(row: int, message: Wording) -> TableError:
    return TableError("not_webanno", message, _AGAIN, row=row)


_AGAIN = Wording(
    "Exportez-le de nouveau d'INCEpTION, en WebAnno TSV 3.3 ou en UIMA CAS JSON.",
    "Export it from INCEpTION again, as WebAnno TSV 3.3 or UIMA CAS JSON.",
)
_NO_TEXT = Wording(
    "Ce fichier WebAnno TSV n'a aucun texte.", "This file of WebAnno TSV has no text."
)
_NO_LAYER = Wording(
    "Cette déclaration ne nomme aucune couche. Exportez le document de nouveau.",
    "This declaration names no layer. Export the document again.",
)
_NO_ROW = Wording(
    "Cette ligne n'est pas de WebAnno TSV : il y manque le numéro, la place ou le mot.",
    "This line is not of WebAnno TSV: its number, its place or the word is missing.",
)
_OUTSIDE = Wording(
    "Cette ligne parle d'un endroit qui n'est pas dans le texte.",
    "This line is about a place that is not in the text.",
)
