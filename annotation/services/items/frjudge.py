"""The released FrJUDGE ratings as a study's imported judgments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from annotation.corpus.frjudge import FrjudgeFile, FrjudgeRow
from annotation.models import Study, User
from annotation.protocols.base import Parts, RatingValue
from annotation.selectors.items.imports import frjudge_repeats
from annotation.services.items.imported import ImportedJudgment, ImportedPair, imported_store
from annotation.services.items.items import ImportOutcome, RowsRefused, study_for_import
from annotation.services.items.released import check_protocol

Pair = tuple[str, str]


@transaction.atomic
def frjudge_import(
    *, actor: User | None, study: Study, released: FrjudgeFile, name: str = ""
) -> ImportOutcome:
    """Add the pairs of a released file, each with its judgments.

    The file names no judge: the rows of a pair, in order, become judges J1, J2, … of unknown
    identity. Their judgments know a score but neither bracket nor errors nor times;
    ``submitted_at`` is the moment of this import. Raises ``RowsRefused`` for lines that are no
    judgment and for pairs that the study has already, ``RuleError`` for a closed study and one of
    another protocol.
    """
    study = study_for_import(study)
    check_protocol(study, released)
    if refused := [*released.problems, *frjudge_repeats(study=study, rows=released.rows)]:
        raise RowsRefused(refused)
    by_pair: dict[Pair, list[FrjudgeRow]] = defaultdict(list)
    for row in released.rows:
        by_pair[row.original, row.simplification].append(row)
    return imported_store(
        actor=actor,
        study=study,
        pairs=_pairs(study, by_pair),
        verb="frjudge_imported",
        rows=len(released.rows),
        name=name,
    )


def _pairs(study: Study, by_pair: Mapping[Pair, Sequence[FrjudgeRow]]) -> list[ImportedPair]:
    """The pairs under new keys; the judges after those of earlier files: nothing says that they are
    the same people."""
    keys = study.items.values_list("key", flat=True)
    judges = study.annotators.values_list("pseudonym", flat=True)
    number, last = _last_number(keys, r"frjudge-(\d+)"), _last_number(judges, r"J(\d+)")
    return [
        ImportedPair(
            key=f"frjudge-{number + place:03}",
            original=original,
            text=text,
            judgments=[
                ImportedJudgment(f"J{last + judge}", _parts(row), row.row)
                for judge, row in enumerate(rows, start=1)
            ],
        )
        for place, ((original, text), rows) in enumerate(by_pair.items(), start=1)
    ]


def _parts(row: FrjudgeRow) -> Parts:
    parts = Parts(sides={"comment": row.justifications} if row.justifications else {})
    parts.rate(RatingValue("simplicity", row.simplicity))
    parts.rate(RatingValue("characterization", row.qualification))
    parts.rate(RatingValue("legal_meaning", row.legal_meaning, derivation="imported"))
    return parts


def _last_number(names: Iterable[str], pattern: str) -> int:
    numbers = [int(match[1]) for name in names if (match := re.fullmatch(pattern, name))]
    return max(numbers, default=0)
