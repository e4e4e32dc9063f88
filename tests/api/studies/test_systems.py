"""Systems side by side, by program: the page's figures, under the page's rules."""

from __future__ import annotations

import pytest

from annotation.agreement.systems.figure import Drawn
from annotation.models import Study
from annotation.selectors.agreement import systems_stored
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.kept import is_stored
from annotation.selectors.agreement.systems import systems_figures
from tests.factories import make_study
from tests.systems_study import against_tests, fill_systems
from tests.web.agreement.test_systems import planted

pytestmark = pytest.mark.django_db

URL = "/api/v1/studies/deux/systems/"


@pytest.fixture
def study(cast) -> Study:
    study = make_study("deux", lead=cast.lead, state="closed")
    fill_systems(study, planted())
    return study


def test_the_figures_are_the_page_s(program, study):
    figures = program("lead").get(URL + "?draws=500&seed=7&confidence=0.9").json()
    assert figures.pop("of_withdrawn") == {"people": 0, "judgments": 0}
    assert figures == systems_figures(study, Filters(), Drawn(500, 7, 0.9)).as_dict()
    (pair,) = figures["dimensions"]["legal_meaning"]["comparisons"]
    assert pair["test"]["p"] <= pair["test"]["p_holm"]
    assert pair["difference"]["n"]["sources"] == 14


def test_what_was_computed_is_not_computed_again_by_page_or_program(program, study, monkeypatch):
    first = program("lead").get(URL).json()
    monkeypatch.setattr(systems_stored, "systems_figures", None)
    assert program("lead").get(URL).json() == first
    assert is_stored(systems_stored.systems_key(study, Filters())), "the page has it too"


def test_every_interval_is_as_sure_as_was_asked(program, study):
    """Wider ones hold the narrower: the same draws, further out."""
    sure, less = (
        program("lead").get(f"{URL}?draws=500&seed=7&confidence={share}").json()
        for share in (0.99, 0.8)
    )
    seen = 0
    for kind in ("bracket_rates", "error_rates"):
        for wide, narrow in zip(sure[kind], less[kind], strict=True):
            for key, figure in wide["rates"].items():
                if figure["interval"] is not None:
                    seen += 1
                    low, high = narrow["rates"][key]["interval"]
                    assert figure["interval"][0] <= low
                    assert high <= figure["interval"][1]
                    assert figure["interval"] != [low, high], (kind, key)
    assert seen > 4


def test_no_place_is_given_against_the_tests(program, cast):
    fill_systems(make_study("contre", lead=cast.lead, state="closed"), against_tests())
    answer = program("lead").get("/api/v1/studies/contre/systems/").json()
    score = answer["dimensions"]["legal_meaning"]
    assert [(row["system"], row["rank"], row["between"]) for row in score["ranks"]] == [
        ("vif", None, [1, 1]),
        ("lent", None, [2, 2]),
    ]
    assert score["no_ranks"]["fr"].startswith("Pas de rangs")
    assert answer["settings"]["method"] == "bareme-systems/4"


def test_not_during_a_blind_phase(program, study):
    Study.objects.filter(pk=study.pk).update(state="main", is_blind=True)
    assert program("lead").get(URL).status_code == 403
    assert program("other_lead").get(URL).status_code == 404


def test_nothing_to_compare_is_said(program, cast):
    make_study("rien", lead=cast.lead, state="closed")
    figures = program("lead").get("/api/v1/studies/rien/systems/").json()
    assert figures["systems"] == []
    assert "bears the name of a system" in figures["undefined"]["en"]
