"""The design that a study is carried out by: recorded with what was computed of it, or refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotation.agreement.precision import DIFFERENCE, PAIR, Assumptions, precision
from annotation.errors import RuleError
from annotation.models import Event, Study, StudyPlan
from annotation.selectors.agreement.precision import METHOD, Learned, PrecisionAim, chosen_design
from annotation.services.agreement.precision import precision_choose
from tests.factories import make_study, make_user
from tests.systems_study import fill_systems

pytestmark = pytest.mark.django_db

ASSUMED = Assumptions(
    mean=7.0,
    sources=1.0,
    outputs=0.64,
    annotators=1.0,
    rest=1.96,
    scale=tuple(map(float, range(1, 11))),
)
WANTED = PrecisionAim(
    texts=60,
    systems=2,
    annotators=5,
    target=DIFFERENCE,
    half_width=0.5,
    seconds=180,
    seed=9,
)


def chosen(study: Study) -> dict[str, Any]:
    design = chosen_design(study)
    assert design is not None
    return design


@pytest.fixture(autouse=True)
def few_teams(monkeypatch):
    """Enough for what is looked at."""
    monkeypatch.setattr(precision, "__kwdefaults__", {"teams": 60})


def test_what_was_computed_is_recorded_and_read_again():
    study, lead = make_study("etude"), make_user("lead")
    assert chosen_design(study) is None
    known = Learned(ASSUMED, None, 90, 30, 3, True, 120.0)
    event = precision_choose(
        actor=lead,
        study=study,
        assumed=ASSUMED,
        wanted=WANTED,
        per_pair=3,
        known=known,
        dimension="legal_meaning",
    )
    expected = precision(ASSUMED, annotators=5, per_pair=3, seed=9)
    design = chosen(study)
    assert design["widths"] == {
        "these": pytest.approx(expected.half_width(DIFFERENCE, 60, others=False), abs=5e-5),
        "others": pytest.approx(expected.half_width(DIFFERENCE, 60, others=True), abs=5e-5),
    }
    assert (design["per_pair"], design["plan_per_pair"], design["judged"]) == (3, None, 0)
    assert (design["method"], design["seed"], design["half_width"]) == (METHOD, 9, 0.5)
    assert design["learned"] == {
        "dimension": "legal_meaning",
        "ratings": 90,
        "items": 30,
        "annotators": 3,
    }
    assert design["chosen_on"] == event.created_at.date().isoformat()
    assert design["assumed"]["variances"]["rest"] == 1.96
    assert list(design) == sorted(design), "whatever order a database keeps"


def test_the_last_choice_counts_and_the_plan_stands_beside_it():
    study, lead = make_study("etude", state="main"), make_user("lead")
    fill_systems(study, {"a": [[5, 6, 7]] * 2})
    for per_pair in (2, 5):
        precision_choose(actor=lead, study=study, assumed=ASSUMED, wanted=WANTED, per_pair=per_pair)
    StudyPlan.objects.create(study=study, per_item=4)
    design = chosen(study)
    assert (design["per_pair"], design["plan_per_pair"]) == (5, 4)
    assert (design["judged"], design["learned"]) == (6, None)


def test_too_few_texts_and_a_single_output():
    study, lead = make_study("etude"), make_user("lead")
    few = replace(WANTED, texts=3)
    precision_choose(actor=lead, study=study, assumed=ASSUMED, wanted=few, per_pair=3)
    assert chosen(study)["widths"] == {"these": None, "others": None}
    wanted = replace(WANTED, target=PAIR)
    precision_choose(actor=lead, study=study, assumed=ASSUMED, wanted=wanted, per_pair=3)
    widths = chosen(study)["widths"]
    assert widths["these"] == widths["others"] > 0


@pytest.mark.parametrize(
    ("state", "per_pair", "assumed", "message"),
    [
        ("closed", 3, ASSUMED, "The study is closed"),
        ("draft", 6, ASSUMED, "from 1 to 5"),
        ("draft", 0, ASSUMED, "from 1 to 5"),
        ("draft", 3, replace(ASSUMED, rest=90.0), "do not fit a scale from 1 to 10"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_recorded(state, per_pair, assumed, message):
    study, lead = make_study("etude", state=state), make_user("lead")
    with pytest.raises(RuleError, match=message):
        precision_choose(actor=lead, study=study, assumed=assumed, wanted=WANTED, per_pair=per_pair)
    assert not Event.objects.filter(verb="precision_chosen").exists()
