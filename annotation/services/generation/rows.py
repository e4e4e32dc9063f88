"""The rows of a run that begins: one for each item, or simplification, and system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from annotation.errors import RuleError
from annotation.models import Annotator, Generation, GenerationRun, GenerationSystem, Study
from annotation.selectors.generation.questions import asks_questions
from annotation.selectors.generation.runs import (
    items_to_simplify,
    simplifications_to_judge,
    started_before,
    subjects_of,
)
from annotation.services.platform.study_rows import row_lock, study_row_share

BATCH = 2000


def generations_make(run: GenerationRun, system: GenerationSystem) -> int:
    """Everything that the system is to be asked in this run; how many. For a judge, the rater that
    it is."""
    made = 0
    if run.after_id is not None:
        # Whoever edits or drops a question of it holds this row.
        GenerationRun.objects.select_for_update(of=("self",)).get(pk=run.after_id)
    if run.purpose == GenerationRun.Purpose.JUDGE:
        system.judge = _machine_judge(run, system)
        system.save(update_fields=["judge"])
    for rows in _chunks(_rows(run, system)):
        made += len(Generation.objects.bulk_create(rows))
    return made


def _rows(run: GenerationRun, system: GenerationSystem) -> Iterator[Generation]:
    if run.purpose == GenerationRun.Purpose.SIMPLIFY:
        for pk in items_to_simplify(run, system.name).values_list("pk", flat=True):
            yield Generation(run=run, system=system, item_id=pk)
        return
    if asks_questions(run):
        for subject in subjects_of(run, system.name):
            yield Generation(
                run=run,
                system=system,
                item_id=subject.item,
                simplification_id=subject.simplification,
                question=subject.question,
                answer=subject.answer,
                state=Generation.State.FAILED if subject.problem else Generation.State.WAITING,
                problem=subject.problem,
                problem_detail=subject.detail,
            )
        return
    for pk, item in simplifications_to_judge(run, system.name).values_list("pk", "item_id"):
        yield Generation(run=run, system=system, item_id=item, simplification_id=pk)


def _machine_judge(run: GenerationRun, system: GenerationSystem) -> Annotator:
    """The rater of this name in the study; a new one where there is none."""
    former = started_before(run, system.name).filter(judge__isnull=False).first()
    if former is not None and former.judge is not None:
        return former.judge
    number = run.study.annotators.filter(kind=Annotator.Kind.MACHINE).count() + 1
    while run.study.annotators.filter(pseudonym=f"M{number}").exists():
        number += 1
    return Annotator.objects.create(
        study=run.study, kind=Annotator.Kind.MACHINE, pseudonym=f"M{number}"
    )


def _chunks(rows: Iterable[Generation]) -> Iterator[list[Generation]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, BATCH)):
        yield chunk


def run_locked(run: GenerationRun) -> GenerationRun:
    """The run's row as it stands now, locked, with its study. The study's is shared first: whoever
    archives or deletes it, or removes items, holds that before anything of a run. Raises
    ``Http404`` where it was deleted."""
    study_row_share(run.study_id)
    rows = GenerationRun.objects.select_for_update(of=("self",)).select_related("study")
    return row_lock(rows, run.pk)


def adoption_check(run: GenerationRun) -> None:
    """Raise ``RuleError`` where the study is closed: no output of the run, which is locked, could
    become a simplification there. Judgments, questions and grades of models can be asked for all
    the same."""
    if run.purpose == GenerationRun.Purpose.SIMPLIFY and run.study.state == Study.State.CLOSED:
        raise RuleError.single(
            "study",
            "closed",
            "L'étude est fermée : rouvrez-la pour y ajouter des simplifications.",
            "The study is closed: reopen it to add simplifications.",
        )
