"""Long lists by cursor: what is added while somebody reads neither repeats a row nor hides one."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class Cursor(CursorPagination):
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 500
