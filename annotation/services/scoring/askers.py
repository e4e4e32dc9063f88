"""Rights that end while what was asked for with them waits."""

from __future__ import annotations

from annotation.access import admin_still, leads_still
from annotation.models import ScoringJob, TrainingRun, User
from annotation.scoring.errors import ScoringError


def asker_check(row: TrainingRun | ScoringJob) -> None:
    """Raises ``ScoringError`` ("asker_left") where whoever asked for it may not any more: a lead of
    the study whose scores they are, an admin for everything else. What nobody asked for (the
    schedule, a command on the server) is the installation's own."""
    if row.requested_by is not None and not asker_stays(row, row.requested_by):
        raise ScoringError(
            "asker_left",
            "La personne qui l'a demandé n'en a plus le droit : demandez-le de nouveau.",
            "Whoever asked for it may not any more: ask again.",
        )


def asker_stays(row: TrainingRun | ScoringJob, asker: User) -> bool:
    """Whether somebody may still ask for this."""
    if isinstance(row, ScoringJob) and row.study_id is not None:
        return leads_still(asker, row.study_id)
    return admin_still(asker)
