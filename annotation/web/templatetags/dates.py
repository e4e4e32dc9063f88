"""Django's own filter for dates, which templates have without loading it, with the first of a month
as French writes it."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.defaultfilters import date as django_date

from annotation.selectors.base.dates import date_in_words

register = template.Library()
_IN_WORDS = ("DATE_FORMAT", "DATETIME_FORMAT")


@register.filter("date", expects_localtime=True, is_safe=False)
def shown_date(value: Any, name: str | None = None) -> Any:
    return date_in_words(value, name) if value and name in _IN_WORDS else django_date(value, name)
