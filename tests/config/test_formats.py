"""How times are written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.template import Context, Template
from django.utils import translation


@pytest.mark.parametrize("name", ["TIME_FORMAT", "DATETIME_FORMAT", "SHORT_DATETIME_FORMAT"])
@pytest.mark.parametrize("hour", [0, 8, 12, 20])
def test_an_english_time_ends_without_a_full_stop_for_sentences_end_with_one(name, hour):
    moment = datetime(2026, 11, 27, hour, 50, tzinfo=UTC)
    with translation.override("en"):
        shown = Template(f'{{{{ at|date:"{name}" }}}}').render(Context({"at": moment}))
    assert shown.endswith(("AM", "PM"))


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("name", ["SHORT_DATE_FORMAT", "SHORT_DATETIME_FORMAT"])
def test_a_short_date_can_be_taken_for_no_other(name, language):
    moment = datetime(2026, 12, 4, 8, 50, tzinfo=UTC)
    with translation.override(language):
        shown = Template(f'{{{{ at|date:"{name}" }}}}').render(Context({"at": moment}))
    assert shown.startswith("2026-12-04")
