"""What every resource's view does alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponseBase
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from annotation.models import User
from api.etags import conditional, etag_of
from api.known import UnknownNames, names_of, not_as_it_stands, unknown_in
from api.pagination import Cursor, PageQuery
from api.taken import check_repeated, check_request

READS = ("GET", "HEAD")
REPLAYED = "Idempotency-Replayed"
"""The header of an answer that is given again."""


class Resource(APIView):
    """A view whose reads carry an entity tag. ``write_scope`` is what a key needs in order to
    change something."""

    read_scope: ClassVar[str] = "read"
    write_scope: ClassVar[str] = "lead"
    again_seconds: ClassVar[int] = 2
    """After how long to look again for what is left to a worker."""
    many_rows: ClassVar[bool] = False
    """Whether rows of a whole study are sent at once (annotation.web.platform.upload_limit)."""

    @property
    def person(self) -> User:
        """Who asks; somebody is logged in wherever a handler runs."""
        user = self.request.user
        assert isinstance(user, User)  # noqa: S101  (the permission has seen to it)
        return user

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        check_request(self, request)

    def later_headers(self, location: str) -> dict[str, str]:
        """Where to look again for what is left to a worker, and when."""
        return {"Location": location, "Retry-After": str(self.again_seconds)}

    def as_read(self, patched: Any) -> Any:
        """What a read of the address gives from then on, of the answer to a change."""
        return patched

    def finalize_response(
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)  # type: ignore[arg-type]  # files too
        if isinstance(final, Response) and final.status_code == 200:
            if request.method in READS:
                return conditional(request, final)
            # Not of a PUT (RFC 9110, 9.3.4: what is stored is not what was sent), nor of an answer
            # that is given again, since when there may have been other changes.
            if request.method == "PATCH" and hasattr(self, "get") and REPLAYED not in final:
                final["ETag"] = etag_of(self.as_read(final.data))
        final.headers.setdefault("Cache-Control", "no-store")
        return final


class Download(Resource):
    """What is recorded as taken out. It knows no HEAD: nobody has got anything by one."""

    http_method_names = [  # noqa: RUF012  (as Django's own)
        name for name in APIView.http_method_names if name != "head"
    ]


class AnyFile(JSONRenderer):
    """Lets a client ask for whatever the file is, which is sent as it lies. A refusal is JSON."""

    media_type = "*/*"


class OfFile(Resource):
    """A resource whose read is a file."""

    def get_renderers(self) -> list[Any]:
        """JSON first, for whoever accepts anything."""
        renderers = super().get_renderers()
        return [*renderers, AnyFile()] if self.request.method in READS else renderers


def body_of(
    serializer: type[BaseSerializer[Any]], request: Request, *, stands: Any = None
) -> dict[str, Any]:
    """The body as the serializer reads it. ``stands``: what a read of the same address gives, which
    may be sent back as it is. Raises DRF's ``ValidationError``."""
    read = serializer(data=request.data)
    is_valid = read.is_valid()
    unknown = not_as_it_stands(unknown_in(names_of(serializer), request.data), request.data, stands)
    if unknown:
        raise UnknownNames(unknown, read.errors)
    check_repeated(request.data)
    if not is_valid:
        raise ValidationError(dict(read.errors))
    return dict(read.validated_data)


_SHARED: dict[type[BaseSerializer[Any]], BaseSerializer[Any]] = {}


def _shared(serializer: type[BaseSerializer[Any]]) -> BaseSerializer[Any]:
    if serializer not in _SHARED:
        _SHARED[serializer] = serializer()
    return _SHARED[serializer]


def answer_often(serializer: type[BaseSerializer[Any]], facts: Any) -> Response:
    """The facts as the serializer says them, by one that all requests share: where a program asks
    once for each judgment, copying every field for each answer is a twentieth of it. Only for those
    that need no context."""
    return Response(_shared(serializer).to_representation(facts))


def read_often(serializer: type[BaseSerializer[Any]], request: Request) -> dict[str, Any]:
    """``body_of`` by one serializer that all requests share."""
    try:
        body = dict(_shared(serializer).run_validation(request.data))
    except ValidationError:
        # Refused in the words of any other body.
        return body_of(serializer, request)
    if any(unknown_in(names_of(serializer), request.data)):
        return body_of(serializer, request)
    return body


def query_of(serializer: type[BaseSerializer[Any]], request: Request) -> dict[str, Any]:
    """The parameters of the address, as the serializer reads them. Others, and what is given twice,
    are refused before (``api.taken.check_request``)."""
    read = serializer(data=request.query_params.dict())
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def page(
    view: APIView,
    rows: QuerySet[Any],
    serializer: type[BaseSerializer[Any]],
    *ordering: str,
    shown: Callable[[list[Any]], list[Any]] = list,
) -> Response:
    """A page of rows in an order that never ties. ``shown``: what is told of the rows of one
    page."""
    query_of(PageQuery, view.request)
    cursor = Cursor()
    cursor.ordering = ordering
    page_rows = cursor.paginate_queryset(rows, view.request, view=view) or []
    return cursor.get_paginated_response(serializer(shown(page_rows), many=True).data)
