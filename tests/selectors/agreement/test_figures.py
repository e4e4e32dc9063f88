"""Figures are of one moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.agreement.systems.figure import Drawn
from annotation.models import Assignment, Judgment, Study
from annotation.selectors.agreement import figures, reliability, systems_stored
from annotation.selectors.agreement.adjudication import adjudication_queue
from annotation.selectors.agreement.facts import completeness
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.marked import marked_pairs
from annotation.selectors.agreement.reliability import PEOPLE
from annotation.selectors.agreement.sent_back import sent_back_ratings
from annotation.selectors.agreement.systems import systems_figures
from annotation.selectors.metrics.material import material
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study
from tests.planning import submit
from tests.services.judging.test_concurrency import at_once
from tests.systems_study import fill_systems

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


FIGURES: dict[str, Callable[[Study], Any]] = {
    "agreement": lambda study: figures.study_figures(study, Filters()),
    "rulings": adjudication_queue,
    "systems": lambda study: systems_figures(study, Filters(), Drawn(draws=20)),
    "marks": lambda study: marked_pairs(study, "errors"),
    "again": lambda study: sent_back_ratings(study, kinds=PEOPLE),
    "metrics": lambda study: material(study, "legal_meaning"),
    "completeness": lambda study: completeness(study, "main"),
}


def test_nothing_is_written_while_they_are_read(monkeypatch):
    """A moment is for reading only: PostgreSQL would refuse."""
    study = make_study(state="main")
    fill_systems(study, {"A": [[9, 8], [7, 7]], "B": [[5, 4], [6, 2]]})
    monkeypatch.setattr(reliability, "MANY", 1)
    assert all(compute(study) for compute in FIGURES.values())


@pytest.fixture
def late(monkeypatch) -> Callable[[Any, str], Study]:
    """A study with one judgment, to which another person's comes on another connection as soon as
    that function of a module is called."""

    def prepared(module: Any, name: str) -> Study:
        study = make_study(state="main")
        make_pair(study)
        for _ in range(2):
            make_annotator(study)
        assignments_fill(actor=None, study=study)
        first, second = Assignment.objects.filter(annotator__study=study).order_by("annotator")
        submit(first)
        real = getattr(module, name)

        def called(*args: Any, **named: Any) -> Any:
            (judgment,) = at_once([lambda: submit(second)])
            assert isinstance(judgment, Judgment)
            return real(*args, **named)

        monkeypatch.setattr(module, name, called)
        return study

    return prepared


def test_what_is_submitted_meanwhile_is_in_none_of_them(late, monkeypatch):
    # Whoever submits for the first time is no rater of the tables that were read before.
    study = late(figures, "judgment_facts")
    shown = figures.study_figures(study, Filters())
    assert (shown.judgments, shown.reports["simplicity"].ratings) == (1, 1)
    monkeypatch.undo()
    assert figures.study_figures(study, Filters()).judgments == 2


def test_they_are_kept_by_what_names_their_own_moment(late, monkeypatch):
    study = late(systems_stored, "systems_figures")
    assert systems_stored.systems_stored(study, Filters()).judgments == 1
    monkeypatch.undo()
    assert systems_stored.systems_stored(study, Filters()).judgments == 2
