"""What people said in a study of questions or of answers, by the keys of its pairs."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import Study
from annotation.questions.people import ANSWERS, PAIRS, Said
from annotation.selectors.agreement.reliability import study_ratings

QUESTION_PROTOCOLS = (PAIRS, ANSWERS)


def said_by_people(study: Study) -> Iterator[Said]:
    """Each person's YES and NO of the main round, machines left out; three queries."""
    found = study_ratings(study)
    key_of = {unit.key: unit.item_key for unit in found.items}
    for dimension, table in found.tables.items():
        units = [key_of[str(unit)] for unit in table.unit_ids]
        for unit, rater, value in zip(
            table.unit_index, table.rater_index, table.values, strict=True
        ):
            yield Said(units[unit], str(table.rater_ids[rater]), dimension, bool(value))
