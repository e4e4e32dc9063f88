"""One row per mark, with the words that were marked."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from annotation.protocols.base import Wording
from annotation.protocols.columns import OF_SEVERAL, Column, Value, column
from annotation.protocols.protocol import Protocol
from annotation.selectors.publishing.exports.answers import group_of
from annotation.selectors.publishing.exports.columns import Group, all_columns
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.shared_columns import pair_group, rater_group
from annotation.selectors.publishing.exports.source import ErrorRow, Source


class ErrorRows(Layout):
    key = "errors"
    title = Wording("Erreurs", "Errors")
    explanation = Wording(
        "Une ligne par erreur ou autre marque : type, note, passages marqués dans les deux textes. "
        "Un jugement importé n'en a que si elles ont été publiées avec lui.",
        "One row per error or other mark: type, note, passages marked in the two texts. "
        "An imported judgment has some only where they were published with it.",
    )

    def title_for(self, protocol: Protocol) -> Wording:
        """What its rows hold: errors, edits, or marks of other kinds."""
        if protocol.marks_are_errors:
            return self.title
        if all(field.counted for field in protocol.marked):
            return Wording("Opérations", "Edits")
        return Wording("Marques", "Marks")

    def applies(self, protocol: Protocol) -> bool:
        return bool(protocol.marked)

    def columns(self, source: Source) -> list[Column]:
        groups = [pair_group(source, texts=False), *self._groups(source)]
        return [*all_columns(groups), *_error_columns(source)]

    def count(self, source: Source) -> int:
        return source.count_errors()

    def lines(self, source: Source, form: Format) -> Lines:
        of_pair = pair_group(source, texts=False).rendered(form)
        groups = self._groups(source)
        parts = [(group.pick, group.rendered(form)) for group in groups]
        write = form.part(_error_columns(source))
        labels = _labels(source)
        for batch in source.batches(errors=True, sides=False):
            for pair, judgments in batch:
                texts = {"original": pair.original, "simplification": pair.simplification}
                for row in judgments:
                    if errors := source.errors_of(row):
                        start = [of_pair(pair), *[text(pick(row)) for pick, text in parts]]
                        for error in errors:
                            cells = [
                                *([error[1]] if _has_several(source) else []),
                                *_cells(texts, error, labels),
                                *_more(source, error, texts),
                            ]
                            yield form.row([*start, write(cells)])

    @staticmethod
    def _groups(source: Source) -> list[Group]:
        """Enough of the judgment to read the error by itself."""
        beside = (field.beside_marks() for field in source.protocol.fields)
        return [
            rater_group(source),
            *(group_of(source, columns) for columns in beside if columns is not None),
            _moment_group(source),
        ]


def _moment_group(source: Source) -> Group:
    guides, moment = source.guides, source.disclosure.moment

    def cells(picked: tuple[Any, ...]) -> list[Any]:
        guide, submitted_at = picked
        return [guides.get(guide), moment(submitted_at)]

    columns = (
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
    places = (source.place["guide_id"], source.place["submitted_at"])
    return Group(columns, pick=itemgetter(*places), cells=cells)


def _labels(source: Source) -> dict[tuple[str, str], Wording]:
    """The word for each type, by field and key."""
    return {
        (field.name, option.key): option.label
        for field in source.protocol.marked
        for option in field.marks
    }


def _cells(
    texts: dict[str, str], error: ErrorRow, labels: dict[tuple[str, str], Wording]
) -> list[Any]:
    field = error[1]
    ordinal, kind, note, original_start, original_end, start, end = error[-7:]
    marked = None if original_start is None else texts["original"][original_start:original_end]
    answered = None if start is None else texts["simplification"][start:end]
    # Of a field whose kind is gone only what is stored is known.
    label = labels.get((field, kind), Wording(kind, kind))
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


def _more(source: Source, error: ErrorRow, texts: dict[str, str]) -> Iterator[Any]:
    """The cells that only the kind of the mark's own field has; none in those of others."""
    for field in source.protocol.marked:
        if field.mark_columns:
            is_own = field.name == error[1]
            yield from (
                field.mark_cells(error, texts) if is_own else [None] * len(field.mark_columns)
            )


def _has_several(source: Source) -> bool:
    """Whether a mark could stand in one of several lists: its row says in which."""
    return len(source.protocol.marked) > 1


def _field_column(source: Source) -> Column:
    lists = [Value(field.name, field.label) for field in source.protocol.marked]
    return column(
        OF_SEVERAL,
        "category",
        "La liste dans laquelle la marque se trouve.",
        "The list that the mark stands in.",
        lists,
    )


def _error_columns(source: Source) -> list[Column]:
    types = {
        (option.key, option.label.fr): Value(option.key, option.label)
        for option in source.protocol.mark_types
    }
    is_error = source.protocol.marks_are_errors
    of_fr, of_en = ("de l'erreur", "the error") if is_error else ("de la marque", "the mark")
    return [
        *([_field_column(source)] if _has_several(source) else []),
        column(
            "ordinal",
            "integer",
            f"Rang {of_fr} dans le jugement.",
            f"Rank of {of_en} in the judgment.",
        ),
        column("type", "category", f"Type {of_fr}.", f"Type of {of_en}.", types.values()),
        column("type_fr", "text", "Type : libellé français.", "Type: label in French."),
        column("type_en", "text", "Type : libellé anglais.", "Type: label in English."),
        column("note", "text", "Note de l'annotateur·rice.", "The annotator's note."),
        *_span_columns("original", "l'original", "the original"),
        *_span_columns("simplification", "la simplification", "the simplification"),
        *(mark_column for field in source.protocol.marked for mark_column in field.mark_columns),
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
