"""Imports undone; items, simplifications and people removed, while nobody has judged anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.corpus.pairs import pairs_of_rows
from annotation.errors import RuleError
from annotation.models import (
    Adjudication,
    Annotator,
    Assignment,
    Draft,
    Event,
    GenerationRun,
    Item,
    Judgment,
    PairsImport,
    Simplification,
    Study,
)
from annotation.selectors.items.removal import (
    import_doomed,
    item_doomed,
    items_begun,
    items_doomed,
    removal,
)
from annotation.selectors.privacy.identity import had_part
from annotation.services.base.standings import positions_check
from annotation.services.generation.calls import generation_claim
from annotation.services.generation.review import outputs_adopt
from annotation.services.generation.runs import run_create
from annotation.services.items.frjudge import frjudge_import
from annotation.services.items.items import pairs_import
from annotation.services.items.removal import (
    import_undo,
    item_remove,
    items_remove,
    simplification_remove,
)
from annotation.services.people.people import annotator_add
from annotation.services.people.removal import annotator_remove
from annotation.services.planning.plans import plan_set
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.planning import annotators, begin, open_main, planned_study, rows, submit
from tests.services.generation.generating import answered, broker, order, started  # noqa: F401 (a fixture)
from tests.services.items.test_frjudge import released
from tests.services.judging.test_concurrency import at_once

pytestmark = pytest.mark.django_db


def codes_of(call: Callable[[], Any]) -> list[str]:
    with pytest.raises(RuleError) as refused:
        call()
    return [problem.code for problem in refused.value.problems]


def bring(study: Study, *numbers: int, system: str = "a", name: str = "paires.csv") -> PairsImport:
    pairs = [
        {
            "id": f"k{number}",
            "original": f"Clause numéro {number} du contrat d'assurance.",
            "simplification": f"La clause {number}, simplement ({system}).",
            "system": system,
        }
        for number in numbers
    ]
    pairs_import(actor=None, study=study, pairs=pairs_of_rows(pairs), name=name)
    return PairsImport.objects.filter(study=study).latest("pk")


def undo(record: PairsImport) -> Any:
    return import_undo(actor=make_user(), record=record)


class TestRecord:
    def test_what_was_brought_in_by_whom_from_which_file(self):
        study, lead = make_study(), make_user()
        pairs = [{"original": "Une clause.", "simplification": "Simple."}]
        pairs_import(
            actor=lead, study=study, pairs=pairs_of_rows(pairs), round="practice", name="a.csv"
        )
        record = study.pairs_imports.get()
        assert (record.name, record.imported_by, record.kind) == ("a.csv", lead, "pairs")
        assert (record.round, record.rows) == ("practice", 1)
        assert (record.item_count, record.simplification_count) == (1, 1)
        assert Item.objects.get().brought_by == record
        assert Simplification.objects.get().brought_by == record

    def test_a_file_with_nothing_new_leaves_no_record(self):
        study = make_study()
        pairs = [{"original": "Une clause.", "simplification": "Simple."}]
        for _ in range(2):
            pairs_import(actor=None, study=study, pairs=pairs_of_rows(pairs), skip_duplicates=True)
        assert study.pairs_imports.count() == 1

    def test_judgments_too(self):
        study = make_study()
        frjudge_import(actor=None, study=study, released=released(2, 2), name="f.jsonl")
        record = study.pairs_imports.get()
        assert (record.kind, record.name) == ("frjudge", "f.jsonl")
        assert record.judgment_count == Judgment.objects.count() > 0


class TestUndo:
    def test_what_it_made_goes_and_nothing_else(self):
        study = make_study()
        kept = make_pair(study)
        first, second = bring(study, 1, 2), bring(study, 3)
        gone = undo(first)
        assert (gone.items, gone.simplifications) == (2, 2)
        assert set(study.items.values_list("key", flat=True)) == {kept.item.key, "k3"}
        first.refresh_from_db()
        assert first.undone_at is not None
        assert first.undone_by is not None
        event = Event.objects.get(study=study, verb="import_undone")
        assert event.details == {"items": 2, "simplifications": 2}
        assert codes_of(lambda: undo(first)) == ["undone"]
        bring(study, 1)
        undo(second)
        assert study.items.filter(key="k1").exists()

    def test_no_number_is_given_a_second_time(self):
        study = make_study()
        texts = [f"Une clause, la numéro {number}." for number in range(1, 5)]

        def brought(text: str, key: str = "") -> Item:
            pairs = [{"id": key, "original": text, "simplification": "Simple."}]
            pairs_import(actor=None, study=study, pairs=pairs_of_rows(pairs))
            return Item.objects.latest("pk")

        assert brought(texts[0], "item-0002").position == 1
        drifted = brought(texts[1])
        assert (drifted.key, drifted.position) == ("item-0003", 2)
        undo(study.pairs_imports.latest("pk"))
        again = brought(texts[1])
        assert (again.key, again.position) == ("item-0004", 4)
        item_remove(actor=None, item=again)
        assert brought(texts[2]).key == "item-0005"

    def test_simplifications_that_it_added_to_items_of_others(self):
        study = make_study()
        first, second = bring(study, 1, system="a"), bring(study, 1, system="b")
        assert codes_of(lambda: undo(first)) == ["later"]
        undo(second)
        assert [simplification.system for simplification in Simplification.objects.all()] == ["a"]
        undo(first)
        assert not study.items.exists()

    def test_in_an_open_round_the_places_go_along_with_the_control_pairs(self):
        study = planned_study(2, 3, control_identical=2)
        record = bring(study, 1, 2)
        before = {row.pk: row.position for row in rows(study)}
        counts = removal(import_doomed(record))
        assert (counts.given, counts.people) == (4, 2)
        undo(record)
        assert list(positions_check()) == []
        left = rows(study)
        assert {row.simplification.item.brought_by for row in left} == {None}
        assert study.items.filter(round="control").count() == 2
        later = bring(study, 5)
        new = Assignment.objects.filter(simplification__item__brought_by=later)
        assert min(new.values_list("position", flat=True)) > max(before.values())

    def test_control_pairs_of_its_passages(self):
        study = make_study()
        record = bring(study, 1, 2)
        make_annotator(study)
        plan_set(actor=None, study=study, control_identical=2)
        study = open_main(study)
        assert removal(import_doomed(record)).controls == 2
        # The round is left without anything that controls could be made of.
        undo(record)
        assert not study.items.exists()

    def test_not_once_something_is_saved_of_it(self):
        study = planned_study(1, 1)
        record = bring(study, 1)
        row = rows(study, simplification__brought_by=record)[0]
        begin(row)
        assert removal(import_doomed(record)).obstacles == ("begun",)
        assert codes_of(lambda: undo(record)) == ["begun"]
        assert Draft.objects.count() == 1
        assert study.items.filter(key="k1").exists()

    def test_what_is_saved_elsewhere_does_not_matter(self):
        study = planned_study(1, 1)
        begin(rows(study)[0])
        undo(bring(study, 1))
        assert Draft.objects.count() == 1

    def test_its_own_judgments_go_along_with_judges_of_whom_nothing_is_left(self):
        study = make_study()
        kept = make_annotator(study)
        frjudge_import(actor=None, study=study, released=released(2, 2))
        record = study.pairs_imports.get()
        assert removal(import_doomed(record)).judgments == Judgment.objects.count()
        undo(record)
        assert not Judgment.objects.exists()
        assert list(study.annotators.all()) == [kept]

    def test_its_own_judgments_stay_where_somebody_else_has_judged_the_pair(self):
        study = make_study()
        frjudge_import(actor=None, study=study, released=released(2, 2))
        record = study.pairs_imports.get()
        make_annotator(study)
        study = open_main(study)
        submit(rows(study, annotator__kind="person")[0])
        assert codes_of(lambda: undo(record)) == ["begun"]
        assert Judgment.objects.filter(origin="imported").exists()

    def test_not_in_a_closed_study_nor_while_a_model_writes(self):
        study = planned_study(1, 1)
        record = bring(study, 1)
        study = study_change_state(actor=None, study=study, to="closed", reason="essai")
        assert codes_of(lambda: undo(PairsImport.objects.get(pk=record.pk))) == ["closed"]

    def test_what_models_were_asked_is_said_and_what_it_cost_stays(self):
        study = make_study()
        record = bring(study, 1)
        run = run_create(actor=None, study=study)
        system = run.systems.create(
            name="s", model="m", prompt="{input}", price_prompt=1, price_completion=1
        )
        item = study.items.get()
        run.generations.create(system=system, item=item)
        GenerationRun.objects.update(spent=3, state="running")
        assert codes_of(lambda: undo(record)) == ["under_way"]
        GenerationRun.objects.update(state="finished")
        assert undo(record).outputs == 1
        assert GenerationRun.objects.get().spent == 3


class TestItem:
    def test_removed_with_its_simplifications(self):
        study = planned_study(2, 3)
        item = study.items.order_by("position")[0]
        gone = item_remove(actor=make_user(), item=item)
        assert (gone.items, gone.simplifications, gone.given) == (1, 1, 2)
        assert not Item.objects.filter(pk=item.pk).exists()
        assert list(positions_check()) == []
        event = Event.objects.get(study=study, verb="item_removed")
        assert event.target_id == str(item.pk)

    def test_not_once_it_was_judged_by_whomever(self):
        study = planned_study(1, 2)
        submit(rows(study)[0])
        judged = rows(study)[0].simplification.item
        assert removal(item_doomed(judged)).obstacles == ("begun",)
        assert codes_of(lambda: item_remove(actor=None, item=judged)) == ["begun"]
        other = make_study()
        frjudge_import(actor=None, study=other, released=released(2))
        item = other.items.get()
        assert codes_of(lambda: item_remove(actor=None, item=item)) == ["begun"]

    def test_several_at_once(self):
        study = planned_study(2, 3)
        keys = list(study.items.order_by("position").values_list("key", flat=True))[:2]
        gone = items_remove(actor=make_user(), study=study, keys=keys)
        assert (gone.items, gone.simplifications, gone.given) == (2, 2, 4)
        assert study.items.count() == 1
        assert list(positions_check()) == []
        event = Event.objects.get(study=study, verb="items_removed")
        assert event.details["keys"] == keys

    def test_all_of_several_or_none(self):
        study = planned_study(1, 2)
        submit(rows(study)[0])
        judged = rows(study)[0].simplification.item.key
        keys = list(study.items.values_list("key", flat=True))
        assert items_begun(items_doomed(study, keys)) == [judged]
        other = bring(make_study(), 1).study.items.get().key
        for wanted, code in ([], "none"), ([*keys, other], "gone"), (keys, "begun"):
            assert codes_of(lambda w=wanted: items_remove(actor=None, study=study, keys=w)) == [
                code
            ]
        assert study.items.count() == 2

    def test_one_simplification_of_several(self):
        study = make_study()
        bring(study, 1, system="a")
        bring(study, 1, system="b")
        pair = Simplification.objects.get(system="a")
        simplification_remove(actor=None, simplification=pair)
        assert [simplification.system for simplification in Simplification.objects.all()] == ["b"]
        assert study.items.count() == 1


class TestPerson:
    def test_one_who_has_saved_nothing_goes_with_their_places(self):
        study = planned_study(3, 4, per_item=1)
        person = annotators(study)[0]
        had = person.assignments.count()
        assert annotator_remove(actor=make_user(), annotator=person) == had
        assert not Annotator.objects.filter(pk=person.pk).exists()
        assert len(rows(study)) == 4, "others have their pairs"
        assert list(positions_check()) == []
        assert Event.objects.filter(study=study, verb="annotator_removed").exists()

    def test_who_comes_again_is_who_they_were_and_nobody_else_is(self):
        study = planned_study(2, 3)
        person = annotators(study)[0]
        user, letter = person.user, person.pseudonym
        assert max(row.position for row in rows(study, annotator=person)) == 3
        for _twice in range(2):
            annotator_remove(actor=make_user(), annotator=person)
        event = Event.objects.get(study=study, verb="annotator_removed")
        assert event.details == {"user": user.pk, "pseudonym": letter, "pairs": 3, "places": 3}
        assert study.pk in had_part(user)
        other = annotator_add(actor=None, study=study, user=make_user())
        assert other.pseudonym not in {letter, annotators(study)[0].pseudonym}
        again = annotator_add(actor=None, study=study, user=user)
        assert again.pseudonym == letter
        # A browser may hold answers for the first three.
        assert sorted(row.position for row in rows(study, annotator=again)) == [4, 5, 6]
        annotator_remove(actor=None, annotator=again)
        again = annotator_add(actor=None, study=study, user=user)
        assert (again.pseudonym, again.places_used) == (letter, 6)

    def test_not_one_who_has_nor_a_model(self):
        study = planned_study(1, 2)
        begin(rows(study)[0])
        person = annotators(study)[0]
        assert codes_of(lambda: annotator_remove(actor=None, annotator=person)) == ["begun"]
        model = Annotator.objects.create(study=study, kind="machine", pseudonym="M1")
        assert codes_of(lambda: annotator_remove(actor=None, annotator=model)) == ["begun"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("write", [begin, submit])
def test_a_save_at_the_moment_of_the_undoing(write):
    """It is undone with nothing lost, or stays with what was saved."""
    for _ in range(4):
        study = planned_study(2, 1)
        record = bring(study, 1, 2)
        late = rows(study, simplification__brought_by=record)
        undone, *saves = at_once(
            [
                lambda record=record: import_undo(actor=None, record=record),
                *(lambda row=row: write(row) for row in late),
            ]
        )
        saved = [outcome for outcome in saves if not isinstance(outcome, Exception)]
        if isinstance(undone, RuleError):
            assert saved
            assert study.items.filter(brought_by=record).count() == 2
        else:
            assert not isinstance(undone, Exception), undone
            assert not saved
            assert not study.items.filter(brought_by=record).exists()


class TestWhatStandsInTheWay:
    def test_a_ruling_on_a_disagreement(self):
        study = make_study()
        frjudge_import(actor=None, study=study, released=released(2, 2), name="f.jsonl")
        pair = Simplification.objects.first()
        assert pair is not None
        Adjudication.objects.create(
            study=study,
            simplification=pair,
            dimension="legal_meaning",
            outcome="divided",
            reasons="Deux lectures.",
            judgments_digest="0" * 64,
            decided_by=make_user(),
        )
        assert codes_of(lambda: undo(study.pairs_imports.get())) == ["ruled"]
        assert Adjudication.objects.count() == 1

    @pytest.mark.parametrize("round_", ["control", "repeat"])
    def test_what_the_plan_makes_is_the_plan_s(self, round_):
        study = make_study()
        pair = make_pair(study)
        control = "identical" if round_ == "control" else ""
        Item.objects.filter(pk=pair.item_id).update(round=round_, control=control)
        pair.item.refresh_from_db()
        person = make_user()
        assert codes_of(lambda: item_remove(actor=person, item=pair.item)) == ["aside"]
        assert codes_of(lambda: simplification_remove(actor=person, simplification=pair)) == [
            "aside"
        ]

    def test_a_call_that_is_still_awaited_though_its_run_was_cancelled(self):
        run = started()
        call_order = order(run)
        assert generation_claim(call_order, "message")
        generation = run.generations.get(pk=call_order.generation)
        type(run).objects.filter(pk=run.pk).update(state="cancelled")
        person = make_user()
        assert codes_of(lambda: item_remove(actor=person, item=generation.item)) == ["under_way"]

    def test_what_a_model_wrote_and_somebody_removed_does_not_come_back(self, broker):  # noqa: F811
        run = started()
        positions = list(run.generations.values_list("item__position", flat=True))
        for position in positions:
            answered(run, position)
        assert outputs_adopt(actor=None, run=run) == len(positions)
        pair = Simplification.objects.filter(item__study=run.study).earliest("pk")
        simplification_remove(actor=make_user(), simplification=pair)
        assert outputs_adopt(actor=None, run=run) == 0
        left = Simplification.objects.filter(item__study=run.study)
        assert left.count() == len(positions) - 1


def test_somebody_who_was_added_in_preparation_and_has_nothing():
    study = make_study()
    person = make_annotator(study)
    assert annotator_remove(actor=make_user(), annotator=person) == 0
    assert not study.annotators.exists()


def test_who_comes_again_gets_another_letter_where_a_file_has_taken_theirs():
    study = make_study()
    user = make_user()
    first = annotator_add(actor=None, study=study, user=user)
    letter = first.pseudonym
    annotator_remove(actor=make_user(), annotator=first)
    Annotator.objects.create(study=study, kind=Annotator.Kind.IMPORTED, pseudonym=letter)
    assert annotator_add(actor=None, study=study, user=user).pseudonym != letter
