"""Another address for an account: who reads what is sent there, what is told, what stays known."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from axes.models import AccessLog
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import AddressChange, Draft, ErasureRequest, Event, Invitation, User
from annotation.selectors.accounts.unproven import is_unproven
from annotation.selectors.base.redaction import redaction
from annotation.selectors.privacy.personal import (
    access_of_user,
    invitations_of,
    personal_data,
)
from annotation.services.accounts.new_address import (
    CODE_HOLDS,
    CODE_TRIES,
    address_change_answered_for,
    address_change_begin,
    address_change_cancel,
    address_change_finish,
    address_changes_expire,
)
from annotation.services.people.invitations import invitation_accept, invitation_create
from annotation.services.planning.assignments import assignments_fill
from annotation.services.privacy.erasure import erasure_grant
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db
BEFORE, NEW = "zeltane@ecole.example", "zeltane@cabinet.example"


@pytest.fixture(autouse=True)
def mail_server(settings, monkeypatch):
    """Letters go with the change that they tell of, and are counted anew in each test."""
    settings.EMAIL_HOST = "mail.example.org"
    sending = "annotation.services.{}.letter_send_later"
    for module in ("accounts.new_address", "platform.letters"):
        monkeypatch.setattr(sending.format(module), lambda letter: letter.send())
    cache.clear()


@pytest.fixture
def code_sent(django_capture_on_commit_callbacks):
    """Begins a change; the code in its letter."""

    def begin(user: User, email: str = NEW) -> str:
        with django_capture_on_commit_callbacks(execute=True):
            change = address_change_begin(actor=user, email=email)
        return re.findall(r"^\d{8}$", str(letters(change.email)[-1].body), re.MULTILINE)[0]

    return begin


@pytest.fixture
def user() -> User:
    return make_user("Zeltane Quorivaux", email=BEFORE)


def letters(to: str) -> list[EmailMessage]:
    return [letter for letter in mail.outbox if letter.to == [to]]


def refusal(act, **asked) -> str:
    with pytest.raises(RuleError) as error:
        act(**asked)
    return error.value.problems[0].code


def address_of(user: User) -> str:
    return User.objects.values_list("email", flat=True).get(pk=user.pk)


def test_the_code_that_was_sent_there_changes_it_and_the_former_one_is_told(
    user, code_sent, django_capture_on_commit_callbacks
):
    code = code_sent(user, f" {NEW.upper()} ")
    assert address_of(user) == BEFORE
    with django_capture_on_commit_callbacks(execute=True):
        address_change_finish(actor=user, code=f"{code[:4]} {code[4:]}")
    assert address_of(user) == NEW
    (told,) = letters(BEFORE)
    assert "autre adresse" in str(told.body) or "another e-mail address" in str(told.body)
    # Which it is, is for who reads the new one.
    assert NEW not in str(told.body)
    event = Event.objects.get(verb="address_changed")
    assert (event.actor, event.target_id, event.details) == (user, str(user.pk), {})
    assert not AddressChange.objects.exclude(code_digest="").exists()


def test_a_code_changes_an_address_once(user, code_sent):
    code = code_sent(user)
    address_change_finish(actor=user, code=code)
    assert refusal(address_change_finish, actor=user, code=code) == "none"


def test_wrong_codes_count_and_end_it(user, code_sent):
    right = code_sent(user)
    wrong = f"{(int(right) + 1) % 10**8:08}"
    codes = [refusal(address_change_finish, actor=user, code=wrong) for _ in range(CODE_TRIES)]
    assert codes == ["wrong"] * (CODE_TRIES - 1) + ["too_many"]
    assert refusal(address_change_finish, actor=user, code=right) == "too_many"
    assert address_of(user) == BEFORE


def test_a_code_is_worth_nothing_after_another_or_after_a_day_or_once_it_is_not_awaited(
    user, code_sent
):
    first, second = code_sent(user), code_sent(user, "third@cabinet.example")
    assert first != second
    assert refusal(address_change_finish, actor=user, code=first) == "wrong"
    AddressChange.objects.update(requested_at=timezone.now() - CODE_HOLDS - timedelta(minutes=1))
    assert refusal(address_change_finish, actor=user, code=second) == "none"
    assert address_changes_expire() == 1
    third = code_sent(user)
    assert address_changes_expire() == 0
    assert address_change_cancel(actor=user)
    assert refusal(address_change_finish, actor=user, code=third) == "none"


def test_a_code_serves_its_account_alone(user, code_sent):
    code = code_sent(user)
    other = make_user("other")
    address_change_begin(actor=other, email="else@cabinet.example")
    assert refusal(address_change_finish, actor=other, code=code) == "wrong"


def test_nobody_learns_which_addresses_have_an_account(user, django_capture_on_commit_callbacks):
    """The letter alone says it, to whoever has the address."""
    make_user("other", email=NEW)
    with django_capture_on_commit_callbacks(execute=True):
        change = address_change_begin(actor=user, email=NEW)
    (letter,) = letters(NEW)
    assert not re.search(r"\d{8}", str(letter.body))
    assert refusal(address_change_finish, actor=user, code="") == "wrong"
    assert (change.email, change.before) == (NEW, BEFORE)


def test_an_address_that_somebody_got_meanwhile_is_refused(user, code_sent):
    code = code_sent(user)
    make_user("other", email=NEW)
    assert refusal(address_change_finish, actor=user, code=code) == "taken"
    assert address_of(user) == BEFORE


@pytest.mark.parametrize(
    ("email", "code"), [("", "invalid"), ("nobody", "invalid"), (BEFORE.upper(), "same")]
)
def test_what_is_no_other_address_is_refused(user, email, code):
    assert refusal(address_change_begin, actor=user, email=email) == code
    assert not mail.outbox


def test_letters_are_counted(user):
    for number in range(3):
        address_change_begin(actor=user, email=f"{number}@cabinet.example")
    assert refusal(address_change_begin, actor=user, email=NEW) == "too_many"
    # What waited before waits still.
    assert AddressChange.objects.get().email == "2@cabinet.example"


def test_without_mail_nobody_can_show_it(user, settings):
    settings.EMAIL_HOST = ""
    assert refusal(address_change_begin, actor=user, email=NEW) == "no_mail"


def test_a_log_in_that_was_ended_changes_nothing(user, code_sent):
    code = code_sent(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert refusal(address_change_finish, actor=user, code=code) == "changed"
    assert refusal(address_change_begin, actor=user, email=NEW) == "changed"


def test_a_new_address_proves_an_account_that_others_might_have(user, code_sent):
    lead = make_user("lead")
    study = make_study("alpha", lead=lead)
    invitation, token = invitation_create(
        actor=lead, study=study, email="guest@ecole.example", role=Invitation.Role.ANNOTATOR
    )
    assert invitation.email
    guest = invitation_accept(token=token, user=None, name="Guest", password="un-long-mot-9-passe")
    guest = getattr(guest, "user", guest)
    assert is_unproven(guest, to=make_user("stranger"))
    code = code_sent(guest, "guest@cabinet.example")
    address_change_finish(actor=guest, code=code)
    assert not is_unproven(guest, to=make_user("another"))


class TestWhatStaysKnown:
    def test_both_addresses_are_taken_out_of_a_release(self, user, code_sent):
        study = make_study("alpha")
        make_annotator(study, user)
        address_change_finish(actor=user, code=code_sent(user))
        redacted = redaction(study).text("De zeltane.quorivaux, zeltane@ecole et zeltane@cabinet")
        assert "zeltane" not in redacted

    def test_log_ins_and_invitations_of_an_address_are_those_of_its_time(self, user, code_sent):
        address_change_finish(actor=user, code=code_sent(user))
        taken_at = AddressChange.objects.get().taken_at
        assert taken_at is not None
        next_one = make_user("next", email=BEFORE)
        for days in (-1, 1):
            at = taken_at + timedelta(days=days)
            for email in (BEFORE, NEW):
                log = AccessLog.objects.create(username=email, ip_address="192.0.2.1")
                AccessLog.objects.filter(pk=log.pk).update(attempt_time=at)
            made = Invitation.objects.create(
                email=BEFORE, role="admin", token_digest=f"{days}", expires_at=at
            )
            Invitation.objects.filter(pk=made.pk).update(created_at=at)
        user.refresh_from_db()
        seen = [
            (row.username, row.attempt_time > taken_at)
            for rows in access_of_user(user)
            for row in rows
        ]
        assert seen == [(BEFORE, False), (NEW, True)]
        assert [invitation.token_digest for invitation in invitations_of(user)] == ["-1"]
        assert next_one.email == BEFORE

    def test_an_erasure_finds_both_and_leaves_neither(self, user, code_sent):
        study = make_study("alpha", lead=make_user("lead"), state="main")
        make_annotator(study, user)
        peer = make_annotator(study)
        make_pair(study)
        assignments_fill(actor=None, study=study)
        address_change_finish(actor=user, code=code_sent(user))
        user.refresh_from_db()
        assignment = peer.assignments.get()
        Draft.objects.create(assignment=assignment, answers={"comment": f"{BEFORE} et {NEW}"})
        assert personal_data(user)["address_changes"][0]["before"] == BEFORE
        request = ErasureRequest.objects.create(user=user, wish="keep")
        admin = make_user("admin", is_admin=True)
        done = erasure_grant(actor=admin, request=request, judgments="keep", reason="Retrait")
        assert done.statement["removed"]["address_changes"] == 1
        assert not AddressChange.objects.exists()
        assert Draft.objects.get(assignment=assignment).answers["comment"] == "[…] et […]"


class TestCommand:
    def test_whoever_holds_the_machine_answers_for_it(
        self, user, capsys, django_capture_on_commit_callbacks
    ):
        address_change_begin(actor=user, email="other@cabinet.example")
        with django_capture_on_commit_callbacks(execute=True):
            call_command("change_address", BEFORE.upper(), NEW, reason="Diplômée; vue en personne")
        assert NEW in capsys.readouterr().out
        assert address_of(user) == NEW
        event = Event.objects.get(verb="address_changed")
        assert (event.actor, event.details) == (None, {"reason": "Diplômée; vue en personne"})
        assert len(letters(BEFORE)) == 1
        assert not AddressChange.objects.filter(taken_at=None).exists()

    @pytest.mark.parametrize(
        ("new", "reason", "said"),
        [
            (NEW, " ", "Give a reason"),
            ("nobody", "Seen", "not an e-mail address"),
            (BEFORE, "Seen", "already"),
            ("taken@ecole.example", "Seen", "Another account has this address"),
        ],
    )
    def test_it_says_what_it_refuses(self, user, new, reason, said):
        make_user("other", email="taken@ecole.example")
        with pytest.raises(CommandError, match=said):
            call_command("change_address", BEFORE, new, reason=reason)
        assert address_of(user) == BEFORE
        assert not AddressChange.objects.exists()

    def test_a_closed_account_stays_as_it_is(self, user):
        User.objects.filter(pk=user.pk).update(is_active=False)
        assert refusal(address_change_answered_for, user=user, email=NEW, reason="Seen") == "closed"
