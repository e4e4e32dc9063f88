"""What an operation takes, from its own description: what is described and what is taken are one.

Rests on a part of drf-spectacular that is nobody's to rely on: where ``extend_schema`` leaves a
handler's description (``handler.kwargs["schema"]``), from which it makes openapi.yaml itself.

What would remove it: a way of the library's to ask a view for the description of one of its
operations while it answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.datastructures import MultiValueDict
from django.utils.translation import get_language
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request, is_form_media_type
from rest_framework.views import APIView

from annotation.corpus.problems import shown
from annotation.protocols.base import Wording
from api.fields import Path, RowNumber
from api.known import Names, Unknown, UnknownNames, names_of

READ_AGAINST = "0.30"
"""The drf-spectacular that this was read against (``tests/house/test_read_against.py``)."""


@dataclass(frozen=True)
class Taken:
    """What an operation takes, as the description says it."""

    parameters: frozenset[str]
    has_body: bool
    body: type[serializers.BaseSerializer[Any]] | None
    """What reads the body, where one serializer does."""


_TAKEN: dict[tuple[Any, str], Taken] = {}


def check_request(view: APIView, request: Request) -> None:
    """Raises ``UnknownNames`` for a parameter of the address that the operation's description does
    not name, and for a body where it has none; ``ValidationError`` for a parameter given twice."""
    has_query = bool(request.META.get("QUERY_STRING"))
    has_body = (
        request.method not in SAFE_METHODS and request.META.get("CONTENT_LENGTH") not in _NO_BODY
    )
    handler = getattr(view, str(request.method).lower(), None)
    # A method that there is not is refused as such; OPTIONS is the framework's own.
    if not (has_query or has_body) or not hasattr(handler, "kwargs"):
        return
    taken = _taken(view, "GET" if request.method == "HEAD" else str(request.method))
    if has_query and not request.query_params.keys() <= taken.parameters:
        _refuse(request.query_params, taken.parameters)
    if has_query:
        check_repeated(request.query_params)
    if has_body and not taken.has_body and (members := _members(request)):
        _refuse(members, frozenset())


def check_repeated(form: Any) -> None:
    """Raises ``ValidationError`` for what is given more than once behind the ``?`` or in a form:
    none repeats, and of two values one would be lost."""
    repeated = (
        {name: len(form.getlist(name)) for name in form if len(form.getlist(name)) > 1}
        if isinstance(form, MultiValueDict)
        else {}
    )
    if repeated:
        raise serializers.ValidationError(
            {name: [_repeated(shown(name), number)] for name, number in repeated.items()}
        )


def _repeated(name: str, number: int) -> ErrorDetail:
    words = Wording(
        f"«\u00a0{name}\u00a0» est donné {number} fois, et n'a qu'une valeur\u00a0: gardez-en une.",
        f"“{name}” is given {number} times, and has one value: keep one of them.",
    )
    return ErrorDetail(words.get(get_language() or "fr"), code="twice")


def place_in_body(view: APIView, method: str, path: tuple[str | int, ...]) -> Path:
    """The way to a part of a body, as refusals say it: in an import by its row."""
    handler = getattr(view, method.lower(), None)
    body = _taken(view, method).body if hasattr(handler, "kwargs") else None
    names = names_of(body) if body is not None else Names(frozenset())
    place: list[str | RowNumber] = []
    many: type | None = None
    for part in path:
        if isinstance(part, int):
            place.append(RowNumber(part + 1) if many is RowNumber else str(part))
            continue
        inner = {name: (there, how) for name, there, how in names.inner}
        names, many = inner.get(part, (Names(frozenset()), None))
        place.append(shown(part))
    return tuple(place)


_NO_BODY = (None, "", "0")


def _members(request: Request) -> Collection[str]:
    """The names in a body that nothing is to be read from. A form of no fields is no body: some
    clients send one with every POST."""
    if is_form_media_type(request.content_type):
        form = request._request  # noqa: SLF001  (the framework's own parsers read JSON only here)
        return [*form.POST, *form.FILES]
    return request.data if isinstance(request.data, dict) else ()


def _refuse(names: Iterable[str], known: frozenset[str]) -> None:
    raise UnknownNames([Unknown((shown(name),), known) for name in names if name not in known])


def _taken(view: APIView, method: str) -> Taken:
    """From what ``extend_schema`` left on the handler, read once a process."""
    key = type(view), method
    if key not in _TAKEN:
        described = getattr(view, method.lower()).kwargs["schema"]()
        described.view, described.method = view, method
        queries = described.get_override_parameters()
        body = None if method in SAFE_METHODS else described.get_request_serializer()
        _TAKEN[key] = Taken(
            frozenset(name for query in queries for name in _names(query)),
            body is not None,
            body
            if isinstance(body, type) and issubclass(body, serializers.BaseSerializer)
            else None,
        )
    return _TAKEN[key]


def _names(query: OpenApiParameter | type[serializers.Serializer[Any]]) -> Collection[str]:
    if isinstance(query, OpenApiParameter):
        return [query.name] if query.location == OpenApiParameter.QUERY else []
    return names_of(query).settable
