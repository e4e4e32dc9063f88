"""Which column of a long table holds what of a judgment: found out by names, checked where
chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.corpus.columns import FIELDS, guess_mapping, plain
from annotation.corpus.problems import TableError
from annotation.corpus.tables import Table, check_places
from annotation.protocols.base import NO_WORDING, Wording
from annotation.protocols.columns import Slot
from annotation.protocols.protocol import Protocol

ANNOTATOR = "annotator"
ANNOTATOR_LABEL = Wording("Qui a jugé", "Who judged")
_NEEDED: dict[str, Wording] = {
    "original": FIELDS["original"],
    "simplification": FIELDS["simplification"],
    ANNOTATOR: ANNOTATOR_LABEL,
}
_ANNOTATORS = frozenset(
    (
        *("annotator", "annotators", "annotateur", "annotatrice", "annotateur rice"),
        *("annotator id", "judge", "judges", "juge", "rater", "rater id", "worker", "worker id"),
        *("coder", "codeur", "user", "user id", "username", "utilisateur", "session id"),
        *("evaluator", "evaluateur", "completed by", "participant", "qui"),
    )
)
_TEXTS = ("original", "simplification")
_CHOOSE = Wording(
    "Choisissez-en une, ou n'importez que les paires.", "Choose one, or import the pairs only."
)
_CHOOSE_ONE = Wording("Choisissez-en une.", "Choose one.")
"""Of the original: the pairs alone cannot do without it either."""
_MARKS = frozenset(("spans", "entities", "marks", "marques"))


def labels_of(protocol: Protocol) -> dict[str, Wording]:
    """What each field and slot that a column may be chosen for is called, in order."""
    return {
        **FIELDS,
        ANNOTATOR: ANNOTATOR_LABEL,
        **{slot.name: slot.label for slot in protocol.slots},
    }


def guess_judged(columns: Sequence[str], protocol: Protocol) -> dict[str, int]:
    """Columns by field and slot, as their names suggest; each at most once."""
    mapping: dict[str, int] = {}
    named = [
        (place, plain(name), plain(name.rsplit(".", 1)[-1])) for place, name in enumerate(columns)
    ]
    for slot in protocol.slots:
        _find(mapping, slot.name, named, _names_of(slot))
    _find(mapping, ANNOTATOR, named, _ANNOTATORS)
    taken = set(mapping.values())
    # A column whose name is a way of names stands for the last of them.
    ends = ["" if place in taken else name.rsplit(".", 1)[-1] for place, name in enumerate(columns)]
    pairs = guess_mapping(ends)
    return {name: pairs.get(name, mapping.get(name, -1)) for name in labels_of(protocol)
            if name in pairs or name in mapping}  # fmt: skip


def is_judged(mapping: Mapping[str, int], protocol: Protocol) -> bool:
    """Whether these columns are those of judgments, by what their names suggest."""
    rated = {slot.name for slot in protocol.slots if slot.options or slot.scale}
    return ANNOTATOR in mapping and "simplification" in mapping and bool(rated & set(mapping))


def check_judged(
    table: Table, mapping: Mapping[str, int], protocol: Protocol, beside: Wording = NO_WORDING
) -> None:
    """Raises ``TableError`` where no column is chosen for what a judgment cannot do without, one is
    chosen twice, or is none of the table's. ``beside``: see ``Peer``."""
    needed = _NEEDED | _lacking(mapping, protocol)
    for name, label in needed.items():
        if name not in mapping:
            raise TableError(
                "unmapped",
                Wording(
                    f"Aucune colonne n'est choisie pour « {label.fr} ».",
                    f"No column is chosen for “{label.en}”.",
                ),
                _remedy(name, beside),
                field=name,
            )
    check_places(table, mapping)


def _remedy(name: str, beside: Wording) -> Wording:
    if name in _TEXTS and beside != NO_WORDING:
        return beside
    return _CHOOSE_ONE if name == "original" else _CHOOSE


def _lacking(mapping: Mapping[str, int], protocol: Protocol) -> dict[str, Wording]:
    """The slots that columns are still to be chosen for, in the order of the questions, each as it
    is called; of fields of which one will do, the first, called as all of them."""
    labels = labels_of(protocol)
    needed = [[protocol.field_of(name) for name in names] for names in protocol.needed]
    required = {fields[0].name for fields in needed if len(fields) == 1}
    lacking = {}
    for field in protocol.fields:
        chosen = any(slot.name in mapping for slot in field.slots())
        if (field.name in required or chosen) and (slot := field.lacking(mapping)):
            lacking[slot] = labels[slot]
    for fields in needed:
        slots = [field.lacking(mapping) for field in fields]
        if all(slots) and not lacking.keys() & {*slots}:
            lacking[slots[0]] = one_of([labels[slot] for slot in slots])
    return lacking


def one_of(labels: Sequence[Wording]) -> Wording:
    """Several as they are called where one of them will do, for the inside of quotation marks."""
    *most, last = labels
    if not most:
        return last
    return Wording(
        " », « ".join(label.fr for label in most) + f" » ou « {last.fr}",
        "”, “".join(label.en for label in most) + f"” or “{last.en}",
    )


def _names_of(slot: Slot) -> frozenset[str]:
    own = {plain(slot.name), plain(slot.label.fr), plain(slot.label.en)} - {""}
    return frozenset(own | (_MARKS if slot.is_marks else set()))


def _find(
    mapping: dict[str, int],
    name: str,
    named: Sequence[tuple[int, str, str]],
    names: frozenset[str],
) -> None:
    """The column whose name is the slot's own; else the first that is called so otherwise."""
    free = [column for column in named if column[0] not in mapping.values()]
    exact = [place for place, whole, _end in free if whole == plain(name)]
    looser = [place for place, whole, end in free if whole in names or end in names]
    if places := exact or looser:
        mapping[name] = places[0]
