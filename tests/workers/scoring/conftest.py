"""Small trainings: one repeat of two folds says as much of the way as five of five."""

from __future__ import annotations

import pytest

from tests.scorers.judged import quick_trainings


@pytest.fixture(autouse=True)
def _quick_trainings(monkeypatch) -> None:
    quick_trainings(monkeypatch)
