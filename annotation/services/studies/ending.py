"""A study put away, brought back, or deleted.

Deleted is only what nobody has judged; everything else is archived: out of everybody's list, still
read and exported, and no service writes to it (``services/platform/events.py``).
"""

from __future__ import annotations

from dataclasses import asdict

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from annotation import sharing
from annotation.errors import RuleError
from annotation.models import Assignment, Study, User
from annotation.selectors.studies.ending import DELETED, StudyContents, study_contents, under_way
from annotation.services.base.standings import assignments_hold
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock


@transaction.atomic
def study_archive(*, actor: User, study: Study, reason: str) -> Study:
    """Put a study away. Raises ``RuleError``: no reason, a model or a worker is at work for it. A
    second time changes nothing."""
    study = study_row_lock(study.pk)
    if study.archived_at is not None:
        return study
    _require(reason)
    _at_rest(study)
    study.archived_at = timezone.now()
    study.save(update_fields=["archived_at"])
    event_record(
        actor=actor, study=study, verb="study_archived", target=study, reason=reason.strip()
    )
    return study


@transaction.atomic
def study_restore(*, actor: User, study: Study) -> Study:
    """Bring an archived study back, as it was. A second time changes nothing."""
    study = study_row_lock(study.pk)
    if study.archived_at is not None:
        study.archived_at = None
        study.save(update_fields=["archived_at"])
        event_record(actor=actor, study=study, verb="study_restored", target=study)
    return study


@transaction.atomic
def study_delete(*, actor: User, study: Study, key: str) -> StudyContents:
    """Delete a study with its files; what went along. Its audit trail stays.

    ``key``: the study's, typed by whoever means it. Raises ``RuleError``: another key, a model or a
    worker is at work for it, somebody or something has judged or saved in it, it was frozen;
    ``Http404`` where somebody else deleted it.
    """
    study = study_row_lock(study.pk)
    if key.strip() != study.key:
        raise RuleError.single(
            "key",
            "differs",
            f"Tapez la clé de l'étude, « {study.key} », pour confirmer.",
            f"Type the key of the study, “{study.key}”, to confirm.",
        )
    _at_rest(study)
    # Whoever is saving is waited for, and found by what follows.
    given = Assignment.objects.filter(annotator__study=study)
    assignments_hold(given)
    contents = study_contents(study)
    _check_deletable(contents)
    numbers = {name: value for name, value in asdict(contents).items() if value}
    event_record(
        actor=actor,
        study=study,
        verb=DELETED,
        target=study,
        key=study.key,
        **numbers | ({"spent": str(contents.spent)} if contents.spent else {}),
    )
    _files_remove(study)
    # In this order: a run names its judges, and what refers to them goes first.
    given.delete()
    study.generation_runs.all().delete()
    study.delete()
    return contents


def _check_deletable(contents: StudyContents) -> None:
    if contents.snapshots:
        raise _refusal(
            "frozen",
            "Cette étude a été figée, et d'autres peuvent s'appuyer dessus : archivez-la plutôt.",
            "This study was frozen, and others may build on that: archive it instead.",
        )
    if contents.judgments or contents.saved:
        raise _refusal(
            "judged",
            "Quelqu'un, ou un modèle, a déjà jugé ou enregistré dans cette étude : archivez-la "
            "plutôt.",
            "Somebody, or a model, has judged or saved in this study already: archive it instead.",
        )


def _at_rest(study: Study) -> None:
    if under_way(study):
        raise _refusal(
            "under_way",
            "Un modèle ou un fichier est en cours pour cette étude : attendez sa fin, ou "
            "annulez-le d'abord.",
            "A model or a file is under way for this study: wait for its end, or cancel it first.",
        )


def _files_remove(study: Study) -> None:
    """Once the transaction stands. A file that stays behind is litter, no reason to fail."""
    stored = [
        (row.file.storage, str(row.file.name))
        for rows in (study.documents.all(), study.uploads.all())
        for row in rows
    ]
    jobs = list(study.jobs.all())
    stored += [
        (default_storage, path) for job in jobs if (path := (job.result or {}).get("path") or "")
    ]
    written = [job.result_path for job in jobs if job.result_path]

    def remove() -> None:
        for storage, name in stored:
            storage.delete(name)
        for path in written:
            sharing.file_drop(path)

    transaction.on_commit(remove, robust=True)


def _require(reason: str) -> None:
    if not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")


def _refusal(code: str, fr: str, en: str) -> RuleError:
    return RuleError.single("study", code, fr, en)
