"""Reads for the people pages: accounts, invitations that wait."""

from __future__ import annotations

from django.db.models import BooleanField, Case, Count, Exists, OuterRef, QuerySet, When
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.accents import folded
from annotation.models import InstitutionAccount, Invitation, Study, User


def accounts(wanted: str = "") -> QuerySet[User]:
    """Everybody with an account whose name or address holds ``wanted``, whatever its case and
    accents, with the number of their parts."""
    users = User.objects.annotate(
        leads_count=Count("led", distinct=True),
        annotates_count=Count("annotates", distinct=True),
        has_second_factor=Exists(TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)),
        has_institution=Exists(InstitutionAccount.objects.filter(user=OuterRef("pk"))),
    ).order_by("email")
    if wanted:
        # Looked at one by one: no database folds accents as the other does.
        names, words = User.objects.values_list("pk", "email", "name"), folded(wanted)
        called = [pk for pk, *own in names if any(words in folded(name) for name in own)]
        users = users.filter(pk__in=called)
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
