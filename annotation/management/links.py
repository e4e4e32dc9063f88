"""Invitation links for commands: no browser tells them the installation's address."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction
from django.urls import reverse

from annotation.errors import RuleError
from annotation.models import Invitation, Study
from annotation.services.people.invitations import INVITATION_DAYS, invitation_create
from annotation.services.platform.letters import (
    Post,
    Sending,
    invitation_letter,
    mail_configured,
)

_SENDINGS = {
    Sending.REFUSED: "Not sent: the mail server refused it.",
    Sending.FAILED: "Not sent: the mail server was not reached, or takes no letter.",
    Sending.UNTRIED: "Not sent: not tried after that.",
}


def invitation_texts(
    *, emails: Sequence[str], role: str, study: Study | None = None, send: bool = False
) -> Iterator[str]:
    """Make an invitation for each address, all of them or none, then say of each how to use it.
    Raises ``CommandError`` that names each address to which none can be made, and why."""
    if not settings.PUBLIC_URL:
        raise CommandError("Set BAREME_PUBLIC_URL: without it the link would lead nowhere.")
    made: list[tuple[Invitation, str]] = []
    refused = []
    with transaction.atomic():
        for email in emails:
            try:
                made.append(invitation_create(actor=None, study=study, email=email, role=role))
            except RuleError as error:
                refused.append(f"{email}: {error.message}")
        if refused:
            raise CommandError("\n".join([*refused, "Nobody was invited."]))
    # However long many letters take: no browser waits.
    post = Post(seconds=math.inf) if send else None
    # A letter is sent once its invitation stands.
    return (_invitation_text(invitation, token, post) for invitation, token in made)


def _invitation_text(invitation: Invitation, token: str, post: Post | None) -> str:
    link = f"{settings.PUBLIC_URL}{reverse('invitation_accept', args=[token])}"
    lines = [f"Open this link (once, within {INVITATION_DAYS} days):", link]
    if post is not None:
        lines.insert(0, _invitation_sending(invitation, link, post))
    return "\n".join(lines)


def _invitation_sending(invitation: Invitation, link: str, post: Post) -> str:
    if not mail_configured():
        return "Not sent: no mail server is configured (BAREME_EMAIL_HOST)."
    sending = post.send(invitation_letter(invitation=invitation, link=link))
    return _SENDINGS.get(sending, f"Sent to {invitation.email}.")
