"""What a kind of ours is given and cannot work with. Said of the field. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from annotation.protocols.base import Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.kinds import Choices, Edits, Field, Keyword, Marks, Text
from annotation.protocols.kinds.edit_rules import SIDES_OF_OPERATIONS
from annotation.protocols.validity.naming import NAME, is_unsaid

_OPERATION = Wording("l'opération", "operation")
_GROUP, _SEVERITY = Wording("le groupe", "group"), Wording("la gravité", "severity")


def parameter_faults(f: Field) -> Iterator[Wording]:
    """What is wrong with its parameters."""
    if isinstance(f, Keyword):
        yield from _keyword_faults(f)
    if isinstance(f, Text) and f.max_length < 1:
        yield Wording(
            f"a max_length={f.max_length}\u00a0: personne ne pourrait rien écrire",
            f"has max_length={f.max_length}: nobody could write anything",
        )
    if isinstance(f, Marks) and (f.max_errors < 1 or f.max_note < 1):
        yield Wording(
            "n'a pas de place pour une marque ou sa note\u00a0: max_errors et max_note valent 1 ou "
            "plus",
            "has no room for a mark or its note: max_errors and max_note are 1 or more",
        )
    if isinstance(f, Choices) and any(option.value == 0 for option in f.options):
        yield Wording(
            "a une option de valeur 0, dont le raccourci dit «\u00a0aucune de "
            "celles-ci\u00a0»\u00a0: numérotez-les à partir de 1",
            "has an option of value 0, whose key says “none of these”: number them from 1",
        )
    if isinstance(f, Edits):
        yield from _edits_faults(f)


def _keyword_faults(f: Keyword) -> Iterator[Wording]:
    if "" in f.allowed:
        yield Wording(
            f"permet {quoted('')}, qui dit que rien n'a été répondu\u00a0: retirez-le de allowed",
            "allows '', which says that nothing was answered: take it out of allowed",
        )
    if len(set(f.allowed)) != len(f.allowed):
        yield Wording("permet deux fois le même mot", "allows a word twice")
    if (said := len(f.words)) > (allowed := len(f.allowed)):
        yield Wording(
            f"a {said} words pour {allowed} qu'il permet",
            f"has {said} words for {allowed} that it allows",
        )
    if any(map(is_unsaid, f.words)):
        yield Wording("a un mot sans texte en français", "has a word without a French text")


def _edits_faults(f: Edits) -> Iterator[Wording]:
    """The operations of a kind that takes their names from published data, capitals included."""
    if f.max_edits < 1 or f.max_note < 1:
        yield Wording(
            "n'a pas de place pour une opération ou sa note\u00a0: max_edits et max_note valent 1 "
            "ou plus",
            "has no room for an edit or its note: max_edits and max_note are 1 or more",
        )
    operations = [operation for group in f.operations for operation in group.operations]
    for group in f.operations:
        if not group.operations:
            yield Wording(
                f"a un groupe {quoted(group.key)} sans opérations",
                f"has a group {group.key!r} without operations",
            )
    for operation in operations:
        if operation.side not in SIDES_OF_OPERATIONS:
            key, side, known = operation.key, operation.side, ", ".join(SIDES_OF_OPERATIONS)
            yield Wording(
                f"marque {quoted(key)} du côté {quoted(side)}, qui n'en est pas un\u00a0: il y a "
                f"{known}",
                f"marks {key!r} on the side {side!r}, which is none: there are {known}",
            )
    for what, named in (
        *((_OPERATION, operations), (_GROUP, f.operations), (_SEVERITY, f.severities)),
    ):
        yield from _name_faults(what, [(part.key, part.label) for part in named])


def _name_faults(what: Wording, named: Sequence[tuple[str, Wording]]) -> Iterator[Wording]:
    for key, number in Counter(key.lower() for key, _label in named).items():
        if number > 1:
            yield Wording(
                f"a {number} fois {what.fr} {quoted(key)}, majuscules ou non",
                f"has the {what.en} {key!r} {number} times, whatever its capitals",
            )
    for key, label in named:
        if not NAME.fullmatch(key.lower()):
            yield Wording(
                f"a {what.fr} {quoted(key)}, qui n'est pas un nom\u00a0: lettres sans accent, "
                "chiffres et «\u00a0_\u00a0», 40 au plus",
                f"has the {what.en} {key!r}, which is no name: letters, digits and “_”, 40 at most",
            )
        if is_unsaid(label):
            yield Wording(
                f"a {what.fr} {quoted(key)} sans libellé en français",
                f"has the {what.en} {key!r} without a French label",
            )
