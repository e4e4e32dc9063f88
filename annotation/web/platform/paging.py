"""Pages of a list that is too long to be counted, or whose count is kept elsewhere.

``Paginator`` counts all that a list holds to show one page of it. These read what the page shows,
and what an index has before it.
"""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator


class Counted(Paginator):  # type: ignore[type-arg]  # no type argument while it runs
    """Pages of a list whose count is known."""

    def __init__(self, rows: Any, per_page: int, count: int) -> None:
        super().__init__(rows, per_page)
        self._known = count

    @property
    def count(self) -> int:
        return self._known


class Uncounted(Paginator):  # type: ignore[type-arg]  # no type argument while it runs
    """Pages of a list that nobody counts: each knows whether another follows. ``count`` and
    ``num_pages`` are what was seen of it."""

    is_uncounted = True

    def __init__(self, rows: Any, per_page: int) -> None:
        super().__init__(rows, per_page)
        self._seen = 0

    @property
    def count(self) -> int:
        return self._seen

    @property
    def num_pages(self) -> int:
        return max(1, -(-self._seen // self.per_page))

    def get_page(self, number: Any) -> Page[Any]:
        """That page; the first one where it is no number, or past the end."""
        try:
            wanted = max(1, int(number))
        except (TypeError, ValueError):
            wanted = 1
        start = (wanted - 1) * self.per_page
        rows = (
            list(self.object_list[start : start + self.per_page + 1]) if start < _FARTHEST else []
        )
        if not rows and wanted > 1:
            return self.get_page(1)
        self._seen = start + len(rows)
        return Page(rows[: self.per_page], wanted, self)


_FARTHEST = 10_000_000
"""No list is longer; a greater offset is none that a database takes."""
