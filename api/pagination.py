"""Long lists by cursor: what is added while somebody reads neither repeats a row nor hides one."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination


class PageQuery(serializers.Serializer[Any]):
    """What every long list takes in its address."""

    cursor = serializers.CharField(
        required=False,
        allow_blank=True,
        help_text="As `next` and `previous` of an answer give it.",
    )
    page_size = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="100 where it is not said; more than 500 are given as 500.",
    )


class Cursor(CursorPagination):
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 500
    # Rows that are equal in the first column of an order are counted through: with a thousand at
    # most, a study of more items without an answer would be read in a circle.
    offset_cutoff = 1_000_000

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (NotFound, ValidationError, ValueError, OverflowError) as error:
            if self.cursor_query_param not in request.query_params:
                raise
            # No cursor at all, or well formed and no place in this list: the list itself is here.
            raise serializers.ValidationError(
                {"cursor": _("This is no place in this list. Begin without it, or follow `next`.")}
            ) from error
