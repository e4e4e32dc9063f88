"""What people write freely, tried: whether a redaction and an erasure would find it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from annotation.protocols.base import Answers, Parts, Wording
from annotation.protocols.columns import Column
from annotation.protocols.fault_words import quoted
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol, texts_at
from annotation.protocols.trials.samples import TYPED

_ESCAPED = {json.dumps(TYPED)[1:-1], json.dumps(TYPED, ensure_ascii=False)[1:-1]}


def cell_faults(column: Column, cell: Any) -> Iterator[Wording]:
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


def free_faults(protocol: Protocol, f: Field, answers: Answers) -> Iterator[Wording]:
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
