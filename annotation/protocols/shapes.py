"""Whether a protocol is made of what its classes say: a word where a ``Wording`` belongs, one field
where a tuple does. Found before anything else is asked of it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from annotation.protocols.base import Wording
from annotation.protocols.fault_words import error_words, of_field, quoted
from annotation.protocols.kinds import Field

IT = Wording("il", "it")
"""The protocol itself, of which everything is said."""
_CALLED = {
    "Step": "son étape",
    "Ruling": "sa décision",
    "Panel": "son panneau",
    "Option": "son option",
    "Bracket": "sa fourchette",
    "Operation": "son opération",
    "OperationGroup": "son groupe d'opérations",
}
_FRENCH, _ENGLISH = Wording("français", "French"), Wording("anglais", "English")
_NEEDED = {
    Wording: Wording("écrivez Wording(fr, en)", "write Wording(fr, en)"),
    tuple: Wording(
        "écrivez un tuple, dont la dernière virgule compte\u00a0: (one,)",
        "write a tuple, whose last comma counts: (one,)",
    ),
    str: Wording("écrivez un texte entre guillemets", "write a text between quotation marks"),
    bool: Wording("écrivez True ou False", "write True or False"),
    int: Wording("écrivez un nombre entier", "write a whole number"),
}


def tried(
    ask: Callable[[], Iterable[Wording]], say: Callable[[Wording], Wording]
) -> Iterator[Wording]:
    """What is asked, whatever comes of it: a start ends in a reason, never in a traceback."""
    try:
        yield from ask()
    except Exception as error:  # noqa: BLE001  (somebody's own code: anything may come of it)
        name, words = type(error).__name__, error_words(error)
        yield say(Wording(f"{name}\u00a0: {words.fr}", f"{name}: {words.en}"))


def misshapen(part: Any, called: Wording = IT) -> Iterator[Wording]:
    """What is of another type than its class says, each as a sentence with its remedy."""
    hints: dict[str, Any] = _hints(type(part))  # type: ignore[arg-type]
    for name in (each.name for each in fields(part) if each.name in hints):
        yield from _wrong(getattr(part, name), hints[name], name, called)


def called_or_read(fields_: Iterable[Field]) -> Iterator[Wording]:
    """What a kind has as a method where ``Field`` has a property, or the other way round."""
    for f in fields_:
        for name, ours in vars(Field).items():
            theirs, is_read = getattr(type(f), name), isinstance(ours, property)
            if is_read and isinstance(theirs, FunctionType):
                yield of_field(
                    f.name,
                    Wording(
                        f"a {name} comme méthode\u00a0: mettez @property au-dessus",
                        f"has {name} as a method: put @property above it",
                    ),
                )
            elif isinstance(ours, FunctionType) and isinstance(theirs, property):
                yield of_field(
                    f.name,
                    Wording(
                        f"a {name} comme propriété\u00a0: retirez @property",
                        f"has {name} as a property: take @property away",
                    ),
                )


def half_said(part: Any, called: Wording = IT) -> Iterator[Wording]:
    """Words that it has in one language only."""
    if isinstance(part, Wording):
        if bool(part.fr.strip()) != bool(part.en.strip()):
            lacking = _ENGLISH if part.fr.strip() else _FRENCH
            said = part.fr or part.en
            yield Wording(
                f"{called.fr} dit {quoted(said)} sans {lacking.fr}\u00a0: donnez les deux",
                f"{called.en} says {said!r} without {lacking.en}: give both",
            )
    elif is_dataclass(part) and not isinstance(part, type):
        for each in fields(part):
            yield from half_said(getattr(part, each.name), named(part, called))
    elif isinstance(part, tuple | Mapping):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from half_said(inner, called)


@cache
def _hints(kind: type) -> dict[str, Any]:
    try:
        return get_type_hints(kind)
    except (NameError, TypeError):
        return {}  # a class of somebody's own, whose module does not keep what its hints name


def named(part: Any, called: Wording) -> Wording:
    """A part of a protocol as faults call it: a field and a step by their names, what is in them by
    these."""
    if isinstance(part, Field):
        return Wording(f"son champ {quoted(part.name)}", f"its field {part.name!r}")
    kind = type(part).__name__
    if kind not in _CALLED:
        return called
    name = next((n for by in ("key", "name", "side") if (n := getattr(part, by, ""))), "")
    french, english = f"{_CALLED[kind]} {quoted(name)}", f"{kind.lower()} {name!r}"
    if called == IT:
        return Wording(french, f"its {english}")
    return Wording(f"{called.fr}, {french.partition(' ')[2]}", f"{called.en}, {english}")


def _wrong(value: Any, hint: Any, name: str, called: Wording) -> Iterator[Wording]:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or origin is Literal:
        return
    if origin in (Union, UnionType):
        if not any(_fits(value, kind) for kind in inner):
            wanted = next(kind for kind in inner if kind is not NoneType)
            yield _said(value, wanted, name, called)
        elif is_dataclass(value):
            yield from misshapen(value, named(value, called))
    elif not _fits(value, hint):
        yield _said(value, hint, name, called)
    elif is_dataclass(value):
        yield from misshapen(value, named(value, called))
    else:
        for part, wanted in _inside(value, inner):
            yield from _wrong(part, wanted, name, called)


def _inside(value: Any, inner: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """What stands in a tuple or a table, each with the type that it needs."""
    if isinstance(value, tuple):
        yield from zip(value, inner[:1] * len(value) if Ellipsis in inner else inner, strict=False)
    elif isinstance(value, Mapping):
        yield from ((part, inner[1]) for part in value.values())


def _fits(value: Any, hint: Any) -> bool:
    """Whether it is of this type, whatever is in it."""
    wanted = get_origin(hint) or hint
    if wanted is Any or not isinstance(wanted, type):
        return True
    if wanted is int and isinstance(value, bool):
        return False
    if wanted is tuple and get_args(hint) and Ellipsis not in get_args(hint):
        return isinstance(value, tuple) and len(value) == len(get_args(hint))
    return isinstance(value, wanted)


def _said(value: Any, hint: Any, name: str, called: Wording) -> Wording:
    wanted = get_origin(hint) or hint
    kind, given = getattr(wanted, "__name__", wanted), f"{name}={repr(value)[:60]}"
    remedy = _NEEDED.get(wanted, Wording(f"il faut un {kind}", f"a {kind} is needed"))
    return Wording(
        f"{called.fr} a {given}\u00a0: {remedy.fr}", f"{called.en} has {given}: {remedy.en}"
    )
