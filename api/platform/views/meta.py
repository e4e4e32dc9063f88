"""Who one is; which protocols there are; and nothing else."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import annotations_of, studies_listed
from annotation.models import ApiToken
from annotation.protocols.registry import UnknownProtocol, protocol, published
from api.answers import protocol_facts
from api.platform.serializers import Person, Protocol
from api.resource import Resource


@extend_schema(tags=["you"])
class Me(Resource):
    @extend_schema(responses=Person)
    def get(self, request: Request) -> Response:
        """Who you are, and which studies you have a part in."""
        person = self.person
        facts: dict[str, Any] = {
            "email": person.email,
            "name": person.name,
            "language": person.language,
            "is_admin": person.is_admin,
            "leads": list(studies_listed(person).order_by("key").values_list("key", flat=True)),
            "annotates": list(
                annotations_of(person).order_by("study__key").values_list("study__key", flat=True)
            ),
            "token": request.auth if isinstance(request.auth, ApiToken) else None,
        }
        return Response(Person(facts).data)


@extend_schema(tags=["protocols"])
class ProtocolList(Resource):
    @extend_schema(responses=Protocol(many=True))
    def get(self, request: Request) -> Response:
        """Every published protocol version."""
        return Response([protocol_facts(each) for each in published()])


@extend_schema(tags=["protocols"])
class ProtocolDetail(Resource):
    @extend_schema(responses=Protocol)
    def get(self, request: Request, key: str, version: str) -> Response:
        """One published protocol version; what it says never changes."""
        try:
            return Response(protocol_facts(protocol(key, version)))
        except UnknownProtocol as error:
            raise Http404("no such protocol") from error


@extend_schema(exclude=True)
class NothingHere(APIView):
    """Any other address: a program is told so in the form that it reads."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise Http404("no such address")
