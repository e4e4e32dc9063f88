"""Answers as programs send and get them: derived from the protocol's steps and fields, which stay
the only home of what may be answered."""

from __future__ import annotations

from typing import Any

from django.utils.translation import get_language
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework import serializers

from annotation.protocols.base import Wording
from annotation.protocols.fields import (
    SPAN_NAMES,
    BracketedScale,
    Choice,
    ErrorList,
    Field,
    Flag,
    Keyword,
    Text,
    Whole,
)
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS

JsonSchema = dict[str, Any]


def field_schema(field: Field) -> JsonSchema:
    """The JSON Schema of what a field's ``clean`` reads. Raises ``TypeError`` for a kind that
    nobody described."""
    match field:
        case Choice():
            return {
                "type": ["integer", "null"],
                "enum": [*(option.value for option in field.options), None],
            }
        case BracketedScale():
            return {
                "type": ["integer", "null"],
                "enum": [*(bracket.value for bracket in field.brackets), None],
            }
        case Text():
            return {"type": "string", "maxLength": field.max_length}
        case Flag():
            return {"type": "boolean"}
        case Keyword():
            return {"type": "string", "enum": ["", *field.allowed]}
        case Whole():
            return {"type": ["integer", "null"], "minimum": field.lowest, "maximum": field.highest}
        case ErrorList():
            return {"type": "array", "maxItems": field.max_errors, "items": _error_schema(field)}
        case _:
            raise TypeError(f"no schema for {type(field).__name__}: describe it here")


def _error_schema(field: ErrorList) -> JsonSchema:
    offset = {
        "type": ["integer", "null"],
        "description": "Code points; start included, end excluded.",
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "type": {"type": "string", "enum": ["", *(option.key for option in field.types)]},
            "note": {"type": "string", "maxLength": field.max_note},
            **dict.fromkeys(SPAN_NAMES, offset),
        },
    }


def answers_schema(protocol: Protocol) -> JsonSchema:
    """The JSON Schema of a protocol's answers. None is required: a draft may be incomplete."""
    return {
        "type": "object",
        "additionalProperties": False,
        "description": f"{protocol.title.en}, version {protocol.version}.",
        "properties": {field.name: field_schema(field) for field in protocol.fields},
    }


def protocol_facts(protocol: Protocol) -> dict[str, Any]:
    """A protocol as programs read it, in the language of the reader."""
    return {
        "key": protocol.key,
        "version": protocol.version,
        "title": _text(protocol.title),
        "dimensions": list(protocol.dimensions),
        "steps": [
            {
                "key": step.key,
                "question": _text(step.question),
                "fields": [_field_facts(field) for field in step.fields],
            }
            for step in protocol.steps
        ],
        "answers_schema": answers_schema(protocol),
    }


def _field_facts(field: Field) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": field.name,
        "label": _text(field.label),
        "kind": type(field).__name__,
    }
    options = getattr(field, "options", None) or getattr(field, "types", None)
    if options:
        facts["options"] = [
            {
                "value": option.value,
                "key": option.key,
                "label": _text(option.label),
                "help": _text(option.help),
            }
            for option in options
        ]
    if isinstance(field, BracketedScale):
        facts["brackets"] = [
            {
                "value": one.value,
                "key": one.key,
                "bottom": one.bottom,
                "top": one.top,
                "label": _text(one.label),
            }
            for one in field.brackets
        ]
    return facts


def _text(wording: Wording) -> str:
    return wording.get(get_language() or "fr")


class AnswersField(serializers.Field[Any, Any, Any, Any]):
    """Answers to whatever protocol the study pins. Taken as they are: the service reads them
    through the study's protocol, which this place does not know."""

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class AnswersSchema(OpenApiSerializerFieldExtension):
    """In the description: the answers of one of the published protocols."""

    target_class = "api.answers.AnswersField"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> Any:
        return {"anyOf": [_component(auto_schema, protocol) for protocol in PROTOCOLS.values()]}


def _component(auto_schema: Any, protocol: Protocol) -> Any:
    component = ResolvedComponent(
        name="".join(part.title() for part in protocol.key.split("_"))
        + protocol.version
        + "Answers",
        type=ResolvedComponent.SCHEMA,
        object=f"{protocol.key} {protocol.version}",
        schema=answers_schema(protocol),
    )
    auto_schema.registry.register_on_missing(component)
    return component.ref
