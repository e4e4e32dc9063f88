"""The JSON Schema of a protocol's file (``files.py``), by which editors complete and underline it.
Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin

from annotation.protocols.files import PLAIN, SCHEMA, members
from annotation.protocols.kinds import KINDS, Field
from annotation.protocols.protocol import Protocol


def protocol_schema() -> dict[str, Any]:
    """The schema (2020-12)."""
    definitions: dict[str, Any] = {}
    root = _object(Protocol, definitions)
    definitions["Protocol"]["properties"][SCHEMA] = {"type": "string"}
    return {
        SCHEMA: "https://json-schema.org/draft/2020-12/schema",
        "title": "A protocol of Barème",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def _of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Of what stands under this type hint."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return {"anyOf": [_of(kind, definitions) for kind in inner]}
    if origin is tuple:
        return _list(inner, definitions)
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _of(inner[1], definitions)}
    if is_dataclass(hint):
        return _object(cast(type[Any], hint), definitions)
    if hint is NoneType:
        return {"type": "null"}
    return {"enum": [*hint]} if issubclass(hint, StrEnum) else {"type": PLAIN[hint][0]}


def _list(inner: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    if Ellipsis in inner:
        return {"type": "array", "items": _of(inner[0], definitions)}
    parts = [_of(kind, definitions) for kind in inner]
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "items": False}


def _object(kind: type[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # what it holds may hold it
        if kind is Field:
            definitions[name] = {"oneOf": [_object(each, definitions) for each in KINDS.values()]}
        else:
            definitions[name] = _described(kind, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _described(kind: type[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    properties = {name: _of(member.hint, definitions) for name, member in members(kind).items()}
    needed = [name for name, member in members(kind).items() if member.is_needed]
    if issubclass(kind, Field):
        properties, needed = {"kind": {"const": kind.kind}} | properties, ["kind", *needed]
    return {
        "type": "object",
        "description": " ".join(cleandoc(kind.__doc__ or "").partition("\n\n")[0].split()),
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }
