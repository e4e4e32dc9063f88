"""Control pairs: made of the study's own passages, met among the others, apart in the data."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.corpus.pairs import PairRow, Pairs
from annotation.errors import RuleError
from annotation.models import Event, Item, Study, StudyPlan, plan_of
from annotation.scoring.augmentation import are_unrelated
from annotation.selectors.agreement.consistency import study_controls
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.items.imports import pairs_plan
from annotation.selectors.judging.blinded import blinded_pair
from annotation.selectors.judging.own import own_judgments
from annotation.selectors.planning.plan import pairs_of
from annotation.services.items.items import pairs_import
from annotation.services.planning.assignments import main_pairs_undo
from annotation.services.planning.controls import controls_check, controls_make, controls_wanted
from annotation.services.planning.plans import plan_set
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_pair, make_study
from tests.planning import annotators, codes, open_main, planned_study, rows, submit

pytestmark = pytest.mark.django_db


def controls(study):
    return list(Item.objects.filter(study=study, round="control").order_by("position"))


def test_they_are_made_when_the_main_round_opens():
    study = planned_study(2, 10, opened=False, control_identical=2, control_unrelated=1, seed=4)
    assert controls(study) == []
    open_main(study)
    made = controls(study)
    assert [item.control for item in made] == ["identical", "identical", "unrelated"]
    originals = set(
        Item.objects.filter(study=study, round="main").values_list("original", flat=True)
    )
    for item in made:
        pair = item.simplifications.get()
        assert item.original in originals
        assert pair.text in originals
        assert pair.is_identical == (item.control == "identical")
        assert are_unrelated(item.original, pair.text) == (item.control == "unrelated")
    assert Event.objects.get(study=study, verb="controls_made").details == {
        "identical": 2,
        "unrelated": 1,
        "seed": 4,
    }


def test_the_same_seed_makes_the_same_pairs():
    texts = [
        [
            (item.original, item.simplifications.get().text)
            for item in controls(planned_study(1, 10, seed=4, **plan))
        ]
        for plan in [{"control_identical": 2, "control_unrelated": 2}] * 2
    ]
    assert texts[0] == texts[1]


def test_everybody_meets_them_among_the_others_whatever_the_plan():
    study = planned_study(4, 10, per_item=2, control_identical=2, control_unrelated=2, seed=1)
    places = []
    for annotator in annotators(study):
        mine = rows(study, annotator=annotator)
        of_control = [row for row in mine if row.simplification.item.round == "control"]
        assert len(of_control) == 4
        places.append([row.position for row in of_control])
        assert {row.round for row in own_judgments(annotator)} == {"main"}
        seen = blinded_pair(of_control[0])
        assert (seen.round, seen.editable) == ("main", True)
        assert not hasattr(seen, "control")
    assert any(max(positions) < 9 for positions in places), "not all at the end"


def test_everybody_meets_them_among_the_others_after_a_practice_round():
    """Which gave out all that there was: nobody is to know that what comes last is a control."""
    study = planned_study(4, 10, opened=False, control_identical=2, control_unrelated=2, seed=1)
    make_pair(study, round="practice")
    study_change_state(actor=None, study=study, to="practice", reason="essai")
    open_main(study)
    lasts = [
        [row.simplification.item.round for row in rows(study, annotator=annotator)][-4:]
        for annotator in annotators(study)
    ]
    assert not any(last == ["control"] * 4 for last in lasts), "all at the end"
    assert Counter(len(rows(study, annotator=who)) for who in annotators(study)) == {15: 4}


def test_that_all_are_drawn_anew_takes_no_more_statements_the_more_pairs_there_are():
    """Of 2,000 pairs × 25 the main round took nine seconds to open, with all its rows in memory."""
    numbers = set()
    for pairs in (10, 160):
        study = planned_study(4, pairs, opened=False)
        make_pair(study, round="practice")
        study_change_state(actor=None, study=study, to="practice", reason="essai")
        with CaptureQueriesContext(connection) as statements:
            assert main_pairs_undo(study) == 4 * pairs
        numbers.add(len(statements))
        assert {len(rows(study, annotator=who)) for who in annotators(study)} == {1}
    assert len(numbers) == 1


def test_answers_to_them_are_no_data_and_are_counted_by_person():
    study = planned_study(2, 10, control_identical=1, control_unrelated=1, seed=1)
    first, second = annotators(study)
    for row in rows(study, annotator=first, simplification__item__round="control"):
        unrelated = row.simplification.item.control == "unrelated"
        submit(row, bracket=1 if unrelated else 3, simplicity=2 if unrelated else 4)
    bad = next(
        row
        for row in rows(study, annotator=second)
        if row.simplification.item.control == "unrelated"
    )
    submit(bad)
    assert study_ratings(study).judgments == 0
    assert study_ratings(study, round="all").judgments == 0
    assert study_ratings(study, round="control").judgments == 3
    numbers = {
        (control.annotator, control.kind): (control.given, control.judged, control.passed)
        for control in study_controls(study)
    }
    assert numbers == {
        ("A", "identical"): (1, 1, 1),
        ("A", "unrelated"): (1, 1, 1),
        ("B", "identical"): (1, 0, 0),
        ("B", "unrelated"): (1, 1, 0),
    }


def test_a_share_is_rounded_up_and_none_is_taken_away():
    study = planned_study(
        1, 10, control_identical=15, control_unrelated=0, control_unit="percent", seed=1
    )
    assert controls_wanted(plan_of(study), 10) == (2, 0)
    assert len(controls(study)) == 2
    plan_set(actor=None, study=study, control_identical=0)
    assert len(controls(study)) == 2
    plan_set(actor=None, study=study, control_identical=30)
    assert len({item.original for item in controls(study)}) == len(controls(study)) == 3
    assert len(rows(study, simplification__item__round="control")) == 3


def test_too_few_passages_stop_the_round_and_say_so():
    study = planned_study(1, 3, opened=False)
    make_pair(study, original=Item.objects.filter(study=study)[0].original)
    plan = plan_of(study)
    plan.control_identical = 3
    controls_check(study, plan)
    plan.control_identical = 4
    with pytest.raises(RuleError) as error:
        controls_make(actor=None, study=study, plan=plan)
    assert codes(error) == [("control_identical", "too_few")]
    message = error.value.problems[0].message
    assert "4 paires de contrôle demandées" in message.fr
    assert "n'en permettent que 3 :" in message.fr
    assert "4 control pairs asked for" in message.en
    assert "allow 3 only:" in message.en


def test_where_every_other_passage_is_alike_there_is_no_unrelated_one():
    study = make_study()
    make_annotator(study)
    for _ in range(3):
        make_pair(study)
    with pytest.raises(RuleError) as error:
        plan_set(actor=None, study=study, control_unrelated=1)
    assert codes(error) == [("control_unrelated", "too_few")]
    message = error.value.problems[0].message
    assert message.en.startswith("1 control pair asked for, and the passages of the main round")
    assert "allow none:" in message.en
    assert message.fr.startswith("1 paire de contrôle demandée, et les clauses")
    assert "n'en permettent aucune :" in message.fr


def test_before_there_are_pairs_nothing_is_refused():
    study = make_study()
    assert plan_set(actor=None, study=study, control_unrelated=3).plan.control_unrelated == 3


def test_a_key_that_is_taken_is_passed_over():
    study = planned_study(1, 4, opened=False, control_identical=1)
    make_pair(study, key="control-0001")
    open_main(study)
    assert controls(study)[0].key == "control-0002"
    assert len(pairs_of(study, ["control"])) == 1


def test_the_last_passage_may_be_the_last_that_is_needed():
    study = planned_study(1, 2, control_unrelated=2)
    assert [item.control for item in controls(study)] == ["unrelated", "unrelated"]


def test_they_are_no_duplicates_of_what_is_imported():
    study = planned_study(1, 2, control_identical=2)
    original = controls(study)[0].original
    pairs = Pairs([PairRow(row=1, original=original, simplification=original)], [])
    plan = pairs_plan(study=study, pairs=pairs, round="main")
    assert plan.problems == []
    assert [place.key for place in plan.places] != [controls(study)[0].key]


class TestLatePairs:
    """Pairs that come into an open main round."""

    def come(self, study, number: int) -> None:
        words = [f"tardif{place}x{number}" for place in range(8)]
        rows = [PairRow(2, original=f"{' '.join(words)}.", simplification=f"Simple {number}.")]
        pairs_import(actor=None, study=study, pairs=Pairs(rows=rows))

    def test_a_share_grows_with_them(self):
        study = planned_study(2, 10, control_identical=10, control_unit="percent", seed=1)
        assert len(controls(study)) == 1
        self.come(study, 1)
        assert len(controls(study)) == 2, "10 % of 11, rounded up"
        assert all(len(rows(study, annotator=annotator)) == 13 for annotator in annotators(study))

    def test_a_number_does_not(self):
        study = planned_study(2, 10, control_identical=1, seed=1)
        self.come(study, 1)
        assert len(controls(study)) == 1

    def test_an_import_is_not_refused_for_want_of_passages(self):
        study = planned_study(1, 3, control_unrelated=3, seed=1)
        StudyPlan.objects.filter(study=study).update(control_unrelated=9)
        self.come(study, 1)
        assert len(controls(study)) == 3
        assert Item.objects.filter(study=study, round="main").count() == 4

    @pytest.mark.parametrize("state", ["draft", "practice"])
    def test_before_the_round_opens_none_is_made(self, state):
        study = planned_study(1, 3, opened=False, control_identical=1, seed=1)
        Study.objects.filter(pk=study.pk).update(state=state)
        self.come(study, 1)
        assert controls(study) == []
