"""Letters about what waits: to whom, when, once, and never again once somebody has said so."""

from __future__ import annotations

import re
import smtplib
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.utils import timezone

from annotation.models import Annotator, Event, LeadDigest, Study, Tally, User
from annotation.selectors.studies import digest as contents
from annotation.selectors.studies.digest import digest_of
from annotation.services.accounts.accounts import user_update_preferences
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies import digests
from annotation.services.studies.digests import (
    AFTER_FAILURE,
    LEASE,
    MOST_TRIES,
    digest_end,
    digest_reader,
    digest_token,
    digests_send_due,
    period_of,
)
from tests.factories import make_annotator, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db
# A Thursday, an hour after the letters of its day.
THURSDAY = datetime(2026, 11, 26, 13, tzinfo=UTC)


class Clock:
    """The time that the services read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = THURSDAY
        monkeypatch.setattr(timezone, "now", lambda: self.now)

    def go(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def lead(settings, clock) -> User:
    """Leads one study in which a plan is missing, and has been met."""
    settings.EMAIL_HOST, settings.PUBLIC_URL = "mail.example", "https://etude.example"
    settings.TIME_ZONE = "America/Toronto"
    lead = make_user("lead")
    make_study("etude", lead=lead)
    assert digests_send_due() == 0
    return lead


def row(user: User) -> LeadDigest:
    return LeadDigest.objects.get(user=user)


class TestWhen:
    @pytest.mark.parametrize(
        ("every", "moment", "period"),
        [
            ("daily", "2026-11-26T11:59", "2026-11-25"),
            ("daily", "2026-11-26T12:00", "2026-11-26"),
            ("weekly", "2026-11-30T11:59", "2026-W48"),
            ("weekly", "2026-11-30T12:00", "2026-W49"),
            ("weekly", "2027-01-01T18:00", "2026-W53"),
        ],
    )
    def test_a_day_and_a_week_begin_in_the_morning(self, settings, every, moment, period):
        settings.TIME_ZONE = "America/Toronto"
        with timezone.override("America/Toronto"):
            assert period_of(every, datetime.fromisoformat(f"{moment}+00:00")) == period

    def test_once_a_week(self, lead, clock):
        assert (row(lead).period, digests_send_due()) == ("2026-W48", 0)
        clock.go(days=4)
        assert digests_send_due() == 1
        for hours in (1, 24, 48):
            clock.go(hours=hours)
            assert digests_send_due() == 0
        clock.go(days=7)
        assert digests_send_due() == 1
        assert [letter.to for letter in mail.outbox] == [["lead@example.org"]] * 2
        assert row(lead).outcome == "sent"

    def test_every_day_for_who_wants_that(self, lead, clock):
        user_update_preferences(user=lead, digest="daily")
        assert digests_send_due() == 0
        clock.go(days=1)
        assert (digests_send_due(), digests_send_due()) == (1, 0)
        clock.go(days=1)
        assert digests_send_due() == 1

    def test_who_changes_their_mind_waits_for_the_next_one(self, lead, clock):
        user_update_preferences(user=lead, digest="never")
        clock.go(days=4)
        assert digests_send_due() == 0
        user_update_preferences(user=lead, digest="weekly")
        assert digests_send_due() == 0
        clock.go(days=7)
        assert digests_send_due() == 1

    @pytest.mark.parametrize("missing", ["EMAIL_HOST", "PUBLIC_URL"])
    def test_not_without_mail_or_an_address_to_lead_to(self, lead, clock, settings, missing):
        setattr(settings, missing, "")
        clock.go(days=7)
        assert digests_send_due() == 0

    @pytest.mark.parametrize("who", [{"is_active": False}, {"is_demo": True}, {"digest": "never"}])
    def test_not_to_everybody(self, lead, clock, who):
        User.objects.filter(pk=lead.pk).update(**who)
        clock.go(days=7)
        assert digests_send_due() == 0

    def test_not_to_who_leads_nothing(self, lead, clock):
        lead.led.all().delete()
        clock.go(days=7)
        assert digests_send_due() == 0

    def test_so_many_at_once(self, lead, clock, monkeypatch):
        make_study("autre", lead=make_user("other"))
        digests_send_due()
        monkeypatch.setattr(digests, "AT_ONCE", 1)
        clock.go(days=7)
        assert [digests_send_due() for _ in range(3)] == [1, 1, 0]


class TestOnce:
    def test_nothing_waits_and_nothing_is_sent(self, lead, clock):
        Study.objects.update(state="closed")
        clock.go(days=7)
        assert digests_send_due() == 0
        assert row(lead).outcome == "nothing"
        Study.objects.update(state="draft")
        assert digests_send_due() == 0

    def test_a_second_worker_finds_it_claimed(self, lead, clock, monkeypatch):
        clock.go(days=7)
        inner = digests.digest_of

        def meanwhile(user, now):
            monkeypatch.setattr(digests, "digest_of", inner)
            assert digests_send_due() == 0
            assert digests._send(user, timezone.now()) is False
            return inner(user, now)

        monkeypatch.setattr(digests, "digest_of", meanwhile)
        assert digests_send_due() == 1
        assert len(mail.outbox) == 1

    def test_what_a_killed_worker_left_before_sending_is_sent_by_another(
        self, lead, clock, monkeypatch
    ):
        clock.go(days=7)
        with monkeypatch.context() as killed:
            killed.setattr(digests, "digest_of", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                digests_send_due()
        assert (row(lead).outcome, digests_send_due()) == ("claimed", 0)
        clock.go(seconds=LEASE.total_seconds())
        assert (digests_send_due(), len(mail.outbox)) == (1, 1)

    def test_who_comes_back_after_losing_the_claim_leaves_it_to_the_other(
        self, lead, clock, monkeypatch
    ):
        clock.go(days=7)
        inner = digests.digest_of

        def slow(user, now):
            monkeypatch.setattr(digests, "digest_of", inner)
            clock.go(seconds=LEASE.total_seconds())
            assert digests_send_due() == 1
            return inner(user, now)

        monkeypatch.setattr(digests, "digest_of", slow)
        assert digests_send_due() == 0
        assert len(mail.outbox) == 1

    def test_what_may_have_arrived_is_not_sent_again(self, lead, clock, monkeypatch):
        clock.go(days=7)
        with monkeypatch.context() as killed:
            killed.setattr(digests, "letter_send", lambda _letter: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                digests_send_due()
        assert row(lead).outcome == "sending"
        clock.go(days=1)
        assert digests_send_due() == 0
        clock.go(days=7)
        assert digests_send_due() == 1

    def test_a_mail_server_that_is_away_is_asked_again_a_few_times(self, lead, clock, monkeypatch):
        def away(*_):
            raise smtplib.SMTPException("away")

        monkeypatch.setattr("django.core.mail.EmailMessage.send", away)
        clock.go(days=7)
        for tried in range(1, MOST_TRIES + 1):
            assert digests_send_due() == 0
            assert (row(lead).outcome, row(lead).tries) == ("failed", tried)
            assert digests_send_due() == 0
            assert row(lead).tries == tried
            clock.go(seconds=AFTER_FAILURE.total_seconds())
        assert (digests_send_due(), row(lead).tries) == (0, MOST_TRIES)
        clock.go(days=7)
        digests_send_due()
        assert row(lead).tries == 1

    def test_it_stands_in_the_trail(self, lead, clock):
        clock.go(days=7)
        digests_send_due()
        event = Event.objects.get(verb="digest_sent")
        assert event.details == {"period": "2026-W49", "studies": ["etude"]}
        assert (event.actor, event.study_id) == (None, None)


@pytest.fixture
def main(lead, clock) -> Study:
    """A study in its main round: A has said a doubt, B has been quiet for ten days."""
    Study.objects.all().delete()
    study = make_study("ronde", lead=lead, state="main")
    make_pair(study)
    make_annotator(study)
    make_annotator(study)
    assignments_fill(actor=None, study=study)
    first = study.annotators.first()
    Study.objects.update(created_at=clock.now - timedelta(days=10))
    Annotator.objects.update(created_at=clock.now - timedelta(days=10))
    assignment = first.assignments.select_related("annotator__study", "simplification__item").get()
    judgment_submit(
        actor=first.user, assignment=assignment, save=save(doubt=True, comment="fourchette 4-6 ?")
    )
    study.refresh_from_db()
    return study


class TestContents:
    def test_what_waits_doubts_and_who_is_quiet(self, main, lead, clock):
        [digest] = digest_of(lead, clock.now)
        assert {due.key: due.number for due in digest.due} == {"remarks": 1, "main_left": 1}
        assert digest.doubts == 1
        assert [(who.pseudonym, who.days, who.open) for who in digest.quiet] == [("B", 10, 1)]

    def test_the_study_says_who_counts_as_quiet(self, main, lead, clock):
        main.reminder_after_days = 11
        main.save()
        assert digest_of(lead, clock.now)[0].quiet == []
        assert contents.QUIET_DAYS == 7

    def test_nothing_of_a_study_that_is_put_away_or_closed(self, main, lead, clock):
        main.archived_at = clock.now
        main.save()
        assert digest_of(lead, clock.now) == []
        main.archived_at, main.state = None, "closed"
        main.save()
        assert digest_of(lead, clock.now) == []

    def test_no_answer_and_no_name(self, main, lead, clock):
        Study.objects.update(is_blind=True)
        Tally.objects.update(again=1)
        clock.go(days=7)
        assert digests_send_due() == 1
        body = mail.outbox[0].body
        assert "fourchette" not in body
        assert "@" not in body.replace("example.org", "")
        for person in main.annotators.select_related("user"):
            assert str(person.user) not in body

    @pytest.mark.parametrize(
        ("language", "words"),
        [
            (
                "fr",
                ["1 remarque ouverte, dont 1 dit un doute", "account/preferences", "B n'a rien"],
            ),
            ("en", ["1 remark open, 1 of which says a doubt", "B has saved nothing"]),
        ],
    )
    def test_in_the_reader_s_language(self, main, lead, clock, language, words):
        User.objects.filter(pk=lead.pk).update(language=language)
        clock.go(days=7)
        digests_send_due()
        [letter] = mail.outbox
        assert all(word in letter.body for word in words)
        assert f"https://etude.example/studies/{main.key}/" in letter.body
        assert main.title in letter.subject

    def test_several_studies_are_one_letter(self, main, lead, clock):
        make_study("seconde", lead=lead)
        clock.go(days=7)
        assert digests_send_due() == 1
        assert "2 études" in mail.outbox[0].subject


class TestOff:
    def test_the_letter_has_its_end_in_its_head_and_foot(self, lead, clock):
        clock.go(days=7)
        digests_send_due()
        [letter] = mail.outbox
        url = re.search(r"https://etude\.example(/digest/off/\S+/)", letter.body)
        assert url
        assert letter.extra_headers["List-Unsubscribe"] == f"<{url[0]}>"
        assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    def test_a_token_is_its_reader_s(self, lead):
        assert digest_reader(digest_token(lead)) == lead
        assert digest_reader(digest_token(lead)[:-1]) is None
        assert digest_reader("nonsense") is None
        User.objects.update(is_active=False)
        assert digest_reader(digest_token(lead)) is None

    def test_it_ends(self, lead, clock):
        digest_end(user=lead)
        clock.go(days=7)
        assert digests_send_due() == 0
        assert not LeadDigest.objects.exists()
