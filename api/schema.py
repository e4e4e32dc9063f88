"""The OpenAPI description: what all operations have in common."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from api.pagination import PageQuery
from api.problems import CONTENT_TYPE

PREFIX = "/api/v1/"


class FieldProblem(serializers.Serializer[Any]):
    field = serializers.CharField(
        allow_blank=True, help_text="Dotted name; empty where it is the whole request."
    )
    code = serializers.CharField()
    message = serializers.CharField(help_text="In the language of Accept-Language: fr or en.")
    row = serializers.IntegerField(
        required=False, help_text="Of an import: the row, counted as its author sees it."
    )
    remedy = serializers.CharField(required=False)


class StandingDraft(serializers.Serializer[Any]):
    """What stands where a save built on an older revision."""

    revision = serializers.IntegerField()
    answers = serializers.DictField(help_text="As the protocol shapes them.")
    saved_at = serializers.DateTimeField()


class ProblemDetails(serializers.Serializer[Any]):
    """RFC 9457."""

    type = serializers.CharField(
        help_text="For programs: refused, malformed, stale, study_closed, not_found, …"
    )
    title = serializers.CharField()
    status = serializers.IntegerField()
    reference = serializers.CharField(
        required=False,
        help_text="Of a 500: the request's number, as in X-Request-ID. Quote it when you ask for "
        "help.",
    )
    problems = FieldProblem(many=True, required=False)
    problem_count = serializers.IntegerField(
        required=False, help_text="Of all problems, where there are more than are named."
    )
    scope = serializers.CharField(
        required=False, help_text="Of `missing_scope`: the one that the token lacks."
    )
    etag = serializers.CharField(
        required=False, help_text="Of `changed`: the entity tag of the version in force."
    )
    current = StandingDraft(required=False, help_text="Of `stale`: nothing of it is overwritten.")
    revision = serializers.IntegerField(
        required=False, help_text="Of a refused judgment: that of the draft it is kept as."
    )
    saved_at = serializers.DateTimeField(required=False, help_text="Of that draft.")


_REFUSALS = {
    400: "The request has not the form that is asked for.",
    401: "No valid API token.",
    403: "The token lacks the scope that is needed.",
    404: "Nothing here, or nothing that you may see.",
    406: "None of the media types that you accept is one of this answer's.",
    422: (
        "A rule is broken; `problems` names each field. Reads have rules too: some wait until a "
        "study is closed."
    ),
    429: "Too many requests; see Retry-After.",
}
_REFUSED_WRITES = {
    409: "The study or a newer version stands against it.",
    412: "If-Match names another version than the one in force.",
    413: "Too large.",
    415: "Another media type than those that are read.",
}
KEY_MEANING = "Of your choice: sent again under it, the write is done once."
_SAFE = {"GET", "HEAD", "OPTIONS"}


class Schema(AutoSchema):
    """Adds the refusals that every operation shares, its scope, and its conditional and idempotency
    headers."""

    def get_operation_id(self) -> str:
        """Of view and method: stable, and a good name in a generated client."""
        words = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self.view).__name__).lower()
        return f"{words}_{self.method.lower()}"

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        scope = self._scope()
        described = super().get_description() or ""
        return f"{described}\n\nScope: `{scope}`." if scope else described

    # What `extend_schema` says of one operation replaces the public methods; these two it leaves
    # alone.
    def _get_parameters(self) -> list[Any]:
        parameters = super()._get_parameters()
        if self.method in _SAFE:
            parameters.append(
                _described(
                    "If-None-Match", "The entity tag of what you have; 304 where it is in force."
                )
            )
        if getattr(getattr(self.view, self.method.lower()), "takes_idempotency_key", False):
            parameters.append(_described("Idempotency-Key", KEY_MEANING))
        return parameters

    def _get_request_body(self, direction: Any = "request") -> Any:
        if self.method != "DELETE":
            return super()._get_request_body(direction)
        # Some ask for a reason, or for what is deleted to be typed; drf-spectacular describes
        # no body of a deletion.
        self.method = "POST"
        try:
            return super()._get_request_body(direction)
        finally:
            self.method = "DELETE"

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction=direction)
        for status, description in (
            _REFUSALS if self.method in _SAFE else _REFUSALS | _REFUSED_WRITES
        ).items():
            refusal = OpenApiResponse(ProblemDetails, description=description)
            bodies[str(status)] = self._get_response_for_code(
                refusal, str(status), media_types=[CONTENT_TYPE]
            )
        if self.method in _SAFE:
            bodies["304"] = {"description": "You have it already."}
        return bodies

    def _scope(self) -> str:
        return str(getattr(self.view, "read_scope" if self.method in _SAFE else "write_scope", ""))


def refusals(described: dict[int, str]) -> dict[Any, Any]:
    """For ``responses``: what an operation refuses in a way of its own, by status."""
    return {
        (status, CONTENT_TYPE): OpenApiResponse(ProblemDetails, description=description)
        for status, description in described.items()
    }


def _described(name: str, description: str) -> dict[str, Any]:
    return {"in": "header", "name": name, "schema": {"type": "string"}, "description": description}


def _header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)


def only_this_version(endpoints: list[Any]) -> list[Any]:
    """What programs ask for, without pages."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(PREFIX)]


def lines_joined(result: Any, **_parts: Any) -> Any:
    """Descriptions come from docstrings: where those are wrapped is no part of what they say.

    Lists and paragraphs stay as they are written.
    """
    if isinstance(result, dict):
        return {
            key: _joined(value)
            if key == "description" and isinstance(value, str)
            else lines_joined(value)
            for key, value in result.items()
        }
    return [lines_joined(value) for value in result] if isinstance(result, list) else result


def _joined(text: str) -> str:
    return re.sub(r"(?<!\n)\n(?!\n|\s*[-*|])", " ", text)


IDEMPOTENCY_KEY = _header("Idempotency-Key", KEY_MEANING)
IF_MATCH = _header(
    "If-Match", "The entity tag of the version that you have seen; 412 where another is in force."
)


def listing(
    serializer: type[serializers.Serializer[Any]], *, parameters: list[Any] | None = None
) -> Callable[[Any], Any]:
    """Describes a read that answers a page of rows."""
    name = f"{serializer.__name__}Page"
    fields: dict[str, Any] = {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": serializer(many=True),
    }
    return extend_schema(
        responses=inline_serializer(name, fields), parameters=[*(parameters or []), PageQuery]
    )
