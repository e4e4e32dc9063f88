"""A protocol as data and back: what a study was judged by stays readable where the protocol itself
is no longer installed. Pure: no Django here.

Everything but its functions is kept, and of each field beside its parameters what its kind made of
it: where the kind itself is gone, or takes other parameters, ``Former`` stands in for it. A
protocol that was read back says so (``is_installed``) and refuses every judgment: its rules are
not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from annotation.protocols.base import (
    Answers,
    Better,
    Dimension,
    Level,
    Option,
    PairFacts,
    Problem,
    Ruling,
    Rulings,
    Wording,
)
from annotation.protocols.columns import Column, Value
from annotation.protocols.kinds import (
    KINDS,
    Bracket,
    Field,
    Former,
    Operation,
    OperationGroup,
    When,
)
from annotation.protocols.protocol import (
    About,
    Expectation,
    JudgeWords,
    Panel,
    Protocol,
    Step,
)

_KINDS: dict[str, type[Field]] = {kind.__name__: kind for kind in KINDS.values()}
_CLASSES: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (
        About,
        Bracket,
        Column,
        Dimension,
        Expectation,
        JudgeWords,
        Operation,
        OperationGroup,
        Option,
        Panel,
        Protocol,
        Ruling,
        Step,
        Value,
        When,
        Wording,
    )
}
_OF_ANY_FIELD = frozenset(field.name for field in fields(Field))
_OF_FORMER = frozenset(field.name for field in fields(Former)) - _OF_ANY_FIELD - {"was"}
_FUNCTIONS = {("Protocol", "rules"), ("Protocol", "finding"), ("JudgeWords", "hints")}
_CLASS, _AMOUNTS = "_class", "_amounts"
_ENUMS: dict[str, type[Level] | type[Better]] = {"_level": Level, "_better": Better}
_UNREADABLE = (KeyError, TypeError, ValueError)

NOT_INSTALLED = Problem(
    "protocol",
    "not_installed",
    Wording(
        "Le protocole de cette étude n'est plus installé : vos réponses sont gardées, et "
        "rien ne peut être soumis. Prévenez qui dirige l'étude.",
        "The protocol of this study is no longer installed: your answers are kept, and "
        "nothing can be submitted. Tell whoever runs the study.",
    ),
)


def described(protocol: Protocol) -> dict[str, Any]:
    """The protocol as JSON takes it, without its functions."""
    description: dict[str, Any] = _plain(protocol)
    return description


def recovered(description: Mapping[str, Any]) -> Protocol:
    """The protocol that ``described`` gave this of, to read and export what was judged by it.

    Raises ``KeyError`` or ``TypeError`` for what is no description.
    """
    protocol = _built(dict(description) | {"is_installed": False, "rules": _refused})
    if not isinstance(protocol, Protocol):
        raise TypeError("no description of a protocol")
    return protocol


def _refused(_answers: Answers, _facts: PairFacts, _rulings: Rulings) -> list[Problem]:
    return [NOT_INSTALLED]


def _plain(value: Any) -> Any:
    for name, enum in _ENUMS.items():
        if isinstance(value, enum):
            return {name: value.value}
    if isinstance(value, Enum):
        raise TypeError(f"{type(value).__name__} in a protocol is not known here")
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        parts = {_CLASS: name} | {
            field.name: _plain(getattr(value, field.name))
            for field in fields(value)
            if (name, field.name) not in _FUNCTIONS
        }
        return parts | {_AMOUNTS: _amounts(value)} if isinstance(value, Field) else parts
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return value


def _amounts(field: Field) -> dict[str, Any]:
    """What a kind makes of its field: parameters of ``Former``, should it go."""
    try:
        exported = field.export()
    except NotImplementedError:
        exported = None  # ``validity`` refuses it at start
    amounts = {
        "scales": field.dimensions,
        "types": field.marks,
        "has_marks": bool(field.marks),
        "free": field.free_members,
        "texts": field.sides,
        "columns": exported.columns if exported else (),
        "reads": exported.reads if exported else (),
        "blank": field.empty,
        "said": field.presented,
    }
    plain: dict[str, Any] = _plain(amounts)
    return plain


def _built(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_built(part) for part in value)
    if not isinstance(value, dict):
        return value
    for name, enum in _ENUMS.items():
        if name in value:
            return enum(value[name])
    inner = {
        # Whatever stands there is a field, of a kind that is known or not.
        key: tuple(map(_field, part))
        if (value.get(_CLASS), key) == ("Step", "fields")
        else _built(part)
        for key, part in value.items()
        if key != _CLASS
    }
    if _CLASS not in value:
        return inner
    cls = _CLASSES[value[_CLASS]]
    # What a class said once and no longer does is left out: it is read alone.
    known = {field.name for field in fields(cls)}
    return cls(**{name: part for name, part in inner.items() if name in known})


def _field(value: Mapping[str, Any]) -> Field:
    """By its kind, or as what was kept of it where the kind is gone or takes other parameters."""
    given = {key: part for key, part in value.items() if key not in (_CLASS, _AMOUNTS)}
    try:
        return _KINDS[value[_CLASS]](**{key: _built(part) for key, part in given.items()})
    except _UNREADABLE:
        own = {key: _built(part) for key, part in given.items() if key in _OF_ANY_FIELD}
        return Former(was=str(value.get(_CLASS, "")), **own, **_amounted(value))


def _amounted(value: Mapping[str, Any]) -> dict[str, Any]:
    """What was kept of a field; nothing where that cannot be read either. What is not kept is not
    known: any text may be somebody's, then."""
    kept = value.get(_AMOUNTS) or {}
    try:
        return {key: _built(part) for key, part in kept.items() if key in _OF_FORMER}
    except _UNREADABLE:
        return {}


def unkept(description: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of a description, as they stand in it, whose kind is gone and of which it says
    nothing more: it is from before anything was kept of them."""
    return [
        field
        for step in description.get("steps", ())
        for field in step.get("fields", ())
        if _AMOUNTS not in field and not _field(field).is_known
    ]


def amounts_keep(field: dict[str, Any], scales: Sequence[Dimension], *, has_marks: bool) -> None:
    """Put into a field of ``unkept`` what was found stored of it."""
    field[_AMOUNTS] = _plain({"scales": tuple(scales), "has_marks": has_marks})
