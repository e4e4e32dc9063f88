"""An erasure is carried out: what can be erased of a person is erased for good.

``erasure_grant`` is the whole of it, in one transaction; below it, what becomes of the rows:
removed, emptied, or with a name taken out. The audit trail says that it happened and to which
account, never to whom. Who asks and who decides: ``services.privacy.erasure_requests``; the list
that outlives a restore: ``services.privacy.erasure_list``.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models import Model, Q
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    DatasetSnapshot,
    Draft,
    DraftVersion,
    ErasureRequest,
    ErrorDeduction,
    IdempotencyRecord,
    InstitutionAccount,
    Job,
    Judgment,
    Lead,
    PrivateNote,
    RejudgeRequest,
    SideAnswer,
    Study,
    User,
    WorkedDay,
)
from annotation.selectors.accounts.log_ins import sessions_of
from annotation.selectors.privacy.erasure_places import Edit, Place, edits, shown
from annotation.selectors.privacy.free_text import at, put
from annotation.selectors.privacy.identity import Identity, had_part, without
from annotation.selectors.privacy.personal import access_of_user, invitations_of
from annotation.services.accounts.second_factor import devices_remove
from annotation.services.base.answered import items_of_annotator, items_recount
from annotation.services.base.standings import assignments_hold, standings_recount
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.counting import pairs_hold, withdrawal_recount
from annotation.services.platform.events import event_record
from annotation.services.platform.left_bytes import log_cut
from annotation.services.privacy.erasure_list import erasure_note
from annotation.services.privacy.erasure_requests import (
    check_known,
    erasure_places,
    places_changed,
    request_decidable,
)
from annotation.services.publishing.export_files import export_files_remove
from annotation.services.publishing.snapshots import snapshot_pseudonyms


@transaction.atomic
def erasure_grant(
    *,
    actor: User | None,
    request: ErasureRequest,
    judgments: str,
    reason: str,
    seen: Collection[str] | None = None,
) -> ErasureRequest:
    """Erase the account, irreversibly; ``statement`` of the returned request says what went and
    what stayed.

    ``judgments``: "keep" under the pseudonym, or "leave_out" of every later release. ``reason``: on
    what ground, for instance the consent under which the data was given. ``seen``: the mentions
    that the actor was shown (see ``Place.shown``); None where nobody looked at a list.

    Raises ``RuleError``: no reason, no such choice, decided already, not the actor's to decide, an
    admin, the last lead of a study, mentions that are others than those that were shown.
    """
    check_known(judgments, "judgments")
    request = request_decidable(actor, request, reason)
    held = _hold(had_part(request.user))
    user = User.objects.select_for_update(no_key=True).get(pk=request.user_id)
    _check_replaceable(user)
    identity = Identity.of(user)
    places = erasure_places(actor, request)
    _check_seen(places, seen)
    standing = edits(identity)
    jobs = export_jobs(identity, user)
    request.state = ErasureRequest.State.RUNNING  # what the triggers of the audit trail look for
    request.save(update_fields=["state"])
    mentions = mentions_remove(place for place in places if place.is_taken)
    annotated = {*user.annotates.values_list("study", flat=True)}
    removed = belongings_remove(user)
    kept = parts_close(user, judgments)
    _give_on(actor, [study for study in held if study.pk in annotated])
    account_empty(user)
    # Once it is stored, the list first: files that stay are found and removed, a line is not.
    transaction.on_commit(partial(erasure_note, request))
    transaction.on_commit(log_cut)
    _exports_delete(jobs)
    # Figures of each annotator by pseudonym: computed again, where somebody wants them.
    Job.objects.filter(
        study__in=identity.studies, kind__in=[Job.Kind.MODELS, Job.Kind.MARKS]
    ).delete()
    removed |= {"exports": len(jobs), "mentions": mentions}
    request.statement = {"removed": removed, "kept": kept} | _left(identity, places, standing)
    request.places = {
        key: decided | {"reason": identity.cleaned(str(decided["reason"]))}
        for key, decided in request.places.items()
    }
    request.state, request.decision = ErasureRequest.State.GRANTED, judgments
    request.reason = identity.cleaned(reason.strip())
    request.decided_by, request.decided_at = actor, timezone.now()
    request.save()
    event_record(actor=actor, verb="erasure_granted", target=request, judgments=judgments)
    return request


def _hold(studies: Collection[int]) -> list[Study]:
    """Make everybody who saves or submits in these studies wait: what is read of their texts holds
    until the end.

    Returns them, in the order in which everything locks them: study, pairs, assignments.
    """
    held = list(Study.objects.select_for_update(no_key=True).filter(pk__in=studies).order_by("pk"))
    for study in held:
        pairs_hold(study)
    assignments_hold(Assignment.objects.filter(annotator__study__in=studies))
    return held


def _check_seen(places: list[Place], seen: Collection[str] | None) -> None:
    """Raise ``RuleError`` where the mentions are others than those that the actor was shown."""
    if seen is not None and shown(places) != set(seen):
        raise places_changed(len(shown(places) - set(seen)), len(set(seen) - shown(places)))


def _check_replaceable(user: User) -> None:
    if user.is_admin:
        raise RuleError.single(
            "user",
            "admin",
            "Cette personne administre : retirez-lui d'abord ce rôle.",
            "This person is an admin: take that role from them first.",
        )
    for lead in Lead.objects.filter(user=user).select_related("study"):
        if not Lead.objects.filter(study=lead.study_id).exclude(pk=lead.pk).exists():
            raise RuleError.single(
                "user",
                "last_lead",
                (
                    f"Cette personne est la seule à diriger l'étude {lead.study.key} : ajoutez-y "
                    "d'abord quelqu'un."
                ),
                (
                    f"This person is the only lead of the study {lead.study.key}: add another one "
                    "first."
                ),
            )


def _give_on(actor: User | None, studies: list[Study]) -> None:
    """Count anew what the person's parts no longer answer. Where the plan asks for so many people
    per pair, others take over what was not submitted or is left out."""
    for study in studies:
        withdrawal_recount(study)
        if study.open_rounds:
            assignments_fill(actor=actor, study=study)


def _exports_delete(jobs: list[Job]) -> None:
    """The rows now; their files once all of it is stored."""
    Job.objects.filter(pk__in=[job.pk for job in jobs]).delete()
    for job in jobs:
        transaction.on_commit(partial(export_files_remove, job.public_id))


def _left(identity: Identity, places: list[Place], standing: list[Edit]) -> dict[str, Any]:
    """For the statement: mentions that stay, by where they are and why, and those that a person has
    to mend. Nobody's words, and no name."""
    left = [
        {
            "column": place.column,
            "pk": str(place.pk),
            "why": identity.cleaned(place.choice.reason) if place.choice else place.doubt,
            "by_hand": place.choice is not None,
        }
        for place in places
        if not place.is_taken
    ]
    edit = [
        {"column": change.column, "pk": str(change.pk), "study": change.study}
        for change in standing
    ]
    return {"left": left, "to_edit": edit}


def belongings_remove(user: User) -> dict[str, int]:
    """Remove what is the person's alone and nobody else's record; how many of each."""
    sessions = list(sessions_of(user))
    for session in sessions:
        session.delete()
    return {
        "sessions": len(sessions),
        "second_factors": devices_remove(user),
        "institution_accounts": InstitutionAccount.objects.filter(user=user).delete()[0],
        "api_tokens": user.api_tokens.all().delete()[0],
        "idempotency_records": IdempotencyRecord.objects.filter(user=user).delete()[0],
        "invitations": invitations_of(user).delete()[0],
        "access_records": sum(rows.delete()[0] for rows in access_of_user(user)),
        "former_names": user.former_names.all().delete()[0],
        "address_changes": user.address_changes.all().delete()[0],
        "leads": user.led.all().delete()[0],
        # Their tables' files are named by nothing then, and go with the next sweep.
        "table_reports": user.table_reports.all().delete()[0],
        "protocol_drafts": user.protocol_drafts.all().delete()[0],
        # Studies follow them, whoever composed them.
        "installed_protocols": user.installed_protocols.update(installed_by=None),
        "private_notes": PrivateNote.objects.filter(assignment__annotator__user=user).delete()[0],
        # Nobody can judge them again: they stand as they are, and nothing waits for them.
        "sent_back": RejudgeRequest.objects.filter(
            assignment__annotator__user=user, resolved_at__isnull=True
        ).delete()[0],
        "worked_days": WorkedDay.objects.filter(annotator__user=user).delete()[0],
        "draft_versions": DraftVersion.objects.filter(assignment__annotator__user=user).delete()[0],
    }


def parts_close(user: User, judgments: str) -> list[dict[str, Any]]:
    """Cut every part of the person off from the account; what is kept of each, for the statement.

    What was begun and never submitted goes, corrections too: of a pair that is judged the draft is
    emptied, and keeps its moment and its seconds, which the hours of an erased account are counted
    from. What was submitted stays under the pseudonym; with ``leave_out`` the part is withdrawn as
    well, so that no later snapshot or release holds it.
    """
    kept = []
    for annotator in Annotator.objects.filter(user=user).select_related("study").order_by("pk"):
        items = items_of_annotator(annotator.pk)
        Assignment.objects.filter(annotator=annotator, judgment__isnull=True).delete()
        Draft.objects.filter(assignment__annotator=annotator).update(answers={})
        standings_recount([annotator.pk])
        annotator.user = None
        if judgments == ErasureRequest.Judgments.LEAVE_OUT and annotator.withdrawn_at is None:
            annotator.withdrawn_at = timezone.now()
        annotator.save(update_fields=["user", "withdrawn_at"])
        items_recount(items)
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


def mentions_remove(places: Iterable[Place]) -> int:
    """Take a person out of the given places, which must stand as they were read; out of how many.

    Raises ``RuleError`` where a text has changed since.
    """
    by_row: dict[tuple[str, Any], list[Place]] = defaultdict(list)
    for place in places:
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
                without(
                    text,
                    [(mention.start, mention.end) for mention in mentioned if mention.way == way],
                ),
            )
        _replace(model, name, pk, value)
    return sum(map(len, by_row.values()))


def _replace(model: type[Model], name: str, pk: Any, value: Any) -> None:
    longest = getattr(model._meta.get_field(name), "max_length", None)
    if longest and isinstance(value, str):
        value = value[:longest]
    if model not in (ErrorDeduction, SideAnswer):
        model._base_manager.filter(pk=pk).update(**{name: value})
        return
    # Nothing in a sealed judgment is changed: it is opened for this, and sealed again as of the
    # same moment.
    part = model._base_manager.filter(pk=pk)
    judgment = Judgment.objects.get(pk=part.values_list("judgment", flat=True).get())
    sealed = Judgment.objects.filter(pk=judgment.pk)
    sealed.update(submitted_at=None)
    part.update(**{name: value})
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
    user.digest, user.tables = User.Digest.WEEKLY, {}
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
