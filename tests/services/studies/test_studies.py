"""A study's life at the service level: every refusal, every record."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError
from annotation.models import MOST_SEED, Annotator, Assignment, Event, Item, Lead, Study
from annotation.selectors.watching.progress import annotators_progress, has_judgments, study_counts
from annotation.services.items.rounds import items_set_round, practice_draw
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import (
    guide_publish,
    study_change_state,
    study_create,
    study_update,
)
from tests.factories import make_annotator, make_assignment, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db


def code(refused: pytest.ExceptionInfo[RuleError]) -> str:
    return refused.value.problems[0].code


class TestMaking:
    def test_it_has_a_seed_a_lead_and_a_record(self):
        user = make_user()
        study = study_create(actor=user, key="k", title="K")
        assert Lead.objects.get(study=study).user == user
        assert Event.objects.get(study=study).details["seed"] == study.seed

    def test_nobody_finds_its_seed_by_trying_all(self):
        """Of 31 bits it was: a computer tries all in minutes on the order of one's own pairs."""
        seeds = [study_create(actor=None, key=f"k{number}", title="K").seed for number in range(40)]
        assert max(seeds).bit_length() == 63, "none of 40 is one chance in 2**40"
        assert all(0 <= seed <= MOST_SEED for seed in seeds)

    def test_another_may_lead_it_or_nobody(self):
        lead = make_user()
        assert (
            Lead.objects.get(
                study=study_create(actor=make_user(), key="a", title="A", lead=lead)
            ).user
            == lead
        )
        assert not Lead.objects.filter(study=study_create(actor=None, key="b", title="B")).exists()

    @pytest.mark.parametrize(
        ("fields", "why"),
        [({"key": "k"}, "taken"), ({"key": "new"}, "taken"), ({"key": "a b"}, "invalid")],
    )
    def test_its_key_is_free_and_a_key(self, fields, why):
        study_create(actor=None, key="k", title="K")
        with pytest.raises(RuleError) as refused:
            study_create(actor=None, title="L", **fields)
        assert code(refused) == why

    @pytest.mark.parametrize("key", ["New", "SOLO", "Solo"])
    def test_capitals_alone_make_no_other_key(self, key):
        study_create(actor=None, key="solo", title="Solo")
        with pytest.raises(RuleError, match=r"solo|taken") as refused:
            study_create(actor=None, key=key, title="L")
        assert code(refused) == "taken"


class TestProtocol:
    def test_it_is_chosen_when_the_study_is_made_in_its_latest_version(self):
        study = study_create(actor=None, key="k", title="K", protocol_key="jades")
        assert (study.protocol_key, study.protocol_version, study.rulings) == ("jades", "1", {})
        ruled = study_create(actor=None, key="l", title="L", rulings={"crossing_policy": "clamp"})
        assert ruled.rulings == {"crossing_policy": "clamp", "span_required": False}

    @pytest.mark.parametrize(
        ("fields", "field", "why"),
        [
            ({"protocol_key": "nothing"}, "protocol_key", "unknown"),
            ({"protocol_key": "nothing", "protocol_version": "9"}, "protocol_key", "unknown"),
            ({"protocol_key": "jades", "protocol_version": "9"}, "protocol_version", "unknown"),
            ({"rulings": {"crossing_policy": "guess"}}, "rulings.crossing_policy", "invalid"),
            ({"rulings": {"beauty": True}}, "rulings.beauty", "unknown"),
        ],
    )
    def test_one_that_is_not_there_or_rulings_that_are_none(self, fields, field, why):
        with pytest.raises(RuleError) as refused:
            study_create(actor=None, key="k", title="K", **fields)
        assert (refused.value.problems[0].field, code(refused)) == (field, why)
        assert not Study.objects.exists()

    @pytest.mark.parametrize(("version", "name"), [("", "clarit"), ("9", "clarit 9")])
    def test_it_is_named_as_it_was_asked_for(self, version, name):
        with pytest.raises(RuleError) as refused:
            study_create(
                actor=None, key="k", title="K", protocol_key="clarit", protocol_version=version
            )
        message = refused.value.problems[0].message
        assert f"“{name}”" in message.en
        assert f"«\u00a0{name}\u00a0»" in message.fr


class TestChanging:
    def test_nothing_changed_is_nothing_recorded(self):
        study = make_study()
        study_update(actor=make_user(), study=study, title=study.title)
        assert not Event.objects.filter(verb="study_updated").exists()

    def test_a_setting_that_scores_depend_on_is_fixed_by_the_first_judgment(self):
        assignment = make_assignment()
        study = assignment.annotator.study
        assert not has_judgments(study)
        study_update(actor=make_user(), study=study, rulings={"span_required": True})
        study_update(actor=make_user(), study=study, rulings={"span_required": False})
        judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save())
        assert has_judgments(study)
        with pytest.raises(RuleError) as refused:
            study_update(actor=make_user(), study=study, rulings={"crossing_policy": "clamp"})
        assert code(refused) == "frozen"
        study_update(actor=make_user(), study=study, title="Autre")

    def test_what_is_wrong_is_refused(self):
        study = make_study()
        with pytest.raises(TypeError):
            study_update(actor=make_user(), study=study, key="other")
        with pytest.raises(RuleError):
            study_update(actor=make_user(), study=study, title="x" * 300)


class TestStates:
    def test_all_the_way_and_back(self):
        study = make_study()
        make_pair(study, round="practice")
        make_pair(study)
        for to, reason in (
            ("practice", "sans guide"),
            ("draft", "oubli"),
            ("practice", "sans guide"),
            ("main", "sans réunion"),
            ("closed", ""),
            ("main", "une correction"),
        ):
            study = study_change_state(actor=None, study=study, to=to, reason=reason)
            assert study.state == to
        assert Event.objects.filter(verb="study_state_changed").count() == 6

    @pytest.mark.parametrize(
        ("state", "to", "why"),
        [
            ("draft", "closed", "no_such_step"),
            ("main", "practice", "no_such_step"),
            ("draft", "practice", "nothing_to_judge"),
            ("closed", "main", "required"),
        ],
    )
    def test_a_step_that_cannot_be_taken_says_why(self, state, to, why):
        study = make_study(state=state)
        if to == "main":
            make_pair(study)
        with pytest.raises(RuleError) as refused:
            study_change_state(actor=None, study=study, to=to)
        assert code(refused) == why
        assert Study.objects.get(pk=study.pk).state == state


class TestAssignments:
    def test_everybody_gets_everything_practice_first_and_keeps_their_places(self):
        study = make_study()
        pairs = [make_pair(study, round="practice"), make_pair(study), make_pair(study)]
        annotator = make_annotator(study)
        Annotator.objects.create(study=study, kind="imported", pseudonym="J1")
        assert assignments_fill(actor=None, study=study) == 3
        first = list(
            Assignment.objects.filter(annotator=annotator).values_list("simplification", flat=True)
        )
        assert first[0] == pairs[0].pk
        later = make_pair(study, round="practice")
        assert assignments_fill(actor=None, study=study) == 1
        assert assignments_fill(actor=None, study=study) == 0
        after = list(
            Assignment.objects.filter(annotator=annotator).values_list("simplification", flat=True)
        )
        assert after == [*first, later.pk]

    def test_orders_differ_and_are_the_seed_s(self):
        def orders() -> list[list[str]]:
            study = make_study()
            for _ in range(12):
                make_pair(study)
            people = [make_annotator(study) for _ in range(3)]
            assignments_fill(actor=None, study=study)
            return [
                list(
                    Assignment.objects.filter(annotator=a).values_list(
                        "simplification__item__key", flat=True
                    )
                )
                for a in people
            ]

        once = orders()
        assert len({tuple(order) for order in once}) == 3
        assert orders() == once


class TestGuide:
    def test_versions_are_counted(self):
        study = make_study()
        assert [
            guide_publish(actor=None, study=study, body_fr=text).number for text in ("a", "b")
        ] == [1, 2]

    @pytest.mark.parametrize(("text", "why"), [(" ", "required"), ("a", "unchanged")])
    def test_an_empty_or_unchanged_one_is_refused(self, text, why):
        study = make_study()
        guide_publish(actor=None, study=study, body_fr="a")
        with pytest.raises(RuleError) as refused:
            guide_publish(actor=None, study=study, body_fr=text)
        assert code(refused) == why


class TestRounds:
    def test_the_draw_is_the_seed_s(self):
        def drawn() -> list[str]:
            study = make_study()
            for _ in range(10):
                make_pair(study)
            return practice_draw(actor=make_user(), study=study, number=4)

        once = drawn()
        assert drawn() == once
        assert len(once) == 4

    def test_only_in_preparation_and_within_what_there_is(self):
        study = make_study()
        make_pair(study)
        with pytest.raises(RuleError) as refused:
            practice_draw(actor=make_user(), study=study, number=2)
        assert code(refused) == "too_many"
        assert (
            items_set_round(actor=make_user(), study=study, keys=["item-0001"], to="practice") == 1
        )
        assert Item.objects.get().round == "practice"
        Study.objects.update(state="main")
        for move in (
            lambda: practice_draw(actor=make_user(), study=study, number=1),
            lambda: items_set_round(actor=make_user(), study=study, keys=[], to="main"),
        ):
            with pytest.raises(RuleError) as refused:
                move()
            assert code(refused) == "opened"


class TestProgress:
    def test_it_counts_by_person_and_round(self):
        study = make_study(state="main")
        make_pair(study, round="practice")
        first = make_assignment(study)
        second = make_assignment(study, is_identical=True, language="en")
        judgment_submit(actor=first.annotator.user, assignment=first, save=save(active_seconds=600))
        draft_save(actor=second.annotator.user, assignment=second, save=save())
        rows = {row.annotator.pk: row for row in annotators_progress(study)}
        mine = rows[first.annotator.pk]
        # Practice is over, and nobody judged any of it.
        assert (mine.main_done, mine.main_total, mine.practice_total, mine.drafts) == (1, 2, 0, 0)
        assert 0 < mine.active_hours <= 600 / 3600
        assert rows[second.annotator.pk].drafts == 1
        counts = study_counts(study)
        assert (counts.items, counts.practice_items, counts.identical, counts.other_language) == (
            3,
            1,
            1,
            1,
        )
        assert (counts.judgments, counts.expected) == (1, 4)
