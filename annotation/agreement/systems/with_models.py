"""Systems on one dimension with the help of models that judged or scored every output, where people
judged a random part of the texts: each system's mean, every difference, and what each model is
off."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import (
    Counts,
    Drawn,
    Figure,
    counts_of,
    figure,
    rounded,
    undefined,
    wording_facts,
)
from annotation.agreement.systems.powered import Powered, powered_mean
from annotation.agreement.systems.table import Output, SystemRatings, counted, system_ratings
from annotation.agreement.table import FloatArray, Ratings
from annotation.protocols.base import Level, Wording

PEOPLE_LACK = Wording(
    "Pas de valeur\u00a0: sur les {outputs} simplifications tirées, {lacking} n'ont encore aucune "
    "réponse. Ce qui manque n'est pas dû au hasard.",
    "No value: of the {outputs} outputs drawn, {lacking} have no answer yet. What is missing is "
    "not missing by chance.",
)
MODEL_LACKS = Wording(
    "Pas de valeur\u00a0: ce modèle n'a pas jugé {lacking} des {outputs} simplifications. Relancez "
    "ce qui a échoué\u00a0: ce qui manque n'est pas dû au hasard.",
    "No value: this model did not judge {lacking} of the {outputs} outputs. Have it try again what "
    "failed: what is missing is not missing by chance.",
)
NO_TEXT = Wording(
    "Ces deux systèmes n'ont aucun texte original en commun.",
    "These two systems have no original text in common.",
)


@dataclass(frozen=True)
class Helper:
    """What a model that judges, a scorer or a metric says of every output, by unit, on the people's
    scale. ``signature``: how it was computed, "" where its name says all. ``lacks``: what is said
    where some outputs have no score. ``refused``: why nothing of it can be told, not even what it
    is off."""

    scores: Mapping[Hashable, float]
    signature: str = ""
    lacks: Wording = MODEL_LACKS
    refused: Wording | None = None


@dataclass(frozen=True)
class Voices:
    """Who judged on one dimension: ``people`` the drawn outputs, each of ``models`` (by name) all
    of them."""

    level: Level
    scale: tuple[float, ...]
    people: Ratings
    models: Mapping[str, Helper]


@dataclass(frozen=True)
class HelpedRow:
    """A system's mean, or where ``second`` is a system too the difference to it, over ``texts``
    that people judged and ``left`` that the model alone did. ``people`` alone, with the model
    (``helped``), and the model's own ``bias``; the rest as ``Powered`` has it.

    Of a text with several outputs those count that people judged and the model scored: what one of
    the two lacks would be told as what the model is off."""

    first: str
    second: str
    texts: int
    left: int
    people: Figure
    helped: Figure
    bias: Figure
    weight: float | None
    worth: float | None
    correlation: float | None
    undefined: Wording | None

    def as_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second or None,
            "texts_judged_by_people": self.texts,
            "texts_left_to_the_model": self.left,
            "people_alone": self.people.as_dict(),
            "with_the_model": self.helped.as_dict(),
            "bias_of_the_model": self.bias.as_dict(),
            "weight_of_the_model": rounded(self.weight),
            "worth_in_texts": rounded(self.worth),
            "correlation": rounded(self.correlation),
            "undefined": wording_facts(self.undefined),
        }


@dataclass(frozen=True)
class Helped:
    """Everything with the help of one model on one dimension."""

    model: str
    rows: tuple[HelpedRow, ...]
    signature: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "signature": self.signature or None,
            "rows": [row.as_dict() for row in self.rows],
        }


def with_models(
    voices: Voices,
    part: Sequence[Output],
    left: Sequence[Output],
    *,
    drawn: Drawn,
    refused: Wording | None = None,
) -> tuple[Helped, ...]:
    """One entry per model. ``part`` are the outputs that people were to judge, ``left`` all
    others. ``refused``: why the part is not drawn at random, and so helps nobody; a model's bias is
    told all the same, unless the model itself is refused. Empty for classes, which have no
    mean."""
    if voices.level == Level.NOMINAL:
        return ()
    systems = sorted({output.system for output in part if output.system})
    what = [*((system,) for system in systems), *combinations(systems, 2)]
    helped = []
    for name, helper in sorted(voices.models.items()):
        side = _Side(voices, helper, _Outputs(part, left), systems)
        rows = tuple(_row(side, names, drawn, refused) for names in what)
        helped.append(Helped(name, rows, helper.signature))
    return tuple(helped)


class _Outputs(NamedTuple):
    part: Sequence[Output]
    left: Sequence[Output]


class _Side:
    """People and one model, by system and source text."""

    def __init__(
        self, voices: Voices, model: Helper, outputs: _Outputs, systems: Sequence[str]
    ) -> None:
        self.outputs, self.raters, self.helper = outputs, voices.people.rater_ids, model
        every = [*outputs.part, *outputs.left]
        people = voices.people
        self.judged = {people.unit_ids[at] for at in np.unique(people.unit_index).tolist()}
        both = [output for output in every if output.unit in self.judged & model.scores.keys()]
        self.by_people = system_ratings(
            people.only_units(output.unit for output in both),
            every,
            level=voices.level,
            scale=voices.scale,
            systems=systems,
        )
        self.people = {name: _means(self.by_people, at) for at, name in enumerate(systems)}
        self.model = {name: _scored(model.scores, both, name) for name in systems}
        self.everywhere = {name: _scored(model.scores, every, name) for name in systems}

    def lacking(self, systems: Collection[str]) -> Wording | None:
        """Why these systems' figures would rest on a part that chance did not choose."""
        part, left = (
            [output.unit for output in side if output.system in systems] for side in self.outputs
        )
        for units, there, reason in (
            (part, self.judged, PEOPLE_LACK),
            ([*part, *left], self.helper.scores, self.helper.lacks),
        ):
            missing = sum(unit not in there for unit in units)
            if missing:
                return reason.format(outputs=len(units), lacking=missing)
        return None

    def counts(self, systems: Collection[str], texts: Collection[Hashable]) -> Counts:
        """What people's figures of these systems rest on."""
        table = self.by_people
        codes = [at for at, name in enumerate(table.systems) if name in systems]
        there = [at for at, text in enumerate(table.sources) if text in texts]
        kept = np.isin(table.system, codes) & np.isin(table.source, there)
        return counts_of(table.unit[kept], table.source[kept], table.rater[kept])


def _means(table: SystemRatings, system: int) -> dict[Hashable, float]:
    """By source text, the mean over the system's outputs, each counting the same."""
    at = table.of(system)
    units, unit = np.unique(table.unit[at], return_inverse=True)
    own = counted(unit, table.scale[table.place[at]], (len(units),)) / np.bincount(unit)
    source = np.zeros(len(units), dtype=np.int64)
    source[unit] = table.source[at]
    texts, text = np.unique(source, return_inverse=True)
    means = counted(text, own, (len(texts),)) / np.bincount(text)
    return {table.sources[code]: float(mean) for code, mean in zip(texts, means, strict=True)}


def _scored(
    scores: Mapping[Hashable, float], outputs: Sequence[Output], system: str
) -> dict[Hashable, float]:
    """By source text, the mean of what was said of the system's outputs."""
    of_text: dict[Hashable, list[float]] = {}
    for output in outputs:
        if output.system == system and output.unit in scores:
            of_text.setdefault(output.source, []).append(scores[output.unit])
    return {text: fsum(values) / len(values) for text, values in of_text.items()}


def _gaps(first: Mapping[Hashable, float], second: Mapping[Hashable, float]) -> dict[Any, float]:
    return {text: first[text] - second[text] for text in first if text in second}


def _row(side: _Side, names: tuple[str, ...], drawn: Drawn, refused: Wording | None) -> HelpedRow:
    people, model, everywhere = (
        _gaps(of[names[0]], of[names[1]]) if len(names) > 1 else of[names[0]]
        for of in (side.people, side.model, side.everywhere)
    )
    part_texts = {output.source for output in side.outputs.part if output.system in names}
    both = sorted(people, key=str)
    alone = sorted((text for text in everywhere if text not in part_texts), key=str)
    helper = side.helper
    reason = refused or helper.refused or side.lacking(names) or (None if both else NO_TEXT)
    powered = powered_mean(
        _array(people, both),
        _array(model, both),
        _array(everywhere, alone),
        refused=reason,
        confidence=drawn.confidence,
    )
    if helper.refused is not None:
        powered = replace(powered, bias=None, bias_interval=None, correlation=None)
    return _helped_row(powered, names, side.counts(names, set(both)), drawn, helper)


def _array(means: Mapping[Hashable, float], texts: Sequence[Hashable]) -> FloatArray:
    return np.array([means[text] for text in texts], dtype=np.float64)


def _helped_row(
    powered: Powered, names: tuple[str, ...], counts: Counts, how: Drawn, helper: Helper
) -> HelpedRow:
    what = "difference" if len(names) > 1 else "mean"
    labels = dict(zip(("system", "other"), names, strict=False))

    def said(value: float | None, interval: Interval | None, kind: str) -> Figure:
        if value is None or interval is None:
            return undefined(powered.undefined or NO_TEXT, counts)
        drawn = Drawn(0, how.seed, how.confidence)
        named = {"by": kind}
        if helper.signature and kind != "people":
            named["model"] = helper.signature
        return figure(what, value, interval, counts, drawn, **labels, **named)

    return HelpedRow(
        first=names[0],
        second=names[1] if len(names) > 1 else "",
        texts=powered.texts,
        left=powered.left,
        people=said(powered.classical, powered.classical_interval, "people"),
        helped=said(powered.value, powered.interval, "people,model"),
        bias=said(powered.bias, powered.bias_interval, "model-people"),
        weight=powered.weight,
        worth=powered.worth,
        correlation=powered.correlation,
        undefined=powered.undefined,
    )
