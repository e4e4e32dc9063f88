"""Two studies of the same outputs: matched, compared, and held against other programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from krippendorff import alpha as public_alpha
from scipy.stats import pearsonr, spearmanr, t  # type: ignore[import-untyped]
from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

from annotation.agreement.result import ONE_UNIT
from annotation.agreement.spearman import weighted_spearman
from annotation.agreement.studies.change import change
from annotation.agreement.studies.judgments import judgments_agreement
from annotation.agreement.studies.labels import labels_agreement
from annotation.agreement.studies.largest import MOST, largest_changes
from annotation.agreement.studies.matching import CONTENT, KEY, JudgedText, Match, matching
from annotation.agreement.studies.orders import orders
from annotation.agreement.studies.own import own_answers
from annotation.agreement.studies.people import people_interval
from annotation.agreement.studies.report import studies_side_by_side
from annotation.agreement.studies.table import Both, Measured, both
from annotation.agreement.studies.wording import (
    NO_ALPHA,
    NO_ORDER,
    NOBODY_IN_BOTH,
    NOT_IN_BOTH,
    OTHER_PEOPLE,
    OTHER_SCALE,
    SOME_OTHERS,
    SOME_UNKNOWN,
    UNKNOWN_PEOPLE,
)
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level

DRAWN = Drawn(draws=400, seed=3)
SCALE = tuple(range(1, 11))


def text(unit: str, **fields: str) -> JudgedText:
    given = {"key": unit, "system": "s", "original": f"original {unit}", "text": f"text {unit}"}
    return JudgedText(unit, **{**given, **fields})


class TestMatching:
    def test_equal_texts_are_matched_whatever_their_keys(self):
        matched = matching(
            [text("a"), text("b")],
            [text("z", original="original  a\n", text="text a", system="t"), text("c")],
            CONTENT,
        )
        assert [(match.first, match.second, match.system) for match in matched.matches] == [
            ("a", "z", "")
        ]
        assert (matched.first_only, matched.second_only, matched.renamed) == (1, 1, 1)

    def test_equal_texts_of_several_systems_go_by_system(self):
        same = {"original": "o", "text": "t"}
        first = [text("a", system="x", **same), text("b", system="y", **same)]
        second = [text("c", system="y", **same), text("d", system="z", **same)]
        matched = matching(first, second, CONTENT)
        assert {(match.first, match.second) for match in matched.matches} == {
            ("a", "d"),
            ("b", "c"),
        }

    def test_one_too_many_is_told(self):
        same = {"original": "o", "text": "t"}
        matched = matching([text("a", **same), text("b", **same)], [text("c", **same)], CONTENT)
        assert (len(matched.matches), matched.first_only, matched.surplus) == (1, 1, 1)

    def test_other_words_under_one_key_are_told_and_matched_by_key(self):
        first, second = [text("a")], [text("a", text="amended")]
        by_content = matching(first, second, CONTENT)
        assert (len(by_content.matches), by_content.altered) == (0, 1)
        by_key = matching(first, second, KEY)
        assert (len(by_key.matches), by_key.altered, by_key.surplus) == (1, 1, 0)

    def test_an_unknown_rule(self):
        with pytest.raises(ValueError, match="one of content, key"):
            matching([], [], "length")


def planted(
    *,
    level: Level = Level.ORDINAL,
    teams: tuple[list[str], list[str]] = (["a", "b", "c"], ["d", "e", "f"]),
    texts: int = 20,
    gain: int = 2,
    seed: int = 5,
) -> tuple[Both, pd.DataFrame]:
    """Two outputs to a text; the second study gives ``gain`` more; and the same as a long table."""
    rng = np.random.default_rng(seed)
    number = 2 * texts
    quality = rng.integers(3, 7, number)
    tables, long = [], []
    for of, team in enumerate(teams):
        noise = rng.integers(-1, 2, (number, len(team)))
        values = np.clip(quality[:, None] + noise + of * gain, 1, 10)
        tables.append(Ratings.from_matrix(values, rater_ids=team))
        long.append(
            pd.DataFrame(values, columns=team)
            .rename_axis("pair")
            .reset_index()
            .melt(id_vars="pair", var_name="person")
            .assign(study=of)
        )
    matches = [Match(at, at, f"source {at // 2:02}", "xy"[at % 2]) for at in range(number)]
    known = [dict(zip(team, team, strict=True)) for team in teams]
    table = both(
        tables[0], tables[1], matches, level=level, scale=SCALE, people=(known[0], known[1])
    )
    return table, pd.concat(long)


class TestChange:
    def test_the_change_is_that_of_a_long_table(self):
        table, long = planted()
        means = long.groupby(["pair", "study"])["value"].mean().unstack()
        changed = change(table, DRAWN)
        assert changed.difference.value == pytest.approx((means[1] - means[0]).mean(), abs=1e-12)
        assert changed.means == pytest.approx(tuple(means.mean()))
        assert changed.counts == (table.counts)
        assert (changed.counts.outputs, changed.counts.sources, changed.counts.people) == (
            40,
            20,
            6,
        )

    def test_shares_move_by_as_much_as_is_counted(self):
        table, long = planted()
        share = long.groupby("study")["value"].value_counts(normalize=True).unstack(fill_value=0)
        changes = {
            value: share.value
            for value, share in zip(SCALE, change(table, DRAWN).shares, strict=True)
        }
        for value in SCALE:
            moved = share.get(value, pd.Series([0.0, 0.0]))
            assert changes[value] == pytest.approx(moved[1] - moved[0], abs=1e-12)

    def test_a_planted_change_is_found_and_none_is_not(self):
        changed = change(planted()[0], DRAWN)
        assert changed.test is not None
        assert changed.test.p < 0.001
        assert changed.difference.interval is not None
        assert changed.difference.interval.low is not None
        assert changed.difference.interval.low > 1
        alike = change(planted(gain=0)[0], DRAWN)
        assert alike.test is not None
        assert alike.test.p > 0.05

    def test_other_people_widen_the_interval(self):
        changed = change(planted()[0], DRAWN)
        here, elsewhere = changed.difference.interval, changed.elsewhere.interval
        assert here is not None
        assert elsewhere is not None
        assert elsewhere.low <= here.low < here.high <= elsewhere.high  # type: ignore[operator]
        assert "annotators" in elsewhere.method

    def test_the_interval_for_other_people_is_that_of_two_analyses_of_variance(self):
        """Every person of two teams judges every text: what is estimated can be read off means and
        residuals of the long table. Variances of texts and, after Welch, of each team's people,
        less the residual that stands in both; Cochran's t."""
        table, long = planted(gain=1)
        long["text"] = long["pair"] // 2
        value = change(table, DRAWN).difference.value
        assert value is not None
        means = long.pivot_table(index="text", columns="study", values="value")
        texts = (means[1] - means[0]).var() / 20
        teams = [
            own.groupby("person")["value"].mean().var() / 3 for _, own in long.groupby("study")
        ]
        people = sum(teams)
        residual = 0.0
        for _, own in long.groupby("study"):
            cells = own.pivot_table(index="text", columns="person", values="value")
            rest = cells.sub(cells.mean(axis=1), axis=0).sub(cells.mean() - cells.values.mean())
            residual += float((rest.values**2).sum()) / (19 * 2) / 60
        total = texts + people
        degrees = people**2 / sum(team**2 / 2 for team in teams)
        half = (texts * t.ppf(0.975, 19) + people * t.ppf(0.975, degrees)) / total
        half *= max(total - residual, texts, people) ** 0.5
        interval = people_interval(table, value, here=None)
        assert interval.low == pytest.approx(value - half, abs=1e-9)
        assert interval.high == pytest.approx(value + half, abs=1e-9)

    def test_the_same_people_are_compared_with_themselves(self):
        table, long = planted(teams=(["a", "b", "c"], ["a", "b", "c"]))
        wide = long.pivot(index=["pair", "person"], columns="study", values="value")
        changed = change(table, DRAWN)
        assert changed.people == (3, 3, 3)
        assert changed.own.moved.value == pytest.approx((wide[1] - wide[0]).mean())
        assert changed.own.same.value == pytest.approx((wide[1] == wide[0]).mean())
        assert changed.own.same.counts.ratings == 2 * len(wide)

    def test_nobody_in_both(self):
        changed = change(planted()[0], DRAWN)
        assert changed.own.moved.undefined == NOBODY_IN_BOTH == changed.own.same.undefined

    def test_small_groups_go_with_the_largest(self):
        table, _long = planted(teams=(["a", "b", "c"], ["a", "b", "d"]))
        changed = change(table, DRAWN)
        assert changed.people == (3, 3, 2)
        assert changed.elsewhere.interval is not None
        assert changed.elsewhere.interval.low is not None

    def test_too_few_people_or_texts_are_said(self):
        two, _long = planted(teams=(["a", "b", "c"], ["d", "e", "f"]), texts=4)
        changed = change(two, DRAWN)
        assert changed.elsewhere.interval is not None
        assert changed.difference.interval is not None
        assert "at least 8" in str(changed.elsewhere.interval.undefined)
        assert changed.no_test is not None
        assert "too few texts change (4)" in changed.no_test.en
        alone = small([[5, 6]] * 9, [[7, 8]] * 9)
        reason = change(alone, DRAWN).elsewhere.interval
        assert reason is not None
        assert "at least 3 in each" in str(reason.undefined)

    def test_nothing_that_differs(self):
        changed = change(small([[5, 5, 5]] * 9, [[5, 5, 5]] * 9), DRAWN)
        assert changed.test is None
        assert changed.no_test is not None
        assert changed.elsewhere.interval is not None
        assert "every text gives the same value" in str(changed.elsewhere.interval.undefined)

    def test_what_cancels_out(self):
        # Each person and each text adds nothing to the whole.
        rows = [[4, 6, 5, 5], [6, 4, 5, 5]] * 5
        changed = change(small(rows, rows, other_people=True), DRAWN)
        assert changed.elsewhere.interval is not None
        assert changed.elsewhere.interval.low is None

    def test_classes_have_shares_only(self):
        changed = change(planted(level=Level.NOMINAL)[0], DRAWN)
        assert changed.difference.value is None
        assert changed.elsewhere.value is None
        assert changed.test is not None
        assert changed.means == (None, None)
        again = change(planted(level=Level.NOMINAL, teams=(["a", "b", "c"],) * 2)[0], DRAWN)
        assert again.own.moved.value is None
        assert again.own.same.value is not None

    def test_the_rows_order_changes_nothing(self):
        assert change(planted()[0], DRAWN).as_dict() == change(planted()[0], DRAWN).as_dict()


def small(first: list[list[int]], second: list[list[int]], *, other_people: bool = False) -> Both:
    """One output to a text; the same people in both, or others."""
    teams = [list("abcd")[: len(first[0])], list("efgh" if other_people else "abcd")]
    teams[1] = teams[1][: len(second[0])]
    tables = [
        Ratings.from_matrix(rows, rater_ids=team)
        for rows, team in zip((first, second), teams, strict=True)
    ]
    known = [dict(zip(team, team, strict=True)) for team in teams]
    matches = [Match(at, at, f"{at:02}", "") for at in range(len(first))]
    return both(
        tables[0],
        tables[1],
        matches,
        level=Level.ORDINAL,
        scale=SCALE,
        people=(known[0], known[1]),
    )


class TestOwnAnswers:
    def both_answers(self, level: Level = Level.ORDINAL) -> tuple[Both, pd.DataFrame]:
        """The same three people in both, and their two answers side by side."""
        table, long = planted(level=level, teams=(["a", "b", "c"],) * 2, gain=1)
        wide = long.pivot(index=["pair", "person"], columns="study", values="value")
        return table, wide

    @pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL, Level.INTERVAL])
    def test_alpha_is_the_public_packages(self, level):
        table, wide = self.both_answers(level)
        answers = own_answers(table, DRAWN)
        expected = public_alpha(wide.to_numpy(float).T, level_of_measurement=str(level))
        assert answers.alpha.value == pytest.approx(expected, abs=1e-9)
        interval = answers.alpha.interval
        assert interval is not None
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low < expected < interval.high
        assert "studies:own" in answers.alpha.signature

    def test_what_became_what_is_a_cross_table(self):
        table, wide = self.both_answers()
        crossed = pd.crosstab(wide[0], wide[1]).stack()
        moved = {
            (before, after): times
            for (before, after), times in crossed.items()
            if times and before != after
        }
        answers = own_answers(table, DRAWN)
        assert {(move.first, move.second): move.judgments for move in answers.moves} == moved
        assert [move.judgments for move in answers.moves] == sorted(moved.values(), reverse=True)
        most = answers.moves[0]
        own = wide[(wide[0] == most.first) & (wide[1] == most.second)]
        assert most.outputs == own.index.get_level_values("pair").nunique()
        assert answers.judgments == len(wide)

    def test_where_nothing_moves(self):
        rows = [[5, 6, 7]] * 9
        answers = own_answers(small(rows, rows), DRAWN)
        assert (answers.moved.value, answers.same.value, answers.alpha.value) == (
            0.0,
            1.0,
            1.0,
        )
        assert answers.moves == ()
        alike = own_answers(small([[5, 5, 5]] * 9, [[5, 5, 5]] * 9), DRAWN)
        assert alike.alpha.undefined == NO_ALPHA


class TestOrders:
    POINTS = tuple(range(101))

    def studies(self, texts: int = 20) -> tuple[dict[str, Measured], dict[str, Measured], Any]:
        """Scores from 1 to 10 by three people, and points from 0 to 100 by two others, of the same
        forty outputs; both have classes on one scale."""
        rng = np.random.default_rng(8)
        number = 2 * texts
        quality = rng.normal(5.5, 1.5, number)
        scores = np.clip(np.rint(quality[:, None] + rng.normal(0, 1, (number, 3))), 1, 10)
        points = np.clip(np.rint(10 * quality[:, None] + rng.normal(0, 15, (number, 2))), 0, 100)
        classes = Measured(
            Ratings.from_matrix(rng.integers(1, 4, (number, 3))), Level.NOMINAL, (1, 2, 3)
        )
        first = {
            "score": Measured(Ratings.from_matrix(scores), Level.ORDINAL, SCALE),
            "class": classes,
        }
        second = {
            "points": Measured(Ratings.from_matrix(points), Level.INTERVAL, self.POINTS),
            "class": classes,
        }
        matches = [Match(at, at, f"source {at // 2:02}", "") for at in range(number)]
        return first, second, (matches, scores.mean(axis=1), points.mean(axis=1))

    def test_the_correlation_is_scipys(self):
        first, second, (matches, scores, points) = self.studies()
        (comparison,) = orders(first, second, matches, DRAWN)
        assert (comparison.first, comparison.second) == ("score", "points")
        expected = spearmanr(scores, points).statistic
        assert comparison.spearman.value == pytest.approx(expected, abs=1e-12)
        counts = comparison.spearman.counts
        assert (counts.outputs, counts.sources, counts.people, counts.ratings) == (40, 20, 5, 200)
        interval = comparison.spearman.interval
        assert interval is not None
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low < expected < interval.high <= 1

    def test_a_draw_is_the_correlation_of_its_outputs(self):
        """Drawn outputs copied one by one, as the draws' weights say."""
        _first, _second, (_matches, scores, points) = self.studies()
        weights = np.random.default_rng(4).integers(0, 3, (5, 40)).astype(float)
        correlations = weighted_spearman(scores, points, weights)
        for draw, value in zip(weights.astype(int), correlations, strict=True):
            copied = np.repeat(scores, draw), np.repeat(points, draw)
            assert value == pytest.approx(spearmanr(*copied).statistic, abs=1e-12)

    def test_what_both_measure_alike_has_no_order_of_its_own(self):
        first, _second, (matches, *_means) = self.studies()
        assert orders(first, first, matches, DRAWN) == ()

    def test_what_cannot_be_ordered(self):
        first, second, (matches, *_means) = self.studies()
        (few,) = orders(first, second, matches[:2], DRAWN)
        assert few.spearman.undefined is not None
        assert "there are 2" in few.spearman.undefined.en
        flat = Measured(Ratings.from_matrix([[5]] * 40), Level.ORDINAL, SCALE)
        (level,) = orders({"score": flat}, second, matches, DRAWN)
        assert level.spearman.undefined == NO_ORDER
        (none,) = orders(first, second, matches, Drawn(draws=0))
        assert none.spearman.interval is not None
        assert none.spearman.interval.low is None
        (alone,) = orders(
            {"score": Measured(Ratings.from_long([], [], []), Level.ORDINAL, SCALE)},
            second,
            matches,
            DRAWN,
        )
        assert alone.spearman.value is None


class TestLargestChanges:
    def test_they_are_those_of_a_long_table(self):
        table, long = planted()
        means = long.groupby(["pair", "study"])["value"].mean().unstack()
        moved = (means[1] - means[0]).round(9)
        order = sorted(moved.index, key=lambda pair: (-abs(moved[pair]), pair))
        changes = largest_changes(table)
        assert len(changes) == MOST
        assert [pair.first for pair in changes] == [pair for pair in order if moved[pair]][:MOST]
        for shift in changes:
            assert shift.change == pytest.approx(moved[shift.first])
            assert shift.means == pytest.approx((means[0][shift.first], means[1][shift.first]))
            assert shift.answers == (3, 3)

    def test_of_classes_it_is_the_share_that_would_have_to_change(self):
        table = small([[1, 1, 2, 3], [1, 1, 1, 1]], [[1, 2, 2, 4], [1, 1, 1, 1]])
        (pair,) = largest_changes(Both(**{**vars(table), "level": Level.NOMINAL}))
        # A quarter went from 1 to 2, another from 3 to 4.
        assert (pair.change, pair.means) == (0.5, (None, None))


class TestJudgments:
    def test_couples_are_those_that_are_counted_one_by_one(self):
        table, long = planted(teams=(["a", "b", "c"], ["b", "c", "d"]), gain=1)
        counted: dict[str, list[bool]] = {"first": [], "second": [], "between": []}
        for _pair, rows in long.groupby("pair"):
            judged = rows[["study", "person", "value"]].to_numpy().tolist()
            for at, judgment in enumerate(judged):
                for other in judged[at + 1 :]:
                    if judgment[1] == other[1]:
                        continue
                    name = (
                        "between" if judgment[0] != other[0] else ("first", "second")[judgment[0]]
                    )
                    counted[name].append(judgment[2] == other[2])
        agreement = judgments_agreement(table, DRAWN)
        assert agreement.first.value == pytest.approx(np.mean(counted["first"]))
        assert agreement.second.value == pytest.approx(np.mean(counted["second"]))
        assert agreement.between.value == pytest.approx(np.mean(counted["between"]))
        within = (np.mean(counted["first"]) + np.mean(counted["second"])) / 2
        assert agreement.excess.value == pytest.approx(np.mean(counted["between"]) - within)

    @pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL])
    def test_alpha_is_the_public_packages(self, level):
        table, long = planted(level=level)
        agreement = judgments_agreement(table, DRAWN)
        for part, coefficient in zip(([0], [1], [0, 1]), agreement.alphas, strict=True):
            own = long[long["study"].isin(part)]
            wide = own.pivot(index=["study", "person"], columns="pair", values="value")
            expected = public_alpha(wide.to_numpy(float), level_of_measurement=str(level))
            assert coefficient.value == pytest.approx(expected, abs=1e-9)
            assert coefficient.interval is not None
            assert coefficient.interval.low is not None

    def test_one_judgment_each_has_couples_between_only(self):
        agreement = judgments_agreement(small([[5]] * 9, [[6]] * 9, other_people=True), DRAWN)
        assert agreement.first.value is None
        assert agreement.excess.value is None
        assert agreement.between.value == 0.0
        of_one = judgments_agreement(small([[5, 7]], [[6, 6]]), DRAWN)
        assert [figure.undefined for figure in of_one.alphas] == [ONE_UNIT] * 3
        alone = judgments_agreement(small([[5]] * 9, [[6]] * 9), DRAWN)
        assert alone.between.value is None
        assert alone.alphas[0].value is None

    @pytest.mark.parametrize("twice", [5, 20])
    def test_what_has_no_couple_is_not_counted(self, twice):
        """Two people of each study judged the first outputs, one all others: within a study these
        say nothing, and no interval rests on them."""
        rng = np.random.default_rng(5)
        matrices = []
        for _ in range(2):
            values = rng.integers(1, 11, (60, 1)) + rng.integers(-1, 2, (60, 2)).astype(float)
            values[twice:, 1] = np.nan
            matrices.append(np.clip(values, 1, 10))
        units = [f"t{at:02}" for at in range(60)]

        def tables(number: int) -> Both:
            sides = [
                Ratings.from_matrix(matrix[:number], units[:number], [f"{of}{who}" for who in "xy"])
                for of, matrix in zip("ab", matrices, strict=True)
            ]
            everybody = tuple({who: who for who in side.rater_ids} for side in sides)
            pairs = [Match(unit, unit, unit, "") for unit in units[:number]]
            return both(*sides, pairs, level=Level.ORDINAL, scale=SCALE, people=everybody)

        agreement = judgments_agreement(tables(60), DRAWN)
        short = judgments_agreement(tables(twice), DRAWN)
        for figure, alone in (
            (agreement.first, short.first),
            (agreement.second, short.second),
            *zip(agreement.alphas[:2], short.alphas[:2], strict=True),
        ):
            assert figure.value == alone.value
            assert figure.counts == alone.counts
            assert (figure.counts.sources, figure.counts.ratings) == (twice, 2 * twice)
            assert figure.interval is not None
            assert (figure.interval.low is None) is (twice < 8)
        assert agreement.alphas[0] == short.alphas[0]
        assert (agreement.between.counts.sources, agreement.excess.counts.sources) == (60, twice)
        assert agreement.alphas[2].counts.sources == 60

    def test_no_draws(self):
        agreement = judgments_agreement(planted()[0], Drawn(draws=0))
        assert agreement.alphas[0].interval is not None
        assert agreement.alphas[0].interval.low is None


class TestLabels:
    def test_means_are_correlated_as_scipy_has_it(self):
        table, long = planted()
        means = long.groupby(["pair", "study"])["value"].mean().unstack()
        agreement = labels_agreement(table, DRAWN)
        assert agreement.correlation.value == pytest.approx(
            pearsonr(means[0], means[1])[0], abs=1e-9
        )
        assert agreement.distance.value == pytest.approx((means[1] - means[0]).abs().mean())
        assert agreement.same.value is None
        assert agreement.same.undefined is not None

    def test_majorities_agree_as_scikit_learn_has_it(self):
        rng = np.random.default_rng(2)
        # Two of three always agree, so that no label is drawn.
        labels = rng.integers(1, 4, (30, 2))
        rows = [[[pair[of], pair[of], 4] for pair in labels.tolist()] for of in (0, 1)]
        table = small(rows[0], rows[1])
        nominal = Both(**{**vars(table), "level": Level.NOMINAL})
        agreement = labels_agreement(nominal, DRAWN)
        assert agreement.same.value == pytest.approx((labels[:, 0] == labels[:, 1]).mean())
        assert agreement.kappa.value == pytest.approx(cohen_kappa_score(labels[:, 0], labels[:, 1]))
        assert agreement.drawn == (0, 0)

    def test_one_label_throughout(self):
        table = small([[5, 5]] * 9, [[5, 5]] * 9)
        nominal = labels_agreement(Both(**{**vars(table), "level": Level.NOMINAL}), DRAWN)
        assert nominal.same.value == 1.0
        assert nominal.kappa.value is None
        assert labels_agreement(table, DRAWN).correlation.value is None

    def test_ties_are_counted(self):
        table = small([[5, 6]] * 9, [[5, 5]] * 9)
        nominal = labels_agreement(Both(**{**vars(table), "level": Level.NOMINAL}), DRAWN)
        assert nominal.drawn == (9, 0)


class TestReport:
    def report(self, unknown: Any = (), **fields: Any) -> Any:
        table, _long = planted(**fields)
        ratings = [
            Ratings.from_long(
                side.pair.tolist(),
                [table.people[code] for code in side.person.tolist()],
                table.scale[side.place].tolist(),
            )
            for side in table.sides
        ]
        measured = [Measured(study_ratings, Level.ORDINAL, SCALE) for study_ratings in ratings]
        people = {person: person for person in table.people}
        return studies_side_by_side(
            {"score": measured[0], "old": measured[0], "other": measured[0]},
            {
                "score": measured[1],
                "other": Measured(measured[1].ratings, Level.ORDINAL, (*SCALE, 11)),
                "new": measured[1],
            },
            [Match(pair.first, pair.second, pair.source, pair.system) for pair in table.pairs],
            people=(people, people),
            drawn=DRAWN,
            unknown=unknown,
        )

    def test_of_an_open_ended_count_the_numbers_given_are_the_answers(self):
        every = tuple(range(501))
        sides = [
            {
                name: Measured(Ratings.from_matrix(numbers), Level.INTERVAL, every, is_open)
                for name, is_open in (("count", True), ("scale", False))
            }
            for numbers in ([[0, 2], [2, 2], [1, 0]], [[0, 7], [2, 1], [1, 1]])
        ]
        matches = [Match(at, at, at, "s") for at in range(3)]
        people = {at: at for at in range(2)}
        report = studies_side_by_side(*sides, matches, people=(people, people), drawn=DRAWN)
        count, scale = report["count"], report["scale"]
        assert (count.scale, len(scale.scale)) == ((0, 1, 2, 7), 501)
        assert count.change.difference.value == pytest.approx(scale.change.difference.value)
        assert count.change.shares == tuple(scale.change.shares[int(at)] for at in count.scale)
        assert (count.as_dict()["open_ended"], "open_ended" in scale.as_dict()) == (True, False)

    def test_only_what_both_measure_alike_is_compared(self):
        report = self.report()
        assert list(report) == ["score", "old", "other", "new"]
        assert report["old"].undefined == NOT_IN_BOTH == report["new"].undefined
        assert report["other"].undefined == OTHER_SCALE
        assert report["score"].undefined is None

    def test_each_system_has_its_own_change_in_one_family(self):
        score = self.report()["score"]
        assert [name for name, _one in score.by_system] == ["x", "y"]
        assert score.change.family == 3
        assert score.change.adjusted >= score.change.test.p
        assert "holm:3" in score.change.signature

    def test_who_judged_is_told(self):
        assert self.report()["score"].notes == (OTHER_PEOPLE,)
        same = self.report(teams=(["a", "b", "c"], ["a", "b", "c"]))
        assert same["score"].notes == ()
        some = self.report(teams=(["a", "b", "c"], ["b", "c", "d"]))
        assert some["score"].notes == (SOME_OTHERS,)

    @pytest.mark.parametrize("unknown", [["a"], ["d"], list("abcdefgh")])
    def test_of_whom_nothing_is_known_it_is_not_said_that_they_are_others(self, unknown):
        teams = (["a", "b", "c"], ["d", "e", "f"])
        assert self.report(teams=teams)["score"].notes == (OTHER_PEOPLE,)
        score = self.report(unknown, teams=teams)["score"]
        assert score.notes == (UNKNOWN_PEOPLE,)
        assert score.change == self.report(teams=teams)["score"].change

    def test_who_is_not_known_may_be_somebody_of_the_others_alone(self):
        some = (["a", "b", "c"], ["b", "c", "d"])
        for unknown, note in ((["a"], SOME_UNKNOWN), (["d"], SOME_UNKNOWN), (["b"], SOME_OTHERS)):
            assert self.report(unknown, teams=some)["score"].notes == (note,)
        # Everybody of the second is told, so that the third of the first is nobody of them.
        fewer = self.report(["a"], teams=(["a", "b", "c"], ["b", "c"]))
        assert fewer["score"].notes == (SOME_OTHERS,)
        same = self.report(["a", "b"], teams=(["a", "b", "c"], ["a", "b", "c"]))
        assert same["score"].notes == ()

    def test_it_is_json(self):
        import json

        for dimension in self.report().values():
            report = dimension.as_dict()
            assert json.loads(json.dumps(report, allow_nan=False)) == report

    def test_a_value_off_the_scale(self):
        table = Ratings.from_matrix([[11]])
        with pytest.raises(ValueError, match="not on the scale"):
            both(
                table,
                table,
                [Match(0, 0, "s", "")],
                level=Level.ORDINAL,
                scale=SCALE,
                people=({0: 0}, {0: 0}),
            )


def test_intervals_keep_what_they_promise():
    """Two teams of three, drawn anew: 95 % ± 5 of 120 intervals hold no change. Only a guard; what
    is promised is measured by ``bench.studies``."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(120):
        severity = rng.normal(0, 1.0, 6)
        quality = rng.normal(5.5, 1.0, 20)
        sides = [
            np.clip(
                np.rint(quality[:, None] + severity[at : at + 3] + rng.normal(0, 1, (20, 3))), 1, 10
            ).astype(int)
            for at in (0, 3)
        ]
        table = small(sides[0].tolist(), sides[1].tolist(), other_people=True)
        interval = change(table, Drawn(draws=200, seed=1)).elsewhere.interval
        assert interval is not None
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= 0 <= interval.high
    assert 108 <= held <= 120
