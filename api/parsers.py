"""JSON bodies, refused at the door where they could be neither stored nor answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from annotation.bodies import DEEPEST, UnreadableBody, json_body


class StrictJSONParser(JSONParser):
    """DRF's parser in what it accepts, with ``annotation.bodies`` as the reader."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return json_body(stream.read())
        except UnreadableBody as error:
            if error.code == "character":
                raise UnstorableText(error.path, parser_context or {}) from error
            raise ParseError(_refusal_words(error.code)) from error


class UnstorableText(ParseError):
    """A text or a name that no database holds; ``path`` is the way to it, by names and places in
    lists, ``context`` what the framework says of the request."""

    def __init__(self, path: tuple[str | int, ...], context: Mapping[str, Any]) -> None:
        super().__init__(
            _("The body holds NUL or half of a surrogate pair, which cannot be stored.")
        )
        self.path, self.context = path, context


def _refusal_words(code: str) -> str:
    if code == "depth":
        return _("The body is nested more than %(levels)s levels deep.") % {"levels": DEEPEST}
    if code == "number":
        return _("The body holds a number that cannot be stored.")
    if code == "twice":
        return _("The body has an object with two members of one name.")
    return _("The body is not JSON in UTF-8.")
