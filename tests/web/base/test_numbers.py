"""Numbers in the reader's language."""

from __future__ import annotations

import pytest
from django.utils import translation

from annotation.web.base.numbers import short


@pytest.mark.parametrize(
    ("value", "fr", "en"),
    [(3.0, "3", "3"), (0.5, "0,5", "0.5"), (-2.25, "−2,25", "−2.25"), (1e-07, "1e-07", "1e-07")],
)
def test_as_many_digits_as_it_takes(value: float, fr: str, en: str) -> None:
    for language, shown in (("fr", fr), ("en", en)):
        with translation.override(language):
            assert short(value) == shown
