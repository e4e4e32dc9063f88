"""A study's glossary: each change makes its next version, and the former ones can still be told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.http import Http404

from annotation.corpus.glossary import MAX_TERMS, Term, term_problems, tidy
from annotation.errors import RuleError
from annotation.models import GlossaryEntry, Study, User
from annotation.protocols.base import Problem, Wording
from annotation.selectors.guides.glossary import glossary_entries
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock_open


@transaction.atomic
def glossary_replace(*, actor: User | None, study: Study, terms: Iterable[Term]) -> Study:
    """Make these the study's glossary. What stays word for word stays as it is.

    Raises ``RuleError`` where an entry is none, a term is there twice, there are too many, or
    nothing would change.
    """
    study = _held(study)
    return _change(actor, study, _checked(terms))


@transaction.atomic
def glossary_add(*, actor: User | None, study: Study, terms: Iterable[Term]) -> Study:
    """Add entries; those of a term that is there already take its place. Raises as
    ``glossary_replace``."""
    study = _held(study)
    return _change(actor, study, _standing(study) | _checked(terms))


@transaction.atomic
def glossary_entry_change(*, actor: User, study: Study, entry: int, term: Term) -> Study:
    """Put another wording in the place of an entry. Raises ``Http404`` where it no longer stands,
    else as ``glossary_replace``; also where another entry has that term."""
    study = _held(study)
    former = _entry(study, entry)
    wanted = _standing(study)
    del wanted[former.term_key]
    changed = _checked([term])
    if set(changed) & set(wanted):
        raise _twice()
    return _change(actor, study, wanted | changed)


@transaction.atomic
def glossary_entry_remove(*, actor: User, study: Study, entry: int) -> Study:
    """Take an entry out. Raises ``Http404`` where it no longer stands."""
    study = _held(study)
    wanted = _standing(study)
    del wanted[_entry(study, entry).term_key]
    return _change(actor, study, wanted)


def _held(study: Study) -> Study:
    return study_row_lock_open(study.pk)


def _entry(study: Study, pk: int) -> GlossaryEntry:
    entry = glossary_entries(study).filter(pk=pk).first()
    if entry is None:
        raise Http404("no such entry")
    return entry


def _standing(study: Study) -> dict[str, Term]:
    return {
        entry.term_key: Term(entry.term, entry.definition, entry.source)
        for entry in glossary_entries(study)
    }


def _checked(terms: Iterable[Term]) -> dict[str, Term]:
    by_key: dict[str, Term] = {}
    problems: list[Problem] = []
    for term in map(tidy, terms):
        problems += term_problems(term)
        if term.key in by_key:
            problems += _twice().problems
        by_key[term.key] = term
    if problems:
        raise RuleError(problems)
    return by_key


def _twice() -> RuleError:
    return RuleError(
        [
            Problem(
                "term",
                "duplicate",
                Wording("Ce terme est déjà défini.", "This term is defined already."),
            )
        ]
    )


def _change(actor: User | None, study: Study, wanted: dict[str, Term]) -> Study:
    """Make the next version: rows that no longer stand end with it, new ones begin."""
    if len(wanted) > MAX_TERMS:
        raise RuleError.single(
            "term",
            "too_many",
            f"Un glossaire a au plus {MAX_TERMS} termes.",
            f"A glossary has {MAX_TERMS} terms at most.",
        )
    standing = _standing(study)
    gone = [key for key, term in standing.items() if wanted.get(key) != term]
    new = [term for key, term in wanted.items() if standing.get(key) != term]
    if not gone and not new:
        raise RuleError.single(
            "term",
            "unchanged",
            "Rien n'a changé dans le glossaire.",
            "Nothing has changed in the glossary.",
        )
    number = study.glossary_number + 1
    _end(study, gone, number)
    GlossaryEntry.objects.bulk_create(
        GlossaryEntry(
            study=study,
            term=term.term,
            term_key=term.key,
            definition=term.definition,
            source=term.source,
            since=number,
        )
        for term in new
    )
    study.glossary_number, study.glossary_size = number, len(wanted)
    study.save(update_fields=["glossary_number", "glossary_size"])
    changed = len({term.key for term in new} & set(gone))
    event_record(
        actor=actor,
        study=study,
        verb="glossary_changed",
        target=study,
        number=number,
        added=len(new) - changed,
        changed=changed,
        removed=len(gone) - changed,
    )
    return study


def _end(study: Study, keys: Sequence[str], number: int) -> None:
    """In portions: databases limit how many values one statement takes."""
    for start in range(0, len(keys), 500):
        glossary_entries(study).filter(term_key__in=keys[start : start + 500]).update(until=number)
