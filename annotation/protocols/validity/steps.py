"""Steps of a protocol, the texts that they show and the panels of these. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotation.protocols.base import Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, Protocol, Step
from annotation.protocols.validity.naming import FORTY, NAME, is_choiceless, is_unsaid, twice

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def step_faults(protocol: Protocol) -> Iterator[Wording]:
    """What is wrong with its steps and panels."""
    if not protocol.steps:
        yield Wording("il n'a pas d'étape", "it has no step")
    yield from twice(Wording("l'étape", "step"), (step.key for step in protocol.steps))
    for step in protocol.steps:
        yield from _faults_of(step)
        for side in set(step.sides) - {panel.side for panel in protocol.panels}:
            yield Wording(
                f"son étape {quoted(step.key)} montre {quoted(side)}, pour lequel il n'a pas de "
                "panneau",
                f"its step {step.key!r} shows {side!r}, for which it has no panel",
            )
    yield from _panel_faults(protocol)


def _faults_of(step: Step) -> Iterator[Wording]:
    french, english = f"son étape {quoted(step.key)}", f"its step {step.key!r}"
    if not step.fields:
        yield Wording(f"{french} n'a pas de champ", f"{english} has no field")
    if not NAME.fullmatch(step.key):
        yield Wording(
            f"{french} n'a pas un nom permis\u00a0: {FORTY.fr}", f"{english} is no name: {FORTY.en}"
        )
    if is_unsaid(step.question):
        yield Wording(f"{french} ne demande rien en français", f"{english} asks nothing in French")
    beside = Wording(f"le texte à côté de {french},", f"text beside {english},")
    yield from twice(beside, step.sides)
    rated = [f for f in step.fields if not is_choiceless(f) and (f.dimensions or f.marks)]
    if rated and not step.sides:
        yield Wording(
            f"{french} fait évaluer des textes et n'en montre aucun\u00a0: nommez "
            f"{quoted(ORIGINAL)}, {quoted(SIMPLIFICATION)} ou les deux dans ses sides",
            f"{english} rates texts and shows none: name {ORIGINAL!r}, {SIMPLIFICATION!r} or both "
            "in its sides",
        )


def _panel_faults(protocol: Protocol) -> Iterator[Wording]:
    yield from twice(Wording("le panneau", "panel"), (panel.side for panel in protocol.panels))
    for panel in protocol.panels:
        french, english = f"son panneau {quoted(panel.side)}", f"its panel {panel.side!r}"
        if panel.side not in (ORIGINAL, SIMPLIFICATION):
            yield Wording(
                f"{french} n'est ni {quoted(ORIGINAL)} ni {quoted(SIMPLIFICATION)}",
                f"{english} is neither {ORIGINAL!r} nor {SIMPLIFICATION!r}",
            )
        if panel.language and not LANGUAGE.fullmatch(panel.language):
            yield Wording(
                f"{french} est en {quoted(panel.language)}, qui n'est pas un code de langue\u00a0: "
                f"{quoted('fr')}, {quoted('en-CA')}, ou {quoted('')} pour des textes de toute "
                "langue",
                f"{english} is in {panel.language!r}, no code of a language: 'fr', 'en-CA', or '' "
                "for texts in any",
            )
