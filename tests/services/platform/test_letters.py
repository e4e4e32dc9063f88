"""E-mails: each in the language of its reader, and no change undone by a mail server."""

from __future__ import annotations

import logging
import smtplib

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from annotation.services.people.invitations import invitation_create
from annotation.services.platform.letters import (
    invitation_letter,
    letter_send,
    letter_send_later,
    password_letter,
)
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
LINK = "https://bareme.example.org/account/invitation/secret/"


def letter_to(email: str, **study) -> EmailMessage:
    invitation, _ = invitation_create(
        actor=None, study=make_study(**study), email=email, role="annotator"
    )
    return invitation_letter(invitation=invitation, link=LINK)


def test_somebody_known_reads_their_own_language():
    body = letter_to(make_user(language="en").email).body
    assert body.count(LINK) == 1
    assert "You are invited" in body


def test_somebody_new_gets_both_languages():
    letter = letter_to("new@example.org")
    assert letter.to == ["new@example.org"]
    assert letter.body.count(LINK) == 2
    assert "You are invited" in letter.body


def test_an_admin_is_invited_to_no_study():
    invitation, _ = invitation_create(actor=None, study=None, email="x@example.org", role="admin")
    assert "You are invited as an admin" in invitation_letter(invitation=invitation, link=LINK).body


def test_a_title_cannot_write_headers():
    study = make_study()
    study.title = "Étude <b>&\nBcc: somebody@example.org"
    invitation, _ = invitation_create(actor=None, study=study, email="x@example.org", role="lead")
    letter = invitation_letter(invitation=invitation, link=LINK)
    assert "\n" not in letter.subject
    assert "<b>&" in letter.body
    assert letter_send(letter)


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError(), smtplib.SMTPException("no"), TimeoutError()]
)
def test_what_is_not_sent_is_said_and_the_link_stays_out_of_the_log(monkeypatch, caplog, error):
    def refuse(self, fail_silently=False):
        raise error

    monkeypatch.setattr(EmailMessage, "send", refuse)
    with caplog.at_level(logging.ERROR):
        assert letter_send(password_letter(user=make_user(), link=LINK)) is False
    assert "a letter was not sent" in caplog.text
    assert "secret" not in caplog.text


def test_a_password_letter_goes_out_beside_the_request():
    user = make_user(language="en")
    letter_send_later(password_letter(user=user, link=LINK)).join()
    assert mail.outbox[0].to == [user.email]
    assert mail.outbox[0].subject == "Barème: choose a new password"
