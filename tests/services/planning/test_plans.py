"""Plans set and applied: who gets what, what stays, what is refused."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from annotation.errors import RuleError
from annotation.models import Assignment, Event, Judgment, StudyPlan, plan_of
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.planning.preview import pairs_short, plan_obstacles, plan_preview
from annotation.selectors.studies.readiness import readiness, unmet
from annotation.selectors.watching.progress import annotators_progress, study_counts
from annotation.services.people.invitations import invitation_create
from annotation.services.people.people import annotator_add, annotator_withdraw
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.plans import plan_change, plan_set
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.planning import annotators, begin, codes, open_main, planned_study, rows, submit, verbs

pytestmark = pytest.mark.django_db


def teams_of(study):
    teams: dict[int, set[str]] = {}
    for row in rows(study, simplification__item__round="main", released_at=None):
        teams.setdefault(row.simplification_id, set()).add(row.annotator.pseudonym)
    return teams


def test_without_a_plan_everybody_judges_everything():
    study = open_main(planned_study(3, 4, opened=False))
    assert {len(team) for team in teams_of(study).values()} == {3}
    assert plan_of(make_study()).per_item is None


def test_jades_3_of_6():
    study = planned_study(6, 20, per_item=3, seed=1)
    teams = teams_of(study)
    assert {len(team) for team in teams.values()} == {3}
    assert Counter(name for team in teams.values() for name in team) == dict.fromkeys("ABCDEF", 10)
    met = Counter(pair for team in teams.values() for pair in combinations(sorted(team), 2))
    assert set(met.values()) == {4}, "20 pairs × 3 couples, 15 couples"
    filled = Event.objects.get(study=study, verb="assignments_filled").details
    assert (filled["per_item"], filled["seed"], filled["added"]) == (3, 1, 60)


def test_what_was_previewed_is_what_is_applied():
    study = planned_study(6, 10, opened=False)
    plan = plan_change(study, plan_of(study), {"per_item": 3, "seed": 5})
    before = plan_preview(study, plan)
    assert not StudyPlan.objects.filter(per_item=3).exists(), "a preview writes nothing"
    plan_set(actor=None, study=study, per_item=3, seed=5)
    applied = {key: before.allocation.teams[key] for key in before.allocation.pairs}
    study = open_main(study)
    assert {pk: applied[key] for key, pk in before.allocation.pairs.items()} == teams_of(study)


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "refused"),
        [
            ({"per_item": 3}, [("per_item", "too_many")]),
            ({"per_item": 0}, [("per_item", "out_of_range")]),
            ({"release_after_days": 3}, [("release_after_days", "nobody_else")]),
            ({"per_item": 2, "release_after_days": 0}, [("release_after_days", "out_of_range")]),
            (
                {"repeat_percent": 10, "repeat_after_days": 0},
                [("repeat_after_days", "out_of_range")],
            ),
            ({"repeat_percent": 0}, [("repeat_percent", "out_of_range")]),
            ({"repeat_percent": 101}, [("repeat_percent", "out_of_range")]),
            ({"seed": -1}, [("seed", "out_of_range")]),
            ({"control_unit": "dozens"}, [("control_unit", "unknown")]),
            (
                {"control_unit": "percent", "control_identical": 60, "control_unrelated": 50},
                [("control_identical", "too_many")],
            ),
            (
                {"control_unit": "percent", "control_identical": 101},
                [("control_identical", "out_of_range")],
            ),
            ({"control_identical": 5}, [("control_identical", "too_few")]),
            ({"control_unrelated": 5}, [("control_unrelated", "too_few")]),
            (
                {"seed": -1, "repeat_percent": 101},
                [("seed", "out_of_range"), ("repeat_percent", "out_of_range")],
            ),
        ],
    )
    def test_a_setting_that_cannot_be_is_named(self, changes, refused):
        study = planned_study(2, 4, opened=False)
        with pytest.raises(RuleError) as error:
            plan_set(actor=None, study=study, **changes)
        assert codes(error) == refused
        assert plan_of(study).per_item is None
        assert all(p.message.fr and p.message.en for p in error.value.problems)

    def test_what_is_no_setting(self):
        with pytest.raises(TypeError, match="colour"):
            plan_set(actor=None, study=make_study(), colour="red")

    def test_whoever_is_invited_counts(self):
        study = planned_study(2, 4, opened=False)
        invitation_create(actor=None, study=study, email="new@example.org", role="annotator")
        plan_set(actor=None, study=study, per_item=3)
        assert [obstacle.code for obstacle in plan_obstacles(study)] == ["too_few_people"]

    def test_control_pairs_that_the_protocol_expects_nothing_of(self):
        study = make_study(protocol_key="operations")
        make_pair(study)
        with pytest.raises(RuleError) as error:
            plan_set(actor=None, study=study, control_identical=1, control_unrelated=1)
        assert codes(error) == [("control_unrelated", "no_such_controls")]
        assert plan_set(actor=None, study=study, control_identical=1).plan.control_identical == 1
        questions = make_study(protocol_key="qa_answers")
        with pytest.raises(RuleError) as error:
            plan_set(actor=None, study=questions, control_identical=2, control_unrelated=2)
        assert codes(error) == [
            ("control_identical", "no_such_controls"),
            ("control_unrelated", "no_such_controls"),
        ]
        assert "qa_answers 1" in error.value.problems[0].message.en

    def test_those_of_before_stay_until_somebody_changes_them(self):
        study = make_study(protocol_key="qa_answers")
        StudyPlan.objects.create(study=study, control_identical=2)
        assert plan_set(actor=None, study=study, repeat_percent=5).plan.control_identical == 2
        with pytest.raises(RuleError):
            plan_set(actor=None, study=study, control_identical=1)
        assert plan_set(actor=None, study=study, control_identical=0).plan.control_identical == 0

    def test_a_closed_study_is_reopened_first(self):
        study = study_change_state(actor=None, study=planned_study(2, 2), to="closed", reason="fin")
        with pytest.raises(RuleError) as error:
            plan_set(actor=None, study=study, per_item=2)
        assert codes(error) == [("plan", "closed")]

    def test_the_seed_is_fixed_once_the_main_round_is_open(self):
        with pytest.raises(RuleError) as error:
            plan_set(actor=None, study=planned_study(3, 3, per_item=2, seed=1), seed=2)
        assert codes(error) == [("seed", "round_open")]

    def test_no_answer_that_counts_is_taken_away(self):
        study = planned_study(3, 1)
        for row in rows(study):
            submit(row)
        with pytest.raises(RuleError) as error:
            plan_set(actor=None, study=study, per_item=2)
        assert codes(error) == [("per_item", "counted")]
        assert plan_set(actor=None, study=study, per_item=3).plan.per_item == 3


class TestObstacles:
    @pytest.mark.parametrize(
        ("people", "pairs", "per_item", "expected"),
        [
            (3, 0, 2, ["no_pairs"]),
            (6, 1, 2, ["too_few_pairs", "loads_by_one", "couples_by_one"]),
            (3, 4, 3, ["everybody"]),
            (4, 3, 3, ["loads_by_one", "couples_by_one"]),
            (3, 3, 2, []),
            (3, 3, 1, []),
        ],
    )
    def test_what_a_plan_cannot_do_is_said(self, people, pairs, per_item, expected):
        study = planned_study(people, pairs, opened=False, per_item=per_item, seed=1)
        said = [obstacle.code for obstacle in plan_preview(study, plan_of(study)).obstacles]
        assert sorted(said) == sorted(expected)

    def test_nobody(self):
        study = make_study()
        make_pair(study)
        assert [obstacle.code for obstacle in plan_obstacles(study)] == ["nobody"]
        assert "plan" not in unmet(study, "main"), "another line says so"

    def test_everybody_s_plan_has_none(self):
        study = planned_study(2, 2)
        assert (plan_obstacles(study), pairs_short(study)) == ([], 0)

    def test_the_readiness_list_says_that_people_are_missing(self):
        study = planned_study(3, 4, opened=False, per_item=3)
        annotator_withdraw(actor=None, annotator=annotators(study)[0], reason="part")
        assert "plan" in unmet(study, "main")
        assert {requirement.key: requirement.missing for requirement in readiness(study, "main")}[
            "plan"
        ] == 1

    def test_who_came_late_has_nothing_until_it_is_drawn_again(self):
        study = planned_study(3, 6, per_item=2, seed=1)
        begin(rows(study)[0])
        late = annotator_add(actor=None, study=study, user=make_user())
        assert [obstacle.code for obstacle in plan_obstacles(study)] == ["idle"]
        held = {row.pk for row in rows(study, draft__isnull=False)}
        plan_set(actor=None, study=study, redistribute=True, reason="retard")
        assert Counter(name for team in teams_of(study).values() for name in team) == dict.fromkeys(
            "ABCD", 3
        )
        assert {len(team) for team in teams_of(study).values()} == {2}
        assert held == {row.pk for row in rows(study, draft__isnull=False, released_at=None)}
        assert Assignment.objects.filter(annotator=late).count() == 3
        assert sum(person.main_total for person in annotators_progress(study)) == 12
        assert study_counts(study).expected == 12

    def test_uneven_where_what_is_begun_stays(self):
        study = planned_study(2, 4, per_item=1, seed=1)
        for row in rows(study, annotator__pseudonym="A"):
            begin(row)
        for number in range(2):
            make_annotator(study, pseudonym=f"Z{number}")
        plan_set(actor=None, study=study, redistribute=True)
        said = {obstacle.code for obstacle in plan_preview(study, plan_of(study)).obstacles}
        assert "loads" in said


class TestLife:
    def test_in_practice_teams_wait_and_nothing_stale_is_left(self):
        study = planned_study(3, 4, opened=False)
        make_pair(study, round="practice")
        study = study_change_state(actor=None, study=study, to="practice", reason="essai")
        assert len(rows(study, simplification__item__round="main")) == 12
        plan_set(actor=None, study=study, per_item=2)
        assert rows(study, simplification__item__round="main") == []
        assert len(rows(study, simplification__item__round="practice")) == 3
        assert assignments_fill(actor=None, study=study) == 0
        study = open_main(study)
        assert {len(team) for team in teams_of(study).values()} == {2}

    def test_a_study_taken_back_to_preparation_starts_from_nothing(self):
        study = planned_study(4, 6, opened=False)
        make_pair(study, round="practice")
        study_change_state(actor=None, study=study, to="practice", reason="essai")
        assert len(rows(study, simplification__item__round="main")) == 24, (
            "everybody's, hidden until the round opens"
        )
        study = study_change_state(actor=None, study=study, to="draft", reason="essai")
        plan_set(actor=None, study=study, repeat_percent=10)
        assert len(rows(study, simplification__item__round="main")) == 24
        plan_set(actor=None, study=study, per_item=2)
        promised = dict(plan_preview(study, plan_of(study)).loads)
        study_change_state(actor=None, study=study, to="main", reason="essai")
        given = Counter(
            row.annotator.pseudonym for row in rows(study, simplification__item__round="main")
        )
        assert given == promised
        assert sum(given.values()) == 12

    def test_from_everybody_to_teams_in_the_main_round(self):
        study = planned_study(4, 4)
        first = rows(study)[0]
        submit(first)
        plan = plan_change(study, plan_of(study), {"per_item": 2})
        assert "over" in {obstacle.code for obstacle in plan_preview(study, plan).obstacles}
        assert "over" not in {
            obstacle.code for obstacle in plan_preview(study, plan, redistribute=True).obstacles
        }
        plan_set(actor=None, study=study, per_item=2, redistribute=True, reason="moins de temps")
        teams = teams_of(study)
        assert {len(team) for team in teams.values()} == {2}
        assert "A" in teams[first.simplification_id]
        assert "plan_set" in {event.verb for event in study.events.all()}
        plan_set(actor=None, study=study, per_item=None)
        assert {len(team) for team in teams_of(study).values()} == {4}, (
            "what was released comes back where it was"
        )
        assert Assignment.objects.filter(annotator__study=study).count() == 16

    def test_who_leaves_is_replaced_everywhere(self):
        study = planned_study(4, 6, per_item=2, seed=3)
        leaver = annotators(study)[0]
        done, *waiting = rows(study, annotator=leaver)
        submit(done)
        annotator_withdraw(actor=None, annotator=leaver, reason="malade")
        teams = teams_of(study)
        assert {len(team - {"A"}) for team in teams.values()} == {2}
        assert "A" in teams[done.simplification_id], "what they submitted stays theirs"
        assert not any("A" in teams[row.simplification_id] for row in waiting)
        annotator_add(actor=None, study=study, user=leaver.user)
        assert {len(team - {"A"}) for team in teams_of(study).values()} == {2}, (
            "back, and nothing is missing"
        )

    def test_new_pairs_go_to_whoever_has_fewest(self):
        study = planned_study(4, 3, per_item=1, seed=1)
        make_pair(study)
        assignments_fill(actor=None, study=study)
        assert set(
            Counter(name for team in teams_of(study).values() for name in team).values()
        ) == {1}

    def test_nothing_changed_is_nothing_recorded(self):
        study = planned_study(3, 3, per_item=2)
        before = verbs(study)
        assert plan_set(actor=None, study=study, per_item=2).added == 0
        assert verbs(study) == before


def test_the_first_answers_count_and_later_ones_are_kept_apart():
    study = planned_study(3, 1)
    plan_set(actor=None, study=study, per_item=2)
    first, second, third = (submit(row) for row in rows(study))
    assert [assignment.surplus for assignment in (first, second, third)] == [False, False, True]
    again = submit(third.assignment, comment="relu")
    assert again.surplus, "a correction changes nothing of that"
    assert not submit(first.assignment, comment="relu").surplus
    assert study_ratings(study).judgments == 2
    assert study_ratings(study, round="surplus").judgments == 1
    assert study_counts(study).judgments == 3, "it is work all the same"
    assert pairs_short(study) == 0
    assert unmet(study, "closed") == []


def test_asking_for_more_counts_the_earliest_surplus_first():
    study = planned_study(4, 1)
    plan_set(actor=None, study=study, per_item=2)
    for row in reversed(rows(study)):
        submit(row)
    done = plan_set(actor=None, study=study, per_item=3)
    assert done.recounted == 1
    assert Event.objects.filter(study=study, verb="plan_set").latest("pk").details["recounted"] == 1
    kept_apart = Judgment.objects.get(surplus=True)
    assert kept_apart.assignment.annotator.pseudonym == "A", "who came last"
    assert plan_set(actor=None, study=study, per_item=None).recounted == 1


def test_pairs_with_fewer_answers_are_on_the_list():
    study = planned_study(3, 2, per_item=2)
    submit(rows(study)[0])
    assert pairs_short(study) == 2
    assert {"main_done", "pairs_short"} <= set(unmet(study, "closed"))


def test_what_the_plan_does_not_ask_for_is_not_called_done():
    keys = {
        check.key for check in readiness(open_main(planned_study(3, 4, opened=False)), "closed")
    }
    assert keys == {"main_done"}
    planned = planned_study(3, 4, per_item=2, seed=1)
    assert "pairs_short" in {check.key for check in readiness(planned, "closed")}
