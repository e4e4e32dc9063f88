"""Reminders: to whom, how often, in which language, and what is noted when the mail server is
away."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from annotation.models import Annotator, Assignment, Draft, Event, Reminder, Study, User
from annotation.selectors.watching.reminders import due, remindables
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.letters import reminder_letter
from annotation.services.watching.reminders import (
    AT_ONCE,
    Reminded,
    reminders_send,
    reminders_send_due,
)
from tests.factories import make_annotator, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db
LINK = "https://etude.example/annotate/rappels/"


@pytest.fixture
def study(settings) -> Study:
    """A has done everything, B and C (who reads English) have a pair left; the study is ten days
    old."""
    settings.EMAIL_HOST = "mail.example"
    settings.PUBLIC_URL = "https://etude.example"
    study = make_study("rappels", state="main", reminder_gap_days=3)
    make_pair(study)
    for name in ("anne", "brice", "carol"):
        make_annotator(study, make_user(name, language="en" if name == "carol" else "fr"))
    assignments_fill(actor=None, study=study)
    done = Assignment.objects.select_related("annotator__study", "simplification__item").get(
        annotator__pseudonym="A"
    )
    judgment_submit(actor=done.annotator.user, assignment=done, save=save())
    before = timezone.now() - timedelta(days=10)
    Study.objects.update(created_at=before)
    Annotator.objects.update(created_at=before)
    study.refresh_from_db()
    return study


def remind(study: Study, *letters: str) -> Reminded:
    chosen = Annotator.objects.filter(study=study, pseudonym__in=letters).values_list(
        "pk", flat=True
    )
    return reminders_send(actor=study_lead(), study=study, annotators=set(chosen), address=LINK)


def study_lead() -> User:
    return User.objects.filter(email="lead@example.org").first() or make_user("lead")


def age(days: float) -> None:
    Reminder.objects.update(created_at=timezone.now() - timedelta(days=days))


class TestByHand:
    def test_each_reads_it_in_their_own_language(self, study):
        result = remind(study, "A", "B", "C")
        assert [annotator.pseudonym for annotator in result.mailed] == ["B", "C"]
        assert [letter.to for letter in mail.outbox] == [
            ["brice@example.org"],
            ["carol@example.org"],
        ]
        assert mail.outbox[1].subject == f"Pairs wait for you in the study “{study.title}”"
        assert "still waits for your judgment" in mail.outbox[1].body
        assert all(LINK in letter.body for letter in mail.outbox)
        assert list(Reminder.objects.values_list("outcome", flat=True)) == ["sent", "sent"]
        assert (
            Event.objects.filter(verb="annotator_reminded", study=study, actor=study_lead()).count()
            == 2
        )

    def test_never_more_than_one_in_the_days_that_the_study_says(self, study):
        remind(study, "B")
        again = remind(study, "B")
        ((annotator, when),) = again.too_soon
        assert (annotator.pseudonym, again.mailed, len(mail.outbox)) == ("B", [], 1)
        assert when == Reminder.objects.get().created_at + timedelta(days=3)
        age(3.1)
        assert [annotator.pseudonym for annotator in remind(study, "B").mailed] == ["B"]

    def test_without_mail_it_is_a_text_to_hand_over(self, study, settings):
        settings.EMAIL_HOST = ""
        result = remind(study, "B")
        (letter,) = result.handed
        assert (letter.annotator.pseudonym, LINK in letter.body, mail.outbox) == ("B", True, [])
        assert "Study" in letter.subject
        assert Reminder.objects.get().outcome == "handed"
        assert remind(study, "B").too_soon

    def test_a_refused_letter_is_said_and_can_be_sent_again(self, study, monkeypatch):
        monkeypatch.setattr(
            "annotation.services.watching.reminders.letter_send", lambda letter: False
        )
        result = remind(study, "B", "C")
        assert ([annotator.pseudonym for annotator in result.failed], result.mailed) == (
            ["B", "C"],
            [],
        )
        monkeypatch.undo()
        assert [annotator.pseudonym for annotator in remind(study, "B").mailed] == ["B"]

    def test_nobody_who_has_left_or_judges_elsewhere(self, study):
        Annotator.objects.filter(pseudonym="B").update(withdrawn_at=timezone.now())
        User.objects.filter(email="carol@example.org").update(is_active=False)
        other = make_study(state="main")
        assert remind(study, "B", "C") == Reminded([], [], [], [])
        assert reminders_send(
            actor=study_lead(), study=other, annotators={Annotator.objects.all()[0].pk}, address=""
        ) == (Reminded([], [], [], []))

    def test_nothing_where_no_round_is_open(self, study, django_assert_num_queries):
        Study.objects.update(state="closed")
        study.refresh_from_db()
        with django_assert_num_queries(0):
            assert remindables(study, timezone.now()) == []

    def test_the_list_costs_the_same_for_any_number(self, study, django_assert_num_queries):
        with django_assert_num_queries(4):
            assert len(remindables(study, timezone.now())) == 2

    def test_there_is_no_letter_to_nobody(self, study):
        imported = Annotator.objects.create(study=study, kind="imported", pseudonym="J1")
        with pytest.raises(ValueError, match="nobody"):
            reminder_letter(annotator=imported, open_pairs=1, link="")


class TestByRule:
    def rule(self, study: Study, days: int = 5) -> None:
        Study.objects.filter(pk=study.pk).update(reminder_after_days=days)
        study.refresh_from_db()

    def test_off_by_default(self, study):
        assert due(study, timezone.now()) == []
        assert (reminders_send_due(), mail.outbox) == (0, [])

    def test_who_was_quiet_for_so_long_gets_one_and_no_second(self, study):
        self.rule(study)
        begun = Assignment.objects.get(annotator__pseudonym="C")
        Draft.objects.create(assignment=begun, saved_at=timezone.now() - timedelta(days=4))
        assert reminders_send_due() == 1
        assert [letter.to for letter in mail.outbox] == [["brice@example.org"]]
        assert "https://etude.example/annotate/rappels/" in mail.outbox[0].body
        assert Event.objects.get(verb="annotator_reminded").actor is None
        assert reminders_send_due() == 0
        age(3.1)
        assert reminders_send_due() == 1

    def test_quiet_begins_when_the_round_was_opened(self, study):
        self.rule(study)
        Event.objects.create(study=study, verb="study_state_changed", details={"after": "main"})
        assert reminders_send_due() == 0

    def test_a_mail_server_that_is_away_is_asked_again_the_next_day(self, study, monkeypatch):
        self.rule(study)
        monkeypatch.setattr(
            "annotation.services.watching.reminders.letter_send", lambda letter: False
        )
        assert reminders_send_due() == 0
        assert Reminder.objects.filter(outcome="failed").count() == 2
        monkeypatch.undo()
        assert reminders_send_due() == 0
        age(1.1)
        assert reminders_send_due() == 2

    @pytest.mark.parametrize("missing", ["EMAIL_HOST", "PUBLIC_URL"])
    def test_nothing_by_itself_without_mail_or_an_address(self, study, settings, missing):
        self.rule(study)
        setattr(settings, missing, "")
        assert (reminders_send_due(), Reminder.objects.count()) == (0, 0)

    def test_who_was_reminded_in_between_is_not_again(self, study, monkeypatch):
        """Another worker's reminder is stored between the look and the lock."""
        self.rule(study)
        chosen = due(study, timezone.now())
        looks = iter([chosen, [], []])
        monkeypatch.setattr("annotation.services.watching.reminders.due", lambda *_: next(looks))
        assert (reminders_send_due(), mail.outbox) == (0, [])

    def test_one_sweep_waits_for_some_letters_only(self, study):
        self.rule(study)
        for _ in range(AT_ONCE):
            make_annotator(study)
        Annotator.objects.update(created_at=timezone.now() - timedelta(days=10))
        assignments_fill(actor=None, study=study)
        assert (reminders_send_due(), reminders_send_due(), reminders_send_due()) == (AT_ONCE, 2, 0)
