"""Who may have which part in a study: what excludes what, and who may give one."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Min, Q

from annotation.errors import RuleError
from annotation.models import Annotator, Event, Invitation, Lead, Study, User
from annotation.selectors.base.copies import same_texts


def part_check(*, study: Study | None, user: User, role: str) -> None:
    """Raise ``RuleError`` for a part that somebody has already, or that they cannot have: whoever
    can see (or has seen) which system wrote a text must not judge it, and whoever judges must not
    come to see."""
    if not user.is_active:
        raise _refused(
            "closed",
            "Le compte de cette personne est fermé : une personne qui administre peut le rouvrir.",
            "This person's account is closed: an admin can reopen it.",
        )
    if study is None:
        _check_admin(user)
    elif role == Invitation.Role.LEAD:
        _check_lead(study, user)
    else:
        _check_annotator(study, user)


def former_address_check(*, study: Study | None, email: str) -> None:
    """Raise ``RuleError`` for an address without an account that somebody of this study had before:
    with a second account they would judge twice, or judge what they have seen the systems of."""
    if study is None:
        return
    holders = User.objects.filter(
        address_changes__before=email, address_changes__taken_at__isnull=False
    ).distinct()
    for user in holders:
        is_here = Annotator.objects.filter(study=study, user=user).exists()
        if is_here or user.is_admin or _has_led(study, user):
            raise _refused(
                "former_address",
                "Une personne de cette étude avait cette adresse et en a maintenant une autre : "
                "invitez-la à celle-là.",
                "Somebody of this study had this address and has another now: invite them under "
                "that one.",
            )


def _check_admin(user: User) -> None:
    if user.is_admin:
        raise _refused(
            "already", "Cette personne administre déjà.", "This person is an admin already."
        )
    if Annotator.objects.filter(user=user, withdrawn_at__isnull=True).exists():
        raise _refused(
            "blindness",
            "Cette personne annote une étude et ne doit pas voir les noms des systèmes : "
            "retirez-la d'abord de ses études, ou prenez une autre adresse.",
            "This person annotates a study and must not see system names: withdraw them from their "
            "studies first, or use another address.",
        )


def _check_lead(study: Study, user: User) -> None:
    if Lead.objects.filter(study=study, user=user).exists():
        raise _refused(
            "already", "Cette personne dirige déjà l'étude.", "This person leads the study already."
        )
    if Annotator.objects.filter(study=study, user=user).exists():
        raise _refused(
            "blindness",
            "Cette personne annote ou a annoté cette étude et ne doit pas voir les noms des "
            "systèmes : prenez une autre adresse.",
            (
                "This person annotates or has annotated this study and must not see system names: "
                "use another address."
            ),
        )
    family = same_texts(study)
    if Annotator.objects.filter(study__in=family, user=user, withdrawn_at__isnull=True).exists():
        raise _refused(
            "blindness",
            "Cette personne annote les mêmes textes dans une autre étude et ne doit pas voir les "
            "noms des systèmes : prenez une autre adresse.",
            "This person annotates the same texts in another study and must not see system names: "
            "use another address.",
        )


def _check_annotator(study: Study, user: User) -> None:
    if user.is_admin or _has_led(study, user):
        raise _refused(
            "blindness",
            "Qui dirige ou a dirigé une étude, ou administre, voit les noms des systèmes : cette "
            "personne ne peut pas annoter ici. Invitez quelqu'un d'autre.",
            "Leads and admins, present and former, have seen system names: this person cannot "
            "annotate here. Invite somebody else.",
        )
    if Annotator.objects.filter(study=study, user=user, withdrawn_at__isnull=True).exists():
        raise _refused(
            "already",
            "Cette personne annote déjà cette étude.",
            "This person annotates this study already.",
        )


def _has_led(study: Study, user: User) -> bool:
    """Whether somebody sees or could once see which system wrote a text of this study, in it or in
    another that has the same. What is over, only the audit trail remembers."""
    family = same_texts(study)
    if Lead.objects.filter(study__in=family, user=user).exists():
        return True
    as_lead = Q(verb__in=["lead_added", "lead_removed", "study_created"], details__user=user.pk)
    as_first = Q(verb="study_created", actor=user)
    as_admin = Q(
        verb="admin_revoked",
        target_type="user",
        target_id=str(user.pk),
        created_at__gte=_oldest(study, family),
    )
    there = Q(study__in=family)
    return Event.objects.filter(as_admin | (there & (as_lead | as_first))).exists()


def _oldest(study: Study, family: frozenset[int]) -> datetime:
    """When the first of these studies was made; of those that are gone the audit trail knows it."""
    others = family - {study.pk}
    if not others:
        return study.created_at
    made = Event.objects.filter(study__in=others, verb="study_created")
    moments: list[datetime | None] = [
        Study.objects.filter(pk__in=others).aggregate(first=Min("created_at"))["first"],
        made.aggregate(first=Min("created_at"))["first"],
    ]
    return min([study.created_at, *(moment for moment in moments if moment is not None)])


def may_invite(giver: User, study: Study | None) -> bool:
    """Whether somebody may give parts in a study, or (``None``) make admins."""
    if not giver.is_active:
        return False
    return giver.is_admin or (
        study is not None and Lead.objects.filter(study=study, user=giver).exists()
    )


def _refused(code: str, fr: str, en: str) -> RuleError:
    return RuleError.single("email", code, fr, en)
