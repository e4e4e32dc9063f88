"""What many tests of pages begin with."""

from __future__ import annotations

import pytest

from tests.web.alpha import web_alpha, web_planted  # noqa: F401  (fixtures)


@pytest.fixture
def values(web_alpha: dict[str, object]) -> dict[str, object]:  # noqa: F811
    """A real value for each part of an address, all of study «alpha»."""
    return web_alpha


@pytest.fixture
def planted(web_planted: dict[str, object]) -> dict[str, object]:  # noqa: F811
    """The same, in a study where what nobody may learn is planted."""
    return web_planted
