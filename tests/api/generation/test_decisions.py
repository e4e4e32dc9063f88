"""Decisions on outputs by program: on those that it names, and on no others."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import GenerationRun, Output
from tests.api.conftest import bearer
from tests.cast import Cast
from tests.factories import make_study
from tests.services.generation.generating import FINE, answered, broker, fresh, started

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def run(cast: Cast, broker) -> GenerationRun:
    run = started(make_study("droit", lead=cast.lead, state="main"))
    answered(run, 1, f"Voici une version simplifiée : {FINE}")
    answered(run, 2)
    return fresh(run)


@pytest.fixture
def lead(cast: Cast) -> Client:
    return bearer(cast.lead)


def decided(lead: Client, run: GenerationRun, **wanted: Any) -> Any:
    return lead.post(
        f"/api/v1/studies/droit/generation-runs/{run.number}/decisions/",
        wanted,
        content_type="application/json",
    )


def refusals(response: Any) -> list[tuple[str, str]]:
    assert response.status_code == 422, response.content
    assert not Output.objects.exclude(decision="").exists()
    return [(problem["field"], problem["code"]) for problem in response.json()["problems"]]


@pytest.mark.parametrize(
    "names", [{}, {"flag": ""}, {"outputs": []}, {"outputs": [], "flag": "preamble"}]
)
def test_what_names_nothing_is_no_decision_on_everything(run, lead, names):
    """All outputs were asked for, and paid for, once more."""
    response = decided(lead, run, decision="regenerate", **names)
    assert refusals(response) == [("outputs", "required")]
    assert fresh(run).state == "finished"


def test_outputs_are_named_or_carry_the_flag(run, lead):
    assert decided(lead, run, decision="keep", flag="preamble").json() == {"changed": 1}
    output = Output.objects.get(flags=[])
    assert decided(lead, run, decision="exclude", outputs=[output.pk]).json() == {"changed": 1}


def test_of_outputs_that_are_not_there_none_of_the_others_is_decided(run, lead):
    output = Output.objects.get(flags=[])
    response = decided(lead, run, decision="exclude", outputs=[output.pk, 999999, 10**30])
    assert refusals(response) == [("outputs", "missing")]
    assert "999999" in response.json()["problems"][0]["message"]


def test_an_output_that_another_has_replaced_is_not_there_any_more(run, lead):
    former = Output.objects.get(flags=[])
    decided(lead, run, decision="regenerate", outputs=[former.pk])
    answered(run, 2, f"{FINE} (2)")
    response = decided(lead, run, decision="exclude", outputs=[former.pk])
    assert [problem["code"] for problem in response.json()["problems"]] == ["missing"]


def test_an_unknown_flag_is_said_to_be_one(run, lead):
    response = decided(lead, run, decision="exclude", flag="nope")
    assert refusals(response) == [("flag", "unknown")]
    assert "truncated, filtered" in response.json()["problems"][0]["message"]


def test_that_nothing_carries_the_flag_is_not_blamed_on_the_decision(run, lead):
    response = decided(lead, run, decision="exclude", flag="truncated")
    assert refusals(response) == [("decision", "none")]
    assert "none carries this flag" in response.json()["problems"][0]["message"]


def test_outputs_are_listed_by_a_flag_that_there_is(run, lead):
    def listed(flag: str) -> Any:
        address = f"/api/v1/studies/droit/generation-runs/{run.number}/outputs/"
        return lead.get(address, {"flag": flag})

    assert [found["flags"] for found in listed("preamble").json()["results"]] == [["preamble"]]
    assert listed("truncated").json()["results"] == []
    refused = listed("nope")
    assert refused.status_code == 400
    [problem] = refused.json()["problems"]
    assert (problem["field"], problem["code"]) == ("flag", "invalid_choice")
    assert "preamble" in problem["message"]
