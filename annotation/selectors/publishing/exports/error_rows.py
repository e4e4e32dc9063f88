"""One row per legal error, with the words that were marked."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from annotation.protocols.base import Wording
from annotation.protocols.fields import BracketedScale, ErrorList
from annotation.selectors.publishing.exports.answers import option_values
from annotation.selectors.publishing.exports.column import Column, Value, column
from annotation.selectors.publishing.exports.columns import Group, all_columns
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.shared_columns import pair_group, rater_group
from annotation.selectors.publishing.exports.source import ErrorRow, Pair, Source


class ErrorRows(Layout):
    title = Wording("Erreurs", "Errors")
    explanation = Wording(
        "Une ligne par erreur légale : type, note, passages marqués dans les deux textes. "
        "Les jugements importés n'en ont pas : leurs erreurs n'ont pas été publiées.",
        "One row per legal error: type, note, passages marked in the two texts. "
        "Imported judgments have none: their errors were not published.",
    )

    def columns(self, source: Source) -> list[Column]:
        groups = [pair_group(source, texts=False), rater_group(source), _judgment_group(source)]
        return [*all_columns(groups), *_error_columns(source)]

    def count(self, source: Source) -> int:
        return source.count_errors()

    def lines(self, source: Source, form: Format) -> Lines:
        of_pair = pair_group(source, texts=False).rendered(form)
        groups = [rater_group(source), _judgment_group(source)]
        parts = [(group.pick, group.rendered(form)) for group in groups]
        write = form.part(_error_columns(source))
        labels = _labels(source)
        for batch in source.batches(errors=True):
            for pair, judgments in batch:
                for row in judgments:
                    if errors := source.errors_of(row):
                        start = [of_pair(pair), *[text(pick(row)) for pick, text in parts]]
                        for error in errors:
                            yield form.row([*start, write(_cells(pair, error, labels))])


def _judgment_group(source: Source) -> Group:
    """Enough of the judgment to read the error by itself."""
    scale = next(f for f in source.protocol.fields if isinstance(f, BracketedScale))
    guides, moment, name = source.guides, source.disclosure.moment, scale.dimension_name
    brackets = tuple(Value(b.value, b.label, b.key) for b in scale.brackets)

    def cells(picked: tuple[Any, ...]) -> list[Any]:
        bracket, score, guide, submitted_at = picked
        return [bracket, score, guides.get(guide), moment(submitted_at)]

    columns = (
        column(
            scale.name, "category", "Fourchette du jugement.", "Bracket of the judgment.", brackets
        ),
        column(name, "integer", "Score du jugement.", "Score of the judgment."),
        column(
            "guide_version",
            "integer",
            "Version du guide à l'envoi.",
            "Version of the guide at submission.",
        ),
        column(
            "submitted_at",
            "time",
            "Envoi du jugement (UTC).",
            "When the judgment was submitted (UTC).",
        ),
    )
    places = (f"{name}.bracket", f"{name}.value", "guide_id", "submitted_at")
    return Group(columns, pick=itemgetter(*(source.place[p] for p in places)), cells=cells)


def _labels(source: Source) -> dict[str, Wording]:
    return {option.key: option.label for option in _field(source).types}


def _field(source: Source) -> ErrorList:
    return next(f for f in source.protocol.fields if isinstance(f, ErrorList))


def _cells(pair: Pair, error: ErrorRow, labels: dict[str, Wording]) -> list[Any]:
    _judgment, ordinal, kind, note, original_start, original_end, start, end = error
    marked = None if original_start is None else pair.original[original_start:original_end]
    answered = None if start is None else pair.simplification[start:end]
    label = labels[kind]
    return [
        ordinal,
        kind,
        label.fr,
        label.en,
        note,
        original_start,
        original_end,
        marked,
        start,
        end,
        answered,
    ]


def _error_columns(source: Source) -> list[Column]:
    types = tuple(Value(value.key, value.label) for value in option_values(_field(source).types))
    return [
        column(
            "ordinal",
            "integer",
            "Rang de l'erreur dans le jugement.",
            "Rank of the error in the judgment.",
        ),
        column("type", "category", "Type de l'erreur.", "Type of the error.", types),
        column("type_fr", "text", "Type : libellé français.", "Type: label in French."),
        column("type_en", "text", "Type : libellé anglais.", "Type: label in English."),
        column("note", "text", "Note de l'annotateur·rice.", "The annotator's note."),
        *_span_columns("original", "l'original", "the original"),
        *_span_columns("simplification", "la simplification", "the simplification"),
    ]


def _span_columns(side: str, fr: str, en: str) -> list[Column]:
    return [
        column(
            f"{side}_start",
            "integer",
            f"Début du passage dans {fr} (points de code, depuis 0). Vide : rien n'est marqué.",
            f"Start of the passage in {en} (code points, from 0). Empty: nothing is marked.",
        ),
        column(
            f"{side}_end",
            "integer",
            f"Fin du passage dans {fr}, exclue.",
            f"End of the passage in {en}, excluded.",
        ),
        column(
            f"{side}_passage",
            "text",
            f"Le passage marqué dans {fr}.",
            f"The passage marked in {en}.",
        ),
    ]
