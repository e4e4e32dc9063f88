"""Admins and invitations from a shell."""

from __future__ import annotations

import getpass
import io
import smtplib
import sys

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command

from annotation.models import Event, Invitation, User
from annotation.services.people.people import annotator_add
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
        assert "is an admin now and logs in as before" in run("create_admin", user.email)
        user.refresh_from_db()
        assert user.is_admin
        assert user.check_password("a-long-password")

    def test_whose_password_is_lost_learns_what_sets_it_anew(self):
        """The only admin, without mail: nobody can make a link for them."""
        user = make_user()
        for since in ("now", "already"):
            said = run("create_admin", user.email)
            assert f"is an admin {since}" in said
            assert f"manage.py changepassword {user.email}" in said

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


class TestChangePassword:
    def test_where_nobody_can_be_asked(self, monkeypatch):
        """By a pipe, from cron, or in a container without a terminal."""
        user = make_user()

        def ended(prompt: str) -> str:
            raise EOFError

        monkeypatch.setattr(getpass, "getpass", ended)
        with pytest.raises(CommandError, match="it is as it was"):
            run("changepassword", user.email)
        user.refresh_from_db()
        assert user.check_password("a-long-password")
        assert not Event.objects.filter(verb="password_changed").exists()


class TestInvite:
    def test_a_link_each(self, client):
        make_study("alpha")
        said = run("invite", "a@example.org", "b@example.org", study="alpha")
        links = [line for line in said.splitlines() if line.startswith("http")]
        assert [client.get(link).status_code for link in links] == [200, 200]

    @pytest.mark.parametrize("bad", ["bad", "lead@example.org"])
    def test_everybody_or_nobody(self, bad, settings):
        """The first of two was invited, and its link lost with the refusal of the second."""
        study = make_study("alpha")
        annotator_add(actor=None, study=study, user=make_user(email="lead@example.org"))
        settings.EMAIL_HOST = "mail.example.org"
        with pytest.raises(CommandError, match=f"(?s)^{bad}: .*\nNobody was invited") as refused:
            run("invite", "good@example.org", bad, "other@example.org", study="alpha", send=True)
        assert "good@example.org" not in str(refused.value)
        assert not Invitation.objects.exists()
        assert not mail.outbox

    def test_who_is_named_twice_gets_one_link(self):
        make_study("alpha")
        said = run("invite", "a@example.org", "a@example.org", study="alpha")
        assert said.count("http") == 1
        assert Invitation.objects.filter(revoked_at=None).count() == 1

    def test_by_mail_where_there_is_a_server(self, settings):
        """As on the page: the documents promise it of both."""
        make_study("alpha")
        assert "Not sent: no mail server" in run("invite", "a@example.org", study="alpha")
        settings.EMAIL_HOST = "mail.example.org"
        said = run("invite", "a@example.org", study="alpha", role="lead")
        assert "Sent to a@example.org" in said
        [letter] = mail.outbox
        assert letter.to == ["a@example.org"]
        assert said.split()[-1] in letter.body

    def test_or_not_where_nobody_wants_it(self, settings):
        make_study("alpha")
        settings.EMAIL_HOST = "mail.example.org"
        said = run("invite", "a@example.org", "--no-send", "--study", "alpha")
        assert "http" in said
        assert "ent to" not in said
        assert "Not sent" not in said
        assert not mail.outbox
        run("invite", "a@example.org", "--send", "--study", "alpha")
        assert len(mail.outbox) == 1

    def test_a_server_that_is_not_reached_is_tried_once(self, settings, monkeypatch):
        make_study("alpha")
        settings.EMAIL_HOST = "mail.example.org"
        tried = []

        def refuse(self, fail_silently=False):
            tried.append(self.to)
            raise ConnectionRefusedError

        monkeypatch.setattr(EmailMessage, "send", refuse)
        said = run("invite", "a@example.org", "b@example.org", study="alpha")
        assert (
            "a@example.org\nNot sent: the mail server was not reached, or takes no letter." in said
        )
        assert "b@example.org\nNot sent: not tried after that." in said
        assert said.count("http") == 2, "the links are handed over"
        assert tried == [["a@example.org"]]

    def test_an_address_that_it_refuses_keeps_nobody_else_from_theirs(self, settings, monkeypatch):
        make_study("alpha")
        settings.EMAIL_HOST = "mail.example.org"
        send = EmailMessage.send

        def refuse(self, fail_silently=False):
            if self.to == ["a@example.org"]:
                raise smtplib.SMTPRecipientsRefused({})
            return send(self, fail_silently)

        monkeypatch.setattr(EmailMessage, "send", refuse)
        said = run("invite", "a@example.org", "b@example.org", study="alpha")
        assert "a@example.org\nNot sent: the mail server refused it." in said
        assert "b@example.org\nSent to b@example.org." in said

    def test_an_unknown_study_names_those_that_there_are(self):
        with pytest.raises(CommandError, match="none yet"):
            run("invite", "a@example.org", study="beta")
        make_study("alpha")
        with pytest.raises(CommandError, match="alpha"):
            run("invite", "a@example.org", study="beta")
