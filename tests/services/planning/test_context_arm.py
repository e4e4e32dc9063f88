"""Who sees a clause with its neighbours: drawn by the seed, recorded, shown, exported."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies

from annotation.errors import RuleError
from annotation.models import Annotator, Assignment, Item, Lead, Simplification, Study
from annotation.selectors.agreement.figures import study_figures
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.judging.blinded import blinded_pair
from annotation.selectors.planning.context_arm import Arms, context_arms
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.judging.drafts import assignment_open
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.arms import Pair, evened
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.context_arm import context_draw
from annotation.services.planning.plans import plan_set
from annotation.services.studies.studies import study_change_state, study_update
from annotation.web.agreement.forms import AgreementForm
from tests.factories import make_annotator, make_pair, make_study, make_user, save
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db


def with_neighbours(study: Study) -> Simplification:
    pair = make_pair(study)
    Item.objects.filter(pk=pair.item_id).update(
        context_before="Article 4.", context_after="Article 6."
    )
    return pair


def arms(study: Study) -> dict[tuple[str, str], bool]:
    rows = Assignment.objects.filter(annotator__study=study)
    names = ("annotator__pseudonym", "simplification__item__key", "context_shown")
    return {(pseudonym, key): shown for pseudonym, key, shown in rows.values_list(*names)}


def filled(arm: str, people: int = 5, items: int = 40) -> Study:
    study = make_study(state="main", context_arm=arm)
    for _ in range(items):
        with_neighbours(study)
    for _ in range(people):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    return study


def test_nobody_and_everybody():
    assert not any(arms(filled("none", 2, 2)).values())
    assert all(arms(filled("all", 2, 2)).values())


def test_an_item_without_neighbours_shows_none():
    study = filled("all", 1, 1)
    make_pair(study, key="alone")
    assignments_fill(actor=None, study=study)
    assert arms(study) == {("A", "item-0001"): True, ("A", "alone"): False}


def test_half_is_half_of_each_item_and_nearly_half_of_each_person():
    drawn = arms(filled("half"))
    for key in {key for _, key in drawn}:
        assert sum(drawn[letter, key] for letter in "ABCDE") in (2, 3)
    for letter in "ABCDE":
        assert 16 <= sum(shown for (person, _), shown in drawn.items() if person == letter) <= 24
    # No two people are in the same arm everywhere, or never: the arms are crossed.
    same = [
        sum(drawn["A", key] == drawn[letter, key] for _, key in drawn if _ == "A")
        for letter in "BCDE"
    ]
    assert all(4 < number < 36 for number in same)


def test_the_same_seed_draws_the_same_and_another_draws_otherwise():
    first = arms(filled("half"))
    study = filled("half")
    assert arms(study) == first
    Study.objects.filter(pk=study.pk).update(seed=8, context_arm="none")
    study = study_update(actor=make_user(), study=study, context_arm="half")
    assert arms(study) != first


def test_late_arrivals_fill_the_smaller_arm_and_change_nobody_else():
    study = filled("half", 1)
    before = arms(study)
    make_annotator(study)
    assignments_fill(actor=None, study=study)
    after = arms(study)
    assert {key: after[key] for key in before} == before
    assert all(after["B", key] != after["A", key] for _, key in before)


def test_every_simplification_of_an_item_and_its_repeat_are_shown_the_same_way():
    study = make_study(state="main", context_arm="half")
    for number in range(12):
        pair = with_neighbours(study)
        Simplification.objects.create(
            item=pair.item, text="Autre.", system="b", position=number + 1
        )
    annotator = make_annotator(study)
    assignments_fill(actor=None, study=study)
    shown = Assignment.objects.filter(annotator=annotator).values_list(
        "simplification__item", "context_shown"
    )
    assert len(set(shown)) == 12
    assert {is_shown for _, is_shown in shown} == {True, False}
    pair = Simplification.objects.filter(assignments__context_shown=True)[0]
    item = make_pair(study, key="again").item
    Item.objects.filter(pk=item.pk).update(round="repeat", context_before="Article 4.")
    Simplification.objects.filter(item=item).update(repeat_of=pair)
    again = Assignment(annotator=annotator, simplification=item.simplifications.get(), position=99)
    context_draw(study, [again])
    assert again.context_shown


def several(people: int, per_item: int, systems: int, items: int = 12) -> Study:
    """An open round of items with several systems' outputs, so many people a pair."""
    study = make_study(context_arm="half")
    for _ in range(items):
        pair = with_neighbours(study)
        for place in range(2, systems + 1):
            Simplification.objects.create(
                item=pair.item, text=f"Autre {place}.", system=f"s{place}", position=place
            )
    for _ in range(people):
        make_annotator(study)
    plan_set(actor=None, study=study, per_item=per_item)
    return study_change_state(actor=None, study=study, to="main", reason="essai")


def by_pair(study: Study) -> dict[int, list[bool]]:
    """How each pair of the main round is shown to those who judge it."""
    shown: dict[int, list[bool]] = {}
    for pair, is_shown in Assignment.objects.filter(
        annotator__study=study,
        annotator__kind="person",
        simplification__item__round="main",
        released_at__isnull=True,
    ).values_list("simplification", "context_shown"):
        shown.setdefault(pair, []).append(is_shown)
    return shown


class TestTeams:
    """Of the people of each pair, not only of the item."""

    @pytest.mark.parametrize(
        ("people", "per_item", "systems"), [(6, 3, 4), (5, 3, 3), (6, 2, 2), (9, 5, 3), (12, 3, 4)]
    )
    def test_each_pair_has_both_arms_and_each_person_about_half(self, people, per_item, systems):
        study = several(people, per_item, systems)
        shown = by_pair(study)
        assert len(shown) == 12 * systems
        for pair, arms_of_pair in shown.items():
            assert len(arms_of_pair) == per_item
            assert abs(2 * sum(arms_of_pair) - per_item) <= 1, pair
        assert context_arms(study) == Arms(12 * systems, 0, 0)
        # An item is shown the same way, however many of its outputs somebody judges.
        rows = Assignment.objects.filter(annotator__study=study).values_list(
            "annotator", "simplification__item", "context_shown"
        )
        items = {(annotator, item): is_shown for annotator, item, is_shown in rows}
        assert len(items) == len(set(rows))
        for annotator in {annotator for annotator, _ in items}:
            mine = [is_shown for (whose, _), is_shown in items.items() if whose == annotator]
            assert abs(2 * sum(mine) - len(mine)) <= 6

    def test_a_new_draw_of_the_setting_is_as_even(self):
        study = several(6, 3, 4)
        first = arms(study)
        for arm in ("none", "half"):
            study = study_update(actor=make_user(), study=study, context_arm=arm)
        assert context_arms(study) == Arms(48, 0, 0)
        assert arms(study) == first

    def test_where_it_cannot_be_had_as_few_as_possible_have_one_arm(self):
        """Three people two by two: one of three pairs has both in one arm, whoever is in which."""
        study = several(3, 2, 3)
        people = sorted(study.annotators.values_list("pk", flat=True))
        fewest = 0
        for item in Item.objects.filter(study=study):
            teams: dict[int, list[int]] = {}
            for pair, whose in Assignment.objects.filter(simplification__item=item).values_list(
                "simplification", "annotator"
            ):
                teams.setdefault(pair, []).append(people.index(whose))
            fewest += min(
                sum(len({arm >> place & 1 for place in team}) == 1 for team in teams.values())
                for arm in range(8)
            )
        assert context_arms(study) == Arms(36, fewest, 0)
        assert fewest

    def test_judgments_brought_in_from_elsewhere_fill_no_arm(self):
        study = make_study(context_arm="half")
        pairs = [with_neighbours(study) for _ in range(8)]
        for number in range(4):
            judge = Annotator.objects.create(study=study, kind="imported", pseudonym=f"J{number}")
            for place, pair in enumerate(pairs, start=1):
                Assignment.objects.create(annotator=judge, simplification=pair, position=place)
        for _ in range(4):
            make_annotator(study)
        study = study_change_state(actor=None, study=study, to="main", reason="essai")
        assert all(sum(shown) == 2 for shown in by_pair(study).values())

    def test_the_plan_s_page_says_what_holds(self, client):
        study = several(6, 3, 2)
        lead = make_user("chef", language="en")
        Lead.objects.create(study=study, user=lead)
        client.force_login(lead)
        page = " ".join(client.get(f"/studies/{study.key}/plan/").content.decode().split())
        assert "Given out so far: 24 pairs with several people, all divided so." in page
        Assignment.objects.update(context_shown=True)
        page = " ".join(client.get(f"/studies/{study.key}/plan/").content.decode().split())
        assert "of which 24 with all of them in one arm and 0 others uneven" in page


@given(
    people=strategies.integers(2, 9),
    teams=strategies.lists(strategies.sets(strategies.integers(0, 8), min_size=1), max_size=8),
    settled=strategies.lists(strategies.integers(-2, 2), min_size=8, max_size=8),
    number=strategies.integers(0, 9),
)
@settings(deadline=None)
def test_no_other_arm_is_more_even(people, teams, settled, number):
    """Whoever is settled already, of all ways none has fewer pairs with one arm, or as few and
    evener ones."""
    pairs = []
    for team, lead in zip(teams, settled, strict=False):
        free = {place for place in team if place < people}
        pairs.append(Pair(sum(1 << place for place in free), len(free) + abs(lead), lead))

    def unevenness(arm: int) -> tuple[int, int]:
        alone = excess = 0
        for free, size, lead in pairs:
            members = [place for place in range(people) if free >> place & 1]
            seen = sum(arm >> place & 1 for place in members)
            apart = abs(lead + seen - (len(members) - seen))
            alone += size > 1 and apart == size
            excess += max(0, apart - 1)
        return alone, excess

    arm = evened(min(number, people), [0] * people, pairs, 0)
    assert 0 <= arm < 1 << people
    assert unevenness(arm) == min(map(unevenness, range(1 << people)))


class TestSetting:
    def test_changing_it_before_anybody_looked_draws_what_was_given_out(self):
        study = study_update(actor=make_user(), study=filled("none", 2, 4), context_arm="all")
        assert all(arms(study).values())
        assert not any(
            arms(study_update(actor=make_user(), study=study, context_arm="none")).values()
        )

    def test_it_is_fixed_once_a_pair_was_opened(self):
        study = filled("none", 1, 1)
        assignment_open(assignment=Assignment.objects.get())
        with pytest.raises(RuleError) as refused:
            study_update(actor=make_user(), study=study, context_arm="all")
        assert code(refused) == "frozen"


class TestShown:
    def test_on_the_page_only_where_it_was_drawn(self, client):
        study = filled("half", 1, 8)
        client.force_login(study.annotators.get().user)
        for assignment in Assignment.objects.all():
            page = client.get(f"/annotate/{study.key}/{assignment.position}/").content.decode()
            assert ("Article 4." in page, "Article 6." in page) == (assignment.context_shown,) * 2

    def test_the_pair_holds_none_where_it_is_not_shown(self):
        study = filled("none", 1, 1)
        assignment = Assignment.objects.select_related(
            "annotator__study", "simplification__item"
        ).get()
        assert (
            blinded_pair(assignment).context_before,
            blinded_pair(assignment).context_after,
        ) == ("", "")
        Assignment.objects.update(context_shown=True)
        assignment.refresh_from_db(fields=["context_shown"])
        assert blinded_pair(assignment).context_before == "Article 4."
        assert study.context_arm == "none"

    def test_the_long_layout_says_which_arm_and_frjudge_stays_as_it_was(self):
        study = filled("half", 1, 6)
        for assignment in Assignment.objects.select_related(
            "annotator__study", "simplification__item"
        ):
            judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save())
        rows = [json.loads(line) for line in exported(study, "long").splitlines()]
        assert {(row["annotator"], row["item_key"]): row["context_shown"] for row in rows} == arms(
            study
        )
        assert {True, False} == {row["context_shown"] for row in rows}
        assert "context" not in exported(study, "frjudge")
        assert '"context_shown"' in exported(study, "codebook", "json")


class TestDashboard:
    def test_each_arm_by_itself(self, client):
        study = filled("half", 3, 6)
        for assignment in Assignment.objects.select_related(
            "annotator__study", "simplification__item"
        ):
            value = 1 if assignment.context_shown else 2
            judgment_submit(
                actor=assignment.annotator.user, assignment=assignment, save=save(simplicity=value)
            )
        shown = sum(arms(study).values())
        by_arm = {
            arm: study_figures(study, Filters(context=arm)) for arm in ("", "shown", "not_shown")
        }
        assert [by_arm[arm].judgments for arm in by_arm] == [18, shown, 18 - shown]
        assert by_arm["shown"].reports["simplicity"].percent_agreement.value == 1
        assert by_arm[""].reports["simplicity"].percent_agreement.value != 1
        assert str(Filters(context="shown")) == "round:main|context:shown"

    def test_the_filter_is_offered_where_there_are_arms(self):
        assert (
            "context" in AgreementForm(make_study(context_arm="half"), {"context": "shown"}).fields
        )
        assert (
            AgreementForm(make_study(context_arm="half"), {"context": "shown"}).filters.context
            == "shown"
        )
        without = AgreementForm(make_study(), {"context": "shown"})
        assert ("context" in without.fields, without.filters.context) == (False, "")


def exported(study: Study, layout: str, form: str = "jsonl") -> str:
    return "".join(chunk.text for chunk in export_chunks(study, export_spec(layout, form)))


def test_a_control_pair_is_shown_like_the_pair_of_its_passage():
    study = make_study(context_arm="half")
    for _ in range(12):
        with_neighbours(study)
    for _ in range(4):
        make_annotator(study)
    plan_set(actor=None, study=study, control_identical=6)
    study = study_change_state(actor=None, study=study, to="main", reason="essai")
    plan_set(actor=None, study=study, control_identical=10)
    of: dict[tuple[int, str], dict[str, bool]] = {}
    rows = Assignment.objects.filter(annotator__study=study).select_related("simplification__item")
    for row in rows:
        item = row.simplification.item
        of.setdefault((row.annotator_id, item.original), {})[item.round] = row.context_shown
    both = [shown for shown in of.values() if len(shown) == 2]
    assert len(both) == 40
    assert all(shown["main"] == shown["control"] for shown in both)
    assert {shown["main"] for shown in both} == {True, False}


def test_a_control_pair_of_a_passage_that_somebody_does_not_judge_is_drawn_on_its_own():
    study = make_study(context_arm="half")
    for _ in range(12):
        with_neighbours(study)
    for _ in range(4):
        make_annotator(study)
    plan_set(actor=None, study=study, per_item=1, control_identical=12)
    study = study_change_state(actor=None, study=study, to="main", reason="essai")
    shown = Assignment.objects.filter(
        simplification__item__round="control", context_shown=True
    ).count()
    assert 12 <= shown <= 36
