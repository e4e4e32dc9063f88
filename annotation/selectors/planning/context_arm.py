"""Whether the arm in which neighbours are shown can still be chosen."""

from __future__ import annotations

from annotation.models import Assignment, Study


def pairs_opened(study: Study) -> bool:
    """Whether anybody has seen a pair of this study, with its neighbours or without."""
    return Assignment.objects.filter(annotator__study=study, opened_at__isnull=False).exists()
