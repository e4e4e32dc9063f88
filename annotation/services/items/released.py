"""Published scores as a study's imported judgments, where the file says which system wrote what and
names its judges."""

from __future__ import annotations

from django.db import transaction

from annotation.corpus.frjudge import FrjudgeFile
from annotation.corpus.problems import RowProblem
from annotation.corpus.released import ReleasedFile, ReleasedPair
from annotation.errors import RuleError
from annotation.models import Study, User
from annotation.protocols.base import Parts, RatingValue, Wording
from annotation.selectors.items.imports import released_misfit
from annotation.services.items.imported import ImportedJudgment, ImportedPair, imported_store
from annotation.services.items.items import ImportOutcome, RowsRefused, study_for_import


def check_protocol(study: Study, brought: FrjudgeFile | ReleasedFile) -> None:
    """Raises ``RuleError`` for judgments of another protocol than the study's."""
    if misfit := released_misfit(study=study, brought=brought):
        raise RuleError.single(
            misfit.field,
            misfit.code,
            f"{misfit.message.fr} {misfit.remedy.fr}",
            f"{misfit.message.en} {misfit.remedy.en}",
        )


@transaction.atomic
def released_import(
    *, actor: User | None, study: Study, released: ReleasedFile, name: str = ""
) -> ImportOutcome:
    """Add the pairs of a released file, each with the scores of its judges.

    Raises ``RowsRefused`` for rows that are none and for sources that the study has already,
    ``RuleError`` for a closed study and one of another protocol.
    """
    study = study_for_import(study)
    check_protocol(study, released)
    if refused := [*released.problems, *released_repeats(study=study, released=released)]:
        raise RowsRefused(refused)
    pairs = [_pair(pair) for pair in released.pairs]
    return imported_store(
        actor=actor, study=study, pairs=pairs, verb="released_imported", rows=len(pairs), name=name
    )


def released_repeats(*, study: Study, released: ReleasedFile) -> list[RowProblem]:
    """The sources of a released file that the study has already, each named once."""
    first = {pair.key: pair for pair in reversed(released.pairs)}
    there = study.items.filter(key__in=list(first)).order_by("position")
    return [
        RowProblem(
            "",
            "duplicate_in_study",
            Wording(
                f"L'étude a déjà une clause « {key} ».", f"The study has a clause “{key}” already."
            ),
            row=first[key].row,
            remedy=Wording("Importez dans une autre étude.", "Import into another study."),
            duplicate=True,
        )
        for key in there.values_list("key", flat=True)
    ]


def _pair(pair: ReleasedPair) -> ImportedPair:
    return ImportedPair(
        key=pair.key,
        original=pair.original,
        text=pair.simplification,
        system=pair.system,
        judgments=[ImportedJudgment(judge, _parts(pair, judge), pair.row) for judge in pair.scores],
    )


def _parts(pair: ReleasedPair, judge: str) -> Parts:
    parts = Parts(sides={"comment": pair.comment} if pair.comment else {})
    for dimension, value in pair.scores[judge].items():
        parts.rate(RatingValue(dimension, value))
    return parts
