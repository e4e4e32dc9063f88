"""The main round taken back, while nobody has saved anything in it."""

from __future__ import annotations

from dataclasses import asdict

from annotation.models import Study
from annotation.selectors.studies.going_back import (
    controls_unjudged,
    given_in_main,
    practice_brought,
    round_taken,
)
from annotation.services.base.sizes import size_recount
from annotation.services.planning.unassigning import assignments_undo


def round_take_back(study: Study) -> dict[str, int]:
    """Take the pairs of the main round from everybody, with practice pairs that came with it, and
    its control pairs away; what that was.
    Opened again, the round is drawn by the same seeds from what there is then.

    Within a transaction that holds the study. Raises ``RuleError`` ("begun").
    """
    taken = {name: number for name, number in asdict(round_taken(study)).items() if number}
    practice = practice_brought(study)
    if number := practice.count():
        taken["practice"] = number
    assignments_undo(given_in_main(study) | practice)
    controls_unjudged(study).delete()
    size_recount(study)
    return taken
