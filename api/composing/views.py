"""Which protocols there are; and, for those who may create studies, one of their own."""

from __future__ import annotations

import json

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import composed_protocol_for, may_create_studies
from annotation.bodies import json_body
from annotation.errors import RuleError
from annotation.protocols.files import ProtocolIsCode
from annotation.protocols.protocol import Protocol as PublishedProtocol
from annotation.protocols.registry import UnknownProtocol, protocol, published, written
from annotation.services.composing.installing import protocol_install, protocol_remove
from api.answers import protocol_facts
from api.composing.serializers import Protocol
from api.idempotency import idempotent
from api.resource import Resource

_FILE = {
    "type": "object",
    "additionalProperties": True,
    "description": "A protocol's file, as docs/protocol.schema.json describes it.",
}


@extend_schema(tags=["protocols"])
class ProtocolList(Resource):
    @extend_schema(responses=Protocol(many=True))
    def get(self, request: Request) -> Response:
        """Every published protocol version."""
        return Response([protocol_facts(each) for each in published()])

    @extend_schema(request={"application/json": _FILE}, responses={201: Protocol})
    @idempotent()
    def post(self, request: Request) -> Response:
        """Install a protocol of your own, by its file: new studies can choose it at once, and it
        never changes. For admins and for whoever leads a study already."""
        if not may_create_studies(self.person):
            raise Http404("nothing here")
        file = json.dumps(request.data, ensure_ascii=False, indent=2)
        kept = protocol_install(actor=self.person, file=file)
        return Response(protocol_facts(protocol(kept.key, kept.version)), status=201)


@extend_schema(tags=["protocols"])
class ProtocolDetail(Resource):
    @extend_schema(responses=Protocol)
    def get(self, request: Request, key: str, version: str) -> Response:
        """One published protocol version; what it says never changes."""
        return Response(protocol_facts(_there(key, version)))

    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, key: str, version: str) -> Response:
        """Take one that you installed (any that somebody did, as an admin) away from what new
        studies can choose; refused where a study follows it."""
        installed = composed_protocol_for(self.person, f"{key}-{version}")
        if installed.removed_at is not None:
            raise Http404("no such protocol")
        protocol_remove(actor=self.person, installed=installed)
        return Response(status=204)


@extend_schema(tags=["protocols"])
class ProtocolFile(Resource):
    @extend_schema(responses={(200, "application/json"): _FILE})
    def get(self, request: Request, key: str, version: str) -> Response:
        """A published protocol as its file, to begin another with. For admins and for whoever leads
        a study already; refused for one whose rules are code."""
        if not may_create_studies(self.person):
            raise Http404("nothing here")
        try:
            file = written(_there(key, version))
        except ProtocolIsCode as error:
            raise RuleError.single(
                "",
                "code",
                "Ce protocole est plus qu'un fichier\u00a0: ses règles sont du code. Partez d'un "
                "autre.",
                "This protocol is more than a file holds: its rules are code. Begin with another.",
            ) from error
        return Response(json_body(file.encode()))


def _there(key: str, version: str) -> PublishedProtocol:
    # Also where this process knew one that was removed in another.
    published()
    try:
        return protocol(key, version)
    except UnknownProtocol as error:
        raise Http404("no such protocol") from error
