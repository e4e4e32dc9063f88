"""The page's figures are of one moment."""

from __future__ import annotations

import pytest

from annotation.models import Assignment, Judgment
from annotation.selectors.agreement import figures
from annotation.selectors.agreement.filters import Filters
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study
from tests.planning import submit
from tests.services.judging.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def test_what_is_submitted_meanwhile_is_in_none_of_them(monkeypatch):
    study = make_study(state="main")
    make_pair(study)
    for _ in range(2):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    first, second = Assignment.objects.filter(annotator__study=study).order_by("annotator")
    submit(first)
    real = figures.judgment_facts

    def read_late(*args, **named):
        # Whoever submits for the first time is no rater of the tables that were read before.
        (judgment,) = at_once([lambda: submit(second)])
        assert isinstance(judgment, Judgment)
        return real(*args, **named)

    monkeypatch.setattr(figures, "judgment_facts", read_late)
    shown = figures.study_figures(study, Filters())
    assert (shown.judgments, shown.reports["simplicity"].ratings) == (1, 1)
    monkeypatch.undo()
    assert figures.study_figures(study, Filters()).judgments == 2
