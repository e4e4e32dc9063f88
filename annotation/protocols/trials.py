"""A protocol tried at start on sample answers: what it stores, gives back, exports and refuses is
seen before anybody's answers meet it. Pure.

A sample is what a field's ``schema`` describes, or its ``samples``. Where people write freely, it
holds a text that stands verbatim only where it was written verbatim.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from annotation.protocols.base import Answers, PairFacts, Parts, Problem, Rulings, Wording
from annotation.protocols.columns import OF_A_MARK, ORIGIN, Column, ColumnGroup, Slot
from annotation.protocols.fault_words import error_words, of_field, quoted
from annotation.protocols.kinds import Field, ShapeError
from annotation.protocols.kinds.field import listed
from annotation.protocols.protocol import Protocol, texts_at
from annotation.protocols.shapes import tried

TYPED = 'É"\\Zoé'
"""What JSON writes otherwise than it is."""
_ESCAPED = {json.dumps(TYPED)[1:-1], json.dumps(TYPED, ensure_ascii=False)[1:-1]}
_FACTS = (
    PairFacts(40, 30),
    PairFacts(30, 30, is_identical=True),
    PairFacts(40, 30, is_other_language=True),
)
_OF_RATINGS = (
    *("value", "derivation", "bracket", "deductions", "crossing_policy", "crossing_answer"),
    "moved_from",
)
_MOST_SAMPLES = 60


def trial_faults(protocol: Protocol) -> Iterator[Wording]:
    """What goes wrong with answers by this protocol, which is sound otherwise."""
    samples: dict[str, list[Any]] = {}
    for f in protocol.fields:
        yield from tried(partial(_sampled, f, samples), partial(_untried, f.name))
    if len(samples) < len(protocol.fields):
        return
    base = {name: values[0] for name, values in samples.items()}
    faults = [
        fault
        for f in protocol.fields
        for value in (*samples[f.name], f.empty)
        for fault in _kind_faults(protocol, f, base | {f.name: value})
    ]
    for f in protocol.fields:
        faults += [of_field(f.name, fault) for fault in _free_faults(protocol, f, base)]
    faults += _rule_faults(protocol, samples)
    yield from dict.fromkeys(faults)


def _untried(name: str, error: Wording) -> Wording:
    return of_field(
        name,
        Wording(
            f"ne peut pas être essayé\u00a0: {error.fr}. Corrigez son schema, ou donnez-lui des "
            "samples",
            f"cannot be tried: {error.en}. Mend its schema, or give it samples",
        ),
    )


def _failed(french: str, english: str, error: Wording) -> Wording:
    return Wording(f"{french}\u00a0: {error.fr}", f"{english}: {error.en}")


# -- samples -----------------------------------------------------------------------------------


class _Unsampled(ValueError):
    """A field that describes no answer that it reads."""

    def __init__(self, words: Wording) -> None:
        super().__init__(words.en)
        self.words = words


def _sampled(f: Field, into: dict[str, list[Any]]) -> Iterator[Wording]:
    try:
        into[f.name] = _samples(f)
    except _Unsampled as error:
        yield _untried(f.name, Wording(error.words.fr, f"ValueError: {error.words.en}"))


def _samples(f: Field) -> list[Any]:
    """Answers that it reads, as it stores them. Raises ``_Unsampled`` where it reads none."""
    made = f.samples or _made(f.schema(), set(f.free_members), (f.name,))
    samples = []
    for sample in islice((_typed_in(f, sample) for sample in made), _MOST_SAMPLES):
        try:
            samples.append(f.clean(sample))
        except ShapeError as error:
            words = error_words(error)
            raise _Unsampled(
                Wording(
                    f"il ne lit pas {quoted(sample)}, que son schema décrit\u00a0: {words.fr}",
                    f"it does not read {sample!r}, which its schema describes: {words.en}",
                )
            ) from error
    if not samples:
        raise _Unsampled(
            Wording("son schema ne décrit aucune réponse", "its schema describes no answer")
        )
    return samples


def _typed_in(f: Field, sample: Any) -> Any:
    """The sample with what people may type wherever they may, if it is read so."""
    typed = sample
    for member in f.free_members:
        typed = _put(typed, member[1:])
    try:
        f.clean(typed)
    except ShapeError:
        return sample
    return typed


def _put(value: Any, way: tuple[str, ...]) -> Any:
    if not way:
        return TYPED if isinstance(value, str) else value
    if isinstance(value, list) and way[0] == "*":
        return [_put(inner, way[1:]) for inner in value]
    if isinstance(value, dict) and way[0] in value:
        return value | {way[0]: _put(value[way[0]], way[1:])}
    return value


def _made(schema: Mapping[str, Any], free: set[tuple[str, ...]], way: tuple[str, ...]) -> list[Any]:
    """Values that a JSON schema describes, as different as it allows in few."""
    if "enum" in schema:
        return [value for value in schema["enum"] if value not in (None, "")] or [*schema["enum"]]
    kinds = schema.get("type")
    kind = next((k for k in kinds if k != "null"), "") if isinstance(kinds, list) else kinds
    match kind:
        case "boolean":
            return [True]
        case "integer" | "number":
            lowest = schema.get("minimum", 0)
            return [*dict.fromkeys((lowest, schema.get("maximum", lowest)))]
        case "string":
            text = TYPED if way in free else "a" * max(1, schema.get("minLength", 1))
            return [text[: schema.get("maxLength")]]
        case "array":
            return [[value] for value in _made(schema["items"], free, (*way, "*"))]
        case "object":
            each = {
                name: _made(inner, free, (*way, name))
                for name, inner in schema.get("properties", {}).items()
            }
            first = {name: values[0] for name, values in each.items()}
            others = [first | {n: v} for n, values in each.items() for v in values[1:]]
            return [first, *others]
    raise _Unsampled(
        Wording(
            f"rien ne peut être fait du schema {dict(schema)!r}",
            f"nothing is made of the schema {dict(schema)!r}",
        )
    )


# -- what a kind stores, gives back and exports --------------------------------------------------


def _kind_faults(protocol: Protocol, f: Field, answers: Answers) -> Iterator[Wording]:
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
        failed = partial(
            _failed,
            f"échoue sur la réponse {answer} ({name})",
            f"fails on the answer {shown} ({name})",
        )
        yield from (of_field(f.name, fault) for fault in tried(step, failed))


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
            yield from _cell_faults(column, cell)
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
        f.take(given, _FACTS[0], rulings, stored)
    except ShapeError as error:
        yield _failed(
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
        yield _failed(
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


def _cell_faults(column: Column, cell: Any) -> Iterator[Wording]:
    """What people typed and no redaction would find."""
    if not isinstance(cell, str):
        return
    if column.kind == "json":
        value, named = json.loads(cell), bool(column.free) and not column.free_under
        hidden = [*_unnamed(value, frozenset(column.free_under), is_named=named)]
    else:
        is_hidden = any(escaped in cell for escaped in _ESCAPED) or (
            TYPED in cell and not column.free
        )
        hidden = [cell] if is_hidden else []
    if hidden:
        yield Wording(
            f"a une colonne {quoted(column.name)} avec ce que les gens écrivent, là où rien ne le "
            "trouve pour le masquer\u00a0: dites-le dans la colonne (free, free_under), et "
            "écrivez-le tel quel",
            f"has a column {column.name!r} with what people type where no redaction finds it: say "
            "so in the column (free, free_under), and write it as it is",
        )


def _unnamed(value: Any, names: frozenset[str], *, is_named: bool) -> Iterator[str]:
    if isinstance(value, str):
        is_hidden = any(escaped in value for escaped in _ESCAPED) or (
            TYPED in value and not is_named
        )
        if is_hidden:
            yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _unnamed(inner, names, is_named=is_named)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _unnamed(inner, names, is_named=is_named or name in names)


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
    for facts in _FACTS:
        f.problems(answers, facts, rulings)
    is_asked_for = f.required and (f.shown_when is not None or not f.dimensions)
    if (is_asked_for or f.required_when is not None) and not f.stored_with:
        f.evidence(None)


def _free_faults(protocol: Protocol, f: Field, answers: Answers) -> Iterator[Wording]:
    """Free text that no redaction or erasure would find."""
    covered = {member for column in protocol.free_columns for member in column.free}
    parts = Parts()
    f.store(answers, protocol.clean_rulings({}), parts)
    stored = [*parts.sides.values(), *(mark.note for mark in parts.marks)]
    for member in f.free_members:
        called = ".".join(member)
        if member not in covered:
            yield Wording(
                f"laisse écrire à {called}, qu'aucune colonne exportée ne couvre\u00a0: donnez "
                "free=(…) à la colonne qui le contient",
                f"lets people write at {called}, which no exported column covers: give the column "
                "that holds it free=(…)",
            )
        texts = [*texts_at(answers, member)]
        if not texts:
            yield Wording(
                f"laisse écrire à {called}, où ses samples n'ont pas de texte",
                f"lets people write at {called}, where its samples have no text",
            )
        if not all(any(text in kept for kept in stored) for text in texts):
            yield Wording(
                f"n'enregistre pas tel quel ce qui s'écrit à {called}\u00a0: un effacement ne le "
                "trouverait pas. Enregistrez-le comme un side à part",
                f"does not store what people write at {called} as it is: an erasure would not find "
                "it. Store it as a side of its own",
            )
    if any(escaped in kept for escaped in _ESCAPED for kept in stored):
        yield Wording(
            "enregistre dans du JSON ce que les gens écrivent, où un effacement ne le trouverait "
            "pas. Enregistrez-le comme un side à part",
            "stores what people write inside JSON, where an erasure would not find it. Store it as "
            "a side of its own",
        )


# -- rules across fields ------------------------------------------------------------------------


def _rule_faults(protocol: Protocol, samples: Mapping[str, list[Any]]) -> Iterator[Wording]:
    """What its functions say of no answers, and of the samples of each field."""
    base = {name: values[0] for name, values in samples.items()}
    each = [base | {name: value} for name, values in samples.items() for value in values]
    for rulings in _ruled(protocol):
        yield from tried(
            partial(_hint_faults, protocol, rulings),
            partial(_failed, "ses hints échouent", "its hints fail"),
        )
        for answers in (protocol.empty_answers(), *each):
            for facts in _FACTS:
                yield from _rules_of(protocol, answers, facts, rulings)


def _hint_faults(protocol: Protocol, rulings: Rulings) -> Iterator[Wording]:
    hints = protocol.judge.hints(rulings)
    if isinstance(hints, str) or not all(isinstance(hint, str) for hint in hints):
        yield Wording(
            "ses hints aux modèles ne sont pas des textes", "its hints to models are no texts"
        )


def _rules_of(
    protocol: Protocol, answers: Answers, facts: PairFacts, rulings: Rulings
) -> Iterator[Wording]:
    is_empty = answers == protocol.empty_answers()
    shown = (
        Wording("sans aucune réponse", "on no answers")
        if is_empty
        else Wording("sur des réponses d'essai", "on sample answers")
    )
    names = {f.name for f in protocol.fields}

    def rule_faults() -> Iterator[Wording]:
        for problem in protocol.rules(dict(answers), facts, rulings):
            if not isinstance(problem, Problem) or not isinstance(problem.message, Wording):
                yield Wording(
                    f"ses rules disent {quoted(problem)}\u00a0: elles disent un Problem(field, "
                    "code, Wording(fr, en))",
                    f"its rules say {problem!r}: they say a Problem(field, code, Wording(fr, en))",
                )
            elif problem.field.split(".")[0] not in names:
                yield Wording(
                    f"ses rules nomment {quoted(problem.field)}, qui n'est pas l'un de ses champs",
                    f"its rules name {problem.field!r}, which is no field of it",
                )

    def finding_faults() -> Iterator[Wording]:
        finding = protocol.finding(dict(answers), facts)
        if finding is not None and not isinstance(finding, Wording):
            yield Wording(
                f"son finding dit {quoted(finding)}\u00a0: il dit un Wording(fr, en), ou None",
                f"its finding says {finding!r}: it says a Wording(fr, en), or None",
            )

    yield from tried(
        rule_faults,
        partial(_failed, f"ses rules échouent {shown.fr}", f"its rules fail {shown.en}"),
    )
    yield from tried(
        finding_faults,
        partial(_failed, f"son finding échoue {shown.fr}", f"its finding fails {shown.en}"),
    )


def _ruled(protocol: Protocol) -> Iterator[Rulings]:
    """The default rulings, and each in every way that a study may decide it."""
    default = protocol.clean_rulings({})
    yield default
    for ruling in protocol.rulings:
        for word in [word for word, _label in ruling.options] or (True, False):
            yield default | {ruling.name: word}
