"""Reads for the people pages: accounts, invitations that wait."""

from __future__ import annotations

from django.db.models import BooleanField, Case, Count, Exists, OuterRef, Q, QuerySet, When
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.models import InstitutionAccount, Invitation, Study, User


def accounts(wanted: str = "") -> QuerySet[User]:
    """Everybody with an account whose name or address holds ``wanted``, with the number of their
    parts."""
    users = User.objects.annotate(
        leads_count=Count("led", distinct=True),
        annotates_count=Count("annotates", distinct=True),
        has_second_factor=Exists(TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)),
        has_institution=Exists(InstitutionAccount.objects.filter(user=OuterRef("pk"))),
    ).order_by("email")
    if wanted:
        users = users.filter(Q(email__icontains=wanted) | Q(name__icontains=wanted))
    return users


def waiting_invitations(study: Study | None) -> QuerySet[Invitation]:
    """Invitations that nobody has accepted or revoked. Those with ``expired`` stay: a new link is
    due for them."""
    waiting = Invitation.objects.filter(
        study=study, accepted_at__isnull=True, revoked_at__isnull=True
    )
    expired = Case(
        When(expires_at__lte=timezone.now(), then=True), default=False, output_field=BooleanField()
    )
    return waiting.annotate(expired=expired)
