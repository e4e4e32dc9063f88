"""One row per simplification with raw means and scores standardized by annotator, for protocols
whose answers are numbers on an interval scale.

People use such a scale each in their own way. A z-score is a rating less its annotator's mean, over
their standard deviation (n − 1), both over everything of theirs that is exported; it is not defined
for somebody who gave one rating, or always the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.protocols.base import Dimension, Level, Wording
from annotation.protocols.columns import Column, column
from annotation.protocols.protocol import Protocol
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.shared_columns import pair_group
from annotation.selectors.publishing.exports.source import Row, Source

_DIGITS = 6


@dataclass
class _Spread:
    """What ratings of one person on one dimension add up to."""

    count: int = 0
    total: int = 0
    squares: int = 0

    def add(self, value: int) -> None:
        self.count += 1
        self.total += value
        self.squares += value * value

    def z(self, value: int) -> float | None:
        if self.count < 2 or self.squares * self.count == self.total**2:
            return None
        mean = self.total / self.count
        variance = (self.squares - self.total * mean) / (self.count - 1)
        return (value - mean) / math.sqrt(variance)


_Spreads = dict[tuple[int, str], _Spread]


class Standardized(Layout):
    key = "standardized"
    of_people = True
    title = Wording("Moyennes et scores centrés réduits", "Means and z-scores")
    explanation = Wording(
        "Une ligne par simplification jugée : pour chaque dimension à échelle d'intervalle, la "
        "moyenne brute, la moyenne des scores centrés et réduits par personne, et ces scores.",
        "One row per judged simplification: for each dimension on an interval scale the raw mean, "
        "the mean of scores standardized by person, and these scores.",
    )

    def applies(self, protocol: Protocol) -> bool:
        return bool(_scales(protocol))

    def columns(self, source: Source) -> list[Column]:
        return [*pair_group(source).columns, *self._of_ratings(source, _raters(source))]

    def count(self, source: Source) -> int:
        return source.count_judged_pairs()

    def lines(self, source: Source, form: Format) -> Lines:
        of_pair, raters = pair_group(source).rendered(form), _raters(source)
        write, spreads = form.part(self._of_ratings(source, raters)), _spreads(source)
        for batch in source.batches():
            for pair, rows in batch:
                if rows:
                    yield form.row([of_pair(pair), write(_cells(source, rows, raters, spreads))])

    @staticmethod
    def _of_ratings(source: Source, raters: Sequence[int]) -> list[Column]:
        names = [source.disclosure.raters[rater].pseudonym for rater in raters]
        return [
            scale_column
            for scale in _scales(source.protocol)
            for scale_column in _of_scale(scale, names)
        ]


def _of_scale(scale: Dimension, names: Sequence[str]) -> list[Column]:
    fr, en = scale.label.fr, scale.label.en
    return [
        column(f"{scale.name}_ratings", "integer", f"{fr} : réponses.", f"{en}: answers."),
        column(f"{scale.name}_mean", "number", f"{fr} : moyenne brute.", f"{en}: raw mean."),
        column(
            f"{scale.name}_z",
            "number",
            f"{fr} : moyenne des scores centrés et réduits par personne.",
            f"{en}: mean of the scores standardized by person.",
        ),
        *(
            column(
                f"{scale.name}_z_{name}",
                "number",
                f"{fr} : score centré et réduit de {name}. Vide : pas jugé, ou non défini.",
                f"{en}: z-score of {name}. Empty: not judged, or not defined.",
            )
            for name in names
        ),
    ]


def _scales(protocol: Protocol) -> list[Dimension]:
    return [scale for scale in protocol.scales if scale.level == Level.INTERVAL]


def _raters(source: Source) -> list[int]:
    judged = source.judging()
    return [rater for rater in source.disclosure.raters if rater in judged]


def _spreads(source: Source) -> _Spreads:
    """By annotator and dimension; read before the rows are written."""
    spreads: _Spreads = defaultdict(_Spread)
    who = source.place["annotator_id"]
    places = [(scale.name, _place(source, scale)) for scale in _scales(source.protocol)]
    for batch in source.batches():
        for _pair, rows in batch:
            for row in rows:
                for name, place in places:
                    if row[place] is not None:
                        spreads[row[who], name].add(row[place])
    return spreads


def _place(source: Source, scale: Dimension) -> int:
    return source.place[f"{scale.name}.value"]


def _cells(
    source: Source, rows: Sequence[Row], raters: Sequence[int], spreads: _Spreads
) -> list[Any]:
    who = source.place["annotator_id"]
    cells: list[Any] = []
    for scale in _scales(source.protocol):
        place = _place(source, scale)
        values = {row[who]: row[place] for row in rows if row[place] is not None}
        scores = {rater: spreads[rater, scale.name].z(value) for rater, value in values.items()}
        known = [score for score in scores.values() if score is not None]
        cells += [
            len(values),
            _number(math.fsum(values.values()) / len(values) if values else None),
            _number(math.fsum(known) / len(known) if known else None),
            *(_number(scores.get(rater)) for rater in raters),
        ]
    return cells


def _number(value: float | None) -> str | None:
    """As it is written: at most so many digits after the point, none that say nothing."""
    if value is None:
        return None
    written = f"{value:.{_DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written
