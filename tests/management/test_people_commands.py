"""Admins and invitations from a shell."""

from __future__ import annotations

import getpass
import io
import sys

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command

from annotation.models import Event, Invitation, User
from tests.factories import make_annotator, make_study, make_user

pytestmark = pytest.mark.django_db
PASSWORD = "un-bon-mot-de-passe"


def run(*arguments, **options) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestCreateAdmin:
    def test_the_printed_link_makes_an_admin(self, client):
        link = run("create_admin", "first@example.org").split()[-1]
        form = {"name": "Première", "password": PASSWORD, "again": PASSWORD}
        assert client.post(link, form).status_code == 302
        assert User.objects.get(email="first@example.org").is_admin

    def test_a_password_from_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n"))
        assert PASSWORD not in run(
            "create_admin", "First@example.org", "--name", "Première", "--password"
        )
        user = User.objects.get(email="first@example.org")
        assert (user.is_admin, user.name, user.check_password(PASSWORD)) == (True, "Première", True)
        assert Event.objects.filter(verb="admin_granted", actor=None).exists()

    def test_a_password_typed_twice(self, monkeypatch):
        typed = iter([PASSWORD, PASSWORD, PASSWORD, "another"])
        monkeypatch.setattr(sys, "stdin", Terminal())
        monkeypatch.setattr(getpass, "getpass", lambda prompt: next(typed))
        run("create_admin", "a@example.org", password=True)
        with pytest.raises(CommandError, match="differ"):
            run("create_admin", "b@example.org", password=True)
        assert User.objects.count() == 1

    def test_a_weak_one_makes_nobody(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("12345\n"))
        with pytest.raises(CommandError):
            run("create_admin", "a@example.org", password=True)
        assert not User.objects.exists()

    def test_somebody_known_keeps_their_password(self):
        user = make_user()
        assert "as before" in run("create_admin", user.email)
        user.refresh_from_db()
        assert user.is_admin
        assert user.check_password("a-long-password")

    def test_an_annotator_is_refused(self):
        with pytest.raises(CommandError, match="annotates"):
            run("create_admin", make_annotator(make_study()).user.email)

    def test_what_is_no_address_is_refused(self):
        with pytest.raises(CommandError, match="not an e-mail address"):
            run("create_admin", "nobody")

    def test_a_link_needs_an_address_of_the_installation(self, settings):
        settings.PUBLIC_URL = ""
        with pytest.raises(CommandError, match="BAREME_PUBLIC_URL"):
            run("create_admin", "first@example.org")
        assert not Invitation.objects.exists()


class TestInvite:
    def test_a_link_each(self, client):
        make_study("alpha")
        said = run("invite", "a@example.org", "b@example.org", study="alpha")
        links = [line for line in said.splitlines() if line.startswith("http")]
        assert [client.get(link).status_code for link in links] == [200, 200]

    def test_by_mail_where_there_is_a_server(self, settings, monkeypatch):
        make_study("alpha")
        assert "Not sent: no mail server" in run(
            "invite", "a@example.org", study="alpha", send=True
        )
        settings.EMAIL_HOST = "mail.example.org"
        assert "Sent to a@example.org" in run(
            "invite", "a@example.org", study="alpha", role="lead", send=True
        )
        assert len(mail.outbox) == 1

        def refuse(self, fail_silently=False):
            raise ConnectionRefusedError

        monkeypatch.setattr(EmailMessage, "send", refuse)
        assert "refused it or was not reached" in run(
            "invite", "a@example.org", study="alpha", send=True
        )

    def test_an_unknown_study_names_those_that_there_are(self):
        with pytest.raises(CommandError, match="none yet"):
            run("invite", "a@example.org", study="beta")
        make_study("alpha")
        with pytest.raises(CommandError, match="alpha"):
            run("invite", "a@example.org", study="beta")
