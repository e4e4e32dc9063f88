"""``manage.py systems``: the page's figures on a terminal, and as JSON."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import systems_figures
from tests.factories import make_study
from tests.systems_study import against_tests, fill_systems
from tests.web.agreement.test_systems import planted

pytestmark = pytest.mark.django_db


def output(*arguments: str, **options: object) -> str:
    out = StringIO()
    call_command("systems", *arguments, stdout=out, **options)
    return out.getvalue()


def test_figures_of_two_systems():
    study = make_study("deux", state="closed")
    fill_systems(study, planted())
    figures = systems_figures(study, Filters())
    assert json.loads(output("deux", "--json")) == json.loads(json.dumps(figures.as_dict()))
    (pair,) = figures.dimensions["legal_meaning"].comparisons
    shown = output("deux")
    assert f"difference {pair.difference.value:.4f}" in shown
    assert f"p = {pair.test.p:.4f}, Holm {pair.adjusted:.4f} of 3" in shown
    assert "rank 1 (1 to 1): a" in shown
    other = json.loads(output("deux", "--json", seed=7, draws=200))
    assert other["settings"] == figures.as_dict()["settings"] | {"seed": 7, "draws": 200}


def test_no_place_is_given_against_the_tests():
    fill_systems(make_study("contre", state="closed"), against_tests())
    shown = output("contre")
    assert "No ranks: the means would order the systems otherwise than the tests do." in shown
    assert "  no rank (1 to 1): vif\n  no rank (2 to 2): lent" in shown
    assert "rank 1 (" not in shown


def test_without_flagged_outputs_stands_apart():
    scores = planted(gap=0)
    cut = [("b", number) for number in range(6)]
    for _system, number in cut:
        scores["b"][number] = [1, 2, 1]
    fill_systems(make_study("cut", state="closed"), scores, cut=cut)
    shown = output("cut")
    before, after = shown.split("without flagged outputs. These tests are apart", 1)
    assert "a - b: 14 texts" in before
    assert "exploratory" in after
    assert "a - b: 8 texts" in after


def test_what_cannot_be_concluded():
    study = make_study("un", state="closed")
    fill_systems(study, {"seul": [[5, 6]] * 9, "": [[5, 6]] * 9})
    shown = output("un")
    assert "Only one system (“seul”) was judged" in shown
    assert "9 judged outputs bear the name of no system" in shown
    few = make_study("peu", state="closed")
    fill_systems(few, {"a": [[5, None]] * 3, "b": [[None, 6]] * 3, "c": [[7, 6]] * 3})
    shown = output("peu")
    assert "Nobody judged both systems" in shown
    assert "No test: only 3 texts" in shown


def test_bad_options():
    make_study("vide")
    with pytest.raises(CommandError, match="--draws takes"):
        output("vide", draws=-1)
    assert "No judged output bears the name of a system" in output("vide")
