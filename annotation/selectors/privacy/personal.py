"""Everything that is held about one person, as they may take it with them.

It is what they are told of themselves: no secret (digests, session keys, seeds), no other person's
answer, and of the pairs that they judged only the place in their own order, because ids and keys
would tell systems apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db.models import Q, QuerySet
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.models import (
    PARKED,
    Annotator,
    ApiToken,
    Assignment,
    ErasureRequest,
    Event,
    GuideAcknowledgement,
    InstitutionAccount,
    Invitation,
    Item,
    RejudgeRequest,
    RemarkAnswer,
    Reminder,
    Study,
    User,
    WorkedDay,
    out_of_sight,
    round_shown,
)
from annotation.selectors.accounts.log_ins import moment, sessions_of
from annotation.selectors.accounts.new_address import addresses_held
from annotation.selectors.base.standings import DONE
from annotation.selectors.judging.queue import ordinals

FORMAT = "bareme-personal-data/1"
PROFILE = (
    *(
        "email",
        "name",
        "language",
        "theme",
        "type_size",
        "spacing",
        "typeface",
        "break_after_minutes",
        "auto_advance",
        "keys",
        "digest",
        "tables",
    ),
    *("is_admin", "is_active", "created_at", "last_login"),
)
_ACCESS = ("attempt_time", "username", "ip_address", "user_agent", "path_info")


def personal_data(user: User) -> dict[str, Any]:
    """All of it by area; values are numbers, texts, moments and lists and objects of these."""
    parts = list(user.annotates.select_related("study").order_by("pk"))
    untold = {
        part.study_id: _judgments_in_sight(part) for part in parts if not _repeats_are_told(part)
    }
    return {
        "format": FORMAT,
        "made_at": timezone.now(),
        "profile": {name: getattr(user, name) for name in PROFILE},
        "former_names": list(user.former_names.values("name", "until")),
        "address_changes": list(
            user.address_changes.values("before", "email", "requested_at", "taken_at")
        ),
        "leads": list(user.led.order_by("pk").values("study__key", "created_at")),
        "annotates": [
            _part(annotator, is_whole=annotator.study_id not in untold) for annotator in parts
        ],
        "invitations": list(
            invitations_of(user).values(
                "email", "role", "created_at", "expires_at", "accepted_at", "revoked_at"
            )
        ),
        "api_tokens": list(
            ApiToken.objects.filter(user=user).values(
                "name", "prefix", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at"
            )
        ),
        "protocol_drafts": list(
            user.protocol_drafts.values(
                "name", "title", "text", "original", "simplification", "created_at", "changed_at"
            )
        ),
        "installed_protocols": list(
            user.installed_protocols.order_by("pk").values(
                "key", "version", "installed_at", "removed_at"
            )
        ),
        "table_reports": list(
            user.table_reports.values("name", "asked", "state", "created_at", "finished_at")
        ),
        "sessions": [
            {
                "expires_at": session.expire_date,
                "browser": held.get("browser", ""),
                "began_at": moment(held.get("began_at")),
            }
            for session in sessions_of(user)
            if (held := session.get_decoded())
        ],
        "second_steps": list(
            TOTPDevice.objects.filter(user=user).values(
                "name", "confirmed", "created_at", "last_used_at"
            )
        ),
        "institution_accounts": list(
            InstitutionAccount.objects.filter(user=user).values("issuer", "subject", "linked_at")
        ),
        "recovery_codes": StaticToken.objects.filter(device__user=user).count(),
        "access": [row for rows in access_of_user(user) for row in rows.values(*_ACCESS)],
        "erasure_requests": list(
            ErasureRequest.objects.filter(user=user).values(
                "wish", "state", "requested_at", "decided_at", "reason"
            )
        ),
        "events": [
            _event(event)
            for event in events_of(user).select_related("study")
            if _is_told(event, untold)
        ],
    }


def events_of(user: User) -> QuerySet[Event]:
    """What they did, and what was done with their account and their parts; the newest first."""
    parts = [str(pk) for pk in user.annotates.values_list("pk", flat=True)]
    about = Q(target_type="user", target_id=str(user.pk)) | Q(
        target_type="annotator", target_id__in=parts
    )
    return Event.objects.filter(Q(actor=user) | about)


def invitations_of(user: User) -> QuerySet[Invitation]:
    """Those to their address, those to an address while it was theirs, and those that they
    accepted."""
    mine = Q(email=user.email) | Q(accepted_by=user)
    for held in addresses_held(user):
        if held.until is not None:
            mine |= Q(email=held.email, created_at__lte=held.until)
    return Invitation.objects.filter(mine)


def access_of_user(user: User) -> list[QuerySet[Any]]:
    """What the throttle of log-ins has noted under their address, and under each before while it
    was theirs: another account may have had it before them, or may since."""
    return [
        rows.filter(
            *([Q(attempt_time__gte=held.since)] if held.since else []),
            *([Q(attempt_time__lte=held.until)] if held.until else []),
        )
        for held in addresses_held(user)
        for rows in access_of(held.email)
    ]


def access_of(email: str) -> tuple[QuerySet[Any], ...]:
    """What the throttle of log-ins has noted under an address: log-ins, failures, failures that
    count at present."""
    models = (AccessLog, AccessFailureLog, AccessAttempt)
    return tuple(
        model.objects.filter(username__iexact=email).order_by("attempt_time", "pk")
        for model in models
    )


def _repeats_are_told(annotator: Annotator) -> bool:
    """Whether the file may say which of their pairs were offered again: once the study is closed
    and they have judged every one. A closed study can be opened again; one that is archived takes
    no judgment, and keeps nothing from them for good."""
    study = annotator.study
    if study.state != Study.State.CLOSED:
        return False
    if study.archived_at is not None:
        return True
    repeats = annotator.assignments.filter(simplification__item__round=Item.Aside.REPEAT)
    return not repeats.filter(~DONE).exists()


def _in_sight(annotator: Annotator) -> QuerySet[Assignment]:
    """Without what is offered again, and so hidden from its annotator: it would show which pairs
    are repeats."""
    return annotator.assignments.exclude(out_of_sight())


def _judgments_in_sight(annotator: Annotator) -> set[str]:
    """Their ids as events hold them."""
    judged = _in_sight(annotator).filter(judgment__isnull=False).order_by()
    return {str(pk) for pk in judged.values_list("judgment__pk", flat=True)}


def _is_told(event: Event, untold: Mapping[int, Collection[str]]) -> bool:
    """``untold``: by study, where repeats are not told, the judgments that are. The offer, and the
    moment of a judgment that no pair of the file has, would show which pair is a repeat."""
    judgments = untold.get(event.study_id or 0)
    if judgments is None:
        return True
    if event.target_type == "judgment":
        return event.target_id in judgments
    return event.verb != "repeats_offered"


def _part(annotator: Annotator, *, is_whole: bool) -> dict[str, Any]:
    assignments_shown = annotator.assignments.all() if is_whole else _in_sight(annotator)
    numbers = ordinals(annotator)
    touched = assignments_shown.filter(
        Q(opened_at__isnull=False) | Q(draft__isnull=False) | Q(judgment__isnull=False)
    )
    assignments = (
        touched.select_related("draft", "private_note", "simplification__item")
        .prefetch_related("revisions__guide", "draft_versions")
        .order_by("position")
    )
    return {
        "study": annotator.study.key,
        "title": annotator.study.title,
        "pseudonym": annotator.pseudonym,
        "created_at": annotator.created_at,
        "withdrawn_at": annotator.withdrawn_at,
        "guides_read": list(
            GuideAcknowledgement.objects.filter(annotator=annotator).values(
                "guide__number", "acknowledged_at"
            )
        ),
        "sent_back": _numbered(
            RejudgeRequest.objects.filter(assignment__in=assignments_shown.order_by()).values(
                "assignment__position", "reason", "requested_at", "resolved_at"
            ),
            numbers,
        ),
        "answers_received": _numbered(
            RemarkAnswer.objects.filter(assignment__in=assignments_shown.order_by()).values(
                "assignment__position", "text", "answered_at", "read_at"
            ),
            numbers,
        ),
        "worked_days": list(
            WorkedDay.objects.filter(annotator=annotator)
            .order_by("day", "is_practice")
            .values(
                *("day", "is_practice", "seconds", "judgments", "corrections"),
                *("first_at", "last_at"),
            )
        ),
        "reminders": list(
            Reminder.objects.filter(annotator=annotator).values("outcome", "created_at")
        ),
        "pairs": [_pair(assignment, numbers) for assignment in assignments],
    }


def _numbered(rows: QuerySet[Any, Any], numbers: dict[int, int]) -> list[dict[str, Any]]:
    numbered = [row | {"number": numbers.get(row["assignment__position"])} for row in rows]
    return [row | {"assignment__position": _place(row["assignment__position"])} for row in numbered]


def _place(position: Any) -> int | None:
    """The position by which its annotator knew the pair; none of its own has one that was offered
    again."""
    return position if position < PARKED else None


def _pair(assignment: Assignment, numbers: dict[int, int]) -> dict[str, Any]:
    draft, note = getattr(assignment, "draft", None), getattr(assignment, "private_note", None)
    return {
        "position": _place(assignment.position),
        # As the pages count; of a pair that was offered again, and is told by now, there is none.
        "number": numbers.get(assignment.position),
        "round": round_shown(assignment.simplification.item.round),
        "opened_at": assignment.opened_at,
        "set_aside_at": assignment.set_aside_at,
        "private_note": note and {"text": note.text, "updated_at": note.updated_at},
        "terms_pointed_out_at": assignment.renderings_at,
        "glossary_looked_into_at": assignment.glossary_at,
        "draft": draft
        and {
            "answers": draft.answers,
            "saved_at": draft.saved_at,
            "active_seconds": draft.active_seconds,
        },
        "draft_versions": [
            {
                "number": version.number,
                "origin": version.origin,
                "answers": version.answers,
                "saved_at": version.saved_at,
                "kept_at": version.kept_at,
            }
            for version in assignment.draft_versions.all()
        ],
        "submissions": [
            {
                "number": revision.number,
                "answers": revision.answers,
                "submitted_at": revision.submitted_at,
                "taken_back_at": revision.taken_back_at,
                "active_seconds": revision.active_seconds,
                "guide": revision.guide and revision.guide.number,
            }
            for revision in assignment.revisions.all()
        ],
    }


def _event(event: Event) -> dict[str, Any]:
    # Not the id of what was changed: those of judgments follow the order of import.
    return {
        "at": event.created_at,
        "verb": event.verb,
        "study": event.study and event.study.key,
        "details": _without_seeds(event.details),
    }


def _without_seeds(details: Any) -> Any:
    """A seed says nothing of a person, and all that is drawn by it: orders, repeats, controls."""
    if isinstance(details, dict):
        return {name: _without_seeds(value) for name, value in details.items() if name != "seed"}
    if isinstance(details, list):
        return [_without_seeds(value) for value in details]
    return details
