"""The file that FrJUDGE was released as, byte for byte."""

from __future__ import annotations

from annotation.corpus.frjudge import format_row
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, column
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.source import Row, Source


class FrJudge(Layout):
    key = "frjudge"
    formats = ("jsonl",)
    is_own = True
    of_people = True
    title = Wording("FrJUDGE", "FrJUDGE")
    explanation = Wording(
        "Le JSONL tel que FrJUDGE a été publié : six clés, toutes en texte, sans identité de "
        "juge. Ce qui a été "
        "importé revient dans l'ordre de son fichier; ce qui a été jugé ici suit, paire par paire.",
        "The JSONL exactly as FrJUDGE was released: six keys, all of them text, without any "
        "judge's identity. What was imported comes back in the order of its file; what was judged "
        "here follows, pair by pair.",
    )

    def columns(self, source: Source) -> list[Column]:
        text = "text"
        return [
            column("original", text, "Texte de l'item.", "Text of the item."),
            column(
                "simplification", text, "Texte de la simplification.", "Text of the simplification."
            ),
            column(
                "simplicity",
                text,
                "Libellé français de la simplicité.",
                "French label of the simplicity.",
            ),
            column(
                "qualification",
                text,
                "Numéro de la qualification, 1–18.",
                "Number of the class, 1–18.",
            ),
            column(
                "legal_meaning",
                text,
                "Score de précision légale, 1–10.",
                "Legal meaning score, 1–10.",
            ),
            column(
                "justifications",
                text,
                "Commentaire de l'annotateur·rice.",
                "The annotator's comment.",
            ),
        ]

    def count(self, source: Source) -> int:
        return source.count()

    def lines(self, source: Source, form: Format) -> Lines:
        names = (
            "simplicity.value",
            "characterization.value",
            "legal_meaning.value",
            "comment",
            "imported_row",
        )
        simplicity, characterization, score, comment, rank = (source.place[name] for name in names)

        def line(original: str, simplification: str, row: Row) -> bytes:
            return format_row(
                original=original,
                simplification=simplification,
                simplicity=row[simplicity],
                qualification=row[characterization],
                legal_meaning=row[score],
                justifications=row[comment],
            ).encode()

        for imported in source.imported():
            yield line(*imported)
        if source.has_own():
            for batch in source.batches():
                for pair, judgments in batch:
                    for row in judgments:
                        if row[rank] is None:
                            yield line(pair.original, pair.simplification, row)
