"""The glossary's versions: what stands, what stood, what is refused."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.http import Http404

from annotation.corpus.glossary import MAX_TERMS, Term
from annotation.errors import RuleError
from annotation.models import Event, GlossaryEntry, Study
from annotation.selectors.guides.glossary import glossary_entries, glossary_shown
from annotation.services.guides.glossaries import (
    glossary_add,
    glossary_entry_change,
    glossary_entry_remove,
    glossary_replace,
)
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db

PRIME, FRANCHISE = Term("prime", "Un prix.", "art. 1"), Term("franchise", "Une part.")


@pytest.fixture
def study() -> Study:
    study = make_study()
    glossary_replace(actor=None, study=study, terms=[PRIME, FRANCHISE])
    return study


def standing(study: Study) -> dict[str, tuple[str, int]]:
    return {entry.term: (entry.definition, entry.since) for entry in glossary_entries(study)}


def entry(study: Study, term: str) -> int:
    return glossary_entries(study).get(term=term).pk


def codes(refused: pytest.ExceptionInfo[RuleError]) -> list[str]:
    return [problem.code for problem in refused.value.problems]


def test_a_replacement_keeps_what_is_the_same_and_ends_what_is_gone(study: Study) -> None:
    after = glossary_replace(
        actor=make_user(), study=study, terms=[PRIME, Term("police", "Un écrit.")]
    )
    assert standing(study) == {"prime": ("Un prix.", 1), "police": ("Un écrit.", 2)}
    assert (after.glossary_number, after.glossary_size) == (2, 2)
    gone = GlossaryEntry.objects.get(term="franchise")
    assert (gone.since, gone.until) == (1, 2)
    event = Event.objects.filter(verb="glossary_changed").latest("pk")
    assert event.details == {"number": 2, "added": 1, "changed": 0, "removed": 1}


def test_adding_puts_the_new_wording_in_the_place_of_the_same_term(study: Study) -> None:
    glossary_add(
        actor=None, study=study, terms=[Term("PRIME", "Le prix."), Term("police", "Un écrit.")]
    )
    assert standing(study) == {
        "PRIME": ("Le prix.", 2),
        "police": ("Un écrit.", 2),
        "franchise": ("Une part.", 1),
    }
    event = Event.objects.filter(verb="glossary_changed").latest("pk")
    assert event.details == {"number": 2, "added": 1, "changed": 1, "removed": 0}


def test_one_entry_is_changed_renamed_and_removed(study: Study) -> None:
    actor = make_user()
    glossary_entry_change(
        actor=actor, study=study, entry=entry(study, "prime"), term=Term("surprime", "En sus.")
    )
    assert standing(study) == {"surprime": ("En sus.", 2), "franchise": ("Une part.", 1)}
    after = glossary_entry_remove(actor=actor, study=study, entry=entry(study, "franchise"))
    assert standing(study) == {"surprime": ("En sus.", 2)}
    assert (after.glossary_number, after.glossary_size) == (3, 1)


def test_an_entry_that_no_longer_stands_is_not_there(study: Study) -> None:
    actor, gone = make_user(), entry(study, "prime")
    glossary_entry_remove(actor=actor, study=study, entry=gone)
    for once_more in (
        lambda: glossary_entry_remove(actor=actor, study=study, entry=gone),
        lambda: glossary_entry_change(actor=actor, study=study, entry=gone, term=PRIME),
        lambda: glossary_entry_remove(
            actor=actor, study=make_study(), entry=entry(study, "franchise")
        ),
    ):
        with pytest.raises(Http404):
            once_more()


def test_a_term_is_defined_once(study: Study) -> None:
    with pytest.raises(RuleError) as refused:
        glossary_entry_change(
            actor=make_user(),
            study=study,
            entry=entry(study, "prime"),
            term=Term("Franchise", "Autre."),
        )
    assert codes(refused) == ["duplicate"]
    with pytest.raises(RuleError) as refused:
        glossary_replace(actor=None, study=study, terms=[PRIME, Term(" prime ", "Autre.")])
    assert codes(refused) == ["duplicate"]
    assert study.glossary.count() == 2


def test_what_is_no_entry_or_changes_nothing_or_is_too_much_is_refused(study: Study) -> None:
    for terms, code in (
        ([Term("", "x")], "missing"),
        ([PRIME, FRANCHISE], "unchanged"),
        ([Term(f"terme {n}", "x") for n in range(MAX_TERMS + 1)], "too_many"),
    ):
        with pytest.raises(RuleError) as refused:
            glossary_replace(actor=None, study=study, terms=terms)
        assert codes(refused) == [code]
    study.refresh_from_db()
    assert study.glossary_number == 1


def test_many_entries_end_at_once(study: Study) -> None:
    glossary_replace(actor=None, study=study, terms=[Term(f"terme {n}", "x") for n in range(1200)])
    after = glossary_replace(actor=None, study=study, terms=[])
    assert (after.glossary_size, standing(study)) == (0, {})


@pytest.mark.parametrize(
    "wrong",
    [
        {"definition": ""},
        {"term": ""},
        {"since": 0},
        {"since": 3, "until": 3},
        {"term_key": "prime"},
    ],
)
def test_the_database_refuses_what_is_no_entry(study: Study, wrong: dict[str, object]) -> None:
    whole = {"term": "police", "term_key": "police", "definition": "x", "since": 1}
    with pytest.raises(IntegrityError), transaction.atomic():
        GlossaryEntry.objects.create(study=study, **{**whole, **wrong})


def test_annotators_have_it_where_there_is_one_and_the_study_lets_them(study: Study) -> None:
    study.refresh_from_db()
    assert glossary_shown(study)
    assert not glossary_shown(make_study())
    study.aid_glossary = False
    assert not glossary_shown(study)
