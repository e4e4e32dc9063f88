"""Dawid–Skene and MACE against crowd-kit's own examples, and the real ratings of FrJUDGE."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.agreement.consensus import Provenance, Rule, consensus
from annotation.agreement.modelled import crowd
from annotation.agreement.modelled.crowd import (
    DAWID_SKENE,
    MACE,
    METHODS,
    NOT_CLASSES,
    ONE_ANSWER,
    CrowdKitMissing,
    Modelled,
    fits,
    modelled,
    not_modelled,
)
from annotation.agreement.modelled.labels import (
    compared_labels,
    model_report,
    people_report,
    posteriors_of,
    with_posteriors,
)
from annotation.agreement.result import NO_PAIR, NO_RATING, ONE_RATER
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from tests.agreement.known import FRJUDGE, frjudge
from tests.agreement.modelled.needs import needs_crowdkit


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    """Enough for what is planted."""
    monkeypatch.setattr(crowd, "MACE_ITERATIONS", 10)


NO, YES = 0, 1
# Answers of crowd-kit's own step-by-step test (tests/aggregation/test_ds_aggregation.py, fixture
# `data`): w3 did not answer t1.
ANSWERS = {
    "t1": {"w1": NO, "w2": YES, "w4": YES, "w5": NO},
    "t2": {"w1": YES, "w2": YES, "w3": YES, "w4": NO, "w5": NO},
    "t3": {"w1": YES, "w2": NO, "w3": NO, "w4": YES, "w5": NO},
    "t4": dict.fromkeys(("w1", "w2", "w3", "w4", "w5"), YES),
    "t5": {"w1": YES, "w2": NO, "w3": NO, "w4": NO, "w5": NO},
}


def table(answers=ANSWERS) -> Ratings:
    rows = [(task, who, value) for task, row in answers.items() for who, value in row.items()]
    return Ratings.from_long(*zip(*rows, strict=True))


def planted(units: int = 200, *, guess: bool = True) -> tuple[Ratings, np.ndarray]:
    """Three annotators who are right nine times in ten and one who guesses, on four classes."""
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 5, units)
    columns = [
        np.where(rng.random(units) < 0.9, truth, rng.integers(1, 5, units)) for _ in range(3)
    ]
    if guess:
        columns.append(rng.integers(1, 5, units))
    return Ratings.from_matrix(np.column_stack(columns).astype(float)), truth


@needs_crowdkit
def test_dawid_skene_after_one_step_is_what_crowd_kit_s_own_test_expects(monkeypatch):
    """tests/aggregation/test_ds_aggregation.py of crowd-kit, fixture `probas_iter_1`."""
    monkeypatch.setattr(crowd, "ITERATIONS", 1)
    model = modelled(table(), DAWID_SKENE)
    assert model.iterations == 1
    assert model.posteriors[:, YES].tolist() == pytest.approx(
        [0.65, 0.74, 0.13, 1.00, 0.05], abs=0.005
    )
    assert model.posteriors.sum(axis=1).tolist() == pytest.approx([1] * 5)
    # Fixtures `errors_iter_1` and `priors_iter_1`: the diagonal of w1, 0.14 and 0.75, weighted by
    # 0.49 and 0.51.
    shares = dict(model.reliability)
    assert shares["w1"] == pytest.approx(0.49 * 0.14 + 0.51 * 0.75, abs=0.01)


@needs_crowdkit
@pytest.mark.parametrize("method", METHODS)
def test_what_is_right_is_found_and_who_guesses_too(method):
    ratings, truth = planted()
    model = modelled(ratings, method, restarts=3)
    labels = np.array(model.values)[model.posteriors.argmax(axis=1)]
    most = [label.value for label in consensus(ratings, Rule.MAJORITY).labels]
    assert (labels == truth).mean() > (np.array(most) == truth).mean()
    reliable = dict(model.reliability)
    assert min(reliable[rater] for rater in (0, 1, 2)) > 0.75
    assert reliable[3] < 0.4
    assert model.posteriors.min() >= 0
    assert model.ratings == 800


@needs_crowdkit
def test_mace_s_posteriors_are_crowd_kit_s():
    """They are computed from the fitted model beside its likelihood; crowd-kit's own are the same
    to what its smoothing leaves."""
    from crowdkit.aggregation import MACE as Mace  # noqa: N811

    ratings, _truth = planted(60)
    model = modelled(ratings, MACE, seed=7, restarts=1)
    frame = crowd._Coded.of(ratings).frame()
    own = Mace(n_restarts=1, n_iter=crowd.MACE_ITERATIONS, random_state=7).fit(frame).probas_
    assert model.posteriors == pytest.approx(own.sort_index().to_numpy(), abs=1e-9)


@needs_crowdkit
def test_mace_begins_each_restart_by_a_seed_of_its_own_and_keeps_the_likeliest():
    ratings, _truth = planted(60)
    single = [modelled(ratings, MACE, seed=seed, restarts=1) for seed in (5, 6, 7)]
    steps = []
    best = modelled(ratings, MACE, seed=5, restarts=3, progress=lambda: steps.append(1))
    assert len(steps) == fits(MACE, 3) == 3
    assert best.log_likelihood == pytest.approx(max(run.log_likelihood or 0.0 for run in single))
    assert "restarts:3|seed:5" in best.signature


@needs_crowdkit
@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_and_names_changes_nothing(method):
    """crowd-kit's MACE numbers by first appearance in one place and sorts in another."""
    ratings, _truth = planted(40)
    matrix = ratings.matrix
    order = np.random.default_rng(1).permutation(40)
    turned = Ratings.from_matrix(matrix[order], [int(place) for place in order], [0, 1, 2, 3])
    first, second = (modelled(version, method, restarts=2) for version in (ratings, turned))
    assert first.unit_ids == second.unit_ids
    assert first.posteriors == pytest.approx(second.posteriors)
    assert first.signature == second.signature


@needs_crowdkit
@pytest.mark.skipif(not FRJUDGE.exists(), reason="../shared/data is not here")
def test_of_frjudge_s_forty_tied_classes_thirty_seven_are_settled():
    """Issue 20, point 4; 40 ties: ``shared/spec/review/statistics.md``."""
    ratings = frjudge()["qualification"]
    model = modelled(ratings, DAWID_SKENE)
    ties = [label for label in compared_labels(ratings, model) if label.tied]
    assert len(ties) == 40
    assert sum(tie.is_settled for tie in ties) == 37
    labels = consensus(ratings, Rule.MAJORITY, posteriors=posteriors_of(model)).labels
    sources = [label.provenance for label in labels]
    assert sources.count(Provenance.POSTERIOR) == 37
    assert sources.count(Provenance.DRAWN) == 3
    report = model_report(ratings, model)
    assert (report["units"], report["annotators"], report["ratings"]) == (297, 5, 1485)
    assert (report["ties"], report["settled"]) == (40, 37)


def test_what_cannot_be_modelled_is_said():
    matrix = Ratings.from_matrix([[1.0], [2.0]])
    assert not_modelled(matrix, Level.INTERVAL) is NOT_CLASSES
    assert not_modelled(Ratings.from_matrix([[np.nan, np.nan]]), Level.NOMINAL) is NO_RATING
    assert not_modelled(matrix, Level.NOMINAL) is ONE_RATER
    apart = Ratings.from_matrix([[1.0, np.nan], [np.nan, 2.0]])
    assert not_modelled(apart, Level.ORDINAL) is NO_PAIR
    assert not_modelled(Ratings.from_matrix([[1.0, 1.0]]), Level.NOMINAL) is ONE_ANSWER
    assert not_modelled(table(), Level.ORDINAL) is None


def test_without_crowd_kit_and_with_another_method(monkeypatch):
    def absent(_name):
        raise crowd.PackageNotFoundError

    with monkeypatch.context() as patched:
        patched.setattr(crowd, "version_of", absent)
        with pytest.raises(CrowdKitMissing):
            modelled(table(), DAWID_SKENE)
    monkeypatch.setattr(crowd, "version_of", lambda _name: "1.4.2")
    with pytest.raises(ValueError, match="no such model"):
        modelled(table(), "glad")


def fitted(posteriors, values=(1.0, 2.0, 3.0)) -> Modelled:
    units = tuple(range(len(posteriors)))
    return Modelled(DAWID_SKENE, "1.4.2", units, values, np.array(posteriors), ((0, 0.5),), 6, 3, 0)


class TestLabels:
    ratings = Ratings.from_matrix([[1, 1, 2], [1, 2, np.nan], [2, 2, 1], [1, 2, 3]])

    def test_ties_and_other_labels_alone_are_listed(self):
        model = fitted([[0.9, 0.1, 0], [0.2, 0.8, 0], [0.6, 0.4, 0], [0.4, 0.3, 0.3]])
        first, second, third = compared_labels(self.ratings, model)
        assert (first.unit, first.majority, first.tied, first.label) == ("1", None, (1, 2), 2)
        assert first.is_settled
        assert (second.unit, second.majority, second.label) == ("2", 2, 1)
        assert not second.is_settled, "it was no tie"
        assert not third.is_settled, "no label is more probable than not"
        report = model_report(self.ratings, model)
        assert (report["otherwise"], report["ties"], report["settled"], report["sure"]) == (
            *(1, 2, 1),
            0,
        )
        assert report["compared"][0]["distribution"] == {"1": 1, "2": 1}

    def test_posteriors_as_they_are_stored(self):
        model = fitted([[1.0, 0.0, 0.0]], values=(1.0, 2.0, 2.5))
        assert posteriors_of(model) == {"0": {1.0: 1.0}}
        assert with_posteriors({}, model)["posteriors"] == {"0": {"1": 1.0}}

    def test_people_in_figures(self):
        people = people_report(self.ratings, Level.ORDINAL)
        assert people["0"] == {
            "ratings": 4,
            "mean": 1.25,
            "severity": pytest.approx(-0.41, abs=0.1),
        }
        assert people_report(self.ratings, Level.NOMINAL)["2"]["mean"] is None
        assert sum(person["severity"] for person in people.values()) == pytest.approx(0, abs=1e-5)
        unheard = Ratings.from_matrix([[1, np.nan], [2, np.nan]])
        assert list(people_report(unheard, Level.INTERVAL)) == ["0"]


def test_a_posterior_settles_a_tie_and_nothing_else():
    ratings = Ratings.from_matrix([[1, 2], [1, 2], [1, 1], [1, 2]])
    posteriors = {"0": {1.0: 0.3, 2.0: 0.7}, "1": {1.0: 0.5, 2.0: 0.5}, "2": {2.0: 1.0}}
    labels = consensus(ratings, Rule.MAJORITY, 1, posteriors).labels
    assert (labels[0].value, labels[0].provenance, labels[0].tied) == (2, "posterior", (1, 2))
    assert [label.provenance for label in labels[1:]] == ["drawn", "unanimous", "drawn"]
    assert labels[1] == consensus(ratings, Rule.MAJORITY, 1).labels[1], "the same lot"
