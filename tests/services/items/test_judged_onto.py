"""Judgments made elsewhere onto pairs that a study has: nothing of its people's is touched, and the
import is undone whole."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.corpus.judging import judging_options
from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    DatasetSnapshot,
    Judgment,
    PairsImport,
    Rating,
    Study,
    Tally,
)
from annotation.reading import pairs_file_read
from annotation.selectors.items.removal import import_doomed, removal
from annotation.services.base.standings import positions_check
from annotation.services.items.items import RowsRefused
from annotation.services.items.judged import judged_import
from annotation.services.items.removal import import_undo, item_remove
from annotation.services.studies.studies import study_change_state
from tests.factories import make_user
from tests.planning import planned_study, rows, submit

pytestmark = pytest.mark.django_db
HEAD = "id;original;simplification;system;juge;simplicity;characterization;legal_meaning\n"
NUMBERS = ("simplicity", "characterization", "legal_meaning")


def lines_of(study: Study, *judges: str, most: int = 2) -> str:
    pairs = [item.simplifications.get() for item in study.items.order_by("position")[:most]]
    return "".join(
        f"{pair.item.key};{pair.item.original};{pair.text};{pair.system};{who};1;3;9\n"
        for pair in pairs
        for who in judges
    )


def bring(study: Study, lines: str, name: str = "") -> Any:
    judging = judging_options(study.protocol, study.rulings, take=True, same_scale=NUMBERS)
    read = pairs_file_read((HEAD + lines).encode(), person=None, judging=judging)
    assert read.fatal is None, read.fatal
    return judged_import(actor=make_user(), study=study, judged=read.judged, name=name)


def codes_of(call: Any) -> list[str]:
    with pytest.raises(RuleError) as refused:
        call()
    return [problem.code for problem in refused.value.problems]


def state_of_people(study: Study) -> list[Any]:
    """Everything of the people of a study that an import could disturb."""
    people = {"annotator__kind": "person", "annotator__study": study}
    judged = Judgment.objects.filter(assignment__annotator__kind="person").order_by("pk")
    return [
        list(Assignment.objects.filter(**people).order_by("pk").values()),
        list(Tally.objects.filter(**people).order_by("pk").values()),
        list(judged.values()),
        list(Rating.objects.filter(judgment__in=judged).order_by("pk").values()),
        list(study.items.order_by("pk").values()),
    ]


def opened(people: int = 2, pairs: int = 3, per_item: int | None = None) -> Study:
    study = (
        planned_study(people, pairs, per_item=per_item)
        if per_item
        else planned_study(people, pairs)
    )
    submit(rows(study, annotator__kind="person")[0])
    return study


def test_onto_pairs_that_people_are_judging():
    study = opened()
    before, pairs = state_of_people(study), study.items.count()
    outcome = bring(study, lines_of(study, "X1", "X2"), name="ailleurs.csv")
    assert (outcome.items, outcome.simplifications, outcome.judgments) == (0, 0, 4)
    assert (outcome.attached, outcome.judges) == (4, 2)
    assert state_of_people(study) == before
    assert study.items.count() == pairs
    judges = study.annotators.filter(kind=Annotator.Kind.IMPORTED)
    assert sorted(judges.values_list("pseudonym", flat=True)) == ["X1", "X2"]
    assert list(positions_check()) == []
    record = PairsImport.objects.get(kind="judgments")
    assert (record.item_count, record.simplification_count, record.judgment_count) == (0, 0, 4)
    assert record.rows == 4  # as the preview counts them, not the pairs


def test_some_onto_pairs_and_some_with_new_ones_in_the_files_order():
    study = opened()
    new = "k77;Une clause nouvelle du contrat.;Nouvelle.;;X1;1;3;9\n"
    outcome = bring(study, new + lines_of(study, "X1", most=1) + new.replace("X1", "X2"))
    assert (outcome.items, outcome.simplifications) == (1, 1)
    assert (outcome.judgments, outcome.attached) == (3, 1)
    theirs = Assignment.objects.filter(annotator__pseudonym="X1").order_by("position")
    assert [assignment.simplification.item.key == "k77" for assignment in theirs] == [True, False]
    assert list(positions_check()) == []


def test_one_bad_row_stops_all_of_it():
    study = opened()
    wrong = f"{study.items.last().key};Un autre texte.;Autre.;;X1;1;3;9\n"
    with pytest.raises(RowsRefused) as refused:
        bring(study, lines_of(study, "X1") + wrong)
    assert [(problem.row, problem.code) for problem in refused.value.rows] == [(4, "other_text")]
    assert not study.annotators.filter(kind="imported").exists()
    assert not PairsImport.objects.filter(kind="judgments").exists()


def test_the_plans_number_of_answers_is_of_people():
    """What was judged elsewhere makes nobody's answer one too many."""
    study = opened(2, 3, per_item=1)
    bring(study, lines_of(study, "X1", "X2", most=3))
    left = rows(study, annotator__kind="person", judgment__isnull=True, released_at__isnull=True)
    assert left
    for assignment in left:
        assert not submit(assignment).surplus


class TestUndone:
    def test_its_judgments_go_and_nothing_else(self):
        study = opened()
        before = state_of_people(study)
        bring(study, lines_of(study, "X1", "X2"))
        record = study.pairs_imports.get(kind="judgments")
        counts = removal(import_doomed(record))
        assert (counts.judgments, counts.items, counts.simplifications, counts.given) == (
            4,
            0,
            0,
            0,
        )
        assert counts.possible
        import_undo(actor=make_user(), record=record)
        assert state_of_people(study) == before
        assert not study.annotators.filter(kind="imported").exists()
        assert list(positions_check()) == []
        assert bring(study, lines_of(study, "X1")).judgments == 2, "it can be brought again"

    def test_of_two_imports_by_the_same_judge_each_its_own(self):
        study = opened()
        bring(study, lines_of(study, "X1", most=1))
        bring(study, lines_of(study, "X1").splitlines(keepends=True)[1])
        first, second = study.pairs_imports.filter(kind="judgments").order_by("pk")
        assert first.created_at < second.created_at
        import_undo(actor=None, record=first)
        assert removal(import_doomed(second)).judgments == 1
        assert study.annotators.get(kind="imported").assignments.count() == 1

    def test_two_imports_in_one_moment_are_told_apart(self, monkeypatch):
        study = opened()
        bring(study, lines_of(study, "X1", most=1))
        first = study.pairs_imports.get(kind="judgments")
        at = first.created_at
        monkeypatch.setattr("annotation.services.items.brought.timezone.now", lambda: at)
        bring(study, lines_of(study, "X2", most=1))
        second = study.pairs_imports.filter(kind="judgments").latest("pk")
        assert second.created_at > at
        assert removal(import_doomed(first)).judgments == 1
        assert removal(import_doomed(second)).judgments == 1

    def test_an_import_whose_pairs_have_later_judgments_waits_for_these(self):
        study = planned_study(1, 1)
        new = "k77;Une clause nouvelle du contrat.;Nouvelle.;;X1;1;3;9\n"
        bring(study, new)
        bring(study, new.replace("X1", "X2"))
        first, second = study.pairs_imports.filter(kind="judgments").order_by("pk")
        assert codes_of(lambda: import_undo(actor=None, record=first)) == ["later"]
        import_undo(actor=None, record=second)
        import_undo(actor=None, record=first)
        assert not study.items.filter(key="k77").exists()

    def test_one_of_an_older_version_that_kept_no_moment_in_common(self):
        study = planned_study(1, 1)
        new = "k77;Une clause nouvelle du contrat.;Nouvelle.;;X1;1;3;9\n"
        bring(study, new)
        record = study.pairs_imports.get(kind="judgments")
        Judgment.objects.filter(origin="imported").update(submitted_at="2025-01-01T00:00:00Z")
        assert removal(import_doomed(record)).judgments == 1

    @pytest.mark.parametrize(("days", "expected"), [(0, ("frozen",)), (1, ())])
    def test_not_once_the_study_was_frozen_with_them(self, days, expected):
        study = opened()
        bring(study, lines_of(study, "X1"))
        record = study.pairs_imports.get(kind="judgments")
        DatasetSnapshot.objects.create(
            study=study,
            number=1,
            created_at=timezone.now() - timedelta(days=days),
            protocol_key="legal_meaning",
            protocol_version="1",
            content_digest="0" * 64,
            path="snapshots/1",
        )
        assert removal(import_doomed(record)).obstacles == expected

    def test_an_item_with_such_judgments_stays_until_then(self):
        study = planned_study(1, 1)
        bring(study, lines_of(study, "X1", most=1))
        item = study.items.get()
        assert codes_of(lambda: item_remove(actor=None, item=item)) == ["begun"]

    def test_not_in_a_closed_study(self):
        study = opened()
        bring(study, lines_of(study, "X1"))
        record = study.pairs_imports.get(kind="judgments")
        study_change_state(actor=None, study=study, to="closed", reason="essai")
        assert codes_of(lambda: import_undo(actor=None, record=record)) == ["closed"]
