"""Prediction-powered means: the package's own values, simulated truth, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.powered import FEWEST_TEXTS, powered_mean
from annotation.agreement.systems.table import Output
from annotation.agreement.systems.with_models import Helper, Voices, with_models
from annotation.agreement.table import rating_tables
from annotation.protocols.base import Level, Wording

PEOPLE = np.array([7, 9, 4, 8, 10, 6, 7, 3, 9, 8, 5, 10, 7, 8, 6, 9, 2, 7, 8, 9], float)
MODEL = np.array([8, 9, 5, 8, 9, 7, 7, 5, 9, 9, 6, 9, 8, 8, 5, 9, 4, 6, 9, 9], float)
LEFT = np.array(
    [9, 8, 7, 5, 6, 9, 9, 8, 4, 7, 9, 10, 8, 6, 7, 8, 9, 5, 3, 8, 9, 7, 8, 9, 6, 7, 5, 8, 9, 9],
    float,
)
SCALE = tuple(float(value) for value in range(1, 11))


def known(value: float | None) -> float:
    assert value is not None
    return value


def bounds(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return known(interval.low), known(interval.high)


def test_the_estimate_is_that_of_ppi_py():
    """ppi-python 0.2.3: ppi_mean_pointestimate(PEOPLE, MODEL, LEFT), and with lam=1; its interval
    [6.39242925, 7.73922991] is the normal one with variances over n."""
    mean = powered_mean(PEOPLE, MODEL, LEFT)
    assert mean.value == pytest.approx(7.06582958, abs=5e-9)
    assert LEFT.mean() + (PEOPLE - MODEL).mean() == pytest.approx(7.05), "lam=1, by its definition"
    weight = known(mean.weight)
    rest = PEOPLE - weight * MODEL
    spread = (weight**2 * LEFT.var() / len(LEFT) + rest.var() / len(PEOPLE)) ** 0.5
    assert known(mean.value) - 1.959963984540054 * spread == pytest.approx(6.39242925, abs=5e-9)
    low, high = bounds(mean.interval)
    assert low < 6.39242925, "Student's t"
    assert high > 7.73922991


def test_people_alone_and_what_the_model_is_off():
    """scipy 1.16: ttest_1samp(PEOPLE, 0).confidence_interval(), and of MODEL - PEOPLE."""
    mean = powered_mean(PEOPLE, MODEL, LEFT)
    assert mean.classical == pytest.approx(7.1)
    assert bounds(mean.classical_interval) == pytest.approx((6.060118, 8.139881))
    assert mean.bias == pytest.approx(0.35)
    assert bounds(mean.bias_interval) == pytest.approx((-0.0867988, 0.7867988))
    assert mean.correlation == pytest.approx(np.corrcoef(PEOPLE, MODEL)[0, 1])
    assert mean.worth == pytest.approx(39.99468579)


def test_the_interval_holds_the_truth_and_is_shorter():
    """A thousand pools of a known mean: about 95 % of the intervals hold it (`bench.powered` has
    many designs), and a model that agrees is worth several times the texts."""
    rng = np.random.default_rng(20)
    held, worth = 0, []
    for _ in range(1000):
        truth = rng.normal(7, 2, 150)
        model = 0.8 * truth + rng.normal(2, 0.8, 150)
        mean = powered_mean(truth[:30], model[:30], model[30:])
        low, high = bounds(mean.interval)
        held += low < 7 < high
        worth.append(known(mean.worth))
    assert 0.93 <= held / 1000 <= 0.97
    assert 55 < np.median(worth) < 90


def test_a_model_that_says_nothing_adds_nothing():
    rng = np.random.default_rng(5)
    mean = powered_mean(PEOPLE, rng.permutation(MODEL), LEFT)
    assert known(mean.weight) < 0.3
    against = powered_mean(PEOPLE, -PEOPLE, -LEFT)
    assert (against.weight, against.value) == (0.0, PEOPLE.mean())
    constant = powered_mean(PEOPLE, np.full(20, 7.0), np.full(30, 7.0))
    assert (constant.weight, constant.correlation, constant.worth) == (0.0, None, 20.0)


def test_what_cannot_be_said():
    few = powered_mean(PEOPLE[:14], MODEL[:14], LEFT)
    assert "14" in few.undefined.en
    assert few.classical is few.bias is few.value is None
    none_left = powered_mean(PEOPLE, MODEL, LEFT[: FEWEST_TEXTS - 1])
    assert (none_left.value, none_left.classical) == (None, 7.1)
    assert "the model alone" in none_left.undefined.en
    refused = powered_mean(PEOPLE, MODEL, LEFT, refused=Wording("non", "no"))
    assert (refused.undefined.en, refused.value) == ("no", None)
    assert refused.bias == pytest.approx(0.35)
    same = np.full(20, 7.0)
    alike = powered_mean(same, same, np.full(30, 7.0))
    assert alike.value == 7.0
    assert alike.interval.undefined.en.startswith("No interval")
    assert alike.worth is None


def outputs(texts, systems=("a", "b")):
    return [Output(f"{text}/{system}", system, text) for text in texts for system in systems]


def rated(values):
    return rating_tables([*values], ["x"] * len(values), {"v": [*values.values()]})["v"]


class TestSystems:
    def voices(self, people, model, level=Level.ORDINAL):
        return Voices(level, SCALE, rated(people), {"M1": Helper(model)})

    def planted(self):
        judged, left = outputs(range(20)), outputs(range(20, 50))
        people = {f"{n}/a": PEOPLE[n] for n in range(20)} | {
            f"{n}/b": PEOPLE[19 - n] for n in range(20)
        }
        model = {f"{n}/{system}": MODEL[n] for n in range(20) for system in "ab"}
        model |= {f"{n + 20}/{system}": LEFT[n] for n in range(30) for system in "ab"}
        return judged, left, people, model

    def test_each_system_and_each_difference(self):
        judged, left, people, model = self.planted()
        (helped,) = with_models(self.voices(people, model), judged, left, drawn=Drawn())
        first, second, gap = helped.rows
        assert (helped.model, first.first, second.first) == ("M1", "a", "b")
        assert (gap.first, gap.second) == ("a", "b")
        assert first.helped.value == pytest.approx(7.06582958, abs=5e-9)
        assert (first.texts, first.left, first.people.counts.ratings) == (20, 30, 20)
        gaps = powered_mean(PEOPLE - PEOPLE[::-1], np.zeros(20), np.zeros(30))
        assert gap.helped.value == pytest.approx(gaps.value)
        assert "by:people,model" in first.helped.signature
        row = helped.as_dict()["rows"][2]
        assert (row["first"], row["second"], row["weight_of_the_model"]) == ("a", "b", 0.0)

    def test_what_lacks_is_named_and_helps_nobody(self):
        judged, left, people, model = self.planted()
        del people["3/a"]
        (helped,) = with_models(self.voices(people, model), judged, left, drawn=Drawn())
        assert [row.helped.value is None for row in helped.rows] == [True, False, True]
        assert "1 have no answer" in helped.rows[0].undefined.en
        judged, left, people, model = self.planted()
        del model["44/b"]
        (helped,) = with_models(self.voices(people, model), judged, left, drawn=Drawn())
        assert [row.helped.value is None for row in helped.rows] == [False, True, True]
        assert "did not judge 1 of the 50" in helped.rows[1].undefined.en
        assert helped.rows[1].bias.value is not None, "what it is off is told all the same"

    def test_scores_between_the_values_of_the_scale_and_their_signature(self):
        judged, left, people, model = self.planted()
        scores = {unit: value + 0.25 for unit, value in model.items()}
        voices = Voices(
            Level.ORDINAL, SCALE, rated(people), {"scorer-v1": Helper(scores, "scorer-v1|seed:4")}
        )
        (helped,) = with_models(voices, judged, left, drawn=Drawn())
        (before,) = with_models(self.voices(people, model), judged, left, drawn=Drawn())
        first, other = helped.rows[0], before.rows[0]
        assert first.helped.value == pytest.approx(other.helped.value), "a shift is corrected"
        assert other.bias.value is not None
        assert first.bias.value == pytest.approx(other.bias.value + 0.25)
        assert "|model:scorer-v1/seed:4|" in first.helped.signature
        assert "model:" not in first.people.signature
        assert helped.as_dict()["signature"] == "scorer-v1|seed:4"

    def test_of_a_model_that_is_refused_nothing_is_told(self):
        judged, left, people, model = self.planted()
        why = Wording("apprise", "learned")
        voices = Voices(
            Level.ORDINAL, SCALE, rated(people), {"scorer-v1": Helper(model, refused=why)}
        )
        (helped,) = with_models(voices, judged, left, drawn=Drawn())
        row = helped.rows[0]
        assert (row.undefined, row.helped.value, row.bias.value) == (why, None, None)
        assert (row.correlation, row.weight) == (None, None)
        assert row.people.value is not None

    def test_a_part_that_chance_did_not_draw(self):
        judged, left, people, model = self.planted()
        why = Wording("pas tirée", "not drawn")
        (helped,) = with_models(
            self.voices(people, model), judged, left, drawn=Drawn(), refused=why
        )
        assert {row.undefined for row in helped.rows} == {why}
        assert helped.rows[0].helped.as_dict()["undefined"]["en"] == "not drawn"

    def test_systems_without_a_common_text(self):
        judged = [*outputs(range(20), "a"), *outputs(range(20, 40), "b")]
        people = {output.unit: PEOPLE[n % 20] for n, output in enumerate(judged)}
        (helped,) = with_models(self.voices(people, people), judged, [], drawn=Drawn())
        assert helped.rows[2].undefined.en.startswith("These two systems")
        assert "alone judged, and there are 0" in helped.rows[0].undefined.en

    def test_what_the_model_is_off_is_told_of_outputs_that_both_scored(self):
        """Each text has two outputs of the system, of which people judged the better one, exactly
        as the model does, or the model scored that one alone."""
        rng = np.random.default_rng(1)
        judged = [Output(f"{text}/{at}", "a", text) for text in range(20) for at in range(2)]
        scores = {output.unit: float(rng.integers(1, 4)) for output in judged}
        better = {f"{text}/0": float(rng.integers(7, 11)) for text in range(20)}
        for people, model in ((better, scores | better), (scores | better, better)):
            (helped,) = with_models(self.voices(people, model), judged, [], drawn=Drawn())
            (row,) = helped.rows
            assert row.bias.value == 0
            assert row.correlation == pytest.approx(1)
            assert row.people.value == pytest.approx(np.mean([*better.values()]))
            assert (row.people.counts.outputs, row.people.counts.ratings) == (20, 20)
            assert row.undefined is not None, "what is missing is not missing by chance"

    def test_classes_have_no_mean(self):
        judged, left, people, model = self.planted()
        voices = self.voices(people, model, Level.NOMINAL)
        assert with_models(voices, judged, left, drawn=Drawn()) == ()
