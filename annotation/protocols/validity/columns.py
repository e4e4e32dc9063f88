"""What a protocol's answers are called where they are stored and published: no two alike, none as
what stands there anyway. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from annotation.protocols.base import Wording
from annotation.protocols.columns import (
    OF_MARKS,
    OF_PAIRS,
    OF_SEVERAL,
    READ_BY_EXPORTS,
    RESERVED,
    aggregated_names,
)
from annotation.protocols.fault_words import of_field, quoted
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.protocols.validity.naming import NAME, known_dimensions, known_fields, twice

OF_LANGUAGES = ("key", "fr", "en")
"""What tables add to the name of a dimension for the words of its values."""


def side_faults(protocol: Protocol) -> Iterator[Wording]:
    """Texts beside the ratings, by whose names exports read them."""
    beside = Wording("le texte à côté des évaluations,", "text beside the ratings,")
    yield from twice(beside, protocol.sides)
    for f in protocol.beside:
        for side in f.sides:
            yield from (of_field(f.name, fault) for fault in _faults_of_side(f, side))


def _faults_of_side(f: Field, side: str) -> Iterator[Wording]:
    if not NAME.fullmatch(side) or not (side == f.name or side.startswith(f"{f.name}_")):
        yield Wording(
            f"enregistre {quoted(side)}\u00a0: un side s'appelle comme son champ, ou {f.name}_ et "
            "une suite, 40 caractères au plus",
            f"stores {side!r}: a side is called as its field, or {f.name}_ and more, 40 characters "
            "at most",
        )
    if side in READ_BY_EXPORTS:
        yield Wording(
            f"enregistre {quoted(side)}, qu'un jugement a déjà lui-même\u00a0: renommez-le",
            f"stores {side!r}, as a judgment itself has: rename it",
        )


def column_faults(protocol: Protocol) -> Iterator[Wording]:
    """Two columns of one name: in a table one of them would hide the other."""
    yield from _exported_faults(protocol)
    yield from _derived_faults(protocol)
    known = known_fields(protocol)
    beside = [group for f in known if (group := f.beside_marks())]
    tables: dict[str, list[str]] = {
        "aggregated": [
            *OF_PAIRS,
            *(n for dimension in known_dimensions(protocol) for n in aggregated_names(dimension)),
        ],
        "wide": [compared.column.name for f in known for compared in f.compared()],
        "errors": [
            *(*OF_MARKS, *RESERVED),
            *([OF_SEVERAL] if len(protocol.marked) > 1 else []),
            *(c.name for group in beside for c in group.columns),
            *{c.name for f in known for c in f.mark_columns},
        ],
    }
    for table, names in tables.items():
        for name, number in Counter(names).items():
            if number > 1:
                yield Wording(
                    f"le tableau {quoted(table)} aurait {number} colonnes {quoted(name)}\u00a0: "
                    "renommez l'un des champs d'où elle vient",
                    f"the table {table!r} would have {number} columns {name!r}: rename one of the "
                    "fields that they come from",
                )


def _derived_faults(protocol: Protocol) -> Iterator[Wording]:
    """What tables call a figure of one dimension, and another field calls its answer."""
    known = known_fields(protocol)
    derived = {
        name: (f, dimension.name)
        for f in known
        for dimension in f.dimensions
        for name in (
            *aggregated_names(dimension),
            *(f"{dimension.name}_{word}" for word in OF_LANGUAGES),
        )
        if name != dimension.name
    }
    for f in known:
        for name in dict.fromkeys((f.name, *f.sides, *(d.name for d in f.dimensions))):
            of, dimension = derived.get(name, (f, ""))
            if of is not f and f.stored_with != of.name:
                words = Wording(
                    f"s'appelle {quoted(name)}, comme les tableaux appellent un chiffre ou les "
                    f"mots de {quoted(dimension)}\u00a0: appelez-le autrement",
                    f"is called {name!r}, as tables call a figure or the words of {dimension!r}: "
                    "call it otherwise",
                )
                yield of_field(f.name, words)


def _exported_faults(protocol: Protocol) -> Iterator[Wording]:
    names = []
    for f in known_fields(protocol):
        try:
            exported = f.export()
        except NotImplementedError:
            continue  # said of the field itself
        names += [c.name for c in exported.columns] if exported else []
    for fault in twice(Wording("la colonne exportée", "exported column"), names):
        yield Wording(
            f"{fault.fr}\u00a0: renommez l'un des champs d'où elle vient, ou dites par "
            "stored_with quel champ l'un d'eux précise",
            f"{fault.en}: rename one of the fields that they come from, or say with stored_with "
            "whom one qualifies",
        )
    for name in names:
        if name in RESERVED:
            yield Wording(
                f"il a une réponse appelée {quoted(name)}\u00a0: tout tableau exporté a une telle "
                "colonne",
                f"it has an answer called {name!r}: every exported table has such a column",
            )
