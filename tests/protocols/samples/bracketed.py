"""A bracket and marks that take points off, and no more: no ruling, and no question about a score
below its bracket."""

from __future__ import annotations

from annotation.protocols.base import Option, Wording
from annotation.protocols.kinds import Bracket, BracketedScale, Marks
from annotation.protocols.protocol import Protocol, Step

BRACKETS = (
    Bracket(1, "lost", 1, 3, Wording("Perdu (1-3)", "Lost (1-3)"), Wording("Perdu", "Lost")),
    Bracket(2, "kept", 4, 10, Wording("Gardé (4-10)", "Kept (4-10)"), Wording("Gardé", "Kept")),
)
SLIPS = (
    Option(1, "word", Wording("mot", "word")),
    Option(2, "rule", Wording("règle", "rule")),
)

PROTOCOL = Protocol(
    key="bracketed",
    version="1",
    title=Wording("Une fourchette", "A bracket"),
    steps=(
        Step(
            "law",
            Wording("Que reste-t-il du droit?", "What is left of the law?"),
            (
                BracketedScale(
                    "band",
                    label=Wording("Fourchette", "Band"),
                    brackets=BRACKETS,
                    dimension_name="law",
                    required=True,
                    deducts="slips",
                ),
                Marks("slips", label=Wording("Fautes", "Slips"), types=SLIPS),
            ),
        ),
    ),
)
