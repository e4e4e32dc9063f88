"""Small trainings: one repeat of two folds says as much of the way as five of five."""

from __future__ import annotations

import pytest

from tests.scorers.judged import few_folds


@pytest.fixture(autouse=True)
def _few_folds(monkeypatch) -> None:
    few_folds(monkeypatch)
