"""Two machines that share a database and a bucket, and no folder: what one made the other hands
out.

The bucket is a real server over HTTP (``tests/buckets.py``); a machine is its data folder.
"""

from __future__ import annotations

import socket
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation import checks, sharing
from annotation.backup import erasures, scheduled
from annotation.backup.scheduled import backup_carry_out
from annotation.config import bucket as bucket_module
from annotation.config.bucket import Bucket
from annotation.corpus.funnel import ScoredBlocks
from annotation.errors import StorageAway
from annotation.models import BackupRun, DatasetSnapshot, Event, Job
from annotation.selectors.documents import blocks
from annotation.selectors.platform import parts
from annotation.selectors.publishing.exports import export_spec
from annotation.services.platform import backups
from annotation.services.platform.backups import backups_order_due
from annotation.services.privacy.erasure_list import erasure_line, lines_elsewhere
from annotation.services.publishing import export_files, exports
from annotation.services.publishing.export_files import export_is_there, exports_expire
from annotation.services.publishing.exports import (
    export_delete,
    export_request,
    export_take,
    export_write,
)
from annotation.services.publishing.publications import (
    freeze_request,
    publication_write,
    release_request,
)
from annotation.services.publishing.releases import release_open, release_size
from annotation.services.publishing.snapshots import snapshot_damage, snapshot_folder
from tests.buckets import breaking_server, bucket_new, s3_server
from tests.bulk import fill_study
from tests.factories import make_annotator, make_study, make_user
from tests.operations.test_backup_erasures import erase

Machine = Callable[[str], None]
LOCAL = "django.core.files.storage.FileSystemStorage"
transactional = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture
def machine(server: str, settings: Any, tmp_path: Path) -> Machine:
    """From here on it is that machine's data folder, and its processes' memory."""
    bucket = bucket_new(server)
    settings.STORAGES = settings.STORAGES | {"default": bucket, "artefacts": bucket}

    def go(name: str) -> None:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        settings.DATA_DIR, settings.MEDIA_ROOT = folder, folder / "files"
        blocks._held.clear()

    go("one")
    return go


@pytest.fixture
def away(settings: Any) -> Callable[[], None]:
    """From here on the bucket's server is not reached."""

    def go() -> None:
        options = settings.STORAGES["default"]["OPTIONS"] | {"endpoint_url": "http://127.0.0.1:9"}
        gone = settings.STORAGES["default"] | {"OPTIONS": options}
        settings.STORAGES = settings.STORAGES | {"default": gone}

    return go


def files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


class TestNames:
    def test_without_a_bucket_the_data_folder_is_the_place(self, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        (tmp_path / "x.part").write_bytes(b"abc")
        sharing.file_keep(tmp_path / "x.part", "exports/1/x.csv")
        assert files(tmp_path) == ["exports/1/x.csv"]
        assert sharing.file_size("exports/1/x.csv") == 3
        assert sharing.file_size("exports/1/y.csv") is None
        sharing.bytes_keep(b"de", "blocks/k")
        with sharing.file_open("blocks/k") as stored:
            assert stored.read() == b"de"
        assert sharing.folder_here("exports/1", {"x.csv": ""}) == tmp_path / "exports/1"
        assert (sharing.tree("exports"), sharing.folders_in("exports")) == ([], [])
        sharing.folder_share("exports/1")
        sharing.file_drop("blocks/k")
        sharing.folder_drop("exports/1")
        assert files(tmp_path) == []
        with pytest.raises(FileNotFoundError):
            sharing.file_open("blocks/k")

    def test_a_bucket_takes_exactly_this_name_and_the_last_content(self, machine, tmp_path):
        for content in (b"first", b"second"):
            part = tmp_path / "part"
            part.write_bytes(content)
            sharing.file_keep(part, "exports/1/x.csv")
            assert not part.exists()
        machine("two")
        assert sharing.file_size("exports/1/x.csv") == 6
        assert sharing.file_size("exports/1/y.csv") is None
        with sharing.file_open("exports/1/x.csv") as stored:
            assert stored.read() == b"second"
        assert sharing.tree("exports") == ["exports/1/x.csv"]
        assert sharing.folders_in("exports") == ["1"]
        sharing.folder_drop("exports/1")
        assert sharing.tree("exports") == []
        with pytest.raises(FileNotFoundError):
            sharing.file_open("exports/1/x.csv")

    def test_a_name_that_somebody_takes_meanwhile_is_not_written_beside(self, machine, monkeypatch):
        sharing.bytes_keep(b"theirs", "exports/1/x.csv")
        bucket = sharing._bucket()
        monkeypatch.setattr(type(bucket), "exists", lambda self, name: name == "exports/1/x.csv")
        monkeypatch.setattr(type(bucket), "delete", lambda self, name: None)
        with pytest.raises(FileExistsError):
            sharing.bytes_keep(b"mine", "exports/1/x.csv")

    def test_what_was_in_the_data_folder_before_is_still_found(self, machine, settings):
        old = settings.DATA_DIR / "exports/1/x.csv"
        old.parent.mkdir(parents=True)
        old.write_bytes(b"before")
        assert sharing.file_size("exports/1/x.csv") == 6
        with sharing.file_open("exports/1/x.csv") as stored:
            assert stored.read() == b"before"

    def test_a_copy_goes_when_it_is_no_longer_needed(self, machine, settings):
        sharing.bytes_keep(b"abc", "backups/x.zip")
        with sharing.fetched("backups/x.zip") as path:
            assert path.read_bytes() == b"abc"
        assert files(settings.DATA_DIR) == []
        with pytest.raises(FileNotFoundError), sharing.fetched("backups/y.zip"):
            pass

    def test_a_file_that_is_not_as_its_digest_says_is_not_fetched(self, machine, settings):
        sharing.bytes_keep(b"abc", "snapshots/s-1/labels.jsonl")
        sharing.folder_here("snapshots/s-1", {"labels.jsonl": "0" * 64})
        assert files(settings.DATA_DIR) == []

    def test_a_bucket_that_does_not_answer_is_an_error_of_one_type(self, machine, away, tmp_path):
        away()
        (tmp_path / "part").write_bytes(b"abc")
        for act in (
            lambda: sharing.file_keep(tmp_path / "part", "exports/1/x.csv"),
            lambda: sharing.file_open("exports/1/x.csv"),
            lambda: sharing.file_size("exports/1/x.csv"),
            lambda: sharing.tree("exports"),
            lambda: sharing.changed_at("exports/1/x.csv"),
            lambda: sharing._bucket().size("exports/1/x.csv"),
            lambda: sharing.file_drop("exports/1/x.csv"),
        ):
            with pytest.raises(StorageAway):
                act()
        assert (tmp_path / "part").exists(), "what could not be kept is still here"
        sharing.folder_drop("exports/1")

    def test_one_that_breaks_off_in_the_middle_of_a_file_is_no_defect(
        self, machine, settings, tmp_path
    ):
        with breaking_server() as endpoint:
            options = settings.STORAGES["default"]["OPTIONS"] | {"endpoint_url": endpoint}
            broken = settings.STORAGES["default"] | {"OPTIONS": options}
            settings.STORAGES = settings.STORAGES | {"default": broken}
            with pytest.raises(StorageAway, match=r"the bucket bareme-.*IncompleteRead"):
                sharing.file_open("exports/1/x.csv")
            with pytest.raises(StorageAway):
                sharing.folder_here("snapshots/s-1", {"labels.jsonl": ""})
        assert files(settings.DATA_DIR) == []


class TestRefusal:
    """Of the bucket itself, which is no file that is gone."""

    @pytest.fixture
    def misnamed(self, machine, settings) -> None:
        """A bucket that nobody has made."""
        options = settings.STORAGES["default"]["OPTIONS"] | {"bucket_name": "bareme-none"}
        settings.STORAGES = settings.STORAGES | {
            "default": settings.STORAGES["default"] | {"OPTIONS": options}
        }

    @pytest.fixture
    def asked(self, monkeypatch) -> list[str]:
        """What the service was asked and answered."""
        answers: list[str] = []
        ask = Bucket._ask

        def counted(bucket):
            answers.append(ask(bucket))
            return answers[-1]

        monkeypatch.setattr(Bucket, "_ask", counted)
        return answers

    def test_one_that_is_not_there_is_away_and_no_file_is_gone(self, misnamed, tmp_path):
        (tmp_path / "part").write_bytes(b"abc")
        for act in (
            lambda: sharing.file_keep(tmp_path / "part", "exports/1/x.csv"),
            lambda: sharing.file_open("exports/1/x.csv"),
            lambda: sharing.file_size("exports/1/x.csv"),
            lambda: sharing.file_drop("exports/1/x.csv"),
            lambda: sharing.folder_here("snapshots/s-1", {"labels.jsonl": ""}),
        ):
            with pytest.raises(StorageAway, match=r"the bucket bareme-none .*NoSuchBucket"):
                act()

    def test_why_it_cannot_be_used_is_known(self, machine, settings):
        assert sharing.bucket_refusal() == ""
        settings.STORAGES = {"default": {"BACKEND": LOCAL}, "staticfiles": {"BACKEND": LOCAL}}
        assert sharing.bucket_refusal() == ""

    def test_it_is_asked_again_after_some_seconds(self, misnamed, asked, monkeypatch):
        moment = [1000.0]
        monkeypatch.setattr(bucket_module, "monotonic", lambda: moment[0])
        for _again in range(5):
            assert "NoSuchBucket" in sharing.bucket_refusal()
        assert len(asked) == 1
        moment[0] += 11
        assert "NoSuchBucket" in sharing.bucket_refusal()
        assert len(asked) == 2

    def test_a_slow_one_holds_one_thread_for_seconds_and_no_other(
        self, machine, settings, monkeypatch
    ):
        moment = [1000.0]
        monkeypatch.setattr(bucket_module, "monotonic", lambda: moment[0])
        with socket.create_server(("127.0.0.1", 0)) as silent:
            options = settings.STORAGES["default"]["OPTIONS"]
            options = options | {"endpoint_url": f"http://127.0.0.1:{silent.getsockname()[1]}"}
            settings.STORAGES = settings.STORAGES | {
                "default": settings.STORAGES["default"] | {"OPTIONS": options}
            }
            began = time.monotonic()
            assert "ReadTimeoutError" in sharing.bucket_refusal()
            assert time.monotonic() - began < 10, "botocore's own patience is minutes"
            moment[0] += 11
            with bucket_module._asking:
                assert "ReadTimeoutError" in sharing.bucket_refusal(), "as another asks"

    @pytest.mark.django_db
    def test_it_is_told_by_name(self, misnamed, client, settings, monkeypatch):
        monkeypatch.setattr(parts, "broker_answers", lambda: True)
        assert client.get("/readyz").content == b"not ready: bucket\n"
        assert "bareme_bucket_up 0.0" in metrics_text(client, settings)
        [warning] = checks.bucket_reached()
        assert warning.id == "bareme.W006"
        assert "NoSuchBucket" in warning.msg
        client.force_login(make_user("admin", is_admin=True))
        page = client.get(reverse("system")).content.decode()
        assert "bareme-none" in page
        assert "NoSuchBucket" in page

    @pytest.mark.django_db
    def test_nothing_is_said_of_one_that_answers(self, machine, client, settings, monkeypatch):
        monkeypatch.setattr(parts, "broker_answers", lambda: True)
        assert client.get("/readyz").content == b"ok\n"
        assert "bareme_bucket_up 1.0" in metrics_text(client, settings)
        assert checks.bucket_reached() == []
        client.force_login(make_user("admin", is_admin=True))
        page = client.get(reverse("system")).content.decode()
        assert settings.STORAGES["default"]["OPTIONS"]["bucket_name"] in page
        assert "notice--warn" not in page.partition('id="disk"')[2].partition("</section>")[0]


def metrics_text(client: Any, settings: Any) -> str:
    settings.METRICS_TOKEN = "a-token-of-the-metrics-0123456789-abcdef"
    headers = {"authorization": f"Bearer {settings.METRICS_TOKEN}"}
    text: str = client.get("/metrics", headers=headers).content.decode()
    return text


@pytest.fixture
def world(db, monkeypatch):
    """A closed study with one judgment, and its lead; messages to workers are not sent."""
    monkeypatch.setattr("annotation.jobs._send", lambda *message: None)
    lead = make_user("lead")
    study = make_study("etude", lead=lead, state="closed")
    fill_study(study, pairs=3, annotators=2)
    return study, lead


class TestExports:
    @pytest.fixture
    def job(self, machine, world) -> Job:
        study, lead = world
        return export_request(actor=lead, study=study, spec=export_spec("long", "csv", {}))

    def test_what_one_machine_wrote_another_hands_out(self, machine, job, settings):
        machine("worker")
        assert export_write(job.public_id)
        assert files(settings.DATA_DIR) == [], "nothing of it stays where it was written"
        job.refresh_from_db()
        machine("web")
        assert export_is_there(job)
        with export_take(actor=job.requested_by, job=job) as content:
            assert len(content.read()) == job.result["size"]
        export_delete(actor=job.requested_by, job=job)

    @transactional
    def test_it_goes_from_the_bucket_with_its_job(self, machine, job):
        assert export_write(job.public_id)
        job.refresh_from_db()
        export_delete(actor=job.requested_by, job=job)
        assert sharing.tree("exports") == []

    def test_after_its_time_too_and_what_no_job_names(self, machine, job, monkeypatch):
        export_write(job.public_id)
        sharing.bytes_keep(b"left", f"exports/{uuid.uuid4()}/1-x.csv")
        assert exports_expire() == 0, "young: its job may be stored at this moment"
        Job.objects.update(finished_at=timezone.now() - timedelta(days=31))
        monkeypatch.setattr(export_files, "_ORPHAN_AFTER", -timedelta(days=1))
        assert exports_expire() == 2
        assert sharing.tree("exports") == []

    def test_an_attempt_that_counted_as_dead_takes_its_own_away(self, machine, job, monkeypatch):
        kept = exports._keep

        def overtaken(*arguments: Any) -> str:
            path = kept(*arguments)
            Job.objects.update(attempt=2, lease_until=timezone.now() + timedelta(minutes=9))
            return path

        monkeypatch.setattr(exports, "_keep", overtaken)
        assert not export_write(job.public_id)
        assert sharing.tree("exports") == []

    def test_a_bucket_that_does_not_answer_is_said_on_the_job(self, machine, job, away):
        away()
        assert not export_write(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "storage")

    def test_one_that_is_gone_from_the_bucket_is_none(self, machine, job, caplog):
        export_write(job.public_id)
        job.refresh_from_db()
        sharing.folder_drop(f"exports/{job.public_id}")
        assert export_take(actor=job.requested_by, job=job) is None
        assert "neither in the bucket nor" in caplog.text


class TestSnapshots:
    @pytest.fixture
    def snapshot(self, machine, world) -> DatasetSnapshot:
        study, lead = world
        machine("one")
        assert publication_write(freeze_request(actor=lead, study=study).public_id)
        return DatasetSnapshot.objects.select_related("study").get()

    def test_another_machine_fetches_it_whole(self, machine, snapshot, settings):
        machine("two")
        assert snapshot_damage(snapshot) == []
        assert set(files(snapshot_folder(snapshot))) == {
            *snapshot.manifest["files"],
            "manifest.json",
        }
        sharing.file_drop(f"{snapshot.path}/labels.jsonl")
        assert snapshot_damage(snapshot) == ["labels.jsonl"]

    def test_its_bundle_too_and_once(self, machine, snapshot, world):
        _study, lead = world
        assert release_size(snapshot) is None
        for name in ("worker", "another"):
            machine(name)
            job = release_request(actor=lead, snapshot=snapshot)
            assert publication_write(job.public_id)
            job.refresh_from_db()
            assert job.result["size"] == release_size(snapshot)
        machine("web")
        with release_open(snapshot) as content:
            assert content.read(2) == b"PK"
        assert len(sharing.tree("releases")) == 1

    def test_a_freeze_by_hand_says_where_it_lies(self, machine, world, settings, capsys):
        study, _lead = world
        call_command("freeze", study.key)
        snapshot = DatasetSnapshot.objects.get()
        bucket = settings.STORAGES["default"]["OPTIONS"]["bucket_name"]
        assert f"Frozen in s3://{bucket}/{snapshot.path}. Next" in capsys.readouterr().err
        assert f"{snapshot.path}/manifest.json" in sharing.tree("snapshots")
        settings.STORAGES = settings.STORAGES | {"default": {"BACKEND": LOCAL}}
        assert sharing.address(snapshot.path) == str(settings.DATA_DIR / snapshot.path)

    def test_a_freeze_by_hand_says_which_bucket_and_why(self, machine, world, away):
        study, _lead = world
        away()
        with pytest.raises(CommandError, match=r"the bucket bareme-.* answer .*EndpointConnection"):
            call_command("freeze", study.key)

    def test_a_bucket_that_does_not_answer_leaves_nothing(self, machine, world, away, settings):
        study, lead = world
        away()
        job = freeze_request(actor=lead, study=study)
        assert not publication_write(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "storage")
        assert not DatasetSnapshot.objects.exists()
        assert files(settings.DATA_DIR) == []


class TestBlocks:
    def test_what_another_machines_worker_found(self, machine, monkeypatch):
        machine("worker")
        blocks.blocks_keep("k", ScoredBlocks())
        machine("web")
        assert blocks.blocks_known("k")
        assert blocks._long("k") == ScoredBlocks()
        machine("late")
        day = timezone.now() + timedelta(days=31)
        monkeypatch.setattr(blocks.timezone, "now", lambda: day)
        assert not blocks.blocks_known("k")
        assert blocks.blocks_expire() == 1
        assert sharing.tree("blocks") == []

    def test_what_cannot_be_read_is_none(self, machine):
        sharing.bytes_keep(b"{}", "blocks/k")
        assert not blocks.blocks_known("k")
        assert blocks._long("other") is None


class TestErasures:
    def test_every_machines_erasures_are_repeated(self, machine, db):
        user = make_user("annotator")
        moment = timezone.now()
        line = erasure_line(user.pk, user.created_at, moment, "keep", {})
        sharing.bytes_keep(line.encode(), "erasures/1-1.jsonl")
        machine("two")
        assert erasures.is_listed()
        for _again in range(2):
            known, is_sure = erasures.gather()
            assert [erasure.account for erasure in known] == [user.pk]
            assert is_sure

    @transactional
    def test_what_is_granted_on_one_machine_another_repeats(self, machine):
        request = erase(make_annotator(make_study("alpha"), make_user("gone")).user)
        assert sharing.tree("erasures") == [f"erasures/{request.pk}-{request.user_id}.jsonl"]
        machine("two")
        known, _is_sure = erasures.gather()
        assert [erasure.account for erasure in known] == [request.user_id]

    def test_a_line_that_is_none_is_said(self, machine, db):
        sharing.bytes_keep(b"{}\n", "erasures/1-1.jsonl")
        with pytest.raises(scheduled.BackupError, match="erasures"):
            erasures.gather()


@transactional
class TestBackups:
    def test_they_lie_in_the_bucket_are_pruned_and_found(
        self, machine, settings, monkeypatch, tmp_path, capsys
    ):
        make_user("lead")
        settings.BACKUP_EVERY_HOURS, settings.BACKUP_KEEP, settings.BACKUP_KEEP_WEEKS = 24, 1, 0
        settings.BACKUP_DIR = tmp_path / "backups"
        monkeypatch.setattr(backups, "request_backup", lambda _id: None)
        sharing.bytes_keep(b"old", "backups/bareme-20240101T000000Z.zip")
        assert backups_order_due() == 1
        run = BackupRun.objects.get()
        assert backup_carry_out(run.public_id)
        run.refresh_from_db()
        assert (run.state, run.problem) == ("done", "")
        assert sharing.tree("backups") == [f"backups/{run.name}"]
        assert files(settings.BACKUP_DIR) == []
        machine("two")
        call_command("verify_backup", run.name)
        assert "can be restored" in capsys.readouterr().out
        with pytest.raises(CommandError, match=run.name):
            call_command("verify_backup", "bareme-20240101T000000Z.zip")


class TestMoving:
    def test_the_data_folder_goes_into_the_bucket(self, settings, server, tmp_path, capsys):
        settings.DATA_DIR, settings.MEDIA_ROOT = tmp_path, tmp_path / "files"
        default_storage.save("uploads/1", ContentFile(b"sent in"))
        for name in ("exports/1/1-x.csv", "snapshots/s-1/a.jsonl", "snapshots/.1.part/a.jsonl"):
            (tmp_path / name).parent.mkdir(parents=True)
            (tmp_path / name).write_bytes(b"abc")
        with pytest.raises(CommandError, match="BAREME_STORAGE"):
            call_command("share_files")
        settings.STORAGES = settings.STORAGES | {"default": bucket_new(server)}
        for number in (3, 0):
            call_command("share_files")
            assert f"{number} files" in capsys.readouterr().out
        with default_storage.open("uploads/1") as stored:
            assert stored.read() == b"sent in"
        assert sharing.tree("snapshots") == ["snapshots/s-1/a.jsonl"]

    def test_so_does_what_this_machine_alone_knows_of_erasures(
        self, settings, server, tmp_path, capsys
    ):
        """Another machine that restores a backup would bring back who was erased before there was
        a bucket, and would not even say that it cannot know."""
        settings.DATA_DIR, settings.MEDIA_ROOT = tmp_path, tmp_path / "files"
        (tmp_path / "erasures.jsonl").write_text('{"account": 1}\n{"account": 2}\n')
        settings.STORAGES = settings.STORAGES | {"default": bucket_new(server)}
        sharing.bytes_keep(b'{"account": 2}\n', "erasures/7-2.jsonl")
        for said in ("1 erasures", "0 files"):
            call_command("share_files")
            assert said in capsys.readouterr().out
        assert sorted(lines_elsewhere()) == ['{"account": 1}', '{"account": 2}']

    def test_a_bucket_that_does_not_answer(self, machine, away, settings):
        (settings.DATA_DIR / "releases").mkdir()
        (settings.DATA_DIR / "releases/x.zip").write_bytes(b"abc")
        away()
        with pytest.raises(CommandError, match="did not take all"):
            call_command("share_files")


def test_pages_and_programs_are_told(machine, world, away, client):
    """A download while the bucket is away: 503, in words, and no note of a download."""
    study, lead = world
    job = export_request(actor=lead, study=study, spec=export_spec("long", "csv", {}))
    export_write(job.public_id)
    away()
    client.force_login(lead)
    client.raise_request_exception = False
    url = reverse("export_download", args=[study.key, job.public_id])
    assert client.get(url).status_code == 503
    response = client.get(url, headers={"accept": "application/json"})
    assert (response.status_code, response.json()["type"]) == (503, "storage_away")
    assert not Event.objects.filter(verb="export_downloaded").exists()
