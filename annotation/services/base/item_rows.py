"""Rows of items and simplifications, as every service that adds some makes them.

A key tells an item apart in files that somebody has and in what a document's draw remembers: so no
number that was given once is given to another item, even where its row is gone
(``Study.item_places_used``).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from django.db.models import Max, QuerySet

from annotation.corpus.language import detect_language, is_identical
from annotation.models import Item, Simplification, Study

# As ``items.free_keys`` makes them. What a file calls an item may be a number of any size.
_NUMBERED = re.compile(r"item-(\d{4,6})")


def unsaved_simplification(*, original: str, text: str, **fields: object) -> Simplification:
    """A simplification, unsaved, with what a machine can see of it."""
    return Simplification(text=text, **seen(original, text)._asdict(), **fields)


class Seen(NamedTuple):
    """What a machine can see of a simplification."""

    language: str
    is_identical: bool


def seen(original: str, text: str) -> Seen:
    return Seen(detect_language(text), is_identical(original, text))


def last_position(study: Study) -> int:
    """The highest position that an item of the study has or had; 0 without any."""
    used = Study.objects.filter(pk=study.pk).order_by().values_list("item_places_used", flat=True)
    return max(study.items.aggregate(last=Max("position"))["last"] or 0, used.get())


def items_take_out(study: Study, items: QuerySet[Item]) -> None:
    """Delete these items of the study and remember what they were called; a document's draw forgets
    them. Within a transaction that holds the study."""
    rows = dict(items.order_by().values_list("key", "pk"))
    numbers = [int(match[1]) for key in rows if (match := _NUMBERED.fullmatch(key))]
    used = max([last_position(study), *numbers])
    Study.objects.filter(pk=study.pk, item_places_used__lt=used).update(item_places_used=used)
    drawn = study.documents.select_for_update(of=("self",)).filter(drawn_at__isnull=False)
    for document in drawn.only("draw").order_by("pk"):
        keys = document.draw.get("items", {})
        left = {block: key for block, key in keys.items() if key not in rows}
        if len(left) < len(keys):
            document.draw["items"] = left
            document.save(update_fields=["draw"])
    Item.objects.filter(pk__in=rows.values()).delete()
