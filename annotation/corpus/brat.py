"""Edits as brat's standoff: each side of a pair a document, with its annotations beside it.

``ANNOTATOR/PAIR.words.original.txt`` and ``.ann``, and the same of ``simplification`` (``words`` is
the rule by which tokens are cut, and may be left out). ``T1\\tmove 0 5;10 12\\ttext``: a mark, in
several pieces where it is discontinuous. brat's relations stay inside one document; so what joins
both sides is an attribute, ``A1\\tEdit T1 3``: all marks of an edit have its number. A mark without
one is an edit by itself. ``#1\\tAnnotatorNotes T1\\t…`` is what else was said of it. What marks no
passage is no annotation of brat's: it stands beside them, in ``PAIR.words.unplaced.json``, by its
number, ``{"4": {"type": "move", "more": {}}}``. Names are written as in addresses (``%2F``).
Stenetorp and others (2012), brat: a Web-based Tool for NLP-Assisted Text Annotation;
https://brat.nlplab.org/standoff.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import quote, unquote

from annotation.corpus.edit_parts import (
    as_more,
    check_edit,
    check_pair,
    more_of,
    spans_given,
)
from annotation.corpus.edits import MOST_EDITS, EditsFile, named, raise_empty
from annotation.corpus.encodings import decode
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError, shown
from annotation.corpus.tables import MAX_ROWS, too_many_rows
from annotation.protocols.base import Wording
from annotation.protocols.edits import SIDES, Edit, MarkedPair
from annotation.protocols.tokens import Cut

CONFIGURATION = "annotation.conf"
_NAME = re.compile(
    r"(?:(?P<who>[^/]+)/)?(?P<pair>[^/]+?)(?:\.(?P<cut>words|spaces))?"
    r"\.(?P<part>original\.txt|original\.ann|simplification\.txt|simplification\.ann|"
    r"unplaced\.json|json)"
)
_MARK = re.compile(r"(T[0-9]{1,9})\t(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)\t(.*)")
_NUMBER = re.compile(r"(A[0-9]{1,9})\tEdit (T[0-9]{1,9}) ([0-9]{1,9})")
_NOTE = re.compile(r"(#[0-9]{1,9})\tAnnotatorNotes (T[0-9]{1,9})\t(.*)")


def as_brat(pairs: Iterable[MarkedPair]) -> dict[str, str]:
    """The files by their names, folders before a stroke, with a configuration for brat. Raises
    ``TableError`` for what that layout cannot hold."""
    files: dict[str, str] = {}
    kinds: set[str] = set()
    most = 1
    for row, pair in enumerate(pairs, start=1):
        for edit in pair.edits:
            if len(edit.type.split()) != 1:
                raise TableError("not_writable", *_no_kind(edit.type), row=row, field="type")
        base = f"{_escaped(pair.annotator)}/{_escaped(pair.pair)}.{pair.cut}"
        for side in SIDES:
            text = pair.text(side)
            # Reading takes one such mark away, as from any file.
            files[f"{base}.{side}.txt"] = f"\ufeff{text}" if text.startswith("\ufeff") else text
            files[f"{base}.{side}.ann"] = _annotations(pair, side)
        if pair.more:
            files[f"{base}.json"] = pair.more
        if unplaced := _unplaced(pair):
            files[f"{base}.unplaced.json"] = unplaced
        kinds |= {edit.type for edit in pair.edits}
        most = max(most, len(pair.edits))
    numbers = "|".join(map(str, range(1, most + 1)))
    head = ["[entities]", *sorted(kinds), "[relations]", "[events]", "[attributes]"]
    files[CONFIGURATION] = "\n".join([*head, f"Edit\tArg:<ENTITY>, Value:{numbers}", ""])
    return files


def _escaped(name: str) -> str:
    # A full stop divides the parts of a name here, and two are the folder above.
    return quote(name, safe="").replace(".", "%2E")


def _annotations(pair: MarkedPair, side: str) -> str:
    lines = []
    for number, edit in enumerate(pair.edits, start=1):
        if spans := edit.spans(side):
            places = ";".join(f"{start} {end}" for start, end in spans)
            words = _words(pair.text(side), spans)
            lines += [
                f"T{number}\t{edit.type} {places}\t{words}",
                f"A{number}\tEdit T{number} {number}",
            ]
            if edit.more:
                lines.append(f"#{number}\tAnnotatorNotes T{number}\t{edit.more}")
    return "".join(f"{line}\n" for line in lines)


def _unplaced(pair: MarkedPair) -> str:
    """The edits that mark no passage, by their numbers; "" where there are none."""
    return as_more(
        {
            str(number): {"type": edit.type} | ({"more": more_of(edit.more)} if edit.more else {})
            for number, edit in enumerate(pair.edits, start=1)
            if not edit.is_placed
        }
    )


def _words(text: str, spans: Iterable[tuple[int, int]]) -> str:
    return re.sub(r"[\n\r\t]", " ", " ".join(text[start:end] for start, end in spans))


def read_brat(files: Mapping[str, bytes], annotator: str) -> EditsFile:
    """The edits of a folder, its files by their names in it. ``annotator`` marked those pairs that
    stand in no folder of their own. Other files are passed over."""
    problems: list[RowProblem] = []
    pairs: list[MarkedPair] = []
    try:
        for row, (who, (name, documents)) in enumerate(_collected(files, annotator), start=1):
            try:
                pairs.append(_pair(row, name, who, documents))
            except TableError as error:
                problems.append(error.problem)
            if len(problems) > MAX_PROBLEMS:
                break
        if not problems:
            raise_empty(pairs)
    except TableError as error:
        return EditsFile(fatal=error.problem)
    return EditsFile(tuple(pairs), named(problems))


_Documents = dict[str, bytes]


def _collected(
    files: Mapping[str, bytes], annotator: str
) -> list[tuple[str, tuple[str, _Documents]]]:
    """The documents of each pair, in order of annotators and pairs."""
    pairs: dict[tuple[str, str], _Documents] = {}
    for name in sorted(files):
        if not (read := _NAME.fullmatch(name)):
            continue
        who = unquote(read["who"]) if read["who"] else annotator
        documents = pairs.setdefault((who, unquote(read["pair"])), {})
        if (
            documents.setdefault("cut", (read["cut"] or Cut.WORDS).encode())
            != (read["cut"] or Cut.WORDS).encode()
            or read["part"] in documents
        ):
            raise TableError("pair_twice", *_twice(name), field=shown(name))
        documents[read["part"]] = files[name]
        if len(pairs) > MAX_ROWS:
            raise too_many_rows()
    return [(who, (name, documents)) for (who, name), documents in sorted(pairs.items())]


def _pair(row: int, name: str, who: str, documents: _Documents) -> MarkedPair:
    texts = {side: _decoded(row, name, documents, f"{side}.txt") for side in SIDES}
    cut = Cut(documents["cut"].decode())
    more = as_more(_object(row, f"{shown(name)}.json", documents.get("json", b"")))
    bare = MarkedPair(name, who, texts["original"], texts["simplification"], cut, more=more)
    check_pair(row, bare)
    edits: dict[str, _Edit] = {}
    for side in SIDES:
        _read_side(row, bare, side, documents.get(f"{side}.ann", b""), edits)
    _read_unplaced(row, name, documents.get("unplaced.json", b""), edits)
    numbered = sorted(
        (edit for edit in edits.values() if edit.number), key=lambda edit: edit.number
    )
    made = [_made(row, edit) for edit in (*numbered, *(e for e in edits.values() if not e.number))]
    pair = MarkedPair(name, who, bare.original, bare.simplification, cut, tuple(made), more)
    check_pair(row, pair)
    return pair


@dataclass
class _Mark:
    kind: str
    spans: str
    line: str
    number: int = 0
    note: str = ""


@dataclass
class _Edit:
    """An edit as its marks are put together. ``number``: 0 of one that has none; ``is_unplaced``:
    it stands beside the annotations."""

    kind: str
    number: int
    where: str
    spans: dict[str, list[Any]] = field(default_factory=lambda: {side: [] for side in SIDES})
    note: str = ""
    is_unplaced: bool = False


def _read_side(
    row: int, pair: MarkedPair, side: str, content: bytes, edits: dict[str, _Edit]
) -> None:
    where = f"{shown(pair.pair)}.{side}.ann"
    text = pair.text(side)
    for key, mark in _marks(row, where, content).items():
        given = [[int(place) for place in piece.split()] for piece in mark.spans.split(";")]
        at = f"{where} {key}"
        spans = spans_given(row, at, given, text, pair.cut)
        if " ".join(mark.line.split()) != " ".join(_words(text, spans).split()):
            _refuse(row, at, "other_tokens", _OTHER_WORDS, _SAME_WORDS)
        name = str(mark.number) if mark.number else f"{side} {key}"
        edit = edits.setdefault(name, _Edit(mark.kind, mark.number, at))
        if edit.kind != mark.kind:
            _refuse(row, at, "two_types", _TWO_TYPES, _ONE_TYPE)
        if edit.spans[side]:
            _refuse(row, at, "id_twice", *_edit_twice(mark.number))
        if edit.note and mark.note and edit.note != mark.note:
            _refuse(row, at, "two_notes", _TWO_NOTES, _ONE_NOTE)
        edit.note = edit.note or mark.note
        edit.spans[side] = list(spans)


def _marks(row: int, where: str, content: bytes) -> dict[str, _Mark]:
    marks: dict[str, _Mark] = {}
    beside: list[tuple[str, re.Match[str]]] = []
    taken: set[str] = set()
    lines = [line.removesuffix("\r") for line in decode(content, "utf-8").split("\n")]
    for line in filter(None, lines):
        read = _MARK.fullmatch(line) or _NUMBER.fullmatch(line) or _NOTE.fullmatch(line)
        if not read:
            _refuse(row, where, "no_line", _not_read(line), _WRITE_LINES)
        if read[1] in taken:
            _refuse(row, f"{where} {read[1]}", "id_twice", _ID_TWICE, _OTHER_ID)
        taken.add(read[1])
        if read.re is _MARK:
            marks[read[1]] = _Mark(read[2], read[3], read[4])
        else:
            beside.append((read[1], read))
    if len(marks) > MOST_EDITS:
        raise TableError("too_many_edits", _MANY, _DIVIDE, row=row, field=where)
    for name, read in beside:
        mark = marks.get(read[2])
        if mark is None:
            _refuse(row, f"{where} {name}", "no_mark", _NO_MARK, _NAME_A_MARK)
        if read.re is _NUMBER and not mark.number and int(read[3]):
            mark.number = int(read[3])
        elif read.re is _NOTE and not mark.note:
            mark.note = read[3]
        else:
            _refuse(row, f"{where} {name}", "said_twice", _SAID_TWICE, _ONCE)
    return marks


def _read_unplaced(row: int, name: str, content: bytes, edits: dict[str, _Edit]) -> None:
    where = f"{shown(name)}.unplaced.json"
    for number, members in _object(row, where, content).items():
        more = members.get("more", {}) if isinstance(members, dict) else None
        is_number = re.fullmatch("[1-9][0-9]{0,8}", number)
        if not is_number or not isinstance(more, dict) or not isinstance(members.get("type"), str):
            _refuse(row, where, "no_edit", _not_read(f"{number}: {members}"), _WRITE_UNPLACED)
        if number in edits:
            _refuse(row, where, "id_twice", _ID_TWICE, _OTHER_NUMBER)
        kind, note = members["type"], as_more(more)
        edits[number] = _Edit(kind, int(number), where, note=note, is_unplaced=True)


def _made(row: int, draft: _Edit) -> Edit:
    try:
        more = as_more(more_of(draft.note))
    except ValueError:
        more = as_more({"note": draft.note})
    edit = Edit(
        draft.kind, tuple(draft.spans["original"]), tuple(draft.spans["simplification"]), more
    )
    check_edit(row, draft.where, edit, is_unplaced=draft.is_unplaced)
    return edit


def _decoded(row: int, name: str, documents: _Documents, part: str) -> str:
    if part not in documents:
        _refuse(row, f"{shown(name)}.{part}", "no_text", _NO_FILE, _GIVE_FILE)
    return decode(documents[part], "utf-8")


def _object(row: int, where: str, content: bytes) -> dict[str, Any]:
    given = decode(content, "utf-8")
    try:
        return more_of(given)
    except ValueError:
        _refuse(row, where, "no_more", _not_read(given), _WRITE_OBJECT)


def _refuse(row: int, where: str, code: str, message: Wording, remedy: Wording) -> NoReturn:
    raise TableError(code, message, remedy, row=row, field=where)


def _not_read(line: str) -> Wording:
    return Wording(f"« {shown(line)} » ne se lit pas.", f"“{shown(line)}” cannot be read.")


def _no_kind(kind: str) -> tuple[Wording, Wording]:
    return (
        Wording(
            f"« {shown(kind)} » ne peut pas être un type de brat.",
            f"“{shown(kind)}” cannot be a type of brat's.",
        ),
        Wording(
            "Les types de brat n'ont pas d'espace : écrivez dans un autre format.",
            "brat's types have no spaces: write another layout.",
        ),
    )


def _twice(name: str) -> tuple[Wording, Wording]:
    return (
        Wording(
            f"« {shown(name)} » est un second document de la même paire.",
            f"“{shown(name)}” is a second document of the same pair.",
        ),
        Wording("Gardez-en un.", "Keep one of the two."),
    )


def _edit_twice(number: int) -> tuple[Wording, Wording]:
    return (
        Wording(
            f"L'opération {number} a deux marques de ce côté.",
            f"The edit {number} has two marks on this side.",
        ),
        Wording(
            "Faites-en une marque en plusieurs morceaux, ou deux opérations.",
            "Make them one mark in several pieces, or two edits.",
        ),
    )


_WRITE_LINES = Wording(
    "Gardez les lignes T, A (Edit) et # (AnnotatorNotes) : T1, tabulation, move 0 5;10 12, "
    "tabulation, le texte.",
    "Keep lines of T, A (Edit) and # (AnnotatorNotes): T1, a tab, move 0 5;10 12, a tab, the text.",
)
_ID_TWICE = Wording(
    "Cet identifiant est deux fois dans le fichier.", "This identifier is in the file twice."
)
_OTHER_ID = Wording("Donnez-en un autre à la seconde ligne.", "Give the second line another one.")
_OTHER_NUMBER = Wording(
    "Donnez à l'opération sans passage un numéro qu'aucune autre n'a.",
    "Give the edit without a passage a number that no other has.",
)
_WRITE_UNPLACED = Wording(
    'Écrivez {"4": {"type": "move"}} : le numéro de l\'opération, puis son type.',
    'Write {"4": {"type": "move"}}: the number of the edit, then its type.',
)
_MANY = Wording(
    f"Le document a plus de {MOST_EDITS} marques.",
    f"The document has more than {MOST_EDITS} marks.",
)
_DIVIDE = Wording("Divisez la paire.", "Divide the pair.")
_NO_MARK = Wording("Cette marque n'est pas dans le fichier.", "This mark is not in the file.")
_NAME_A_MARK = Wording(
    "Nommez une marque T du même fichier, ou enlevez la ligne.",
    "Name a mark T of the same file, or remove the line.",
)
_SAID_TWICE = Wording(
    "La marque a déjà une opération ou une note, ou son numéro est 0.",
    "The mark has an edit or a note already, or its number is 0.",
)
_ONCE = Wording("Gardez une ligne pour chaque marque.", "Keep one line for each mark.")
_OTHER_WORDS = Wording(
    "Le texte de la marque n'est pas celui du document à cet endroit.",
    "The text of the mark is not what stands there in the document.",
)
_SAME_WORDS = Wording(
    "Donnez le document sur lequel on a marqué, ou corrigez les offsets.",
    "Give the document that was marked, or mend the offsets.",
)
_TWO_TYPES = Wording("L'opération a deux types.", "The edit has two types.")
_ONE_TYPE = Wording(
    "Donnez le même type à ses marques, ou un autre numéro à l'une.",
    "Give its marks the same type, or one of them another number.",
)
_TWO_NOTES = Wording("L'opération a deux notes.", "The edit has two notes.")
_ONE_NOTE = Wording("Gardez une note par opération.", "Keep one note for an edit.")
_NO_FILE = Wording("Ce fichier manque.", "This file is missing.")
_GIVE_FILE = Wording(
    "Donnez les deux textes de la paire : .original.txt et .simplification.txt.",
    "Give both texts of the pair: .original.txt and .simplification.txt.",
)
_WRITE_OBJECT = Wording("Écrivez un objet JSON.", "Write an object of JSON.")
