"""How many it takes: the widths that are promised are those that studies have."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, REST, variance_study
from annotation.agreement.precision import (
    DIFFERENCE,
    MEAN,
    PAIR,
    TARGETS,
    Assumptions,
    ImpossibleAssumptions,
    Precision,
    _expected,
    _on_scale,
    cost,
    latent,
    precision,
)
from annotation.agreement.result import Interval
from annotation.agreement.systems.comparison import compared
from annotation.agreement.systems.crossed import crossed_interval
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.table import Output, system_ratings
from annotation.agreement.table import Ratings
from annotation.agreement.two_values import cut
from annotation.allocation import rotating_teams
from tests.house.sizes import ROOT

RATINGS = ROOT.parent / "shared" / "data" / "frjudge" / "ratings.csv"
FREE = Assumptions(mean=7, sources=1.0, outputs=0.6, annotators=1.0, rest=2.0)
TEN = tuple(map(float, range(1, 11)))


def width(spreads: Precision, target: str, texts: int, *, others: bool = True) -> float:
    value = spreads.half_width(target, texts, others=others)
    assert value is not None
    return value


def half_of(interval: Interval | None) -> float:
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    return (interval.high - interval.low) / 2


def test_everybody_judging_everything_is_as_the_formulas_say():
    """Brennan (2001), section 4.4: the variance of a mean over texts and annotators is that of each
    over its number; severity falls out of a difference judged by the same people."""
    spreads = precision(FREE, annotators=5, per_pair=5, seed=1, teams=4000)
    assert spreads.within[MEAN] == pytest.approx(math.sqrt(1.6 + 2 / 5), rel=0.03)
    assert spreads.team[MEAN] == pytest.approx(math.sqrt(1 / 5), rel=0.04)
    assert spreads.within[DIFFERENCE] == pytest.approx(math.sqrt(2 * 0.6 + 2 * 2 / 5), rel=0.03)
    assert spreads.team[DIFFERENCE] < 0.06
    assert spreads.pair == pytest.approx(math.sqrt(3 / 5), rel=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_what_falls_out_leaves_nothing_for_chance_to_find(seed):
    """Where the same people judge everything, their severity is in no difference, whatever the
    seed. The study does not know this beforehand: for others it takes a few texts more."""
    spreads = precision(Assumptions(7, 1, 1, 0.5, 1, TEN), annotators=10, per_pair=10, seed=seed)
    assert spreads.team[DIFFERENCE] == 0
    texts = spreads.texts_for(DIFFERENCE, 0.1, others=False)
    assert texts is not None
    assert 780 < texts < 900, "2 × (1 + 1/10) × (1.96/0.1)² on an open scale"
    assert 1.03 < (spreads.texts_for(DIFFERENCE, 0.1) or 0) / texts < 1.15


@pytest.mark.parametrize("seed", [42, 1, 2, 3])
def test_the_seed_changes_next_to_nothing(seed):
    """Two systems that five people judge on every text, on a scale of 101 points: as the formulas
    say, severity falls out, and rounding to a point adds a twelfth to each answer."""
    assumed = Assumptions(50, 16, 9, 9, 36, tuple(map(float, range(101))))
    spreads = precision(assumed, annotators=5, per_pair=5, seed=seed)
    formula = math.sqrt(2 * 9 + 2 * (36 + 1 / 12) / 5)
    assert spreads.within[DIFFERENCE] == pytest.approx(formula, rel=0.01)
    assert spreads.texts_for(DIFFERENCE, 0.5, others=False) == pytest.approx(500, abs=8)
    assert spreads.within[MEAN] == pytest.approx(math.sqrt(25 + 36 / 5), rel=0.01)
    assert spreads.team[MEAN] == pytest.approx(math.sqrt(9 / 5), rel=0.01)
    three = precision(FREE, annotators=9, per_pair=3, seed=seed)
    again = precision(FREE, annotators=9, per_pair=3, seed=seed + 100)
    for target in (MEAN, DIFFERENCE):
        for others in (False, True):
            here, there = (width(own, target, 60, others=others) for own in (three, again))
            assert here == pytest.approx(there, rel=0.025)


def test_teams_of_some_leave_a_part_of_severity_in_differences():
    """Each output has its own three of nine: a difference holds what two teams differ by."""
    everybody = precision(FREE, annotators=9, per_pair=9, seed=1)
    teams = precision(FREE, annotators=9, per_pair=3, seed=1)
    # Where some judged both outputs they alone count, and nobody's severity does.
    none, *both = (math.comb(3, n) * math.comb(6, 3 - n) / math.comb(9, 3) for n in range(4))
    rest = sum(share * 2 * 2 / number for number, share in enumerate(both, 1))
    expected = math.sqrt(2 * 0.6 + rest + none * (2 * 2 / 3 + 2 * 1 / 3 * 9 / 8))
    assert teams.within[DIFFERENCE] == pytest.approx(expected, rel=0.05)
    assert teams.team[MEAN] == pytest.approx(everybody.team[MEAN], rel=0.12)


@pytest.mark.parametrize(
    ("assumed", "annotators"),
    [
        (FREE, 4),
        (Assumptions(7.5, 1.2, 0.5, 1.3, 2.2, TEN), 5),
        (Assumptions(3.2, 0.2, 0.1, 0.1, 0.3, (1, 2, 3, 4)), 3),
    ],
)
def test_widths_are_those_of_whole_studies(assumed, annotators):
    """Against studies of sixty texts, drawn text by text by other code: how far their estimates
    lie from each other."""
    texts, studies = 60, 3000
    rng = np.random.default_rng(5)
    hidden = latent(assumed)
    wider = hidden.deviation / math.sqrt(assumed.total)
    estimates = []
    for _ in range(studies):
        severity = rng.normal(0, wider * math.sqrt(assumed.annotators), annotators)
        source = rng.normal(0, wider * math.sqrt(assumed.sources), texts)
        value = rng.normal(hidden.mean + source, wider * math.sqrt(assumed.outputs))
        rest = rng.normal(0, wider * math.sqrt(assumed.rest), (texts, annotators))
        given_ = value[:, None] + severity + rest
        if assumed.scale:
            given_ = np.clip(np.rint(given_), assumed.scale[0], assumed.scale[-1])
        estimates.append(given_.mean())
    assert np.mean(estimates) == pytest.approx(assumed.mean, abs=0.05)
    spreads = precision(assumed, annotators=annotators, per_pair=annotators, seed=3, teams=4000)
    spread = math.sqrt(spreads.within[MEAN] ** 2 / texts + spreads.team[MEAN] ** 2)
    assert spread == pytest.approx(np.std(estimates), rel=0.06)
    # An interval by Student's t is wider than the normal one, the fewer annotators the more.
    assert width(spreads, MEAN, texts) > 1.96 * spread


def test_intervals_of_that_width_hold_the_truth():
    """Two-way studies of 40 texts by 4 annotators: mean ± the width that was promised holds the
    truth about as often as it says, as it is the width that an honest interval has on average."""
    spreads = precision(FREE, annotators=4, per_pair=4, seed=2, teams=4000)
    rng = np.random.default_rng(11)
    studies = 4000
    means = (
        rng.normal(0, math.sqrt(1.6 / 40), studies)
        + rng.normal(0, math.sqrt(1 / 4), studies)
        + rng.normal(0, math.sqrt(2 / 160), studies)
    )
    held = (np.abs(means) <= width(spreads, MEAN, 40)).mean()
    assert held > 0.95
    narrow = (np.abs(means) <= width(spreads, MEAN, 40, others=False)).mean()
    assert narrow < 0.8, "these annotators' own interval says nothing of others"


@pytest.mark.parametrize(
    ("people", "per_pair", "texts"), [(3, 3, 30), (3, 3, 150), (5, 5, 40), (10, 10, 60), (6, 2, 40)]
)
def test_widths_for_other_annotators_are_those_that_the_page_on_systems_gives(
    people, per_pair, texts
):
    """Studies drawn by other code, and the interval that is said of each. Of three people that of
    a difference is half as wide again as for these people alone, although nobody's severity is in
    it: the study itself cannot know."""
    rng = np.random.default_rng(6)
    halves: dict[str, list[float]] = {MEAN: [], DIFFERENCE: []}
    text = np.repeat(np.arange(texts), per_pair)
    for _ in range(150):
        who = (np.arange(texts * per_pair) + rng.integers(people)) % people
        value = 7 + rng.normal(0, 1, texts)[:, None] + rng.normal(0, 0.6**0.5, (texts, 2))
        severity = rng.normal(0, 1, people)[who]
        given_ = value[text] + severity[:, None] + rng.normal(0, 2**0.5, (len(text), 2))
        for target, cells in ((MEAN, given_[:, 0]), (DIFFERENCE, given_[:, 0] - given_[:, 1])):
            value_ = float(cells.mean())
            own = np.bincount(text, cells) / per_pair
            reach = stats.t.ppf(0.975, texts - 1) * own.std(ddof=1) / texts**0.5
            interval = crossed_interval(
                value_,
                cells - value_,
                np.full(len(cells), 1 / len(cells)),
                source=text,
                person=who,
                here=Interval(value_ - reach, value_ + reach, 0.95, 0),
            )
            halves[target].append(half_of(interval))
    spreads = precision(FREE, annotators=people, per_pair=per_pair, seed=1)
    targets = (MEAN, DIFFERENCE) if people == per_pair else (MEAN,)
    for target in targets:
        assert width(spreads, target, texts) == pytest.approx(np.mean(halves[target]), rel=0.09)
    if people == per_pair == 3:
        assert width(spreads, DIFFERENCE, texts) > 1.4 * width(
            spreads, DIFFERENCE, texts, others=False
        )


@pytest.mark.parametrize(("people", "per_pair"), [(5, 2), (6, 3), (7, 1)])
def test_a_difference_in_teams_is_as_wide_as_the_page_on_systems_has_it(people, per_pair):
    """Studies given out as a plan gives them, and compared as that page compares two systems: where
    anybody judged both outputs of a text, by such people's answers alone."""
    texts, rng = 40, np.random.default_rng(9)
    assumed = Assumptions(mean=7, sources=0.8, outputs=1.2, annotators=0.9, rest=3.0)
    names = [str(person) for person in range(people)]
    units = {f"{text}/{name}": text for text in range(texts) for name in "ab"}
    outputs = [Output(unit, unit[-1], text) for unit, text in units.items()]
    halves = []
    for study in range(60):
        severity = dict(zip(names, rng.normal(0, 0.9**0.5, people), strict=True))
        source = rng.normal(7, 0.8**0.5, texts)
        teams = rotating_teams(units, names, per_pair, str(study))
        rows = []
        for unit, text in units.items():
            value = source[text] + rng.normal(0, 1.2**0.5)
            rows += [
                (unit, name, value + severity[name] + rng.normal(0, 3**0.5)) for name in teams[unit]
            ]
        table = system_ratings(
            Ratings.from_long(*zip(*rows, strict=True)), outputs, level="interval", scale=None
        )
        of_both = compared(table, 0, 1, Drawn(draws=400))
        halves.append(
            [half_of(figure.interval) for figure in (of_both.difference, of_both.elsewhere)]
        )
    spreads = precision(assumed, annotators=people, per_pair=per_pair, seed=1)
    these, others = np.mean(halves, axis=0)
    assert width(spreads, DIFFERENCE, texts, others=False) == pytest.approx(these, rel=0.06)
    assert width(spreads, DIFFERENCE, texts) == pytest.approx(others, rel=0.09)


@pytest.mark.parametrize("within", [False, True])
def test_a_pilot_s_systems_do_not_widen_what_it_promises(within):
    """Forty studies of 24 texts × 3 systems that differ × 5 people: what their outputs and rest say
    with systems' means taken out promises the half-width that Student's intervals of the difference
    of two systems have in these very studies on average. ``within``: each text's outputs are judged
    against each other, so that no text differs from another."""
    rng = np.random.default_rng(8)
    sources, systems = (
        {unit: of(unit) for unit in range(72)} for of in (lambda u: u // 3, lambda u: u % 3)
    )
    observed, learned = [], []
    for _ in range(40):
        outputs = np.array([15, 0, -15]) + rng.normal(0, 6, (24, 1)) + rng.normal(0, 12, (24, 3))
        outputs -= outputs.mean(axis=1, keepdims=True) if within else 0
        cells = outputs[..., None] + rng.normal(0, 6, 5) + rng.normal(0, 8, (24, 3, 5))
        means = cells.mean(axis=2)
        apart = np.concatenate(
            [means[:, [place]] - means[:, [place - 1]] for place in range(3)], axis=1
        )
        observed.append(stats.t.ppf(0.975, 23) * apart.std(axis=0, ddof=1).mean() / 24**0.5)
        table = Ratings.from_matrix(cells.reshape(72, 5))
        given = {"level": "interval", "draws": 0, "seed": 0, "confidence": 0.95}
        theory = variance_study(table, sources=sources, systems=systems, **given)
        learned.append([part.variance for part in theory.components])
    assumed = Assumptions(0, *np.mean(learned, axis=0))
    promised = precision(assumed, annotators=5, per_pair=5, seed=1, teams=300)
    expected = width(promised, DIFFERENCE, 24, others=False)
    assert expected == pytest.approx(np.mean(observed), rel=0.03)


def test_texts_for_is_the_fewest():
    spreads = precision(FREE, annotators=8, per_pair=3, seed=1)
    for target in (MEAN, DIFFERENCE):
        for others in (False, True):
            wanted = width(spreads, target, 120, others=others)
            texts = spreads.texts_for(target, wanted, others=others)
            assert texts is not None
            assert texts <= 120
            assert width(spreads, target, texts, others=others) <= wanted
            assert texts == 8 or width(spreads, target, texts - 1, others=others) > wanted


def test_what_no_number_of_texts_gives():
    spreads = precision(FREE, annotators=3, per_pair=3, seed=1)
    assert spreads.texts_for(MEAN, 0.2) is None
    assert spreads.texts_for(MEAN, 0.2, others=False) is not None
    assert spreads.texts_for(PAIR, 0.2) is None
    assert spreads.texts_for(PAIR, 20) == 1
    two = precision(FREE, annotators=2, per_pair=2, seed=1)
    assert two.half_width(MEAN, 100) is None
    assert two.texts_for(MEAN, 5) is None
    assert two.half_width(MEAN, 100, others=False) is not None
    assert two.half_width(MEAN, 7, others=False) is None


def test_the_scale_s_ends_count():
    """The normal behind it is drawn so that the ratings have the mean and variance that were
    assumed (checked by drawing them)."""
    assumed = Assumptions(8.5, 1.0, 0.5, 0.5, 1.0, TEN)
    hidden = latent(assumed)
    drawn = np.random.default_rng(1).normal(hidden.mean, hidden.deviation, 400_000)
    placed = np.clip(np.rint(drawn), 1, 10)
    assert placed.mean() == pytest.approx(8.5, abs=0.01)
    assert placed.var() == pytest.approx(assumed.total, rel=0.01)
    assert hidden.mean > 8.5
    with pytest.raises(ImpossibleAssumptions, match="scale from 1 to 10"):
        latent(Assumptions(9.9, 1, 1, 1, 1, TEN))


def test_more_judges_than_there_are():
    with pytest.raises(ValueError, match="6 of 5"):
        precision(FREE, annotators=5, per_pair=6, seed=1)


def test_the_same_seed_gives_the_same():
    assert precision(FREE, annotators=4, per_pair=2, seed=9, teams=50) == precision(
        FREE, annotators=4, per_pair=2, seed=9, teams=50
    )


@pytest.mark.parametrize("deviation", [0.0, 0.05, 0.3, 2.0, 30.0])
@pytest.mark.parametrize("scale", [(1, 2, 3, 4), TEN, tuple(range(101)), (0, 1, 5, 50)])
def test_what_is_read_off_the_curve_is_what_each_value_gives(scale, deviation):
    values = np.random.default_rng(1).normal(scale[-1] / 2, scale[-1] / 3, (20, 1000))
    given = _on_scale(values, deviation, scale)[0]
    read = _expected(values, deviation, scale)
    assert np.abs(read - given).max() <= 1e-5 * (scale[-1] - scale[0])


def test_cost():
    assert cost(300, 2, 5, 120) == (3000, 100.0)


_PARTS = st.floats(0, 4)


@settings(max_examples=40)
@given(
    parts=st.tuples(_PARTS, _PARTS, _PARTS, st.floats(0.1, 4)),
    mean=st.floats(1.5, 9.5),
    on_scale=st.booleans(),
    people=st.integers(1, 12),
    data=st.data(),
)
def test_any_assumptions_have_widths_or_a_reason(parts, mean, on_scale, people, data):
    assumed = Assumptions(mean, *parts, scale=TEN if on_scale else ())
    per_pair = data.draw(st.integers(1, people))
    try:
        spreads = precision(assumed, annotators=people, per_pair=per_pair, seed=1, teams=20)
    except ImpossibleAssumptions:
        spreads = None
    assert spreads is not None or on_scale, "where any number may be given, nothing is impossible"
    if spreads is None:
        return
    for target in TARGETS:
        alone = spreads.half_width(target, 50, others=False)
        both = spreads.half_width(target, 50)
        assert alone is not None
        assert math.isfinite(alone)
        assert both is None or both >= alone * 0.99


@pytest.mark.skipif(not RATINGS.exists(), reason="the released ratings are not at hand")
def test_the_released_ratings():
    """Five annotators are worth ± 2.6 points on one item and ten ± 1.8, computed from the same file
    by another program (``test_generalizability``). On their scale, with its points and its ends,
    about the same."""
    with RATINGS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = [float(row["legal_meaning"]) for row in rows]
    study_variance = variance_study(
        Ratings.from_long(
            [row["pair"] for row in rows], [row["annotator"] for row in rows], scores
        ),
        level="ordinal",
        draws=0,
        seed=0,
        confidence=0.95,
    )
    parts = {component.name: component.variance for component in study_variance.components}
    for people, points in ((5, 2.6), (10, 1.8)):
        assumed = [
            Assumptions(
                float(np.mean(scores)), 0.0, parts[ITEMS], parts[ANNOTATORS], parts[REST], scale
            )
            for scale in ((), TEN)
        ]
        free, placed = (
            precision(assumptions, annotators=people, per_pair=people, seed=42, teams=4000)
            for assumptions in assumed
        )
        assert free.half_width(PAIR, 297) == pytest.approx(points, abs=0.06)
        assert placed.half_width(PAIR, 297) == pytest.approx(points, rel=0.08)


class TestTwoValues:
    """A scale of two values, whose mean gives the deviation."""

    MEAN_, TOTAL = 0.3, 0.21
    ASSUMED = Assumptions(MEAN_, 0.2 * TOTAL, 0.1 * TOTAL, 0.15 * TOTAL, 0.55 * TOTAL, (0.0, 1.0))

    def test_what_is_drawn_shares_as_much_as_was_assumed(self):
        parts = cut(self.MEAN_, 0.2, 0.1, 0.15)
        assert sum(part**2 for part in parts.parts) == pytest.approx(1)
        rng = np.random.default_rng(2)
        text, output, person = (
            deviation * rng.standard_normal(400_000) for deviation in parts.parts[:3]
        )

        def answer(shared):
            left = math.sqrt(1 - shared.var())
            return parts.mean + shared + left * rng.standard_normal(400_000) > 0

        assert answer(text).mean() == pytest.approx(self.MEAN_, abs=0.005)
        for shared, share in ((text, 0.2), (text + output, 0.3), (person, 0.15)):
            pair = np.cov(answer(shared), answer(shared))[0, 1]
            assert pair / self.TOTAL == pytest.approx(share, abs=0.01)

    def test_widths_are_those_of_shares(self):
        spreads = precision(self.ASSUMED, annotators=4, per_pair=4, seed=1)
        within = self.TOTAL * (0.3 + 0.55 / 4)
        assert spreads.within[MEAN] == pytest.approx(math.sqrt(within), rel=0.05)
        assert spreads.team[MEAN] == pytest.approx(math.sqrt(self.TOTAL * 0.15 / 4), rel=0.1)

    def test_the_values_may_be_any_two(self):
        as_three_and_five = Assumptions(3.6, 0.168, 0.084, 0.126, 0.462, (3.0, 5.0))
        widths = [
            precision(assumed, annotators=3, per_pair=3, seed=1, teams=200).within[MEAN]
            for assumed in (self.ASSUMED, as_three_and_five)
        ]
        assert widths[1] == pytest.approx(2 * widths[0])

    def test_parts_of_few_answers_add_up_nearly(self):
        assert latent(Assumptions(0.3, 0.05, 0.03, 0.04, 0.1, (0.0, 1.0))).deviation == 1

    def test_parts_that_explain_more_than_there_is(self):
        assert cut(0.5, 0.5, 0.5, 0.5).parts[3] == 0

    @pytest.mark.parametrize("mean", [0.5, 0.0, 1.0])
    def test_another_deviation_is_impossible(self, mean):
        with pytest.raises(
            ImpossibleAssumptions, match="says the standard deviation too"
        ) as caught:
            latent(Assumptions(mean, 0.01, 0.01, 0.01, 0.01, (0.0, 1.0)))
        assert "0,2." in caught.value.reason.fr


def test_numbers_in_french_have_commas():
    with pytest.raises(ImpossibleAssumptions) as caught:
        latent(Assumptions(9.9, 1, 1, 1, 1.2, TEN))
    assert "2,05" in caught.value.reason.fr
    assert "9,9" in caught.value.reason.fr
    assert "2.05" in caught.value.reason.en
