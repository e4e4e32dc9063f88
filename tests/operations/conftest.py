"""What tests of operations share."""

from __future__ import annotations

import pytest
from django.db import connection

from tests import emptied


@pytest.fixture
def alone(transactional_db: None) -> None:
    """Nobody else is connected to the database: a restore of PostgreSQL's is refused otherwise, and
    the child of a worker that an earlier test killed may still be."""
    if connection.vendor == "postgresql":
        emptied.end_others(connection)
