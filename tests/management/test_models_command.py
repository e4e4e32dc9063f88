"""``manage.py models``: the page's figures on a terminal and as JSON, read or fitted."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.agreement.modelled import crowd
from annotation.management.commands import models
from annotation.models import Job, Judgment, Study
from annotation.selectors.agreement import modelled as selected
from annotation.selectors.agreement.modelled import models_state
from annotation.services.agreement import modelling
from annotation.services.agreement.modelling import models_compute, models_request
from tests.agreement.modelled.needs import needs_crowdkit
from tests.factories import make_study, make_user
from tests.systems_study import fill_systems
from tests.web.agreement.test_systems import planted

# A job's heartbeat has a connection of its own, which has to see the row.
pytestmark = pytest.mark.django_db(transaction=True)

TIED = {"a": [[2, 2, 3], [3, 3, 2], [2, 3, 4], [5, 5, 5]], "b": [[3, 3, 3], [2, 2, 2]]}


@pytest.fixture
def study(monkeypatch) -> Study:
    monkeypatch.setattr(crowd, "MACE_ITERATIONS", 2)
    monkeypatch.setattr(crowd, "ITERATIONS", 3)
    monkeypatch.setattr(modelling, "RESTARTS", 1)
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    study = make_study("deux", state="closed")
    fill_systems(study, TIED)
    return study


def output(*arguments: str, **options: object) -> str:
    out = StringIO()
    call_command("models", *arguments, stdout=out, **options)
    return out.getvalue()


def absent(*_args: object, **_named: object) -> None:
    raise crowd.CrowdKitMissing


@needs_crowdkit
def test_what_is_kept_is_read_and_else_the_models_are_fitted(study, monkeypatch):
    fitted = output("deux", restarts=1)
    assert "18 judgments by people; fitted now, and not stored" in fitted
    assert not Job.objects.exists()
    job = models_request(actor=make_user("lead", is_admin=True), study=study)
    assert models_compute(job.public_id)
    kept = models_state(study).dimensions
    in_json = json.loads(output("deux", "--json", restarts=1))
    assert in_json["computed_at"]
    assert in_json["dimensions"] == kept
    assert list(in_json["dimensions"]) == list(study.protocol.dimensions)
    anew = json.loads(output("deux", "--json", "--anew", restarts=1))
    assert anew == in_json | {"computed_at": None}
    read = output("deux", restarts=1)
    assert "computed on 20" in read
    assert read.split("\n", 1)[1] == fitted.split("\n", 1)[1]
    # Another seed, and other answers, are not what is kept.
    other = json.loads(output("deux", "--json", restarts=1, seed=7))
    assert other["dimensions"]["simplicity"]["models"]["mace"]["seed"] == 7
    Judgment.objects.filter(pk=Judgment.objects.first().pk).update(revision=7)
    assert "fitted now" in output("deux", restarts=1)


@needs_crowdkit
def test_tables_say_what_the_models_found(study):
    dimension = json.loads(output("deux", "--json", restarts=1))["dimensions"]["legal_meaning"]
    model = dimension["models"]["dawid_skene"]
    shown = output("deux", restarts=1).split("\nlegal_meaning\n")[1]
    assert (
        f"Dawid–Skene: 6 pairs, 3 annotators, 18 answers; {model['otherwise']} labels other than "
        f"the majority's; {model['settled']} of 1 ties settled" in shown
    )
    assert model["signature"] in shown
    person = dimension["people"]["A"]
    assert (
        f"annotator A: 6 answers; mean {person['mean']:.2f}, severity {person['severity']:+.2f} "
        f"points; Dawid–Skene {model['reliability']['A']:.4f}; MACE " in shown
    )
    (tie,) = [label for label in model["compared"] if label["tied"]]
    assert (
        f"2 × 1, 3 × 1, 4 × 1; tie of 2, 3, 4; Dawid–Skene {tie['label']:g} at "
        f"{tie['posterior']:.4f}" in shown
    )


def test_without_crowd_kit_it_says_so_and_still_reads_what_is_kept(study, monkeypatch):
    monkeypatch.setattr(selected, "modelled", absent)
    with pytest.raises(CommandError, match=r"crowd-kit is not installed here.*make crowd"):
        output("deux")
    people = {"A": {"ratings": 2, "mean": None, "severity": None}}
    label = {"unit": "item-0001/0", "distribution": {"1": 2, "2": 1}, "majority": 1.0, "tied": []}
    model = {
        **dict.fromkeys(("units", "annotators", "ratings", "otherwise", "ties", "sure"), 1),
        "settled": 1,
        "unsteady": 0,
        "signature": "mace|seed:42",
        "reliability": {"A": 0.5},
        "compared": [label | {"label": 2.0, "posterior": 0.75, "settles": False}],
    }
    result = {
        "digest": selected.answers_digest(study),
        "judgments": 18,
        "dimensions": {
            "simplicity": {"undefined": None, "people": people, "models": {"mace": model}}
        },
    }
    parameters = {"seed": 42, "restarts": 10}
    Job.objects.create(
        study=study, kind="models", state="done", result=result, parameters=parameters
    )
    shown = output("deux")
    assert "annotator A: 2 answers; MACE 0.5000" in shown
    assert "item-0001/0: 1 × 2, 2 × 1; majority 1; MACE 2 at 0.7500\n" in shown


def test_what_cannot_be_modelled_and_what_is_no_option(monkeypatch):
    monkeypatch.setattr(selected, "modelled", absent)
    make_study("vide")
    shown = output("vide")
    assert "simplicity\n  There is no rating yet.\n" in shown
    with pytest.raises(CommandError, match="--restarts takes 1–100"):
        output("vide", restarts=0)
    with pytest.raises(CommandError, match="--seed takes 0–"):
        output("vide", seed=-1)
    with pytest.raises(CommandError, match="There is no study"):
        output("nobody")


@needs_crowdkit
def test_mixed_models_of_systems(monkeypatch):
    monkeypatch.setattr(crowd, "MACE_ITERATIONS", 2)
    monkeypatch.setattr(crowd, "ITERATIONS", 3)
    fill_systems(make_study("mixte", state="closed"), planted())
    dimensions = json.loads(output("mixte", "--json", restarts=1))["dimensions"]
    shown = output("mixte", restarts=1)
    mixed = dimensions["legal_meaning"]["mixed"]
    (difference,) = mixed["linear"]["differences"]
    low, high = difference["interval"]
    assert f"a - b: {difference['value']:.4f} [{low:.4f}, {high:.4f}] points" in shown
    (odds,) = mixed["ordinal"]["differences"]
    assert f"a - b: {odds['log_odds']['value']:.4f}" in shown
    assert f"linear mixed model by {mixed['package']}" in shown
    assert f"mixed models: {dimensions['characterization']['mixed']['undefined']['en']}" in shown
    own = mixed["own"]
    assert "ordinal model with thresholds of each annotator's own\n" in shown
    first = own["thresholds"][0]
    assert (
        f"{first['annotator']}, answers up to {first['value']:g}: {first['own']['value']:.4f} ["
        in shown
    )
    assert f"common threshold moved {first['moved']:.4f}\n" in shown
    for label, fit in (("common thresholds moved", own["fit_of_shift"]), ("own", own["fit"])):
        assert (
            f"{label}: log likelihood {fit['log_likelihood']:.3f}, {fit['coefficients']}" in shown
        )
    # What was computed before there were own thresholds, and a study that bears none.
    before = {key: part for key, part in mixed.items() if key != "own"}
    assert "annotator's own" not in "".join(models._mixed(before))
    none = mixed | {"own": own | {"thresholds": [], "fit": None, "fit_of_shift": None}}
    assert "AIC" not in "".join(models._mixed(none))
