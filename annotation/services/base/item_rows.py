"""Rows of items and simplifications, as every service that adds some makes them."""

from __future__ import annotations

from django.db.models import Max

from annotation.corpus.language import detect_language, is_identical
from annotation.models import Simplification, Study


def unsaved_simplification(*, original: str, text: str, **fields: object) -> Simplification:
    """A simplification, unsaved, with what a machine can see of it."""
    return Simplification(
        text=text,
        language=detect_language(text),
        is_identical=is_identical(original, text),
        **fields,
    )


def last_position(study: Study) -> int:
    """The highest position of the study's items; 0 without any."""
    return study.items.aggregate(last=Max("position"))["last"] or 0
