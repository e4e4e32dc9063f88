"""What a field does with an answer, tried: it is stored, given back, exported, taken from a table
and put into words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from annotation.protocols.base import Answers, Parts, Rulings, Wording
from annotation.protocols.columns import OF_A_MARK, ORIGIN, ColumnGroup, Slot
from annotation.protocols.fault_words import error_words, failed, of_field, quoted
from annotation.protocols.kinds import Field, ShapeError
from annotation.protocols.kinds.field import listed
from annotation.protocols.protocol import Protocol
from annotation.protocols.shapes import tried
from annotation.protocols.trials.free_text import cell_faults
from annotation.protocols.trials.samples import FACTS

_OF_RATINGS = (
    *("value", "derivation", "bracket", "deductions", "crossing_policy", "crossing_answer"),
    "moved_from",
)


def kind_faults(protocol: Protocol, f: Field, answers: Answers) -> Iterator[Wording]:
    """What goes wrong with this field's answer among these."""
    rulings = protocol.clean_rulings({})
    steps: dict[str, Callable[[], Iterator[Wording]]] = {
        "store": lambda: _storing_faults(protocol, f, answers, rulings),
        "export": lambda: _export_faults(protocol, f, answers, rulings),
        "take": lambda: _taking_faults(protocol, f, answers, rulings),
        "plain": lambda: _plain_faults(f, answers),
        "words": lambda: _word_faults(f, answers, rulings),
    }
    shown, answer = repr(answers[f.name])[:60], quoted(answers[f.name])
    for name, step in steps.items():
        said = partial(
            failed,
            f"échoue sur la réponse {answer} ({name})",
            f"fails on the answer {shown} ({name})",
        )
        yield from (of_field(f.name, fault) for fault in tried(step, said))


def _storing_faults(
    protocol: Protocol, f: Field, answers: Answers, rulings: Rulings
) -> Iterator[Wording]:
    own = Parts()
    f.store(answers, rulings, own)
    yield from _part_faults(f, own)
    restored = protocol.restore(protocol.parts(answers, rulings))
    if f.name not in restored or restored[f.name] != answers[f.name]:
        back, given = restored.get(f.name), answers[f.name]
        yield Wording(
            f"rend {quoted(back)} là où {quoted(given)} était enregistré\u00a0: store et restore "
            "ne s'accordent pas",
            f"gives {repr(back)[:60]} back where {repr(given)[:60]} was stored: store and restore "
            "do not agree",
        )


def _part_faults(f: Field, own: Parts) -> Iterator[Wording]:
    """What it stores and did not say."""
    for side in set(own.sides) - set(f.sides):
        yield Wording(
            f"enregistre le texte {quoted(side)} à côté des évaluations\u00a0: nommez-le dans ses "
            "sides",
            f"stores the text {side!r} beside the ratings: name it in its sides",
        )
    for side, text in own.sides.items():
        french, english = f"{quoted(text)} sous {quoted(side)}", f"{text!r} as {side!r}"
        if not isinstance(text, str) or not text:
            yield Wording(
                f"enregistre {french}\u00a0: un side est un texte qui n'est pas vide",
                f"stores {english}: a side is a text that is not empty",
            )
        elif f.allowed_sides and text not in f.allowed_sides:
            yield Wording(
                f"enregistre {french}, ce qui n'est aucun de ses allowed_sides",
                f"stores {english}, which is none of its allowed_sides",
            )
    keys = {option.key for option in f.marks}
    for mark in own.marks:
        if mark.field != f.name or mark.type not in keys:
            yield Wording(
                f"enregistre une marque de {quoted(mark.field)}, {quoted(mark.type)}, qui n'est "
                "pas l'une des siennes",
                f"stores a mark of {mark.field!r}, {mark.type!r}, which is none of its own",
            )
    yield from _rating_faults(f, own)


def _rating_faults(f: Field, own: Parts) -> Iterator[Wording]:
    known = {dimension.name: dimension.scale for dimension in f.dimensions}
    for name, rating in own.ratings.items():
        if name not in known:
            yield Wording(
                f"évalue {quoted(name)}, qui n'est pas l'une de ses dimensions",
                f"rates {name!r}, which is none of its dimensions",
            )
        elif rating.value not in known[name]:
            yield Wording(
                f"évalue {quoted(name)} à {quoted(rating.value)}, qui n'est pas sur son échelle",
                f"rates {name!r} by {rating.value!r}, which is not on its scale",
            )
    if own.ratings and len(own.ratings) < len(known):
        yield Wording(
            "évalue certaines de ses dimensions et pas toutes",
            "rates some of its dimensions and not all",
        )


def _export_faults(
    protocol: Protocol, f: Field, answers: Answers, rulings: Rulings
) -> Iterator[Wording]:
    yield from _unexported(f)
    parts = protocol.parts(answers, rulings)
    for group in (f.export(), f.beside_marks()):
        if group is None:
            continue
        if unknown := [name for name in group.reads if not _is_stored(protocol, name)]:
            yield Wording(
                f"a des colonnes qui lisent {quoted(unknown[0])}, qui n'est enregistré nulle part",
                f"has columns that read {unknown[0]!r}, which is stored nowhere",
            )
            continue
        cells = group.cells(_read(parts, group))
        if len(cells) != len(group.columns):
            made, due = len(cells), len(group.columns)
            yield Wording(
                f"fait {made} cellules pour {due} colonnes", f"makes {made} cells for {due} columns"
            )
            continue
        for column, cell in zip(group.columns, cells, strict=True):
            yield from cell_faults(column, cell)
    beside = f.beside_marks()
    of_ratings = [*(column.read for column in f.compared()), *(beside.reads if beside else ())]
    for name in of_ratings:
        if name.rpartition(".")[0] not in protocol.dimensions:
            yield Wording(
                f"compare {quoted(name)}, qui n'est pas une partie d'une évaluation",
                f"compares {name!r}, which is no part of a rating",
            )


def _unexported(f: Field) -> Iterator[Wording]:
    """What is stored and stands in no column: nobody would ever find it again."""
    exported = f.export()
    reads = set(exported.reads) if exported else set()
    values = [f"{dimension.name}.value" for dimension in f.dimensions]
    # What is rated of marks is counted from them.
    for name in [*f.sides, *(() if exported and exported.marks else values)]:
        if name not in reads and not f.stored_with:
            yield Wording(
                f"enregistre {quoted(name)}, qu'aucune de ses colonnes ne lit (export)",
                f"stores {name!r}, which none of its columns reads (export)",
            )
    compared = {column.read for column in f.compared()}
    for name in values:
        if name not in compared:
            shown = name.removesuffix(".value")
            yield Wording(
                f"évalue {quoted(shown)}, dont le tableau {quoted('wide')} n'a pas de colonne "
                "(compared)",
                f"rates {shown!r}, of which the table 'wide' has no column (compared)",
            )


def _taking_faults(
    protocol: Protocol, f: Field, answers: Answers, rulings: Rulings
) -> Iterator[Wording]:
    """Whether the cells of its own columns come in again as the answer that they were made of.
    Samples of marks have passages of no text, and what follows from them is no sample's."""
    exported, slots = f.export(), {slot.name: slot for slot in f.slots()}
    parts = protocol.parts(answers, rulings)
    follows = f.marks or any(f.name == other.stored_with for other in protocol.fields)
    if exported is None or not slots or follows or not f.is_answered(answers[f.name]):
        return
    cells = dict(
        zip((c.name for c in exported.columns), exported.cells(_read(parts, exported)), strict=True)
    )
    if not slots.keys() & cells.keys():
        name = next(iter(slots))
        yield Wording(
            f"lit une colonne {quoted(name)} d'un tableau (slots), et n'en exporte aucune de ce "
            "nom\u00a0: son propre export ne se réimporterait pas. Définissez slots et take",
            f"reads a column {name!r} of a table (slots), and exports none that is called so: "
            "its own export would not come in again. Say slots and take",
        )
        return
    given = {
        name: _as_taken(slot, cells[name])
        for name, slot in slots.items()
        if cells.get(name) not in (None, "")
    }
    # As in a file: marks are read before what takes points off for them.
    stored = Parts(marks=[*parts.marks])
    try:
        f.take(given, FACTS[0], rulings, stored)
    except ShapeError as error:
        yield failed(
            "ne lit pas ce que disent ses propres colonnes (slots, take)",
            "does not read what its own columns say (slots, take)",
            error_words(error),
        )
        return
    taken = f.restore(stored).get(f.name)
    if taken != answers[f.name]:
        given_out = answers[f.name]
        yield Wording(
            f"prend {quoted(taken)} de ses propres colonnes là où {quoted(given_out)} était "
            "exporté\u00a0: slots et take ne s'accordent pas avec export",
            f"takes {repr(taken)[:60]} from its own columns where {repr(given_out)[:60]} was "
            "exported: slots and take do not agree with export",
        )


def _as_taken(slot: Slot, cell: Any) -> str:
    """A cell as ``take`` gets it: options by their values, also those of a list of keys."""
    written = str(cell).lower() if isinstance(cell, bool) else str(cell)
    read = listed(written)
    if slot.is_list and isinstance(read, list):
        values = {option.key: option.value for option in slot.options}
        return json.dumps([values.get(key, key) for key in read])
    return written


def _plain_faults(f: Field, answers: Answers) -> Iterator[Wording]:
    """Whether a plain form that shows an answer in its lines, as the reference of practice does,
    sends the same."""
    if f.control not in ("lines", "number") or f.stored_with or f.marks:
        return
    written = f.plain(answers[f.name])
    try:
        read = f.clean(f.posted([written], {f.name: [written]}))
    except ShapeError as error:
        yield failed(
            f"ne lit pas {quoted(written)} d'un formulaire simple (posted, plain, control)",
            f"does not read {written[:60]!r} from a plain form (posted, plain, control)",
            error_words(error),
        )
        return
    if read != answers[f.name]:
        yield Wording(
            f"lit {quoted(read)} d'un formulaire simple qui montre {quoted(written)}\u00a0: ce qui "
            "est sous son propre nom est sa réponse (posted, plain, control)",
            f"reads {repr(read)[:60]} from a plain form that shows {written[:60]!r}: what stands "
            "under its own name is its answer (posted, plain, control)",
        )


def _is_stored(protocol: Protocol, read: str) -> bool:
    dimension, _dot, part = read.rpartition(".")
    if read == ORIGIN or read in protocol.sides:
        return True
    if dimension not in protocol.dimensions:
        return False
    derived = {scale.dimension_name for scale in protocol.bracketed}
    return part in (_OF_RATINGS if dimension in derived else ("value",))


def _read(parts: Parts, group: ColumnGroup) -> Any:
    """What a group's cells are made of, as exports give it (see ``ColumnGroup``)."""
    if group.marks:
        marks = parts.marks_of(group.marks)
        return tuple(tuple(getattr(mark, name) for name in OF_A_MARK) for mark in marks)

    def part_of(read: str) -> Any:
        dimension, _dot, part = read.rpartition(".")
        if read == ORIGIN:
            return "person"
        if dimension in parts.ratings:
            return getattr(parts.ratings[dimension], part)
        return None if dimension else parts.sides.get(read, "")

    read = tuple(map(part_of, group.reads))
    return read[0] if len(read) == 1 else read


def _word_faults(f: Field, answers: Answers, rulings: Rulings) -> Iterator[Wording]:
    value = answers[f.name]
    f.ruled(rulings)
    f.model_lines()
    for say in (lambda wording: wording.fr, lambda wording: wording.en):
        f.facts(say)
        f.context(value, say)
        said = [*f.lines(value, say), f.brief(value, say)]
        if not all(isinstance(text, str) for text in said):
            yield Wording(
                f"dit {said!r} d'une réponse, ce qui n'est pas du texte",
                f"says {said!r} of an answer, which is no text",
            )
    for facts in FACTS:
        f.problems(answers, facts, rulings)
    is_asked_for = f.required and (f.shown_when is not None or not f.dimensions)
    if (is_asked_for or f.required_when is not None) and not f.stored_with:
        f.evidence(None)
