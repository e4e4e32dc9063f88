"""No heartbeats where nobody could hear them."""

from __future__ import annotations

import pytest

from annotation.services.platform.leases import Heartbeat
from tests import worlds


@pytest.fixture(autouse=True)
def no_beats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A heartbeat has a connection of its own, which sees nothing of a test that commits nothing:
    on SQLite it would wait up to twenty seconds for the test's transaction to end, on PostgreSQL
    find that its row is gone."""
    if not worlds.commits(request.node):
        monkeypatch.setattr(Heartbeat, "_run", lambda _self: None)
