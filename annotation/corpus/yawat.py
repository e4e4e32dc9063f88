"""YAWAT's alignments as ASSETann was released: one line for each pair, its tokens counted from 0.

``141 5,6,7:5:hyperonym 16::delmod :18:split``: the pair, then each edit as tokens of the original,
tokens of the simplification, label. A list with holes is one discontinuous edit; the order of a
list is kept. A line with nothing behind the pair says that nothing was marked. Texts stand beside
it, cut at white space: in one ``.crp`` (pair, original, simplification, a line each), or in two
files with a line for each pair, called by its number from 0. Germann (2008), Yawat: Yet Another
Word Alignment Tool; the corpus: ASSETann, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from annotation.corpus.edits import (
    MOST_EDITS,
    EditsFile,
    name_problem,
    named,
    no_span,
    refused,
    text_problem,
    too_many_edits,
    twice,
)
from annotation.corpus.encodings import decode
from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.corpus.tables import MAX_ROWS, too_many_rows
from annotation.protocols.base import Wording
from annotation.protocols.edits import SIDES, Edit, MarkedPair, spans_of
from annotation.protocols.tokens import Cut, Span, tokens

Texts = Mapping[str, tuple[str, str]]
# Not \d: digits of other scripts are numbers to Python, and none of YAWAT's.
_PLACES = re.compile(r"(?:[0-9]{1,6}(?:,[0-9]{1,6})*)?")


def read_yawat(content: bytes, lengths: Sequence[int], annotator: str) -> EditsFile:
    """What one annotator marked. ``content``: the alignments and then their texts, one file behind
    the other, of these ``lengths`` in bytes; the texts are one ``.crp`` or two files."""
    parts, start = [], 0
    for length in lengths:
        parts.append(content[start : start + length])
        start += length
    try:
        texts = _corpus(parts[1]) if len(parts) == 2 else _two_files(*parts[1:])
        return _read(_lines(parts[0]), texts, annotator)
    except TableError as error:
        return EditsFile(fatal=error.problem)


def as_yawat(pairs: Iterable[MarkedPair]) -> tuple[str, str]:
    """One annotator's edits and their texts, as ``.aln`` and ``.crp``. Raises ``TableError`` for
    what that layout cannot hold."""
    lines, texts = [], []
    for number, pair in enumerate(pairs, start=1):
        _check_writable(number, pair)
        lines.append(" ".join([pair.pair, *(_mark(pair, edit) for edit in pair.edits)]))
        texts += [pair.pair, pair.original, pair.simplification]
    return "".join(f"{line}\n" for line in lines), "".join(f"{line}\n" for line in texts)


def _mark(pair: MarkedPair, edit: Edit) -> str:
    sides = (",".join(map(str, pair.touched(edit, side))) for side in SIDES)
    return ":".join([*sides, edit.type])


def _no_place(pair: str, unplaced: int) -> tuple[Wording, Wording]:
    name = shown(pair)
    return (
        Wording(
            f"Marques de la paire « {name} » sans passage : {unplaced}.",
            f"Marks of the pair “{name}” without a passage: {unplaced}.",
        ),
        Wording(
            "Ce format ne dit que ce que des mots portent : écrivez en .jsonl ou en .tsv.",
            "That layout holds only what stands on words: write .jsonl or .tsv.",
        ),
    )


def _check_writable(number: int, pair: MarkedPair) -> None:
    if unplaced := sum(not edit.is_placed for edit in pair.edits):
        raise TableError("not_writable", *_no_place(pair.pair, unplaced), row=number, field="type")
    kinds = [edit.type for edit in pair.edits]
    wrong = (
        ("tokens", pair.cut is not Cut.SPACES),
        ("pair", len(pair.pair.split()) != 1),
        ("type", any(len(kind.split()) != 1 or ":" in kind for kind in kinds)),
        ("more", bool(pair.more) or any(edit.more for edit in pair.edits)),
        *((side, "\n" in pair.text(side) or pair.text(side).endswith("\r")) for side in SIDES),
    )
    for field, is_wrong in wrong:
        if is_wrong:
            raise TableError(
                "not_writable",
                Wording(
                    f"La paire « {shown(pair.pair)} » ne peut pas être écrite en .aln.",
                    f"The pair “{shown(pair.pair)}” cannot be written as .aln.",
                ),
                Wording(
                    "Ce format veut des mots coupés aux espaces, des noms sans espace ni deux-"
                    "points, des textes d'une ligne et rien d'autre : écrivez en .jsonl ou en "
                    ".tsv.",
                    "That layout takes tokens cut at spaces, names without a space or a colon, "
                    "texts of one line and nothing more: write .jsonl or .tsv.",
                ),
                row=number,
                field=field,
            )


def _lines(content: bytes) -> list[str]:
    # Not splitlines(): U+2028, U+0085 and the like may stand inside a text.
    lines = [line.removesuffix("\r") for line in decode(content, "utf-8").split("\n")]
    if not lines[-1]:
        lines.pop()
    if len(lines) > 3 * MAX_ROWS:
        raise too_many_rows()
    return lines


def _corpus(content: bytes) -> Texts:
    lines = _lines(content)
    if len(lines) % 3:
        raise TableError(
            "not_in_threes",
            Wording(
                f"Le fichier de textes a {len(lines)} lignes, ce qui n'est pas un multiple de 3.",
                f"The file of texts has {len(lines)} lines, which is no multiple of 3.",
            ),
            Wording(
                "Un .crp a trois lignes par paire : son nom, l'original, la simplification.",
                "A .crp has three lines for each pair: its name, the original, the simplification.",
            ),
        )
    places = range(0, len(lines), 3)
    return {lines[at].strip(): (lines[at + 1], lines[at + 2]) for at in places}


def _two_files(originals: bytes, simplifications: bytes) -> Texts:
    first, second = _lines(originals), _lines(simplifications)
    if len(first) != len(second):
        raise TableError(
            "not_as_long",
            Wording(
                f"Il y a {len(first)} originaux et {len(second)} simplifications.",
                f"There are {len(first)} originals and {len(second)} simplifications.",
            ),
            Wording(
                "Les deux fichiers ont une ligne par paire, dans le même ordre.",
                "Both files have a line for each pair, in the same order.",
            ),
        )
    return {str(at): texts for at, texts in enumerate(zip(first, second, strict=True))}


def _read(lines: Sequence[str], texts: Texts, annotator: str) -> EditsFile:
    pairs: dict[str, MarkedPair] = {}
    problems: list[RowProblem] = []
    for row, line in enumerate(lines, start=1):
        name, *marks = line.split() or [""]
        if not name:
            continue
        wrong = _pair_problem(row, name, texts, pairs)
        if wrong is None:
            reading = _Line(row, *texts[name])
            edits = reading.edits(marks)
            problems += reading.problems
            pairs[name] = MarkedPair(name, annotator, *texts[name], Cut.SPACES, edits)
        else:
            problems.append(wrong)
    if not pairs and not problems:
        return EditsFile(fatal=_EMPTY)
    return EditsFile(tuple(pairs.values()), named(problems))


def _pair_problem(
    row: int, name: str, texts: Texts, pairs: Mapping[str, MarkedPair]
) -> RowProblem | None:
    if name in pairs:
        return twice(row, "pair", name)
    if name not in texts:
        return refused(
            row,
            "pair",
            "no_texts",
            Wording(
                f"Il n'y a pas de textes pour la paire « {shown(name)} ».",
                f"There are no texts for the pair “{shown(name)}”.",
            ),
            Wording(
                "Donnez le fichier de textes qui va avec celui-ci.",
                "Give the file of texts that belongs to this one.",
            ),
        )
    return name_problem(row, "pair", name) or next(
        filter(
            None,
            (
                text_problem(row, *side_and_text)
                for side_and_text in zip(SIDES, texts[name], strict=True)
            ),
        ),
        None,
    )


class _Line:
    """The edits of one line, mark by mark, with what is wrong in them."""

    def __init__(self, row: int, original: str, simplification: str) -> None:
        self._row = row
        self._cut = {
            "original": tokens(original, Cut.SPACES),
            "simplification": tokens(simplification, Cut.SPACES),
        }
        self.problems: list[RowProblem] = []

    def edits(self, marks: Sequence[str]) -> tuple[Edit, ...]:
        if len(marks) > MOST_EDITS:
            self.problems.append(too_many_edits(self._row))
            return ()
        return tuple(edit for mark in marks if (edit := self._edit(mark)) is not None)

    def _edit(self, mark: str) -> Edit | None:
        parts = mark.split(":")
        if len(parts) != 3:
            self._refuse(
                mark,
                "no_mark",
                Wording(
                    f"« {shown(mark)} » n'est pas une opération.",
                    f"“{shown(mark)}” is no edit.",
                ),
                Wording(
                    "Écrivez mots de l'original:mots de la simplification:type, par exemple "
                    "4,5:3:synonym.",
                    "Write tokens of the original:tokens of the simplification:type, for example "
                    "4,5:3:synonym.",
                ),
            )
            return None
        spans = [
            self._spans(mark, *side_and_part)
            for side_and_part in zip(SIDES, parts[:2], strict=True)
        ]
        if None in spans:
            return None
        wrong = name_problem(self._row, shown(mark), parts[2])
        if wrong is None and not any(spans):
            wrong = no_span(self._row, shown(mark))
        if wrong is not None:
            self.problems.append(wrong)
            return None
        first, second = (of_side or () for of_side in spans)
        return Edit(parts[2], first, second)

    def _spans(self, mark: str, side: str, given: str) -> tuple[Span, ...] | None:
        cut = self._cut[side]
        places = (
            [int(place) for place in given.split(",")] if _PLACES.fullmatch(given) and given else []
        )
        is_list = _PLACES.fullmatch(given) and len(set(places)) == len(places)
        if is_list and all(place < len(cut) for place in places):
            return spans_of(places, cut)
        self._refuse(
            mark,
            "no_such_tokens",
            Wording(
                f"« {shown(given)} » : ce ne sont pas des mots différents de ce texte "
                f"({side}), qui en a {len(cut)}.",
                f"“{shown(given)}”: these are no different tokens of this text ({side}), which has "
                f"{len(cut)}.",
            ),
            Wording(
                f"Comptez les mots à partir de 0, de 0 à {len(cut) - 1}, chacun une fois, séparés "
                "par des virgules.",
                f"Count tokens from 0, 0 to {len(cut) - 1}, each once, divided by commas.",
            ),
        )
        return None

    def _refuse(self, mark: str, code: str, message: Wording, remedy: Wording) -> None:
        self.problems.append(refused(self._row, shown(mark), code, message, remedy))


_EMPTY = RowProblem(
    "file",
    "empty",
    Wording("Le fichier ne contient aucune paire.", "The file holds no pair."),
    remedy=Wording(
        "Une ligne par paire : son nom, puis ses opérations.",
        "A line for each pair: its name, then its edits.",
    ),
)
