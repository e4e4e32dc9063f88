"""A part of the passages for people, by program."""

from __future__ import annotations

import pytest

from annotation.models import MOST_SEED
from tests.api.planning.test_plan import fields, led
from tests.api.studies.test_steering import send
from tests.factories import make_pair
from tests.planning import planned_study

pytestmark = pytest.mark.django_db


def test_drawn_read_drawn_again_and_taken_back():
    study = planned_study(2, 10, opened=False)
    lead, url = led(study), f"studies/{study.key}/plan/part/"
    assert send(lead, "get", url, status=404)
    drawn = send(lead, "put", url, {"passages": 4, "seed": 3})
    assert (drawn["passages"], drawn["of"], drawn["seed"], drawn["problem"]) == (4, 10, 3, None)
    assert send(lead, "get", url) == drawn
    again = send(lead, "put", url, {"passages": 5})
    assert (again["passages"], again["seed"]) == (5, study.seed)
    largest = send(lead, "put", url, {"passages": 4, "seed": MOST_SEED})
    assert send(lead, "get", url) == largest
    assert largest["seed"] == 2**63 - 1
    make_pair(study)
    assert "no longer" in send(lead, "get", url)["problem"]["en"]
    assert send(lead, "delete", url, status=204) is None
    assert fields(send(lead, "delete", url, status=422)) == {("passages", "not_drawn")}


@pytest.mark.parametrize(
    ("body", "status", "refused"),
    [
        ({"passages": 10}, 422, ("passages", "out_of_range")),
        ({"passages": 2, "seed": -1}, 400, ("seed", "min_value")),
        ({"passages": 2, "seed": 2**63}, 400, ("seed", "max_value")),
        ({"seed": 1}, 400, ("passages", "required")),
    ],
)
def test_what_cannot_be_is_named(body, status, refused):
    study = planned_study(2, 10, opened=False)
    answer = send(led(study), "put", f"studies/{study.key}/plan/part/", body, status)
    assert fields(answer) == {refused}


def test_not_once_a_round_is_open():
    study = planned_study(2, 10)
    answer = send(led(study), "put", f"studies/{study.key}/plan/part/", {"passages": 2}, 422)
    assert fields(answer) == {("passages", "opened")}
