"""A report on a small study reads that study, however large another one is."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import Count, F, Max, Q, Sum
from django.db.models.functions import Mod
from django.utils import timezone

from annotation.models import Judgment, Study
from annotation.selectors.agreement.adjudication import adjudication_queue
from annotation.selectors.agreement.consistency import study_repeats
from annotation.selectors.agreement.facts import (
    completeness,
    error_types,
    judgment_facts,
    study_digest,
)
from annotation.selectors.agreement.precision import standing
from annotation.selectors.agreement.reliability import study_ratings
from tests.bulk import fill_study
from tests.factories import make_study
from tests.reading_rows import reading

pytestmark = pytest.mark.django_db

PAIRS, PEOPLE, TIMES = 10, 3, 200


def digest(study: Study) -> None:
    assert study_digest(study)


def ratings(study: Study) -> None:
    assert study_ratings(study).judgments == PAIRS * PEOPLE


def queue(study: Study) -> None:
    assert adjudication_queue(study)


def facts(study: Study) -> None:
    assert len(judgment_facts(study, round="main", kinds=("person",))) == PAIRS * PEOPLE


def types(study: Study) -> None:
    assert error_types(study, round="main", field="errors")


def complete(study: Study) -> None:
    assert completeness(study, "main").done == PAIRS * PEOPLE


def repeats(study: Study) -> None:
    assert study_repeats(study).offered == 0


def design(study: Study) -> None:
    assert standing(study).judged == PAIRS * PEOPLE


def test_a_small_study_beside_a_large_one():
    """PostgreSQL takes people of a small study to have judged as much as those of a large one:
    what is asked for by its people alone reads both."""
    own = make_study("own", state="main")
    fill_study(own, pairs=PAIRS, annotators=PEOPLE)
    steps = (digest, ratings, queue, facts, types, complete, repeats, design)
    read: dict[str, list[int]] = {}
    for beside in (PAIRS, TIMES * PAIRS):
        fill_study(make_study(f"beside-{beside}", state="main"), pairs=beside, annotators=PEOPLE)
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        for step in steps:
            for _ in range(2):
                with reading() as counter:
                    step(own)
            read.setdefault(step.__name__, []).append(counter.read)
    assert not {name: of for name, of in read.items() if of[1] > 2 * of[0] + 20}


def test_what_is_stored_beside_fitted_models_is_of_the_same_numbers_as_ever():
    """Counted at once, as it was before people were asked about one by one: other values would call
    every stored model and report outdated."""
    study = make_study("own", state="main")
    whole = {
        "number": Count("pk"),
        "submitted": Count("submitted_at"),
        "last": Max("submitted_at"),
        "revisions": Sum("revision"),
        "newest": Max("pk"),
        "surplus_keys": Sum("pk", filter=Q(surplus=True)),
        "surplus_apart": Sum(F("pk") * Mod("pk", 9973), filter=Q(surplus=True)),
    }
    for filled in (False, True):
        if filled:
            fill_study(study, pairs=PAIRS, annotators=PEOPLE)
            study.annotators.filter(pseudonym="R2").update(withdrawn_at=timezone.now())
            Judgment.objects.filter(assignment__annotator__pseudonym="R1").update(surplus=True)
        judged = Judgment.objects.filter(assignment__annotator__study=study).aggregate(**whole)
        left = study.annotators.aggregate(
            people=Count("pk"), left=Count("withdrawn_at"), last=Max("withdrawn_at")
        )
        numbers = (*judged.values(), *left.values())
        assert repr(study_digest(study)[5 : 5 + len(numbers)]) == repr(numbers)
