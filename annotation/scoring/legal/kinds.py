"""What a change of a text does to its law, and where it is made."""

from __future__ import annotations

from enum import StrEnum

from annotation.protocols.base import Wording

PROBE_FORMAT = "bareme-probe/2"
"""Of the probe's report. Here, so that whoever shows one need not load the rules of changes."""


class Change(StrEnum):
    """Edits, which change the law, then twins, which keep it."""

    NUMBER = "number"
    DEADLINE = "deadline"
    NEGATION = "negation"
    PARTY = "party"
    MODAL = "modal"
    AND_OR = "and_or"
    ONLY = "only"
    NONE = "none"
    EXCEPTION = "exception"
    OBJECT = "object"
    UNIT = "unit"
    SYNONYM = "synonym"
    VOICE = "voice"
    ORDER = "order"
    PUNCTUATION = "punctuation"

    @property
    def is_twin(self) -> bool:
        """Whether the text says the same law after it."""
        return self in TWINS


TWINS = frozenset((Change.UNIT, Change.SYNONYM, Change.VOICE, Change.ORDER, Change.PUNCTUATION))


class Place(StrEnum):
    """Which text is changed; it is always held against the original."""

    IDENTICAL = "identical"
    """A copy of the original."""
    SIMPLIFICATION = "simplification"
    """A simplification that somebody or something really wrote."""


CHANGE_WORDING: dict[Change, Wording] = {
    Change.NUMBER: Wording("Nombre ou montant changé", "Number or amount changed"),
    Change.DEADLINE: Wording("Délai, durée ou âge changé", "Deadline, duration or age changed"),
    Change.NEGATION: Wording("Négation ajoutée ou supprimée", "Negation added or dropped"),
    Change.PARTY: Wording("Parties échangées", "Parties swapped"),
    Change.MODAL: Wording(
        "« doit » devenu « peut », ou l'inverse", "“must” turned into “may”, or the reverse"
    ),
    Change.AND_OR: Wording(
        "« et » devenu « ou », ou l'inverse, sous une condition ou une obligation",
        "“and” turned into “or”, or the reverse, under a condition or a duty",
    ),
    Change.ONLY: Wording("« seulement » supprimé", "“only” dropped"),
    Change.NONE: Wording("« aucun » devenu « tout », ou l'inverse", "“no” turned into “any”"),
    Change.EXCEPTION: Wording("Exception supprimée", "Exception removed"),
    Change.OBJECT: Wording("Objet remplacé par un autre", "Object swapped for another"),
    Change.UNIT: Wording(
        "Même quantité, autre unité ou autre écriture", "Same quantity, other unit or spelling"
    ),
    Change.SYNONYM: Wording("Synonyme", "Synonym"),
    Change.VOICE: Wording("Actif devenu passif, ou l'inverse", "Active turned passive, or reverse"),
    Change.ORDER: Wording("Autre ordre", "Another order"),
    Change.PUNCTUATION: Wording("Autre ponctuation", "Other punctuation"),
}
PLACE_WORDING: dict[Place, Wording] = {
    Place.IDENTICAL: Wording("Dans une copie de l'original", "In a copy of the original"),
    Place.SIMPLIFICATION: Wording("Dans une vraie simplification", "Inside a real simplification"),
}
