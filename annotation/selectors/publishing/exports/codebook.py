"""What every column and every value means, in both languages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.models import GuideVersion
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, Value, column
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.source import Source, UtcText

NOTES = (
    Wording(
        "Les annotateur·rice·s n'apparaissent que par leur pseudonyme. Le texte libre (remarques, "
        "notes, commentaires, réponses écrites) d'un export est tel qu'il a été tapé et peut "
        "contenir des noms ou des adresses; dans ce qui a été figé, […] remplace ceux qu'une "
        "recherche a trouvés.",
        "Annotators appear by pseudonym only. Free text (remarks, notes, comments, written "
        "answers) of an export is as it was typed and may hold names or addresses; in what was "
        "frozen, […] stands for those that a search found.",
    ),
    Wording(
        "CSV et TSV : UTF-8, guillemets selon la RFC 4180, fins de ligne CRLF. Une cellule qui "
        "commence comme une formule de tableur (=, +, -, @, tabulation, retour, même après des "
        "blancs ou des apostrophes) reçoit une apostrophe devant; en ôter une rend le texte. Le "
        "JSONL n'est jamais modifié.",
        "CSV and TSV: UTF-8, quotes as in RFC 4180, CRLF line ends. A cell that starts like a "
        "spreadsheet formula (=, +, -, @, tab, line end, even after blanks or apostrophes) gets an "
        "apostrophe in front; taking one away gives the text back. JSONL is never altered.",
    ),
    Wording(
        (
            "Les rondes restent à part : sauf demande contraire, un export ne contient que la "
            "ronde principale."
        ),
        "Rounds stay apart: unless asked otherwise, an export holds the main round only.",
    ),
    Wording(
        "Une cellule vide (null en JSONL) veut dire : sans objet ou non connu, jamais zéro.",
        "An empty cell (null in JSONL) means: does not apply or is not known, never zero.",
    ),
    Wording(
        "Les moments sont en UTC (ISO 8601); un jugement importé n'en a pas.",
        "Moments are in UTC (ISO 8601); an imported judgment has none.",
    ),
    Wording(
        "Les passages sont comptés en points de code Unicode depuis 0, début inclus, fin exclue.",
        "Spans count Unicode code points from 0, start included, end excluded.",
    ),
)
_COLUMNS = (
    column("layout", "text", "Disposition.", "Layout."),
    column("position", "integer", "Rang de la colonne.", "Rank of the column."),
    column("column", "text", "Nom de la colonne.", "Name of the column."),
    column("type", "text", "Type de la colonne.", "Type of the column."),
    column("description_fr", "text", "Contenu, en français.", "Content, in French."),
    column("description_en", "text", "Contenu, en anglais.", "Content, in English."),
    column("value", "text", "Une valeur possible.", "A possible value."),
    column("value_key", "text", "Sa clé.", "Its key."),
    column("value_fr", "text", "Son libellé français.", "Its label in French."),
    column("value_en", "text", "Son libellé anglais.", "Its label in English."),
)


class Codebook(Layout):
    key = "codebook"
    formats = ("json", *Layout.formats)
    title = Wording("Dictionnaire des variables", "Codebook")
    explanation = Wording(
        "Ce que veut dire chaque colonne et chaque valeur des autres dispositions, en français et "
        "en anglais, avec les questions du protocole et les versions du guide.",
        "What every column and every value of the other layouts means, in French and English, with "
        "the protocol's questions and the versions of the guide.",
    )

    def __init__(self, layouts: Mapping[str, Layout]) -> None:
        self.layouts = layouts

    def columns(self, source: Source) -> list[Column]:
        return list(_COLUMNS)

    def count(self, source: Source) -> int:
        return sum(1 for _ in self._rows(source))

    def lines(self, source: Source, form: Format) -> Lines:
        if form.key == "json":
            yield json.dumps(self.document(source), ensure_ascii=False, indent=2).encode() + b"\n"
            return
        write = form.part(_COLUMNS)
        for row in self._rows(source):
            yield form.row([write(row)])

    def document(self, source: Source) -> dict[str, Any]:
        """Everything that a reader of the other files needs to know about them."""
        study, protocol = source.study, source.protocol
        return {
            "study": {
                "key": study.key,
                "title": study.title,
                "licence": study.licence,
                "seed": study.seed,
            },
            "protocol": {
                "key": protocol.key,
                "version": protocol.version,
                "title": _both(protocol.title),
                **{ruling.name: study.rulings[ruling.name] for ruling in protocol.rulings},
                "questions": [
                    {
                        "step": step.key,
                        **_both(step.question),
                        "fields": [
                            {"name": field.name, "label": _both(field.label), **field.conditions()}
                            for field in step.fields
                        ],
                    }
                    for step in protocol.steps
                ],
            },
            "guide_versions": _guides(source),
            "notes": [_both(note) for note in NOTES],
            "layouts": {
                key: {
                    "title": _both(layout.title_for(protocol)),
                    "explanation": _both(layout.explanation),
                    "columns": [_described(c) for c in layout.columns(source)],
                }
                for key, layout in self._applying(source)
            },
        }

    def _applying(self, source: Source) -> list[tuple[str, Layout]]:
        """The layouts that the study's protocol has."""
        return [
            (key, layout) for key, layout in self.layouts.items() if layout.applies(source.protocol)
        ]

    def _rows(self, source: Source) -> Iterator[list[Any]]:
        """One row per column, or per value of a column where they are few."""
        for key, layout in self._applying(source):
            for position, c in enumerate(layout.columns(source), start=1):
                start = [key, position, c.name, c.kind, c.description.fr, c.description.en]
                for value in c.values or (None,):
                    yield [*start, *_of_value(value)]


def _of_value(value: Value | None) -> list[Any]:
    return [str(value.value), value.key, value.label.fr, value.label.en] if value else [None] * 4


def _described(c: Column) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": c.name,
        "type": c.kind,
        "description": _both(c.description),
    }
    if c.values:
        described["values"] = [
            {"value": v.value, "key": v.key, "label": _both(v.label)} for v in c.values
        ]
    return described


def _guides(source: Source) -> list[dict[str, Any]]:
    guides = GuideVersion.objects.filter(study=source.study).order_by("number")
    moment = source.disclosure.moment
    return [
        {"number": number, "published_at": moment(published_at)}
        for number, published_at in guides.values_list("number", UtcText("published_at"))
    ]


def _both(wording: Wording) -> dict[str, str]:
    return {"fr": wording.fr, "en": wording.en}
