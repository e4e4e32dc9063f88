"""Three Likert scales and nothing else: no field of FrJUDGE's, and none of its kinds. Of the last,
lower is better."""

from __future__ import annotations

from annotation.protocols.base import Better, Option, Wording
from annotation.protocols.kinds import Scale
from annotation.protocols.protocol import Protocol, Step


def levels(number: int) -> tuple[Option, ...]:
    return tuple(
        Option(value, f"level_{value}", Wording(f"niveau {value}", f"level {value}"))
        for value in range(1, number + 1)
    )


def step(name: str, fr: str, en: str, number: int, better: Better = Better.HIGHER) -> Step:
    scale = Scale(name, label=Wording(fr, en), options=levels(number), required=True, better=better)
    return Step(name, Wording(f"{fr}?", f"{en}?"), (scale,))


PROTOCOL = Protocol(
    key="plain",
    version="2.0",
    title=Wording("Trois échelles", "Three scales"),
    steps=(
        step("clarity", "Clarté", "Clarity", 3),
        step("adequacy", "Justesse", "Adequacy", 5),
        step("style", "Style", "Style", 7, Better.LOWER),
    ),
)
