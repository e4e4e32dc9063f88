"""Whether what a worker computed of a study's answers counts some that a snapshot leaves out."""

from __future__ import annotations

from annotation.models import Judgment, Study
from annotation.selectors.base.rounds import judgments_in


def has_withdrawn_answers(study: Study) -> bool:
    """Whether somebody who has withdrawn had submitted a judgment of the main round that counts;
    one query."""
    return Judgment.objects.filter(
        judgments_in("main"),
        submitted_at__isnull=False,
        assignment__annotator__study=study,
        assignment__annotator__withdrawn_at__isnull=False,
    ).exists()
