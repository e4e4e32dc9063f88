"""The rows of an erasure: removed, emptied, or with a name taken out. Called inside its
transaction."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db.models import Model, Q
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    DatasetSnapshot,
    DraftVersion,
    ErasureRequest,
    ErrorDeduction,
    IdempotencyRecord,
    Job,
    Judgment,
    PrivateNote,
    User,
    WorkedDay,
)
from annotation.selectors.accounts.log_ins import sessions_of
from annotation.selectors.privacy.erasure_places import Place
from annotation.selectors.privacy.free_text import at, put
from annotation.selectors.privacy.identity import Identity, without
from annotation.selectors.privacy.personal import access_of, invitations_of
from annotation.services.accounts.second_factor import devices_remove
from annotation.services.base.standings import standings_recount
from annotation.services.publishing.snapshots import snapshot_pseudonyms


def belongings_remove(user: User) -> dict[str, int]:
    """Remove what is the person's alone and nobody else's record; how many of each."""
    sessions = list(sessions_of(user))
    for session in sessions:
        session.delete()
    return {
        "sessions": len(sessions),
        "second_factors": devices_remove(user),
        "api_tokens": user.api_tokens.all().delete()[0],
        "idempotency_records": IdempotencyRecord.objects.filter(user=user).delete()[0],
        "invitations": invitations_of(user).delete()[0],
        "access_records": sum(rows.delete()[0] for rows in access_of(user.email)),
        "leads": user.led.all().delete()[0],
        "private_notes": PrivateNote.objects.filter(assignment__annotator__user=user).delete()[0],
        "worked_days": WorkedDay.objects.filter(annotator__user=user).delete()[0],
        "draft_versions": DraftVersion.objects.filter(assignment__annotator__user=user).delete()[0],
    }


def parts_close(user: User, judgments: str) -> list[dict[str, Any]]:
    """Cut every part of the person off from the account; what is kept of each, for the statement.

    What was begun and never submitted goes. What was submitted stays under the pseudonym; with
    ``leave_out`` the part is withdrawn as well, so that no later snapshot or release holds it.
    """
    kept = []
    for annotator in Annotator.objects.filter(user=user).select_related("study").order_by("pk"):
        Assignment.objects.filter(annotator=annotator, judgment__isnull=True).delete()
        standings_recount([annotator.pk])
        annotator.user = None
        if judgments == ErasureRequest.Judgments.LEAVE_OUT and annotator.withdrawn_at is None:
            annotator.withdrawn_at = timezone.now()
        annotator.save(update_fields=["user", "withdrawn_at"])
        kept.append(
            {
                "study": annotator.study.key,
                "pseudonym": annotator.pseudonym,
                "judgments": Judgment.objects.filter(assignment__annotator=annotator).count(),
                "left_out": annotator.withdrawn_at is not None,
                "snapshots": _snapshots_with(annotator),
            }
        )
    return kept


def _snapshots_with(annotator: Annotator) -> list[str]:
    made = (
        DatasetSnapshot.objects.filter(study=annotator.study_id)
        .select_related("study")
        .order_by("number")
    )
    return [
        snapshot.name for snapshot in made if annotator.pseudonym in snapshot_pseudonyms(snapshot)
    ]


def mentions_remove(found: Iterable[Place]) -> int:
    """Take a person out of the given places, which must stand as they were read; out of how many.

    Raises ``RuleError`` where a text has changed since.
    """
    by_row: dict[tuple[str, Any], list[Place]] = defaultdict(list)
    for place in found:
        by_row[place.column, place.pk].append(place)
    for (column, pk), mentioned in by_row.items():
        model_name, _dot, name = column.partition(".")
        model = apps.get_model("annotation", model_name)
        rows = model._base_manager.select_for_update(no_key=True, of=("self",)).filter(pk=pk)
        value = rows.values_list(name, flat=True).first()
        for way, text in {place.way: place.text for place in mentioned}.items():
            if at(value, way) != text:
                raise RuleError.single(
                    "places",
                    "changed",
                    "Un texte vient de changer : relisez la liste.",
                    "A text has just changed: read the list again.",
                )
            value = put(
                value,
                way,
                without(text, [(one.start, one.end) for one in mentioned if one.way == way]),
            )
        _replace(model, name, pk, value)
    return sum(map(len, by_row.values()))


def _replace(model: type[Model], name: str, pk: Any, value: Any) -> None:
    longest = getattr(model._meta.get_field(name), "max_length", None)
    if longest and isinstance(value, str):
        value = value[:longest]
    if model is not ErrorDeduction:
        model._base_manager.filter(pk=pk).update(**{name: value})
        return
    # Nothing in a sealed judgment is changed: it is opened for this, and sealed again as of the
    # same moment.
    judgment = Judgment.objects.get(errors__pk=pk)
    sealed = Judgment.objects.filter(pk=judgment.pk)
    sealed.update(submitted_at=None)
    ErrorDeduction.objects.filter(pk=pk).update(**{name: value})
    sealed.update(submitted_at=judgment.submitted_at)


def account_empty(user: User) -> None:
    """Leave of the account a row that no one can log in to and that names nobody: the audit trail
    points to it."""
    user.email = f"erased-{secrets.token_hex(8)}@erased.invalid"
    user.name = ""
    user.set_unusable_password()
    user.is_active = user.is_admin = False
    user.language, user.theme, user.type_size = (
        User.Language.FRENCH,
        User.Theme.AUTO,
        User.TypeSize.MEDIUM,
    )
    user.spacing, user.typeface = User.Spacing.NORMAL, User.Typeface.STANDARD
    user.break_after_minutes = User.BreakAfter.FIFTY
    user.auto_advance, user.keys = True, {}
    user.last_login = None
    # What still waits in a browser of theirs can never be opened again.
    user.browser_secret = secrets.token_bytes(32)
    user.erased_at = timezone.now()
    user.save()


def export_jobs(identity: Identity, user: User) -> list[Job]:
    """Exports whose files may hold what somebody typed about the person, or were made by them."""
    return list(
        Job.objects.filter(
            Q(study__in=identity.studies) | Q(requested_by=user), kind=Job.Kind.EXPORT
        )
    )
