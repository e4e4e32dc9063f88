"""The people pages of a study and of the installation."""

from __future__ import annotations

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.utils import timezone

from annotation.models import Event, Invitation, User
from annotation.selectors.people.people import waiting_invitations
from annotation.services.people.invitations import invitation_accept, invitation_create
from annotation.services.people.people import lead_add
from annotation.services.platform import letters
from tests.cast import Cast
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def planted(cast: Cast, role: str = "annotator") -> User:
    """An account that the lead of the other study may have made for themselves."""
    _invitation, token = invitation_create(
        actor=cast.other_lead, study=cast.beta, email="directrice@univ.example", role=role
    )
    return invitation_accept(token=token, name="Directrice", password="un-bon-mot-de-passe")


class TestStudyPeople:
    URL = "/studies/alpha/people/"

    def post(self, cast, **form):
        return cast.client("lead").post(self.URL, form)

    def invite(self, cast, email="x@example.org", role="annotator"):
        return self.post(cast, action="invite", email=email, role=role)

    def test_a_lead_sees_who_is_how_far(self, cast):
        page = cast.client("lead").get(self.URL)
        rows = {row.annotator.pseudonym: row for row in page.context["progress"]}
        # Came after practice: none of it is awaited.
        assert (rows["A"].main_done, rows["A"].main_total, rows["A"].practice_total) == (0, 2, 0)
        text = page.content.decode()
        for person in (cast.annotator, cast.peer, cast.withdrawn, cast.lead):
            assert person.email in text
        assert "beta-judge" not in text

    def test_a_lead_invites_and_gets_the_link_once(self, cast):
        answer = self.invite(cast)
        assert answer.status_code == 200
        link = answer.context["invitation_link"]
        assert link in answer.content.decode()
        assert link not in cast.client("lead").get(self.URL).content.decode()
        assert not mail.outbox
        self.post(cast, action="revoke_invitation", invitation=Invitation.objects.get().pk)
        assert Invitation.objects.get().revoked_at

    def test_inviting_somebody_twice_says_so(self, cast):
        first = self.invite(cast)
        assert first.context["invitation_replaces"] is None
        second = self.invite(cast, "X@example.org")
        assert second.context["invitation_replaces"] == first.context["invitation"]

    def many(self, cast, emails, role="annotator"):
        return self.post(cast, action="invite_many", emails=emails, role=role)

    def test_addresses_that_blanks_part_are_several(self, cast):
        answer = self.many(cast, "a@example.org b@example.org\tc@example.org\nBé <d@example.org>")
        assert [fate["email"] for fate in answer.context["fates"]] == [
            f"{name}@example.org" for name in "abcd"
        ]
        assert not any("refused" in fate for fate in answer.context["fates"])

    def test_many_at_once_each_with_its_fate(self, cast, client):
        pasted = f"a@example.org\r\n  Bé <B@example.org>; c@example.org,a@example.org\n\npas une adresse\n{cast.annotator.email}"  # noqa: E501
        answer = self.many(cast, pasted)
        assert answer.status_code == 200
        fates = {fate["email"]: fate for fate in answer.context["fates"]}
        assert list(fates) == [
            "a@example.org",
            "b@example.org",
            "c@example.org",
            "pas une adresse",
            cast.annotator.email,
        ]
        assert [name for name, fate in fates.items() if "refused" in fate] == [
            "pas une adresse",
            cast.annotator.email,
        ]
        assert waiting_invitations(cast.alpha).count() == 3
        links = {fates[name]["invitation_link"] for name in list(fates)[:3]}
        assert len(links) == 3
        page = answer.content.decode()
        assert all(link in page for link in links)
        again = cast.client("lead").get(self.URL).content.decode()
        assert not any(link in again for link in links)
        assert client.get(links.pop()).status_code == 200

    @pytest.mark.parametrize(
        "emails", ["", " \n;,", "\n".join(f"p{n}@example.org" for n in range(101))]
    )
    def test_none_and_too_many_are_refused_and_stay_typed(self, cast, emails):
        answer = self.many(cast, emails)
        assert answer.status_code == 422
        assert not waiting_invitations(cast.alpha).exists()
        assert "p7@example.org" in answer.content.decode() or "p7" not in emails

    @pytest.fixture
    def mail_server(self, settings, monkeypatch):
        """A mail server that answers each address as it is told; whom it was asked to write to."""
        settings.EMAIL_HOST = "mail.example.org"
        addresses: list[str] = []
        answers: dict[str, Exception] = {}

        def send(self, fail_silently=False):
            addresses.append(self.to[0])
            if (error := answers.get(self.to[0])) is not None:
                raise error
            return 1

        monkeypatch.setattr(EmailMessage, "send", send)
        return addresses, answers

    def sent(self, answer):
        names = ("mailed", "mail_failed", "mail_untried")
        return [
            next(name for name in names if fate[f"invitation_{name}"])
            for fate in answer.context["fates"]
        ]

    def shows_every_link(self, answer):
        page = answer.content.decode()
        return all(fate["invitation_link"] in page for fate in answer.context["fates"])

    def test_a_mail_server_that_does_not_answer_is_tried_once(self, cast, mail_server):
        addresses, answers = mail_server
        answers["b@example.org"] = TimeoutError()
        answer = self.many(cast, ",".join(f"{name}@example.org" for name in "abcd"))
        assert self.sent(answer) == ["mailed", "mail_failed", "mail_untried", "mail_untried"]
        assert addresses == ["a@example.org", "b@example.org"]
        assert self.shows_every_link(answer)
        assert waiting_invitations(cast.alpha).count() == 4

    def test_an_address_that_it_refuses_keeps_no_other_from_its_letter(self, cast, mail_server):
        _addresses, answers = mail_server
        answers["a@example.org"] = smtplib.SMTPRecipientsRefused({})
        answer = self.many(cast, "a@example.org,b@example.org")
        assert self.sent(answer) == ["mail_failed", "mailed"]
        assert not answer.context["untried"]

    def test_a_slow_mail_server_keeps_nobody_waiting_for_long(self, cast, mail_server, monkeypatch):
        addresses, _ = mail_server
        monkeypatch.setattr(letters, "monotonic", lambda: len(addresses) * letters.LONGEST_POST / 2)
        answer = self.many(cast, "a@example.org,b@example.org,c@example.org")
        assert self.sent(answer) == ["mailed", "mailed", "mail_untried"]
        assert self.shows_every_link(answer)

    def test_many_cannot_be_made_admins(self, cast):
        assert self.many(cast, "a@example.org", role="admin").status_code == 422

    def test_a_new_link_takes_the_place_of_an_expired_one(self, cast, client):
        old = self.invite(cast, role="lead").context["invitation_link"]
        Invitation.objects.update(expires_at=timezone.now() - timedelta(days=1))
        page = cast.client("lead").get(self.URL)
        (waiting,) = page.context["invitations"]
        assert waiting.expired
        renewed = self.post(cast, action="invite_again", invitation=waiting.pk)
        assert renewed.context["invitation"].role == "lead"
        assert client.get(old).status_code == 410
        assert client.get(renewed.context["invitation_link"]).status_code == 200
        assert len(cast.client("lead").get(self.URL).context["invitations"]) == 1

    def test_it_goes_out_by_mail_where_there_is_a_server(self, cast, settings, monkeypatch):
        settings.EMAIL_HOST = "mail.example.org"
        answer = self.invite(cast)
        assert answer.context["invitation_link"] in mail.outbox[0].body
        assert (answer.context["invitation_mailed"], answer.context["invitation_mail_failed"]) == (
            True,
            False,
        )

        def refuse(self, fail_silently=False):
            raise ConnectionRefusedError

        monkeypatch.setattr(EmailMessage, "send", refuse)
        answer = self.invite(cast, "y@example.org")
        assert (answer.status_code, answer.context["invitation_mail_failed"]) == (200, True)
        assert answer.context["invitation_link"] in answer.content.decode()

    def test_a_refusal_keeps_what_was_typed_and_names_its_field(self, cast):
        answer = self.invite(cast, cast.annotator.email)
        assert answer.status_code == 422
        assert f'value="{cast.annotator.email}"' in answer.content.decode()
        assert answer.context["problems"][0]["field"] == "email"

    def test_a_lead_cannot_make_an_admin_here(self, cast):
        for action in ("invite", "add"):
            answer = self.post(cast, action=action, email=cast.outsider.email, role="admin")
            assert answer.status_code == 422
        assert not Invitation.objects.exists()

    def test_somebody_with_an_account_is_added_at_once(self, cast):
        assert (
            self.post(cast, action="add", email=cast.outsider.email, role="annotator").status_code
            == 302
        )
        assert cast.client("outsider").get("/annotate/alpha/").status_code == 302
        for email in ("nobody@example.org", cast.admin.email, cast.outsider.email):
            assert self.post(cast, action="add", email=email, role="annotator").status_code == 422

    def test_who_may_be_somebody_else_is_added_once_vouched_for(self, cast):
        user = planted(cast)
        form = {"action": "add", "email": user.email, "role": "lead"}
        refused = self.post(cast, **form)
        assert refused.status_code == 422
        assert refused.context["problems"][0]["field"] == "vouched"
        page = refused.content.decode()
        assert 'id="id_vouched"' in page
        assert page.count(f'value="{user.email}"') == 2, "what was typed, and what is ticked"
        assert '<option value="lead" selected>' in page
        assert self.post(cast, **form, vouched=cast.outsider.email).status_code == 422
        assert self.post(cast, **form, vouched=user.email).status_code == 302
        assert cast.alpha.leads.filter(user=user).exists()
        assert 'id="id_vouched"' not in cast.client("lead").get(self.URL).content.decode()

    def test_withdrawing_takes_the_study_away_and_bringing_back_returns_it(self, cast):
        assert (
            self.post(cast, action="withdraw", annotator=cast.judge.pk, reason="").status_code
            == 422
        )
        form = {"action": "withdraw", "annotator": cast.judge.pk, "reason": "fin de session"}
        assert self.post(cast, **form).status_code == 302
        assert cast.client("annotator").get("/annotate/alpha/").status_code == 404
        assert self.post(cast, action="bring_back", annotator=cast.judge.pk).status_code == 302
        assert cast.client("annotator").get("/annotate/alpha/").status_code == 302

    def test_another_study_s_people_are_out_of_reach(self, cast):
        stranger = cast.beta.annotators.get(user__email__startswith="beta-judge")
        for form in (
            {"action": "withdraw", "annotator": stranger.pk, "reason": "r"},
            {"action": "remove_lead", "lead": cast.beta.leads.get().pk},
            {"action": "withdraw", "annotator": "x"},
            {"action": "withdraw", "annotator": "²"},
            {"action": "withdraw", "annotator": "9" * 30},
            {"action": "revoke_invitation", "invitation": "1"},
            {"action": "dance"},
            {},
        ):
            assert self.post(cast, **form).status_code == 404

    def test_the_last_lead_stays(self, cast):
        assert (
            self.post(
                cast, action="remove_lead", lead=cast.alpha.leads.get().pk, reason="fin"
            ).status_code
            == 422
        )

    def test_who_removes_themselves_leaves(self, cast):
        lead_add(actor=None, study=cast.alpha, user=make_user("second"))
        mine = cast.alpha.leads.get(user=cast.lead).pk
        assert self.post(cast, action="remove_lead", lead=mine).status_code == 422
        assert cast.alpha.leads.filter(pk=mine).exists()
        answer = self.post(cast, action="remove_lead", lead=mine, reason="change d'équipe")
        assert answer.url == "/"
        assert Event.objects.get(verb="lead_removed").details["reason"] == "change d'équipe"
        assert cast.client("lead").get(self.URL).status_code == 404


class TestPeople:
    def post(self, cast, **form):
        return cast.client("admin").post("/people/", form)

    def test_an_admin_searches(self, cast):
        client = cast.client("admin")
        page = client.get("/people/", {"q": " LEAD@ "}).content.decode()
        assert cast.lead.email in page
        assert cast.annotator.email not in page
        nobody = client.get("/people/", {"q": "<script>"}).content.decode()
        assert "&lt;script&gt;" in nobody
        assert "<script>" not in nobody

    def test_a_search_asks_for_no_accents(self, cast):
        make_user("Émilie Côté", email="someone@example.org")
        client = cast.client("admin")
        for wanted in ("emilie", "CÔTÉ", "cote"):
            page = client.get("/people/", {"q": wanted}).content.decode()
            assert "someone@example.org" in page, wanted

    def test_a_long_list_has_pages(self, cast, django_assert_max_num_queries):
        for number in range(60):
            make_user(f"many{number}")
        client = cast.client("admin")
        with django_assert_max_num_queries(12):
            page = client.get("/people/", {"page": 2})
        assert page.context["page"].number == 2

    def test_an_admin_changes_and_closes(self, cast):
        form = {"user": cast.outsider.pk, "reason": "relève"}
        for action in ("make_admin", "unmake_admin", "close", "reopen"):
            assert self.post(cast, action=action, **form).status_code == 302
        assert Event.objects.filter(actor=cast.admin, details__reason="relève").count() == 4
        answer = self.post(cast, action="make_admin", user=cast.outsider.pk)
        assert answer.status_code == 422
        assert str(cast.outsider) in answer.context["problems"][0]["message"]
        assert (
            self.post(cast, action="make_admin", user=cast.annotator.pk, reason="r").status_code
            == 422
        )
        assert (
            self.post(cast, action="unmake_admin", user=cast.admin.pk, reason="r").status_code
            == 422
        )
        assert self.post(cast, action="dance", **form).status_code == 404
        assert self.post(cast, action="close", user="1 OR 1=1").status_code == 404

    def test_who_may_be_somebody_else_is_made_an_admin_once_vouched_for(self, cast):
        user = planted(cast, "lead")
        form = {"action": "make_admin", "user": user.pk, "reason": "relève de Jeanne"}
        refused = self.post(cast, **form)
        assert refused.status_code == 422
        page = refused.content.decode()
        assert page.count('name="vouched"') == 1
        assert f'id="vouched-{user.pk}"' in page
        assert page.count('value="relève de Jeanne"') == 1
        assert self.post(cast, **form, vouched="yes").status_code == 302
        assert Event.objects.get(verb="address_vouched").actor == cast.admin

    def test_an_admin_hands_out_a_password_link(self, cast, client):
        answer = self.post(cast, action="reset_link", user=cast.outsider.pk)
        link = answer.context["reset_link"]
        assert link in answer.content.decode()
        page = client.get(link, follow=True)
        assert page.context["validlink"]
        form = {"new_password1": "tout-autre-chose-9", "new_password2": "tout-autre-chose-9"}
        client.post(page.request["PATH_INFO"], form)
        login = {"username": cast.outsider.email, "password": "tout-autre-chose-9"}
        assert client.post("/account/login/", login).status_code == 302

    def test_an_admin_invites_an_admin(self, cast):
        answer = self.post(cast, action="invite", email="x@example.org", role="admin")
        assert "/account/invitation/" in answer.context["invitation_link"]
        waiting = Invitation.objects.get().pk
        self.post(cast, action="invite_again", invitation=waiting)
        assert self.post(cast, action="revoke_invitation", invitation=waiting).status_code == 404
        refused = self.post(cast, action="invite", email="not an address", role="admin")
        assert refused.status_code == 422
        assert "not an address" in refused.content.decode()
