"""The scorer behind a row, read from this machine's copy of its files."""

from __future__ import annotations

import logging

from annotation.models import Scorer as ScorerRow
from annotation.scoring.errors import ScoringError
from annotation.services.scoring.scorers import scorer_folder, scorer_folder_mend
from workers.scorers.backends import load_scorer
from workers.scorers.base import Scorer

_OF_FILES = frozenset({"artefact_missing", "artefact_corrupted"})

log = logging.getLogger(__name__)


def scorer_read(row: ScorerRow) -> Scorer:
    """As it was trained. A copy that was damaged here is fetched anew, once: the storage's is the
    scorer.

    Raises ``ScoringError`` for one that is missing or damaged there too, or needs what is not
    installed.
    """
    folder = scorer_folder(row)
    try:
        return load_scorer(row.backend, folder)
    except ScoringError as error:
        if error.code not in _OF_FILES or not scorer_folder_mend(row):
            raise
        log.warning(
            "a scorer's copy was damaged and was fetched anew: look at the disk",
            extra={"scorer": row.pk, "folder": str(folder)},
        )
    return load_scorer(row.backend, folder)
