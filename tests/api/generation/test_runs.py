"""Runs of models by program: their systems, and what they have cost."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from annotation.models import GenerationCall
from annotation.services.generation.systems import system_add
from tests.api.conftest import bearer
from tests.cast import Cast
from tests.factories import make_study
from tests.services.generation.generating import answered, broker, make_run, started, system

__all__ = ["broker"]
pytestmark = pytest.mark.django_db
URL = "/api/v1/studies/droit/generation-runs/1/"


@pytest.mark.parametrize("name", ["org/model", "org/model:free", "a b?", "/", "org%2Fmodel"])
def test_a_system_of_any_name_is_taken_out(cast: Cast, name):
    """Models are called so; with a slash in its name the system could only be taken out on the
    page."""
    run = make_run(systems=("other",), study=make_study("droit", lead=cast.lead))
    system_add(actor=None, run=run, spec=system(name))
    client = bearer(cast.lead)
    address = f"{URL}systems/{quote(name, safe='')}/"
    assert client.delete(address).status_code == 204
    assert [each.name for each in run.systems.all()] == ["other"]
    assert client.delete(address).status_code == 404


def test_progress_says_how_many_calls_nobody_counted(cast: Cast, broker):
    run = started(make_study("droit", lead=cast.lead, state="main"))
    answered(run, 1)
    answered(run, 2)
    GenerationCall.objects.filter(pk=GenerationCall.objects.latest("pk").pk).update(
        prompt_tokens=None, completion_tokens=None, cost=1
    )
    progress = bearer(cast.lead).get(f"{URL}progress/").json()
    assert (progress["calls"], progress["uncounted"]) == (2, 1)
