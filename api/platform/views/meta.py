"""Who one is; and nothing else."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import annotations_of, studies_listed
from annotation.models import ApiToken
from api.platform.serializers import Person
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


@extend_schema(exclude=True)
class NothingHere(APIView):
    """Any other address: a program is told so in the form that it reads."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise Http404("no such address")
