"""Invitation links for commands: no browser tells them the installation's address."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.errors import RuleError
from annotation.models import Invitation, Study
from annotation.services.people.invitations import INVITATION_DAYS, invitation_create
from annotation.services.platform.letters import invitation_letter, letter_send


def invitation_text(
    *, email: str, role: str, study: Study | None = None, send: bool = False
) -> str:
    """Make an invitation and say how to use it. Raises ``CommandError`` with what to do instead."""
    if not settings.PUBLIC_URL:
        raise CommandError("Set BAREME_PUBLIC_URL: without it the link would lead nowhere.")
    try:
        invitation, token = invitation_create(actor=None, study=study, email=email, role=role)
    except RuleError as error:
        raise CommandError(error.message) from error
    link = f"{settings.PUBLIC_URL}{reverse('invitation_accept', args=[token])}"
    lines = [f"Open this link (once, within {INVITATION_DAYS} days):", link]
    if send:
        lines.insert(0, _invitation_sending(invitation, link))
    return "\n".join(lines)


def _invitation_sending(invitation: Invitation, link: str) -> str:
    if not settings.EMAIL_HOST:
        return "Not sent: no mail server is configured (BAREME_EMAIL_HOST)."
    if letter_send(invitation_letter(invitation=invitation, link=link)):
        return f"Sent to {invitation.email}."
    return "Not sent: the mail server refused it or was not reached."
