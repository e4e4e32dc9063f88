"""Edits as a table, in a layout of no program's own: one row for each edit, as JSONL or TSV.

``pair``, ``annotator``, ``type``, ``original_spans`` and ``simplification_spans`` (offsets of
characters as JSON, ``[[0, 5], [9, 12]]``: from the first to behind the last, counted as Unicode
code points from 0), ``original_tokens`` and ``simplification_tokens`` (places of tokens from 0, as
JSON), ``tokens`` (by which rule the texts are cut, ``words`` or ``spaces``), ``original`` and
``simplification``; ``more`` and ``pair_more`` (an object of JSON, what else was answered about the
edit and about the pair). A row without a type says that its annotator found nothing on the pair;
one with a type and ``[]`` as the spans of both sides, that it is of no passage. Of spans and tokens
one is enough; where both are given they must say the same, so that tokens that were cut otherwise
since are noticed.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.cells import Sheet, as_typed
from annotation.corpus.edit_parts import (
    NO_RULE,
    RULES,
    WRITE_SPANS,
    as_more,
    is_span,
    more_of,
    more_problem,
    spans_wrong,
)
from annotation.corpus.edits import (
    MOST_EDITS,
    EditsFile,
    name_problem,
    named,
    no_span,
    refused,
    text_problem,
    too_many_edits,
)
from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import DELIMITED, NAMED
from annotation.protocols.base import Wording
from annotation.protocols.edits import SIDES, Edit, MarkedPair, spans_of, touched
from annotation.protocols.tokens import Cut, Span, tokens

NEEDED = ("pair", "type", *SIDES)
COLUMNS = (
    "pair",
    "annotator",
    "type",
    "original_spans",
    "simplification_spans",
    "original_tokens",
    "simplification_tokens",
    "tokens",
    *SIDES,
    "more",
    "pair_more",
)
_Key = tuple[str, str]


def edit_rows(pairs: Iterable[MarkedPair]) -> Iterator[dict[str, Any]]:
    """The rows, each with all ``COLUMNS``; offsets and places as lists."""
    for pair in pairs:
        for edit in pair.edits or (None,):
            row: dict[str, Any] = {"pair": pair.pair, "annotator": pair.annotator}
            row["type"] = edit.type if edit else ""
            for side in SIDES:
                spans = edit.spans(side) if edit else ()
                row[f"{side}_spans"] = [list(span) for span in spans]
                row[f"{side}_tokens"] = list(pair.touched(edit, side)) if edit else []
            row |= {"tokens": str(pair.cut)} | {side: pair.text(side) for side in SIDES}
            yield row | {"more": edit.more if edit else "", "pair_more": pair.more}


def as_jsonl(pairs: Iterable[MarkedPair]) -> str:
    """The table as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in edit_rows(pairs))


def as_tsv(pairs: Iterable[MarkedPair]) -> str:
    """The table with tabs between its cells; a cell that a spreadsheet would run gets an apostrophe
    in front, which reading takes away."""
    out = io.StringIO()
    sheet = Sheet(out, delimiter="\t", lineterminator="\n")
    sheet.writerow(COLUMNS)
    for row in edit_rows(pairs):
        sheet.writerow(
            cell if isinstance(cell := row[column], str) else json.dumps(cell) for column in COLUMNS
        )
    return out.getvalue()


def read_edit_table(content: bytes, annotator: str) -> EditsFile:
    """The edits of a table of any kind that a file of pairs may be, with its columns named in the
    first row. ``annotator`` marked where the table does not say who did."""
    try:
        table = read_table(content, NAMED)
    except TableError as error:
        return EditsFile(fatal=error.problem)
    places = {name.lower(): at for at, name in reversed(list(enumerate(table.columns)))}
    missing = [name for name in NEEDED if name not in places]
    if missing:
        return EditsFile(fatal=_no_column(missing))
    is_sheet = table.layout.format == DELIMITED
    reading = _Reading(annotator)
    for row in table.rows:
        cells = {name: row.cells[places[name]] for name in COLUMNS if name in places}
        reading.take(row.number, {n: as_typed(c) for n, c in cells.items()} if is_sheet else cells)
    return EditsFile(reading.pairs(), named([*table.problems, *reading.problems]))


class _Reading:
    """Pairs as they come together row by row, with what is wrong in the rows."""

    def __init__(self, annotator: str) -> None:
        self._annotator = annotator
        self._pairs: dict[_Key, MarkedPair] = {}
        self._edits: dict[_Key, list[Edit]] = {}
        self._row = 0
        self.problems: list[RowProblem] = []

    def pairs(self) -> tuple[MarkedPair, ...]:
        return tuple(
            MarkedPair(
                pair.pair,
                pair.annotator,
                pair.original,
                pair.simplification,
                pair.cut,
                tuple(self._edits[key]),
                pair.more,
            )
            for key, pair in self._pairs.items()
        )

    def take(self, number: int, cells: Mapping[str, str]) -> None:
        self._row = number
        before = len(self.problems)
        pair = self._pair(cells)
        if len(self.problems) > before:
            return
        edits = self._edits.setdefault((pair.annotator, pair.pair), [])
        if not cells["type"].strip():
            self._refuse_spans(cells)
        elif len(edits) >= MOST_EDITS:
            self.problems.append(too_many_edits(number))
        elif (edit := self._edit(pair, cells)) is not None:
            edits.append(edit)

    def _pair(self, cells: Mapping[str, str]) -> MarkedPair:
        who = cells.get("annotator", "").strip() or self._annotator
        name = cells["pair"].strip()
        said = cells.get("tokens", "").strip() or Cut.WORDS
        wrong = [name_problem(self._row, "pair", name), name_problem(self._row, "annotator", who)]
        wrong += [text_problem(self._row, side, cells[side]) for side in SIDES]
        if said not in tuple(Cut):
            wrong.append(refused(self._row, "tokens", "no_rule", NO_RULE, RULES))
        cut = Cut(said) if said in tuple(Cut) else Cut.WORDS
        more = cells.get("pair_more", "").strip()
        wrong.append(more_problem(self._row, "pair_more", more))
        more = more if wrong[-1] else as_more(more_of(more))
        texts = (cells["original"], cells["simplification"])
        pair = MarkedPair(name, who, *texts, cut, more=more)
        if not any(wrong) and self._pairs.setdefault((who, name), pair) != pair:
            wrong.append(refused(self._row, "pair", "other_texts", _OTHER_TEXTS, _SAME_TEXTS))
        self.problems += filter(None, wrong)
        return pair

    def _refuse_spans(self, cells: Mapping[str, str]) -> None:
        for field in (*COLUMNS[3:7], "more"):
            if cells.get(field, "").strip() not in ("", "[]"):
                self._refuse(field, "no_type", _NO_TYPE, _GIVE_TYPE)

    def _edit(self, pair: MarkedPair, cells: Mapping[str, str]) -> Edit | None:
        before = len(self.problems)
        kind = cells["type"].strip()
        if wrong := name_problem(self._row, "type", kind):
            self.problems.append(wrong)
        spans = [self._side(pair, side, cells) for side in SIDES]
        if len(self.problems) == before and not any(spans) and not _is_unplaced(cells):
            self.problems.append(no_span(self._row, "original_spans"))
        more = cells.get("more", "").strip()
        if wrong := more_problem(self._row, "more", more):
            self.problems.append(wrong)
        if len(self.problems) > before:
            return None
        return Edit(kind, spans[0], spans[1], as_more(more_of(more)))

    def _side(self, pair: MarkedPair, side: str, cells: Mapping[str, str]) -> tuple[Span, ...]:
        text, cut = pair.text(side), tokens(pair.text(side), pair.cut)
        spans = self._spans(f"{side}_spans", text, cut, cells)
        places = self._places(f"{side}_tokens", len(cut), cells)
        if spans and places and set(touched(spans, cut)) != set(places):
            self._refuse(f"{side}_tokens", "other_tokens", _OTHER_TOKENS, _ONE_OF_BOTH)
        return spans or spans_of(places, cut)

    def _spans(
        self, field: str, text: str, cut: Sequence[Span], cells: Mapping[str, str]
    ) -> tuple[Span, ...]:
        given = _list(cells.get(field, ""))
        if given is None or not all(is_span(ends) for ends in given):
            self._refuse(field, "no_spans", _not_read(cells[field]), WRITE_SPANS)
            return ()
        spans = tuple(Span(*ends) for ends in given)
        if wrong := spans_wrong(spans, text, cut):
            self._refuse(field, *wrong)
            return ()
        return spans

    def _places(self, field: str, number: int, cells: Mapping[str, str]) -> list[int]:
        given = _list(cells.get(field, ""))
        is_list = given is not None and all(type(place) is int and place >= 0 for place in given)
        if given is None or not is_list or len(set(given)) < len(given):
            self._refuse(field, "no_tokens", _not_read(cells[field]), _WRITE_TOKENS)
        elif any(place >= number for place in given):
            self._refuse(field, "outside", *_past_tokens(number))
        else:
            return given
        return []

    def _refuse(self, field: str, code: str, message: Wording, remedy: Wording) -> None:
        self.problems.append(refused(self._row, field, code, message, remedy))


def _is_unplaced(cells: Mapping[str, str]) -> bool:
    """Whether a row says of both sides that there is no span, rather than nothing."""
    return all(cells.get(f"{side}_spans", "").strip() == "[]" for side in SIDES)


def _list(cell: str) -> list[Any] | None:
    """The list in a cell, an empty one where the cell is; None where it is none."""
    if not cell.strip():
        return []
    try:
        parsed = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, list) else None


def _not_read(cell: str) -> Wording:
    return Wording(f"« {shown(cell)} » ne se lit pas.", f"“{shown(cell)}” cannot be read.")


def _past_tokens(number: int) -> tuple[Wording, Wording]:
    return (
        Wording(f"Le texte n'a que {number} mots.", f"The text has only {number} tokens."),
        Wording(
            "Comptez à partir de 0, et vérifiez la règle de la colonne tokens.",
            "Count from 0, and check the rule in the column tokens.",
        ),
    )


def _no_column(missing: Sequence[str]) -> RowProblem:
    names = ", ".join(map(shown, missing))
    return RowProblem(
        "file",
        "columns",
        Wording(f"Il manque les colonnes : {names}.", f"These columns are missing: {names}."),
        remedy=Wording(
            f"Colonnes : {', '.join(COLUMNS)}; celles-ci suffisent : {', '.join(NEEDED)}, et des "
            "offsets ou des mots.",
            f"Columns: {', '.join(COLUMNS)}; enough are {', '.join(NEEDED)}, and offsets or "
            "tokens.",
        ),
    )


_OTHER_TEXTS = Wording(
    "La même personne a déjà cette paire avec d'autres textes ou une autre règle de coupe.",
    "The same person already has this pair with other texts or another rule of cutting.",
)
_SAME_TEXTS = Wording(
    "Donnez les mêmes textes à chaque ligne d'une paire, ou un autre nom à l'autre paire.",
    "Give every row of a pair the same texts, or the other pair another name.",
)
_NO_TYPE = Wording(
    "Quelque chose est marqué, mais sans type.", "Something is marked, but without a type."
)
_GIVE_TYPE = Wording("Donnez le type, ou videz la cellule.", "Give the type, or empty the cell.")
_OTHER_TOKENS = Wording(
    "Ces mots ne sont pas ceux que marquent les offsets.",
    "These tokens are not those that the offsets mark.",
)
_ONE_OF_BOTH = Wording(
    "Vérifiez que le texte et la règle de coupe n'ont pas changé, ou videz une des cellules.",
    "Check that the text and the rule of cutting have not changed, or empty one of the two cells.",
)
_WRITE_TOKENS = Wording(
    "Écrivez les places des mots à partir de 0, chacune une fois : [4, 5, 9].",
    "Write the places of tokens from 0, each once: [4, 5, 9].",
)
