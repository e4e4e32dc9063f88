"""Invitations: links that give somebody a part, with a new account where they have none."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Invitation, Study, User
from annotation.services.accounts.accounts import account_create, address
from annotation.services.people.parts import former_address_check, may_invite, part_check
from annotation.services.people.people import admin_set, annotator_add, lead_add
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock

INVITATION_DAYS = 14
ADDRESS_DAYS = 90
"""So long after it ended, the address of somebody who was invited and never came is kept."""


def token_digest(token: str) -> str:
    """What is stored of an invitation's token: a stolen database opens no invitation."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invitation_create(
    *, actor: User | None, study: Study | None, email: str, role: str
) -> tuple[Invitation, str]:
    """A new invitation and its token, which is shown once and never stored. A former open
    invitation of the same person to the same part is revoked: one link works.

    Raises ``RuleError`` for no address, a part that the person has already (under another address
    by now: ``former_address``), or one that they cannot have; ``Http404`` where the study was
    deleted.
    """
    _links_hold(study)
    email = address(email)
    if role not in Invitation.Role.values or (role == Invitation.Role.ADMIN) != (study is None):
        raise RuleError.single(
            "role",
            "invalid",
            "Un rôle d'étude demande une étude.",
            "A part in a study needs a study.",
        )
    user = User.objects.filter(email=email).first()
    if user is not None:
        part_check(study=study, user=user, role=role)
    else:
        former_address_check(study=study, email=email)
    now = timezone.now()
    former = Invitation.objects.filter(
        study=study, email=email, role=role, accepted_at__isnull=True, revoked_at__isnull=True
    )
    replaced = former.update(revoked_at=now)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        study=study,
        email=email,
        role=role,
        token_digest=token_digest(token),
        created_by=actor,
        expires_at=now + timedelta(days=INVITATION_DAYS),
    )
    event_record(
        actor=actor,
        study=study,
        verb="invitation_created",
        target=invitation,
        role=role,
        replaced=replaced,
    )
    return invitation, token


def _links_hold(study: Study | None) -> None:
    """Of two links for one address that are made at the same moment, the second replaces the first.
    Links that make admins have no study in common: whoever has been one for longest stands for
    it."""
    if study is not None:
        study_row_lock(study.pk, no_key=True)
    else:
        admins = User.objects.select_for_update(no_key=True).filter(is_admin=True)
        admins.order_by("pk").first()


def invitation_find(*, token: str, lock: bool = False) -> Invitation:
    """The open invitation behind a token. Raises ``RuleError`` saying what is wrong and what to
    do."""
    invitations = Invitation.objects.select_related("study", "created_by").filter(
        token_digest=token_digest(token)
    )
    if lock:
        # The study first, as whoever replaces the link or deletes the study holds it.
        in_study = Study.objects.filter(invitations__in=invitations)
        in_study.select_for_update(no_key=True, of=("self",)).first()
        invitations = invitations.select_for_update(of=("self",))
    invitation = invitations.first()
    if invitation is None:
        raise _not_open(
            "unknown",
            "Cette invitation n'existe pas. Vérifiez que le lien est entier, ou demandez-en un "
            "nouveau à la personne qui vous a invité.",
            (
                "There is no such invitation. Check that the link is whole, or ask whoever invited "
                "you for a new one."
            ),
        )
    if invitation.accepted_at:
        raise _not_open(
            "used",
            "Cette invitation a déjà servi : connectez-vous.",
            "This invitation was used already: log in.",
        )
    if invitation.revoked_at:
        raise _not_open(
            "revoked",
            "Cette invitation a été remplacée ou retirée. Prenez le lien le plus récent, ou "
            "demandez-en un nouveau à la personne qui vous a invité.",
            (
                "This invitation was replaced or revoked. Take the newest link, or ask whoever "
                "invited you for another."
            ),
        )
    if invitation.expires_at <= timezone.now():
        raise _not_open(
            "expired",
            "Cette invitation a expiré. Demandez un nouveau lien à la personne qui vous a invité.",
            "This invitation has expired. Ask whoever invited you for a new link.",
        )
    # Revoked with the part, and asked once more: the part may end in the very moment of an
    # acceptance.
    if invitation.created_by is not None and not may_invite(
        invitation.created_by, invitation.study
    ):
        raise _not_open(
            "giver_gone",
            "La personne qui vous a invité ne peut plus donner ce rôle. Demandez une nouvelle "
            "invitation à quelqu'un qui dirige l'étude ou qui administre.",
            (
                "Whoever invited you can no longer give this part. Ask a lead of the study or an "
                "admin for a new one."
            ),
        )
    return invitation


def _not_open(code: str, fr: str, en: str) -> RuleError:
    return RuleError.single("token", code, fr, en)


@transaction.atomic
def invitation_accept(
    *,
    token: str,
    name: str = "",
    password: str = "",
    language: str = "fr",
    user: User | None = None,
) -> User:
    """Give the invited person their part. ``user`` is who is logged in; without one an account is
    made.

    Raises ``RuleError``: no open invitation, another person's, an account exists already (log in
    first), one that has another address by now, a weak password, a part that they cannot have.
    """
    invitation = invitation_find(token=token, lock=True)
    if user is None:
        former_address_check(study=invitation.study, email=invitation.email)
        user = account_create(
            email=invitation.email, name=name, password=password, language=language
        )
    elif user.email != invitation.email:
        raise RuleError.single(
            "email",
            "another_person",
            "Cette invitation est pour une autre adresse : déconnectez-vous d'abord.",
            "This invitation is for another address: log out first.",
        )
    # Before the part: whoever made the link that is opened here is not asked whose account it is.
    invitation.accepted_at, invitation.accepted_by = timezone.now(), user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    _give_part(invitation, user)
    event_record(
        actor=user,
        study=invitation.study,
        verb="invitation_accepted",
        target=invitation,
        role=invitation.role,
    )
    return user


def _give_part(invitation: Invitation, user: User) -> None:
    actor = invitation.created_by
    if invitation.study is None:
        admin_set(actor=actor, user=user, is_admin=True, reason="invitation")
    elif invitation.role == Invitation.Role.LEAD:
        lead_add(actor=actor, study=invitation.study, user=user)
    else:
        annotator_add(actor=actor, study=invitation.study, user=user)


@transaction.atomic
def invitation_revoke(*, actor: User | None, invitation: Invitation) -> None:
    """Make an open invitation's link useless."""
    revoked = Invitation.objects.filter(
        pk=invitation.pk, accepted_at__isnull=True, revoked_at__isnull=True
    ).update(revoked_at=timezone.now())
    if revoked:
        event_record(
            actor=actor, study=invitation.study, verb="invitation_revoked", target=invitation
        )


def invitations_expire() -> int:
    """Remove invitations that nobody accepted once they were revoked, or could be opened no more,
    for ``ADDRESS_DAYS``; how many. The audit trail keeps that they were made, without an
    address."""
    before = timezone.now() - timedelta(days=ADDRESS_DAYS)
    ended = Q(revoked_at__lt=before) | Q(expires_at__lt=before)
    return Invitation.objects.filter(ended, accepted_at__isnull=True).delete()[0]
