"""Edits as columns, a token a line, as CoNLL's tasks have them.

A pair is a block, an empty line behind it. First what is said of it, ``# name = value``: ``pair``,
``annotator``, ``tokens`` (by which rule the texts are cut), ``original`` and ``simplification`` as
strings of JSON, ``more``; then each edit by its number, ``# edit 1 = {"type": …, "original": [[0,
5]], "simplification": [], "more": {…}}``. Then the tokens of both sides, tabs between: place from
0, token, start, end, side, and the edits on it, ``1:move|3:synonym`` or ``_`` (``%`` and ``|`` of a
name as ``%25`` and ``%7C``). Without the lines of edits, those are read from the tokens; with them,
both must say the same; an edit whose lists there are both empty has no passage. Tokens that are not
those of the text were cut otherwise, and are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from annotation.corpus.edit_parts import (
    Pairs,
    as_more,
    check_edit,
    check_pair,
    cut_given,
    more_of,
    spans_given,
)
from annotation.corpus.edits import MOST_EDITS, EditsFile, named, raise_empty
from annotation.corpus.encodings import decode
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError, shown
from annotation.corpus.tables import MAX_ROWS, too_many_rows
from annotation.protocols.base import Wording
from annotation.protocols.edits import SIDES, Edit, MarkedPair, spans_of

COLUMNS = ("place", "token", "start", "end", "side", "edits")
_SAID = re.compile(r"# *([a-z]+)(?: +([0-9]{1,6}))? *= ?(.*)")
_LABEL = re.compile(r"([1-9][0-9]{0,5}):([^|]+)")
_NONE = "_"
_Labels = dict[tuple[str, int], dict[int, str]]
"""Of each token (side, place): types by the number of their edit."""
_MOST_LINES = 50 * MAX_ROWS
_Line = tuple[int, str]


def as_columns(pairs: Iterable[MarkedPair]) -> str:
    """The pairs as columns."""
    return "".join(f"{line}\n" for pair in pairs for line in _written(pair))


def _written(pair: MarkedPair) -> Iterator[str]:
    yield f"# pair = {pair.pair}"
    yield f"# annotator = {pair.annotator}"
    yield f"# tokens = {pair.cut}"
    for side in SIDES:
        yield f"# {side} = {json.dumps(pair.text(side), ensure_ascii=False)}"
    if pair.more:
        yield f"# more = {pair.more}"
    for number, edit in enumerate(pair.edits, start=1):
        members: dict[str, Any] = {"type": edit.type}
        members |= {side: [list(span) for span in edit.spans(side)] for side in SIDES}
        if edit.more:
            members["more"] = more_of(edit.more)
        yield f"# edit {number} = {json.dumps(members, ensure_ascii=False)}"
    labels = _labels(pair)
    for side in SIDES:
        text = pair.text(side)
        for place, (start, end) in enumerate(pair.tokens(side)):
            on_it = labels.get((side, place), {})
            cell = "|".join(f"{number}:{_escaped(on_it[number])}" for number in sorted(on_it))
            yield f"{place}\t{text[start:end]}\t{start}\t{end}\t{side}\t{cell or _NONE}"
    yield ""


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("|", "%7C")


def _plain(name: str) -> str:
    return name.replace("%7C", "|").replace("%25", "%")


def _labels(pair: MarkedPair) -> _Labels:
    labels: _Labels = {}
    for number, edit in enumerate(pair.edits, start=1):
        for side in SIDES:
            for place in pair.touched(edit, side):
                labels.setdefault((side, place), {})[number] = edit.type
    return labels


def read_columns(content: bytes, annotator: str) -> EditsFile:
    """The edits of such a file. ``annotator`` marked where a block does not say who did."""
    pairs = Pairs()
    problems: list[RowProblem] = []
    try:
        for block in _blocks(content):
            try:
                pairs.add(block[0][0], _pair(block, annotator))
            except TableError as error:
                problems.append(error.problem)
            if len(problems) > MAX_PROBLEMS:
                break
        if not problems:
            raise_empty(pairs.all())
    except TableError as error:
        return EditsFile(fatal=error.problem)
    return EditsFile(pairs.all(), named(problems))


def _blocks(content: bytes) -> Iterator[list[_Line]]:
    """Lines with their numbers, up to an empty one each."""
    block: list[_Line] = []
    # Not splitlines(): U+2028, U+0085 and the like may stand inside a text.
    for number, line in enumerate(decode(content, "utf-8").split("\n"), start=1):
        if number > _MOST_LINES:
            raise too_many_rows()
        if line := line.removesuffix("\r"):
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _pair(block: Sequence[_Line], annotator: str) -> MarkedPair:
    said: dict[str, _Line] = {}
    edits: dict[int, _Line] = {}
    rows: list[_Line] = []
    for row, line in block:
        if line.startswith("#"):
            _hear(row, line, said, edits)
        else:
            rows.append((row, line))
    first = block[0][0]
    texts = {side: _text(first, side, said) for side in SIDES}
    cut = cut_given(said.get("tokens", (first, ""))[0], said.get("tokens", (0, ""))[1])
    more_row, more = said.get("more", (first, ""))
    bare = MarkedPair(
        said.get("pair", (first, ""))[1],
        said.get("annotator", (first, annotator))[1] or annotator,
        texts["original"],
        texts["simplification"],
        cut,
        more=as_more(_object(more_row, "more", more)) if more else "",
    )
    check_pair(first, bare)
    labels = _tokens(bare, rows, first)
    if not edits:
        return _with(bare, first, _edits_of(bare, labels, first))
    pair = _with(bare, first, tuple(_edit(bare, edits, number) for number in _counted(edits)))
    if _labels(pair) != labels:
        _refuse(first, "edits", "other_tokens", _OTHER_EDITS, _SAME_EDITS)
    return pair


def _with(bare: MarkedPair, row: int, edits: tuple[Edit, ...]) -> MarkedPair:
    pair = MarkedPair(
        bare.pair, bare.annotator, bare.original, bare.simplification, bare.cut, edits, bare.more
    )
    check_pair(row, pair)
    return pair


def _hear(row: int, line: str, said: dict[str, _Line], edits: dict[int, _Line]) -> None:
    match = _SAID.fullmatch(line)
    if not match:
        _refuse(row, "", "no_line", _not_read(line), _WRITE_SAID)
    name, number, value = match.groups()
    known = ("edit",) if number else ("pair", "annotator", "tokens", "more", *SIDES)
    if name not in known or (number and not 0 < int(number) <= MOST_EDITS):
        _refuse(row, shown(name), "no_line", _not_read(line), _WRITE_SAID)
    place: dict[Any, _Line] = edits if number else said
    if place.setdefault(int(number) if number else name, (row, value)) != (row, value):
        _refuse(row, shown(name), "said_twice", _TWICE, _ONCE)


def _text(row: int, side: str, said: Mapping[str, _Line]) -> str:
    at, value = said.get(side, (row, ""))
    try:
        text = json.loads(value)
    except (ValueError, RecursionError):
        text = None
    if not isinstance(text, str):
        _refuse(at, side, "no_text", _NO_STRING, _WRITE_STRING)
    return text


def _object(row: int, field: str, value: str) -> dict[str, Any]:
    try:
        return more_of(value)
    except ValueError:
        _refuse(row, field, "not_json", _not_read(value), _WRITE_OBJECT)


def _counted(edits: Mapping[int, _Line]) -> list[int]:
    numbers = sorted(edits)
    if numbers != list(range(1, len(numbers) + 1)):
        row = edits[numbers[-1]][0]
        _refuse(row, "edit", "no_number", _GAP, _COUNT)
    return numbers


def _edit(pair: MarkedPair, edits: Mapping[int, _Line], number: int) -> Edit:
    row, value = edits[number]
    members = _object(row, "edit", value)
    kind, more = members.get("type"), members.get("more", {})
    if not isinstance(kind, str) or not isinstance(more, dict):
        _refuse(row, "edit", "not_json", _not_read(value), _WRITE_OBJECT)
    if strange := [shown(key) for key in members if key not in ("type", "more", *SIDES)]:
        _refuse(row, strange[0], "unknown_side", _NO_SIDE, _SIDES)
    spans = [spans_given(row, s, members.get(s, []), pair.text(s), pair.cut) for s in SIDES]
    edit = Edit(kind, spans[0], spans[1], as_more(more))
    check_edit(row, "edit", edit, is_unplaced=all(members.get(side) == [] for side in SIDES))
    return edit


def _tokens(pair: MarkedPair, rows: Sequence[_Line], first: int) -> _Labels:
    """What stands on the tokens, which must be those of the texts."""
    expected = [
        (side, place, pair.text(side)[start:end], start, end)
        for side in SIDES
        for place, (start, end) in enumerate(pair.tokens(side))
    ]
    by_token: _Labels = {}
    for at, (row, line) in enumerate(rows):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            _refuse(row, "", "cells", _not_read(line), _WRITE_CELLS)
        place, token, start, end, side, labels = cells
        if side not in SIDES:
            _refuse(row, "side", "unknown_side", _NO_SIDE, _SIDES)
        given = (side, place, token, start, end)
        if at >= len(expected) or given != tuple(map(str, expected[at])):
            _refuse(row, "token", "other_tokens", _OTHER_TOKENS, _SAME_TOKENS)
        if labels != _NONE:
            by_token[side, int(place)] = _on_token(row, labels)
    if len(rows) < len(expected):
        row = rows[-1][0] if rows else first
        _refuse(row, "token", "other_tokens", _OTHER_TOKENS, _SAME_TOKENS)
    return by_token


def _on_token(row: int, labels: str) -> dict[int, str]:
    kinds: dict[int, str] = {}
    for label in labels.split("|"):
        read = _LABEL.fullmatch(label)
        if not read or int(read[1]) in kinds or int(read[1]) > MOST_EDITS:
            _refuse(row, "edits", "no_edits", _not_read(labels), _WRITE_EDITS)
        kinds[int(read[1])] = _plain(read[2])
    return kinds


def _edits_of(pair: MarkedPair, labels: _Labels, row: int) -> tuple[Edit, ...]:
    kinds: dict[int, set[str]] = {}
    places: dict[tuple[int, str], list[int]] = {}
    for (side, place), on_it in labels.items():
        for number, kind in on_it.items():
            kinds.setdefault(number, set()).add(kind)
            places.setdefault((number, side), []).append(place)
    edits = []
    for number in sorted(kinds):
        kind, *others = sorted(kinds[number])
        if others:
            _refuse(row, f"edit {number}", "two_types", _TWO_TYPES, _ONE_TYPE)
        spans = [spans_of(sorted(places.get((number, s), [])), pair.tokens(s)) for s in SIDES]
        edit = Edit(kind, spans[0], spans[1])
        check_edit(row, f"edit {number}", edit)
        edits.append(edit)
    return tuple(edits)


def _refuse(row: int, field: str, code: str, message: Wording, remedy: Wording) -> NoReturn:
    raise TableError(code, message, remedy, row=row, field=field)


def _not_read(line: str) -> Wording:
    return Wording(f"« {shown(line)} » ne se lit pas.", f"“{shown(line)}” cannot be read.")


_WRITE_SAID = Wording(
    "Écrivez # pair = …, annotator, tokens, original, simplification, more, ou # edit 1 = {…}.",
    "Write # pair = …, annotator, tokens, original, simplification, more, or # edit 1 = {…}.",
)
_TWICE = Wording("C'est déjà dit dans le même bloc.", "The same block has said that already.")
_ONCE = Wording(
    "Gardez une des lignes, ou séparez les paires par une ligne vide.",
    "Keep one of the lines, or divide the pairs by an empty line.",
)
_NO_STRING = Wording(
    "Le texte manque, ou n'est pas une chaîne JSON.",
    "The text is missing, or is no string of JSON.",
)
_WRITE_STRING = Wording(
    'Écrivez # original = "…", entre guillemets; de même la simplification.',
    'Write # original = "…", in quotation marks; the simplification as well.',
)
_WRITE_OBJECT = Wording(
    'Écrivez un objet JSON, par exemple {"type": "move", "original": [[0, 5]]}.',
    'Write an object of JSON, for example {"type": "move", "original": [[0, 5]]}.',
)
_GAP = Wording("Les numéros des opérations ont un trou.", "The numbers of the edits have a gap.")
_COUNT = Wording("Comptez à partir de 1.", "Count from 1.")
_WRITE_CELLS = Wording(
    f"Séparez par des tabulations : {', '.join(COLUMNS)}.",
    f"Divide by tabs: {', '.join(COLUMNS)}.",
)
_NO_SIDE = Wording("Ce côté n'existe pas.", "There is no such side.")
_SIDES = Wording("Écrivez original ou simplification.", "Write original or simplification.")
_OTHER_TOKENS = Wording(
    "Ces mots ne sont pas ceux du texte.", "These tokens are not those of the text."
)
_SAME_TOKENS = Wording(
    "Vérifiez que le texte et la règle de coupe (# tokens) n'ont pas changé; chaque mot a sa "
    "ligne.",
    "Check that the text and the rule of cutting (# tokens) have not changed; each token has its "
    "line.",
)
_WRITE_EDITS = Wording(
    "Écrivez numéro:type, séparés par |, par exemple 1:move|3:synonym, ou _ pour aucune.",
    "Write number:type, divided by |, for example 1:move|3:synonym, or _ for none.",
)
_OTHER_EDITS = Wording(
    "Les mots ne portent pas les opérations de ce bloc.",
    "The tokens do not bear the edits of this block.",
)
_SAME_EDITS = Wording(
    "Corrigez les lignes # edit, ou enlevez-les : la colonne edits est alors lue.",
    "Mend the lines # edit, or remove them: the column edits is read then.",
)
_TWO_TYPES = Wording("L'opération a deux types.", "The edit has two types.")
_ONE_TYPE = Wording("Donnez à chaque numéro un seul type.", "Give each number a single type.")
