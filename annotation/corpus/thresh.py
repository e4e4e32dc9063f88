"""Edits as thresh has them, for SALSA and other typologies: one list of JSON, an entry a pair.

``{"id": …, "annotator": …, "source": …, "target": …, "edits": [{"category": "deletion", "id": 0,
"input_idx": [[0, 9]], "output_idx": [[4, 6]], "annotation": {…}}]}``. Offsets are those of
JavaScript: UTF-16 code units, the end behind the last. Questions and their answers
(``annotation``), whatever they are, are kept as given, and so is what else an entry says. A
composite edit (``constituent_edits``) has the spans of its parts; one whose lists are both empty
(``[]``) has none, as what is said of a whole pair has. Older files say ``original`` and
``simplified`` for the texts, ``user`` for who marked. Heineman, Dou, Maddela and Xu (2023), Thresh;
Dancing Between Success and Failure.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NoReturn, TypeGuard

from annotation.corpus.edit_parts import (
    Pairs,
    as_more,
    check_edit,
    check_pair,
    cut_given,
    is_span,
    more_of,
    spans_given,
)
from annotation.corpus.edits import MOST_EDITS, EditsFile, named, raise_empty, too_many_edits
from annotation.corpus.encodings import decode
from annotation.corpus.jsonl import Repeated, loads
from annotation.corpus.passages import stored_span
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError, shown
from annotation.corpus.tables import MAX_ROWS, too_many_rows
from annotation.protocols.base import Wording
from annotation.protocols.edits import SIDES, Edit, MarkedPair
from annotation.protocols.tokens import Span

_TEXTS = {"original": ("source", "original"), "simplification": ("target", "simplified")}
_OFFSETS = {"original": "input_idx", "simplification": "output_idx"}
_PARTS = "constituent_edits"


def as_thresh(pairs: Iterable[MarkedPair]) -> str:
    """The pairs as a list of JSON. Raises ``TableError`` for what would not be read as it was."""
    entries = []
    for row, pair in enumerate(pairs, start=1):
        entry = _entry(pair)
        try:
            again = _Entry(row, entry).pair("")
        except TableError:
            again = None
        if again != pair:
            raise TableError("not_writable", *_not_writable(pair.pair), row=row, field="more")
        entries.append(entry)
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def _entry(pair: MarkedPair) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": pair.pair, "annotator": pair.annotator}
    entry |= {_TEXTS[side][0]: pair.text(side) for side in SIDES}
    numbers: Counter[str] = Counter()
    edits = []
    for edit in pair.edits:
        edits.append(_written(pair, edit, numbers[edit.type]))
        numbers[edit.type] += 1
    return entry | {"tokens": str(pair.cut)} | more_of(pair.more) | {"edits": edits}


def _written(pair: MarkedPair, edit: Edit, number: int) -> dict[str, Any]:
    more = more_of(edit.more)
    members: dict[str, Any] = {"category": edit.type, "id": number}
    places = {side: _units(pair.text(side)) for side in SIDES}
    if not _has_spans_of_parts(more, edit, places):
        for side in SIDES:
            # Of none at all it is said, so that nobody takes it for forgotten.
            if (spans := edit.spans(side)) or not edit.is_placed:
                members[_OFFSETS[side]] = [[places[side][at] for at in span] for span in spans]
    return members | more


def _has_spans_of_parts(
    more: Mapping[str, Any], edit: Edit, places: Mapping[str, Sequence[int]]
) -> bool:
    if not edit.is_placed or not _are_parts(parts := more.get(_PARTS)):
        return False
    spans = {
        side: tuple(Span(*(places[side][at] for at in span)) for span in edit.spans(side))
        for side in SIDES
    }
    return all(spans[side] == _of_parts(parts, side) for side in SIDES)


def _are_parts(parts: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether these are edits of which others consist."""
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        return False
    given = [part.get(key) or [] for part in parts for key in _OFFSETS.values()]
    return all(isinstance(spans, list) and all(map(is_span, spans)) for spans in given)


def with_parts_moved(more: str, texts: Mapping[str, tuple[str, str]]) -> str:
    """What else is said of an edit, the offsets of a composite's parts counted in the text as it is
    stored. ``texts``: of each side, as the file has it and as it is stored."""
    members = more_of(more)
    if not _are_parts(parts := members.get(_PARTS)) or all(
        text == stored for text, stored in texts.values()
    ):
        return more
    return as_more(members | {_PARTS: [_moved(part, texts) for part in parts]})


def _moved(part: Mapping[str, Any], texts: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """A part with its offsets in the stored texts; one that its text does not have stays."""
    moved = dict(part)
    for side, (text, stored) in texts.items():
        places = {unit: place for place, unit in enumerate(_units(text))}
        units = dict(enumerate(_units(stored)))
        if spans := part.get(_OFFSETS[side]):
            moved[_OFFSETS[side]] = [
                _span_moved(span, text, stored, places, units) for span in spans
            ]
    return moved


def _span_moved(
    span: Sequence[int],
    text: str,
    stored: str,
    places: Mapping[int, int],
    units: Mapping[int, int],
) -> list[int]:
    if not all(at in places for at in span):
        return [*span]
    start, end = stored_span(text, stored, *(places[at] for at in span))
    return [units.get(start, span[0]), units.get(end, span[1])]


def _units(text: str) -> list[int]:
    """Where each character begins in UTF-16, and where the last one ends."""
    return [0, *accumulate(1 + (ord(character) > 0xFFFF) for character in text)]


def read_thresh(content: bytes, annotator: str) -> EditsFile:
    """The edits of such a file. ``annotator`` marked where an entry does not say who did."""
    pairs = Pairs()
    problems: list[RowProblem] = []
    try:
        for number, entry in enumerate(_entries(content), start=1):
            try:
                pairs.add(number, _Entry(number, entry).pair(annotator))
            except TableError as error:
                problems.append(error.problem)
            if len(problems) > MAX_PROBLEMS:
                break
        if not problems:
            raise_empty(pairs.all())
    except TableError as error:
        return EditsFile(fatal=error.problem)
    return EditsFile(pairs.all(), named(problems))


def _entries(content: bytes) -> list[Any]:
    text = decode(content, "utf-8")
    try:
        entries = loads(text)
    except Repeated as error:
        raise TableError(
            "duplicate_key",
            Wording(
                f"La clé « {shown(str(error))} » est deux fois dans un objet.",
                f"The key “{shown(str(error))}” is in an object twice.",
            ),
            Wording("Gardez-en une.", "Keep one of the two."),
        ) from error
    except (ValueError, RecursionError) as error:
        raise TableError("not_json", _NO_JSON, _WRITE_LIST) from error
    if not isinstance(entries, list):
        raise TableError("not_json", _NO_JSON, _WRITE_LIST)
    if len(entries) > MAX_ROWS:
        raise too_many_rows()
    return entries


class _Entry:
    """One entry, read key by key: what is left over is kept."""

    def __init__(self, row: int, entry: object) -> None:
        self._row = row
        if not isinstance(entry, dict):
            self._refuse("", "not_an_object", _NO_OBJECT, _WRITE_LIST)
        self._left = dict(entry)

    def pair(self, annotator: str) -> MarkedPair:
        texts = [self._text(side) for side in SIDES]
        cut = cut_given(self._row, self._left.pop("tokens", ""))
        edits = self._left.pop("edits", None) or []
        if not isinstance(edits, list):
            self._refuse("edits", "no_edits", _NO_EDITS, _WRITE_EDITS)
        if len(edits) > MOST_EDITS:
            raise _as_error(too_many_edits(self._row))
        name = self._name()
        who = self._left.pop("annotator", None) or self._left.pop("user", None) or annotator
        if not isinstance(who, str):
            self._refuse("annotator", "no_name", _NO_NAME, _WRITE_NAME)
        bare = MarkedPair(name, who, texts[0], texts[1], cut, more=self._more("", self._left))
        check_pair(self._row, bare)
        return MarkedPair(name, who, texts[0], texts[1], cut, self._edits(bare, edits), bare.more)

    def _text(self, side: str) -> str:
        for key in _TEXTS[side]:
            if isinstance(self._left.get(key), str):
                return str(self._left.pop(key))
        return self._refuse(_TEXTS[side][0], "no_text", _NO_TEXT, _WRITE_TEXT)

    def _name(self) -> str:
        """The entry's identifier, or its rank where it has none. A number stays one beside it."""
        given = self._left.get("id")
        if given is None:
            self._left.pop("id", None)
            return str(self._row)
        if isinstance(given, str):
            del self._left["id"]
        elif type(given) is not int:
            self._refuse("id", "no_name", _NO_NAME, _WRITE_NAME)
        return str(given)

    def _edits(self, pair: MarkedPair, given: Sequence[Any]) -> tuple[Edit, ...]:
        numbers: Counter[str] = Counter()
        taken: set[tuple[str, Any]] = set()
        # Where each character begins, by where UTF-16 has it.
        places = {
            side: {unit: place for place, unit in enumerate(_units(pair.text(side)))}
            for side in SIDES
        }
        edits = []
        for place, edit in enumerate(given):
            at = f"edits[{place}]"
            if not isinstance(edit, dict) or not isinstance(edit.get("category"), str):
                self._refuse(at, "no_edit", _NO_EDIT, _WRITE_EDITS)
            kind = edit["category"]
            if "id" in edit:
                self._take(at, kind, edit["id"], taken)
            edits.append(self._edit(pair, at, edit, numbers[kind], places))
            numbers[kind] += 1
        return tuple(edits)

    def _take(self, at: str, kind: str, number: object, taken: set[tuple[str, Any]]) -> None:
        if type(number) not in (int, str):
            self._refuse(at, "no_name", _NO_NAME, _WRITE_NAME)
        if (kind, number) in taken:
            self._refuse(at, "id_twice", *_twice(kind, number))
        taken.add((kind, number))

    def _edit(
        self,
        pair: MarkedPair,
        at: str,
        given: Mapping[str, Any],
        number: int,
        places: Mapping[str, Mapping[int, int]],
    ) -> Edit:
        left = dict(given)
        kind = left.pop("category")
        # A number that writing would give again is not kept.
        if left.get("id") == number and type(left["id"]) is int:
            del left["id"]
        stated = {side: left.pop(_OFFSETS[side], None) for side in SIDES}
        is_unplaced = all(spans == [] for spans in stated.values())
        offsets = {side: spans or [] for side, spans in stated.items()}
        if not any(offsets.values()) and _PARTS in left:
            if not _are_parts(left[_PARTS]):
                self._refuse(f"{at}.{_PARTS}", "no_edits", _NO_EDITS, _WRITE_EDITS)
            offsets = {side: [*map(list, _of_parts(left[_PARTS], side))] for side in SIDES}
        spans = [self._spans(pair, at, offsets[side], side, places[side]) for side in SIDES]
        edit = Edit(kind, spans[0], spans[1], self._more(at, left))
        check_edit(self._row, at, edit, is_unplaced=is_unplaced)
        return edit

    def _spans(
        self, pair: MarkedPair, at: str, given: object, side: str, places: Mapping[int, int]
    ) -> tuple[Span, ...]:
        """Offsets of UTF-16 as spans of characters."""
        field = f"{at}.{_OFFSETS[side]}"
        text = pair.text(side)
        if not isinstance(given, list) or not all(is_span(span) for span in given):
            return spans_given(self._row, field, given, text, pair.cut)
        last = len(text.encode("utf-16-le")) // 2
        if any(place <= last and place not in places for span in given for place in span):
            self._refuse(field, "inside_a_character", _INSIDE_PAIR, _WHOLE)
        # What lies outside is refused as such, counted in whatever units.
        beyond = len(text) + 1
        spans = [[places.get(place, beyond + place) for place in span] for span in given]
        return spans_given(self._row, field, spans, text, pair.cut)

    def _more(self, at: str, left: Mapping[str, Any]) -> str:
        try:
            more = as_more(left)
            more_of(more)
        except (ValueError, RecursionError):
            self._refuse(at, "not_json", _NO_JSON, _WRITE_LIST)
        return more

    def _refuse(self, field: str, code: str, message: Wording, remedy: Wording) -> NoReturn:
        raise TableError(code, message, remedy, row=self._row, field=field)


def _of_parts(parts: Sequence[Mapping[str, Any]], side: str) -> tuple[Span, ...]:
    """The spans of all parts in the order of the text, those that touch or overlap as one."""
    spans: list[Span] = []
    given = [tuple(span) for part in parts for span in part.get(_OFFSETS[side]) or []]
    for start, end in sorted(given):
        if spans and start < spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(end, spans[-1].end))
        else:
            spans.append(Span(start, end))
    return tuple(spans)


def _as_error(problem: RowProblem) -> TableError:
    return TableError(problem.code, problem.message, problem.remedy, row=problem.row)


def _not_writable(pair: str) -> tuple[Wording, Wording]:
    return (
        Wording(
            f"La paire « {shown(pair)} » ne peut pas être écrite pour thresh.",
            f"The pair “{shown(pair)}” cannot be written for thresh.",
        ),
        Wording(
            "Ce qui est dit en plus (more) y a un nom que thresh emploie autrement : écrivez dans "
            "un autre format.",
            "What else is said of it (more) has a name that thresh has another use for: write "
            "another layout.",
        ),
    )


def _twice(kind: str, number: object) -> tuple[Wording, Wording]:
    name = shown(f"{kind} {number}")
    return (
        Wording(f"« {name} » est deux fois dans l'entrée.", f"“{name}” is in the entry twice."),
        Wording(
            "Donnez à chaque opération d'une catégorie un autre id.",
            "Give each edit of a category another id.",
        ),
    )


_NO_JSON = Wording("Ce n'est pas une liste JSON.", "This is no list of JSON.")
_WRITE_LIST = Wording(
    'Écrivez une liste d\'objets : [{"source": …, "target": …, "edits": […]}].',
    'Write a list of objects: [{"source": …, "target": …, "edits": […]}].',
)
_NO_OBJECT = Wording("Ce n'est pas un objet.", "This is no object.")
_NO_EDITS = Wording("Les opérations ne sont pas une liste.", "The edits are no list.")
_NO_EDIT = Wording("L'opération n'a pas de catégorie.", "The edit has no category.")
_WRITE_EDITS = Wording(
    'Écrivez [{"category": "deletion", "id": 0, "input_idx": [[0, 9]]}].',
    'Write [{"category": "deletion", "id": 0, "input_idx": [[0, 9]]}].',
)
_NO_NAME = Wording("Ce n'est ni un nom ni un nombre.", "This is neither a name nor a number.")
_WRITE_NAME = Wording("Écrivez une chaîne ou un entier.", "Write a string or a whole number.")
_NO_TEXT = Wording("Le texte manque.", "The text is missing.")
_WRITE_TEXT = Wording(
    "Donnez source et target, des chaînes.", "Give source and target, as strings."
)
_INSIDE_PAIR = Wording(
    "Un offset tombe à l'intérieur d'un caractère (moitiés d'UTF-16).",
    "An offset falls inside a character (halves of UTF-16).",
)
_WHOLE = Wording(
    "Comptez comme JavaScript : un caractère hors du plan de base compte pour deux.",
    "Count as JavaScript does: a character outside of the basic plane counts as two.",
)
