"""One row per simplification with its soft labels: the share of people who gave each value, and how
probable each is where the annotators were modelled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.agreement.modelled.crowd import METHODS
from annotation.models import Annotator
from annotation.protocols.base import Dimension, Wording
from annotation.protocols.columns import Column, column
from annotation.selectors.agreement.modelled import posteriors_known
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.shared_columns import pair_group
from annotation.selectors.publishing.exports.source import Row, Source

_DIGITS = 6
_MODELS = {"dawid_skene": "Dawid–Skene", "mace": "MACE"}

Posteriors = Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]


class SoftLabels(Layout):
    key = "soft_labels"
    title = Wording("Étiquettes souples", "Soft labels")
    explanation = Wording(
        "Une ligne par simplification jugée : pour chaque dimension, la part des personnes qui ont "
        "donné chaque valeur, et la probabilité de chaque valeur là où les annotateur·rice·s ont "
        "été modélisé·e·s. Les modèles qui jugent ne comptent pas.",
        "One row per judged simplification: for each dimension the share of people who gave each "
        "value, and the probability of each value where the annotators were modelled. Models that "
        "judge do not count.",
    )

    def columns(self, source: Source) -> list[Column]:
        return [*pair_group(source).columns, *_columns(source)]

    def count(self, source: Source) -> int:
        return source.count_judged_pairs()

    def lines(self, source: Source, form: Format) -> Lines:
        of_pair, write = pair_group(source).rendered(form), form.part(_columns(source))
        # Of everybody in the main round: under other options they would be of other answers.
        whole = source.options.round == "main" and source.options.withdrawn
        known = posteriors_known(source.study) if whole else {}
        people = {
            pk
            for pk, rater in source.disclosure.raters.items()
            if rater.kind != Annotator.Kind.MACHINE
        }
        who = source.place["annotator_id"]
        for batch in source.batches(sides=False):
            for pair, rows in batch:
                if rows:
                    own = [row for row in rows if row[who] in people]
                    yield form.row([of_pair(pair), write(_cells(source, own, pair.key, known))])


def _columns(source: Source) -> list[Column]:
    return [scale_column for scale in source.protocol.scales for scale_column in _of_scale(scale)]


def _of_scale(scale: Dimension) -> list[Column]:
    fr, en = scale.label.fr, scale.label.en
    return [
        column(
            f"{scale.name}_ratings",
            "integer",
            f"{fr} : réponses de personnes.",
            f"{en}: answers by people.",
        ),
        column(
            f"{scale.name}_shares",
            "json",
            f"{fr} : part des personnes qui ont donné chaque valeur.",
            f"{en}: share of people who gave each value.",
        ),
        *(
            column(
                f"{scale.name}_{method}",
                "json",
                f"{fr} : probabilité de chaque valeur selon {_MODELS[method]} (crowd-kit). Vide : "
                "pas calculée pour ces réponses.",
                f"{en}: probability of each value under {_MODELS[method]} (crowd-kit). Empty: not "
                "computed of these answers.",
            )
            for method in METHODS
        ),
    ]


def _cells(source: Source, rows: Sequence[Row], key: str, known: Posteriors) -> list[Any]:
    cells: list[Any] = []
    for scale in source.protocol.scales:
        place = source.place[f"{scale.name}.value"]
        counts = Counter(row[place] for row in rows if row[place] is not None)
        total = counts.total()
        shares = {str(value): round(counts[value] / total, _DIGITS) for value in sorted(counts)}
        models = known.get(scale.name, {})
        cells += [total, json.dumps(shares)]
        for method in METHODS:
            posteriors = models.get(method, {}).get(key)
            cells.append(json.dumps(posteriors) if posteriors else None)
    return cells
