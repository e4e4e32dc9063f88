"""Long lists of which a page is read, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import QuerySet


class KeysFirst:
    """A list cut by its keys, its rows read for the page alone: ``order`` says which rows in which
    order, ``details`` reads those of a page by their keys."""

    ordered = True

    def __init__(self, order: QuerySet[Any], details: Callable[[list[int]], Iterable[Any]]) -> None:
        self._order, self._details = order, details

    def __getitem__(self, part: slice) -> list[Any]:
        keys = list(self._order.values_list("pk", flat=True)[part])
        by_key = {row.pk: row for row in self._details(keys)}
        return [by_key[key] for key in keys if key in by_key]
