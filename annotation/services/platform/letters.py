"""E-mails, each in the language of who reads it. No change depends on one: a link can always be
handed over."""

from __future__ import annotations

import logging
import smtplib
import threading
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import override

from annotation.models import Annotator, Invitation, User

logger = logging.getLogger(__name__)

LONGEST_POST = 20.0
"""Seconds after which no further letter of a request is tried."""
_BETWEEN_LANGUAGES = "\n\n– – –\n\n"


def mail_configured() -> bool:
    """Whether this installation can send mail at all."""
    return bool(settings.EMAIL_HOST)


def link_to_hand_on(path: str, as_asked: Callable[[str], str]) -> str:
    """The address of a page, for a letter or to be handed over. Where the installation says what
    its address is, no port or name that a request brought stands in it; ``as_asked`` gives the
    address as the request has it, for an installation that does not say."""
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else as_asked(path)


def invitation_letter(*, invitation: Invitation, link: str) -> EmailMessage:
    """The invitation's link, in the invited person's language; in both where we do not know them
    yet."""
    known = User.objects.filter(email=invitation.email).first()
    return _letter(
        "people/email/invitation", invitation.email, known, {"invitation": invitation, "link": link}
    )


def reminder_letter(*, annotator: Annotator, open_pairs: int, link: str) -> EmailMessage:
    """That pairs wait for this annotator, who has an account; in their language."""
    reader = annotator.user
    if reader is None:
        raise ValueError("nobody to write to")
    context = {"study": annotator.study, "open": open_pairs, "link": link}
    return _letter("watching/email/reminder", reader.email, reader, context)


def digest_letter(*, user: User, studies: Sequence[Any], site: str, off: str) -> EmailMessage:
    """What waits in the studies that this person runs (``StudyDigest``), with the address that ends
    such letters; programs for mail find it in the head and offer it as a button (RFC 8058)."""
    context = {"studies": studies, "site": site, "off": off}
    letter = _letter("studies/email/digest", user.email, user, context)
    letter.extra_headers = {
        "List-Unsubscribe": f"<{off}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return letter


def password_letter(*, user: User, link: str) -> EmailMessage:
    """The link with which somebody chooses a new password."""
    return _letter("accounts/email/password_reset", user.email, user, {"link": link})


def address_letter(*, user: User, email: str, code: str) -> EmailMessage:
    """To the address that an account is to have: the code that shows that its person reads this;
    "" where another account has the address."""
    return _letter("accounts/email/address", email, user, {"code": code})


def security_letter_later(*, user: User, change: str) -> None:
    """Tell somebody that their way in was changed, once it is: whoever it was not has to learn of
    it. ``change`` is the event's verb; without a mail server nobody is told."""
    if mail_configured() and not user.is_demo:
        context = {"change": change, "at": timezone.now()}
        transaction.on_commit(
            lambda: letter_send_later(_letter("accounts/email/security", user.email, user, context))
        )


def leaving_letters_later(*, annotator: Annotator, reason: str) -> None:
    """Tell those who run a study that somebody has left it by themselves, once they have; without a
    mail server they read it on the study's pages only."""
    if not mail_configured():
        return
    context = {"annotator": annotator, "reason": reason}
    for lead in (
        annotator.study.leads.select_related("user")
        .exclude(user__is_demo=True)
        .filter(user__is_active=True)
    ):
        letter = _letter("people/email/leaving", lead.user.email, lead.user, context)
        transaction.on_commit(partial(letter_send_later, letter))


def _letter(
    template: str, email: str, reader: User | None, context: dict[str, Any]
) -> EmailMessage:
    languages = [reader.language] if reader else [code for code, _label in settings.LANGUAGES]
    subjects, bodies = [], []
    for language in languages:
        with override(language):
            subjects.append(render_to_string(f"{template}_subject.txt", context).strip())
            bodies.append(render_to_string(f"{template}.txt", context).strip())
    # A line break in a title must not end the subject and start a header of its own.
    subject = " ".join(" / ".join(subjects).split())
    return EmailMessage(subject, _BETWEEN_LANGUAGES.join(bodies) + "\n", to=[email])


class Sending(StrEnum):
    """What became of a letter."""

    SENT = "sent"
    REFUSED = "refused"
    """The mail server takes no letter for this address."""
    FAILED = "failed"
    UNTRIED = "untried"


class Post:
    """The letters of one request. Whoever waits for it waits for no mail server that does not
    answer more than once, and for no slow one for long: what is left then is not tried, and its
    link is handed over."""

    def __init__(self, seconds: float = LONGEST_POST) -> None:
        self._until = monotonic() + seconds
        self._given_up = False

    def send(self, letter: EmailMessage) -> Sending:
        """Send one now, unless the post was given up."""
        if self._given_up or monotonic() >= self._until:
            return Sending.UNTRIED
        outcome = _sending(letter)
        self._given_up = outcome is Sending.FAILED
        return outcome


def letter_send(letter: EmailMessage) -> bool:
    """Send it now; whether the mail server took it. A failure is logged without the letter, which
    holds a link."""
    return _sending(letter) is Sending.SENT


def _sending(letter: EmailMessage) -> Sending:
    try:
        return Sending.SENT if letter.send() else Sending.REFUSED
    except (OSError, smtplib.SMTPException) as error:
        logger.error("a letter was not sent", extra={"reason": type(error).__name__})
        is_refused = isinstance(error, smtplib.SMTPRecipientsRefused)
        return Sending.REFUSED if is_refused else Sending.FAILED


def letter_send_later(letter: EmailMessage, *, is_meant: bool = True) -> threading.Thread:
    """Send it beside the request: waiting for the mail server would tell, by the time that an
    answer takes, which addresses have an account. One that is not meant goes to nobody, and keeps
    its request as long."""
    send: Callable[[EmailMessage], object] = letter_send if is_meant else (lambda _: None)
    thread = threading.Thread(target=send, args=(letter,), name="letter")
    thread.start()
    return thread
