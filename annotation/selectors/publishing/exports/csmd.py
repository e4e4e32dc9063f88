"""The files that the Continuous Scale Meaning Dataset was released as: a pair and its mean label a
row."""

from __future__ import annotations

from fractions import Fraction

from annotation.corpus.csmd import COLUMNS, DIMENSION, format_row
from annotation.models import Judgment
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, column
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.source import Row, Source


class Csmd(Layout):
    key = "csmd"
    formats = ("tsv",)
    is_own = True
    of_people = True
    title = Wording("CSMD", "CSMD")
    explanation = Wording(
        "Le TSV tel que MeaningBERT l'a publié : une ligne par simplification jugée, avec la "
        "moyenne de ce que les personnes ont répondu sur le sens. Ce qui a été importé garde son "
        "étiquette telle quelle.",
        "The TSV as MeaningBERT released it: one row per judged simplification, with the mean of "
        "what people answered about meaning. What was imported keeps its label as it was.",
    )

    def columns(self, source: Source) -> list[Column]:
        return [
            column("original", "text", "Texte de l'item.", "Text of the item."),
            column(
                "simplification",
                "text",
                "Texte de la simplification.",
                "Text of the simplification.",
            ),
            column(
                "label",
                "text",
                "Moyenne des réponses sur le sens, 0–100.",
                "Mean of the answers about meaning, 0–100.",
            ),
        ]

    def count(self, source: Source) -> int:
        return source.count_judged_pairs(DIMENSION)

    def header(self, source: Source, form: Format, *, bom: bool) -> bytes:
        return format_row(*COLUMNS).encode()

    def lines(self, source: Source, form: Format) -> Lines:
        rating = source.place[f"{DIMENSION}.value"]
        for batch in source.batches():
            for pair, judged in batch:
                if rows := [row for row in judged if row[rating] is not None]:
                    label = _label(source, rows)
                    yield format_row(pair.original, pair.simplification, label).encode()


def _label(source: Source, rows: list[Row]) -> str:
    """The mean of the ratings; of a single imported one the label that stands in its comment."""
    value, comment, origin = (
        source.place[name] for name in (f"{DIMENSION}.value", "comment", "origin")
    )
    first = rows[0]
    if len(rows) == 1 and first[origin] == Judgment.Origin.IMPORTED and first[comment]:
        return str(first[comment])
    return str(float(Fraction(sum(row[value] for row in rows), len(rows))))
