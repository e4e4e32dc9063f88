"""How many draws a program may ask for: enough for an interval, or none at all."""

from __future__ import annotations

import pytest

from annotation.protocols.registry import protocol
from tests.api.conftest import bearer
from tests.protocols.judged import judged

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def addresses() -> list[str]:
    return ["agreement/?", "agreement/marks/?", "systems/?", "beside/?other=none&"]


def test_from_a_few_no_interval_is_told(addresses):
    marked = judged(protocol("assetann", "1"))
    lead = bearer(marked.lead)
    for address in addresses:
        for draws in (1, 5, 99):
            answer = lead.get(f"/api/v1/studies/{marked.study.key}/{address}draws={draws}")
            assert answer.status_code == 400, address
            (problem,) = answer.json()["problems"]
            words = "100 or more, or 0 for figures without intervals."
            assert (problem["field"], problem["message"]) == ("draws", words)


def test_too_many_are_not_told_to_be_more(addresses):
    """A hundred million is “100 or more”."""
    marked = judged(protocol("assetann", "1"))
    lead = bearer(marked.lead)
    for address in addresses:
        answer = lead.get(f"/api/v1/studies/{marked.study.key}/{address}draws=100000000")
        assert answer.status_code == 400, address
        (problem,) = answer.json()["problems"]
        assert (problem["field"], problem["code"]) == ("draws", "max_value")
