"""A backup from before an erasure holds the person: a restore erases them again, or says that it
cannot know."""

from __future__ import annotations

import errno
import fcntl
import io
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError
from django.utils import timezone

from annotation.backup import erasures
from annotation.backup.errors import BackupError
from annotation.config.logs import JsonLines
from annotation.models import ErasureRequest, Event, User
from annotation.services.privacy import erasure_list as erasures_noted
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_list import erasures_file
from annotation.services.privacy.erasure_requests import erasure_request
from tests.factories import make_annotator, make_study, make_user
from tests.operations.test_backup import elsewhere  # noqa: F401  (a fixture)

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = (
    "import django; django.setup()\n"
    "from annotation.models import User\n"
    "print(*sorted(User.objects.filter(erased_at=None).values_list('email', flat=True)))\n"
)


def erase(user: User, judgments: str = "keep") -> ErasureRequest:
    request = erasure_request(actor=None, user=user, wish=judgments)
    return erasure_grant(
        actor=None, request=request, judgments=judgments, reason="Consent withdrawn"
    )


def of(request: ErasureRequest) -> erasures.Erased:
    assert request.decided_at is not None
    return erasures.Erased(
        request.user_id, request.user.created_at, request.decided_at, request.decision
    )


class TestRestore:
    @pytest.fixture
    def backup(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        make_user("lead")
        make_annotator(make_study("alpha"), make_user("gone"))
        path = tmp_path_factory.mktemp("backups") / "before.zip"
        call_command("backup", output=str(path), stdout=io.StringIO())
        return path

    def test_who_was_erased_since_is_erased_again(self, backup, elsewhere):  # noqa: F811
        machine = elsewhere()
        first = machine("manage.py", "restore", str(backup))
        assert "No list of erasures" in first.stderr, "a bare machine cannot know"
        gone = User.objects.get(email__startswith="gone").email
        assert gone in machine("-c", PEOPLE).stdout
        machine(
            "manage.py", "erase_person", gone, "--judgments", "leave_out", "--reason", "By letter"
        )
        again = machine("manage.py", "restore", str(backup), "--replace")
        assert "1 account(s)" in again.stdout
        assert "No list" not in again.stderr
        left = machine("-c", PEOPLE).stdout
        assert gone not in left
        assert "lead" in left

    def test_a_list_that_was_kept_is_enough(self, backup, elsewhere):  # noqa: F811
        """The machine is lost; the list was copied from it."""
        gone = User.objects.get(email__startswith="gone")
        email = gone.email
        erase(gone)
        machine = elsewhere()
        folder = machine(
            "-c",
            (
                "import django; django.setup()\nfrom django.conf import settings as s; "
                "print(s.DATA_DIR)"
            ),
        )
        (Path(folder.stdout.strip()) / "erasures.jsonl").write_bytes(erasures_file().read_bytes())
        done = machine("manage.py", "restore", str(backup))
        assert "1 account(s)" in done.stdout
        assert email not in machine("-c", PEOPLE).stdout

    def test_a_list_that_cannot_be_read_stops_it_before_anything_is_touched(self, backup):
        erasures_file().write_text("{}\n")
        with pytest.raises(CommandError, match=r"Line 1 of .* is no erasure"):
            call_command("restore", str(backup), replace=True)
        assert User.objects.filter(email__startswith="gone").exists()

    def test_who_cannot_be_erased_by_itself_is_named(self, backup, elsewhere):  # noqa: F811
        lead = User.objects.get(email__startswith="lead")
        erase(lead)
        machine = elsewhere()
        machine("manage.py", "restore", str(backup))
        machine(
            "-c",
            (
                "import django; django.setup()\nfrom annotation.models import User; "
                "User.objects.update(is_admin=True)"
            ),
        )
        folder = machine(
            "-c",
            (
                "import django; django.setup()\nfrom django.conf import settings as s; "
                "print(s.DATA_DIR)"
            ),
        )
        admins = Path(folder.stdout.strip()) / "admins.zip"
        machine("manage.py", "backup", "--output", str(admins))
        (admins.parent / "erasures.jsonl").write_bytes(erasures_file().read_bytes())
        done = machine("manage.py", "restore", str(admins), "--replace")
        assert "take that role" in done.stderr
        assert "account(s)" not in done.stdout


class TestList:
    def test_a_line_for_each_and_nobody_s_name(self):
        request = erase(make_user("gone"))
        assert json.loads(erasures_file().read_text()) == {
            "account": request.user_id,
            "opened_at": request.user.created_at.isoformat(),
            "erased_at": request.decided_at.isoformat(),
            "judgments": "keep",
            "places": {},
        }
        assert erasures_file().stat().st_mode & 0o077 == 0

    def test_the_erasure_stands_without_it(self, monkeypatch, caplog):
        """A full disk: the next restore finds it in the database."""

        def full(_lines: object) -> None:
            raise OSError("No space left on device")

        monkeypatch.setattr(erasures_noted, "lines_add", full)
        request = erase(make_user("gone"))
        assert json.loads(request.unlisted)["account"] == request.user_id
        assert request.unlisted_in == (str(erasures_file()),)
        [record] = [entry for entry in caplog.records if "erasure not listed" in entry.msg]
        # The whole line stands in what the installation's log keeps of it.
        assert request.unlisted in json.loads(JsonLines().format(record))["message"]
        monkeypatch.undo()
        assert not erasures_file().exists()
        make_user("lead")
        assert erasures.gather() == ([of(request)], True)
        assert erasures.gather() == ([of(request)], True), "and the list is complete now"
        assert len(erasures_file().read_text().splitlines()) == 1

    def test_what_a_full_disk_took_the_beginning_of_is_taken_back(self, monkeypatch):
        """The last block takes a part of the line without a word; the rest is refused."""
        kept = erase(make_user("first"))
        before = erasures_file().read_bytes()
        room = [40]

        def filling(descriptor: int, data: bytes) -> int:
            if not room:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(descriptor, data[: room.pop()])

        write = os.write
        monkeypatch.setattr(erasures_noted.os, "write", filling)
        lacking = erase(make_user("second"))
        monkeypatch.undo()
        assert lacking.unlisted, "nobody would know that the list lacks it"
        assert erasures_file().read_bytes() == before
        assert erasures.gather()[0] == [of(kept), of(lacking)]

    def test_a_line_that_was_added_by_hand_without_its_end(self):
        """As an editor leaves it: the next one is a line of its own."""
        first = erase(make_user("first"))
        erasures_file().write_text(erasures_file().read_text().rstrip())
        second = erase(make_user("second"))
        assert len(erasures_file().read_text().splitlines()) == 2
        assert erasures.gather() == ([of(first), of(second)], True)

    def test_a_command_says_that_it_could_not_and_which_line_is_lacking(self, monkeypatch):
        user = make_user("gone")
        erasures_file().mkdir()
        try:
            with pytest.raises(CommandError, match="list of erasures could not be written") as end:
                call_command(
                    "erase_person",
                    user.email,
                    judgments="keep",
                    reason="By letter",
                    stdout=io.StringIO(),
                )
        finally:
            erasures_file().rmdir()
        user.refresh_from_db()
        assert user.erased_at, "the erasure stays"
        erasures_file().write_text(str(end.value).splitlines()[-1] + "\n")
        assert erasures.gather() == ([of(user.erasure_requests.get())], True)

    def test_a_page_says_so_too(self, client):
        request = erasure_request(actor=None, user=make_user("gone"), wish="keep")
        client.force_login(make_user("admin", is_admin=True))
        erasures_file().mkdir()
        try:
            form = {"action": "grant", "judgments": "keep", "reason": "By letter"}
            page = client.post(f"/erasures/{request.pk}/", form, follow=True).content.decode()
        finally:
            erasures_file().rmdir()
        assert "une sauvegarde antérieure, restaurée ailleurs" in page
        assert f"(demande {request.pk})" in page

    @pytest.mark.parametrize(
        "change",
        [
            {"places": [3]},
            {"judgments": "x"},
            {"account": "x"},
            {"opened_at": "x"},
            {"erased_at": 3},
        ],
        ids=str,
    )
    def test_a_line_that_is_none(self, change):
        erase(make_user("gone"))
        facts = json.loads(erasures_file().read_text())
        erasures_file().write_text(json.dumps(facts | change))
        with pytest.raises(BackupError, match="Line 1"):
            erasures.gather()

    def test_nothing_to_ask(self, monkeypatch):
        assert erasures.gather() == ([], False)
        make_user("lead")
        assert erasures.gather() == ([], True)

        def broken(**_: object) -> None:
            raise DatabaseError("malformed")

        monkeypatch.setattr(ErasureRequest.objects, "filter", broken)
        assert erasures.gather() == ([], False)
        assert not erasures_file().exists()


class TestRepeating:
    def test_as_decided_last_and_once(self):
        user, now = make_user("gone"), timezone.now()
        part = make_annotator(make_study("alpha"), user)
        request = erasure_request(actor=user, user=user, wish="keep")
        known = [
            erasures.Erased(user.pk, user.created_at, now, "leave_out"),
            erasures.Erased(user.pk, user.created_at, now - timedelta(days=1), "keep"),
        ]
        assert erasures.repeat(known, is_sure=True, after="a restore").again == [user.pk]
        request.refresh_from_db()
        part.refresh_from_db()
        assert (request.state, request.decision) == ("granted", "leave_out")
        assert part.withdrawn_at is not None
        assert erasures.repeat(known, is_sure=True, after="a restore").again == []

    def test_an_account_of_another_installation_is_left_alone(self):
        user = make_user("other")
        known = [
            erasures.Erased(user.pk, user.created_at - timedelta(days=1), timezone.now(), "keep")
        ]
        done = erasures.repeat(known, is_sure=True, after="a restore")
        assert (done.again, done.left) == ([], [])
        user.refresh_from_db()
        assert user.erased_at is None


def test_what_a_killed_command_left_goes_a_day_later(tmp_path_factory):
    old, young = settings.DATA_DIR / ".backup-old", settings.DATA_DIR / ".backup-young"
    for folder in (old, young):
        folder.mkdir()
        (folder / "database.sqlite3").write_text("everything")
    before = (timezone.now() - timedelta(days=2)).timestamp()
    os.utime(old, (before, before))
    call_command("backup", output=str(tmp_path_factory.mktemp("backups")), stdout=io.StringIO())
    assert (old.exists(), young.exists()) == (False, True)


class TestRecovered:
    """Where the server itself was put back; that it really is: ``test_point_in_time.py``."""

    MOMENT = "2026-05-04T11:30:00+02:00"

    def test_who_is_back_is_erased_again_and_everybody_logs_in_anew(self, client):
        user = make_user("gone")
        client.force_login(user)
        erasures_noted.lines_add(
            [
                erasures_noted.erasure_line(
                    account=user.pk,
                    opened_at=user.created_at,
                    erased_at=timezone.now(),
                    judgments="keep",
                    places={},
                )
            ]
        )
        said = io.StringIO()
        call_command("recovered", to=self.MOMENT, stdout=said)
        assert "1 account(s)" in said.getvalue()
        user.refresh_from_db()
        assert user.erased_at is not None
        assert "put back to 2026-05-04T11:30:00+02:00" in user.erasure_requests.get().reason
        assert not Session.objects.exists()
        assert Event.objects.get(verb="database_recovered").details == {"moment": self.MOMENT}

    def test_without_a_list_it_says_that_it_cannot_know(self):
        erasures_file().unlink(missing_ok=True)
        said = io.StringIO()
        call_command("recovered", to="2026-05-04 11:30+02", stderr=said, stdout=io.StringIO())
        assert "whoever was erased after 2026-05-04T11:30:00+02:00 is back" in said.getvalue()

    @pytest.mark.parametrize("moment", ["yesterday", "2026-05-04 11:30", "2026-13-04 11:30+02"])
    def test_a_moment_that_is_none(self, moment):
        with pytest.raises(CommandError, match="is no moment with its offset"):
            call_command("recovered", to=moment)

    def test_a_moment_that_is_yet_to_come(self):
        """A year that was mistyped: it would stand in the audit trail for good."""
        later = (timezone.now() + timedelta(hours=1)).isoformat()
        with pytest.raises(CommandError, match="yet to come"):
            call_command("recovered", to=later)
        assert not Event.objects.exists()

    def test_not_while_it_runs(self):
        with (Path(settings.DATA_DIR) / "serve.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(CommandError, match="Stop it first"):
                call_command("recovered", to=self.MOMENT)
        assert not Event.objects.exists()

    def test_a_list_that_cannot_be_read_changes_nothing(self):
        erasures_file().write_text("nothing\n", encoding="utf-8")
        with pytest.raises(CommandError, match="Line 1"):
            call_command("recovered", to=self.MOMENT)
        assert not Event.objects.exists()
