"""Systems side by side: known values, planted truths, and designs that allow no conclusion."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.agreement.result import Interval
from annotation.agreement.studies.people import TEAMS
from annotation.agreement.systems.comparison import compared
from annotation.agreement.systems.crossed import WIDENED, crossed_interval
from annotation.agreement.systems.differences import cliffs_delta
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.methods import systems_methods
from annotation.agreement.systems.permutation import holm, sign_flip_test
from annotation.agreement.systems.profiles import profiles
from annotation.agreement.systems.report import Dimension, side_by_side
from annotation.agreement.systems.resampling import (
    CENTRED,
    EXACT,
    HOLDING,
    NEWCOMBE,
    drawn_totals,
    share_difference_interval,
    share_interval,
    sources_interval,
    tail_of,
)
from annotation.agreement.systems.table import Output, SystemRatings, system_ratings
from annotation.agreement.systems.wording import (
    ALL_EQUAL,
    DIFFERENT_ANSWERED,
    DIFFERENT_ANSWERED_CLASSES,
    DIFFERENT_SOURCES,
    DIFFERENT_SOURCES_CLASSES,
    FEW_COMPARED,
    FEW_PEOPLE,
    FEW_WHO_JUDGED_BOTH,
    NO_ANSWER,
    NO_ANSWER_OF,
    NO_COMMON_ANSWER,
    NO_COMMON_PERSON,
    NO_COMMON_SOURCE,
    NO_DIFFERENCE,
    NO_RANKS_AGAINST_TESTS,
    NO_RANKS_NEITHER,
    NO_RANKS_OTHER_TEXTS,
    NO_RANKS_OTHER_TEXTS_AND_PEOPLE,
    NO_RANKS_PEOPLE,
    NO_RANKS_SOURCES,
    NO_RANKS_UNANSWERED,
    NO_VARIATION,
    ONE_PERSON,
)
from annotation.agreement.table import Ratings, rating_tables
from annotation.protocols.base import Better, Level, Wording
from bench.systems import Design, covered, covered_elsewhere, covered_gaps, false_alarms
from tests.house.sizes import ROOT

JADES = ROOT.parent / "shared" / "data" / "jades_manual_scores_valid.json"
HOLES = np.nan


def table(
    *systems: list[list[float]], level: Level = Level.ORDINAL, sources: list[int] | None = None
) -> SystemRatings:
    """Systems a, b, … as matrices of texts × people, on 1–10."""
    ratings = Ratings.from_matrix(np.concatenate([np.array(matrix, float) for matrix in systems]))
    outputs = [
        Output(number, "abc"[code], (sources or range(len(matrix)))[place])
        for number, (code, place) in enumerate(
            (code, place) for code, matrix in enumerate(systems) for place in range(len(matrix))
        )
        for matrix in [systems[code]]
    ]
    return system_ratings(ratings, outputs, level=level, scale=range(1, 11))


def shares(values: list[int], scale: list[int]) -> np.ndarray:
    return np.array([values.count(answer) / len(values) for answer in scale])


class TestKnownValues:
    def test_cliffs_delta_of_a_published_example(self):
        """Hogarty and Kromrey (1999), as the R package effsize 0.8 gives it: delta −0.25."""
        scale = [10, 20, 30, 40, 50]
        treatment = shares([10, 10, 20, 20, 20, 30, 30, 30, 40, 50], scale)
        control = shares([10, 20, 30, 40, 40, 50], scale)
        assert cliffs_delta(treatment, control) == pytest.approx(-0.25)

    def test_cliffs_delta_is_that_of_mann_and_whitney(self):
        """2 U ÷ (m n) − 1 with scipy's U."""
        rng = np.random.default_rng(4)
        first, second = rng.integers(1, 8, 31).tolist(), rng.integers(2, 9, 22).tolist()
        u = stats.mannwhitneyu(first, second).statistic
        scale = list(range(1, 9))
        delta = cliffs_delta(shares(first, scale), shares(second, scale))
        assert delta == pytest.approx(2 * u / (31 * 22) - 1)

    def test_holm_is_that_of_statsmodels(self):
        """As statsmodels 0.15 gives them: multipletests(p, method="holm")."""
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        assert holm([0.2, 0.5, 0.5]) == pytest.approx([0.6, 1.0, 1.0])
        assert holm([]) == []

    def test_the_exact_test_is_scipys_permutation_test(self):
        rng = np.random.default_rng(5)
        gaps = rng.normal(0.5, 1, 9)
        test = sign_flip_test(gaps, seed=1)
        known = stats.permutation_test(
            (gaps,), np.sum, permutation_type="samples", n_resamples=np.inf
        )
        assert test.exact
        assert test.exchanges == 512
        assert test.p == pytest.approx(known.pvalue)

    def test_many_texts_come_close_to_every_exchange(self):
        """2¹⁶ exchanges enumerated here, 9,999 drawn there: three standard errors."""
        gaps = np.array([1, 1, 2, -1, 0.5, 0, 3, -2, 1, 1, -1, 2, 0.5, 1, -1, 2, -0.5])
        signs = np.array(list(product((1, -1), repeat=16)))
        true = (np.abs(signs @ gaps[gaps != 0]) >= abs(gaps.sum()) - 1e-9).mean()
        test = sign_flip_test(gaps, seed=3)
        assert (test.differing, test.exact) == (16, False)
        assert test.p == pytest.approx(true, abs=3 * (true * (1 - true) / 9999) ** 0.5)

    def test_the_expanded_tail_makes_students_interval(self):
        """Hesterberg (2015), section 5.3: for a mean of n, z √((n − 1)/n) becomes t."""
        for n in (8, 20, 300):
            z = -stats.norm.ppf(tail_of(n))
            assert z * ((n - 1) / n) ** 0.5 == pytest.approx(stats.t.ppf(0.975, n - 1))

    def test_a_share_of_none_has_the_exact_interval(self):
        interval = share_interval(0.0, np.zeros(100), sources=20)
        known = stats.binomtest(0, 20).proportion_ci(method="exact")
        assert (interval.low, interval.high) == pytest.approx((known.low, known.high))
        assert interval.method == EXACT
        everybody = share_interval(1.0, np.ones(100), sources=20)
        assert (everybody.low, everybody.high) == pytest.approx((1 - known.high, 1.0))

    @pytest.mark.parametrize(
        ("table_of", "low", "high"),
        [
            ((36, 12, 2, 0), 0.0569, 0.3404),  # Newcombe (1998), table III, method 10
            ((14, 5, 0, 22), 0.0115, 0.2265),  # Altman and others (2000), table 6.2: 0.01 to 0.23
            ((1, 1, 7, 12), -0.507, -0.026),  # Fagerland and others (2014), table V
        ],
    )
    def test_a_difference_of_shares_is_as_newcombe_published(self, table_of, low, high):
        """Both yes, only the first, only the second, neither. Draws vary and go together just as so
        many single answers do; the sources are so many that t is z."""
        both, first, second, neither = table_of
        n = sum(table_of)
        one, other = (both + first) / n, (both + second) / n
        spreads = [(share * (1 - share) / n) ** 0.5 for share in (one, other)]
        together = (both * neither - first * second) / n**3 / (spreads[0] * spreads[1])
        left, right = np.array([1, 1, -1, -1]), np.array([1, -1, 1, -1])
        drawn = (
            one + spreads[0] * left,
            other + spreads[1] * (together * left + (1 - together**2) ** 0.5 * right),
        )
        interval = share_difference_interval((one, other), drawn, sources=10**9)
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-3)
        assert interval.method == NEWCOMBE

    def test_a_difference_of_shares_that_everybody_gives_has_exact_ends(self):
        interval = share_difference_interval((1.0, 1.0), (np.ones(9), np.ones(9)), sources=54)
        low = stats.binomtest(54, 54).proportion_ci(method="exact").low
        assert (interval.low, interval.high) == pytest.approx((low - 1, 1 - low))

    def test_a_share_that_never_varies_leaves_percentiles(self):
        """Half of the people on every text say so of the second: it has no interval of its own."""
        drawn = np.random.default_rng(3).normal(0.3, 0.02, 500)
        interval = share_difference_interval((0.3, 0.5), (drawn, np.full(500, 0.5)), sources=30)
        same = sources_interval(-0.2, drawn - 0.5, sources=30)
        assert (interval.low, interval.high, interval.method) == (same.low, same.high, same.method)

    def test_two_systems_alike_on_every_text_are_not_known_to_be_alike(self):
        """The difference never varies over draws, and other texts may differ all the same."""
        answers = [[1.0], [2.0]] * 20
        share = compared(table(answers, answers), 0, 1, Drawn()).shares[0]
        assert share.value == 0
        assert share.interval is not None
        ends = np.array([share.interval.low, share.interval.high], float)
        assert (np.sign(ends) == (-1, 1)).all()
        assert ((np.abs(ends) > 0.02) & (np.abs(ends) < 0.15)).all()


class TestComparison:
    def test_by_hand(self):
        """Three texts, two people; the second judged one of the outputs of the last text only."""
        comparison = compared(
            table([[7, 9], [6, 6], [4, HOLES]], [[5, 8], [6, 7], [5, 9]]), 0, 1, Drawn()
        )
        # By text: (2 + 1)/2, (0 − 1)/2, −1.
        assert comparison.difference.value == pytest.approx((1.5 - 0.5 - 1) / 3)
        # By text: 1, 1/4, 0.
        assert comparison.superiority.value == pytest.approx((1 + 0.25 + 0) / 3)
        assert [(person.person, person.sources) for person in comparison.people] == [(0, 3), (1, 2)]
        assert [person.difference for person in comparison.people] == pytest.approx([1 / 3, 0])
        assert [(text.source, text.difference) for text in comparison.largest] == [
            (0, 1.5),
            (2, -1.0),
            (1, -0.5),
        ]
        assert comparison.test is None
        assert "at least 6" in comparison.no_test.en

    def test_severity_falls_out_where_somebody_judged_both(self):
        """The harsh person judged outputs of the second system alone: without them nothing is
        different."""
        fair, harsh = [8.0, HOLES], [8.0, 2.0]
        comparison = compared(table([fair] * 10, [harsh] * 10), 0, 1, Drawn())
        assert comparison.difference.value == 0
        assert comparison.no_test is NO_DIFFERENCE

    def test_who_places_neither_higher_is_counted_for_none(self):
        """In tenths .1 + .2 - .3 leaves something in floats."""
        given = np.array([[0.3, 0.5, 0.1, 0.2, 0.3, 0.4]]).T
        outputs = [Output(number, "ab"[number // 3], number % 3) for number in range(6)]
        made = system_ratings(
            Ratings.from_matrix(given), outputs, level=Level.INTERVAL, scale=np.arange(11) / 10
        )
        (person,) = compared(made, 0, 1, Drawn(draws=0)).people
        assert person.difference == 0

    def test_different_people_are_compared_where_nobody_judged_both_and_it_is_said(self):
        first = [[8.0, 7.0], [8.0, HOLES]] * 5
        second = [[6.0, 7.0], [HOLES, 5.0]] * 5
        comparison = compared(table(first, second), 0, 1, Drawn())
        assert comparison.difference.value == pytest.approx((1 + 3) / 2)
        assert "On 5 of the 10 common texts nobody judged both" in comparison.notes[0].en

    def test_a_text_that_occurs_twice_is_one_source(self):
        sources = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
        rows = [[float(1 + number)] for number in range(10)]
        comparison = compared(table(rows, [[1.0]] * 10, sources=sources), 0, 1, Drawn())
        assert comparison.counts.sources == 5
        assert comparison.difference.value == pytest.approx(4.5)

    @pytest.mark.parametrize("texts", [8, 20])
    def test_an_interval_of_the_delta_holds_it_and_does_not_lean(self, texts):
        """The first is a point above the second on every text, and texts are two points apart: each
        text's own comparison says 1, all others sum to nothing, so that the delta is 1 / n. Of a
        draw it is the sum of squares of how often each text is in it, over n squared: about 2 / n
        (the squares of multinomial counts: n (1 - 1 / n) + n)."""
        low = np.linspace(1, 9, texts)
        ratings = Ratings.from_matrix(np.concatenate([low + 0.01, low])[:, None])
        outputs = [Output(at, "ab"[at // texts], at % texts) for at in range(2 * texts)]
        scale = sorted({*(low + 0.01).tolist(), *low.tolist()})
        sides = system_ratings(ratings, outputs, level=Level.ORDINAL, scale=scale)
        delta = compared(sides, 0, 1, Drawn()).delta
        assert delta.value == pytest.approx(1 / texts)
        assert delta.value is not None
        low_end, high_end = delta.interval.low, delta.interval.high
        assert low_end is not None
        assert high_end is not None
        assert low_end <= delta.value <= high_end
        draws = drawn_totals(np.eye(texts), draws=2000, seed=42)
        deltas = (draws**2).sum(axis=1) / texts**2
        assert deltas.mean() == pytest.approx((2 - 1 / texts) / texts, rel=0.02)
        tail = tail_of(texts)
        ends = np.quantile(deltas, [tail, 1 - tail]) - (deltas.mean() - delta.value)
        assert delta.interval.low == pytest.approx(ends[0])
        assert delta.interval.high == pytest.approx(ends[1])
        assert delta.interval.method == CENTRED

    def test_the_interval_of_the_delta_ends_where_the_delta_does(self):
        """One text in twelve goes the other way: draws without it say 1, and lean below."""
        first, second = [[8.0]] * 11 + [[5.0]], [[3.0]] * 11 + [[6.0]]
        interval = compared(table(first, second), 0, 1, Drawn()).delta.interval
        assert interval.high == 1

    def test_classes_have_shares_alone(self):
        first = [[1.0, 2.0]] * 10 + [[2.0, 2.0]] * 2
        comparison = compared(table(first, [[2.0, 3.0]] * 12, level=Level.NOMINAL), 0, 1, Drawn())
        assert comparison.difference.value is None
        assert "no order" in comparison.difference.undefined.en
        assert [share.value for share in comparison.shares[:3]] == pytest.approx(
            [10 / 24, 2 / 24, -0.5]
        )
        assert comparison.test.p < 0.01
        assert comparison.people == ()

    def test_the_seed_decides(self):
        rng = np.random.default_rng(1)
        rows = [rng.integers(1, 11, (30, 3)).tolist() for _ in range(2)]
        first, same, other = (
            json.dumps(compared(table(*rows), 0, 1, Drawn(seed=seed)).as_dict())
            for seed in (1, 1, 2)
        )
        assert first == same
        assert first != other


class TestReport:
    def whole(self, *systems, flags=None, level=Level.ORDINAL, better=Better.HIGHER):
        ratings = Ratings.from_matrix(
            np.concatenate([np.array(matrix, float) for matrix in systems])
        )
        n = len(systems[0])
        outputs = [Output(at, "abc"[at // n], at % n) for at in range(n * len(systems))]
        dimension = Dimension(ratings, level, tuple(range(1, 11)), better=better)
        return side_by_side({"q": dimension}, outputs, flags=flags or {}, drawn=Drawn())["q"]

    def test_ranks_are_as_sure_as_the_tests(self):
        """a and b alike, c three points below on each of 20 texts."""
        rng = np.random.default_rng(2)
        base = rng.integers(5, 9, (20, 3))
        noise = [rng.integers(0, 3, (20, 3)) for _ in range(3)]
        report = self.whole(base + noise[0], base + noise[1], base + noise[2] - 3)
        assert {rank.system: (rank.best, rank.worst) for rank in report.ranks} == {
            "a": (1, 2),
            "b": (1, 2),
            "c": (3, 3),
        }
        assert all(comparison.family == 3 for comparison in report.comparisons)
        assert report.ranks[0].mean > report.ranks[2].mean

    def test_no_place_is_given_against_the_tests(self):
        """One person judged both and prefers a on each of 20 texts; a's other judge is strict, b's
        is mild, so that a's mean is the lower one."""
        strict = [[2.0, 7.0, HOLES]] * 20
        mild = [[HOLES, 6.0, 9.0]] * 20
        report = self.whole(strict, mild)
        assert report.comparisons[0].difference.value == 1.0
        assert report.comparisons[0].adjusted < 0.001
        assert [(rank.system, rank.rank, rank.best, rank.worst) for rank in report.ranks] == [
            ("a", None, 1, 1),
            ("b", None, 2, 2),
        ]
        assert [rank.mean for rank in report.ranks] == [4.5, 7.5]
        assert report.no_ranks == NO_RANKS_AGAINST_TESTS
        facts = json.loads(json.dumps(report.as_dict()))
        assert facts["ranks"][0] | {"method": ""} == {
            "system": "a",
            "rank": None,
            "between": [1, 1],
            "mean_on_common_sources": 4.5,
            "sources": 20,
            "method": "",
        }
        # Of three the third is below both whatever is asked, and yet none has a place.
        three = self.whole(strict, mild, [[HOLES, 1.0, HOLES]] * 20)
        assert [(rank.system, rank.rank, rank.best, rank.worst) for rank in three.ranks] == [
            ("a", None, 1, 1),
            ("b", None, 2, 2),
            ("c", None, 3, 3),
        ]
        lower = self.whole(strict, mild, better=Better.LOWER)
        assert [(rank.system, rank.rank, rank.best) for rank in lower.ranks] == [
            ("b", None, 1),
            ("a", None, 2),
        ]

    def few_in_common(self, rows, better=Better.HIGHER):
        """a and b on 30 texts, c on the first six of them."""
        ratings = Ratings.from_matrix(np.array([row for own in rows for row in own], float))
        outputs = [Output(at, "ab"[at // 30], at % 30) for at in range(60)]
        outputs += [Output(60 + at, "c", at) for at in range(6)]
        dimension = Dimension(ratings, Level.ORDINAL, tuple(range(1, 11)), better=better)
        return side_by_side({"q": dimension}, outputs, flags={}, drawn=Drawn(draws=0))["q"]

    def test_means_against_tests_over_other_texts_are_not_laid_to_people(self):
        """Everybody judges everything: on the texts of all three b is a point better, on the others
        a three."""
        a = [[4.0] * 3] * 6 + [[7.0] * 3] * 24
        b = [[5.0] * 3] * 6 + [[4.0] * 3] * 24
        report = self.few_in_common((a, b, [[2.0] * 3] * 6))
        assert {(rank.system, rank.rank, rank.mean, rank.sources) for rank in report.ranks} == {
            ("a", None, 4.0, 6),
            ("b", None, 5.0, 6),
            ("c", None, 2.0, 6),
        }
        assert report.no_ranks == NO_RANKS_OTHER_TEXTS.format(sources=6)
        assert "(6 in number)" in report.no_ranks.en
        assert "sévérité" not in report.no_ranks.fr
        lower = self.few_in_common((a, b, [[9.0] * 3] * 6), better=Better.LOWER)
        assert lower.no_ranks == report.no_ranks

    def test_means_against_tests_for_both_reasons_name_both(self):
        """The same texts, and on those of all three a strict person judges a alone, a mild one b
        alone."""
        a = [[2.0, 4.0, HOLES]] * 6 + [[HOLES, 7.0, HOLES]] * 24
        b = [[HOLES, 5.0, 9.0]] * 6 + [[HOLES, 4.0, HOLES]] * 24
        report = self.few_in_common((a, b, [[HOLES, 1.0, HOLES]] * 6))
        assert report.no_ranks == NO_RANKS_OTHER_TEXTS_AND_PEOPLE.format(sources=6)

    def test_which_people_are_too_few_for_others_is_said(self):
        """Three judged, of whom one judged both."""
        report = self.whole([[2.0, 7.0, HOLES]] * 20, [[HOLES, 6.0, 9.0]] * 20)
        (pair,) = report.comparisons
        assert pair.elsewhere.interval.undefined == FEW_WHO_JUDGED_BOTH.format(fewest=3, people=1)
        assert "at least 3 who judged both systems" in pair.elsewhere.interval.undefined.en
        # Each system by itself was judged by two.
        assert report.profiles[0].elsewhere.interval.undefined == FEW_PEOPLE.format(
            fewest=3, people=2
        )
        some = [[2.0, 7.0, HOLES]] * 19, [[HOLES, 6.0, HOLES]] * 19
        report = self.whole([*some[0], [3.0, HOLES, HOLES]], [*some[1], [HOLES, 4.0, HOLES]])
        (pair,) = report.comparisons
        assert pair.elsewhere.interval.undefined == FEW_COMPARED.format(fewest=3, people=2)

    def test_what_tests_leave_open_the_means_place(self):
        """The same judges, but nobody who judged both is sure."""
        apart = [[2.0, 7.0 - number % 2, HOLES] for number in range(20)]
        other = [[HOLES, 6.0 + number % 2, 9.0] for number in range(20)]
        report = self.whole(apart, other)
        assert [(rank.system, rank.rank, rank.best, rank.worst) for rank in report.ranks] == [
            ("b", 1.0, 1, 2),
            ("a", 2.0, 1, 2),
        ]
        assert report.no_ranks is None

    def test_where_lower_is_better_places_and_superiority_are_those_of_the_mirrored_scale(self):
        """Ranks by any statistician's hand: 1 is the first. What is of the values stays theirs."""
        rng = np.random.default_rng(2)
        places = [rng.integers(low, low + 3, (20, 3)) for low in (1, 1, 5)]
        lower = self.whole(*places, better=Better.LOWER)
        mirrored = self.whole(*(11 - own for own in places))
        plain = self.whole(*places)
        assert [(rank.system, rank.rank, rank.best, rank.worst) for rank in lower.ranks] == [
            (rank.system, rank.rank, rank.best, rank.worst) for rank in mirrored.ranks
        ]
        assert (lower.ranks[-1].system, plain.ranks[0].system) == ("c", "c")
        assert lower.as_dict()["better"] == "lower"
        for own, other, same in zip(
            lower.comparisons, mirrored.comparisons, plain.comparisons, strict=True
        ):
            assert own.superiority.value == pytest.approx(other.superiority.value)
            for end in ("low", "high"):
                known = getattr(other.superiority.interval, end)
                assert getattr(own.superiority.interval, end) == pytest.approx(known)
            assert own.superiority.signature != same.superiority.signature
            assert (own.difference, own.delta) == (same.difference, same.delta)
            assert own.adjusted == same.adjusted

    def test_where_neither_side_is_better_there_are_no_ranks(self):
        places = [[[1.0, 2.0], [2.0, 2.0]] * 10, [[7.0, 8.0], [8.0, 9.0]] * 10]
        neither = self.whole(*places, better=Better.NEITHER)
        assert (neither.ranks, neither.no_ranks) == ((), NO_RANKS_NEITHER)
        (own,), (plain,) = neither.comparisons, self.whole(*places).comparisons
        assert own == plain

    def test_a_flag_that_explains_much_is_said_and_left_out_again(self):
        """Eta squared by hand; without the cut outputs the systems are alike."""
        first = [[8.0, 7.0]] * 20
        second = [[2.0, 3.0]] * 8 + [[8.0, 7.0]] * 12
        cut = {20 + number for number in range(8)}
        report = self.whole(first, second, flags={"truncated": cut})
        (flag,) = report.flags
        assert flag.explained.value == pytest.approx(1.0)
        assert flag.explains_much
        assert (flag.flagged, flag.others) == (2.5, 7.5)
        assert flag.by_system == (("a", 0, 20), ("b", 8, 20))
        assert report.comparisons[0].difference.value == pytest.approx(2.0)
        assert report.whole[0].difference.value == 0
        assert report.whole[0].counts.sources == 12

    def test_eta_squared_is_r_squared_on_the_flag(self):
        rng = np.random.default_rng(8)
        rows = rng.integers(1, 11, (30, 2)).astype(float)
        cut = set(range(0, 30, 4))
        flag = self.whole(rows, flags={"truncated": cut}).flags[0]
        flagged = [number in cut for number in range(30)]
        known = stats.pearsonr(flagged, rows.mean(axis=1)).statistic ** 2
        assert flag.explained.value == pytest.approx(known)

    def test_the_interval_of_what_a_flag_explains_holds_its_value(self):
        """A flag that explains nothing explains more in every draw."""
        rows = np.array([[4.0], [5.0], [6.0], [7.0]] * 8)
        flag = self.whole(rows, flags={"truncated": set(range(8))}).flags[0]
        assert flag.explained.value == 0
        assert flag.explained.interval.low == 0
        assert flag.explained.interval.method == HOLDING

    def test_what_cannot_be_concluded_is_said(self):
        alone = self.whole([[5.0]] * 9 + [[6.0]], [[7.0]] * 10)
        assert ONE_PERSON in alone.notes
        same = self.whole([[5.0, 5.0]] * 10, [[5.0, 5.0]] * 10)
        assert ALL_EQUAL in same.notes
        assert same.profiles[0].mean.interval.undefined is NO_VARIATION
        apart = self.whole([[5.0, HOLES]] * 10, [[HOLES, 7.0]] * 10)
        assert apart.comparisons[0].undefined is NO_COMMON_PERSON
        assert apart.ranks == ()
        assert apart.no_ranks is not None
        few = self.whole([[5.0, 6.0]] * 3, [[7.0, 9.0]] * 3)
        assert few.comparisons[0].difference.interval.undefined.en.startswith("No interval: it")

    def test_texts_that_lack_are_told_from_answers_that_lack(self):
        nobody = [[HOLES]] * 3

        def lacking(first, second, places=(0, 1, 2)):
            ratings = Ratings.from_matrix(np.array([*first, *second]))
            outputs = [Output(at, "a", at) for at in range(3)]
            outputs += [Output(3 + at, "b", place) for at, place in enumerate(places)]
            of_b = system_ratings(ratings, outputs, level=Level.ORDINAL, scale=range(1, 11))
            return compared(of_b, 0, 1, Drawn()).undefined

        answered = [[5.0], [6.0], [7.0]]
        assert lacking(answered, answered, (1, 2, 3)) is None
        assert lacking(answered, answered, (7, 8, 9)) is NO_COMMON_SOURCE
        assert lacking(nobody, answered, (7, 8, 9)) is NO_COMMON_SOURCE
        assert lacking(nobody, nobody) is NO_ANSWER
        assert lacking(answered, nobody) == NO_ANSWER_OF.format(system="b")
        assert lacking(nobody, answered) == NO_ANSWER_OF.format(system="a")
        assert lacking([[5.0], [6.0], [HOLES]], [[HOLES], [HOLES], [6.0]]) is NO_COMMON_ANSWER

    @pytest.mark.parametrize(
        ("rows", "places", "reason"),
        [
            # Of every system the same texts, on which one of them has no answer.
            ([[5.0, 6]] * 4 + [[HOLES, HOLES]] * 2, (0, 1, 0, 1, 0, 1), NO_RANKS_UNANSWERED),
            # Every two have a text in common, all three have none.
            ([[5.0, 6]] * 6, (0, 1, 1, 2, 2, 0), NO_RANKS_SOURCES),
            # Who judged the third judged neither of the others.
            ([[5.0, HOLES]] * 4 + [[HOLES, 6.0]] * 2, (0, 1, 0, 1, 0, 1), NO_RANKS_PEOPLE),
        ],
    )
    def test_why_there_are_no_ranks(self, rows, places, reason):
        outputs = [Output(at, "abc"[at // 2], place) for at, place in enumerate(places)]
        ratings, scale = Ratings.from_matrix(np.array(rows)), tuple(range(1, 11))
        everything = Ratings.from_matrix(np.full((6, 1), 5.0))
        reports = side_by_side(
            {
                "asked": Dimension(ratings, Level.ORDINAL, scale),
                "always": Dimension(everything, Level.ORDINAL, scale),
            },
            outputs,
            flags={},
            drawn=Drawn(draws=0),
        )
        assert (reports["asked"].ranks, reports["asked"].no_ranks) == ((), reason)

    @pytest.mark.parametrize("level", [Level.ORDINAL, Level.NOMINAL])
    def test_a_question_that_was_not_put_on_every_text_is_told_from_other_texts(self, level):
        """Both systems simplified ten texts; "if" was asked on five of b's. Classes have no
        means."""
        asked = [[5.0, 6.0]] * 10
        sometimes = asked + [[5.0, 6.0]] * 5 + [[HOLES, HOLES]] * 5
        outputs = [Output(at, "ab"[at // 10], at % 10) for at in range(20)]
        scale = tuple(range(1, 11))
        always = Dimension(Ratings.from_matrix(asked * 2), level, scale)
        only_if = Dimension(Ratings.from_matrix(sometimes), level, scale)
        reports = side_by_side(
            {"always": always, "if": only_if}, outputs, flags={}, drawn=Drawn(draws=0)
        )
        is_scale = level is Level.ORDINAL
        assert reports["always"].notes == ()
        (note,) = reports["if"].notes
        assert note is (DIFFERENT_ANSWERED if is_scale else DIFFERENT_ANSWERED_CLASSES)
        assert ("means" in note.en, "moyennes" in note.fr) == (is_scale, is_scale)
        # Without the other question nothing shows that b simplified the other five.
        (note,) = side_by_side({"if": only_if}, outputs, flags={}, drawn=Drawn(draws=0))["if"].notes
        assert note is (DIFFERENT_SOURCES if is_scale else DIFFERENT_SOURCES_CLASSES)
        # In an open round they may have, and wait to be judged.
        assert ("simplif" in note.en, "simplif" in note.fr) == (False, False)

    def test_of_an_open_ended_count_the_numbers_given_are_the_answers(self):
        """Means, differences and tests are those of the whole scale; answers that nobody gave to a
        system are left out, those to outputs without one among them."""
        rng = np.random.default_rng(3)
        numbers = rng.choice([0.0, 1.0, 2.0, 7.0], (21, 3))
        numbers[20] = 400
        ratings, every = Ratings.from_matrix(numbers), tuple(range(501))
        outputs = [Output(at, ("a", "b", "")[at // 10], at % 10) for at in range(21)]
        nobody = replace(ratings, unit_index=np.zeros(0, np.int64), values=np.zeros(0))
        nobody = replace(nobody, rater_index=np.zeros(0, np.int64))
        reports = side_by_side(
            {
                "count": Dimension(ratings, Level.INTERVAL, every, open_ended=True),
                "scale": Dimension(ratings, Level.INTERVAL, every),
                "none": Dimension(nobody, Level.INTERVAL, every, open_ended=True),
            },
            outputs,
            flags={},
            drawn=Drawn(draws=50),
        )
        count, scale, none = (reports[name] for name in ("count", "scale", "none"))
        assert (count.scale, len(scale.scale), none.scale) == ((0, 1, 2, 7), 501, ())
        for own, whole in zip(count.profiles, scale.profiles, strict=True):
            assert own.mean.value == pytest.approx(whole.mean.value, abs=1e-9)
            assert own.mean.interval.low == pytest.approx(whole.mean.interval.low, abs=1e-9)
            assert own.shares == tuple(whole.shares[int(value)] for value in count.scale)
        (counted,), (scaled,) = count.comparisons, scale.comparisons
        assert counted.test.p == pytest.approx(scaled.test.p)
        assert counted.delta.value == pytest.approx(scaled.delta.value)
        assert [profile.shares for profile in none.profiles] == [(), ()]
        facts = {name: report.as_dict() for name, report in reports.items()}
        json.dumps(facts, allow_nan=False)
        assert [facts[name].get("open_ended") for name in reports] == [True, None, True]

    def test_nothing_is_ever_not_a_number(self):
        """Random tables with holes, few values, few texts, and people who disagree on each text the
        other way round: strict JSON says so."""
        board = 4.0 + 2 * (np.indices((8, 4)).sum(axis=0) % 2)
        report = self.whole(board, 10 - board)
        json.dumps(report.as_dict(), allow_nan=False)
        assert report.profiles[0].elsewhere.interval.undefined is NO_VARIATION
        rng = np.random.default_rng(6)
        for number in range(60):
            texts, people = rng.integers(1, 13), rng.integers(1, 4)
            systems = [
                np.where(
                    rng.random((texts, people)) < 0.4,
                    np.nan,
                    rng.integers(1, 1 + rng.integers(1, 10), (texts, people)),
                )
                for _ in range(rng.integers(1, 4))
            ]
            flags = {"truncated": set(rng.integers(0, texts, 6).tolist())}
            level = Level.NOMINAL if number % 4 == 0 else Level.ORDINAL
            report = self.whole(*systems, flags=flags, level=level)
            json.dumps(report.as_dict(), allow_nan=False)


class TestIntervals:
    def test_sources_are_drawn_with_everything_they_hold(self):
        """The bootstrap's standard error of a total is √n times the deviation of the sources."""
        rng = np.random.default_rng(3)
        columns = rng.normal(size=(200, 2))
        drawn = drawn_totals(columns, draws=4000, seed=1)
        expected = columns.std(axis=0) * 200**0.5
        np.testing.assert_allclose(drawn.std(axis=0), expected, rtol=0.05)

    def test_outputs_of_one_source_do_not_count_as_several(self):
        """Each text ten times over: as wide as once."""
        rng = np.random.default_rng(9)
        once = rng.integers(1, 11, (20, 1)).astype(float).tolist()
        often = [row for row in once for _ in range(10)]
        sources = [number for number in range(20) for _ in range(10)]
        narrow, same = (
            profiles(ratings, Drawn())[0].mean.interval
            for ratings in (table(once), table(often, sources=sources))
        )
        assert (narrow.low, narrow.high) == pytest.approx((same.low, same.high))

    def test_the_interval_for_others_says_that_it_is_never_narrower(self):
        """Where the interval for these people is the wider one, it is given again: its label must
        not say that random effects alone made it."""
        codes = np.repeat(np.arange(12), 4)
        people = np.tile(np.arange(4), 12)
        rng = np.random.default_rng(2)
        deviations = rng.normal(size=48)
        deviations -= deviations.mean()
        weights = np.full(48, 1 / 48)
        here = Interval(-9.0, 9.0, 0.95, 2000)
        free, kept = (
            crossed_interval(0.0, deviations, weights, source=codes, person=people, here=bound)
            for bound in (None, here)
        )
        assert free.low is not None
        assert free.low > -9
        assert (kept.low, kept.high) == (-9, 9)
        assert WIDENED in kept.method
        assert WIDENED in TEAMS
        said = paragraph({"a": [[4, 5, 6]] * 12, "b": rng.integers(1, 10, (12, 3)).tolist()})
        assert "those of means and differences that hold for other annotators too" in said.en
        assert "never narrower" in said.en
        assert "jamais plus étroits" in said.fr

    def test_too_few_sources_have_none(self):
        interval = sources_interval(1.0, np.arange(10.0), sources=7)
        assert interval.low is None
        assert "at least 8" in interval.undefined.en

    def test_other_people_as_by_the_table_of_variance(self):
        """Everybody judged everything: (MS texts + MS people − MS rest) ÷ n (Brennan 2001, chapter
        6), and Cochran's t."""
        rng = np.random.default_rng(12)
        s, r = 12, 5
        values = rng.normal(size=(s, 1)) + rng.normal(size=(1, r)) + rng.normal(size=(s, r))
        mean = values.mean()
        by_text, by_person = values.mean(axis=1), values.mean(axis=0)
        rest = values - by_text[:, None] - by_person + mean
        texts = r * ((by_text - mean) ** 2).sum() / (s - 1)
        people = s * ((by_person - mean) ** 2).sum() / (r - 1)
        total = texts + people - (rest**2).sum() / ((s - 1) * (r - 1))
        t = stats.t.ppf(0.975, s - 1) * texts + stats.t.ppf(0.975, r - 1) * people
        half = t / (texts + people) * (total / (s * r)) ** 0.5
        source, person = (codes.ravel() for codes in np.indices((s, r)))
        interval = crossed_interval(
            mean,
            (values - mean).ravel(),
            np.full(s * r, 1 / (s * r)),
            source=source,
            person=person,
        )
        assert (interval.low, interval.high) == pytest.approx((mean - half, mean + half))

    def test_others_are_never_told_more_exactly(self):
        """People who see every difference alike add nothing; it is as wide all the same."""
        rng = np.random.default_rng(3)
        first, second = (rng.integers(1, 11, (20, 1)) + np.zeros((1, 4)) for _ in range(2))
        comparison = compared(table(first.tolist(), second.tolist()), 0, 1, Drawn())
        here, others = comparison.difference.interval, comparison.elsewhere.interval
        ends = [
            end
            for interval in (others, here)
            for end in (interval.low, interval.high)
            if end is not None
        ]
        assert (min(ends), max(ends)) == (others.low, others.high)
        assert len(ends) == 4

    def test_other_people_take_three_and_something_that_varies(self):
        two = profiles(table([[5.0, 6.0], [7.0, 6.0]] * 6), Drawn())[0].elsewhere.interval
        assert "at least 3 who judged" in two.undefined.en
        same = profiles(table([[5.0] * 3] * 12), Drawn())[0].elsewhere.interval
        assert same.undefined is NO_VARIATION
        few = profiles(table([[5.0, 6.0, 2.0]] * 3), Drawn())[0].elsewhere.interval
        assert "at least 8" in few.undefined.en

    @pytest.mark.slow
    @pytest.mark.walk
    def test_other_people_are_covered(self):
        """Of 200 studies whose people are drawn anew: three standard errors around 95 %, and far
        less by the interval that is for the same people."""
        coverage = covered_elsewhere(Design("anew", 30, others=True), 200, draws=200)
        for name in ("mean, others too", "difference, others too"):
            assert 0.9 <= coverage[name] <= 0.996, name
        assert coverage["mean, these people"] < 0.9

    def test_differences_of_shares_are_covered(self):
        """Of 120 studies of 30 texts with answers at the top: three standard errors below 95 %;
        percentiles hold a rare answer's far less often."""
        design = Design("rare", 30, gap=0.6, skewed=True)
        coverage = covered_gaps(design, 120, texts=20_000)
        for answer, (_first, _second, _percentiles, held) in coverage.items():
            assert held >= 0.89, answer
        assert coverage[1.0][2] < 0.6

    @pytest.mark.slow
    @pytest.mark.walk
    def test_coverage_and_false_alarms(self):
        """Of 150 studies a design with a planted truth: three standard errors below 95 % for each
        figure, and around it over the three designs; of 300 without one, around 5 %. The command
        for more studies and draws is `python -m bench.systems`."""
        designs = (
            Design("small", 20, gap=0.6),
            Design("nested", 40, items=3, gap=0.6),
            Design("teams", 40, people=6, team=3, gap=0.6),
        )
        coverages = [covered(design, 150, texts=20_000, draws=200) for design in designs]
        for name in coverages[0]:
            shares = [coverage[name] for coverage in coverages]
            assert min(shares) >= 0.896, name
            assert 0.912 <= sum(shares) / len(shares) <= 0.988, name
        assert 0.012 <= false_alarms(Design("alike", 30), 300) <= 0.088


@pytest.mark.skipif(not JADES.exists(), reason="the published scores are not at hand")
def test_the_means_of_a_published_corpus():
    """JADES, 600 outputs of 3 systems by 3 of 6 people: means as in ``shared/data/README.md``."""
    rows = json.loads(JADES.read_text())
    outputs, units, raters, values = [], [], [], []
    for row in rows:
        unit = row["idx_scores"]
        outputs.append(Output(unit, row["system"], row["sentence_origin"]))
        for place in (1, 2, 3):
            units.append(unit)
            raters.append(row[f"idx_annotator_{place}"])
            values.append(row[f"score_meaning_{place}"])
    ratings = rating_tables(units, raters, {"meaning": values})["meaning"]
    systems = profiles(
        system_ratings(ratings, outputs, level=Level.ORDINAL, scale=(1, 2, 3, 4)), Drawn()
    )
    known = {"BART": 2.50, "EditNTS": 2.07, "Reference": 2.90}
    assert {profile.system: profile.mean.value for profile in systems} == pytest.approx(
        known, abs=0.0051
    )
    assert all(profile.counts.outputs == 200 for profile in systems)


def paragraph(
    systems: Mapping[str, Sequence[Sequence[float]]],
    *,
    apart: bool = False,
    level: Level = Level.ORDINAL,
) -> Wording:
    """What a paper would say of systems as matrices of texts × people; ``apart``: each has texts of
    its own."""
    cells = np.concatenate([np.array(matrix, float) for matrix in systems.values()])
    places = [(code, at) for code, matrix in systems.items() for at in range(len(matrix))]
    outputs = [
        Output(number, code, f"{code if apart else ''}{at}")
        for number, (code, at) in enumerate(places)
    ]
    ratings = Ratings.from_matrix(cells)
    questions = {"q": Dimension(ratings, level, tuple(map(float, range(1, 11))))}
    reports = side_by_side(questions, outputs, flags={}, drawn=Drawn())
    return systems_methods(
        {name: report.as_dict() for name, report in reports.items()},
        systems=len(systems),
        drawn=Drawn(),
        labels={"q": Wording("q", "q")},
    )


class TestParagraph:
    """For a paper: what was done, and nothing else."""

    SCORES = np.random.default_rng(6).integers(1, 10, (24, 3))

    def test_systems_without_a_common_text_were_not_compared(self):
        halves = {"a": self.SCORES[:12].tolist(), "b": self.SCORES[12:].tolist()}
        said = paragraph(halves, apart=True)
        assert said.en.startswith(
            "Not one of the 2 systems was compared with another: nobody answered the same question "
            "about two of them on the same texts. Each is described by its mean and the share of "
            "each answer; the 95% intervals resample original texts"
        )
        for word in ("difference", "superiority", "Cliff", "Newcombe", "P values"):
            assert word not in said.en
        assert "those of means that hold for other annotators too" in said.en
        assert said.fr.startswith("Aucun des 2 systèmes n'a été comparé à un autre\u00a0: personne")
        assert "différence" not in said.fr
        assert (
            "2 systems were compared over the texts on which both were judged"
            in paragraph(halves).en
        )

    def test_of_classes_no_interval_of_means_is_named(self):
        halves = {"a": self.SCORES[:12].tolist(), "b": self.SCORES[12:].tolist()}
        said = paragraph(halves, level=Level.NOMINAL)
        assert "(of a share Wilson's with the effective number, and of a difference of" in said.en
        assert "(pour une part celui de Wilson à effectif corrigé et pour une diff" in said.fr
        assert "expanded percentiles" not in said.en
        assert "percentiles" not in said.fr
        assert (
            "(expanded percentiles, of Cliff's delta centred on its value; of a share Wilson's"
        ) in paragraph(halves).en

    def test_of_few_texts_there_is_no_interval(self):
        few = {"a": self.SCORES[:7].tolist(), "b": self.SCORES[7:14].tolist()}
        for apart in (False, True):
            said = paragraph(few, apart=apart)
            assert "; no interval was computed." in said.en
            assert "; aucun intervalle n'a été calculé." in said.fr
            assert "resample" not in said.en

    def test_of_two_people_there_is_none_for_others(self):
        two = {"a": self.SCORES[:12, :2].tolist(), "b": self.SCORES[12:, :2].tolist()}
        said = paragraph(two)
        assert "intervals resample original texts" in said.en
        assert "other annotators too" not in said.en
