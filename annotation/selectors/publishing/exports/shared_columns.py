"""Columns that several layouts begin with: the pair and the rater."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from annotation.models import Annotator, Item
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, Value, column
from annotation.selectors.base.pseudonyms import Rater
from annotation.selectors.publishing.exports.columns import Group
from annotation.selectors.publishing.exports.source import Pair, Source

_ROUNDS = (
    Value(Item.Round.MAIN, Wording("ronde principale", "main round")),
    Value(
        Item.Round.PRACTICE,
        Wording("ronde d'essai, hors des données", "practice round, not part of the data"),
    ),
    Value(
        Item.Aside.CONTROL,
        Wording("paires de contrôle, hors des données", "control pairs, not part of the data"),
    ),
    Value(
        Item.Aside.REPEAT, Wording("répétitions, hors des données", "repeats, not part of the data")
    ),
    Value(
        Item.Aside.MACHINE,
        Wording("laissées aux modèles par un tirage", "left to models by a draw"),
    ),
)
_KINDS = (
    Value(Annotator.Kind.PERSON, Wording("personne", "person")),
    Value(
        Annotator.Kind.IMPORTED,
        Wording(
            "juge d'identité inconnue d'un fichier publié",
            "judge of unknown identity from a published file",
        ),
    ),
    Value(Annotator.Kind.MACHINE, Wording("modèle", "model")),
)


def study_columns() -> list[Column]:
    return [
        column("study", "text", "Clé de l'étude.", "Key of the study."),
        column("protocol", "text", "Clé du protocole.", "Key of the protocol."),
        column("protocol_version", "text", "Version du protocole.", "Version of the protocol."),
    ]


def _key_columns() -> list[Column]:
    return [
        column(
            "item_key",
            "text",
            "Clé de l'item (le passage source). Stable d'un export à l'autre.",
            "Key of the item (the source passage). The same in every export.",
        ),
        column(
            "item_position",
            "integer",
            "Rang de l'item dans l'étude.",
            "Rank of the item in the study.",
        ),
        column(
            "simplification_key",
            "text",
            "Clé de la simplification. Stable d'un export à l'autre.",
            "Key of the simplification. The same in every export.",
        ),
        column(
            "simplification_position",
            "integer",
            "Rang de la simplification parmi celles de l'item.",
            "Rank of the simplification among those of its item.",
        ),
        column("split", "category", "Ronde.", "Round.", _ROUNDS),
        column(
            "source", "text", "Document d'où vient l'item.", "Document that the item comes from."
        ),
    ]


def _system_column() -> Column:
    return column(
        "system",
        "text",
        "Système qui a écrit la simplification. Les annotateur·rice·s ne le voient jamais.",
        "System that wrote the simplification. Annotators never see it.",
    )


def _text_columns() -> list[Column]:
    return [
        column("original", "text", "Texte de l'item.", "Text of the item."),
        column(
            "simplification", "text", "Texte de la simplification.", "Text of the simplification."
        ),
        column(
            "context_before",
            "text",
            "Ce qui précède l'item dans sa source.",
            "What precedes the item in its source.",
        ),
        column(
            "context_after",
            "text",
            "Ce qui suit l'item dans sa source.",
            "What follows the item in its source.",
        ),
        column(
            "language",
            "text",
            "Langue détectée de la simplification (ISO 639-1).",
            "Language of the simplification as detected (ISO 639-1).",
        ),
        column(
            "identical",
            "boolean",
            "La simplification est identique à l'original, à la normalisation près.",
            "The simplification is identical to the original, after normalisation.",
        ),
    ]


def pair_group(source: Source, *, texts: bool = True) -> Group:
    """The pair; it is picked from a ``Pair``, not from a judgment. ``texts``: in full, not by key
    only."""
    study, systems = source.study, source.options.systems
    named = (study.key, study.protocol_key, study.protocol_version)

    def cells(pair: Pair) -> list[Any]:
        values: list[Any] = [
            *named,
            pair.item_key,
            pair.item_position,
            pair.key,
            pair.position,
            pair.round,
            pair.source,
        ]
        if systems:
            values.append(pair.system)
        if texts:
            values += [pair.original, pair.simplification, pair.context_before, pair.context_after]
            values += [pair.language, pair.is_identical]
        return values

    columns = [*study_columns(), *_key_columns(), *([_system_column()] if systems else [])]
    if texts:
        columns += _text_columns()
    return Group(tuple(columns), pick=lambda pair: pair, cells=cells)


def rater_group(source: Source) -> Group:
    """Who judged, by pseudonym."""
    raters, place = source.disclosure.raters, source.place["annotator_id"]

    def cells(annotator: int) -> list[Any]:
        rater: Rater = raters[annotator]
        return [rater.pseudonym, rater.kind, rater.withdrawn]

    columns = (
        column(
            "annotator",
            "text",
            "Pseudonyme de l'annotateur·rice dans cette étude.",
            "Pseudonym of the annotator in this study.",
        ),
        column(
            "annotator_kind", "category", "Sorte d'annotateur·rice.", "Kind of annotator.", _KINDS
        ),
        column(
            "annotator_withdrawn",
            "boolean",
            "L'annotateur·rice a quitté l'étude; ce qui a été soumis reste.",
            "The annotator has left the study; what they submitted remains.",
        ),
    )
    return Group(columns, pick=itemgetter(place), cells=cells, shared=True)
