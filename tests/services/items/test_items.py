"""Pairs into a study: all of them or none, beside what is there."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.corpus.pairs import PairRow, Pairs
from annotation.corpus.problems import RowProblem
from annotation.errors import RuleError
from annotation.models import Assignment, Event, Item, Simplification, Study, text_digest
from annotation.protocols.base import Wording
from annotation.selectors.items.imports import pairs_plan
from annotation.services.items.items import RowsRefused, pairs_import
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db

FIELDS = (
    "original",
    "simplification",
    "key",
    "system",
    "source",
    "context_before",
    "context_after",
    "structure",
)


def pairs(*rows):
    return Pairs(
        rows=[
            PairRow(number, **dict(zip(FIELDS, row, strict=False)))
            for number, row in enumerate(rows, 2)
        ]
    )


def bring(study, *rows, **options):
    return pairs_import(
        actor=options.pop("actor", None), study=study, pairs=pairs(*rows), **options
    )


def codes(caught):
    return [(problem.row, problem.code) for problem in caught.value.rows]


@pytest.fixture
def study() -> Study:
    return make_study()


class TestAdding:
    def test_everything_of_a_row_is_stored(self, study):
        outcome = bring(
            study, ("L'assuré paie.", "Vous payez.", "c1", "s", "police", "Avant.", "Après.")
        )
        item = Item.objects.get()
        assert (item.key, item.position, item.round, item.source) == ("c1", 1, "main", "police")
        assert (item.context_before, item.original, item.context_after) == (
            "Avant.",
            "L'assuré paie.",
            "Après.",
        )
        assert item.original_digest == text_digest(item.original)
        simplification = item.simplifications.get()
        assert (
            simplification.text,
            simplification.system,
            simplification.position,
            simplification.is_identical,
        ) == (
            "Vous payez.",
            "s",
            0,
            False,
        )
        assert (outcome.items, outcome.simplifications, outcome.skipped) == (1, 1, 0)

    def test_one_row_of_an_item_says_what_is_marked_in_it(self, study):
        said = ("c1", "led", "", "", "", "issue; reason")
        bring(study, ("Original.", "Un.", "c1", "bart"), ("Original.", "Deux.", *said))
        assert Item.objects.get().structure == "issue; reason"

    def test_of_an_item_that_is_there_already_a_structure_changes_nothing(self, study):
        bring(study, ("Original.", "Un.", "c1", "bart", "", "", "", "issue"))
        bring(study, ("Original.", "Deux.", "c1", "led", "", "", "", "reason"))
        assert Item.objects.get().structure == "issue"
        assert Item.objects.get().simplifications.count() == 2

    def test_what_a_machine_sees_is_stored(self, study):
        text = "Vous devez aviser l'assureur sans délai."
        bring(study, (text, text.upper()), ("b", "You must tell the insurer without any delay."))
        assert list(
            Simplification.objects.order_by("pk").values_list("is_identical", "language")
        ) == [
            (True, "fr"),
            (False, "en"),
        ]

    def test_items_by_id_else_by_text(self, study):
        bring(study, ("a", "1", "k"), ("b", "2"), ("a", "3", "k"), ("b", "4"), ("c", "5"))
        assert list(Item.objects.values_list("key", "position")) == [
            ("k", 1),
            ("item-0002", 2),
            ("item-0003", 3),
        ]
        assert list(Item.objects.get(key="k").simplifications.values_list("text", "position")) == [
            ("1", 0),
            ("3", 1),
        ]

    def test_generated_keys_avoid_those_that_are_taken(self, study):
        bring(study, ("a", "1", "item-0002"), ("b", "2"))
        bring(study, ("c", "3", "item-0004"), ("d", "4"), ("e", "5"))
        keys = list(Item.objects.values_list("key", flat=True))
        assert keys == ["item-0002", "item-0003", "item-0004", "item-0005", "item-0006"]
        assert [item.position for item in Item.objects.all()] == [1, 2, 3, 4, 5]

    def test_practice_items_go_to_their_round(self, study):
        bring(study, ("a", "1"), round="practice")
        assert Item.objects.get().round == "practice"

    def test_who_did_it_is_recorded_with_counts_and_without_texts(self, study):
        lead = make_user()
        bring(study, ("a secret text", "another"), actor=lead)
        event = Event.objects.get()
        assert (event.actor, event.study, event.verb) == (lead, study, "pairs_imported")
        assert event.details == {
            "round": "main",
            "items": 1,
            "simplifications": 1,
            "skipped": 0,
        }

    def test_the_number_of_queries_does_not_grow_with_the_rows(self, study):
        with CaptureQueriesContext(
            connection,
        ) as few:
            bring(study, *((f"a{n}", f"b{n}") for n in range(10)))
        with CaptureQueriesContext(connection) as many:
            bring(study, *((f"c{n}", f"d{n}") for n in range(90)))
        assert len(many) <= len(few) + 2

    def test_in_an_open_round_annotators_get_the_pairs_after_theirs(self):
        study = make_study(state="main")
        annotator = make_annotator(study)
        bring(study, ("a", "1"))
        bring(study, ("b", "2"), ("c", "3"))
        assert list(
            Assignment.objects.filter(annotator=annotator).values_list("position", flat=True)
        ) == [1, 2, 3]

    def test_in_preparation_nobody_is_assigned(self, study):
        make_annotator(study)
        bring(study, ("a", "1"))
        assert not Assignment.objects.exists()


class TestBesideWhatIsThere:
    def test_another_system_joins_the_item(self, study):
        bring(study, ("a", "1", "k", "s1"), ("b", "2"))
        outcome = bring(study, ("a", "3", "k", "s2"), ("b", "4", "", "s2"))
        assert (outcome.items, outcome.simplifications) == (0, 2)
        assert list(
            Item.objects.get(key="k").simplifications.values_list("system", "position")
        ) == [
            ("s1", 0),
            ("s2", 1),
        ]
        assert Item.objects.count() == 2

    def test_a_pair_that_is_there_is_named_with_its_item(self, study):
        bring(study, ("a", "1", "k"))
        with pytest.raises(RowsRefused) as caught:
            bring(study, ("x", "y"), ("a", "1", "other"))
        assert codes(caught) == [(3, "duplicate_in_study")]
        assert "« k »" in caught.value.rows[0].message.fr
        assert Item.objects.count() == 1

    def test_duplicates_are_left_out_when_asked(self, study):
        bring(study, ("a", "1"))
        outcome = bring(study, ("a", "1"), ("a", "2"), skip_duplicates=True)
        assert (outcome.items, outcome.simplifications, outcome.skipped) == (0, 1, 1)

    def test_nothing_but_duplicates_adds_nothing_and_leaves_no_event(self, study):
        bring(study, ("a", "1"))
        outcome = bring(study, ("a", "1"), skip_duplicates=True)
        assert (outcome.simplifications, outcome.skipped) == (0, 1)
        assert Event.objects.count() == 1

    def test_a_key_keeps_its_original_even_when_duplicates_are_left_out(self, study):
        bring(study, ("a", "1", "k"))
        with pytest.raises(RowsRefused) as caught:
            bring(study, ("b", "2", "k"), skip_duplicates=True)
        assert codes(caught) == [(2, "key_taken")]

    def test_a_key_keeps_its_round(self, study):
        bring(study, ("a", "1", "k"), round="practice")
        with pytest.raises(RowsRefused) as caught:
            bring(study, ("a", "2", "k"))
        assert codes(caught) == [(2, "other_round")]

    def test_without_a_key_another_round_or_passage_is_another_item(self, study):
        bring(study, ("a", "1"), round="practice")
        bring(study, ("a", "2"))
        bring(study, ("a", "3", "", "", "another source"))
        assert Item.objects.count() == 3

    def test_a_system_has_one_simplification_of_an_item(self, study):
        bring(study, ("a", "1", "k", "s"))
        with pytest.raises(RowsRefused) as caught:
            bring(study, ("a", "2", "k", "s"))
        assert codes(caught) == [(2, "system_taken")]

    def test_items_that_no_row_speaks_of_do_not_matter(self, study):
        bring(study, ("a", "1"), ("b", "2"))
        assert bring(study, ("a", "3")).items == 0

    def test_other_studies_do_not_matter(self, study):
        make_pair(make_study(), key="k", original="a", text="1")
        assert bring(study, ("a", "1", "k")).items == 1


class TestRefusing:
    def test_a_closed_study_takes_nothing(self):
        study = make_study(state="closed")
        with pytest.raises(RuleError) as caught:
            bring(study, ("a", "1"))
        assert caught.value.problems[0].code == "closed"
        assert not Item.objects.exists()

    def test_the_state_is_the_stored_one(self, study):
        Study.objects.update(state="closed")
        with pytest.raises(RuleError):
            bring(study, ("a", "1"))

    def test_problems_of_the_file_stop_all_of_it(self, study):
        parsed = pairs(("a", "1"))
        parsed.problems.append(RowProblem("original", "empty", Wording("Vide.", "Empty."), row=9))
        for skip in (False, True):
            with pytest.raises(RowsRefused) as caught:
                pairs_import(actor=None, study=study, pairs=parsed, skip_duplicates=skip)
            assert codes(caught) == [(9, "empty")]
        assert not study.items.exists()

    def test_a_plan_stores_nothing(self, study):
        plan = pairs_plan(study=study, pairs=pairs(("a", "1"), ("a", "2")), round="main")
        assert (plan.items, plan.simplifications, plan.duplicates) == (1, 2, 0)
        assert not Item.objects.exists()


class TestPassagesOnly:
    """What a model is to simplify: items without a pair to judge."""

    def test_items_without_simplifications(self, study):
        outcome = bring(study, ("Le bail prend fin.", "", "c1", "", "bail"), ("L'avis est écrit.",))
        assert (outcome.items, outcome.simplifications, outcome.skipped) == (2, 0, 0)
        assert list(Item.objects.values_list("key", "source", "position")) == [
            ("c1", "bail", 1),
            ("item-0002", "", 2),
        ]
        assert not Simplification.objects.exists()
        assert Event.objects.get().details["items"] == 2

    def test_annotators_get_nothing_yet(self):
        study = make_study(state="main")
        annotator = make_annotator(study)
        bring(study, ("a",), ("b", "1"))
        assert list(annotator.assignments.values_list("simplification__text", flat=True)) == ["1"]

    def test_a_plan_counts_what_would_be_judged(self, study):
        plan = pairs_plan(study=study, pairs=pairs(("a",), ("b", "1")), round="main")
        assert (plan.items, plan.simplifications) == (2, 1)

    def test_a_passage_that_is_there_is_named_with_its_item(self, study):
        bring(study, ("a", "", "k"), ("b", "1", "m"))
        for again in (("a",), ("a", "", "k"), ("b", "", "m")):
            with pytest.raises(RowsRefused) as caught:
                bring(study, again)
            assert codes(caught) == [(2, "duplicate_in_study")]
            assert caught.value.rows[0].message.fr.startswith(
                "Cette clause est déjà dans l'étude, à la clause"
            )
        assert bring(study, ("a",), skip_duplicates=True).skipped == 1
        assert Item.objects.count() == 2

    def test_a_pair_joins_the_passage_that_is_there(self, study):
        bring(study, ("a", "", "k"))
        outcome = bring(study, ("a", "1", "k", "s"))
        assert (outcome.items, outcome.simplifications) == (0, 1)
        assert list(Item.objects.get().simplifications.values_list("text", "position")) == [
            ("1", 0)
        ]

    def test_another_passage_cannot_take_its_key(self, study):
        bring(study, ("a", "", "k"))
        with pytest.raises(RowsRefused) as caught:
            bring(study, ("b", "", "k"))
        assert codes(caught) == [(2, "key_taken")]
