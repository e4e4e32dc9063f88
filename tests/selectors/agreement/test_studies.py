"""Parts of one study and studies of two protocols side by side, held against long tables."""

from __future__ import annotations

import pandas as pd
import pytest
from django.db.models import F
from scipy.stats import spearmanr  # type: ignore[import-untyped]

from annotation.agreement.studies.wording import NO_COMMON_OUTPUT, ORDER_ALONE
from annotation.agreement.systems.figure import Drawn
from annotation.models import (
    Assignment,
    GuideVersion,
    Item,
    Judgment,
    Rating,
    Simplification,
    Study,
)
from annotation.selectors.agreement.studies import Part, StudiesFigures, studies_figures
from tests.factories import make_study
from tests.systems_study import fill_points, fill_systems, judge
from tests.web.agreement.test_systems import planted

pytestmark = pytest.mark.django_db

DRAWN = Drawn(draws=200, seed=3)


@pytest.fixture
def study(db: None) -> Study:
    """Two systems on fourteen texts, judged by A, B and C."""
    new_study = make_study("first", state="closed")
    fill_systems(new_study, planted())
    return new_study


def long_table(study: Study) -> pd.DataFrame:
    """Every score with what parts are made by."""
    rows = Rating.objects.filter(
        judgment__assignment__annotator__study=study, dimension="legal_meaning"
    ).values(
        "value",
        person=F("judgment__assignment__annotator__pseudonym"),
        text=F("judgment__assignment__simplification__text"),
        round=F("judgment__assignment__simplification__item__round"),
        shown=F("judgment__assignment__context_shown"),
        guide=F("judgment__guide__number"),
    )
    return pd.DataFrame(rows)


def assert_is_change(figures: StudiesFigures, first: pd.DataFrame, second: pd.DataFrame) -> None:
    """The means over common outputs, the change, and the answers of the same people."""
    means = [table.groupby("text")["value"].mean() for table in (first, second)]
    both = pd.concat(means, axis=1, join="inner", keys=["first", "second"])
    change = figures.dimensions["legal_meaning"].change
    assert change is not None
    assert change.counts.outputs == len(both)
    assert change.means == pytest.approx(tuple(both.mean()))
    assert change.difference.value == pytest.approx((both["second"] - both["first"]).mean())
    own = first.merge(second, on=["text", "person"])
    if len(own):
        gaps = own["value_y"] - own["value_x"]
        assert change.own.moved.value == pytest.approx(gaps.mean())
        assert change.own.same.value == pytest.approx((gaps == 0).mean())
    else:
        assert change.own.moved.value is None


class TestParts:
    def test_with_and_without_the_neighbouring_text(self, study):
        """Half of the judgments each, as the arm gives it out: of one output some with, some
        without."""
        for number, assignment in enumerate(Assignment.objects.order_by("pk")):
            assignment.context_shown = number % 3 != number // 6 % 3
            assignment.save(update_fields=["context_shown"])
        table = long_table(study)
        figures = studies_figures(
            (study, Part(context="not_shown")), (study, Part(context="shown")), "content", DRAWN
        )
        assert_is_change(figures, table[~table["shown"]], table[table["shown"]])

    def test_under_two_versions_of_the_guide(self, study):
        second = GuideVersion.objects.create(study=study, number=2, body_fr="Guide 2")
        later = Judgment.objects.filter(assignment__annotator__pseudonym__in="BC")
        later.filter(assignment__simplification__item__position__gt=5).update(guide=second)
        Judgment.objects.filter(assignment__annotator__pseudonym="A").update(guide=second)
        table = long_table(study)
        figures = studies_figures((study, Part(guide=1)), (study, Part(guide=2)), "content", DRAWN)
        assert_is_change(figures, table[table["guide"] == 1], table[table["guide"] == 2])

    def test_two_rounds_of_the_same_texts(self, study):
        """The practice round has the texts of the main one, in another order."""
        for item in list(study.items.order_by("-position")[:9]):
            again = Item.objects.create(
                study=study,
                key=f"practice-{item.position}",
                position=100 - item.position,
                round="practice",
                original=item.original,
                original_digest=item.original_digest,
            )
            for pair in item.simplifications.all():
                its = Simplification.objects.create(
                    item=again, system=pair.system, position=pair.position, text=pair.text
                )
                for number, assignment in enumerate(pair.assignments.order_by("annotator")):
                    judge_again(assignment, its, number)
        table = long_table(study)
        figures = studies_figures(
            (study, Part(round="practice")), (study, Part()), "content", DRAWN
        )
        assert (figures.matching.first_only, figures.matching.second_only) == (0, 10)
        rounds = [table[table["round"] == name] for name in ("practice", "main")]
        assert_is_change(figures, *rounds)


def judge_again(former: Assignment, pair: Simplification, number: int) -> None:
    """The same person's judgment of the same output in another round, up to two points lower."""
    value = max(1, former.judgment.ratings.get(dimension="legal_meaning").value - number % 3)
    guide = former.judgment.guide
    assert guide is not None
    judge(former.annotator, pair, 1000 + pair.pk, value, guide)


class TestTwoProtocols:
    @pytest.fixture
    def points(self, study) -> Study:
        """The same outputs by two other people, in points from 0 to 100."""
        points_study = make_study(
            "points", state="closed", protocol_key="direct_assessment", protocol_version="1"
        )
        fill_points(points_study, study)
        return points_study

    def test_scales_are_not_converted_but_orders_are_compared(self, study, points):
        figures = studies_figures((study, Part()), (points, Part()), "content", DRAWN)
        assert all(dimension.undefined is not None for dimension in figures.dimensions.values())
        assert [(order.first, order.second) for order in figures.orders] == [
            ("legal_meaning", "meaning"),
            ("legal_meaning", "fluency"),
            ("legal_meaning", "simplicity"),
        ]
        scores = long_table(study).groupby("text")["value"].mean()
        given = pd.DataFrame(
            Rating.objects.filter(judgment__protocol="direct_assessment 1").values(
                "value", "dimension", text=F("judgment__assignment__simplification__text")
            )
        )
        for order in figures.orders:
            means = given[given["dimension"] == order.second].groupby("text")["value"].mean()
            expected = spearmanr(scores, means[scores.index]).statistic
            assert order.spearman.value == pytest.approx(expected)
        assert figures.reason is None
        assert ORDER_ALONE in figures.notes
        assert figures.second.labels["meaning"].en
        assert len(figures.as_dict()["orders"]) == 3

    def test_classes_have_no_order(self, study):
        other = make_study("kinds", state="closed", protocol_key="operations", protocol_version="1")
        figures = studies_figures((study, Part()), (other, Part()), "content", DRAWN)
        assert figures.orders == ()
        assert figures.reason == NO_COMMON_OUTPUT
