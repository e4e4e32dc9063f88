"""Dimensions of a protocol, and what it says of some that it does not have. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from annotation.protocols.base import Dimension, Level, Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.protocol import Expectation, Protocol
from annotation.protocols.validity.naming import known_dimensions, twice

CONTROLS = ("identical", "unrelated")
"""The kinds of control pair that there are."""
MOST_DIMENSIONS = 40
"""SQLite joins 64 tables at most, and agreement reads a judgment's dimensions in one query."""
NO_DIMENSION = Wording("qui n'est pas l'une de ses dimensions", "which is no dimension of it")


def scale_faults(protocol: Protocol) -> Iterator[Wording]:
    """What is wrong with its dimensions taken together."""
    scales = known_dimensions(protocol)
    yield from twice(Wording("la dimension", "dimension"), (scale.name for scale in scales))
    if len(scales) > MOST_DIMENSIONS:
        yield Wording(
            f"il évalue {len(scales)} dimensions\u00a0: {MOST_DIMENSIONS} peuvent être lues à la "
            "fois",
            f"it rates {len(scales)} dimensions: {MOST_DIMENSIONS} can be read at once",
        )
    if not scales:
        yield Wording(
            "il n'a pas de dimension\u00a0: rien ne serait évalué",
            "it has no dimension: nothing would be rated",
        )
    elif not any(dimension.required for dimension in scales):
        yield Wording(
            "aucune de ses dimensions n'est toujours évaluée\u00a0: un jugement pourrait être vide",
            "no dimension of it is always rated: a judgment could be empty",
        )


def said_faults(protocol: Protocol) -> Iterator[Wording]:
    """What it says of dimensions that it does not have."""
    scales = known_dimensions(protocol)
    names = {dimension.name for dimension in scales}
    nominal = {dimension.name for dimension in scales if dimension.level == Level.NOMINAL}
    for name in set(protocol.classified or ()) - nominal:
        yield Wording(
            f"il classe les paires par {quoted(name)}, qui n'est pas l'une de ses dimensions "
            "nominales",
            f"it classifies pairs by {name!r}, which is no nominal dimension of it",
        )
    for name in set(protocol.about.notes) - names:
        yield Wording(
            f"il dit quelque chose de {quoted(name)}, {NO_DIMENSION.fr}",
            f"it says something of {name!r}, {NO_DIMENSION.en}",
        )
    for name in set(protocol.about.quality) - names:
        yield Wording(
            f"il dit la qualité de {quoted(name)}, {NO_DIMENSION.fr}",
            f"it tells the quality of {name!r}, {NO_DIMENSION.en}",
        )
    yield from _taken_faults(protocol, names)
    for kind, expected in protocol.controls.items():
        yield from _control_faults(kind, expected, scales)


def _taken_faults(protocol: Protocol, names: Collection[str]) -> Iterator[Wording]:
    for taken in protocol.imported:
        for name in (taken,) if isinstance(taken, str) else taken:
            if name not in names:
                yield Wording(
                    f"il prend dans des fichiers {quoted(name)}, {NO_DIMENSION.fr}",
                    f"it takes {name!r} from files, {NO_DIMENSION.en}",
                )
        if not taken:
            yield Wording(
                "il prend dans des fichiers l'une d'aucune dimension\u00a0: nommez celles qui "
                "conviendraient",
                "it takes one of no dimensions from files: name those that would do",
            )


def _control_faults(
    kind: str, expected: Collection[Expectation], scales: Collection[Dimension]
) -> Iterator[Wording]:
    if kind not in CONTROLS:
        yield Wording(
            f"il attend quelque chose de paires {quoted(kind)}\u00a0: elles sont "
            f"{' ou '.join(CONTROLS)}",
            f"it expects something of {kind!r} pairs: they are {' or '.join(CONTROLS)}",
        )
    for expectation in expected:
        name = expectation.dimension
        scale = next((dimension for dimension in scales if dimension.name == name), None)
        if scale is None:
            yield Wording(
                f"il attend de paires {quoted(kind)} une dimension {quoted(name)}, qui n'est pas "
                "l'une des siennes",
                f"it expects of {kind} pairs {name!r}, no dimension of it",
            )
        else:
            yield from _expected_faults(kind, expectation, scale)


def _expected_faults(kind: str, expectation: Expectation, scale: Dimension) -> Iterator[Wording]:
    name = expectation.dimension
    french = f"il attend de paires {quoted(kind)} un {quoted(name)}"
    english = f"it expects of {kind} pairs a {name!r}"
    ranges = [
        (expectation.lowest, expectation.highest),
        *([expectation.strictly] if expectation.strictly else []),
    ]
    for lowest, highest in ranges:
        bottom, top = scale.scale[0], scale.scale[-1]
        if lowest > highest or not any(lowest <= value <= highest for value in scale.scale):
            yield Wording(
                f"{french} que personne ne peut donner", f"{english} that nobody can give"
            )
        elif lowest < bottom or highest > top:
            yield Wording(
                f"{french} de {lowest} à {highest}, qui sort de son échelle, {bottom}…{top}",
                f"{english} from {lowest} to {highest}, which leaves its scale, {bottom}…{top}",
            )
