"""One row per simplification; each annotator has a column per dimension, so that judges can be
compared."""

from __future__ import annotations

from typing import Any

from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, ComparedColumn, column
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.shared_columns import pair_group
from annotation.selectors.publishing.exports.source import Row, Source

_COUNT = column("judgments", "integer", "Nombre de jugements.", "Number of judgments.")


class Wide(Layout):
    key = "wide"
    title = Wording("Large", "Wide")
    explanation = Wording(
        "Une ligne par simplification; chaque annotateur·rice a une colonne par dimension, pour "
        "comparer les juges. Les simplifications que personne n'a encore jugées y sont aussi.",
        "One row per simplification; each annotator has a column per dimension, to compare judges. "
        "Simplifications that nobody has judged yet are there as well.",
    )

    def columns(self, source: Source) -> list[Column]:
        return [*pair_group(source).columns, _COUNT, *self._of_raters(source, _raters(source))]

    def count(self, source: Source) -> int:
        return source.count_pairs()

    def lines(self, source: Source, form: Format) -> Lines:
        of_pair = pair_group(source).rendered(form)
        raters = _raters(source)
        write = form.part([_COUNT, *self._of_raters(source, raters)])
        places = [source.place[measure.read] for measure in _measures(source)]
        who = source.place["annotator_id"]

        def cells(judgments: list[Row]) -> list[Any]:
            by_rater = {row[who]: row for row in judgments}
            rows = [by_rater.get(rater) for rater in raters]
            return [
                len(judgments),
                *(row[place] if row else None for place in places for row in rows),
            ]

        for batch in source.batches(sides=False):
            for pair, rows in batch:
                yield form.row([of_pair(pair), write(cells(rows))])

    @staticmethod
    def _of_raters(source: Source, raters: list[int]) -> list[Column]:
        """Dimension by dimension, so that what is compared stands side by side: simplicity_A,
        simplicity_B, …"""
        names = [source.disclosure.raters[rater].pseudonym for rater in raters]
        return [
            column(
                f"{measure.column.name}_{name}",
                measure.column.kind,
                f"{measure.column.description.fr} Annotateur·rice {name}.",
                f"{measure.column.description.en} Annotator {name}.",
                measure.column.values,
            )
            for measure in _measures(source)
            for name in names
        ]


def _raters(source: Source) -> list[int]:
    """Who has judged anything that is exported, in the annotators' order."""
    judged = source.judging()
    return [rater for rater in source.disclosure.raters if rater in judged]


def _measures(source: Source) -> list[ComparedColumn]:
    """What is shown of a judgment, in the order of the questions."""
    return [measure for field in source.protocol.fields for measure in field.compared()]
