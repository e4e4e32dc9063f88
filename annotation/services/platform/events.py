"""The audit entry that every other service writes beside its change."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from annotation.errors import StudyArchived
from annotation.models import Event, Study, User
from annotation.rows import rows_insert
from annotation.services.platform.study_rows import study_row_require

# What may be done with an archived study: reading it, what concerns a person and not the study, and
# the end of what was begun before (``under_way`` keeps most of that from being archived at all).
STILL_ARCHIVED = frozenset(
    {
        "study_archived",
        "study_restored",
        "study_deleted",
        "export_requested",
        "export_written",
        "export_failed",
        "export_deleted",
        "export_downloaded",
        "release_downloaded",
        "people_downloaded",
        "remarks_downloaded",
        "pay_sheet_downloaded",
        "invitation_revoked",
        "annotator_withdrawn",
        "lead_added",
        "address_vouched",
        "lead_removed",
        "training_requested",
        "training_due",
        "training_not_started",
        "training_stopped",
        "training_resumed",
        "training_failed",
        "training_finished",
        "generation_batch_ended",
        "generation_run_finished",
        "generation_run_stopped",
        "publication_failed",
        "metrics_failed",
        "reading_failed",
        "models_computed",
        "models_failed",
    }
)


def event_record(
    *,
    actor: User | None,
    verb: str,
    study: Study | None = None,
    target: Model | None = None,
    **details: Any,
) -> Event:
    """Add an audit event. ``details`` are ids, counts and settings, never a judged text or a name.
    What people type (a reason, a new title) stands under a key that ``FREE_TEXT`` of
    ``selectors.privacy.free_text`` lists, where an erasure and a snapshot look for names.

    Every service writes one in the transaction of its change, so this is where an archived study
    refuses them all: raises ``StudyArchived``, and nothing of the change stays. So it does for one
    that was deleted in the meantime: ``Http404``. The row is asked, and shared until the
    transaction ends: the caller may have read the study long ago.
    """
    if study is not None and verb not in STILL_ARCHIVED:
        study_row_require(study)
    return _added(actor, verb, study, target, details)


def event_record_held(
    *, actor: User | None, verb: str, study: Study, target: Model, **details: Any
) -> Event:
    """As ``event_record``, of a study that the caller has shared already and read since."""
    if study.archived_at is not None:
        raise StudyArchived(study)
    return _added(actor, verb, study, target, details)


def _added(
    actor: User | None,
    verb: str,
    study: Study | None,
    target: Model | None,
    details: dict[str, Any],
) -> Event:
    event = Event(
        actor=actor,
        study=study,
        verb=verb,
        target_type=target._meta.model_name or "" if target is not None else "",
        target_id=str(target.pk) if target is not None else "",
        details=details,
    )
    rows_insert(event)
    return event
