"""Export jobs: asked for once, carried out once, never half, found again when a message or a worker
is lost."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import uuid
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.utils import timezone
from redis.connection import UnixDomainSocketConnection

from annotation import jobs
from annotation.errors import RuleError
from annotation.models import Event, Job
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.platform.leases import Heartbeat, JobHeartbeat, JobQueue, LeaseLost
from annotation.services.publishing import exports
from annotation.services.publishing.export_files import (
    KEPT,
    export_folder,
    exports_expire,
    parts_clear,
)
from annotation.services.publishing.exports import (
    EXPORTS,
    export_delete,
    export_fail,
    export_request,
    export_take,
    export_write,
    exports_resend,
)
from tests.bulk import fill_study
from tests.exported import export_file
from tests.factories import make_study, make_user
from tests.processes import PATIENCE, until

LONG = export_spec("long", "csv")


@pytest.fixture
def sent(monkeypatch):
    """What would have been sent to workers."""
    messages: list[tuple[str, ...]] = []
    monkeypatch.setattr(jobs, "_send", lambda *message: messages.append(message))
    return messages


@pytest.fixture
def study(db):
    study = make_study("etude", lead=make_user("lead"), state="main")
    fill_study(study, pairs=3, annotators=2)
    return study


@pytest.fixture
def job(study, sent) -> Job:
    return export_request(actor=study.leads.get().user, study=study, spec=LONG)


def verbs(study) -> list[str]:
    return list(Event.objects.filter(study=study).order_by("pk").values_list("verb", flat=True))


class TestRequest:
    def test_the_row_first_the_message_after(self, study, sent, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            job = export_request(actor=study.leads.get().user, study=study, spec=LONG)
            assert sent == []
        assert sent == [("workers.tasks.export_write", str(job.public_id))]
        assert (job.state, job.parameters["layout"]) == ("queued", "long")
        assert verbs(study) == ["export_requested"]

    def test_a_double_click_is_one_job(self, study, job):
        lead = study.leads.get().user
        assert export_request(actor=lead, study=study, spec=LONG) == job
        other = export_request(actor=lead, study=study, spec=export_spec("long", "tsv"))
        assert other != job
        assert export_write(job.public_id)
        assert export_request(actor=lead, study=study, spec=LONG) != job, (
            "judgments may have come since"
        )

    def test_a_broker_that_is_down_costs_a_moment_not_the_request(
        self, study, monkeypatch, caplog, django_capture_on_commit_callbacks
    ):
        from workers.celery import app

        monkeypatch.setitem(app.conf, "broker_write_url", "redis+socket:///no/such/socket")
        tried = []
        connect = UnixDomainSocketConnection._connect

        def counted(self):
            tried.append(self.path)
            return connect(self)

        monkeypatch.setattr(UnixDomainSocketConnection, "_connect", counted)
        with django_capture_on_commit_callbacks(execute=True):
            job = export_request(actor=study.leads.get().user, study=study, spec=LONG)
        assert tried == ["/no/such/socket"], "and nothing was waited for"
        assert "request_export" in caplog.text
        assert Job.objects.get(pk=job.pk).state == "queued"


class TestWriting:
    def test_the_file_is_whole_and_accounted_for(self, study, job):
        assert export_write(job.public_id)
        job.refresh_from_db()
        path = export_file(job)
        content = path.read_bytes()
        assert (job.state, job.done, job.total, job.attempt, job.problem) == ("done", 6, 6, 1, "")
        assert job.result == {
            "rows": 6,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        assert content.decode() == "".join(chunk.text for chunk in export_chunks(study, LONG))
        assert path.name == f"1-{job.result_name}", "each attempt has a name of its own"
        assert job.result_name.startswith("etude-long-2")
        assert [p.name for p in path.parent.iterdir()] == [path.name]
        assert path.parent.stat().st_mode & 0o077 == 0
        assert job.lease_until is None
        assert verbs(study) == ["export_requested", "export_written"]

    def test_a_message_that_comes_twice_changes_nothing(self, study, job):
        assert export_write(job.public_id)
        before = Job.objects.values().get(pk=job.pk)
        assert not export_write(job.public_id)
        assert Job.objects.values().get(pk=job.pk) == before
        assert verbs(study).count("export_written") == 1

    def test_a_job_that_another_worker_holds_is_left_alone(self, job):
        Job.objects.update(
            state="running", attempt=1, lease_until=timezone.now() + timedelta(minutes=9)
        )
        assert not export_write(job.public_id)
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert export_write(job.public_id)
        assert Job.objects.get().attempt == 2

    def test_a_job_that_is_gone_is_no_error(self, job):
        public_id = job.public_id
        job.delete()
        assert not export_write(public_id)

    def test_the_name_says_which_round(self, study, sent):
        spec = export_spec("long", "csv", {"round": "practice"})
        job = export_request(actor=study.leads.get().user, study=study, spec=spec)
        assert export_write(job.public_id)
        job.refresh_from_db()
        assert job.result_name.startswith("etude-long-practice-2")

    def test_a_worker_that_counted_as_dead_replaces_nothing(self, study, job, monkeypatch):
        whole = exports._write_part

        def overtaken(*arguments):
            written = whole(*arguments)
            Job.objects.update(attempt=2, lease_until=timezone.now() + timedelta(minutes=9))
            return written

        monkeypatch.setattr(exports, "_write_part", overtaken)
        assert not export_write(job.public_id)
        assert Job.objects.get().state == "running"
        assert list(export_folder(job.public_id).iterdir()) == []
        assert verbs(study) == ["export_requested"]

    def test_what_fits_no_workbook_is_said(self, study, monkeypatch):
        lead = study.leads.get().user
        job = export_request(actor=lead, study=study, spec=export_spec("long", "xlsx"))
        monkeypatch.setattr("annotation.workbooks.MOST_ROWS", 1)
        assert not export_write(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "too_many_rows")

    @pytest.mark.parametrize(
        ("code", "problem"),
        [(errno.ENOSPC, "disk_full"), (errno.EDQUOT, "disk_full"), (errno.EACCES, "disk")],
    )
    def test_a_disk_that_refuses_is_said(self, study, job, monkeypatch, code, problem):
        def refused(*arguments):
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(exports, "_write_part", refused)
        assert not export_write(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem, job.lease_until) == ("failed", problem, None)
        assert verbs(study) == ["export_requested", "export_failed"]

    def test_a_defect_is_recorded_and_raised(self, job, monkeypatch):
        monkeypatch.setattr(exports, "_write_part", lambda *arguments: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            export_write(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "defect")

    def test_a_database_that_went_away_leaves_the_job_to_the_sweep(self, job, monkeypatch):
        def away(*arguments):
            raise OperationalError("gone")

        monkeypatch.setattr(exports, "_write_part", away)
        with pytest.raises(OperationalError):
            export_write(job.public_id)
        assert Job.objects.get().state == "running"

    def test_a_failure_of_a_former_attempt_is_not_this_one_s(self, job):
        Job.objects.update(state="running", attempt=2)
        job.attempt = 1
        assert not export_fail(job=job, problem="disk")
        assert Job.objects.get().state == "running"


@pytest.mark.django_db(transaction=True)
class TestHeartbeat:
    """With real transactions: the heart beats on a connection of its own."""

    @pytest.fixture
    def running(self, sent, monkeypatch) -> Job:
        monkeypatch.setattr(exports, "EXPORTS", replace(EXPORTS, beat_seconds=0.02))
        study = make_study("etude", lead=make_user("lead"), state="main")
        fill_study(study, pairs=2, annotators=2)
        job = export_request(actor=study.leads.get().user, study=study, spec=LONG)
        Job.objects.update(state="running", attempt=1, lease_until=timezone.now())
        job.refresh_from_db()
        return job

    def test_progress_is_seen_and_the_lease_renewed(self, running):
        before = timezone.now()
        with JobHeartbeat(exports.EXPORTS, running) as heartbeat:
            heartbeat.progress(2, 9)
            assert until(lambda: Job.objects.get().done == 2)
        stored = Job.objects.get()
        assert (stored.done, stored.total) == (2, 9)
        assert stored.lease_until
        assert stored.lease_until > before + EXPORTS.lease

    def test_a_deleted_job_stops_its_worker(self, running):
        with JobHeartbeat(exports.EXPORTS, running) as heartbeat:
            Job.objects.all().delete()

            def goes_on() -> bool:
                heartbeat.progress(1, 9)
                return False

            with pytest.raises(LeaseLost):
                until(goes_on)

    def test_a_beat_that_fails_is_tried_again(self, running, monkeypatch):
        beats = []
        mine = JobQueue.mine

        def once_away(queue, job):
            beats.append(job)
            if len(beats) == 1:
                raise OperationalError("away")
            return mine(queue, job)

        monkeypatch.setattr(JobQueue, "mine", once_away)
        with JobHeartbeat(exports.EXPORTS, running) as heartbeat:
            heartbeat.progress(3, 9)
            assert until(lambda: Job.objects.get().done == 3)
        assert len(beats) > 1

    def test_deleting_stops_a_running_export(self, running, monkeypatch):
        Job.objects.update(state="queued", attempt=0)
        chunks = exports.export_chunks
        beats, beat = [], Heartbeat._beat

        def counted(heartbeat):
            beat(heartbeat)
            beats.append(heartbeat)

        def slow(study, spec):
            """Between two pieces somebody deletes the export, and the heart beats."""
            for chunk in chunks(study, spec):
                yield chunk
                remover = threading.Thread(target=_delete, args=[running])
                remover.start()
                remover.join(PATIENCE)
                beats.clear()
                assert until(lambda: len(beats) > 1), "the second of these began after the deletion"

        monkeypatch.setattr(Heartbeat, "_beat", counted)
        monkeypatch.setattr(exports, "export_chunks", slow)
        assert not export_write(running.public_id)
        assert not Job.objects.exists()
        assert not export_folder(running.public_id).exists()

    def test_the_export_shows_one_moment_while_others_write(self, running):
        """And nobody who writes has to wait for it."""
        study = running.study
        with one_moment():
            before = Job.objects.count()
            other = threading.Thread(target=_more, args=[study])
            other.start()
            other.join(PATIENCE)
            assert not other.is_alive()
            assert Job.objects.count() == before
        assert Job.objects.count() == before + 1
        assert not connection.in_atomic_block

    @pytest.mark.postgres
    def test_nothing_can_be_written_within_a_snapshot(self, running):
        from django.db import InternalError

        with pytest.raises(InternalError, match="read-only"), one_moment():
            Job.objects.update(done=5)


def _delete(job: Job) -> None:
    try:
        export_delete(actor=job.requested_by, job=job)
    finally:
        connection.close()


def _more(study) -> None:
    try:
        Job.objects.create(study=study, kind="export", parameters=LONG.parameters())
    finally:
        connection.close()


class TestSweep:
    def test_a_message_that_was_lost_is_sent_again_once(
        self, job, sent, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            assert exports_resend() == 0, "it may still be on its way"
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        with django_capture_on_commit_callbacks(execute=True):
            assert exports_resend() == 1
            assert exports_resend() == 0
        assert sent[-1] == ("workers.tasks.export_write", str(job.public_id))

    def test_a_dead_worker_s_job_waits_again(self, job, sent):
        Job.objects.update(
            state="running", attempt=1, lease_until=timezone.now() - timedelta(seconds=1)
        )
        assert exports_resend() == 1
        assert Job.objects.get().state == "queued"
        assert export_write(job.public_id)

    def test_of_two_sweeps_at_once_one_asks(self, job, sent, monkeypatch):
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        requests: list[uuid.UUID] = []
        monkeypatch.setattr(
            "annotation.services.publishing.exports.request_export", requests.append
        )

        # The other one acts between this one's look and its claim.
        claim = QuerySet.update

        def raced(query, **values):
            if not requests:
                requests.append("elsewhere")
                claim(
                    Job.objects.filter(pk=job.pk), lease_until=timezone.now() + timedelta(minutes=1)
                )
            return claim(query, **values)

        monkeypatch.setattr(QuerySet, "update", raced)
        assert exports_resend() == 0
        assert requests == ["elsewhere"]

    def test_three_dead_workers_are_enough(self, study, job):
        Job.objects.update(
            state="running",
            attempt=EXPORTS.most_attempts,
            lease_until=timezone.now() - timedelta(seconds=1),
        )
        assert exports_resend() == 0
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "worker_lost")
        assert not export_write(job.public_id)
        assert verbs(study)[-1] == "export_failed"

    def test_a_live_job_is_left_alone(self, job):
        Job.objects.update(
            state="running", attempt=1, lease_until=timezone.now() + timedelta(minutes=5)
        )
        assert exports_resend() == 0
        assert Job.objects.get().state == "running"

    def test_files_go_after_their_time_and_their_checksum_stays(self, job):
        assert export_write(job.public_id)
        assert exports_expire() == 0
        Job.objects.update(finished_at=timezone.now() - KEPT - timedelta(hours=1))
        assert exports_expire() == 1
        job.refresh_from_db()
        assert export_file(job) is None
        assert not export_folder(job.public_id).exists()
        assert len(job.result["sha256"]) == 64
        assert exports_expire() == 0

    def test_what_a_deleted_study_left_behind_goes(self, study, job):
        assert export_write(job.public_id)
        kept = export_folder(job.public_id)
        orphan = kept.with_name("01234567-0123-0123-0123-0123456789ab")
        orphan.mkdir()
        (orphan / "1.part").touch()
        assert exports_expire() == 0, "it may belong to a request that is being stored"
        for folder in (kept, orphan):
            os.utime(folder, (0, 0))
        assert exports_expire() == 1
        assert kept.exists()
        assert not orphan.exists()


class TestFile:
    def test_deleting_takes_the_file_along(self, study, job, django_capture_on_commit_callbacks):
        assert export_write(job.public_id)
        folder = export_folder(job.public_id)
        job.refresh_from_db()
        with django_capture_on_commit_callbacks(execute=True):
            export_delete(actor=job.requested_by, job=job)
            assert folder.exists(), "not before the row is gone for good"
        assert not folder.exists()
        assert not Job.objects.exists()
        assert verbs(study)[-1] == "export_deleted"

    def test_there_is_none_before_it_is_done_or_when_it_is_cut_short(self, job):
        assert export_file(job) is None
        assert export_write(job.public_id)
        job.refresh_from_db()
        path = export_file(job)
        path.write_bytes(path.read_bytes()[:-1])
        assert export_file(job) is None
        path.unlink()
        assert export_file(job) is None

    def test_one_that_another_machine_keeps_is_said_in_the_log(self, job, caplog):
        """Nothing is said of one that is not written yet, or has had its time."""
        assert export_take(actor=job.requested_by, job=job) is None
        assert export_write(job.public_id)
        job.refresh_from_db()
        export_file(job).unlink()
        assert export_take(actor=job.requested_by, job=job) is None
        Job.objects.filter(pk=job.pk).update(result_path="")
        job.refresh_from_db()
        assert export_take(actor=job.requested_by, job=job) is None
        (line,) = [
            record.getMessage() for record in caplog.records if "data folder" in record.getMessage()
        ]
        assert line.startswith(f"The file of export {job.public_id} is not in this machine's")

    def test_who_took_it_out_is_on_record(self, study, job):
        assert export_take(actor=job.requested_by, job=job) is None
        assert not Event.objects.filter(verb="export_downloaded").exists(), "nobody got anything"
        assert export_write(job.public_id)
        job.refresh_from_db()
        with export_take(actor=job.requested_by, job=job) as content:
            assert content.read() == export_file(job).read_bytes()
        event = Event.objects.get(verb="export_downloaded")
        assert (event.actor, event.details["layout"]) == (job.requested_by, "long")


class TestCommand:
    def export(self, path: Path | str, *arguments: str) -> None:
        call_command("export_study", "etude", *arguments, "--output", str(path))

    def test_a_file_is_replaced_whole(self, study, tmp_path, capsys):
        path = tmp_path / "long.csv"
        path.write_text("former")
        self.export(path, "--layout", "long", "--format", "csv")
        assert path.read_bytes().decode() == "".join(
            chunk.text for chunk in export_chunks(study, LONG)
        )
        assert f"6 rows, {path.stat().st_size} bytes, sha256 " in capsys.readouterr().err
        assert [p.name for p in tmp_path.iterdir() if p.name.endswith("part")] == []
        assert verbs(study) == ["export_written"]

    def test_standard_output_gets_the_data_and_nothing_else(self, study, capfdbinary):
        self.export("-", "--layout", "frjudge")
        out = capfdbinary.readouterr().out
        assert out.count(b"\n") == 6
        assert out.startswith(b'{"original": ')

    def test_a_device_is_written_to_never_replaced(self, study):
        self.export("/dev/null", "--layout", "long")
        assert Path("/dev/null").is_char_device()

    def test_a_link_is_followed(self, study, tmp_path):
        (tmp_path / "real.csv").touch()
        (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
        self.export(tmp_path / "link.csv", "--layout", "long")
        assert (tmp_path / "link.csv").is_symlink()
        assert (tmp_path / "real.csv").stat().st_size

    def test_options_reach_the_export(self, study, capfdbinary):
        options = [
            "--bom",
            "--without-systems",
            "--without-withdrawn",
            "--coarse-times",
            "--round",
            "all",
        ]
        self.export("-", "--layout", "long", "--format", "csv", *options)
        header = capfdbinary.readouterr().out.decode().splitlines()[0]
        assert header.startswith("\ufeffstudy,")
        assert ",system," not in header

    @pytest.mark.parametrize(
        ("name", "begins"),
        [
            ("c.tsv", b"study\t"),
            ("c.TSV", b"study\t"),
            ("c.jsonl", b"{"),
            ("c.xlsx", b"PK"),
            ("c.csv", b"study,"),
            ("c.txt", b"study,"),
            ("c", b"study,"),
        ],
    )
    def test_a_file_is_what_its_name_says(self, study, tmp_path, name, begins):
        self.export(tmp_path / name, "--layout", "long")
        assert (tmp_path / name).read_bytes().startswith(begins)

    def test_a_format_that_is_asked_for_is_not_the_name_s(self, study, tmp_path):
        self.export(tmp_path / "c.tsv", "--layout", "long", "--format", "jsonl")
        assert (tmp_path / "c.tsv").read_bytes().startswith(b"{")

    def test_a_name_of_a_format_that_the_layout_does_not_have(self, study, tmp_path):
        with pytest.raises(CommandError, match="“frjudge” does not exist as “csv”"):
            self.export(tmp_path / "c.csv", "--layout", "frjudge")
        assert not list(tmp_path.iterdir())

    def test_refusals_name_the_thing_and_the_remedy(self, study, tmp_path):
        with pytest.raises(
            CommandError, match=r"“frjudge” does not exist as “csv”\. Choose one of: jsonl"
        ):
            self.export("-", "--layout", "frjudge", "--format", "csv")
        with pytest.raises(CommandError, match=r"There is no study “nobody”\. Studies: etude"):
            call_command("export_study", "nobody", layout="long", output="-")
        with pytest.raises(
            CommandError,
            match=r"cannot be written: No such file or directory\. Nothing was exported",
        ):
            self.export(tmp_path / "no" / "folder.csv", "--layout", "long")
        with pytest.raises(CommandError, match="--output"):
            call_command("export_study", "etude", "--layout", "long")
        with pytest.raises(CommandError, match="invalid choice: 'square'"):
            self.export("-", "--layout", "square")

    def test_a_former_file_outlives_a_failure(self, study, tmp_path, monkeypatch):
        path = tmp_path / "long.csv"
        path.write_text("former")

        def broken(study, spec):
            yield from list(export_chunks(study, spec))[:1]
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(exports, "export_chunks", broken)
        with pytest.raises(CommandError, match="No space left"):
            self.export(path, "--layout", "long")
        assert path.read_text() == "former"
        assert list(tmp_path.glob(".*.part")) == []


def test_exports_are_kept_under_the_data_folder(job):
    assert export_folder(job.public_id).parent == settings.DATA_DIR / "exports"


def test_what_a_killed_worker_left_half_written_is_removed(tmp_path):
    for name in ("a.part", "b.part", "whole.csv"):
        (tmp_path / name).touch()
    parts_clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["whole.csv"]


def test_practice_answers_are_in_no_file_before_the_meeting(db, sent):
    study = make_study(lead=make_user("lead"), state="practice")
    with pytest.raises(RuleError) as refused:
        export_request(
            actor=make_user(), study=study, spec=export_spec("long", "", {"round": "practice"})
        )
    assert refused.value.problems[0].code == "blind"
    assert "meeting" in refused.value.problems[0].message.en
    assert export_request(
        actor=make_user(), study=study, spec=export_spec("long", "", {"round": "main"})
    ).pk
