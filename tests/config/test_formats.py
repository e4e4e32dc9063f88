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
