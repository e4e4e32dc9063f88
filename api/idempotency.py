"""``Idempotency-Key``: a write that is sent again after a lost answer is done once."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Collection
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import annotator_for, may_create_studies, require_admin, study_for_lead
from annotation.models import ApiToken, Study
from annotation.services.platform.idempotency import Answer, answered_once
from api.resource import REPLAYED

HEADER = "Idempotency-Key"
Handler = Callable[..., Response]


class Unfinished(Response):
    """The answer to a write that still has to ask another server, as it is before. ``finish`` asks,
    once the write is stored and no transaction is open, and gives the answer that is sent: nobody's
    write waits for another server."""

    def __init__(self, data: Any, *, finish: Callable[[], Response], **options: Any) -> None:
        super().__init__(data, **options)
        self.finish = finish


def idempotent(
    *, shown_once: Collection[str] = (), ends_study: bool = False
) -> Callable[[Handler], Handler]:
    """Let a handler be asked twice under one key. Members ``shown_once`` are empty in a repeated
    answer, because they are stored nowhere. ``ends_study``: it takes the study away, so that nobody
    has a part in it when the answer is asked for again."""

    def decorate(handler: Handler) -> Handler:
        @functools.wraps(handler)
        def wrapped(self: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
            key = request.headers.get(HEADER)
            if key is None:
                response = handler(self, request, *args, **kwargs)
                return response.finish() if isinstance(response, Unfinished) else response
            answer = answered_once(
                actor=request.user,  # type: ignore[arg-type]  # logged in: HasScope
                key=key,
                request_digest=request_digest(request),
                write=lambda: _answer(handler(self, request, *args, **kwargs), shown_once),
                may_read=lambda: (
                    (ends_study and is_gone(kwargs["study"])) or part_of(self, kwargs.get("study"))
                ),
            )
            headers = {REPLAYED: "true"} if answer.replayed else {}
            if answer.status == 202 and isinstance(answer.body, dict) and "location" in answer.body:
                headers |= self.later_headers(answer.body["location"])
            return Response(answer.body, status=answer.status, headers=headers)

        wrapped.takes_idempotency_key = True  # type: ignore[attr-defined]  # read by the schema
        return wrapped

    return decorate


def part_of(view: Any, study: str | None) -> object:
    """The part that an operation asks for, of a person who may have lost it since. Raises
    ``Http404`` without it."""
    if view.write_scope == ApiToken.Scope.ADMIN:
        return require_admin(view.person)
    if study is None:
        if not may_create_studies(view.person):
            raise Http404("no part is left")
        return view.person
    return (annotator_for if view.write_scope == ApiToken.Scope.JUDGE else study_for_lead)(
        view.person, study
    )


def is_gone(study: str) -> bool:
    """Whether no study has this key (any more)."""
    return not Study.objects.filter(key=study).exists()


def request_digest(request: Request) -> str:
    """SHA-256 over method, address and body: equal for a request that is sent again."""
    body = request.data
    if hasattr(body, "lists"):
        plain: Any = {name: [_plain(value) for value in values] for name, values in body.lists()}
    else:
        plain = body
    parts = [request.method, request.get_full_path(), plain]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _plain(value: Any) -> str:
    if not isinstance(value, UploadedFile):
        return str(value)
    digest = hashlib.sha256(b"".join(value.chunks())).hexdigest()
    value.seek(0)
    return digest


def _answer(response: Response, shown_once: Collection[str]) -> Answer:
    # As it is sent: dates and numbers as texts, so that the stored answer is the same.
    body = None if response.data is None else json.loads(JSONRenderer().render(response.data))
    stored = body | dict.fromkeys(shown_once, "") if shown_once and isinstance(body, dict) else None
    finish = None
    if isinstance(response, Unfinished):
        finish_response = response.finish

        def finish() -> Answer:
            return _answer(finish_response(), shown_once)

    return Answer(response.status_code, body, stored=stored, finish=finish)
