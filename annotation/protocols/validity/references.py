"""What a protocol and its fields name elsewhere in it: the field that they wait for, a dimension
that is predicted, rulings, layouts. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from annotation.protocols.base import Better, Dimension, Level, Wording
from annotation.protocols.columns import OWN_LAYOUTS
from annotation.protocols.fault_words import error_words, of_field, quoted
from annotation.protocols.kinds import Choice, Choices, Edits, Field, Flag, Marks, When
from annotation.protocols.protocol import Protocol
from annotation.protocols.validity.dimensions import NO_DIMENSION
from annotation.protocols.validity.naming import known_dimensions

_NO_OTHER = Wording("qui n'est pas un autre champ", "which is no other field")


def condition_faults(protocol: Protocol, f: Field) -> Iterator[Wording]:
    """Conditions on no field or on no answer of it. Said of the field."""
    others = {field.name: field for field in protocol.fields if field.name != f.name}
    for when in (f.shown_when, f.required_when):
        if when is None:
            continue
        if when.field in others:
            yield from _asked_faults(when, others[when.field])
        else:
            yield Wording(
                f"dépend de {quoted(when.field)}, {_NO_OTHER.fr}",
                f"depends on {when.field!r}, {_NO_OTHER.en}",
            )
    if f.stored_with and f.stored_with not in others:
        yield Wording(
            f"est enregistré avec {quoted(f.stored_with)}, {_NO_OTHER.fr}",
            f"is stored with {f.stored_with!r}, {_NO_OTHER.en}",
        )


def _asked_faults(when: When, other: Field) -> Iterator[Wording]:
    if isinstance(other, Choices) and not when.values:
        yield Wording(
            f"dépend d'une réponse quelconque à {quoted(when.field)}\u00a0: dites laquelle de ses "
            "options",
            f"depends on {when.field!r} being answered at all: say by which of its options",
        )
    try:
        for value in when.values or (None,):
            other.evidence(value)
            if value is not None and not _is_answer(other, value):
                raise ValueError(value)
    except (NotImplementedError, ValueError):  # a ``ShapeError`` is one
        yield Wording(
            f"dépend d'une réponse à {quoted(when.field)} qui n'en est pas une ou ne peut pas être "
            "demandée",
            f"depends on an answer to {when.field!r} that is none or cannot be asked for",
        )


def _is_answer(f: Field, value: int | str | bool) -> bool:
    """Whether an answer can be this value, by its type too: True is 1 to Python and a text «1» is 1
    to the database, and neither to the page."""
    if f.marks:
        return isinstance(value, str)
    if isinstance(f, Choices):
        return not isinstance(value, bool)
    return type(f.clean(value)) is type(value)


def shown_faults(protocol: Protocol) -> Iterator[Wording]:
    """Fields that are shown only by each other: nobody would ever see one of them."""
    shown_by = {f.name: f.shown_when.field for f in protocol.fields if f.shown_when}
    for name in shown_by:
        way = [name]
        while (after := shown_by.get(way[-1])) and after not in way:
            way.append(after)
        if after == name:
            waiting = ", ".join(
                f"{waits} attend {other}" for waits, other in pairwise((*way, name))
            )
            words = Wording(
                f"n'est jamais montré\u00a0: {waiting}",
                f"is never shown: {' waits for '.join((*way, name))}",
            )
            yield of_field(name, words)


def reference_faults(protocol: Protocol) -> Iterator[Wording]:
    """What is predicted, and what rulings are asked for."""
    yield from _predicted_faults(protocol)
    rulings = {ruling.name: ruling for ruling in protocol.rulings}
    for field in protocol.fields:
        ruling_name = field.span_ruling if isinstance(field, Marks) else ""
        ruling_name = field.suggests_ruling if isinstance(field, Edits) else ruling_name
        if ruling_name and ruling_name not in rulings:
            words = Wording(
                f"demande une décision {quoted(ruling_name)} que le protocole n'a pas",
                f"asks for a ruling {ruling_name!r} it lacks",
            )
            yield of_field(field.name, words)
        elif ruling_name and rulings[ruling_name].options:
            words = Wording(
                f"demande oui ou non à {quoted(ruling_name)}, une décision par mots",
                f"asks yes or no of {ruling_name!r}, a ruling of words",
            )
            yield of_field(field.name, words)
    try:
        protocol.clean_rulings({})
    except ValueError as error:
        words = error_words(error)
        yield Wording(
            f"une valeur par défaut de ses décisions n'en est pas une\u00a0: {words.fr}",
            f"a default of its rulings is none: {words.en}",
        )


def _predicted_faults(protocol: Protocol) -> Iterator[Wording]:
    name = protocol.predicted
    scales = {dimension.name: dimension for dimension in known_dimensions(protocol)}
    french, english = f"il prédit {quoted(name)}", f"it predicts {name!r}"
    if name and name not in scales:
        yield Wording(f"{french}, {NO_DIMENSION.fr}", f"{english}, {NO_DIMENSION.en}")
    elif name and scales[name].level == Level.NOMINAL:
        yield Wording(
            f"{french}, dont les valeurs n'ont pas d'ordre\u00a0: prédisez une autre dimension",
            f"{english}, whose classes have no order: predict another",
        )
    elif name and _is_worse_above(scales[name]):
        yield Wording(
            f"{french}, où plus haut n'est pas meilleur\u00a0: les évaluateurs apprennent qu'un "
            "texte identique reçoit la plus haute valeur. Prédisez une autre dimension, ou aucune",
            f"{english}, of which higher is not better: scorers learn that an identical text gets "
            "the highest value. Predict another, or none",
        )


def _is_worse_above(scale: Dimension) -> bool:
    return scale.level != Level.NOMINAL and scale.better != Better.HIGHER


def flag_faults(protocol: Protocol) -> Iterator[Wording]:
    """What flags confirm, and how many of them are doubts."""
    for flag in protocol.fields:
        if isinstance(flag, Flag) and flag.confirms:
            confirmed = {f.name for f in protocol.fields if isinstance(f, Choice)}
            if flag.confirms not in confirmed - {flag.name}:
                words = Wording(
                    f"confirme {quoted(flag.confirms)}, qui n'est pas un champ où se choisit une "
                    "option",
                    f"confirms {flag.confirms!r}, which is no field with options to choose one of",
                )
                yield of_field(flag.name, words)
    if sum(isinstance(f, Flag) and f.is_doubt for f in protocol.fields) > 1:
        yield Wording("il a deux champs de doute (is_doubt)", "it has two flags of doubt")


def layout_faults(protocol: Protocol) -> Iterator[Wording]:
    """Layouts that there are not, or that need what is not asked."""
    dimensions = {dimension.name for dimension in known_dimensions(protocol)}
    for layout in protocol.layouts:
        if layout not in OWN_LAYOUTS:
            known = ", ".join(sorted(OWN_LAYOUTS))
            yield Wording(
                f"il nomme la disposition {quoted(layout)}, qui n'en est pas une\u00a0: il y a "
                f"{known}",
                f"it names the layout {layout!r}, which is none: there are {known}",
            )
        elif lacking := {*OWN_LAYOUTS[layout]} - {*dimensions, *protocol.sides}:
            lacks = min(lacking)
            yield Wording(
                f"sa disposition {quoted(layout)} est faite de {quoted(lacks)}, qu'il ne demande "
                "pas",
                f"its layout {layout!r} is made of {lacks!r}, which it does not ask",
            )
