from __future__ import annotations

from datetime import datetime

import pytest
from django.template import engines
from django.utils import timezone
from django.utils.translation import override

from annotation.selectors.base.dates import date_in_words


@pytest.mark.parametrize(
    ("language", "day", "expected"),
    [
        ("fr", 1, "1er décembre 2026"),
        ("fr", 2, "2 décembre 2026"),
        ("fr", 11, "11 décembre 2026"),
        ("en", 1, "Dec. 1, 2026"),
    ],
)
def test_the_first_of_a_month_is_counted_in_french(language, day, expected):
    moment = datetime(2026, 12, day, 1, 5, tzinfo=timezone.get_default_timezone())
    page = engines["django"].from_string(
        "{{ moment|date:'DATE_FORMAT' }}|{{ moment|date:'DATETIME_FORMAT' }}"
        "|{{ moment|date:'TIME_FORMAT' }}|{{ moment|date:'j F' }}|{{ nothing|date:'DATE_FORMAT' }}"
    )
    with override(language):
        assert date_in_words(moment, "DATE_FORMAT") == expected
        day_shown, moment_shown, time, plain, nothing = page.render({"moment": moment}).split("|")
    assert day_shown == expected
    assert moment_shown.startswith(expected[:-6])
    assert time == {"fr": "1\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}05", "en": "1:05 AM"}[language]
    assert (plain.startswith("1er"), nothing) == (False, "")
