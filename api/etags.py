"""Whether somebody has what they ask for already, or changes something that they have not seen."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

_OF_WRITES = frozenset({"HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE"})


class PreconditionFailed(Exception):
    """``If-Match`` names a version that is not the one in force."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag


def etag_of(represented: Any) -> str:
    """The entity tag of a representation."""
    return f'"{hashlib.sha256(JSONRenderer().render(represented)).hexdigest()[:32]}"'


def check_if_match(request: Request, represented: Any) -> None:
    """Raise ``PreconditionFailed`` where the client builds on another version. Without the header
    there is no check; one that names no version (of a program that has kept none) names none that
    is in force."""
    wanted = request.headers.get("If-Match")
    if wanted is None or wanted.strip() == "*":
        return
    etag = etag_of(represented)
    # Compression on the way marks a tag as weak; what it stands for is the same representation.
    if etag not in {tag.strip().removeprefix("W/") for tag in wanted.split(",")}:
        raise PreconditionFailed(etag)


def conditional(request: Request, response: Response) -> Any:
    """The response to a read with its entity tag, or 304 where the client has it already."""
    response["ETag"] = etag_of(response.data)
    # A program asks again by its tag; a browser, which others use too, keeps nothing on its disk.
    is_program = request.auth is not None
    patch_cache_control(response, private=True, **{"no_cache" if is_program else "no_store": True})
    patch_vary_headers(response, ("Authorization", "Cookie"))
    # Reads look at nothing but If-None-Match: Django would refuse the tag of a compressed answer
    # as not the same, by a page without words.
    underlying = copy.copy(request._request)  # noqa: SLF001
    underlying.META = {
        name: value for name, value in underlying.META.items() if name not in _OF_WRITES
    }
    final = get_conditional_response(underlying, etag=response["ETag"], response=response)
    return response if final is None else final
