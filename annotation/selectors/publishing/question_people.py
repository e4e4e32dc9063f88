"""What people said in a study of questions or of answers, by the keys of its pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotation.models import Study
from annotation.questions.people import ANSWERS, PAIRS, Said
from annotation.selectors.agreement.reliability import study_ratings

QUESTION_PROTOCOLS = (PAIRS, ANSWERS)


def said_by_people(study: Study, *, withdrawn: bool = True) -> Iterator[Said]:
    """Each person's YES and NO of the main round, machines left out; three queries. ``withdrawn``:
    with those who have left since."""
    ratings = study_ratings(study, withdrawn=withdrawn)
    key_of = {unit.key: unit.item_key for unit in ratings.items}
    for dimension, table in ratings.tables.items():
        units = [key_of[str(unit)] for unit in table.unit_ids]
        for unit, rater, value in zip(
            table.unit_index, table.rater_index, table.values, strict=True
        ):
            yield Said(units[unit], str(table.rater_ids[rater]), dimension, bool(value))


def said_in(studies: Sequence[Study], *, withdrawn: bool = True) -> Iterator[Said]:
    """What people said in all of these. Pseudonyms are a study's own: A of one is nobody in
    another."""
    for study in studies:
        for answer in said_by_people(study, withdrawn=withdrawn):
            yield replace(answer, who=f"{study.key}/{answer.who}") if len(studies) > 1 else answer
