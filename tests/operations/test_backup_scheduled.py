"""The backup that is due: made by the worker's task, older ones removed, a failure said to
admins."""

from __future__ import annotations

import errno
import fcntl
import html
import io
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.backup import archive, scheduled, whole
from annotation.backup.scheduled import backup_carry_out, kept, prune
from annotation.models import BackupRun, Event
from annotation.selectors.platform.system import last_backup
from annotation.services.platform import backups
from annotation.services.platform.backups import backups_order_due
from tests.cast import Cast
from tests.factories import make_user
from tests.processes import until
from workers.tasks import backup_make

transactional = pytest.mark.django_db(transaction=True)
OLD = "bareme-20240101T000000Z.zip"


@pytest.fixture
def folder(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where they go; one a day, and the newest two are kept."""
    settings.BACKUP_EVERY_HOURS, settings.BACKUP_KEEP, settings.BACKUP_KEEP_WEEKS = 24, 2, 0
    settings.BACKUP_DIR = tmp_path / "backups"
    monkeypatch.setattr(backups, "request_backup", lambda _id: None)
    return tmp_path / "backups"


def due() -> BackupRun:
    assert backups_order_due() == 1
    return BackupRun.objects.get(state="queued")


def carried_out() -> BackupRun:
    run = due()
    backup_make(str(run.public_id))
    run.refresh_from_db()
    return run


@transactional
class TestWork:
    def test_it_is_made_once_and_older_ones_go(self, folder):
        make_user("lead")
        folder.mkdir()
        for name in (OLD, "bareme-20240102T000000Z.zip.age", "thesis.zip", "bareme-old.zip"):
            (folder / name).write_text("x")
        run = carried_out()
        assert (run.state, run.problem) == ("done", "")
        assert sorted(path.name for path in folder.iterdir()) == sorted(
            ["bareme-20240102T000000Z.zip.age", "bareme-old.zip", "thesis.zip", run.name]
        )
        with archive.opened(folder / run.name) as (_zip, manifest):
            assert manifest["tables"]
        assert Event.objects.filter(verb="backup_made").count() == 1
        assert not backup_carry_out(run.public_id), "a message that comes twice finds nothing to do"

    def test_the_list_of_erasures_lies_beside_them(self, folder):
        (Path(django_settings.DATA_DIR) / "erasures.jsonl").write_text("{}\n")
        carried_out()
        assert (folder / "erasures.jsonl").read_text() == "{}\n"

    def test_a_data_folder_that_began_anew_takes_no_erasure_from_there(self, folder):
        """A new machine, whose list begins with the next erasure; the former one's is beside the
        backups."""
        folder.mkdir()
        (folder / "erasures.jsonl").write_text('{"account": 1}\n{"account": 2}')
        (Path(django_settings.DATA_DIR) / "erasures.jsonl").write_text(
            '{"account": 2}\n{"account": 3}\n'
        )
        carried_out()
        assert (folder / "erasures.jsonl").read_text().splitlines() == [
            '{"account": 1}',
            '{"account": 2}',
            '{"account": 3}',
        ]
        assert (folder / "erasures.jsonl").stat().st_mode & 0o077 == 0

    def test_while_another_is_being_made(self, folder):
        with (django_settings.DATA_DIR / "backup.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run = carried_out()
            with pytest.raises(CommandError, match="Another backup is being made"):
                call_command("backup", output=str(folder / "x.zip"), stdout=io.StringIO())
        assert (run.state, run.problem) == ("failed", "refused")
        assert run.detail == "Another backup is being made. Wait until it is done."
        assert not folder.exists() or not list(folder.iterdir())

    @pytest.mark.parametrize(
        ("error", "problem"),
        [
            (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
            (PermissionError(errno.EACCES, "Permission denied"), "disk"),
            (ValueError("of a row"), "defect"),
        ],
    )
    def test_a_failure_is_a_row_and_leaves_older_ones(self, folder, monkeypatch, error, problem):
        def fail(*_: Any) -> None:
            raise error

        folder.mkdir()
        (folder / OLD).write_text("x")
        monkeypatch.setattr(archive.Writer, "add", fail)
        run = carried_out()
        assert (run.state, run.problem) == ("failed", problem)
        assert ("of a row" in run.detail) is False, "what a defect says may hold anything"
        assert [path.name for path in folder.iterdir()] == [OLD]

    def test_a_folder_that_is_a_file(self, folder):
        folder.write_text("x")
        assert carried_out().problem == "disk"

    def test_what_cannot_be_removed_does_not_unmake_the_new_one(self, folder, monkeypatch):
        def fail(*_: Any) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(scheduled, "prune", fail)
        run = carried_out()
        assert (run.state, run.problem) == ("done", "not_pruned")
        assert (folder / run.name).exists()

    def test_a_worker_that_counted_as_dead_records_nothing(self, folder, monkeypatch):
        real = whole.make

        def slow(output: Path) -> Any:
            BackupRun.objects.update(attempt=2)
            return real(output)

        monkeypatch.setattr(scheduled, "make", slow)
        run = carried_out()
        assert (run.state, run.name, run.problem) == ("running", "", "")


class TestRule:
    def test_the_newest_and_the_last_of_each_week(self):
        days = [f"bareme-202601{day:02}T030000Z.zip" for day in range(1, 32)]
        left = kept(days, keep=3, weeks=4)
        # Weeks of 2026 end on the 4th, 11th, 18th and 25th; the 31st is in the fifth.
        assert sorted(name[13:15] for name in left) == ["11", "18", "25", "29", "30", "31"]

    def test_those_of_a_clock_that_was_ahead_stay_and_do_not_count(self):
        """The new one was removed as soon as it was made, and said to be there."""
        ahead = "bareme-29990101T030000Z.zip"
        names = ["bareme-20260101T030000Z.zip", "bareme-20260102T030000Z.zip", ahead]
        assert kept(names, keep=1, weeks=0) == {ahead, names[1]}

    def test_weeks_without_any_do_not_count(self):
        names = ["bareme-20250101T030000Z.zip", "bareme-20260101T030000Z.zip.age"]
        assert kept(names, keep=1, weeks=2) == set(names)

    def test_nothing_but_ours_is_touched(self, tmp_path):
        for name in (
            OLD,
            "bareme-20240102T000000Z.zip",
            "bareme-20240102.zip",
            "x",
            "erasures.jsonl",
        ):
            (tmp_path / name).write_text("x")
        assert prune(tmp_path, 1, 1) == [OLD]
        assert len(list(tmp_path.iterdir())) == 4

    def test_what_a_killed_one_left_goes_after_a_day(self, tmp_path):
        old, new = tmp_path / f".{OLD}.abc", tmp_path / f".{OLD}.xyz"
        old.write_text("x")
        new.write_text("x")
        os.utime(old, (1, 1))
        assert prune(tmp_path, 1, 1) == [old.name]


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["done", "failed"])
def test_a_clock_that_was_ahead_puts_no_backup_off(folder, state):
    ahead = timezone.now() + timedelta(days=400)
    BackupRun.objects.create(state=state, created_at=ahead, finished_at=ahead)
    assert backups_order_due() == 1
    assert backups_order_due() == 0, "the new one counts from then on"
    BackupRun.objects.filter(state="queued").update(state="done")
    assert backups_order_due() == 0


@pytest.mark.django_db
def test_the_last_backup_is_the_one_that_was_made_last():
    """Not that of a clock that was ahead, by which the alert would never sound."""
    ahead = timezone.now() + timedelta(days=400)
    facts = {"kind": "sqlite", "bytes": 1}
    Event.objects.create(verb="backup_made", created_at=ahead, details=facts | {"files": 1})
    Event.objects.create(verb="backup_made", details=facts | {"files": 2})
    last = last_backup()
    assert last is not None
    assert last.files == 2


def shown(cast: Cast) -> str:
    return html.unescape(cast.client("admin").get("/system/").content.decode())


@pytest.mark.django_db
class TestPage:
    def test_how_they_are_made_and_why_one_was_not(self, cast: Cast, folder, settings):
        settings.BACKUP_KEEP, settings.BACKUP_KEEP_WEEKS = 14, 4
        page = shown(cast)
        assert "toutes les 24 heures" in page
        assert str(folder) in page
        assert "Elles ne sont pas signées" in page
        run = due()
        backups.BACKUPS.claim(run.public_id)
        run.refresh_from_db()
        backups.backup_fail(run, "refused", "pg_dump could not do it: no")
        page = shown(cast)
        assert "Aucune sauvegarde n'a été faite." in page
        assert "pg_dump could not do it: no" in page

    def test_none_by_itself(self, cast: Cast):
        page = shown(cast)
        assert "BAREME_BACKUP_EVERY" in page
        assert "Aucune ne se fait d'elle-même." in page


@pytest.mark.django_db
def test_the_metric_is_one_after_a_failure_and_goes_with_the_schedule(folder, settings):
    from annotation.web.platform.metrics_state import StateCollector

    def failed() -> float:
        [metric] = [
            metric for metric in StateCollector().collect() if metric.name == "bareme_backup_failed"
        ]
        return float(metric.samples[0].value)

    assert failed() == 0
    run = due()
    backups.BACKUPS.claim(run.public_id)
    run.refresh_from_db()
    backups.backup_fail(run, "disk")
    assert failed() == 1
    settings.BACKUP_EVERY_HOURS = 0
    assert failed() == 0


@pytest.mark.slow
@pytest.mark.redis
@transactional
def test_a_real_worker_makes_what_a_sweep_ordered(live_worker, tmp_path, settings):
    made = tmp_path / "made"
    make_user("lead")
    settings.BACKUP_EVERY_HOURS = 1
    live_worker(environment={"BAREME_BACKUP_DIR": str(made), "BAREME_BACKUP_EVERY": "1"})
    assert backups_order_due() == 1
    assert until(lambda: BackupRun.objects.filter(state="done").exists())
    assert [path.name for path in made.iterdir()] == [BackupRun.objects.get().name]
