"""Names that a request may hold. One that nobody knows is refused: passed over, it would leave a
lead who writes «blind» for «is_blind» with a success and a study that is not blind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.serializers import BaseSerializer, ListField, ListSerializer, Serializer

from annotation.corpus.problems import shown
from annotation.protocols.names import unknown_name
from api.fields import Path, RowNumber, Rows


class Names(NamedTuple):
    """What an object of a body may hold: ``settable``, what of it is an object or a list of
    objects (``inner``), and what only reads give (``read``)."""

    settable: frozenset[str]
    inner: tuple[tuple[str, Names, type | None], ...] = ()
    read: frozenset[str] = frozenset()


class Unknown(NamedTuple):
    """A name that is not known where it stands, cut to what can be shown, and those that are known
    there. ``read``: a read gives it."""

    path: Path
    known: frozenset[str]
    read: bool = False

    @property
    def code(self) -> str:
        return "read_only" if self.read else "unknown"

    @property
    def message(self) -> str:
        """What is wrong with it, in the language of the reader."""
        name, known = self.path[-1], sorted(self.known)
        if self.read:
            words = {"name": name, "known": ", ".join(known)}
            return _("“%(name)s” can only be read. What can be set is: %(known)s.") % words
        return unknown_name(str(name), known).get(get_language() or "fr")


class UnknownNames(ValidationError):
    """A request with names that nobody knows; ``detail`` says what else is wrong with it."""

    def __init__(self, unknown: list[Unknown], detail: Any = None) -> None:
        super().__init__({} if detail is None else detail)
        self.unknown = unknown


def unknown_of(names: Iterable[str], known: Collection[str]) -> dict[str, list[ErrorDetail]]:
    """DRF's details for those of these names that are not known: of an object that stands as a text
    in a form with a file, or of a list of names."""
    language = get_language() or "fr"
    return {
        shown(name): [ErrorDetail(unknown_name(shown(name), known).get(language), "unknown")]
        for name in names
        if name not in known
    }


_NAMES: dict[type[BaseSerializer[Any]], Names] = {}


def names_of(serializer: type[BaseSerializer[Any]]) -> Names:
    """What a body may hold that this serializer reads."""
    if serializer not in _NAMES:
        fields = serializer().fields  # type: ignore[attr-defined]  # objects are read by those that have them
        settable = {name: field for name, field in fields.items() if not field.read_only}
        inner = [(name, *_inside(field)) for name, field in settable.items()]
        _NAMES[serializer] = Names(
            frozenset(settable),
            tuple((name, names_of(read), many) for name, read, many in inner if read is not None),
            frozenset(fields) - settable.keys(),
        )
    return _NAMES[serializer]


def _inside(field: Any) -> tuple[type[BaseSerializer[Any]] | None, type | None]:
    """What reads the object, or each of the objects, that a field holds, if any; and how places in
    the list are named."""
    many = None
    if isinstance(field, ListSerializer | ListField):
        many = RowNumber if isinstance(field, Rows) else str
        field = field.child
    return (type(field) if isinstance(field, Serializer) else None), many


def unknown_in(names: Names, body: Any, path: Path = ()) -> Iterator[Unknown]:
    """The names in a body that are not known where they stand. What is no object and should be one
    is the serializer's to refuse."""
    if not isinstance(body, Mapping):
        return
    if not body.keys() <= names.settable:
        for name in body:
            if name not in names.settable:
                yield Unknown((*path, shown(str(name))), names.settable, name in names.read)
    for name, inner, many in names.inner:
        given = body.get(name)
        if many is None:
            yield from unknown_in(inner, given, (*path, name))
        elif isinstance(given, list):
            for place, part in enumerate(given):
                # Of a hundred thousand rows nearly all are right: for them this is all.
                if isinstance(part, dict) and not inner.inner and part.keys() <= inner.settable:
                    continue
                where = RowNumber(place + 1) if many is RowNumber else str(place)
                yield from unknown_in(inner, part, (*path, name, where))


def not_as_it_stands(
    unknown: Iterator[Unknown], body: Any, stands: Mapping[str, Any] | None
) -> list[Unknown]:
    """Of these, all but what only repeats a read of the same address: ``stands`` is what that
    gives. Programs send back what they have read with something changed."""
    left = []
    for member in unknown:
        name = str(member.path[0])
        if len(member.path) > 1 or not stands or name not in stands:
            left.append(member)
        elif body[name] != stands[name]:
            left.append(member._replace(read=True))
    return left
