"""Who has which part: annotators and leads of a study, admins, and the accounts behind them."""

from __future__ import annotations

import string
from itertools import count, product
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Annotator, Event, Invitation, Lead, Study, User
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.counting import pairs_hold, return_recount, withdrawal_recount
from annotation.services.platform.events import event_record

PREFERENCES = (
    "language",
    "theme",
    "type_size",
    "spacing",
    "typeface",
    "break_after_minutes",
    "auto_advance",
    "keys",
)


def address(email: str) -> str:
    """An e-mail address as accounts hold it. Raises ``RuleError`` for what is none."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError as error:
        raise RuleError.single(
            "email",
            "invalid",
            "Ce n'est pas une adresse de courriel.",
            "This is not an e-mail address.",
        ) from error
    return email


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


def _check_annotator(study: Study, user: User) -> None:
    if (
        user.is_admin
        or Lead.objects.filter(study=study, user=user).exists()
        or _has_led(study, user)
    ):
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
    """Whether somebody could once see this study's system names. Only the audit trail remembers
    it."""
    as_lead = Q(study=study, verb="lead_removed", details__user=user.pk)
    as_admin = Q(
        verb="admin_revoked",
        target_type="user",
        target_id=str(user.pk),
        created_at__gte=study.created_at,
    )
    return Event.objects.filter(as_lead | as_admin).exists()


def _refused(code: str, fr: str, en: str) -> RuleError:
    return RuleError.single("email", code, fr, en)


def may_invite(giver: User, study: Study | None) -> bool:
    """Whether somebody may give parts in a study, or (``None``) make admins."""
    if not giver.is_active:
        return False
    return giver.is_admin or (
        study is not None and Lead.objects.filter(study=study, user=giver).exists()
    )


def _invitations_end(*, actor: User | None, giver: User) -> None:
    """Revoke the open invitations that somebody made and may not make any more: a right ends with
    its giver's."""
    waiting = Invitation.objects.filter(
        created_by=giver, accepted_at__isnull=True, revoked_at__isnull=True
    )
    for invitation in waiting.select_related("study"):
        if may_invite(giver, invitation.study):
            continue
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        event_record(
            actor=actor,
            study=invitation.study,
            verb="invitation_revoked",
            target=invitation,
            giver=giver.pk,
        )


def _locked(study: Study, user: User) -> tuple[Study, User]:
    """Both rows, locked, so that no two parts that exclude each other are given at the same moment.
    Always in this order: two givers must not wait for each other."""
    # Without its key: a submission that holds its pair must be able to write its event, or both
    # would wait for good.
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    return study, User.objects.select_for_update(no_key=True).get(pk=user.pk)


def next_pseudonym(taken: set[str]) -> str:
    """A, B, … Z, AA, AB, …: the first that nobody in the study has or had."""
    names = (
        "".join(letters)
        for length in count(1)
        for letters in product(string.ascii_uppercase, repeat=length)
    )
    return next(name for name in names if name not in taken)


@transaction.atomic
def annotator_add(*, actor: User | None, study: Study, user: User) -> Annotator:
    """Make somebody an annotator (again, under their former pseudonym, if they had withdrawn).

    In a study whose round is open they get their pairs at once. Answers of theirs that would be one
    too many by now are surplus. Raises ``RuleError``.
    """
    study, user = _locked(study, user)
    part_check(study=study, user=user, role=Invitation.Role.ANNOTATOR)
    annotator = Annotator.objects.filter(study=study, user=user).first()
    if annotator is None:
        taken = set(study.annotators.values_list("pseudonym", flat=True))
        annotator = Annotator.objects.create(
            study=study, user=user, pseudonym=next_pseudonym(taken)
        )
        marks: dict[str, int] = {}
    else:
        marks = _bring_back(study, annotator)
    event_record(actor=actor, study=study, verb="annotator_added", target=annotator, **marks)
    if study.open_rounds:
        assignments_fill(actor=actor, study=study)
    return annotator


def _bring_back(study: Study, annotator: Annotator) -> dict[str, int]:
    """Undo a withdrawal; how many of their answers became surplus, and how many surplus ones count
    again."""
    pairs_hold(study)
    surplus = return_recount(annotator)
    annotator.withdrawn_at = None
    annotator.save(update_fields=["withdrawn_at"])
    recounted = withdrawal_recount(study)
    return {
        name: number for name, number in (("surplus", surplus), ("recounted", recounted)) if number
    }


@transaction.atomic
def annotator_withdraw(
    *, actor: User | None, annotator: Annotator, reason: str, **details: str
) -> Annotator:
    """Take somebody out of a study: they see it no more. What they judged stays, and counts no more
    towards the answers that the plan asks for: surplus ones of others are counted in, and others
    get their places. Needs a reason. ``details`` stand in its event."""
    _require(reason)
    # In this order, as whatever gives pairs out: the study, its pairs, and only then people.
    study = Study.objects.select_for_update(no_key=True).get(pk=annotator.study_id)
    pairs_hold(study)
    annotator = Annotator.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    if annotator.withdrawn_at is None:
        annotator.withdrawn_at = timezone.now()
        annotator.save(update_fields=["withdrawn_at"])
        recounted = withdrawal_recount(study)
        marks = {"recounted": recounted} if recounted else {}
        event_record(
            actor=actor,
            study=study,
            verb="annotator_withdrawn",
            target=annotator,
            reason=reason,
            **marks,
            **details,
        )
        if study.open_rounds:
            assignments_fill(actor=actor, study=study)
    return annotator


@transaction.atomic
def lead_add(*, actor: User | None, study: Study, user: User) -> Lead:
    """Let somebody run a study. Raises ``RuleError`` where they lead or annotate it already."""
    study, user = _locked(study, user)
    part_check(study=study, user=user, role=Invitation.Role.LEAD)
    lead = Lead.objects.create(study=study, user=user)
    event_record(actor=actor, study=study, verb="lead_added", target=lead, user=user.pk)
    return lead


@transaction.atomic
def lead_remove(*, actor: User | None, lead: Lead) -> None:
    """Take a study from one of its leads. Raises ``RuleError`` for the last one."""
    leads = list(Lead.objects.select_for_update().filter(study=lead.study))
    if lead not in leads:
        return  # another window was faster
    if len(leads) == 1:
        raise RuleError.single(
            "lead",
            "last",
            "C'est la dernière personne qui dirige l'étude : ajoutez-en une autre d'abord.",
            "This is the last lead of the study: add another one first.",
        )
    event_record(actor=actor, study=lead.study, verb="lead_removed", target=lead, user=lead.user_id)
    lead.delete()
    _invitations_end(actor=actor, giver=lead.user)


@transaction.atomic
def person_add(*, actor: User | None, study: Study, email: str, role: str) -> User:
    """Give somebody who has an account a part in a study at once. Raises ``RuleError``: no such
    account, a part that they have or cannot have."""
    user = User.objects.filter(email=address(email)).first()
    if user is None:
        raise _refused(
            "no_account",
            "Aucun compte n'a cette adresse : faites plutôt un lien d'invitation.",
            "No account has this address: make an invitation link instead.",
        )
    add = lead_add if role == Invitation.Role.LEAD else annotator_add
    add(actor=actor, study=study, user=user)
    # A link that waits for the same person would only say that they have their part already.
    waiting = Invitation.objects.filter(study=study, email=user.email, accepted_at__isnull=True)
    waiting.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
    return user


@transaction.atomic
def admin_set(*, actor: User | None, user: User, is_admin: bool, reason: str) -> User:
    """Make or unmake an admin, with a reason. Raises ``RuleError``: no reason, oneself, an
    annotator.

    An admin may do in each study what its leads may, and looks after accounts; so they judge
    nowhere.
    """
    _require(reason)
    _not_oneself(actor, user)
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if user.is_admin == is_admin:
        return user
    if is_admin:
        part_check(study=None, user=user, role=Invitation.Role.ADMIN)
    user.is_admin = is_admin
    user.save(update_fields=["is_admin"])
    event_record(
        actor=actor,
        verb="admin_granted" if is_admin else "admin_revoked",
        target=user,
        reason=reason,
    )
    _invitations_end(actor=actor, giver=user)
    return user


@transaction.atomic
def account_create(*, email: str, name: str, password: str, language: str = "fr") -> User:
    """A new account. Raises ``RuleError`` for an address that is none or has one, and for a weak
    password."""
    email = address(email)
    try:
        validate_password(password, User(email=email, name=name))
    except ValidationError as error:
        message = " ".join(error.messages)
        raise RuleError.single("password", "weak", message, message) from error
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, password, name=name.strip(), language=language)
    except IntegrityError as error:
        raise _refused(
            "has_account",
            "Un compte existe pour cette adresse : connectez-vous, puis ouvrez le lien de nouveau.",
            "There is an account for this address: log in, then open the link again.",
        ) from error
    event_record(actor=user, verb="account_created", target=user)
    return user


@transaction.atomic
def user_set_active(*, actor: User | None, user: User, is_active: bool, reason: str) -> User:
    """Close or reopen an account. A closed one logs in no more, and its sessions end at once."""
    _require(reason)
    _not_oneself(actor, user)
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if user.erased_at:
        raise RuleError.single(
            "user",
            "erased",
            "Ce compte est effacé : il ne se rouvre pas. Invitez la personne de nouveau.",
            "This account is erased: it cannot be reopened. Invite the person again.",
        )
    if user.is_active == is_active:
        return user
    user.is_active = is_active
    user.save(update_fields=["is_active"])
    event_record(
        actor=actor,
        verb="account_reopened" if is_active else "account_closed",
        target=user,
        reason=reason,
    )
    _invitations_end(actor=actor, giver=user)
    return user


def _require(reason: str) -> None:
    if not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")


def _not_oneself(actor: User | None, user: User) -> None:
    if user == actor:
        raise RuleError.single(
            "user",
            "oneself",
            "On ne change pas son propre accès : demandez à une autre personne qui administre.",
            "Nobody changes their own access: ask another admin.",
        )


def user_update_preferences(*, user: User, **preferences: Any) -> User:
    """Store some of ``PREFERENCES``. No event: what somebody's screen looks like is nobody's
    concern."""
    for name, chosen in preferences.items():
        if name not in PREFERENCES:
            raise TypeError(f"not a preference: {name}")
        setattr(user, name, chosen)
    user.save(update_fields=list(preferences))
    return user
