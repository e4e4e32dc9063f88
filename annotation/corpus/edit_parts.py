"""Parts of edits as files give them, whatever the layout: read, or refused with the row."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from annotation.corpus.edits import (
    MOST_EDITS,
    name_problem,
    no_span,
    refused,
    text_problem,
    too_many_edits,
    twice,
)
from annotation.corpus.problems import RowProblem, TableError
from annotation.protocols.base import Wording
from annotation.protocols.edits import SIDES, Edit, MarkedPair, touched
from annotation.protocols.tokens import Cut, Span, tokens

LONGEST_MORE = 20_000

Wrong = tuple[str, Wording, Wording]
"""A code, what is wrong and what to do."""


def is_span(given: object) -> bool:
    """Whether a value of JSON is a start and an end behind it."""
    if (
        not isinstance(given, list)
        or len(given) != 2
        or any(type(place) is not int for place in given)
    ):
        return False
    start, end = given
    return bool(0 <= start < end)


def spans_wrong(spans: Sequence[Span], text: str, cut: Sequence[Span]) -> Wrong | None:
    """Why these cannot be the spans of one edit on a text, whose tokens are ``cut``."""
    if any(span.end > len(text) for span in spans):
        return ("outside", *_outside(len(text)))
    if any(first.end > second.start for first, second in pairwise(sorted(spans))):
        return ("overlap", _OVERLAP, _NO_OVERLAP)
    if any(_is_inside(text, place, cut) for span in spans for place in span):
        return ("inside_a_character", _INSIDE, _WHOLE_CHARACTERS)
    if not all(touched((span,), cut) for span in spans):
        return ("no_token", _NO_TOKEN, _MARK_A_TOKEN)
    return None


def spans_given(row: int, field: str, given: object, text: str, cut: Cut) -> tuple[Span, ...]:
    """The spans in a list of starts and ends. Raises ``TableError`` where they are none on that
    text."""
    if not isinstance(given, list) or not all(is_span(ends) for ends in given):
        raise TableError("no_spans", _NO_SPANS, WRITE_SPANS, row=row, field=field)
    spans = tuple(Span(*ends) for ends in given)
    if wrong := spans_wrong(spans, text, tokens(text, cut)):
        raise TableError(*wrong, row=row, field=field)
    return spans


def cut_given(row: int, said: object) -> Cut:
    """The rule by which tokens are cut, ``Cut.WORDS`` where nothing is said. Raises
    ``TableError``."""
    if not said:
        return Cut.WORDS
    if not isinstance(said, str) or said not in tuple(Cut):
        raise TableError("no_rule", NO_RULE, RULES, row=row, field="tokens")
    return Cut(said)


def raise_first(*problems: RowProblem | None) -> None:
    """Raises the first of these problems as a ``TableError``."""
    for problem in filter(None, problems):
        raise TableError(
            problem.code, problem.message, problem.remedy, row=problem.row, field=problem.field
        )


def check_edit(row: int, field: str, edit: Edit, *, is_unplaced: bool = False) -> None:
    """Raises ``TableError`` for an edit without a name or a span, or with too much beside it.

    ``is_unplaced``: the file says in so many words that it has no span, as an error of the whole
    pair has none; nothing was left out by mistake."""
    raise_first(
        name_problem(row, field, edit.type),
        None if is_unplaced or edit.is_placed else no_span(row, field),
        more_problem(row, field, edit.more),
    )


def check_pair(row: int, pair: MarkedPair) -> None:
    """Raises ``TableError`` for a pair without a name or a text, or with too many edits."""
    raise_first(
        name_problem(row, "pair", pair.pair),
        name_problem(row, "annotator", pair.annotator),
        *(text_problem(row, side, pair.text(side)) for side in SIDES),
        more_problem(row, "more", pair.more),
        too_many_edits(row) if len(pair.edits) > MOST_EDITS else None,
    )


class Pairs:
    """The pairs of a file in its order, each once for an annotator."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], MarkedPair] = {}

    def add(self, row: int, pair: MarkedPair) -> None:
        """Raises ``TableError`` where its annotator has it already."""
        if self._pairs.setdefault((pair.annotator, pair.pair), pair) is not pair:
            raise_first(twice(row, "pair", pair.pair))

    def all(self) -> tuple[MarkedPair, ...]:
        """They all."""
        return tuple(self._pairs.values())


def as_more(given: Mapping[str, Any]) -> str:
    """Members of an object as ``more`` holds them, always in the same form; "" where there are
    none."""
    return json.dumps(given) if given else ""


def more_of(more: str) -> dict[str, Any]:
    """The members of what ``more`` holds. Raises ``ValueError`` where it is no object of JSON."""
    try:
        members = json.loads(more, parse_constant=_no_number) if more else {}
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(members, dict):
        raise ValueError("no object")
    return members


def noted_more(note: str) -> str:
    """What an import has put into an edit's note, as ``more`` has it, so that it comes out as it
    came in; "" for what a person wrote."""
    try:
        return note if note.startswith("{") and as_more(more_of(note)) == note else ""
    except (ValueError, RecursionError):
        return ""


def more_problem(row: int, field: str, more: str) -> RowProblem | None:
    """Why this cannot be what else is given of an edit or a pair."""
    try:
        if len(more) <= LONGEST_MORE and more_of(more) is not None:
            return None
    except ValueError:
        pass
    return refused(row, field, "no_more", _NO_MORE, _WRITE_MORE)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _is_inside(text: str, place: int, cut: Sequence[Span]) -> bool:
    """Whether a place divides a letter from the accents that are written behind it, where no token
    begins or ends."""
    if not 0 < place < len(text) or not unicodedata.combining(text[place]):
        return False
    return all(place not in token for token in cut)


def _outside(length: int) -> tuple[Wording, Wording]:
    return (
        Wording(
            f"Le texte n'a que {length} caractères.", f"The text has only {length} characters."
        ),
        Wording(
            "Comptez les caractères Unicode à partir de 0; la fin est derrière le dernier.",
            "Count Unicode characters from 0; the end is behind the last one.",
        ),
    )


_NO_SPANS = Wording("Ces passages ne se lisent pas.", "These spans cannot be read.")
WRITE_SPANS = Wording(
    "Écrivez des paires début, fin : [[0, 5], [9, 12]], la fin après le début.",
    "Write pairs of start and end: [[0, 5], [9, 12]], the end behind the start.",
)
NO_RULE = Wording("Cette règle de coupe n'existe pas.", "There is no such rule of cutting.")
RULES = Wording(
    "Écrivez words (la règle d'ici) ou spaces (coupé aux espaces).",
    "Write words (the rule of this place) or spaces (cut at white space).",
)
_NO_TOKEN = Wording(
    "Un de ces passages ne marque que des espaces.", "One of these spans marks white space alone."
)
_MARK_A_TOKEN = Wording("Marquez un mot au moins.", "Mark a word at least.")
_OVERLAP = Wording("Deux de ces passages se recouvrent.", "Two of these spans overlap.")
_NO_OVERLAP = Wording("Faites-en un seul, ou deux opérations.", "Make one of them, or two edits.")
_INSIDE = Wording(
    "Un offset tombe entre une lettre et son accent.",
    "An offset falls between a letter and its accent.",
)
_WHOLE_CHARACTERS = Wording("Comptez des caractères entiers.", "Count whole characters.")
_NO_MORE = Wording(
    "Ce n'est pas un objet JSON, ou il est trop long.",
    "This is no object of JSON, or it is too long.",
)
_WRITE_MORE = Wording(
    f"Écrivez un objet JSON d'au plus {LONGEST_MORE} caractères, ou videz la cellule.",
    f"Write an object of JSON of at most {LONGEST_MORE} characters, or empty the cell.",
)
