"""A protocol as a file of JSON, composed without Python: read and written.

What a file says is what the classes say, name for name (``docs/architecture.md``, *Adding a
protocol*): an object for each of them, a list for a tuple, ``{"fr": …, "en": …}`` for a
``Wording``, and a field's kind as its ``kind``. What is a function (``rules``, ``finding``,
``hints``) is code, which a file does not hold. Whether the whole is a protocol ``validity`` says;
what editors are told of such a file, ``file_schema``. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from dataclasses import Field as DataclassField
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from annotation.protocols.base import Wording
from annotation.protocols.fault_words import numbered, quoted
from annotation.protocols.kinds import KINDS, Field
from annotation.protocols.names import shown, unknown_name
from annotation.protocols.protocol import JudgeWords, Protocol, no_finding, no_rules

LARGEST = 1_000_000
"""Characters of a file: the longest protocol here has a thirtieth."""
MOST = 500
"""Entries of one list, and faults that are named."""
FARTHEST = 1_000_000
"""From 0: what a scale may hold ``validity`` says."""
SCHEMA = "$schema"
"""Where a file names the schema that its editor knows it by; of no other meaning."""
_FUNCTIONS = {(Protocol, "rules"), (Protocol, "finding"), (JudgeWords, "hints")}
_NOT_SAID = {*_FUNCTIONS, (Protocol, "is_installed")}
_PARSED = {
    "Expecting value": "il manque une valeur",
    "Expecting ',' delimiter": "il manque une virgule, ou ce qui ferme, avant cet endroit",
    "Expecting ':' delimiter": "il manque un deux-points",
    "Expecting property name enclosed in double quotes": "il manque un nom entre guillemets",
    "Unterminated string starting at": "ce texte n'a pas de guillemet à la fin",
    "Extra data": "quelque chose suit la fin de l'objet",
    "Invalid control character at": "une tabulation ou un retour à la ligne dans un texte",
    "Invalid \\escape": "une barre oblique inverse devant autre chose que ce qu'elle protège",
    "Invalid \\uXXXX escape": "\\u n'est pas suivi de quatre chiffres hexadécimaux",
    "Illegal trailing comma before end of object": "une virgule devant la fin d'un objet",
    "Illegal trailing comma before end of array": "une virgule devant la fin d'une liste",
}
"""What Python says of JSON that is none, in French."""
PLAIN: dict[Any, tuple[str, Wording]] = {
    str: ("string", Wording("un texte", "a text")),
    bool: ("boolean", Wording("true ou false", "true or false")),
    int: ("integer", Wording("un nombre entier", "a whole number")),
}
"""What a schema calls them, and people."""
_OBJECT, _LIST = Wording("un objet {…}", "an object {…}"), Wording("une liste […]", "a list […]")
_FILE = Wording("le fichier", "the file")


class ProtocolUnreadable(ValueError):
    """A file that is no protocol's; ``faults`` say where and why, a sentence each."""

    def __init__(self, faults: list[Wording]) -> None:
        super().__init__("; ".join(fault.en for fault in faults))
        self.faults = faults


class ProtocolIsCode(ValueError):
    """A protocol that a file cannot hold; ``functions`` are what of it is code."""

    def __init__(self, protocol: Protocol, functions: list[str]) -> None:
        super().__init__(f"{protocol.name}: {', '.join(functions)}")
        self.functions = functions


# -- read -----------------------------------------------------------------------------------------


def file_text(content: bytes) -> str:
    """The text of a file. Raises ``ProtocolUnreadable``."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProtocolUnreadable(
            [
                Wording(
                    f"il n'est pas en UTF-8 (octet {error.start})\u00a0: enregistrez-le en UTF-8",
                    f"it is not UTF-8 (byte {error.start}): save it as UTF-8",
                )
            ]
        ) from error
    if len(text) > LARGEST:
        raise ProtocolUnreadable(
            [
                Wording(
                    f"il a {numbered(len(text))} caractères\u00a0: {numbered(LARGEST)} au plus "
                    "sont lus",
                    f"it has {len(text):,} characters: at most {LARGEST:,} are read",
                )
            ]
        )
    return text


def protocol_read(text: str) -> Protocol:
    """The protocol that a file holds; whether it can be judged by is not asked here (``validity``).

    Raises ``ProtocolUnreadable`` with what is wrong, each at its place
    (``steps[reading].fields[ease].options[2].label``: by key or name, else by number from 1).
    """
    reader = _Reader([])
    protocol = None
    try:
        given = reader.parsed(text.removeprefix("\ufeff"))
        if isinstance(given, dict):
            given = {name: value for name, value in given.items() if name != SCHEMA}
        if not reader.is_unparsed:
            protocol = reader.made(Protocol, given, "")
    except RecursionError:
        reader.add_fault(
            "il est imbriqué trop profondément pour être lu", "it is nested too deeply to be read"
        )
    if (more := len(reader.faults) - MOST) > 0:
        reader.faults[MOST:] = [Wording(f"et {more} de plus", f"and {more} more")]
    if reader.faults or not isinstance(protocol, Protocol):
        raise ProtocolUnreadable(reader.faults)
    return protocol


def question_read(given: Mapping[str, Any]) -> Field | None:
    """The question that a part of a file describes; None where that cannot be read."""
    reader = _Reader([], is_worded=False)
    question = reader.made(Field, dict(given), "")
    return question if isinstance(question, Field) and not reader.faults else None


def says_the_same(before: str, now: str) -> bool:
    """Whether two files say the same, however they are laid out: word for word, or, where one says
    what holds anyway, by what they make. ``now`` is a protocol's."""
    if not before:
        return False
    try:
        return bool(_said(before) == _said(now) or protocol_read(before) == protocol_read(now))
    except ProtocolUnreadable:
        return False  # of another version of Barème, which knew something more


def first_difference(before: str, now: str) -> str:
    """The first place, as ``protocol_read`` names places, at which two files say something else; ""
    for none."""
    return next(_differences(_said(before), _said(now), ""), "")


def _differences(before: Any, now: Any, way: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in dict.fromkeys((*before, *now)):
            place = f"{way}.{name}" if way else name
            yield from _differences(before.get(name), now.get(name), place)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, (former, present) in enumerate(zip(before, now, strict=True), 1):
            place = f"{way}[{_called(present) or number}]"
            yield from _differences(former, present, place)
    elif before != now:
        yield way


def _said(text: str) -> Any:
    given = json.loads(text)
    return {name: value for name, value in given.items() if name != SCHEMA}


class _Lacking:
    """Stands where something could not be read; why is among the faults."""


@dataclass
class _Reader:
    """Reads one file; ``faults`` grow as it goes, counted alone where they are not ``is_worded``:
    to look for what was meant takes its time."""

    faults: list[Wording]
    is_unparsed: bool = False
    is_worded: bool = True

    def add_fault(self, french: str, english: str) -> None:
        """Add what is wrong."""
        self.faults.append(Wording(french, english))

    def parsed(self, text: str) -> Any:
        """What stands in a file, whatever it is; None where that cannot be told."""
        try:
            if text.strip():
                return json.loads(
                    text, object_pairs_hook=self._object, parse_constant=self._constant
                )
            self.add_fault("il est vide", "it is empty")
        except json.JSONDecodeError as error:
            french = _PARSED.get(error.msg, "ce n'est pas du JSON")
            self.add_fault(
                f"ligne {error.lineno}, colonne {error.colno}\u00a0: {french} (JSON n'a pas de "
                "commentaires, pas de virgule devant ] ou "
                "}, pas d'autres guillemets que \", et true, non True)",
                f"line {error.lineno}, column {error.colno}: {error.msg} (JSON has no comments, no "
                'comma before a closing bracket, no other quotation marks than ", and true, not '
                "True)",
            )
        except ValueError:
            self.add_fault(
                "il contient un nombre de milliers de chiffres",
                "it holds a number of thousands of digits",
            )
        self.is_unparsed = True
        return None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for name, value in pairs:
            if name in given:
                where = _called(given) or _called(dict(pairs))
                self.add_fault(
                    f"{where or 'un objet'} dit {quoted(name)} deux fois\u00a0: n'en laissez qu'un",
                    f"{where or 'an object'} says {shown(name)!r} twice: leave one",
                )
            given[name] = value
        return given

    def _constant(self, name: str) -> None:
        self.add_fault(f"{name} n'est pas un nombre ici", f"{name} is no number here")

    def made(self, kind: type[Any], given: Any, way: str) -> Any:
        """The object of this class that ``given`` describes."""
        if not isinstance(given, dict):
            return self._refused(given, way, _OBJECT)
        if kind is Field:
            name = given.get("kind")
            if not isinstance(name, str) or name not in KINDS:
                return self._kindless(given, way)
            given = {member: value for member, value in given.items() if member != "kind"}
            kind = KINDS[name]
        known = members(kind)
        for name in given:
            if name not in known:
                self._unknown(kind, name, way)
        values = {}
        for name, member in known.items():
            place = f"{way}.{name}" if way else name
            if name in given:
                values[name] = self._value(given[name], member.hint, place)
            elif member.is_needed:
                self.add_fault(f"{place} manque", f"{place} is missing")
                values[name] = _Lacking()
        if any(isinstance(value, _Lacking) for value in values.values()):
            return _Lacking()
        return kind(**values)

    def _kindless(self, given: dict[str, Any], way: str) -> _Lacking:
        place, known = f"{way}.kind", ", ".join(KINDS)
        if "kind" not in given:
            self.add_fault(
                f"{place} manque\u00a0: l'un de {known}", f"{place} is missing: one of {known}"
            )
        else:
            due = Wording(f"il faut l'un de {known}", f"one of {known} is due")
            name = given["kind"]
            words = unknown_name(name, KINDS) if isinstance(name, str) else due
            self._at(Wording(place, place), words)
        return _Lacking()

    def _at(self, place: Wording, words: Wording) -> None:
        self.add_fault(f"{place.fr}\u00a0: {words.fr}", f"{place.en}: {words.en}")

    def _unknown(self, kind: type[Any], name: str, way: str) -> None:
        if len(self.faults) > MOST or not self.is_worded:
            self.add_fault("", "")
            return
        if (kind, name) in _FUNCTIONS:
            words = Wording(
                f"{name} est du code, qu'un fichier ne contient pas\u00a0: écrivez un module pour "
                "cela",
                f"{name} is code, which a file does not hold: write a module for it",
            )
        else:
            words = unknown_name(name, members(kind))
        self._at(_place(way), words)

    def _value(self, given: Any, hint: Any, way: str) -> Any:
        """``given`` as this type hint wants it."""
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            return self._of_several(given, inner, way)
        if origin is tuple:
            return self._tuple(given, inner, way)
        if origin is Mapping:
            return self._table(given, inner[1], way)
        if is_dataclass(hint):
            return self.made(cast(type[Any], hint), given, way)
        if issubclass(hint, StrEnum):
            if isinstance(given, str) and given in {*hint}:
                return hint(given)
            known = ", ".join(hint)
            return self._refused(given, way, Wording(f"l'un de {known}", f"one of {known}"))
        return self._plain(given, hint, way)

    def _plain(self, given: Any, hint: Any, way: str) -> Any:
        if type(given) is not hint:
            return self._refused(given, way, PLAIN[hint][1])
        if hint is int and abs(given) > FARTHEST:
            farthest = Wording(
                f"un nombre jusqu'à {numbered(FARTHEST)}", f"a number up to {FARTHEST:,}"
            )
            return self._refused(given, way, farthest)
        if hint is str and (unfit := unstorable(given)):
            self.add_fault(
                f"{way} contient {unfit}, qui n'est pas du texte\u00a0: retirez-le",
                f"{way} holds {unfit}, which is no text: take it out",
            )
        return given

    def _table(self, given: Any, hint: Any, way: str) -> Any:
        if not isinstance(given, dict):
            return self._refused(given, way, _OBJECT)
        values = {
            name: self._value(value, hint, f"{way}.{shown(name)}") for name, value in given.items()
        }
        lacks = any(isinstance(value, _Lacking) for value in values.values())
        return _Lacking() if lacks else values

    def _of_several(self, given: Any, hints: tuple[Any, ...], way: str) -> Any:
        if given is None and NoneType in hints:
            return None
        kinds = [hint for hint in hints if hint is not NoneType]
        hint = next((hint for hint in kinds if _is_of(given, hint)), None)
        if hint is None and len(kinds) > 1:
            wanted = [_wanted(hint) for hint in kinds]
            several = Wording(
                " ou ".join(words.fr for words in wanted),
                " or ".join(words.en for words in wanted),
            )
            return self._refused(given, way, several)
        return self._value(given, hint or kinds[0], way)

    def _tuple(self, given: Any, inner: tuple[Any, ...], way: str) -> Any:
        if not isinstance(given, list):
            return self._refused(given, way, _LIST)
        if len(given) > MOST:
            self.add_fault(
                f"{way} a {numbered(len(given))} éléments\u00a0: {MOST} au plus sont lus",
                f"{way} has {len(given):,} entries: at most {MOST} are read",
            )
            return _Lacking()
        if Ellipsis not in inner and (due := len(inner)) != len(given):
            wanted = Wording(f"une liste de {due}", f"a list of {due}")
            return self._refused(given, way, wanted)
        hints = inner[:1] * len(given) if Ellipsis in inner else inner
        values = tuple(
            self._value(value, hint, f"{way}[{_called(value) or number}]")
            for number, (value, hint) in enumerate(zip(given, hints, strict=True), 1)
        )
        return _Lacking() if any(isinstance(value, _Lacking) for value in values) else values

    def _refused(self, given: Any, way: str, wanted: Wording) -> _Lacking:
        words, place = shown(json.dumps(given, ensure_ascii=False, default=str)), _place(way)
        self.add_fault(
            f"{place.fr} est {words}\u00a0: il faut {wanted.fr}",
            f"{place.en} is {words}: {wanted.en} is needed",
        )
        return _Lacking()


def _place(way: str) -> Wording:
    return Wording(way, way) if way else _FILE


def unstorable(text: str) -> str:
    """The first character that no database or page can hold, as its number; "" for none."""
    for character in text:
        if (character < " " and character not in "\n\t") or "\ud800" <= character <= "\udfff":
            return f"U+{ord(character):04X}"
    return ""


def _called(given: Any) -> str:
    """What an object is called, as places in a file name it."""
    for member in ("key", "name", "side"):
        if isinstance(given, dict) and isinstance(given.get(member), str) and given[member]:
            return shown(given[member])
    return ""


def _is_of(given: Any, hint: Any) -> bool:
    if is_dataclass(hint):
        return isinstance(given, dict)
    if get_origin(hint) is tuple:
        return isinstance(given, list)
    return type(given) is hint


def _wanted(hint: Any) -> Wording:
    return PLAIN[hint][1] if hint in PLAIN else _LIST


# -- written --------------------------------------------------------------------------------------


def protocol_text(protocol: Protocol) -> str:
    """The protocol as a file, which ``protocol_read`` makes an equal one of; what holds where
    nothing is said is left out. Raises ``ProtocolIsCode`` for one with functions of its own."""
    if functions := _functions(protocol):
        raise ProtocolIsCode(protocol, functions)
    return json.dumps(_plain(protocol), ensure_ascii=False, indent=2) + "\n"


def is_code(protocol: Protocol) -> bool:
    """Whether it has functions of its own, which no file can hold."""
    return bool(_functions(protocol))


def without_code(protocol: Protocol) -> Protocol:
    """The same as far as a file can hold it: without refusals across answers, what a machine finds
    in a pair, the boxes that uphold an answer against that, and what models are told of a study's
    rulings. Its layouts are those of published data, which were judged by all of it."""
    steps = tuple(
        replace(step, fields=tuple(f for f in step.fields if not getattr(f, "confirms", "")))
        for step in protocol.steps
    )
    return replace(
        protocol,
        steps=steps,
        rules=no_rules,
        finding=no_finding,
        judge=JudgeWords(protocol.judge.prompt),
        layouts=(),
    )


def _functions(protocol: Protocol) -> list[str]:
    return [*_functions_of(protocol), *_functions_of(protocol.judge)]


def _functions_of(part: Any) -> Iterator[str]:
    for member in fields(part):
        if (type(part), member.name) in _FUNCTIONS and not _is_default(part, member):
            yield member.name


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        written = {"kind": value.kind} if isinstance(value, Field) else {}
        return written | {
            member.name: _plain(getattr(value, member.name))
            for member in fields(value)
            if member.name in members(type(value)) and not _is_default(value, member)
        }
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return value.value if isinstance(value, StrEnum) else value


def _is_default(part: Any, member: DataclassField[Any]) -> bool:
    default = member.default
    if default is MISSING and member.default_factory is not MISSING:
        default = member.default_factory()
    return bool(getattr(part, member.name) == default)


@dataclass(frozen=True)
class Member:
    """What a file may say of a class under one name."""

    hint: Any
    is_needed: bool


_members: dict[type[Any], dict[str, Member]] = {}


def members(kind: type[Any]) -> dict[str, Member]:
    """What a file may say of a class, by name, in the class's own order; looked up once."""
    if kind not in _members:
        hints = get_type_hints(kind)
        _members[kind] = {
            member.name: Member(
                hints[member.name],
                member.default is MISSING and member.default_factory is MISSING,
            )
            for member in fields(kind)
            if (kind, member.name) not in _NOT_SAID
        }
    return _members[kind]
