"""Edits on both texts, of twenty-six operations in six groups, in a protocol that no test
publishes unless it asks for it."""

from __future__ import annotations

from typing import Any

from annotation.protocols.base import Option, Wording
from annotation.protocols.kinds import Edits, Operation, OperationGroup, Refusals
from annotation.protocols.protocol import Protocol, Step

# Group, side, and the operations in it.
TOLD = (
    ("Insertions", "simplification", ("mot inséré", "exemple", "définition", "lien logique")),
    ("Deletions", "original", ("mot supprimé", "incise ôtée", "référence ôtée", "doublon ôté")),
    ("Moves", "both", ("mot déplacé", "proposition déplacée", "phrase déplacée")),
    (
        "Substitutions",
        "both",
        (
            "synonyme",
            "hyperonyme",
            "hyponyme",
            "pronom repris",
            "nombre récrit",
            "temps du verbe",
            "nom en verbe",
            "négation tournée",
            "périphrase",
        ),
    ),
    ("Complex", "either", ("division", "fusion", "voix", "reformulation", "ponctuation")),
    ("Errors", "pair", ("simplification erronée",)),
)


def groups() -> tuple[OperationGroup, ...]:
    places = iter(range(1, 100))
    return tuple(
        OperationGroup(
            label.lower(),
            Wording(label, label),
            tuple(
                Operation(
                    place,
                    f"op{place}",
                    Wording(name, name),
                    Wording(f"Ce que veut dire « {name} ».", f"What “{name}” means."),
                    side=side,
                )
                for name, place in zip(names, places, strict=False)
            ),
        )
        for label, side, names in TOLD
    )


def asking(**options: Any) -> Protocol:
    """A protocol whose only question is the edits; where they name ``refused``, with a field for
    that."""
    edits = Edits(
        "edits",
        label=Wording("Opérations", "Edits"),
        operations=groups(),
        required=True,
        **options,
    )
    kept = tuple(
        Refusals(name, label=Wording("Suggestions refusées", "Suggestions refused"))
        for name in filter(None, [edits.refused])
    )
    return Protocol(
        key="marked",
        version="1",
        title=Wording("Opérations marquées", "Edits marked"),
        steps=(
            Step("edits", Wording("Qu'est-ce qui a changé?", "What has changed?"), (edits, *kept)),
        ),
    )


SEVERITIES = (
    Option(1, "slight", Wording("léger", "slight")),
    Option(2, "heavy", Wording("lourd", "heavy")),
)
PROTOCOL = asking(severities=SEVERITIES)
