"""Answers as programs send and get them: derived from the protocol's steps and fields, which stay
the only home of what may be answered."""

from __future__ import annotations

from typing import Any

from django.utils.translation import get_language
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework import serializers

from annotation.protocols.base import Wording
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import COMPOSED, PROTOCOLS

JsonSchema = dict[str, Any]


def answers_schema(protocol: Protocol) -> JsonSchema:
    """The JSON Schema of a protocol's answers. None is required: a draft may be incomplete."""
    return {
        "type": "object",
        "additionalProperties": False,
        "description": f"{protocol.title.en}, version {protocol.version}.",
        "properties": {field.name: field.schema() for field in protocol.fields},
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
    return {
        "name": field.name,
        "label": _text(field.label),
        "kind": field.kind,
        **field.conditions(),
        **field.facts(_text),
    }


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
        # Not what people have installed: the description is the same for everybody, and public.
        known = [protocol for name, protocol in list(PROTOCOLS.items()) if name not in COMPOSED]
        return {"anyOf": [_component(auto_schema, protocol) for protocol in known]}


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
