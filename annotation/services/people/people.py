"""Who gets or loses which part: annotators and leads of a study, admins, open accounts."""

from __future__ import annotations

import string
from itertools import count, product

from django.db import transaction
from django.utils import timezone

from annotation.access import admin_still
from annotation.errors import RuleError
from annotation.models import Annotator, Event, Invitation, Lead, Study, User
from annotation.services.accounts.accounts import address
from annotation.services.accounts.institution import institution_close
from annotation.services.accounts.open_sessions import ways_in_end
from annotation.services.base.answered import items_of_annotator, items_recount
from annotation.services.base.standings import annotators_hold
from annotation.services.people.parts import may_invite, part_check
from annotation.services.people.vouching import vouch
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.counting import pairs_hold, return_recount, withdrawal_recount
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock, study_row_lock


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
    study = study_row_lock(study.pk, no_key=True)
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
    """Make somebody an annotator (again, under their former pseudonym, if they had withdrawn or
    were removed).

    In a study whose round is open they get their pairs at once. Answers of theirs that would be one
    too many by now are surplus. Raises ``RuleError``.
    """
    study, user = _locked(study, user)
    part_check(study=study, user=user, role=Invitation.Role.ANNOTATOR)
    annotator = Annotator.objects.filter(study=study, user=user).first()
    if annotator is None:
        annotator, verb = _made(study, user), "annotator_added"
        marks: dict[str, int] = {}
    else:
        marks, verb = _bring_back(study, annotator), "annotator_brought_back"
    event_record(actor=actor, study=study, verb=verb, target=annotator, **marks)
    if study.open_rounds:
        assignments_fill(actor=actor, study=study)
    items_recount(items_of_annotator(annotator.pk))
    return annotator


def _made(study: Study, user: User) -> Annotator:
    """A new annotator. Whoever was removed is remembered by the audit trail alone: their pseudonym
    and their places are nobody else's."""
    removals = Event.objects.filter(study=study, verb="annotator_removed").order_by("pk")
    removed = list(removals.values_list("details", flat=True))
    own = [details for details in removed if details["user"] == user.pk]
    taken = set(study.annotators.values_list("pseudonym", flat=True))
    former = own[-1]["pseudonym"] if own else ""
    if former in taken:
        former = ""  # a file that was brought in since calls a judge the same
    return Annotator.objects.create(
        study=study,
        user=user,
        pseudonym=former or next_pseudonym(taken | {details["pseudonym"] for details in removed}),
        places_used=max((details.get("places", 0) for details in own), default=0),
    )


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
    study = study_row_lock(annotator.study_id, no_key=True)
    pairs_hold(study)
    annotator = row_lock(Annotator.objects.select_for_update(no_key=True), annotator.pk)
    if annotator.withdrawn_at is None:
        # Whoever submits for them at this moment is waited for: what they add to an item counts.
        annotators_hold([annotator.pk])
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
        items_recount(items_of_annotator(annotator.pk))
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
def lead_remove(*, actor: User | None, lead: Lead, reason: str | None = None) -> None:
    """Take a study from one of its leads, with a reason (None: from a program that knows of none).
    Raises ``RuleError`` for the last one, and for an empty reason."""
    if reason is not None:
        _require(reason)
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
    event_record(
        actor=actor,
        study=lead.study,
        verb="lead_removed",
        target=lead,
        user=lead.user_id,
        **({"reason": reason.strip()} if reason else {}),
    )
    lead.delete()
    _invitations_end(actor=actor, giver=lead.user)


@transaction.atomic
def person_add(
    *, actor: User | None, study: Study, email: str, role: str, vouched: bool = False
) -> User:
    """Give somebody who has an account a part in a study at once. Raises ``RuleError``: no such
    account, a part that they have or cannot have, an account that may be somebody else's and is not
    ``vouched`` for."""
    user = User.objects.filter(email=address(email)).first()
    if user is None:
        raise RuleError.single(
            "email",
            "no_account",
            "Aucun compte n'a cette adresse : faites plutôt un lien d'invitation.",
            "No account has this address: make an invitation link instead.",
        )
    add = lead_add if role == Invitation.Role.LEAD else annotator_add
    add(actor=actor, study=study, user=user)
    vouch(actor=actor, user=user, vouched=vouched, study=study)
    # A link that waits for the same person would only say that they have their part already.
    waiting = Invitation.objects.filter(study=study, email=user.email, accepted_at__isnull=True)
    waiting.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
    return user


@transaction.atomic
def admin_set(
    *, actor: User | None, user: User, is_admin: bool, reason: str, vouched: bool = False
) -> User:
    """Make or unmake an admin, with a reason. Raises ``RuleError``: no reason, oneself, an
    annotator, an account that may be somebody else's and is not ``vouched`` for; to unmake one, an
    actor who is none any more.

    An admin may do in each study what its leads may, and looks after accounts; so they judge
    nowhere.
    """
    user = _held_for_access(actor, user, reason, takes_away=not is_admin)
    if user.is_admin == is_admin:
        return user
    if is_admin:
        part_check(study=None, user=user, role=Invitation.Role.ADMIN)
        vouch(actor=actor, user=user, vouched=vouched)
    verb = "admin_granted" if is_admin else "admin_revoked"
    return _access_change(actor, user, "is_admin", is_admin, verb=verb, reason=reason)


@transaction.atomic
def user_set_active(*, actor: User | None, user: User, is_active: bool, reason: str) -> User:
    """Close or reopen an account. A closed one logs in no more; its sessions, its API tokens and
    the link to an institution's account end at once and stay ended when it is reopened. Raises
    ``RuleError``: no reason, oneself, an account that was erased; to close one, an actor who is no
    admin any more."""
    user = _held_for_access(actor, user, reason, takes_away=not is_active)
    if user.erased_at:
        raise RuleError.single(
            "user",
            "erased",
            "Ce compte est effacé : il ne se rouvre pas. Invitez la personne de nouveau.",
            "This account is erased: it cannot be reopened. Invite the person again.",
        )
    if user.is_active == is_active:
        return user
    verb = "account_reopened" if is_active else "account_closed"
    user = _access_change(actor, user, "is_active", is_active, verb=verb, reason=reason)
    # When reopened as well: a version before left them, and a request that was under way when the
    # account was closed may have made one since.
    ways_in_end(actor=actor, user=user)
    institution_close(actor=actor, user=user, reason=reason)
    return user


def _held_for_access(actor: User | None, user: User, reason: str, *, takes_away: bool) -> User:
    """An account whose access is to be changed, locked. Raises ``RuleError``: no reason, oneself,
    an actor who may not ``takes_away`` any more."""
    _require(reason)
    _not_oneself(actor, user)
    whose = {user.pk, actor.pk} if actor is not None and takes_away else {user.pk}
    # Two admins who unmake each other at the same moment would leave none.
    locked = User.objects.select_for_update(no_key=True).filter(pk__in=whose).order_by("pk")
    held = {account.pk: account for account in locked}
    if actor is not None and takes_away and not admin_still(held[actor.pk]):
        raise RuleError.single(
            "user",
            "no_admin",
            "Vous n'administrez plus : on vous a retiré ce rôle entre-temps.",
            "You are no admin any more: somebody has taken that from you meanwhile.",
        )
    return held[user.pk]


def _access_change(
    actor: User | None, user: User, name: str, value: bool, *, verb: str, reason: str
) -> User:
    """Set one of the flags on which somebody's access rests; what they gave away and may not give
    any more ends with it."""
    setattr(user, name, value)
    user.save(update_fields=[name])
    event_record(actor=actor, verb=verb, target=user, reason=reason)
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
