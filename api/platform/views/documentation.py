"""The API's own description, for programs and for people."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The description, made once: it depends on the code alone, and takes a while."""
    with override("en"):
        description: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return description


@extend_schema(exclude=True)
class SchemaView(APIView):
    """OpenAPI 3.1 as YAML or JSON. It holds nothing of any study, so that anybody may read it."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    renderer_classes = (
        OpenApiJsonRenderer,
        OpenApiYamlRenderer,
        OpenApiJsonRenderer2,
        OpenApiYamlRenderer2,
    )

    def get(self, request: Request) -> Response:
        return Response(schema(), headers={"Cache-Control": "public, max-age=300"})


@csp_update({"img-src": ["data:"]})  # Swagger's style sheet draws its arrows so
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The description to read and try, in the browser."""
    return render(request, "api/docs.html")
