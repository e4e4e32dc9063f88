"""Columns of the answers themselves, derived from the protocol's fields: a further protocol needs
nothing here."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from annotation.models import Judgment
from annotation.protocols.base import Option, Wording
from annotation.protocols.fields import BracketedScale, Choice, ErrorList, Flag, Text
from annotation.selectors.publishing.exports.column import Column, Value, column
from annotation.selectors.publishing.exports.columns import Group
from annotation.selectors.publishing.exports.formats import json_text
from annotation.selectors.publishing.exports.source import ErrorRow, Source

_DERIVATIONS = (
    Value(
        "derived",
        Wording("haut de la fourchette moins les erreurs", "top of the bracket minus the errors"),
    ),
    Value(
        "imported",
        Wording(
            "publié sans fourchette ni erreurs : elles ne sont pas connues",
            "published without bracket and errors: they are not known",
        ),
    ),
)
_POLICIES = (
    Value("ask", Wording("demander à l'annotateur·rice", "ask the annotator")),
    Value("fall_through", Wording("laisser descendre le score", "let the score fall through")),
    Value("clamp", Wording("arrêter au bas de la fourchette", "stop at the bottom of the bracket")),
)
_CROSSING_ANSWERS = (
    Value(
        "kept",
        Wording("fourchette gardée, score sous son bas", "bracket kept, score below its bottom"),
    ),
    Value(
        "moved", Wording("fourchette changée pour une plus basse", "bracket moved to a lower one")
    ),
)


def option_values(options: tuple[Option, ...]) -> tuple[Value, ...]:
    return tuple(Value(option.value, option.label, option.key) for option in options)


def answer_groups(source: Source) -> list[Group]:
    """One group per field that is stored by itself, in the order in which the questions are
    asked."""
    groups = []
    for field in source.protocol.fields:
        if isinstance(field, Choice):
            groups.append(_choice(source, field))
        elif isinstance(field, BracketedScale):
            groups.append(_scale(source, field))
        elif isinstance(field, ErrorList):
            groups.append(_errors(source, field))
        elif isinstance(field, Text | Flag):
            groups.append(_column(source, field))
    return groups


def _labelled(name: str, label: Wording, values: tuple[Value, ...]) -> list[Column]:
    """A coded answer with its key and its labels beside it."""
    return [
        column(name, "category", f"{label.fr} : code.", f"{label.en}: code.", values),
        column(f"{name}_key", "text", f"{label.fr} : clé.", f"{label.en}: key."),
        column(
            f"{name}_fr", "text", f"{label.fr} : libellé français.", f"{label.en}: label in French."
        ),
        column(
            f"{name}_en", "text", f"{label.fr} : libellé anglais.", f"{label.en}: label in English."
        ),
    ]


def _choice(source: Source, field: Choice) -> Group:
    by_value = {option.value: option for option in field.options}

    def cells(value: int) -> list[Any]:
        option = by_value[value]
        return [value, option.key, option.label.fr, option.label.en]

    return Group(
        tuple(_labelled(field.name, field.label, option_values(field.options))),
        pick=itemgetter(source.place[f"{field.name}.value"]),
        cells=cells,
        shared=True,
    )


def scale_columns(field: BracketedScale) -> list[Column]:
    """The bracket, the score and how one follows from the other."""
    brackets = tuple(Value(b.value, b.label, b.key) for b in field.brackets)
    name, bounds = field.dimension_name, f"{field.lowest}–{field.highest}"
    return [
        *_labelled(field.name, Wording("Fourchette", "Bracket"), brackets),
        column(
            "deductions",
            "integer",
            "Nombre d'erreurs, un point chacune. Vide : non connu.",
            "Number of errors, one point each. Empty: not known.",
        ),
        column(
            name,
            "integer",
            f"{field.label.fr} : score, {bounds}.",
            f"{field.label.en}: score, {bounds}.",
        ),
        column(
            f"{name}_derivation",
            "category",
            "D'où vient le score.",
            "Where the score comes from.",
            _DERIVATIONS,
        ),
        column(
            "crossing_policy",
            "category",
            "Règle de l'étude quand le score sort de la fourchette par le bas.",
            "The study's rule for a score that falls below its bracket.",
            _POLICIES,
        ),
        column(
            "crossing_answer",
            "category",
            "Réponse de l'annotateur·rice à cette occasion. Vide : la question ne s'est pas posée.",
            "The annotator's answer on that occasion. Empty: the question did not arise.",
            _CROSSING_ANSWERS,
        ),
        column(
            "moved_from",
            "category",
            "Fourchette choisie d'abord.",
            "Bracket chosen at first.",
            brackets,
        ),
    ]


def _scale(source: Source, field: BracketedScale) -> Group:
    brackets = {bracket.value: bracket for bracket in field.brackets}
    name = field.dimension_name

    def cells(picked: tuple[Any, ...]) -> list[Any]:
        value, derivation, bracket, deductions, policy, answer, moved_from = picked
        chosen = brackets.get(bracket)
        of_bracket = (
            [chosen.value, chosen.key, chosen.short.fr, chosen.short.en] if chosen else [None] * 4
        )
        return [
            *of_bracket,
            deductions,
            value,
            derivation,
            policy or None,
            answer or None,
            moved_from,
        ]

    parts = (
        "value",
        "derivation",
        "bracket",
        "deductions",
        "crossing_policy",
        "crossing_answer",
        "moved_from",
    )
    return Group(
        tuple(scale_columns(field)),
        pick=itemgetter(*(source.place[f"{name}.{part}"] for part in parts)),
        cells=cells,
        shared=True,
    )


def _errors(source: Source, field: ErrorList) -> Group:
    keys = [option.key for option in field.types]
    columns = [
        column(
            f"errors_{option.key}",
            "integer",
            f"Nombre d'erreurs du type « {option.label.fr} ». Vide : non connu.",
            f"Number of errors of the type “{option.label.en}”. Empty: not known.",
        )
        for option in field.types
    ]
    columns.append(
        column(
            field.name,
            "json",
            (
                "Les erreurs dans l'ordre : rang, type, note, passages (points de code, début "
                "inclus, fin exclue)."
            ),
            (
                "The errors in order: ordinal, type, note, spans (code points, start included, end "
                "excluded)."
            ),
        )
    )

    unknown = [None] * len(columns)

    def cells(errors: Sequence[ErrorRow] | None) -> list[Any]:
        if errors is None:
            return unknown
        kinds = [error[2] for error in errors]
        return [
            *[kinds.count(key) for key in keys],
            f"[{','.join([_error_json(*error) for error in errors])}]",
        ]

    return Group(tuple(columns), pick=source.errors_of, cells=cells, often=())


def _error_json(
    _judgment: int,
    ordinal: int,
    kind: str,
    note: str,
    start: int | None,
    end: int | None,
    start_2: int | None,
    end_2: int | None,
) -> str:
    """One error as a JSON object. Written out, because an encoder takes four times as long for such
    small ones."""
    original = '"original_start":null,"original_end":null'
    if start is not None:
        original = f'"original_start":{start},"original_end":{end}'
    simplification = '"simplification_start":null,"simplification_end":null'
    if start_2 is not None:
        simplification = f'"simplification_start":{start_2},"simplification_end":{end_2}'
    head = f'{{"ordinal":{ordinal},"type":"{kind}","note":{json_text(note)}'
    return f"{head},{original},{simplification}}}"


def _column(source: Source, field: Text | Flag) -> Group:
    is_text = isinstance(field, Text)
    described = column(
        field.name,
        "text" if is_text else "boolean",
        f"{field.label.fr.rstrip(' :')}.",
        f"{field.label.en.rstrip(':')}.",
    )
    place, origin = source.place[field.name], source.place["origin"]
    if is_text:
        return Group((described,), pick=itemgetter(place), cells=lambda text: (text,), often="")

    def cells(picked: tuple[str, str]) -> list[Any]:
        # Nobody asked the judges of a published file.
        return [None if picked[1] == Judgment.Origin.IMPORTED else bool(picked[0])]

    return Group((described,), pick=itemgetter(place, origin), cells=cells, shared=True)
